//! Writing a layer's file, whole or not at all.

use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind},
    os::unix::fs::FileExt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rayon::prelude::*;

use super::{
    BlockEntry, Encoding, Folder, Header, LayerFile, LayerId, Layout, Statistics, TableError,
    folder::{self, free_bytes},
    format,
    lock_file::LockFile,
    partial::Journal,
};
use crate::files::{self, Temporary, refused};

/// Bytes hashed and counted at a time: few enough to stay in the core's cache.
const CHUNK: usize = 1 << 18;

/// Bytes written at a time, from a multiple of as many. A file system that can keeps what it is
/// given at once in one piece of memory, and pieces of this size are mapped as one page: looking
/// positions up then takes a hundredth of the page faults.
const SPAN: usize = 1 << 21;

/// A layer's file that is being written, under a temporary name.
///
/// The room for the whole file is reserved at the start, so a disk that is too full says so before
/// the values are computed. Dropped before it is committed, it removes the file.
///
/// ```
/// use kalah::{rules::Rules, tables::{Folder, LayerFile, LayerId, LayerWriter}};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let folder = Folder::open_for_writing(directory, || eprintln!("waiting for another writer"))?;
/// let id = LayerId { rules: Rules::Standard, pits: 2, stones: 1 };
/// let writer = LayerWriter::create(&folder, id)?;
/// // With one stone the game is over, and the stone goes to whoever has it.
/// writer.write_block(0, &[0, 0])?;
/// writer.write_block(1, &[1, 1])?;
/// let sealed = writer.seal()?;
/// assert_eq!(sealed.map()?.block(1), [1, 1]);
/// assert_eq!(folder.layers()?, []);
/// sealed.commit()?;
/// assert_eq!(folder.layers()?, [id]);
///
/// let layer = LayerFile::open(&folder.path(&id))?;
/// layer.check_block(0)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LayerWriter {
    file: NewFile,
    layout: Layout,
    /// What is known of each block, `None` before it is written.
    blocks: Mutex<Vec<Option<BlockEntry>>>,
    /// Where it is saved what is known, and where that is written before; `None` of a layer that
    /// cannot be gone on with.
    journal: Option<(PathBuf, PathBuf)>,
}

/// A layer's file that has all its blocks and its header, and not yet its final name.
#[derive(Debug)]
pub struct SealedLayer {
    file: NewFile,
    journal: Option<PathBuf>,
}

impl LayerWriter {
    /// Makes the temporary file of a layer and reserves its room.
    ///
    /// # Errors
    ///
    /// [`TableError::OpenedForReading`] when the folder is not locked for writing;
    /// [`TableError::NoSuchLayer`], [`TableError::NoSpace`], [`TableError::FileSizeLimit`],
    /// [`TableError::FolderNotWritable`], [`TableError::Io`].
    pub fn create(folder: &Folder, id: LayerId) -> Result<Self, TableError> {
        let layout = Layout::new(id)
            .ok_or_else(|| TableError::NoSuchLayer { folder: folder.directory().to_owned(), id })?;
        let path = folder.temporary_path(&id);
        let file = NewFile::create(folder, &id, path, layout.file_length())?;
        file.reserve()?;
        let blocks = Mutex::new(vec![None; layout.blocks().len()]);
        Ok(LayerWriter { file, layout, blocks, journal: None })
    }

