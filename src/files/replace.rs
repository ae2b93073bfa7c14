//! Replacing a file as a whole.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Refused, Temporary, folder_of, refused};

/// Why a file is not replaced. Every message is one line that names the file and says what would be
/// right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// The name is that of a folder or a device.
    #[error("{} is not a file; name a file, or one to be made", file.display())]
    NotAFile {
        /// What was named.
        file: PathBuf,
    },
    /// The folder is not there, or nothing can be made in it.
    #[error(
        "cannot make {} ({error}); name a file in a folder that is there and may be written",
        file.display()
    )]
    Folder {
        /// The file.
        file: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
    /// Another process is replacing the file.
    #[error("another process is writing {}; give each a file of its own", file.display())]
    InUse {
        /// The file.
        file: PathBuf,
    },
    /// There is no room for a new file beside the old one, or files may not be so large.
    #[error(
        "no room for {} ({error}); free some or choose another place; what was there is kept until \
         the new file is whole",
        file.display()
    )]
    NoSpace {
        /// The file.
        file: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
    /// The system refused something else.
    #[error(transparent)]
    Io(Refused),
}

impl From<Refused> for ReplaceError {
    fn from(refused: Refused) -> Self {
        match refused.error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                ReplaceError::NoSpace { file: refused.file, error: refused.error }
            }
            _ => ReplaceError::Io(refused),
        }
    }
}

/// Writes a file beside `path` and gives it that name once it is safe on the disk; when `write`
/// has an error or returns `None`, `path` stays as it was.
///
/// What a process that was killed left behind is overwritten by the next one.
///
/// # Errors
///
/// [`ReplaceError`].
///
/// ```
/// use std::io::Write;
/// use kalah::files::replace;
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("report");
/// replace(&path, |mut file| file.write_all(b"whole").map(Some))?;
/// replace(&path, |mut file| file.write_all(b"hal").map(|()| None::<()>))?;
/// assert_eq!(std::fs::read_to_string(&path)?, "whole");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn replace<T>(
    path: &Path,
    write: impl FnOnce(&File) -> io::Result<Option<T>>,
) -> Result<Option<T>, ReplaceError> {
    let target = target_of(path)?;
    let temporary = open_alone(beside(&target, ".tmp")?, path)?;
    let written = write(temporary.file()).map_err(refused("write", path))?;
    if written.is_some() {
        temporary.publish(&target)?;
    }
    Ok(written)
}

/// What is replaced under a name: where it is a link, what it leads to.
fn target_of(path: &Path) -> Result<PathBuf, ReplaceError> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
        return Err(ReplaceError::NotAFile { file: path.to_owned() });
    }
    Ok(target)
}

/// A hidden file in the same folder, with this ending.
fn beside(target: &Path, ending: &str) -> Result<PathBuf, ReplaceError> {
    let Some(name) = target.file_name() else {
        return Err(ReplaceError::NotAFile { file: target.to_owned() });
    };
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(ending);
    Ok(target.with_file_name(temporary))
}

/// An empty file that no other process writes while this one has it.
fn open_alone(temporary: PathBuf, path: &Path) -> Result<Temporary, ReplaceError> {
    // Emptied only under the lock: it may be another's.
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&temporary);
    let file = file.map_err(|error| not_made(path, error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(ReplaceError::InUse { file: path.to_owned() });
        }
        Err(TryLockError::Error(error)) => return Err(refused("lock", path)(error).into()),
    }
    // Between opening and locking, who had it may have renamed it to a file of its own.
    let locked = file.metadata().map_err(refused("look at", path))?;
    let same = |found: fs::Metadata| (found.dev(), found.ino()) == (locked.dev(), locked.ino());
    if !fs::metadata(&temporary).is_ok_and(same) {
        return Err(ReplaceError::InUse { file: path.to_owned() });
    }
    file.set_len(0).map_err(refused("write", path))?;
    Ok(Temporary::new(file, temporary))
}

