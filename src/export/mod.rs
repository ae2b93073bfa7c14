//! Tables for other programs: arrays for numpy, and sampled positions as CSV.
//!
//! | to | there is |
//! | --- | --- |
//! | read whole layers with Python | [`npy`] |
//! | train or test with a sample of positions, values and optimal moves | [`csv`] |
//!
//! ```
//! use kalah::export::{csv, npy};
//! use kalah::rules::Rules;
//! use kalah::tables::Tablebase;
//!
//! let tables = Tablebase::<6>::in_memory(Rules::EmptyCapture, 4)?;
//! let folder = tempfile::tempdir()?;
//!
//! let arrays = npy::write(&tables, 4, folder.path(), &())?.expect("nobody stops it");
//! assert_eq!((arrays.layers, arrays.positions), (5, 1_820));
//!
//! let options = csv::Options { stones: 4, rows: 2, random_seed: 7, seeds: None };
//! let mut text = Vec::new();
//! csv::write(&tables, &options, &mut text, &())?;
//! assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files are replaced as a whole: whatever happens, there is the old one or the new one.

pub mod csv;
pub mod npy;

use std::{fs::File, io, path::Path};

use crate::{
    files::{Refused, ReplaceError, replace},
    tables::{TableError, Tablebase},
};

/// Somebody who wants to know how far an export is.
pub trait Progress {
    /// So many more positions are written.
    fn advance(&self, positions: u64) {
        let _ = positions;
    }

    /// Whether to stop as soon as possible. Asked often.
    fn stop(&self) -> bool {
        false
    }
}

/// Nobody wants to know.
impl Progress for () {}

/// Why nothing, or not everything, was exported. Every message is one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// More stones are asked for than the tables have.
    #[error(
        "the tables {}, and {stones} stones are asked for",
        reach.map_or("are empty".to_owned(), |reach| format!("end at {reach} stones"))
    )]
    TooSmall {
        /// The stones asked for.
        stones: usize,
        /// The most stones that the tables cover.
        reach: Option<usize>,
    },
    /// A table is damaged.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A position's value is not the best of its moves' values.
    #[error(
        "the tables contradict themselves at {position}; find the damaged file with kalah verify"
    )]
    Contradiction {
        /// The position, as it is written.
        position: String,
    },
    /// There are no positions to draw, or none on the boards asked for.
    #[error(transparent)]
    Options(#[from] csv::OptionsError),
    /// A file is not replaced; it is as it was.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The folder for the files cannot be made, or is none.
    #[error(transparent)]
    Folder(#[from] Refused),
    /// What is written goes nowhere.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

/// Makes sure that the tables cover so many stones.
fn check_reach<const P: usize>(tables: &Tablebase<P>, stones: usize) -> Result<(), ExportError> {
    match tables.stones() {
        Some(reach) if reach >= stones => Ok(()),
        reach => Err(ExportError::TooSmall { stones, reach }),
    }
}

/// [`replace`], by a file whose writing may fail for other reasons than the file.
fn replace_by<T>(
    path: &Path,
    write: impl FnOnce(&File) -> Result<Option<T>, ExportError>,
) -> Result<Option<T>, ExportError> {
    let mut fault = None;
    let written = replace(path, |file| match write(file) {
        Ok(written) => Ok(written),
        Err(ExportError::Write(error)) => Err(error),
        Err(other) => {
            fault = Some(other);
            Ok(None)
        }
    })?;
    fault.map_or(Ok(written), Err)
}
