//! Replacing a file as a whole.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Refused, Temporary, refused};

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
pub(crate) fn replace<T>(
    path: &Path,
    write: impl FnOnce(&File) -> io::Result<Option<T>>,
) -> Result<Option<T>, ReplaceError> {
    // Where the name is a link, what it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
        return Err(ReplaceError::NotAFile { file: target });
    }
    let temporary = open_alone(temporary_path(&target)?, path)?;
    let written = write(temporary.file()).map_err(refused("write", path))?;
    if written.is_some() {
        temporary.publish(&target)?;
    }
    Ok(written)
}

/// The file that is written before it gets its name.
fn temporary_path(target: &Path) -> Result<PathBuf, ReplaceError> {
    let Some(name) = target.file_name() else {
        return Err(ReplaceError::NotAFile { file: target.to_owned() });
    };
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(".tmp");
    Ok(target.with_file_name(temporary))
}

/// An empty file that no other process writes while this one has it.
fn open_alone(temporary: PathBuf, path: &Path) -> Result<Temporary, ReplaceError> {
    // Emptied only under the lock: it may be another's.
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&temporary);
    let file = file.map_err(refused("write", &temporary))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(ReplaceError::InUse { file: path.to_owned() });
        }
        Err(TryLockError::Error(error)) => return Err(refused("lock", temporary)(error).into()),
    }
    // Between opening and locking, who had it may have renamed it to a file of its own.
    let locked = file.metadata().map_err(refused("look at", &temporary))?;
    let same = |found: fs::Metadata| (found.dev(), found.ino()) == (locked.dev(), locked.ino());
    if !fs::metadata(&temporary).is_ok_and(same) {
        return Err(ReplaceError::InUse { file: path.to_owned() });
    }
    file.set_len(0).map_err(refused("write", &temporary))?;
    Ok(Temporary::new(file, temporary))
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
    fn folders_and_devices_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), Path::new("/dev/null"), Path::new("/"), Path::new("..")] {
            let error = put(path, "new").unwrap_err();
            assert!(matches!(error, ReplaceError::NotAFile { .. }), "{error}");
        }
        let missing = folder.path().join("missing").join("file");
        assert!(matches!(put(&missing, "new"), Err(ReplaceError::Io(_))));
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
