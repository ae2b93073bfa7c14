//! The file whose lock a writer of a folder holds.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, ErrorKind},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use super::TableError;
use crate::files::refused;

/// Its name in the folder. It stays when the lock goes.
const NAME: &str = ".lock";

/// The open file `.lock` of a folder.
#[derive(Debug)]
pub(super) struct LockFile {
    file: File,
    path: PathBuf,
    /// Whether the file was made when it was opened.
    made: bool,
    /// The folders that were made for it, the innermost first.
    folders: Vec<PathBuf>,
}

impl LockFile {
    /// Opens the file to lock in a folder, making either when it is not there.
    pub fn open(folder: &Path) -> Result<Self, TableError> {
        let refused = |error: io::Error| match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                TableError::FolderNotWritable { folder: folder.to_owned(), error }
            }
            // `create_dir_all` says that the path exists when it does, and is a file.
            ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
                TableError::NotAFolder { folder: folder.to_owned() }
            }
            _ => refused("write in", folder)(error).into(),
        };
        let above = folder.ancestors().filter(|above| !above.as_os_str().is_empty());
        let folders: Vec<PathBuf> =
            above.take_while(|above| !above.exists()).map(Path::to_owned).collect();
        fs::create_dir_all(folder).map_err(refused)?;

        let path = folder.join(NAME);
        let mut options = OpenOptions::new();
        options.write(true);
        let (file, made) = match options.clone().create_new(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                // Opening anything but a file may wait for ever.
                match fs::metadata(&path) {
                    Ok(found) if !found.is_file() => {
                        return Err(TableError::NotALockFile { file: path });
                    }
                    _ => {}
                }
                // Somebody may have removed it meanwhile.
                (options.create(true).truncate(false).open(&path).map_err(refused)?, false)
            }
            made => (made.map_err(refused)?, true),
        };
        Ok(LockFile { file, path, made, folders })
    }

    /// Takes the lock, unless another has it.
    pub fn try_lock(&self) -> Result<bool, TableError> {
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(refused("lock", &self.path)(error).into()),
        }
    }

    /// Takes the lock once it is free.
    pub fn wait(&self) -> Result<(), TableError> {
        while let Err(error) = self.file.lock() {
            if error.kind() != ErrorKind::Interrupted {
                return Err(refused("lock", &self.path)(error).into());
            }
        }
        Ok(())
    }

    /// Whether the file that is open is the one that others find. When somebody has removed it, the
    /// lock keeps nobody away.
    pub fn is_in_place(&self) -> Result<bool, TableError> {
        let ours = self.file.metadata().map_err(refused("look at", &self.path))?;
        match fs::metadata(&self.path) {
            Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(refused("look at", &self.path)(error).into()),
        }
    }

    /// Removes the file and the folders that were made for it, when nothing else is there.
    pub fn remove_what_was_made(self) {
        let alone = self.path.parent().and_then(|folder| fs::read_dir(folder).ok());
        let alone = alone.is_some_and(|mut entries| {
            entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == NAME))
        });
        // What cannot be removed stays, and does no harm.
        if alone && self.made && self.is_in_place().unwrap_or(false) {
            let _ = fs::remove_file(&self.path);
        }
        let _ = self.folders.iter().try_for_each(fs::remove_dir);
    }
}
