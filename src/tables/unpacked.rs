//! The byte file that a compact file stands for.

use memmap2::MmapMut;

use super::{BlockEntry, Encoding, Header, LayerFile, Layout, Order, TableError};

/// Bytes hashed between two looks at whether to stop.
const CHUNK: usize = 1 << 20;

/// What goes on between two parts of some work: whether to stop, asked often, and how many more
/// bytes of the whole are done.
pub(crate) struct DigestWatch<'a> {
    pub stop: &'a (dyn Fn() -> bool + Sync),
    pub advance: &'a (dyn Fn(u64) + Sync),
}

impl LayerFile {
    /// Bytes of the byte file of this layer, whether this is that or a compact one.
    pub(crate) fn byte_length(&self) -> u64 {
        self.byte_layout().file_length()
    }

    /// The BLAKE3 digest of the whole byte file of this layer: of a compact file that of what
    /// `kalah unpack` would write, so that a layer has one digest in either encoding. `None` when
    /// stopped.
    ///
    /// A compact file is decoded twice for it, as a byte file's header has digests of its own, a few
    /// megabytes at a time.
    ///
    /// # Errors
    ///
    /// [`TableError::BlockChecksum`], [`TableError::Undecodable`] and [`TableError::OutOfMemory`]
    /// of a compact file; [`TableError::Io`].
    pub(crate) fn byte_digest(&self, watch: &DigestWatch) -> Result<Option<[u8; 32]>, TableError> {
        match self.encoding() {
            Encoding::Bytes => self.own_digest(watch),
            Encoding::Compact => self.unpacked_digest(watch),
        }
    }

    /// The BLAKE3 digest of the file as it is; `None` when stopped.
    fn own_digest(&self, watch: &DigestWatch) -> Result<Option<[u8; 32]>, TableError> {
        let length = self.bytes().len() as u64;
        let mut hasher = blake3::Hasher::new();
        let mut chunk = vec![0; CHUNK];
        for offset in (0..length).step_by(CHUNK) {
            if (watch.stop)() {
                return Ok(None);
            }
            chunk.truncate((length - offset).min(CHUNK as u64) as usize);
            self.read_at(&mut chunk, offset)?;
            hasher.update(&chunk);
            (watch.advance)(chunk.len() as u64);
        }
        Ok(Some(*hasher.finalize().as_bytes()))
    }

    fn unpacked_digest(&self, watch: &DigestWatch) -> Result<Option<[u8; 32]>, TableError> {
        let layout = self.byte_layout();
        let mut digests = Vec::new();
        for mover in 0..=layout.stones() {
            if (watch.stop)() {
                return Ok(None);
            }
            let mut hasher = blake3::Hasher::new();
            self.stream(mover, Order::MoverRows, |values| {
                hasher.update(values);
                Ok::<_, TableError>(())
            })?;
            digests.push(*hasher.finalize().as_bytes());
        }
        let header = self.byte_header(&layout, &digests).encode();
        let mut hasher = blake3::Hasher::new();
        let mut append = |bytes: &[u8]| {
            hasher.update(bytes);
            (watch.advance)(bytes.len() as u64);
        };
        append(&header);
        let mut end = header.len() as u64;
        for (mover, extent) in layout.blocks().iter().enumerate() {
            if (watch.stop)() {
                return Ok(None);
            }
            append(&vec![0; (extent.offset - end) as usize]);
            self.stream(mover, Order::MoverRows, |values| {
                append(values);
                Ok::<_, TableError>(())
            })?;
            end = extent.end();
        }
        Ok(Some(*hasher.finalize().as_bytes()))
    }

    /// This layer as a byte file in memory.
    ///
    /// # Errors
    ///
    /// [`TableError::OutOfMemory`], and what is wrong with a block.
    pub(super) fn unpacked(&self) -> Result<LayerFile, TableError> {
        let layout = self.byte_layout();
        // Files of more bytes than can be addressed are not opened.
        let bytes = layout.file_length() as usize;
        let out_of_memory = |_| TableError::OutOfMemory { file: self.path().to_owned(), bytes };
        let mut map = MmapMut::map_anon(bytes).map_err(out_of_memory)?;
        let mut digests = Vec::new();
        for (mover, extent) in layout.blocks().iter().enumerate() {
            let block = &mut map[extent.offset as usize..extent.end() as usize];
            self.read_matrix(mover, Order::MoverRows, block)?;
            digests.push(*blake3::hash(block).as_bytes());
        }
        let header = self.byte_header(&layout, &digests);
        LayerFile::of_memory(self.path().to_owned(), header, map).map_err(out_of_memory)
    }

    fn byte_layout(&self) -> Layout {
        Layout::new(self.id()).expect("checked when the file was opened")
    }

    /// The header of the byte file, whose blocks have these digests.
    fn byte_header(&self, layout: &Layout, digests: &[[u8; 32]]) -> Header {
        let blocks = layout.blocks().iter().zip(digests).zip(self.header().blocks());
        let blocks = blocks.map(|((extent, &digest), &BlockEntry { statistics, .. })| BlockEntry {
            offset: extent.offset,
            length: extent.length,
            digest,
            statistics,
        });
        Header::new(self.id(), Encoding::Bytes, blocks.collect())
    }
}
