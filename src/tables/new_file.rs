//! The file of a layer while it is written: under another name than its own, perhaps one under which
//! a later run finds it.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::folder::{self, free_bytes};
use super::lock_file::LockFile;
use super::partial::Journal;
use super::{Encoding, Folder, LayerFile, LayerId, TableError};
use crate::files::{self, Temporary, refused};

/// A layer's file that has all its blocks and its header, and not yet its final name.
#[derive(Debug)]
pub struct SealedLayer {
    file: NewFile,
}

impl SealedLayer {
    /// A file that has all its blocks and its header.
    pub(super) fn new(file: NewFile) -> Self {
        SealedLayer { file }
    }

    /// Maps the file, before or while it becomes durable. The mapping outlives this value.
    ///
    /// # Errors
    ///
    /// As [`LayerFile::open`].
    pub fn map(&self) -> Result<LayerFile, TableError> {
        LayerFile::map(self.file.file(), &self.file.final_path)
    }

    /// Makes the file durable and gives it its final name.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`].
    pub fn commit(self) -> Result<(), TableError> {
        let NewFile { temporary, final_path, journal, .. } = self.file;
        temporary.publish(&final_path)?;
        journal.map_or(Ok(()), |journal| folder::remove(journal.path))
    }
}

/// Makes a layer's data durable from a thread that has nothing else to do, so that
/// [`SealedLayer::commit`] has little left to wait for.
#[derive(Debug)]
pub struct Syncer {
    file: Arc<File>,
    path: PathBuf,
}

impl Syncer {
    /// Waits until what was written so far is on the disk.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`].
    pub fn sync_data(&self) -> Result<(), TableError> {
        Ok(self.file.sync_data().map_err(refused("sync", &self.path))?)
    }
}

/// Where it is said what is finished of a file.
#[derive(Clone, Debug)]
struct JournalPlace {
    path: PathBuf,
    /// Where it is written before it replaces the one that is there.
    temporary: PathBuf,
}

/// What is written of a layer at some moment, for a later run to go on from.
#[derive(Debug)]
pub(super) struct SavePoint {
    syncer: Syncer,
    journal: Journal,
    place: JournalPlace,
    /// Keeps others out of the folder.
    _lock: Arc<LockFile>,
}

impl SavePoint {
    /// Makes what is written durable, and then the journal that says so.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`]. The journal from before is in force then; if there is none, the file is
    /// removed, as nobody would know what of it is right.
    pub fn save(self) -> Result<(), TableError> {
        let SavePoint { syncer, journal, place, .. } = self;
        let saved = syncer.sync_data().and_then(|()| journal.write(&place.path, place.temporary));
        if saved.is_err() && !place.path.exists() {
            folder::remove(syncer.path)?;
        }
        saved
    }
}

/// The file of a layer that does not have its final name yet.
#[derive(Debug)]
pub(super) struct NewFile {
    temporary: Temporary,
    final_path: PathBuf,
    /// How many bytes the file has when it is whole, as far as that is known before.
    length: u64,
    /// Held to write: the system has one lock a file too, and waits for it by turning in circles.
    writing: Mutex<()>,
    /// None of a file that goes with its process.
    journal: Option<JournalPlace>,
    /// Keeps other writers, who would remove the file, out of the folder until it is closed.
    lock: Arc<LockFile>,
}

impl NewFile {
    /// Makes the temporary file of a layer, which will have at least so many bytes.
    pub fn create(folder: &Folder, id: &LayerId, length: u64) -> Result<Self, TableError> {
        let mut options = OpenOptions::new();
        NewFile::open(folder, id, folder.temporary_path(id), length, options.create_new(true))
    }

    /// Goes on with the file of a layer that a run before this one began and saved, or begins one
    /// that can be gone on with. `check` says what of it is right; when it finds damage, `damaged`
    /// is told, and the file begun anew.
    pub fn take_up<T>(
        folder: &Folder,
        id: &LayerId,
        encoding: Encoding,
        length: u64,
        check: impl FnOnce(&NewFile, &Journal) -> Result<T, TableError>,
        damaged: impl FnOnce(&TableError),
    ) -> Result<(Self, Option<T>), TableError> {
        let path = folder.partial_path(id);
        let journal =
            JournalPlace { path: folder.journal_path(id), temporary: folder.temporary_path(id) };
        let saved = Journal::read(&journal.path)?;
        if let Some(saved) = saved.filter(|saved| saved.id == *id && saved.encoding == encoding) {
            let mut file =
                NewFile::open(folder, id, path.clone(), length, &mut OpenOptions::new())?;
            file.temporary.keep();
            file.journal = Some(journal.clone());
            match check(&file, &saved) {
                Ok(checked) => return Ok((file, Some(checked))),
                Err(damage) if damage.is_damage() => damaged(&damage),
                Err(error) => return Err(error),
            }
        }
        folder.remove_partial(id)?;
        let mut options = OpenOptions::new();
        let mut file = NewFile::open(folder, id, path, length, options.create_new(true))?;
        file.journal = Some(journal);
        Ok((file, None))
    }

