//! The folder that tables are in, and the lock that keeps writers apart.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use super::{LayerFile, LayerId, PartialLayer, TableError, lock_file::LockFile};
use crate::files::refused;

/// A folder of table files.
///
/// Any number of readers may use a folder while somebody writes to it, as a file under its final
/// name never changes. Writers exclude one another by an advisory lock on the file `.lock`, which
/// the system releases when a process ends, however it ends. The file stays.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The locked file, shared with the writers of layers: none of them outlives the lock.
    lock: Option<Arc<LockFile>>,
}

impl Folder {
    /// The folder at `path`, to read from. Takes no lock.
    ///
    /// # Errors
    ///
    /// [`TableError::MissingFolder`], [`TableError::NotAFolder`], [`TableError::Io`].
    pub fn open_for_reading(path: impl Into<PathBuf>) -> Result<Self, TableError> {
        let path = path.into();
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => Ok(Folder { path, lock: None }),
            Ok(_) => Err(TableError::NotAFolder { folder: path }),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                Err(TableError::NotAFolder { folder: path })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(TableError::MissingFolder { folder: path })
            }
            Err(error) => Err(refused("open", path)(error).into()),
        }
    }

    /// The folder at `path`, to write to: made when it is not there, locked, and cleared of what
    /// writers that were killed left behind. When another process holds the lock, `on_wait` is
    /// called once and then this waits.
    ///
    /// # Errors
    ///
    /// [`TableError::NotAFolder`], [`TableError::FolderNotWritable`], [`TableError::Io`].
    pub fn open_for_writing(
        path: impl Into<PathBuf>,
        on_wait: impl FnOnce(),
    ) -> Result<Self, TableError> {
        let path = path.into();
        let mut on_wait = Some(on_wait);
        loop {
            let lock = LockFile::open(&path)?;
            if !lock.try_lock()? {
                on_wait.take().into_iter().for_each(|on_wait| on_wait());
                lock.wait()?;
            }
            if lock.is_in_place()? {
                return Folder::locked(path, lock);
            }
        }
    }

    /// Removes the file `.lock` and the folder itself, where it was this value that made them and
    /// nothing else is there: for writers who find that they cannot write. Somebody who waits for
    /// the lock notices, and makes both again.
    pub fn give_up(self) {
        if let Some(lock) = self.lock.and_then(Arc::into_inner) {
            lock.remove_what_was_made();
        }
    }

    /// Like [`Folder::open_for_writing`], but `None` when another process holds the lock: for
    /// callers that do something else while they wait.
    ///
    /// # Errors
    ///
    /// [`TableError::NotAFolder`], [`TableError::FolderNotWritable`], [`TableError::Io`].
    pub fn try_open_for_writing(path: impl Into<PathBuf>) -> Result<Option<Self>, TableError> {
        let path = path.into();
        loop {
            let lock = LockFile::open(&path)?;
            if !lock.try_lock()? {
                return Ok(None);
            }
            if lock.is_in_place()? {
                return Folder::locked(path, lock).map(Some);
            }
        }
    }

    /// Like [`Folder::open_for_writing`], but `None` when `interrupted` says so while it waits.
    ///
    /// # Errors
    ///
    /// [`TableError::NotAFolder`], [`TableError::FolderNotWritable`], [`TableError::Io`].
    pub(super) fn open_for_writing_unless(
        path: &Path,
        interrupted: impl Fn() -> bool,
        on_wait: impl FnOnce(),
    ) -> Result<Option<Self>, TableError> {
        let mut on_wait = Some(on_wait);
        loop {
            if let Some(folder) = Folder::try_open_for_writing(path)? {
                return Ok(Some(folder));
            }
            on_wait.take().into_iter().for_each(|on_wait| on_wait());
            if interrupted() {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn locked(path: PathBuf, lock: LockFile) -> Result<Self, TableError> {
        let folder = Folder { path, lock: Some(Arc::new(lock)) };
        folder.remove_temporary_files()?;
        Ok(folder)
    }

    /// The folder itself.
    pub fn directory(&self) -> &Path {
        &self.path
    }

    /// Where the file of a layer is, or will be.
    pub fn path(&self, id: &LayerId) -> PathBuf {
        self.path.join(id.file_name())
    }

    /// The layers that have a file here, sorted by the rules' name, pits and stones. The files are not
    /// opened.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`].
    pub fn layers(&self) -> Result<Vec<LayerId>, TableError> {
        let mut layers: Vec<LayerId> =
            self.names()?.iter().filter_map(|name| LayerId::from_file_name(name)).collect();
        layers.sort_by_key(|id| (id.rules.name(), id.pits, id.stones));
        Ok(layers)
    }

    /// Opens the file of a layer; `None` when there is none.
    ///
    /// # Errors
    ///
    /// As [`LayerFile::open`], and [`TableError::WrongLayer`] when the file holds another layer.
    pub fn open_layer(&self, id: &LayerId) -> Result<Option<LayerFile>, TableError> {
        let file = match LayerFile::open(&self.path(id)) {
            Err(TableError::Io(refused)) if refused.error.kind() == ErrorKind::NotFound => {
                return Ok(None);
            }
            other => other?,
        };
        if file.id() != *id {
            return Err(TableError::WrongLayer { file: self.path(id), found: file.id() });
        }
        Ok(Some(file))
    }

    /// Bytes that the folder's file system has left for this user.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`].
    pub fn free_bytes(&self) -> Result<u64, TableError> {
        let free = File::open(&self.path).and_then(|folder| free_bytes(&folder));
        Ok(free.map_err(refused("look for room in", &self.path))?)
    }

    /// The lock, when this folder was opened for writing.
    pub(super) fn lock(&self) -> Option<&Arc<LockFile>> {
        self.lock.as_ref()
    }

    /// Where a layer's file is written before it gets its name.
    pub(super) fn temporary_path(&self, id: &LayerId) -> PathBuf {
        self.path.join(format!(".{}.tmp-{}", id.file_name(), std::process::id()))
    }

    /// Where a layer is written that can be gone on with, before it gets its name.
    pub(super) fn partial_path(&self, id: &LayerId) -> PathBuf {
        self.path.join(partial_name(id))
    }

    /// Where the journal of that is.
    pub(super) fn journal_path(&self, id: &LayerId) -> PathBuf {
        self.path.join(format!(".{}{JOURNAL}", id.file_name()))
    }

    /// The layers that were begun and not finished, sorted as [`Folder::layers`]. The next build
    /// goes on with them.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`].
    pub fn partial_layers(&self) -> Result<Vec<PartialLayer>, TableError> {
        let names = self.names()?;
        let ids = names.iter().filter_map(|name| begun(name, JOURNAL));
        let mut partial = Vec::new();
        // A file that has the layer's name already may be a damaged one, which is made anew.
        for id in ids {
            partial.extend(PartialLayer::find(self, &id)?);
        }
        partial.sort_by_key(|PartialLayer { id, .. }| (id.rules.name(), id.pits, id.stones));
        Ok(partial)
    }

    /// Writers hold the lock as long as they have a temporary file, so whatever is there when this
    /// process has just taken the lock has lost its owner. What of it can be gone on with stays.
    fn remove_temporary_files(&self) -> Result<(), TableError> {
        let partial = self.partial_layers()?;
        let stays = |id| partial.iter().any(|partial| partial.id == id);
        for name in &self.names()? {
            let begun = begun(name, PARTIAL).or_else(|| begun(name, JOURNAL));
            if is_temporary(name) || begun.is_some_and(|id| !stays(id)) {
                remove(self.path.join(name))?;
            }
        }
        Ok(())
    }

    /// Removes what there is of a layer that was begun.
    pub(super) fn remove_partial(&self, id: &LayerId) -> Result<(), TableError> {
        // Without its journal the other file is worth nothing; without the file, a journal would lie.
        remove(self.journal_path(id))?;
        remove(self.partial_path(id))
    }

    /// The names in the folder that are text; tables have no other.
    fn names(&self) -> Result<Vec<String>, TableError> {
        let list = || -> io::Result<Vec<String>> {
            let mut names = Vec::new();
            for entry in fs::read_dir(&self.path)? {
                names.extend(entry?.file_name().into_string().ok());
            }
            Ok(names)
        };
        Ok(list().map_err(refused("list", &self.path))?)
    }
}

/// Bytes that the file system of `file` has left.
pub(super) fn free_bytes(file: &File) -> io::Result<u64> {
    let found = rustix::fs::fstatvfs(file)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Whether a file or folder lies in memory.
#[cfg(target_os = "linux")]
pub(super) fn is_in_memory(file: &File) -> io::Result<bool> {
    /// What the system calls the file system that lies in memory.
    const TMPFS_MAGIC: rustix::fs::FsWord = 0x0102_1994;

    Ok(rustix::fs::fstatfs(file)?.f_type == TMPFS_MAGIC)
}

/// Whether a file or folder lies in memory: no system but Linux tells.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_in_memory(_file: &File) -> io::Result<bool> {
    Ok(false)
}

/// What follows a layer's name, after a full stop before it, where it is begun.
const PARTIAL: &str = ".partial";
const JOURNAL: &str = ".journal";

/// How a layer's file is called before it is finished.
pub(super) fn partial_name(id: &LayerId) -> String {
    format!(".{}{PARTIAL}", id.file_name())
}

/// The layer of which a file with this ending is a part.
fn begun(name: &str, ending: &str) -> Option<LayerId> {
    LayerId::from_file_name(name.strip_prefix('.')?.strip_suffix(ending)?)
}

/// Removes a file, if it is there.
pub(super) fn remove(file: PathBuf) -> Result<(), TableError> {
    match fs::remove_file(&file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(refused("remove", file)(error).into())
        }
        _ => Ok(()),
    }
}

fn is_temporary(name: &str) -> bool {
    let parts = name.strip_prefix('.').and_then(|name| name.rsplit_once(".tmp-"));
    parts.is_some_and(|(layer, process)| {
        LayerId::from_file_name(layer).is_some() && process.parse::<u32>().is_ok()
    })
}
