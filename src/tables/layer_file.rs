//! A layer's file, mapped.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use memmap2::{Mmap, MmapMut};

use super::{BlockEntry, Header, LayerId, Layout, Statistics, TableError, format};
use crate::files::{self, DIGEST, refused};
use crate::generator::{Buffer, SolveError, transpose_rows};
use crate::ranking::row_count;

/// In which order a block's shares are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Mover's rows by opponent's rows, as tables of bytes have them.
    MoverRows,
    /// Opponent's rows by mover's rows.
    OpponentRows,
}

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 20;
/// Rows that are transposed at a time, at least: a cache line of each of the lines they go to.
const ROWS: usize = 64;

/// A layer's file, mapped for reading.
///
/// Opening checks the header and the length of the file, in time that does not depend on its size;
/// [`LayerFile::check_block`] checks the bytes of a block. Bytes of a block that was not checked
/// may be anything.
///
/// # Files that change while they are mapped
///
/// The mapping shows the file itself. When another process cuts the file short, reading what is
/// gone ends the reader with the signal SIGBUS; when it writes into the file, values change. So
/// never edit or copy over a table in place: write a new file beside it and rename that, as
/// [`LayerWriter`](super::LayerWriter) does. Deleting or replacing a file by its name is harmless:
/// the old one stays mapped as it was.
///
/// A sparse file is like one that shrinks where its file system lies in memory and is full: looking
/// at a hole takes a page, and without room for it ends the reader with SIGBUS too. Files written
/// here have no holes once they are finished, but copies may: copy to such places with
/// `cp --sparse=never`.
#[derive(Debug)]
pub struct LayerFile {
    path: PathBuf,
    header: Header,
    /// None of a layer in memory.
    file: Option<File>,
    map: Mmap,
}

