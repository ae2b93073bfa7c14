//! Digests of whole files, in the form that `b3sum` prints and checks.

use std::{
    collections::BTreeMap,
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    str::FromStr,
};

use rayon::prelude::*;

use super::unpacked::DigestWatch;
use super::{Encoding, Folder, LayerFile, TableError};
use crate::files::refused;

/// BLAKE3 digests of files, by name.
///
/// Prints as a line a file that `b3sum -c` reads, and parses from that.
///
/// ```
/// use kalah::tables::checksums::Checksums;
///
/// let line = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262  empty.kalah\n";
/// let sums: Checksums = line.parse()?;
/// assert_eq!(sums.to_string(), line);
/// # Ok::<(), kalah::tables::checksums::ChecksumError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checksums(BTreeMap<String, blake3::Hash>);

/// Why a text is no list of checksums. Lines count from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ChecksumError {
    /// A line is of another form.
    #[error("line {0} is no checksum: it should be 64 hexadecimal digits, two spaces, a file name")]
    Malformed(usize),
    /// A file is not in the folder itself.
    #[error("line {0} names a file in another folder; a name without a slash would be right")]
    OtherFolder(usize),
    /// A file has a second checksum.
    #[error("line {0} gives a second checksum of a file; one a file would be right")]
    Repeated(usize),
}

/// How the layers of a folder compare with a list, each set of names sorted.
///
/// A list is of files as they are, or, for layers, of their byte files: a compact file is as the list
/// says too when the byte file is that it stands for. So one list serves both.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// Files that are as the list says.
    pub same: Vec<String>,
    /// Those of them that are compact, and listed as the byte files that they stand for.
    pub unpacked: Vec<String>,
    /// Files that are not as the list says.
    pub different: Vec<String>,
    /// Files of the list that are not in the folder.
    pub missing: Vec<String>,
    /// Layers in the folder that the list does not have.
    pub extra: Vec<String>,
}

impl Checksums {
    /// The digests of all layers in a folder, computed with all threads of the current rayon pool.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`].
    pub fn of_folder(folder: &Folder) -> Result<Self, TableError> {
        let names: Vec<String> = folder.layers()?.iter().map(|id| id.file_name()).collect();
        let never = || false;
        Ok(Checksums(digests(folder, names, &never)?.expect("it is never stopped")))
    }

    /// Compares the files of a folder with these digests, with all threads of the current rayon
    /// pool.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`].
    pub fn compare(&self, folder: &Folder) -> Result<Comparison, TableError> {
        let never = || false;
        Ok(self.compare_until(folder, &never)?.expect("it is never stopped"))
    }

    /// [`Checksums::compare`] that asks now and then whether to stop; `None` when it did.
    ///
    /// # Errors
    ///
    /// As [`Checksums::compare`].
    pub fn compare_until(
        &self,
        folder: &Folder,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Comparison>, TableError> {
        let (there, missing): (Vec<String>, Vec<String>) =
            self.0.keys().cloned().partition(|name| path(folder, name).exists());
        // Reading anything but a file may never end.
        let (present, others): (Vec<String>, Vec<String>) =
            there.into_iter().partition(|name| path(folder, name).is_file());
        let names = folder.layers()?.into_iter().map(|id| id.file_name());
        let mut extra: Vec<String> = names.filter(|name| !self.0.contains_key(name)).collect();
        extra.sort();
        let mut comparison =
            Comparison { missing, extra, different: others, ..Comparison::default() };
        let Some(digests) = digests(folder, present, stop)? else { return Ok(None) };
        for (name, digest) in digests {
            if self.0[&name] == digest {
                comparison.same.push(name);
                continue;
            }
            match unpacked_digest(&path(folder, &name), stop)? {
                Unpacked::Digest(digest) if self.0[&name] == digest => {
                    comparison.unpacked.push(name.clone());
                    comparison.same.push(name);
                }
                Unpacked::Stopped => return Ok(None),
                _ => comparison.different.push(name),
            }
        }
        comparison.different.sort();
        Ok(Some(comparison))
    }

    /// Forgets the files that are not wanted.
    pub fn retain(&mut self, mut wanted: impl FnMut(&str) -> bool) {
        self.0.retain(|name, _| wanted(name));
    }

    /// The names of the files and their digests, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8; 32])> {
        self.0.iter().map(|(name, digest)| (name.as_str(), digest.as_bytes()))
    }
}

