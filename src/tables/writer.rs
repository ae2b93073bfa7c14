//! Writing a layer's file, whole or not at all.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::new_file::{NewFile, SavePoint, SealedLayer, Syncer};
use super::partial::Journal;
use super::{
    BlockEntry, Encoding, Folder, Header, LayerId, Layout, Statistics, TableError, format,
};

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
        LayerWriter::with(file, layout)
    }

    fn with(file: NewFile, layout: Layout) -> Result<Self, TableError> {
        file.reserve()?;
        let blocks = Mutex::new(vec![None; layout.blocks().len()]);
        Ok(LayerWriter { file, layout, blocks })
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
        let length = layout.file_length();
        let check = |file: &NewFile, saved: &Journal| saved_blocks(&layout, file, saved);
        match NewFile::take_up(folder, &id, Encoding::Bytes, length, check, damaged)? {
            (file, None) => LayerWriter::with(file, layout),
            (file, Some(blocks)) => {
                // Whatever was there before, the bytes of the file are the same.
                let mut end = 0;
                for block in layout.blocks() {
                    file.write_at(&vec![0; (block.offset - end) as usize], end)?;
                    end = block.end();
                }
                Ok(LayerWriter { file, layout, blocks: Mutex::new(blocks) })
            }
        }
    }

    /// Whether a block is written.
    pub(super) fn has(&self, mover_stones: usize) -> bool {
        self.blocks()[mover_stones].is_some()
    }

    /// What is written so far, to be saved for a later run; `None` when that is nothing, or the
    /// layer was not begun to be gone on with. From now on the file is not removed.
    pub(super) fn save_point(&self) -> Option<SavePoint> {
        let blocks = self.blocks().clone().into_iter().enumerate();
        let blocks = blocks.filter_map(|(mover, entry)| Some((mover, entry?))).collect();
        self.file.save_point(Journal { id: self.id(), encoding: Encoding::Bytes, blocks })
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
        self.file.syncer()
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
            return Err(TableError::Incomplete { file: file.final_path(), block });
        }
        file.write_at(&Header::new(layout.id(), Encoding::Bytes, written).encode(), 0)?;
        Ok(SealedLayer::new(file))
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
                let (file, block) = (file.final_path(), self.mover_stones);
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

/// The blocks of a layer that were saved, by the mover's stones: possible ones, and as their
/// checksums say.
fn saved_blocks(
    layout: &Layout,
    file: &NewFile,
    saved: &Journal,
) -> Result<Vec<Option<BlockEntry>>, TableError> {
    if file.length_so_far()? != layout.file_length() {
        return Err(file.damaged());
    }
    let mut blocks = vec![None; layout.blocks().len()];
    for &(mover, entry) in &saved.blocks {
        let extent = layout.blocks().get(mover).ok_or_else(|| file.damaged())?;
        let stones = layout.stones();
        let open = if format::is_open_block(stones, mover) { extent.length } else { 0 };
        let possible = (entry.offset, entry.length) == (extent.offset, extent.length)
            && entry.statistics.are_plausible(open, stones);
        if !possible || blocks[mover].replace(entry).is_some() {
            return Err(file.damaged());
        }
    }
    file.check(saved)?;
    Ok(blocks)
}