impl LayerFile {
    /// Maps the file at `path`, after its header was read and found possible and the file as long
    /// as the header implies.
    ///
    /// # Errors
    ///
    /// Any [`TableError`] on the format, or [`TableError::Io`].
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let Some(file) = files::open(path)? else {
            return Err(TableError::NotATable { file: path.to_owned() });
        };
        LayerFile::map(&file, path)
    }

    /// [`LayerFile::open`] for a file that is open; `path` is for the errors.
    pub(super) fn map(file: &File, path: &Path) -> Result<Self, TableError> {
        let length = file.metadata().map_err(refused("open", path))?.len();
        let mut start = vec![0; length.min(format::MOST_BEFORE_BLOCKS) as usize];
        file.read_exact_at(&mut start, 0).map_err(refused("read", path))?;
        let header = Header::decode(&start, length, path)?;
        let mappable = usize::try_from(length)
            .map_err(|_| TableError::TooLargeToMap { file: path.to_owned(), length })?;
        // SAFETY: the mapping is read-only, and its bytes are valid for their type whatever they
        // are. That nobody shortens or edits the file meanwhile cannot be ensured; the type's
        // documentation says what happens then. Files under a final name are never written by
        // this library.
        let map = unsafe { memmap2::MmapOptions::new().len(mappable).map(file) }
            .map_err(refused("map", path))?;
        let file = file.try_clone().map_err(refused("open", path))?;
        Ok(LayerFile { path: path.to_owned(), header, file: Some(file), map })
    }

    /// The layer of these blocks, as its file would be, in memory.
    pub(super) fn in_memory(id: LayerId, blocks: &[Buffer]) -> Result<Self, SolveError> {
        let layout = Layout::new(id).expect("what is in memory is not too large for a file");
        let stones = layout.stones();
        let entries = layout.blocks().iter().zip(blocks).enumerate();
        let entries = entries.map(|(mover, (extent, bytes))| BlockEntry {
            offset: extent.offset,
            length: extent.length,
            digest: *blake3::hash(bytes).as_bytes(),
            statistics: match format::is_open_block(stones, mover) {
                true => Statistics::of_open(bytes, stones),
                false => Statistics::default(),
            },
        });
        let header = Header::new(id, entries.collect());
        let bytes = layout.file_length() as usize;
        let out_of_memory = |_| SolveError::OutOfMemory { bytes };
        let mut map = MmapMut::map_anon(bytes).map_err(out_of_memory)?;
        let encoded = header.encode();
        map[..encoded.len()].copy_from_slice(&encoded);
        for (extent, bytes) in layout.blocks().iter().zip(blocks) {
            map[extent.offset as usize..extent.end() as usize].copy_from_slice(bytes);
        }
        let map = map.make_read_only().map_err(out_of_memory)?;
        Ok(LayerFile { path: PathBuf::from(id.file_name()), header, file: None, map })
    }

    /// Asks for large pages. What is not in memory is then read from the disk 2 MiB at a time, so it
    /// must have room there; searches over tables read in this way took half to a third of the time.
    pub(super) fn expect_probes(&self) {
        // Only advice: systems without large pages of files go on without.
        #[cfg(target_os = "linux")]
        let _ = self.map.advise(memmap2::Advice::HugePage);
    }

    /// The file; of a layer in memory, the name that it would have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The layer.
    pub fn id(&self) -> LayerId {
        self.header.id()
    }

    /// What the header says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// All bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The bytes of the block in which the mover's row holds `mover_stones` stones: the mover's
    /// share of the stones, mover's rows in rank order, within each the opponent's rows in rank
    /// order. As many as the block has positions, and otherwise unchecked.
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones.
    pub fn block(&self, mover_stones: usize) -> &[u8] {
        let entry = &self.header.blocks()[mover_stones];
        // Lengths fit `usize`: the header was checked against the file, and that is mapped.
        &self.map[entry.offset as usize..][..entry.length as usize]
    }

    /// Reads the shares of a block in one of its orders, and compares what was read with its
    /// checksum. Reads the file itself, in order, and not the mapping: what the disk cannot read is
    /// an error, and memory is taken by nothing but `target`.
    ///
    /// # Errors
    ///
    /// [`TableError::BlockChecksum`], [`TableError::Io`].
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones, or `target` is not as long as the block.
    pub(crate) fn read_matrix(
        &self,
        mover_stones: usize,
        order: Order,
        target: &mut [u8],
    ) -> Result<(), TableError> {
        let entry = &self.header.blocks()[mover_stones];
        assert_eq!(target.len() as u64, entry.length, "a matrix of the block's size");
        let mut hasher = blake3::Hasher::new();
        let mut read = |bytes: &mut [u8], at: usize| -> Result<(), TableError> {
            for (chunk, bytes) in bytes.chunks_mut(CHUNK).enumerate() {
                self.read_at(bytes, entry.offset + (at + chunk * CHUNK) as u64)?;
                hasher.update(bytes);
            }
            Ok(())
        };
        match order {
            Order::MoverRows => read(target, 0)?,
            Order::OpponentRows => {
                let rows = row_count(self.id().pits.into(), mover_stones) as usize;
                let columns = target.len() / rows;
                let step = ROWS.max(CHUNK / columns / ROWS * ROWS).min(rows);
                let mut band = vec![0; step * columns];
                for first in (0..rows).step_by(step) {
                    let band = &mut band[..step.min(rows - first) * columns];
                    read(band, first * columns)?;
                    transpose_rows(band, first, target, rows);
                }
            }
        }
        match hasher.finalize() == entry.digest {
            true => Ok(()),
            false => Err(self.wrong_digest(mover_stones)),
        }
    }

    /// Reads bytes of the file.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> Result<(), TableError> {
        match &self.file {
            Some(file) => {
                let read = file.read_exact_at(bytes, offset);
                Ok(read.map_err(refused("read", &self.path))?)
            }
            None => {
                bytes.copy_from_slice(&self.map[offset as usize..][..bytes.len()]);
                Ok(())
            }
        }
    }

    fn wrong_digest(&self, block: usize) -> TableError {
        TableError::BlockChecksum { file: self.path.clone(), block }
    }

    /// Compares the bytes of a block with its checksum.
    ///
    /// # Errors
    ///
    /// [`TableError::BlockChecksum`], [`TableError::Io`].
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones.
    pub fn check_block(&self, mover_stones: usize) -> Result<(), TableError> {
        let entry = &self.header.blocks()[mover_stones];
        match self.digest(entry.offset, entry.length)? == entry.digest {
            true => Ok(()),
            false => Err(self.wrong_digest(mover_stones)),
        }
    }

    /// The digest of some bytes of the file. Reads the file and not the mapping.
    fn digest(&self, offset: u64, length: u64) -> Result<[u8; DIGEST], TableError> {
        match &self.file {
            Some(file) => {
                Ok(files::digest_of(file, offset, length).map_err(refused("read", &self.path))?)
            }
            None => {
                let bytes = &self.map[offset as usize..][..length as usize];
                Ok(*blake3::hash(bytes).as_bytes())
            }
        }
    }

    /// Compares the statistics that the header gives for a block with its bytes.
    ///
    /// # Errors
    ///
    /// [`TableError::ImpossibleShare`], [`TableError::WrongStatistics`].
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones.
    pub fn check_statistics(&self, mover_stones: usize) -> Result<(), TableError> {
        let stones = usize::from(self.id().stones);
        let counted = Statistics::of_open(self.block(mover_stones), stones);
        let (file, block) = (|| self.path.clone(), mover_stones);
        if let Some((_, share)) = counted.shares().filter(|&(_, s)| usize::from(s) > stones) {
            return Err(TableError::ImpossibleShare { file: file(), block, share, stones });
        }
        let counted = if format::is_open_block(stones, mover_stones) {
            counted
        } else {
            Statistics::default()
        };
        if counted == self.header.blocks()[mover_stones].statistics {
            Ok(())
        } else {
            Err(TableError::WrongStatistics { file: file(), block })
        }
    }

    /// Checks that the bytes that belong neither to the header nor to a block are zero.
    ///
    /// # Errors
    ///
    /// [`TableError::Padding`].
    pub fn check_padding(&self) -> Result<(), TableError> {
        let mut end = self.header.encoded_length();
        for entry in self.header.blocks() {
            let gap = &self.map[end..entry.offset as usize];
            if let Some(at) = gap.iter().position(|&byte| byte != 0) {
                let offset = (end + at) as u64;
                return Err(TableError::Padding { file: self.path.clone(), offset });
            }
            end = (entry.offset + entry.length) as usize;
        }
        Ok(())
    }
}
