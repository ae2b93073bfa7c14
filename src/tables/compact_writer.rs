//! Writing a layer's compact file.

use super::new_file::{NewFile, SavePoint, SealedLayer, Syncer};
use super::partial::Journal;
use super::writer::SPAN;
use super::{BlockEntry, Encoding, Folder, Header, LayerId, Layout, Statistics, TableError};
use super::{format, layout};
use crate::compact::{BAND, BlockEncoder, Shape};

/// Positions encoded at a time, about: enough for all threads to have something to do.
const PIECE: usize = 4 << 20;

/// A layer's compact file that is being written, under a temporary name, from its first block to its
/// last. Dropped before it is committed, it removes the file; after an error it can only be dropped.
///
/// Blocks come in the order of [`CompactWriter::order`], and their lines are those of their
/// [`Shape`].
///
/// ```
/// use kalah::rules::Rules;
/// use kalah::tables::{CompactWriter, Folder, LayerFile, LayerId};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let folder = Folder::open_for_writing(directory, || eprintln!("waiting for another writer"))?;
/// let id = LayerId { rules: Rules::Standard, pits: 2, stones: 2 };
/// let mut writer = CompactWriter::create(&folder, id)?;
/// assert!(CompactWriter::order(&id).eq([1, 0, 2]));
/// writer.write_block(&[0, 1, 2, 1])?;
/// // With all stones in one row the game is over; there is nothing to encode.
/// writer.write_block(&[0, 0, 0])?;
/// writer.write_block(&[2, 2, 2])?;
/// writer.seal()?.commit()?;
///
/// let layer = LayerFile::open(&folder.path(&id))?;
/// assert_eq!(layer.matrix(1)?, [0, 1, 2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CompactWriter {
    id: LayerId,
    stream: Stream,
    /// What is known of each block, by the mover's stones; `None` before it is written.
    blocks: Vec<Option<BlockEntry>>,
}

impl CompactWriter {
    /// Makes the temporary file of a layer. How much room it will take is not known.
    ///
    /// # Errors
    ///
    /// [`TableError::OpenedForReading`] when the folder is not locked for writing;
    /// [`TableError::NoSuchLayer`], [`TableError::FolderNotWritable`], [`TableError::Io`].
    pub fn create(folder: &Folder, id: LayerId) -> Result<Self, TableError> {
        if Layout::new(id).is_none() {
            return Err(TableError::NoSuchLayer { folder: folder.directory().to_owned(), id });
        }
        let begin = format::header_region(id.stones.into());
        Ok(CompactWriter::with(NewFile::create(folder, &id, begin)?, id, Vec::new()))
    }

    /// A file that has some blocks, those that come first.
    fn with(file: NewFile, id: LayerId, saved: Vec<(usize, BlockEntry)>) -> Self {
        let stones = usize::from(id.stones);
        let mut blocks = vec![None; stones + 1];
        let mut written = format::header_region(stones);
        for (mover, entry) in saved {
            written = written.max(entry.offset + entry.length);
            blocks[mover] = Some(entry);
        }
        CompactWriter { id, stream: Stream { file, written, waiting: Vec::new() }, blocks }
    }

    /// Goes on with a layer where a run before this one [saved](CompactWriter::save_point) it, or
    /// begins one that can be gone on with. What was saved is compared with its checksums; when it
    /// is damaged, `damaged` is told, and the layer begins anew.
    ///
    /// # Errors
    ///
    /// As [`CompactWriter::create`].
    pub(super) fn take_up(
        folder: &Folder,
        id: LayerId,
        damaged: impl FnOnce(&TableError),
    ) -> Result<Self, TableError> {
        if Layout::new(id).is_none() {
            return Err(TableError::NoSuchLayer { folder: folder.directory().to_owned(), id });
        }
        let begin = format::header_region(id.stones.into());
        let check = |file: &NewFile, saved: &Journal| saved_blocks(file, saved);
        let (file, saved) =
            NewFile::take_up(folder, &id, Encoding::Compact, begin, check, damaged)?;
        let writer = CompactWriter::with(file, id, saved.unwrap_or_default());
        // Whatever was there before, the bytes of the file are the same.
        let Stream { file, written, .. } = &writer.stream;
        file.set_length(*written)?;
        let mut end = 0;
        for mover in CompactWriter::order(&id) {
            if let Some(entry) = writer.blocks[mover].filter(|entry| entry.length > 0) {
                file.write_at(&vec![0; (entry.offset - end) as usize], end)?;
                end = entry.offset + entry.length;
            }
        }
        Ok(writer)
    }

    /// Whether a block is written.
    pub(super) fn has(&self, mover_stones: usize) -> bool {
        self.blocks[mover_stones].is_some()
    }

    /// What makes the file's data durable while it is written.
    pub fn syncer(&self) -> Syncer {
        self.stream.file.syncer()
    }

