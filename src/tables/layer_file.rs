//! A layer's file, mapped.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use memmap2::Mmap;

use super::{Header, LayerId, TableError, codec, format};

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
#[derive(Debug)]
pub struct LayerFile {
    path: PathBuf,
    header: Header,
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
        let file = File::open(path).map_err(TableError::io("open", path))?;
        LayerFile::map(&file, path)
    }

    /// [`LayerFile::open`] for a file that is open; `path` is for the errors.
    pub(super) fn map(file: &File, path: &Path) -> Result<Self, TableError> {
        let length = file.metadata().map_err(TableError::io("open", path))?.len();
        let start = read_start(file).map_err(TableError::io("read", path))?;
        let header = Header::decode(&start, length, path)?;
        let mappable = usize::try_from(length)
            .map_err(|_| TableError::TooLargeToMap { file: path.to_owned(), length })?;
        // SAFETY: the mapping is read-only, and its bytes are valid for their type whatever they
        // are. That nobody shortens or edits the file meanwhile cannot be ensured; the type's
        // documentation says what happens then. Files under a final name are never written by
        // this library.
        let map = unsafe { memmap2::MmapOptions::new().len(mappable).map(file) }
            .map_err(TableError::io("map", path))?;
        Ok(LayerFile { path: path.to_owned(), header, map })
    }

    /// The file.
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

    /// Compares the bytes of a block with its checksum.
    ///
    /// # Errors
    ///
    /// [`TableError::BlockChecksum`].
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones.
    pub fn check_block(&self, mover_stones: usize) -> Result<(), TableError> {
        let expected = self.header.blocks()[mover_stones].digest;
        if blake3::hash(self.block(mover_stones)) == expected {
            Ok(())
        } else {
            Err(TableError::BlockChecksum { file: self.path.clone(), block: mover_stones })
        }
    }
}

/// The beginning of a file, as much as a header may have.
fn read_start(file: &File) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt;

    struct From<'a>(&'a File, u64);
    impl Read for From<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read_at(buffer, self.1)?;
            self.1 += read as u64;
            Ok(read)
        }
    }
    let most = format::PREAMBLE + codec::LIMIT + format::DIGEST;
    let mut start = Vec::with_capacity(4096);
    From(file, 0).take(most as u64).read_to_end(&mut start)?;
    Ok(start)
}