/// Why there is no new file beside `path`.
fn not_made(path: &Path, error: io::Error) -> ReplaceError {
    match error.kind() {
        ErrorKind::NotFound
        | ErrorKind::NotADirectory
        | ErrorKind::PermissionDenied
        | ErrorKind::ReadOnlyFilesystem => ReplaceError::Folder { file: path.to_owned(), error },
        _ => refused("write", path)(error).into(),
    }
}

/// A file that is to be replaced later, perhaps again and again: other processes that want to
/// reserve it are refused until this is dropped.
///
/// A hidden file of no bytes beside it stands for that. One that a killed process left is used
/// again.
#[derive(Debug)]
pub struct Reserved {
    target: PathBuf,
    _lock: Temporary,
}

impl Reserved {
    /// Finds out whether the file can be replaced, and reserves it. Nothing is written to it.
    ///
    /// # Errors
    ///
    /// [`ReplaceError`]: when it is a folder or a device, when no file can be made beside it, or
    /// when somebody else reserved it.
    pub fn new(path: &Path) -> Result<Self, ReplaceError> {
        let target = target_of(path)?;
        let lock = open_alone(beside(&target, ".lock")?, path)?;
        // Now there is a folder, and a file that may be made has a path without detours too.
        let place = fs::canonicalize(folder_of(&target));
        let place = place.map_err(refused("look at", path))?;
        let target = place.join(target.file_name().unwrap_or_default());
        Ok(Reserved { target, _lock: lock })
    }

    /// The file, without links and detours.
    pub fn target(&self) -> &Path {
        &self.target
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn put(path: &Path, text: &str) -> Result<Option<()>, ReplaceError> {
        replace(path, |mut file| file.write_all(text.as_bytes()).map(Some))
    }

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        put(&path, "old").unwrap();
        let full = replace(&path, |mut file| -> io::Result<Option<()>> {
            file.write_all(b"new")?;
            Err(ErrorKind::StorageFull.into())
        });
        assert!(matches!(full, Err(ReplaceError::NoSpace { .. })));
        let stopped =
            replace(&path, |mut file| file.write_all(b"new").map(|()| None::<()>)).unwrap();
        assert_eq!(stopped, None);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        put(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn what_a_killed_process_left_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(folder.path().join(".file.tmp"), "half of a much longer").unwrap();
        put(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn one_writes_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace(&path, |_| {
            assert!(matches!(put(&path, "other"), Err(ReplaceError::InUse { .. })));
            Ok(Some(()))
        })
        .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    fn what_is_reserved_is_refused_to_others_until_it_is_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(folder.path().join(".file.lock"), "").unwrap();
        let reserved = Reserved::new(&path).unwrap();
        let other = folder.path().join(".").join("file");
        assert!(matches!(Reserved::new(&other), Err(ReplaceError::InUse { .. })));
        put(&path, "new").unwrap();
        assert!(matches!(Reserved::new(&other), Err(ReplaceError::InUse { .. })));
        drop(reserved);
        assert_eq!(Reserved::new(&other).unwrap().target(), fs::canonicalize(&path).unwrap());
        assert_eq!(names(folder.path()), ["file"]);
        let missing = folder.path().join("missing").join("file");
        let error = Reserved::new(&missing).unwrap_err();
        assert!(matches!(&error, ReplaceError::Folder { file, .. } if *file == missing), "{error}");
        assert!(matches!(Reserved::new(folder.path()), Err(ReplaceError::NotAFile { .. })));
    }

    #[test]
    fn folders_and_devices_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), Path::new("/dev/null"), Path::new("/"), Path::new("..")] {
            let error = put(path, "new").unwrap_err();
            assert!(matches!(error, ReplaceError::NotAFile { .. }), "{error}");
        }
        let missing = folder.path().join("missing").join("file");
        assert!(
            matches!(put(&missing, "new"), Err(ReplaceError::Folder { file, .. }) if file == missing)
        );
    }

    #[test]
    fn a_link_leads_to_what_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        put(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        put(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
