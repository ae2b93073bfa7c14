//! Blocks: their tiles encoded and decoded, by all threads that there are.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use super::Damage;
use super::desk::{Desk, Press, decode_both};
use super::directory::{Directory, DirectoryWriter};
use super::recent::{self, Identity};
use super::shape::{BAND, Shape, Tile};

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
    /// When these are not whole bands, or a share exceeds the block's stones, or a row is empty in
    /// all of the block's positions: of these nothing is encoded.
    pub fn encode(&mut self, lines: &[u8]) -> Vec<u8> {
        assert!(self.shape.swept().is_none(), "a block with something to encode");
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
            .map_init(<Box<Press>>::default, |press, number| {
                let tile = self.shape.tile(number);
                let start = (tile.line - covered.start) * columns + tile.column;
                press.encode(&lines[start..], columns, tile.size(), stones)
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
        self.decode_part(bands, 0..self.shape().tiles_of_band(), bytes, matrix, orientation)
    }

    /// [`Directory::decode`] of those tiles of each of the bands that have these places in it.
    /// `bytes` are theirs, band by band, those of [`Directory::range_of_part`].
    ///
    /// # Errors
    ///
    /// As [`Directory::decode`].
    ///
    /// # Panics
    ///
    /// As [`Directory::decode`].
    pub fn decode_part(
        &self,
        bands: Range<usize>,
        places: Range<usize>,
        bytes: &[u8],
        matrix: &mut [u8],
        orientation: Orientation,
    ) -> Result<(), Damage> {
        let shape = *self.shape();
        assert_eq!(matrix.len(), shape.positions(), "a matrix of the block's size");
        // Where each band's bytes begin, in the block and in what is given.
        let mut begins = Vec::with_capacity(bands.len());
        let mut length = 0;
        for band in bands.clone() {
            let range = self.range_of_part(band, places.clone())?;
            begins.push((range.start, length));
            length += (range.end - range.start) as usize;
        }
        assert_eq!(bytes.len(), length, "the bytes of these tiles");
        let stones = shape.stones() as u8;
        let target = Target::new(matrix);
        let tile_at = |at: usize| {
            (bands.start + at / places.len()) * shape.tiles_of_band()
                + places.start
                + at % places.len()
        };
        let bytes_at = |at: usize| {
            let number = tile_at(at);
            let place = self.tiles(number..number + 1)?;
            let (begin, before) = begins[at / places.len()];
            // The ends of the bands' range may be given wrongly too.
            let inner = place.start.checked_sub(begin).zip(place.end.checked_sub(begin));
            let bytes = inner
                .and_then(|(start, end)| bytes.get(before + start as usize..before + end as usize));
            bytes.ok_or(Damage::Directory { tile: number })
        };
        let put = |desk: &mut Desk, tile: &Tile| match orientation {
            Orientation::Lines => desk.lines(tile.size()).for_each(|(line, shares)| {
                let at = (tile.line + line) * shape.columns() + tile.column;
                // SAFETY: tiles have no positions in common, and each is of one thread alone.
                unsafe { target.part(at, shares.len()) }.copy_from_slice(shares);
            }),
            Orientation::Columns => desk.columns(tile.size()).for_each(|(column, shares)| {
                let at = (tile.column + column) * shape.lines() + tile.line;
                // SAFETY: as above.
                unsafe { target.part(at, shares.len()) }.copy_from_slice(shares);
            }),
        };
        let count = bands.len() * places.len();
        let couples = (0..count).into_par_iter().step_by(2);
        couples.try_for_each_init(<[Box<Desk>; 2]>::default, |desks, at| {
            let [one, other] = desks;
            let number = tile_at(at);
            let tile = shape.tile(number);
            if at + 1 == count {
                let decoded = one.decode(bytes_at(at)?, tile.size(), stones);
                decoded.ok_or(Damage::Tile { tile: number })?;
                put(one, &tile);
                return Ok(());
            }
            let next_number = tile_at(at + 1);
            let next = shape.tile(next_number);
            let both = [bytes_at(at)?, bytes_at(at + 1)?];
            let [first, second] =
                decode_both([&mut *one, &mut *other], both, [tile.size(), next.size()], stones);
            first.ok_or(Damage::Tile { tile: number })?;
            second.ok_or(Damage::Tile { tile: next_number })?;
            put(one, &tile);
            put(other, &next);
            Ok(())
        })
    }

    /// The share of one position. `block` are all bytes of the block, `identity` is the block's: what
    /// a thread has decoded for this lately is not decoded again.
    ///
    /// # Errors
    ///
    /// [`Damage::Directory`], [`Damage::Tile`].
    ///
    /// # Panics
    ///
    /// When there is no such line or column, or the block is one that is
    /// [swept](Shape::swept).
    pub fn share(
        &self,
        identity: Identity,
        block: &[u8],
        line: usize,
        column: usize,
    ) -> Result<u8, Damage> {
        let shape = self.shape();
        assert!(line < shape.lines() && column < shape.columns(), "a position of the block");
        let number = shape.tile_of(line, column);
        let place = self.tiles(number..number + 1)?;
        let bytes = block.get(place.start as usize..place.end as usize);
        let bytes = bytes.ok_or(Damage::Directory { tile: number })?;
        let tile = shape.tile(number);
        let place = (line - tile.line, column - tile.column);
        let share =
            recent::share(identity, number, bytes, tile.size(), place, shape.stones() as u8);
        share.ok_or(Damage::Tile { tile: number })
    }
}

/// Bytes that several threads write, each its own.
struct Target<'a> {
    start: *mut u8,
    length: usize,
    bytes: PhantomData<&'a mut [u8]>,
}

// SAFETY: bytes are reached through `part` alone, whose callers keep to those that are theirs.
unsafe impl Sync for Target<'_> {}

impl<'a> Target<'a> {
    fn new(bytes: &'a mut [u8]) -> Self {
        Target { start: bytes.as_mut_ptr(), length: bytes.len(), bytes: PhantomData }
    }

    /// Some of the bytes.
    ///
    /// # Safety
    ///
    /// Nobody else reaches them as long as the result lives.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "parts are handed out one by one, see the contract")]
    unsafe fn part(&self, at: usize, length: usize) -> &mut [u8] {
        assert!(at <= self.length && length <= self.length - at);
        // SAFETY: they are within the bytes, which are borrowed as long as this lives, and nobody
        // else reaches them, says the caller.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(at), length) }
    }
}