    /// Goes on with a layer where a run before this one [saved](LayerWriter::save_point) it, or
    /// begins one that can be gone on with. What was saved is compared with its checksums; when it
    /// is damaged, `damaged` is told, and the layer begins anew.
    ///
    /// # Errors
    ///
    /// As [`LayerWriter::create`].
    pub(super) fn take_up(
        folder: &Folder,
        id: LayerId,
        damaged: impl FnOnce(&TableError),
    ) -> Result<Self, TableError> {
        let layout = Layout::new(id)
            .ok_or_else(|| TableError::NoSuchLayer { folder: folder.directory().to_owned(), id })?;
        let path = folder.partial_path(&id);
        let journal = Some((folder.journal_path(&id), folder.temporary_path(&id)));
        let saved = Journal::read(&folder.journal_path(&id))?;
        let saved = saved.filter(|saved| saved.id == id && saved.encoding == Encoding::Bytes);
        if let Some(saved) = saved {
            let open = NewFile::open(folder, &id, path.clone(), layout.file_length());
            match open.and_then(|file| Ok((saved.blocks(&layout, &file)?, file))) {
                Ok((blocks, file)) => {
                    file.clear_gaps(&layout)?;
                    return Ok(LayerWriter { file, layout, blocks: Mutex::new(blocks), journal });
                }
                Err(damage) if damage.is_damage() => damaged(&damage),
                Err(error) => return Err(error),
            }
        }
        folder.remove_partial(&id)?;
        let file = NewFile::create(folder, &id, path, layout.file_length())?;
        file.reserve()?;
        let blocks = Mutex::new(vec![None; layout.blocks().len()]);
        Ok(LayerWriter { file, layout, blocks, journal })
    }

    /// Whether a block is written.
    pub(super) fn has(&self, mover_stones: usize) -> bool {
        self.blocks()[mover_stones].is_some()
    }

    /// What is written so far, to be saved for a later run; `None` when that is nothing, or the
    /// layer was not begun to be gone on with. From now on the file is not removed.
    pub(super) fn save_point(&self) -> Option<SavePoint> {
        let (path, temporary) = self.journal.clone()?;
        let blocks = self.blocks().clone().into_iter().enumerate();
        let blocks = blocks.filter_map(|(mover, entry)| Some((mover, entry?))).collect();
        let journal = Journal { id: self.id(), encoding: Encoding::Bytes, blocks };
        if journal.blocks.is_empty() {
            return None;
        }
        self.file.temporary.keep();
        Some(SavePoint { syncer: self.syncer(), journal, path, temporary })
    }

    fn blocks(&self) -> MutexGuard<'_, Vec<Option<BlockEntry>>> {
        // Only whole entries are ever put there, whatever happened to another thread.
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The layer.
    pub fn id(&self) -> LayerId {
        self.layout.id()
    }

    /// Writes the block in which the mover's row holds `mover_stones` stones: a byte a position,
    /// mover's rows in rank order, within each the opponent's rows in rank order. Blocks may come
    /// in any order and from several threads at once.
    ///
    /// # Errors
    ///
    /// [`TableError::ImpossibleShare`] when a byte exceeds the layer's stones;
    /// [`TableError::NoSpace`], [`TableError::FileSizeLimit`], [`TableError::Io`].
    ///
    /// # Panics
    ///
    /// When the layer has no such block, or the block not as many positions as there are `bytes`.
    pub fn write_block(&self, mover_stones: usize, bytes: &[u8]) -> Result<(), TableError> {
        let mut block = self.begin_block(mover_stones);
        block.append(bytes)?;
        block.finish()
    }

    /// Begins a block that is written piece by piece, where [`LayerWriter::write_block`] takes it
    /// as a whole.
    ///
    /// # Panics
    ///
    /// When the layer has no such block.
    pub(super) fn begin_block(&self, mover_stones: usize) -> BlockWriter<'_> {
        BlockWriter {
            layer: self,
            mover_stones,
            written: 0,
            waiting: Vec::new(),
            hasher: blake3::Hasher::new(),
            statistics: Statistics::default(),
        }
    }

    /// What makes the file's data durable while it is written.
    pub fn syncer(&self) -> Syncer {
        Syncer { file: Arc::clone(self.file.file()), path: self.file.temporary.path().to_owned() }
    }

    /// Writes the header, once every block is there.
    ///
    /// # Errors
    ///
    /// [`TableError::Incomplete`] when a block was not written; [`TableError::NoSpace`],
    /// [`TableError::FileSizeLimit`], [`TableError::Io`].
    pub fn seal(self) -> Result<SealedLayer, TableError> {
        let LayerWriter { file, layout, blocks, journal } = self;
        let blocks = blocks.into_inner().unwrap_or_else(PoisonError::into_inner);
        let written: Vec<BlockEntry> = blocks.iter().flatten().copied().collect();
        if let Some(block) = blocks.iter().position(Option::is_none) {
            return Err(TableError::Incomplete { file: file.final_path.clone(), block });
        }
        file.write_at(&Header::new(layout.id(), written).encode(), 0)?;
        Ok(SealedLayer { file, journal: journal.map(|(path, _)| path) })
    }
}

