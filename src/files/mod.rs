//! Files that are there whole, the old one or the new one, whatever happens; and what is said when
//! the system refuses.

mod replace;
mod temporary;

pub use replace::ReplaceError;
pub(crate) use replace::replace;
pub(crate) use temporary::Temporary;

use std::{io, path::PathBuf};

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
