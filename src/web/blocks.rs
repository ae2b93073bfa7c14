//! All positions of all layers in one array.

use crate::ranking::{Layer, row_count};

/// The most positions that a table may have: what a page can load in a second or two.
pub const MAX_POSITIONS: u64 = 1 << 26;

/// Where each block of each layer begins, when layers from no stones up and their blocks from no
/// stones of the mover up follow one another, a byte a position.
#[derive(Clone, Debug)]
pub(super) struct Blocks<const P: usize> {
    stones: usize,
    /// Layer `n` has the `n + 1` entries from `n (n + 1) / 2`.
    starts: Vec<usize>,
    positions: usize,
}

impl<const P: usize> Blocks<P> {
    /// The layers of up to `stones` stones; `None` when they are more than [`MAX_POSITIONS`].
    pub fn new(stones: usize) -> Option<Self> {
        let mut starts = Vec::new();
        let mut positions = 0;
        for layer in 0..=stones {
            let layer = Layer::<P>::new(layer)?;
            if layer.positions() > MAX_POSITIONS - positions {
                return None;
            }
            starts.extend(layer.blocks().map(|block| (positions + block.start) as usize));
            positions += layer.positions();
        }
        Some(Blocks { stones, starts, positions: positions as usize })
    }

    /// The most stones of a position.
    pub fn stones(&self) -> usize {
        self.stones
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// The index of the first position with so many stones, `mover` of them in the mover's row.
    #[inline]
    pub fn start(&self, stones: usize, mover: usize) -> usize {
        self.starts[stones * (stones + 1) / 2 + mover]
    }

    /// The index of the position with these ranks in that block.
    #[inline]
    pub fn index(&self, stones: usize, mover: usize, row: usize, column: usize) -> usize {
        self.start(stones, mover) + row * rows::<P>(stones - mover) + column
    }
}

/// How many rows hold so many stones. At most as many as a table has positions.
#[inline]
pub(super) fn rows<const P: usize>(stones: usize) -> usize {
    row_count(P, stones) as usize
}

/// The most stones of which a table with `P` pits a side has no more than [`MAX_POSITIONS`].
pub fn most_stones<const P: usize>() -> usize {
    let mut stones = 0;
    while Blocks::<P>::new(stones + 1).is_some() {
        stones += 1;
    }
    stones
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_one_another() {
        let blocks = Blocks::<6>::new(12).unwrap();
        assert_eq!(blocks.positions(), 2_704_156);
        let mut next = 0;
        for stones in 0..=12 {
            for mover in 0..=stones {
                assert_eq!(blocks.start(stones, mover), next);
                next += rows::<6>(mover) * rows::<6>(stones - mover);
                let (row, column) = (rows::<6>(mover) - 1, rows::<6>(stones - mover) - 1);
                assert_eq!(blocks.index(stones, mover, row, column), next - 1);
            }
        }
        assert_eq!(next, blocks.positions());
    }

    #[test]
    fn tables_end_where_pages_would_take_seconds() {
        assert_eq!(most_stones::<1>(), crate::rules::MAX_STONES);
        assert_eq!(most_stones::<6>(), 17);
        assert!(Blocks::<6>::new(18).is_none());
        assert!(Blocks::<8>::new(200).is_none());
    }
}