/// A block that is being written, from its first byte to its last.
#[derive(Debug)]
#[must_use = "a block counts when it is finished"]
pub(super) struct BlockWriter<'a> {
    layer: &'a LayerWriter,
    mover_stones: usize,
    /// Bytes that are in the file.
    written: u64,
    /// Those that follow them, until they fill a span.
    waiting: Vec<u8>,
    hasher: blake3::Hasher,
    statistics: Statistics,
}

impl BlockWriter<'_> {
    /// Writes the next bytes of the block.
    ///
    /// # Errors
    ///
    /// As [`LayerWriter::write_block`].
    ///
    /// # Panics
    ///
    /// When the block does not have so many more bytes.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), TableError> {
        let LayerWriter { file, layout, .. } = self.layer;
        let stones = layout.stones();
        let left = layout.block(self.mover_stones).length - self.length();
        assert!(bytes.len() as u64 <= left, "no more bytes than the block has positions");
        for chunk in bytes.chunks(CHUNK) {
            let counted = Statistics::of_open(chunk, stones);
            if let Some((_, share)) = counted.shares().filter(|&(_, s)| usize::from(s) > stones) {
                let (file, block) = (file.final_path.clone(), self.mover_stones);
                return Err(TableError::ImpossibleShare { file, block, share, stones });
            }
            self.statistics += counted;
            self.hasher.update(chunk);
        }
        let mut bytes = bytes;
        while !bytes.is_empty() {
            let missing = SPAN - (self.offset() % SPAN as u64) as usize - self.waiting.len();
            let (next, later) = bytes.split_at(missing.min(bytes.len()));
            let full = next.len() == missing;
            if full && self.waiting.is_empty() {
                self.write(next)?;
            } else {
                self.waiting.extend_from_slice(next);
                if full {
                    self.flush()?;
                }
            }
            bytes = later;
        }
        Ok(())
    }

    /// Bytes there are so far.
    fn length(&self) -> u64 {
        self.written + self.waiting.len() as u64
    }

    /// Where in the file the next bytes are written.
    fn offset(&self) -> u64 {
        self.layer.layout.block(self.mover_stones).offset + self.written
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), TableError> {
        self.layer.file.write_at(bytes, self.offset())?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Writes what is waiting.
    fn flush(&mut self) -> Result<(), TableError> {
        let mut waiting = std::mem::take(&mut self.waiting);
        self.write(&waiting)?;
        waiting.clear();
        self.waiting = waiting;
        Ok(())
    }

    /// The block is complete: the layer counts it.
    ///
    /// # Errors
    ///
    /// As [`LayerWriter::write_block`].
    ///
    /// # Panics
    ///
    /// When bytes of it are missing.
    pub fn finish(mut self) -> Result<(), TableError> {
        self.flush()?;
        let LayerWriter { layout, .. } = self.layer;
        let extent = layout.block(self.mover_stones);
        assert_eq!(self.written, extent.length, "a byte for each position of the block");
        let open = format::is_open_block(layout.stones(), self.mover_stones);
        let entry = BlockEntry {
            offset: extent.offset,
            length: extent.length,
            digest: *self.hasher.finalize().as_bytes(),
            statistics: if open { self.statistics } else { Statistics::default() },
        };
        self.layer.blocks()[self.mover_stones] = Some(entry);
        Ok(())
    }
}

impl SealedLayer {
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
        let NewFile { temporary, final_path, .. } = self.file;
        temporary.publish(&final_path)?;
        self.journal.map_or(Ok(()), folder::remove)
    }
}

/// What is written of a layer at some moment, for a later run to go on from.
#[derive(Debug)]
pub(super) struct SavePoint {
    syncer: Syncer,
    journal: Journal,
    path: PathBuf,
    temporary: PathBuf,
}

