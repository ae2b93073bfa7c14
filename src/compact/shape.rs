//! How the positions of a block are laid out as lines, bands and tiles.

use std::ops::Range;

use crate::ranking::row_count;

/// Lines of a band: as many as are decoded beside each other.
pub const BAND: usize = 16;

/// The most columns of a tile.
pub const WIDTH: usize = 192;

/// A block as compact files have it: a matrix of the rows of the side with fewer stones, its
/// *lines*, by the rows of the other side; of equals the mover's rows are the lines. Both in rank
/// order.
///
/// The lines are cut in *bands* of [`BAND`] lines, bands in *tiles* of equal width, at most
/// [`WIDTH`] columns; the last of each may be smaller. Tiles are numbered band by band.
///
/// A block in which a row is empty has no tiles: each player has what lies in the own row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    stones: u8,
    mover: u8,
    lines: usize,
    columns: usize,
    width: usize,
}

impl Shape {
    /// The shape of the block with `mover` of `stones` stones in the mover's row of `pits` pits.
    ///
    /// # Panics
    ///
    /// When `mover` exceeds `stones`, or the block has more positions than addresses.
    pub fn new(pits: usize, stones: usize, mover: usize) -> Self {
        let opponent = stones.checked_sub(mover).expect("a part of the stones");
        let rows = |stones| {
            usize::try_from(row_count(pits, stones)).expect("a block that can be addressed")
        };
        let (lines, columns) = (rows(mover.min(opponent)), rows(mover.max(opponent)));
        assert!(lines.checked_mul(columns).is_some(), "a block that can be addressed");
        let width = columns.div_ceil(columns.div_ceil(WIDTH));
        Shape { stones: stones as u8, mover: mover as u8, lines, columns, width }
    }

    /// Stones in the pits of each position.
    pub fn stones(&self) -> usize {
        self.stones.into()
    }

    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// How many elements a line has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many positions the block has.
    pub fn positions(&self) -> usize {
        self.lines * self.columns
    }

    /// Whether the lines are the mover's rows, and not the opponent's.
    pub fn lines_are_movers(&self) -> bool {
        2 * self.mover <= self.stones
    }

    /// The mover's share in every position of a block in which a row is empty; `None` of others.
    pub fn swept(&self) -> Option<u8> {
        (self.mover == 0 || self.mover == self.stones).then_some(self.mover)
    }

    /// How many bands there are.
    pub fn bands(&self) -> usize {
        if self.swept().is_some() { 0 } else { self.lines.div_ceil(BAND) }
    }

    /// The lines of some bands.
    pub fn lines_of(&self, bands: Range<usize>) -> Range<usize> {
        (bands.start * BAND).min(self.lines)..(bands.end * BAND).min(self.lines)
    }

    /// How many tiles a band has.
    pub fn tiles_of_band(&self) -> usize {
        self.columns.div_ceil(self.width)
    }

    /// The places, in a band, of the tiles that have some of these columns.
    pub fn tiles_of_columns(&self, columns: Range<usize>) -> Range<usize> {
        if columns.is_empty() {
            return 0..0;
        }
        columns.start / self.width..columns.end.div_ceil(self.width)
    }

    /// How many tiles there are.
    pub fn tiles(&self) -> usize {
        self.bands() * self.tiles_of_band()
    }

    /// A tile.
    pub(super) fn tile(&self, tile: usize) -> Tile {
        let (band, place) = (tile / self.tiles_of_band(), tile % self.tiles_of_band());
        let (line, column) = (band * BAND, place * self.width);
        Tile {
            line,
            column,
            height: BAND.min(self.lines - line),
            width: self.width.min(self.columns - column),
        }
    }

    /// The tile in which a position is.
    pub(super) fn tile_of(&self, line: usize, column: usize) -> usize {
        line / BAND * self.tiles_of_band() + column / self.width
    }
}

/// Where a tile lies in its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    /// Its first line and column.
    pub line: usize,
    pub column: usize,
    /// How many lines and columns it has.
    pub height: usize,
    pub width: usize,
}

impl Tile {
    /// How many lines and columns it has.
    pub fn size(&self) -> super::tile::Size {
        super::tile::Size { height: self.height, width: self.width }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_every_position_once() {
        for (pits, stones, mover) in [(6, 12, 6), (6, 14, 3), (6, 14, 11), (3, 50, 25), (1, 9, 4)] {
            let shape = Shape::new(pits, stones, mover);
            let mut covered = vec![false; shape.positions()];
            for number in 0..shape.tiles() {
                let tile = shape.tile(number);
                assert!((1..=BAND).contains(&tile.height) && (1..=WIDTH).contains(&tile.width));
                for line in tile.line..tile.line + tile.height {
                    for column in tile.column..tile.column + tile.width {
                        assert_eq!(shape.tile_of(line, column), number);
                        let covered = &mut covered[line * shape.columns() + column];
                        assert!(!std::mem::replace(covered, true));
                    }
                }
            }
            assert!(covered.into_iter().all(|covered| covered));
        }
    }

    #[test]
    fn lines_are_the_rows_of_fewer_stones() {
        let sides = |mover| {
            let shape = Shape::new(6, 10, mover);
            (shape.lines() as u64, shape.columns() as u64, shape.lines_are_movers())
        };
        assert_eq!(sides(3), (row_count(6, 3), row_count(6, 7), true));
        assert_eq!(sides(7), (row_count(6, 3), row_count(6, 7), false));
        assert_eq!(sides(5), (row_count(6, 5), row_count(6, 5), true));
    }

    #[test]
    fn swept_blocks_have_no_tiles() {
        for (mover, share) in [(0, Some(0)), (1, None), (4, Some(4))] {
            let shape = Shape::new(6, 4, mover);
            assert_eq!(shape.swept(), share);
            assert_eq!(shape.tiles() == 0, share.is_some());
        }
        assert_eq!(Shape::new(6, 0, 0).swept(), Some(0));
    }
}