/// The BLAKE3 digest of a whole file; `None` when stopped.
fn hash(file: &Path, stop: &(dyn Fn() -> bool + Sync)) -> Result<Option<blake3::Hash>, TableError> {
    let read = || -> io::Result<Option<blake3::Hash>> {
        let mut source = File::open(file)?;
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 1 << 18];
        loop {
            if stop() {
                return Ok(None);
            }
            match source.read(&mut buffer) {
                Ok(0) => return Ok(Some(hasher.finalize())),
                Ok(length) => hasher.update(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
        }
    };
    Ok(read().map_err(refused("read", file))?)
}

/// What is known of the byte file that a file stands for.
enum Unpacked {
    Digest([u8; 32]),
    /// It is no compact file, or one that is damaged.
    Nothing,
    Stopped,
}

/// The BLAKE3 digest of the byte file that a compact file stands for.
fn unpacked_digest(file: &Path, stop: &(dyn Fn() -> bool + Sync)) -> Result<Unpacked, TableError> {
    let layer = match LayerFile::open(file) {
        Ok(layer) if layer.encoding() == Encoding::Compact => layer,
        Ok(_) => return Ok(Unpacked::Nothing),
        Err(error @ (TableError::Io(_) | TableError::TooLargeToMap { .. })) => return Err(error),
        Err(_) => return Ok(Unpacked::Nothing),
    };
    match layer.byte_digest(&DigestWatch { stop, advance: &|_| () }) {
        Ok(Some(digest)) => Ok(Unpacked::Digest(digest)),
        Ok(None) => Ok(Unpacked::Stopped),
        Err(damage) if damage.is_damage() => Ok(Unpacked::Nothing),
        Err(error) => Err(error),
    }
}

fn digests(
    folder: &Folder,
    names: Vec<String>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<BTreeMap<String, blake3::Hash>>, TableError> {
    names
        .into_par_iter()
        .map(|name| Ok(hash(&path(folder, &name), stop)?.map(|digest| (name, digest))))
        .collect()
}

fn path(folder: &Folder, name: &str) -> PathBuf {
    folder.directory().join(name)
}

impl fmt::Display for Checksums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, digest)| writeln!(f, "{digest}  {name}"))
    }
}

impl FromStr for Checksums {
    type Err = ChecksumError;

    fn from_str(text: &str) -> Result<Self, ChecksumError> {
        let mut sums = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let (digest, name) = line
                .split_once("  ")
                .and_then(|(digest, name)| Some((blake3::Hash::from_hex(digest).ok()?, name)))
                .filter(|(_, name)| !name.is_empty() && !name.contains(['\\', '\0']))
                .ok_or(ChecksumError::Malformed(number))?;
            if name.contains('/') || name == ".." || name == "." {
                return Err(ChecksumError::OtherFolder(number));
            }
            if sums.insert(name.to_owned(), digest).is_some() {
                return Err(ChecksumError::Repeated(number));
            }
        }
        Ok(Checksums(sums))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";

    #[test]
    fn lines_that_are_no_checksum_are_named() {
        let good = format!("{DIGEST}  a.kalah");
        for (line, error) in [
            (String::new(), ChecksumError::Malformed(2)),
            (format!("{DIGEST} b.kalah"), ChecksumError::Malformed(2)),
            (format!("{DIGEST}  "), ChecksumError::Malformed(2)),
            (format!("{}  b.kalah", &DIGEST[1..]), ChecksumError::Malformed(2)),
            (format!("{DIGEST}  ../b.kalah"), ChecksumError::OtherFolder(2)),
            (format!("{DIGEST}  .."), ChecksumError::OtherFolder(2)),
            (good.clone(), ChecksumError::Repeated(2)),
        ] {
            let text = format!("{good}\n{line}\n");
            assert_eq!(text.parse::<Checksums>(), Err(error), "{line}");
        }
    }
}
