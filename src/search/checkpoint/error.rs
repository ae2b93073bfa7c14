//! What can be wrong with checkpoints.

use std::{io, path::PathBuf};

/// Why a checkpoint is not written or not used. Every message is one line that names the file and
/// says what would be right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The system refused to read, write, lock, sync or rename.
    #[error("cannot {action} {}: {error}", file.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or folder.
        file: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
    /// There is no room for a new checkpoint beside the old one, or files may not be so large.
    #[error(
        "no room for the checkpoint {} ({error}); free some or choose another place; an earlier \
         checkpoint is kept until a new one is whole",
        file.display()
    )]
    NoSpace {
        /// The checkpoint.
        file: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
    /// Another process is writing a checkpoint of the same name.
    #[error(
        "another process is saving its search to {}; give each search a checkpoint of its own",
        file.display()
    )]
    InUse {
        /// The checkpoint.
        file: PathBuf,
    },
    /// The name is that of a folder or a device.
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

impl CheckpointError {
    /// For `map_err`: the system refused to `action` the file.
    pub(super) fn io(
        action: &'static str,
        file: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> CheckpointError {
        let file = file.into();
        move |error| CheckpointError::Io { action, file, error }
    }
}
