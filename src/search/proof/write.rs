//! Proofs to files, whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::find::FindError;
use super::format::Proof;
use super::statement::Statement;
use crate::search::{Searcher, Watch};

/// Why no proof is written. The file is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// There is none to be written.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The system refuses to write.
    #[error("cannot write {}: {error}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
}

/// Finds a proof of the statement ([`Proof::find`]) and writes it to a file ([`Proof::write`]).
///
/// # Errors
///
/// [`WriteError`].
pub fn write<const P: usize>(
    searcher: &Searcher<'_, P>,
    statement: &Statement,
    file: &Path,
    watch: &dyn Watch,
) -> Result<Proof, WriteError> {
    let proof = Proof::find(searcher, statement, watch)?;
    proof.write(file)?;
    Ok(proof)
}

impl Proof {
    /// Writes the file beside its final name, makes it durable and renames it. Gives its length.
    ///
    /// # Errors
    ///
    /// [`WriteError::Io`].
    pub fn write(&self, file: &Path) -> Result<u64, WriteError> {
        let bytes = self.encode();
        let failed = |error| WriteError::Io { file: file.to_owned(), error };
        let name = file.file_name().ok_or_else(|| failed(io::ErrorKind::IsADirectory.into()))?;
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".tmp-{}", std::process::id()));
        let temporary = file.with_file_name(temporary);
        let written = publish(&bytes, &temporary, file);
        if written.is_err() {
            // It may not have been made.
            let _ = fs::remove_file(&temporary);
        }
        written.map_err(failed)?;
        Ok(bytes.len() as u64)
    }
}

fn publish(bytes: &[u8], temporary: &Path, file: &Path) -> io::Result<()> {
    let mut new = File::create(temporary)?;
    new.write_all(bytes)?;
    new.sync_all()?;
    fs::rename(temporary, file)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
