//! The values of blocks a few megabytes at a time.

use memmap2::MmapOptions;

use super::{Encoding, LayerFile, Order, TableError};
use crate::compact::{BAND, Shape, WIDTH};
use crate::ranking::row_count;

/// Values handed on at a time, about: enough for all threads to have something to decode. In tests
/// small blocks have many pieces.
const PIECE: u64 = if cfg!(test) { 1 << 12 } else { 8 << 20 };

impl LayerFile {
    /// Hands on the values of a block in the order asked for, in pieces of a few megabytes, one
    /// after the other. The bytes are held against the checksum: those of a compact file before
    /// anything is handed on, as it depends on the order in which its values lie whether they can be
    /// decoded in the order of the bytes; those of a byte file while it goes on, so that the last
    /// word about all pieces is what this returns.
    ///
    /// # Errors
    ///
    /// [`TableError::BlockChecksum`] or [`TableError::Undecodable`] when the block is damaged;
    /// [`TableError::OutOfMemory`], [`TableError::Io`]; and what `hand_on` returns, which ends it.
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones, or the order is not that of a byte file.
    pub(crate) fn stream<E: From<TableError>>(
        &self,
        mover_stones: usize,
        order: Order,
        hand_on: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.encoding() {
            Encoding::Bytes => {
                assert_eq!(order, Order::MoverRows, "byte files have one order");
                self.stream_bytes(mover_stones, hand_on)
            }
            Encoding::Compact => self.stream_compact(mover_stones, order, hand_on),
        }
    }

    /// The order in which the values of a block lie in the file.
    pub(super) fn own_order(&self, mover_stones: usize) -> Order {
        match self.encoding() {
            Encoding::Compact => Order::of_lines(&self.shape(mover_stones)),
            Encoding::Bytes => Order::MoverRows,
        }
    }

    /// Bytes that [`LayerFile::stream`] takes for a block's pieces at most, in either order.
    pub(super) fn streaming_memory(&self, mover_stones: usize) -> u64 {
        let positions = self.header().block_positions(mover_stones);
        match self.encoding() {
            Encoding::Bytes => positions.min(PIECE),
            Encoding::Compact => {
                let shape = self.shape(mover_stones);
                // The last band that was read may be one that began just before there were enough
                // bytes; a tile more than the piece is decoded at either side, at most.
                let line = shape.columns().max(shape.lines()) as u64;
                positions.min(PIECE + (BAND + 2 * WIDTH) as u64 * line)
            }
        }
    }

    fn shape(&self, mover_stones: usize) -> Shape {
        let id = self.id();
        Shape::new(id.pits.into(), id.stones.into(), mover_stones)
    }

    fn stream_bytes<E: From<TableError>>(
        &self,
        block: usize,
        mut hand_on: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let entry = &self.header().blocks()[block];
        let mut hasher = blake3::Hasher::new();
        let mut piece = vec![0; entry.length.min(PIECE) as usize];
        for start in (0..entry.length).step_by(PIECE as usize) {
            piece.truncate((entry.length - start).min(PIECE) as usize);
            self.read_at(&mut piece, entry.offset + start)?;
            hasher.update(&piece);
            hand_on(&piece)?;
        }
        Ok(self.compare_digest(block, &hasher)?)
    }

    fn stream_compact<E: From<TableError>>(
        &self,
        block: usize,
        order: Order,
        mut hand_on: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.check_block(block)?;
        let shape = self.shape(block);
        let bytes = shape.positions();
        let rows = row_count(self.id().pits.into(), block) as usize;
        let (lines, length) = match order {
            Order::MoverRows => (rows, bytes / rows),
            Order::OpponentRows => (bytes / rows, rows),
        };
        // Lines that are decoded together anyway.
        let unit = match order == Order::of_lines(&shape) {
            true => BAND,
            false => lines.div_ceil(lines.div_ceil(WIDTH)),
        };
        let step = (PIECE as usize / (unit * length)).max(1) * unit;
        for start in (0..lines).step_by(step) {
            let piece = start..lines.min(start + step);
            // Addresses for the whole block, as each value is decoded to its place in it, of which
            // only what is written takes memory.
            let target = MmapOptions::new().len(bytes).no_reserve_swap().map_anon();
            let file = || self.path().to_owned();
            let mut target = target.map_err(|_| TableError::OutOfMemory { file: file(), bytes })?;
            self.read_lines(block, order, piece.clone(), &mut target)?;
            hand_on(&target[piece.start * length..piece.end * length])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tables::build::{Options, build};
    use crate::tables::{Folder, LayerId, pack};

    #[test]
    fn pieces_make_up_the_block_in_either_encoding_and_order() {
        let directory = tempfile::tempdir().unwrap();
        let options = Options::new(Rules::Standard, 12);
        build::<6>(directory.path(), &options, &()).unwrap();
        let id = LayerId { rules: Rules::Standard, pits: 6, stones: 12 };
        let layer = || {
            let folder = Folder::open_for_reading(directory.path()).unwrap();
            folder.open_layer(&id).unwrap().expect("it was built")
        };
        let streamed = |layer: &LayerFile, block, order| {
            let (mut values, mut pieces) = (Vec::new(), 0);
            let handed = layer.stream(block, order, |piece| {
                values.extend_from_slice(piece);
                pieces += 1;
                Ok::<_, TableError>(())
            });
            handed.unwrap();
            (values, pieces)
        };
        let blocks = [0, 3, 6, 8, 12];
        let bytes = layer();
        let expected = blocks.map(|block| bytes.matrix(block).unwrap());
        for (block, expected) in blocks.into_iter().zip(&expected) {
            let (values, pieces) = streamed(&bytes, block, Order::MoverRows);
            assert!(values == *expected && pieces == expected.len().div_ceil(PIECE as usize));
        }
        let here = directory.path();
        let options = pack::Options { from: here, to: here, encoding: Encoding::Compact };
        pack::convert(&options, |layer| *layer == id, &()).unwrap();
        let compact = layer();
        assert_eq!(compact.encoding(), Encoding::Compact);
        for (block, expected) in blocks.into_iter().zip(&expected) {
            let (values, pieces) = streamed(&compact, block, Order::MoverRows);
            assert!(values == *expected && (pieces > 1 || expected.len() < 1 << 14));
            let mut other = vec![0; expected.len()];
            compact.read_matrix(block, Order::OpponentRows, &mut other).unwrap();
            assert!(streamed(&compact, block, Order::OpponentRows).0 == other);
        }
    }
}
