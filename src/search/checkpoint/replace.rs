//! Files that are there whole, the old one or the new one, whatever happens.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::CheckpointError;

/// Writes a file beside `path` and gives it that name once it is safe on the disk; when `write`
/// has an error or returns `None`, `path` stays as it was.
///
/// What a process that was killed left behind is overwritten by the next one.
///
/// # Errors
///
/// [`CheckpointError::NotAFile`], [`CheckpointError::InUse`], [`CheckpointError::NoSpace`],
/// [`CheckpointError::Io`].
pub(super) fn replace<T>(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<Option<T>>,
) -> Result<Option<T>, CheckpointError> {
    // Where the name is a link, what it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
        return Err(CheckpointError::NotAFile { file: target });
    }
    let temporary = temporary_path(&target)?;
    let mut file = open_alone(&temporary, path)?;
    let written = write(&mut file).map_err(|error| refused(error, path)).and_then(|written| {
        if written.is_some() {
            file.sync_all().map_err(|error| refused(error, path))?;
            fs::rename(&temporary, &target).map_err(CheckpointError::io("rename", &temporary))?;
            let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            File::open(folder)
                .and_then(|folder| folder.sync_all())
                .map_err(CheckpointError::io("sync", folder))?;
        }
        Ok(written)
    });
    if !matches!(written, Ok(Some(_))) {
        // After a rename nothing is there any more; otherwise the next save overwrites it.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The file that is written before it gets its name.
fn temporary_path(target: &Path) -> Result<PathBuf, CheckpointError> {
    let Some(name) = target.file_name() else {
        return Err(CheckpointError::NotAFile { file: target.to_owned() });
    };
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(".tmp");
    Ok(target.with_file_name(temporary))
}

/// An empty file that no other process writes while this one has it.
fn open_alone(temporary: &Path, path: &Path) -> Result<File, CheckpointError> {
    let io = |action| CheckpointError::io(action, temporary);
    // Emptied only under the lock: it may be another's.
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(temporary);
    let file = file.map_err(io("write"))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(CheckpointError::InUse { file: path.to_owned() });
        }
        Err(TryLockError::Error(error)) => return Err(io("lock")(error)),
    }
    // Between opening and locking, who had it may have renamed it to a checkpoint of its own.
    let locked = file.metadata().map_err(io("look at"))?;
    let same = |found: fs::Metadata| (found.dev(), found.ino()) == (locked.dev(), locked.ino());
    if !fs::metadata(temporary).is_ok_and(same) {
        return Err(CheckpointError::InUse { file: path.to_owned() });
    }
    file.set_len(0).map_err(io("write"))?;
    Ok(file)
}

fn refused(error: io::Error, path: &Path) -> CheckpointError {
    let file = path.to_owned();
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            CheckpointError::NoSpace { file, error }
        }
        _ => CheckpointError::Io { action: "write", file, error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn put(path: &Path, text: &str) -> Result<Option<()>, CheckpointError> {
        replace(path, |file| file.write_all(text.as_bytes()).map(Some))
    }

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        put(&path, "old").unwrap();
        let full = replace(&path, |file| -> io::Result<Option<()>> {
            file.write_all(b"new")?;
            Err(ErrorKind::StorageFull.into())
        });
        assert!(matches!(full, Err(CheckpointError::NoSpace { .. })));
        let stopped = replace(&path, |file| file.write_all(b"new").map(|()| None::<()>)).unwrap();
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
            assert!(matches!(put(&path, "other"), Err(CheckpointError::InUse { .. })));
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
            assert!(matches!(error, CheckpointError::NotAFile { .. }), "{error}");
        }
        let missing = folder.path().join("missing").join("file");
        assert!(matches!(put(&missing, "new"), Err(CheckpointError::Io { .. })));
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
