//! What files of all formats have in common: they are there whole, the old one or the new one,
//! whatever happens; how they begin; and what is said when the system refuses.

mod preamble;
mod replace;
mod temporary;

pub(crate) use preamble::{DIGEST, PREAMBLE, Preamble, begin, sign};
pub use replace::{ReplaceError, Reserved, replace};
pub(crate) use temporary::Temporary;

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// The system refused to open, read, write, lock, map, sync, rename or list a file or folder.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {error}", file.display())]
#[non_exhaustive]
pub struct Refused {
    /// What was tried, as a verb.
    pub action: &'static str,
    /// The file or folder.
    pub file: PathBuf,
    /// The system's answer.
    pub error: io::Error,
}

/// For `map_err`: the system refused to `action` the file.
pub(crate) fn refused(
    action: &'static str,
    file: impl Into<PathBuf>,
) -> impl FnOnce(io::Error) -> Refused {
    let file = file.into();
    move |error| Refused { action, file, error }
}

/// Makes a folder that may be there, and those it is in.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Refused> {
    let made = fs::create_dir_all(folder).map_err(|error| match error.kind() {
        // Of a folder that is there nothing is said.
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            io::Error::new(error.kind(), "there is a file in its place; name another folder")
        }
        _ => error,
    });
    made.map_err(refused("make the folder", folder))
}

/// The folder that a file is in.
fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The BLAKE3 digest of some bytes of a file, which are read in order.
///
/// # Errors
///
/// The system's, and that the file ends before.
pub(crate) fn digest_of(file: &File, offset: u64, length: u64) -> io::Result<[u8; DIGEST]> {
    let mut hasher = blake3::Hasher::new();
    let mut bytes = vec![0; length.min(1 << 18) as usize];
    let mut done = 0;
    while done < length {
        let next = bytes.len().min(usize::try_from(length - done).unwrap_or(usize::MAX));
        let next = &mut bytes[..next];
        file.read_exact_at(next, offset + done)?;
        hasher.update(next);
        done += next.len() as u64;
    }
    Ok(*hasher.finalize().as_bytes())
}

/// Opens a file to read; `None` when it is a folder, a pipe or the like: opening these may wait for
/// ever.
///
/// # Errors
///
/// The system's.
pub(crate) fn open(path: &Path) -> Result<Option<File>, Refused> {
    let is_file = fs::metadata(path).map_err(refused("read", path))?.is_file();
    is_file.then(|| File::open(path).map_err(refused("read", path))).transpose()
}
