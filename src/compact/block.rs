//! Blocks: their tiles encoded and decoded, by all threads that there are.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use super::directory::{Directory, DirectoryWriter};
use super::shape::{BAND, Shape};
use super::{Damage, tile};

/// A block that is being encoded, band after band.
#[derive(Debug)]
pub struct BlockEncoder {
    shape: Shape,
    /// Bands encoded so far.
    bands: usize,
    directory: DirectoryWriter,
}

impl BlockEncoder {
    /// The encoder of a block of this shape, of which nothing is encoded yet.
    pub fn new(shape: Shape) -> Self {
        BlockEncoder { shape, bands: 0, directory: DirectoryWriter::default() }
    }

    /// Encodes the next bands, whose lines these are, one after the other: the bytes that come next
    /// in the block.
    ///
    /// # Panics
    ///
    /// When these are not whole bands, or a share exceeds the block's stones.
    pub fn encode(&mut self, lines: &[u8]) -> Vec<u8> {
        let Shape { .. } = self.shape;
        let columns = self.shape.columns();
        let bands = lines.len().div_ceil(BAND * columns);
        let covered = self.shape.lines_of(self.bands..self.bands + bands);
        assert_eq!(lines.len(), covered.len() * columns, "whole bands");
        let first = self.bands * self.shape.tiles_of_band();
        self.bands += bands;
        let tiles = first..self.bands * self.shape.tiles_of_band();
        let stones = self.shape.stones() as u8;
        let encoded: Vec<Vec<u8>> = tiles
            .into_par_iter()
            .map(|number| {
                let tile = self.shape.tile(number);
                let start = (tile.line - covered.start) * columns + tile.column;
                tile::encode(&lines[start..], columns, tile.height, tile.width, stones)
            })
            .collect();
        encoded.iter().for_each(|tile| self.directory.add(tile.len() / 2));
        encoded.concat()
    }

    /// The bytes that end the block, when all bands are encoded.
    ///
    /// # Panics
    ///
    /// When bands are missing.
    pub fn finish(self) -> Vec<u8> {
        assert_eq!(self.bands, self.shape.bands(), "every band of the block");
        self.directory.finish()
    }
}

/// In which order a decoded block is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orientation {
    /// As it is encoded, line by line.
    Lines,
    /// Transposed, column by column.
    Columns,
}

impl Directory<'_> {
    /// Decodes some bands into the matrix of the whole block. `bytes` are theirs, those of
    /// [`Directory::range`].
    ///
    /// # Errors
    ///
    /// [`Damage::Directory`], [`Damage::Tile`]. What the bands' places in the matrix hold then is
    /// not said.
    ///
    /// # Panics
    ///
    /// When there are not as many bytes as the range says, or the matrix has another size.
    pub fn decode(
        &self,
        bands: Range<usize>,
        bytes: &[u8],
        matrix: &mut [u8],
        orientation: Orientation,
    ) -> Result<(), Damage> {
        let shape = *self.shape();
        assert_eq!(matrix.len(), shape.positions(), "a matrix of the block's size");
        let range = self.range(bands.clone())?;
        assert_eq!(bytes.len() as u64, range.end - range.start, "the bands' bytes");
        let stones = shape.stones() as u8;
        let target = Target::new(matrix);
        let tiles = bands.start * shape.tiles_of_band()..bands.end * shape.tiles_of_band();
        tiles.into_par_iter().try_for_each(|number| {
            let place = self.tiles(number..number + 1)?;
            // The ends of the bands' range may be given wrongly too.
            let inner =
                place.start.checked_sub(range.start).zip(place.end.checked_sub(range.start));
            let words = inner.and_then(|(start, end)| bytes.get(start as usize..end as usize));
            let words = words.ok_or(Damage::Directory { tile: number })?;
            let tile = shape.tile(number);
            let mut values = [[0; super::WIDTH]; BAND];
            tile::decode(words, tile.height, tile.width, stones, &mut values)
                .ok_or(Damage::Tile { tile: number })?;
            let (line_step, column_step) = match orientation {
                Orientation::Lines => (shape.columns(), 1),
                Orientation::Columns => (1, shape.lines()),
            };
            for (line, values) in values.iter().enumerate().take(tile.height) {
                for (column, &value) in values.iter().enumerate().take(tile.width) {
                    let at = (tile.line + line) * line_step + (tile.column + column) * column_step;
                    // SAFETY: tiles have no positions in common, and each is of one thread alone.
                    unsafe { target.put(at, value) };
                }
            }
            Ok(())
        })
    }

    /// The share of one position. `block` are all bytes of the block.
    ///
    /// # Errors
    ///
    /// [`Damage::Directory`], [`Damage::Tile`].
    ///
    /// # Panics
    ///
    /// When there is no such line or column, or the block is one that is
    /// [swept](Shape::swept).
    pub fn share(&self, block: &[u8], line: usize, column: usize) -> Result<u8, Damage> {
        let shape = self.shape();
        assert!(line < shape.lines() && column < shape.columns(), "a position of the block");
        let number = shape.tile_of(line, column);
        let place = self.tiles(number..number + 1)?;
        let words = block.get(place.start as usize..place.end as usize);
        let words = words.ok_or(Damage::Directory { tile: number })?;
        let tile = shape.tile(number);
        let mut values = [[0; super::WIDTH]; BAND];
        tile::decode(words, tile.height, tile.width, shape.stones() as u8, &mut values)
            .ok_or(Damage::Tile { tile: number })?;
        Ok(values[line - tile.line][column - tile.column])
    }
}

/// Bytes that several threads write, each its own.
struct Target<'a> {
    start: *mut u8,
    length: usize,
    bytes: PhantomData<&'a mut [u8]>,
}

// SAFETY: bytes are written through `put` alone, whose callers keep to those that are theirs.
unsafe impl Sync for Target<'_> {}

impl<'a> Target<'a> {
    fn new(bytes: &'a mut [u8]) -> Self {
        Target { start: bytes.as_mut_ptr(), length: bytes.len(), bytes: PhantomData }
    }

    /// Writes a byte.
    ///
    /// # Safety
    ///
    /// No other thread writes it.
    #[inline(always)]
    unsafe fn put(&self, at: usize, byte: u8) {
        assert!(at < self.length);
        // SAFETY: it is within the bytes, which are borrowed as long as this lives, and no other
        // thread writes it, says the caller.
        unsafe { *self.start.add(at) = byte };
    }
}
