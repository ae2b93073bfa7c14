//! Proofs to files, whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::find::FindError;
use super::format::{Proof, ReadError};
use super::statement::Statement;
use crate::files::{ReplaceError, Reserved, replace};
use crate::search::{Searcher, Watch};

/// Why no proof is written. The file is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// There is none to be written.
    #[error(transparent)]
    Find(#[from] FindError),
    /// It is not written.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

/// Why a file is not reserved for a proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReserveError {
    /// It cannot be written.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is there, and is something else than a proof.
    #[error("{} is there and is not a proof; name another file, or one to be made", file.display())]
    NotAProof {
        /// The file.
        file: PathBuf,
    },
}

/// Reserves a file for a proof that is to be written later, when it can be written and is not there,
/// or empty, or a proof that may be replaced.
///
/// # Errors
///
/// [`ReserveError`].
pub fn reserve(file: &Path) -> Result<Reserved, ReserveError> {
    let reserved = Reserved::new(file)?;
    if file.exists() && !Proof::may_be_replaced(file)? {
        return Err(ReserveError::NotAProof { file: file.to_owned() });
    }
    Ok(reserved)
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
    /// [`ReplaceError`].
    pub fn write(&self, file: &Path) -> Result<u64, ReplaceError> {
        let bytes = self.encode();
        replace(file, |mut new| new.write_all(&bytes).map(Some))?;
        Ok(bytes.len() as u64)
    }
}