    /// What is written so far, to be saved for a later run; `None` when that is nothing, or the
    /// layer was not begun to be gone on with. From now on the file is not removed.
    ///
    /// What there is of a block that was not finished, as a disk was full, is removed.
    ///
    /// # Errors
    ///
    /// [`TableError::NoSpace`], [`TableError::FileSizeLimit`], [`TableError::Io`].
    pub(super) fn save_point(&mut self) -> Result<Option<SavePoint>, TableError> {
        let (id, encoding) = (self.id, Encoding::Compact);
        let blocks =
            CompactWriter::order(&id).filter_map(|mover| Some((mover, self.blocks[mover]?)));
        let mut blocks: Vec<(usize, BlockEntry)> = blocks.collect();
        let end = |blocks: &[(usize, BlockEntry)]| {
            let ends = blocks.iter().map(|(_, entry)| entry.offset + entry.length);
            ends.fold(format::header_region(id.stones.into()), u64::max)
        };
        if let Err(error) = self.stream.cut(end(&blocks)) {
            // The last of them is not on the disk.
            while end(&blocks) > self.stream.written {
                blocks.pop();
            }
            if blocks.is_empty() {
                return Err(error);
            }
            self.stream.file.set_length(end(&blocks))?;
        }
        Ok(self.stream.file.save_point(Journal { id, encoding, blocks }))
    }

    /// The order in which the blocks of a layer come, by the mover's stones: that in which they are
    /// computed.
    pub fn order(id: &LayerId) -> impl Iterator<Item = usize> + use<> {
        layout::stream_order(id.stones.into())
    }

    /// The layer.
    pub fn id(&self) -> LayerId {
        self.id
    }

    /// Encodes and writes the next block with all threads of the current rayon pool. `lines` are
    /// the mover's shares of the stones: the rows of the side with fewer stones in rank order (of
    /// equals the mover's), within each those of the other side in rank order.
    ///
    /// # Errors
    ///
    /// [`TableError::ImpossibleShare`] when a share exceeds the layer's stones,
    /// [`TableError::NotSwept`] when a row is empty and the mover does not get the own row;
    /// [`TableError::NoSpace`], [`TableError::FileSizeLimit`], [`TableError::Io`].
    ///
    /// # Panics
    ///
    /// When every block is written, or this one has not as many positions as there are `lines`.
    pub fn write_block(&mut self, lines: &[u8]) -> Result<(), TableError> {
        let mut block = self.next_block();
        block.append(lines)?;
        block.finish()
    }

    /// Begins the next block, which is written piece by piece, where
    /// [`CompactWriter::write_block`] takes it as a whole.
    ///
    /// # Panics
    ///
    /// When every block is written.
    pub(super) fn next_block(&mut self) -> CompactBlockWriter<'_> {
        let next = CompactWriter::order(&self.id).find(|&mover| self.blocks[mover].is_none());
        let mover = next.expect("a block that is not written yet");
        let shape = Shape::new(self.id.pits.into(), self.id.stones.into(), mover);
        CompactBlockWriter {
            layer: self,
            mover,
            shape,
            encoder: BlockEncoder::new(shape),
            lines: 0,
            offset: None,
            hasher: blake3::Hasher::new(),
            statistics: Statistics::default(),
        }
    }

    /// Writes the header, once every block is there.
    ///
    /// # Errors
    ///
    /// [`TableError::Incomplete`] when a block was not written; [`TableError::NoSpace`],
    /// [`TableError::FileSizeLimit`], [`TableError::Io`].
    pub fn seal(mut self) -> Result<SealedLayer, TableError> {
        let written: Vec<BlockEntry> = self.blocks.iter().flatten().copied().collect();
        if let Some(block) = self.blocks.iter().position(Option::is_none) {
            return Err(TableError::Incomplete { file: self.stream.file.final_path(), block });
        }
        self.stream.flush()?;
        let header = Header::new(self.id, Encoding::Compact, written);
        self.stream.file.write_at(&header.encode(), 0)?;
        self.stream.file.set_length(self.stream.written)?;
        Ok(SealedLayer::new(self.stream.file))
    }
}

/// A block that is being encoded and written, from its first line to its last.
#[derive(Debug)]
#[must_use = "a block counts when it is finished"]
pub(super) struct CompactBlockWriter<'a> {
    layer: &'a mut CompactWriter,
    mover: usize,
    shape: Shape,
    encoder: BlockEncoder,
    /// Lines there are so far.
    lines: usize,
    /// Where in the file the block begins, once it does.
    offset: Option<u64>,
    hasher: blake3::Hasher,
    statistics: Statistics,
}

