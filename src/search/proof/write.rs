//! Proofs to files, whole or not at all.

use std::io::Write;
use std::path::Path;

use super::find::FindError;
use super::format::Proof;
use super::statement::Statement;
use crate::files::{ReplaceError, replace};
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
