//! Writing a layer's file, whole or not at all.

use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind},
    os::unix::fs::FileExt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    BlockEntry, Encoding, Folder, Header, LayerFile, LayerId, Layout, Statistics, TableError,
    folder::free_bytes, format, lock_file::LockFile,
};
use crate::files::{Temporary, refused};

/// Bytes hashed and counted at a time: few enough to stay in the core's cache.
const CHUNK: usize = 1 << 18;

/// Bytes written at a time, from a multiple of as many. A file system that can keeps what it is
/// given at once in one piece of memory, and pieces of this size are mapped as one page: looking
/// positions up then takes a hundredth of the page faults.
pub(super) const SPAN: usize = 1 << 21;

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
}

/// A layer's file that has all its blocks and its header, and not yet its final name.
#[derive(Debug)]
pub struct SealedLayer {
    file: NewFile,
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
        let file = NewFile::create(folder, &id, layout.file_length())?;
        file.reserve()?;
        let blocks = Mutex::new(vec![None; layout.blocks().len()]);
        Ok(LayerWriter { file, layout, blocks })
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
        let LayerWriter { file, layout, blocks } = self;
        let blocks = blocks.into_inner().unwrap_or_else(PoisonError::into_inner);
        let written: Vec<BlockEntry> = blocks.iter().flatten().copied().collect();
        if let Some(block) = blocks.iter().position(Option::is_none) {
            return Err(TableError::Incomplete { file: file.final_path.clone(), block });
        }
        file.write_at(&Header::new(layout.id(), Encoding::Bytes, written).encode(), 0)?;
        Ok(SealedLayer { file })
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
        let LayerWriter { layout, blocks, .. } = self.layer;
        let extent = layout.block(self.mover_stones);
        assert_eq!(self.written, extent.length, "a byte for each position of the block");
        let open = format::is_open_block(layout.stones(), self.mover_stones);
        let entry = BlockEntry {
            offset: extent.offset,
            length: extent.length,
            digest: *self.hasher.finalize().as_bytes(),
            statistics: if open { self.statistics } else { Statistics::default() },
        };
        // Only whole entries are ever put there, whatever happened to another thread.
        let mut blocks = blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks[self.mover_stones] = Some(entry);
        Ok(())
    }
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
        let NewFile { temporary, final_path, .. } = self.file;
        Ok(temporary.publish(&final_path)?)
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
pub(super) struct NewFile {
    temporary: Temporary,
    final_path: PathBuf,
    /// How many bytes the file has when it is whole, as far as that is known before.
    length: u64,
    /// Held to write: the system has one lock a file too, and waits for it by turning in circles.
    writing: Mutex<()>,
    /// Keeps other writers, who would remove the file, out of the folder until it is closed.
    _lock: Arc<LockFile>,
}

impl NewFile {
    /// Makes the temporary file of a layer, which will have at least so many bytes.
    pub fn create(folder: &Folder, id: &LayerId, length: u64) -> Result<Self, TableError> {
        let directory = folder.directory();
        let lock = folder
            .lock()
            .ok_or_else(|| TableError::OpenedForReading { folder: directory.to_owned() })?;
        let path = folder.temporary_path(id);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).map_err(
            |error| match error.kind() {
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    TableError::FolderNotWritable { folder: directory.to_owned(), error }
                }
                _ => refused("create", &path)(error).into(),
            },
        )?;
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

    /// Makes the file as long as it will be, with room on the disk for all of it.
    fn reserve(&self) -> Result<(), TableError> {
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
