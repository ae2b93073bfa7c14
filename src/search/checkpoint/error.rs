//! What can be wrong with checkpoints.

use std::{io, path::PathBuf};

use crate::files::{Refused, ReplaceError};

/// Why a checkpoint is not written or not used. Every message is one line that names the file and
/// says what would be right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The system refused to open or read the file.
    #[error(transparent)]
    Io(#[from] Refused),
    /// The file is not replaced by a new one.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// What is to be read is a folder or a device.
    #[error("{} is not a file; name a file for the checkpoint, or one to be made", file.display())]
    NotAFile {
        /// What was named.
        file: PathBuf,
    },
    /// The file does not begin as a checkpoint does.
    #[error("{} is not a checkpoint; name another file, or one to be made", file.display())]
    NotACheckpoint {
        /// The file.
        file: PathBuf,
    },
    /// The file is of a version of the format that this program does not know.
    #[error(
        "{} is a checkpoint of format version {version} and this program reads version {known}; \
         use a {} program, or name another file to begin anew",
        file.display(),
        if version > known { "newer" } else { "suitable" }
    )]
    OtherVersion {
        /// The file.
        file: PathBuf,
        /// The file's version.
        version: u32,
        /// The version this program reads.
        known: u32,
    },
    /// The checkpoint is of another game or another position.
    #[error(
        "{} is a checkpoint of {found}, not of {wanted}; ask for that, or name another file to \
         begin anew",
        file.display()
    )]
    OtherProblem {
        /// The file.
        file: PathBuf,
        /// The rules, pits and position that it is of.
        found: String,
        /// Those that are searched.
        wanted: String,
    },
    /// The file is shorter or longer than it says.
    #[error(
        "{} is damaged: it has {actual} bytes instead of {expected}; delete it to begin anew",
        file.display()
    )]
    WrongLength {
        /// The file.
        file: PathBuf,
        /// How many bytes it should have, at least.
        expected: u64,
        /// How many bytes it has.
        actual: u64,
    },
    /// The bytes are not those that were written, or say what cannot be.
    #[error("{} is damaged: {reason}; delete it to begin anew", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: &'static str,
    },
    /// The system gives no thread to save with while the search goes on.
    #[error("cannot start a thread that saves to {}: {error}; it is saved at the end", file.display())]
    NoThread {
        /// The checkpoint.
        file: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
}