    fn open(
        folder: &Folder,
        id: &LayerId,
        path: PathBuf,
        length: u64,
        options: &mut OpenOptions,
    ) -> Result<Self, TableError> {
        let directory = folder.directory();
        let lock = folder
            .lock()
            .ok_or_else(|| TableError::OpenedForReading { folder: directory.to_owned() })?;
        let file = options.read(true).write(true).open(&path);
        let file = file.map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                TableError::FolderNotWritable { folder: directory.to_owned(), error }
            }
            _ => refused("create", &path)(error).into(),
        })?;
        Ok(NewFile {
            temporary: Temporary::new(file, path),
            final_path: folder.path(id),
            length,
            writing: Mutex::default(),
            journal: None,
            lock: Arc::clone(lock),
        })
    }

    fn file(&self) -> &Arc<File> {
        self.temporary.file()
    }

    /// What makes the file's data durable while it is written.
    pub fn syncer(&self) -> Syncer {
        Syncer { file: Arc::clone(self.file()), path: self.temporary.path().to_owned() }
    }

    /// What is written so far, to be saved for a later run; `None` when that is nothing, or the file
    /// goes with its process. From now on the file is not removed.
    pub fn save_point(&self, journal: Journal) -> Option<SavePoint> {
        let place = self.journal.clone().filter(|_| !journal.blocks.is_empty())?;
        self.temporary.keep();
        Some(SavePoint { syncer: self.syncer(), journal, place, _lock: Arc::clone(&self.lock) })
    }

    /// Makes the file as long as it will be, with room on the disk for all of it.
    pub fn reserve(&self) -> Result<(), TableError> {
        // Asked before, as a disk may take its time to count what a failed attempt gives back.
        let free = free_bytes(self.file()).unwrap_or(0);
        reserve(self.file(), self.length)
            .and_then(|()| self.file().set_len(self.length))
            .map_err(|error| self.write_error(error, self.length, free))
    }

    /// The name that the file will have.
    pub fn final_path(&self) -> PathBuf {
        self.final_path.clone()
    }

    /// How many bytes the file has.
    pub fn length_so_far(&self) -> Result<u64, TableError> {
        let found = self.file().metadata().map_err(refused("read", self.temporary.path()))?;
        Ok(found.len())
    }

    /// The error that wrong contents of the file are, when it was begun before.
    pub fn damaged(&self) -> TableError {
        TableError::PartialDamaged { file: self.temporary.path().to_owned() }
    }

    /// Compares the blocks that were saved with their checksums.
    ///
    /// # Errors
    ///
    /// [`TableError::PartialDamaged`], [`TableError::Io`].
    pub fn check(&self, saved: &Journal) -> Result<(), TableError> {
        saved.blocks.par_iter().try_for_each(|(_, entry)| {
            match files::digest_of(self.file(), entry.offset, entry.length) {
                Ok(digest) if digest == entry.digest => Ok(()),
                Err(error) if error.kind() != ErrorKind::UnexpectedEof => {
                    Err(refused("read", self.temporary.path())(error).into())
                }
                _ => Err(self.damaged()),
            }
        })
    }

    /// Makes the file so long.
    pub fn set_length(&self, length: u64) -> Result<(), TableError> {
        let free = free_bytes(self.file()).unwrap_or(0);
        self.file().set_len(length).map_err(|error| self.write_error(error, length, free))
    }

    /// Writes bytes of the file.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), TableError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.file().write_all_at(bytes, offset).map_err(|error| {
            let end = offset + bytes.len() as u64;
            self.write_error(error, end, free_bytes(self.file()).unwrap_or(0))
        })
    }

    /// What it means that the system refused to give or write bytes up to `end`, so many being free.
    fn write_error(&self, error: io::Error, end: u64, free: u64) -> TableError {
        let (file, needed) = (self.final_path.clone(), self.length.max(end));
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                TableError::NoSpace { file, needed, free }
            }
            ErrorKind::FileTooLarge => TableError::FileSizeLimit { file, needed },
            _ => refused("write", file)(error).into(),
        }
    }
}

/// Reserves room for the first `length` bytes of a file, where the file system can do that.
#[cfg(target_os = "linux")]
fn reserve(file: &File, length: u64) -> io::Result<()> {
    use super::folder::is_in_memory;
    use rustix::fs::{FallocateFlags, fallocate, fstatvfs};

    if is_in_memory(file)? {
        // Memory is reserved page by page, which takes as long as writing. Looking whether there
        // is enough costs nothing; without a limit there are no blocks to count.
        let enough = fstatvfs(file)?.f_blocks == 0 || free_bytes(file)? >= length;
        return if enough { Ok(()) } else { Err(ErrorKind::StorageFull.into()) };
    }
    match rustix::io::retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, length)) {
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(()),
        other => Ok(other?),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(_file: &File, _length: u64) -> io::Result<()> {
    Ok(())
}