impl SavePoint {
    /// Makes what is written durable, and then the journal that says so.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`]. The journal from before, if there is one, is in force then.
    pub fn save(self) -> Result<(), TableError> {
        self.syncer.sync_data()?;
        self.journal.write(&self.path, self.temporary)
    }
}

impl Journal {
    /// The blocks of a layer that are in a file, which is compared with what the journal says.
    ///
    /// # Errors
    ///
    /// [`TableError::PartialDamaged`], [`TableError::Io`].
    fn blocks(
        &self,
        layout: &Layout,
        file: &NewFile,
    ) -> Result<Vec<Option<BlockEntry>>, TableError> {
        let damaged = || TableError::PartialDamaged { file: file.temporary.path().to_owned() };
        let length = file.file().metadata().map_err(refused("read", file.temporary.path()))?.len();
        if length != file.length {
            return Err(damaged());
        }
        let mut blocks = vec![None; layout.blocks().len()];
        for &(mover, entry) in &self.blocks {
            let extent = layout.blocks().get(mover).ok_or_else(damaged)?;
            let possible = (entry.offset, entry.length) == (extent.offset, extent.length)
                && entry.statistics.are_plausible(
                    if format::is_open_block(layout.stones(), mover) { extent.length } else { 0 },
                    layout.stones(),
                );
            if !possible || blocks[mover].replace(entry).is_some() {
                return Err(damaged());
            }
        }
        self.blocks.par_iter().try_for_each(|(_, entry)| {
            let digest = files::digest_of(file.file(), entry.offset, entry.length)
                .map_err(refused("read", file.temporary.path()))?;
            if digest == entry.digest { Ok(()) } else { Err(damaged()) }
        })?;
        Ok(blocks)
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

/// The file of a layer that does not have its final name yet.
#[derive(Debug)]
struct NewFile {
    temporary: Temporary,
    final_path: PathBuf,
    /// How many bytes the file has when it is whole.
    length: u64,
    /// Held to write: the system has one lock a file too, and waits for it by turning in circles.
    writing: Mutex<()>,
    /// Keeps other writers, who would remove the file, out of the folder until it is closed.
    _lock: Arc<LockFile>,
}

impl NewFile {
    /// A file at `path`, where there is none.
    fn create(
        folder: &Folder,
        id: &LayerId,
        path: PathBuf,
        length: u64,
    ) -> Result<Self, TableError> {
        let mut options = OpenOptions::new();
        NewFile::with(folder, id, path, length, options.create_new(true))
    }

    /// The file at `path`, as it is.
    fn open(folder: &Folder, id: &LayerId, path: PathBuf, length: u64) -> Result<Self, TableError> {
        let file = NewFile::with(folder, id, path, length, &mut OpenOptions::new())?;
        file.temporary.keep();
        Ok(file)
    }

    fn with(
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
            _lock: Arc::clone(lock),
        })
    }

    fn file(&self) -> &Arc<File> {
        self.temporary.file()
    }

    /// Writes zeros where no block is: whatever was there before, the bytes of the file are the same.
    fn clear_gaps(&self, layout: &Layout) -> Result<(), TableError> {
        let mut end = 0;
        for block in layout.blocks() {
            self.write_at(&vec![0; (block.offset - end) as usize], end)?;
            end = block.end();
        }
        Ok(())
    }

    /// Makes the file as long as it will be, with room on the disk for all of it.
    fn reserve(&self) -> Result<(), TableError> {
        // Asked before, as a disk may take its time to count what a failed attempt gives back.
        let free = free_bytes(self.file()).unwrap_or(0);
        reserve(self.file(), self.length)
            .and_then(|()| self.file().set_len(self.length))
            .map_err(|error| self.write_error(error, free))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), TableError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.file()
            .write_all_at(bytes, offset)
            .map_err(|error| self.write_error(error, free_bytes(self.file()).unwrap_or(0)))
    }

    /// What it means that the system refused to give or write bytes, so many being free.
    fn write_error(&self, error: io::Error, free: u64) -> TableError {
        let (file, needed) = (self.final_path.clone(), self.length);
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
