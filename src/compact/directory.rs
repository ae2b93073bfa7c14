//! Where the tiles of a block are.
//!
//! A group of [`GROUP`] tiles has 8 bytes for the place of its first tile, counted in words of two
//! bytes from the block's beginning, and then 2 bytes a tile for how many words later it begins. So
//! a place is two look-ups in one cache line or two, and a tile costs 2.5 bytes.

use std::ops::Range;

use super::{BAND, Damage, Shape, WIDTH};

/// Tiles of a group.
const GROUP: usize = 16;

/// The most words of a tile: as many as its shares take, and two.
const MOST: u64 = 2 + (BAND * WIDTH / 2) as u64;

/// A group has no more words than two bytes count.
const _: () = assert!(GROUP as u64 * MOST <= u16::MAX as u64);

/// Bytes of a whole group.
const BYTES: usize = 8 + 2 * GROUP;

/// Bytes of a directory of so many tiles.
const fn length(tiles: usize) -> usize {
    tiles.div_ceil(GROUP) * 8 + 2 * tiles
}

/// A directory that is being written.
#[derive(Default, Debug)]
pub(super) struct DirectoryWriter {
    bytes: Vec<u8>,
    tiles: usize,
    /// Words before the next tile, and before its group.
    words: u64,
    group: u64,
}

impl DirectoryWriter {
    /// Adds a tile of so many words.
    pub fn add(&mut self, words: usize) {
        if self.tiles.is_multiple_of(GROUP) {
            self.group = self.words;
            self.bytes.extend_from_slice(&self.words.to_le_bytes());
        }
        let within = u16::try_from(self.words - self.group).expect("a group of few words");
        self.bytes.extend_from_slice(&within.to_le_bytes());
        self.words += words as u64;
        self.tiles += 1;
    }

    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// A block's directory, which comes after the tiles, as a file has it: unchecked.
#[derive(Clone, Copy, Debug)]
pub struct Directory<'a> {
    shape: Shape,
    bytes: &'a [u8],
    /// Words of all tiles.
    words: u64,
}

impl<'a> Directory<'a> {
    /// How many bytes the directory of a block of this shape has.
    pub fn length(shape: &Shape) -> usize {
        length(shape.tiles())
    }

    /// The directory `bytes` of a block of `length` bytes in all.
    ///
    /// # Errors
    ///
    /// [`Damage::Length`] when no block of this shape has so many bytes.
    pub fn new(shape: Shape, bytes: &'a [u8], length: u64) -> Result<Self, Damage> {
        let tiles = length.checked_sub(bytes.len() as u64);
        match tiles {
            Some(tiles) if bytes.len() == Directory::length(&shape) && tiles.is_multiple_of(2) => {
                Ok(Directory { shape, bytes, words: tiles / 2 })
            }
            _ => Err(Damage::Length),
        }
    }

    /// The shape of the block.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The bytes of some bands, counted from the block's beginning.
    ///
    /// # Errors
    ///
    /// [`Damage::Directory`].
    pub fn range(&self, bands: Range<usize>) -> Result<Range<u64>, Damage> {
        let tiles = self.shape.tiles_of_band();
        self.tiles(bands.start * tiles..bands.end * tiles)
    }

    /// The bytes of those tiles of a band that have these places in it, counted from the block's
    /// beginning.
    ///
    /// # Errors
    ///
    /// [`Damage::Directory`].
    pub fn range_of_part(&self, band: usize, places: Range<usize>) -> Result<Range<u64>, Damage> {
        let first = band * self.shape.tiles_of_band();
        self.tiles(first + places.start..first + places.end)
    }

    /// The bytes of some tiles, counted from the block's beginning.
    pub(super) fn tiles(&self, tiles: Range<usize>) -> Result<Range<u64>, Damage> {
        let (start, end) = (self.start(tiles.start), self.start(tiles.end));
        let fit = start <= end && end <= self.words && self.words <= u64::MAX / 2;
        let fit = fit && (tiles.len() > 1 || end - start <= MOST);
        if fit { Ok(2 * start..2 * end) } else { Err(Damage::Directory { tile: tiles.start }) }
    }

    /// Words before a tile, or before the end of the last.
    fn start(&self, tile: usize) -> u64 {
        if tile >= self.shape.tiles() {
            return self.words;
        }
        let (group, place) = (tile / GROUP * BYTES, tile % GROUP);
        let [first, within] = [(group, 8), (group + 8 + 2 * place, 2)].map(|(at, length)| {
            let mut number = [0; 8];
            number[..length].copy_from_slice(&self.bytes[at..at + length]);
            u64::from_le_bytes(number)
        });
        first.saturating_add(within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tile_is_found() {
        let shape = Shape::new(6, 14, 7);
        let words: Vec<usize> = (0..shape.tiles()).map(|tile| 34 + tile * 7 % 100).collect();
        let mut writer = DirectoryWriter::default();
        words.iter().for_each(|&words| writer.add(words));
        let bytes = writer.finish();
        assert_eq!(bytes.len(), Directory::length(&shape));
        let length = 2 * words.iter().sum::<usize>() + bytes.len();
        let directory = Directory::new(shape, &bytes, length as u64).unwrap();
        let mut place = 0;
        for (tile, words) in words.iter().enumerate() {
            let end = place + 2 * *words as u64;
            assert_eq!(directory.tiles(tile..tile + 1), Ok(place..end));
            place = end;
        }
        assert_eq!(directory.range(0..shape.bands()), Ok(0..place));
        assert_eq!(
            directory.range(1..1).unwrap().start,
            2 * words[..shape.tiles_of_band()].iter().sum::<usize>() as u64
        );
    }

    #[test]
    fn impossible_directories_are_refused() {
        let shape = Shape::new(6, 8, 4);
        let length = Directory::length(&shape);
        let refused = |bytes: &[u8], length| Directory::new(shape, bytes, length).err();
        assert_eq!(refused(&vec![0; length], length as u64 - 1), Some(Damage::Length));
        assert_eq!(refused(&vec![0; length], length as u64 + 1), Some(Damage::Length));
        assert_eq!(refused(&vec![0; length - 1], length as u64), Some(Damage::Length));
        let wild = vec![0xff; length];
        let directory = Directory::new(shape, &wild, 10_000).unwrap();
        for bands in 0..shape.bands() {
            assert!(matches!(directory.range(bands..bands + 1), Err(Damage::Directory { .. })));
        }
    }
}
