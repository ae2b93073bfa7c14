//! A layer's file, mapped.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use memmap2::{Mmap, MmapMut};

use super::compact_block::CompactBlock;
use super::{BlockEntry, Encoding, Header, LayerId, Layout, Statistics, TableError, format};
use crate::compact;
use crate::files::{self, refused};
use crate::generator::{Buffer, SolveError};
use crate::ranking::row_count;

/// A layer's file, mapped for reading.
///
/// Opening checks the header and the length of the file, in time that does not depend on its size;
/// [`LayerFile::check_block`] checks the bytes of a block. Bytes of a block that was not checked
/// may be anything.
///
/// | to have | there is |
/// | --- | --- |
/// | one value | [`LayerFile::share`] |
/// | all values of a block | [`LayerFile::matrix`] |
/// | the values of a byte file's block where they are mapped | [`LayerFile::block`] |
///
/// Whole blocks are read from the file, not from the mapping, so that a disk that cannot read them
/// is an error; single values are looked up in the mapping.
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
    map: Mmap,
    /// What is mapped; `None` for a layer in memory.
    file: Option<Arc<File>>,
    /// By the mover's stones; none of a byte file.
    compact: Vec<CompactBlock>,
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
        LayerFile::map(&Arc::new(file), path)
    }

    /// [`LayerFile::open`] for a file that is open; `path` is for the errors.
    pub(super) fn map(file: &Arc<File>, path: &Path) -> Result<Self, TableError> {
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
        let map = unsafe { memmap2::MmapOptions::new().len(mappable).map(file.as_ref()) }
            .map_err(refused("map", path))?;
        let compact = match header.encoding() {
            Encoding::Bytes => Vec::new(),
            Encoding::Compact => CompactBlock::all(&header),
        };
        Ok(LayerFile { path: path.to_owned(), header, map, file: Some(Arc::clone(file)), compact })
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
        let header = Header::new(id, Encoding::Bytes, entries.collect());
        let bytes = layout.file_length() as usize;
        let out_of_memory = |_| SolveError::OutOfMemory { bytes };
        let mut map = MmapMut::map_anon(bytes).map_err(out_of_memory)?;
        for (extent, bytes) in layout.blocks().iter().zip(blocks) {
            map[extent.offset as usize..extent.end() as usize].copy_from_slice(bytes);
        }
        LayerFile::of_memory(PathBuf::from(id.file_name()), header, map).map_err(out_of_memory)
    }

    /// A byte file in memory: all of it but the header, which goes to its beginning.
    pub(super) fn of_memory(
        path: PathBuf,
        header: Header,
        mut map: MmapMut,
    ) -> std::io::Result<Self> {
        let encoded = header.encode();
        map[..encoded.len()].copy_from_slice(&encoded);
        Ok(LayerFile { path, header, map: map.make_read_only()?, file: None, compact: Vec::new() })
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

    /// How the values are written.
    pub fn encoding(&self) -> Encoding {
        self.header.encoding()
    }

    /// All bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The blocks of a compact file, by the mover's stones.
    pub(super) fn compact_blocks(&self) -> &[CompactBlock] {
        &self.compact
    }

    /// The bytes of the block in which the mover's row holds `mover_stones` stones in a byte file:
    /// the mover's share of the stones, mover's rows in rank order, within each the opponent's rows
    /// in rank order. As many as the block has positions, and otherwise unchecked.
    /// [`LayerFile::matrix`] has them whatever the encoding.
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones, or the file is no byte file: what it has there
    /// would be taken for values.
    pub fn block(&self, mover_stones: usize) -> &[u8] {
        assert_eq!(self.encoding(), Encoding::Bytes, "only byte files have values as bytes");
        let entry = &self.header.blocks()[mover_stones];
        // Lengths fit `usize`: the header was checked against the file, and that is mapped.
        &self.map[entry.offset as usize..][..entry.length as usize]
    }

    /// The mover's share in one position: of the block in which the mover's row holds
    /// `mover_stones` stones the one whose rows have these [ranks](crate::ranking::rank_row).
    ///
    /// # Errors
    ///
    /// [`TableError::Undecodable`], and [`TableError::ImpossibleShare`], when the file is damaged
    /// there. Other damage is not noticed.
    ///
    /// # Panics
    ///
    /// When there is no such block or position.
    pub fn share(
        &self,
        mover_stones: usize,
        mover_rank: u64,
        opponent_rank: u64,
    ) -> Result<u8, TableError> {
        let LayerId { pits, stones, .. } = self.id();
        let stones = usize::from(stones);
        let share = match self.encoding() {
            Encoding::Bytes => {
                let columns = row_count(pits.into(), stones - mover_stones);
                assert!(opponent_rank < columns, "a row of the opponent's");
                // What is mapped is indexed by `usize`.
                self.block(mover_stones)[(mover_rank * columns + opponent_rank) as usize]
            }
            Encoding::Compact => {
                let block = &self.compact[mover_stones];
                let share = block.share(&self.map, mover_rank as usize, opponent_rank as usize);
                share.map_err(|damage| self.undecodable(mover_stones, damage))?
            }
        };
        if usize::from(share) > stones {
            return Err(self.impossible(mover_stones, share));
        }
        Ok(share)
    }

    /// The error that a share of more stones than there are is.
    #[cold]
    pub(super) fn impossible(&self, block: usize, share: u8) -> TableError {
        let stones = usize::from(self.id().stones);
        TableError::ImpossibleShare { file: self.path.clone(), block, share, stones }
    }

    /// The error that damage to a compact block is.
    #[cold]
    pub(super) fn undecodable(&self, block: usize, damage: compact::Damage) -> TableError {
        TableError::Undecodable { file: self.path.clone(), block, damage }
    }

    /// Reads bytes of the file, as many as there is room for.
    pub(super) fn read_at(&self, target: &mut [u8], offset: u64) -> Result<(), TableError> {
        match &self.file {
            Some(file) => {
                Ok(file.read_exact_at(target, offset).map_err(refused("read", &self.path))?)
            }
            None => {
                target.copy_from_slice(&self.map[offset as usize..][..target.len()]);
                Ok(())
            }
        }
    }

    /// Compares the statistics that the header gives for a block with its values. Those of a compact
    /// file are decoded for that, a few megabytes at a time, after the block was held against its
    /// checksum.
    ///
    /// # Errors
    ///
    /// [`TableError::ImpossibleShare`], [`TableError::WrongStatistics`]; of a compact file also
    /// those of [`LayerFile::matrix`].
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones.
    pub fn check_statistics(&self, mover_stones: usize) -> Result<(), TableError> {
        let stones = usize::from(self.id().stones);
        let counted = match self.encoding() {
            Encoding::Bytes => Statistics::of_open(self.block(mover_stones), stones),
            Encoding::Compact => {
                let mut counted = Statistics::default();
                self.stream(mover_stones, self.own_order(mover_stones), |shares| {
                    counted += Statistics::of_open(shares, stones);
                    Ok::<_, TableError>(())
                })?;
                counted
            }
        };
        if let Some((_, share)) = counted.shares().filter(|&(_, s)| usize::from(s) > stones) {
            return Err(self.impossible(mover_stones, share));
        }
        let counted = if format::is_open_block(stones, mover_stones) {
            counted
        } else {
            Statistics::default()
        };
        if counted == self.header.blocks()[mover_stones].statistics {
            Ok(())
        } else {
            let (file, block) = (self.path.clone(), mover_stones);
            Err(TableError::WrongStatistics { file, block })
        }
    }

    /// Checks that the bytes that belong neither to the header nor to a block are zero.
    ///
    /// # Errors
    ///
    /// [`TableError::Padding`].
    pub fn check_padding(&self) -> Result<(), TableError> {
        let blocks = self.header.blocks().iter().filter(|entry| entry.length > 0);
        let mut blocks: Vec<(usize, usize)> =
            blocks.map(|entry| (entry.offset as usize, entry.length as usize)).collect();
        blocks.sort_unstable();
        blocks.push((self.map.len(), 0));
        let mut end = self.header.encoded_length();
        for (offset, length) in blocks {
            if let Some(at) = self.map[end..offset].iter().position(|&byte| byte != 0) {
                let offset = (end + at) as u64;
                return Err(TableError::Padding { file: self.path.clone(), offset });
            }
            end = offset + length;
        }
        Ok(())
    }
}