impl CompactBlockWriter<'_> {
    /// Encodes and writes the next lines: whole bands, or the last of the block.
    ///
    /// # Errors
    ///
    /// As [`CompactWriter::write_block`].
    ///
    /// # Panics
    ///
    /// When these are no such lines.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), TableError> {
        let columns = self.shape.columns();
        self.lines += lines.len() / columns;
        assert!(lines.len().is_multiple_of(columns), "whole lines");
        assert!(self.lines <= self.shape.lines(), "no more lines than the block has");
        let bands = (PIECE / columns / BAND).max(1);
        for piece in lines.chunks(bands * BAND * columns) {
            let stones = self.shape.stones();
            let counted = Statistics::of_open(piece, stones);
            if let Some((_, share)) = counted.shares().filter(|&(_, s)| usize::from(s) > stones) {
                let file = self.layer.stream.file.final_path();
                return Err(TableError::ImpossibleShare { file, block: self.mover, share, stones });
            }
            let Some(right) = self.shape.swept() else {
                self.statistics += counted;
                let encoded = self.encoder.encode(piece);
                self.write(&encoded)?;
                continue;
            };
            if let Some(&share) = piece.iter().find(|&&share| share != right) {
                let file = self.layer.stream.file.final_path();
                return Err(TableError::NotSwept { file, block: self.mover, share, right });
            }
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), TableError> {
        let stream = &mut self.layer.stream;
        if self.offset.is_none() {
            stream.align()?;
            self.offset = Some(stream.end());
        }
        self.hasher.update(bytes);
        stream.append(bytes)
    }

    /// The block is complete: the layer counts it.
    ///
    /// # Errors
    ///
    /// As [`CompactWriter::write_block`].
    ///
    /// # Panics
    ///
    /// When lines of it are missing.
    pub fn finish(mut self) -> Result<(), TableError> {
        assert_eq!(self.lines, self.shape.lines(), "every line of the block");
        let open = self.shape.swept().is_none();
        if open {
            let encoder = std::mem::replace(&mut self.encoder, BlockEncoder::new(self.shape));
            self.write(&encoder.finish())?;
        }
        let offset = self.offset.unwrap_or(0);
        let end = if open { self.layer.stream.end() } else { 0 };
        self.layer.blocks[self.mover] = Some(BlockEntry {
            offset,
            length: end - offset,
            digest: *self.hasher.finalize().as_bytes(),
            statistics: self.statistics,
        });
        Ok(())
    }
}

/// What is written of a file after its header, one byte after the other.
#[derive(Debug)]
struct Stream {
    file: NewFile,
    /// Bytes that are in the file, the header's counted.
    written: u64,
    /// Those that follow them, until they fill a span.
    waiting: Vec<u8>,
}

impl Stream {
    /// Bytes there are so far.
    fn end(&self) -> u64 {
        self.written + self.waiting.len() as u64
    }

    /// Goes on to where a block can begin.
    fn align(&mut self) -> Result<(), TableError> {
        let gap = self.end().next_multiple_of(layout::ALIGNMENT) - self.end();
        self.append(&[0; layout::ALIGNMENT as usize][..gap as usize])
    }

    fn append(&mut self, mut bytes: &[u8]) -> Result<(), TableError> {
        while !bytes.is_empty() {
            let missing = SPAN - (self.end() % SPAN as u64) as usize;
            let (next, later) = bytes.split_at(missing.min(bytes.len()));
            self.waiting.extend_from_slice(next);
            if next.len() == missing {
                self.flush()?;
            }
            bytes = later;
        }
        Ok(())
    }

    /// Ends after so many bytes, all of them in the file.
    fn cut(&mut self, end: u64) -> Result<(), TableError> {
        if end < self.written {
            self.waiting.clear();
            self.file.set_length(end)?;
            self.written = end;
        }
        self.waiting.truncate((end - self.written) as usize);
        self.flush()
    }

    /// Writes what is waiting.
    fn flush(&mut self) -> Result<(), TableError> {
        self.file.write_at(&self.waiting, self.written)?;
        self.written += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }
}

/// The blocks of a layer that were saved: those that come first, possible ones, and as their
/// checksums say.
fn saved_blocks(file: &NewFile, saved: &Journal) -> Result<Vec<(usize, BlockEntry)>, TableError> {
    let (pits, stones) = (usize::from(saved.id.pits), usize::from(saved.id.stones));
    let mut end = format::header_region(stones);
    let mut order = CompactWriter::order(&saved.id);
    for &(mover, entry) in &saved.blocks {
        if order.next() != Some(mover) {
            return Err(file.damaged());
        }
        let shape = Shape::new(pits, stones, mover);
        let positions = if shape.swept().is_some() { 0 } else { shape.positions() as u64 };
        if !entry.statistics.are_plausible(positions, stones) {
            return Err(file.damaged());
        }
        // As its header will have to be.
        end = format::end_in_stream(&shape, &entry, end).map_err(|_| file.damaged())?;
    }
    if file.length_so_far()? < end {
        return Err(file.damaged());
    }
    file.check(saved)?;
    Ok(saved.blocks.clone())
}
