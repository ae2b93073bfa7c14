//! Positions of one layer, block by block.

use super::row::{rank_row, row_count, unrank_row};
use crate::rules::MAX_STONES;

/// All positions with a given number of stones in the pits of `P` pits a side.
///
/// Positions are numbered from 0, blocks in order of the mover's stones.
#[derive(Clone, Debug)]
pub struct Layer<const P: usize> {
    /// `starts[a]` is the index of the first position of block `a`; one more entry ends the last.
    starts: Vec<u64>,
}

/// The shape of one block of a layer: the positions in which the mover's row holds a given number
/// of stones. A matrix of `rows` mover's rows by `columns` opponent's rows, row by row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Stones in the mover's row.
    pub mover: usize,
    /// Stones in the opponent's row.
    pub opponent: usize,
    /// How many rows the mover's stones can form.
    pub rows: u64,
    /// How many rows the opponent's stones can form.
    pub columns: u64,
    /// The index within the layer of the block's first position.
    pub start: u64,
}

impl Block {
    /// How many positions the block has.
    pub fn positions(&self) -> u64 {
        self.rows * self.columns
    }
}

impl<const P: usize> Layer<P> {
    /// The layer of `stones` stones; `None` when it has too many positions to be counted in 64
    /// bits or more than [`MAX_STONES`] stones.
    pub fn new(stones: usize) -> Option<Self> {
        if stones > MAX_STONES {
            return None;
        }
        let mut starts = Vec::with_capacity(stones + 2);
        let mut start = 0u64;
        starts.push(start);
        for mover in 0..=stones {
            let size = row_count(P, mover).checked_mul(row_count(P, stones - mover))?;
            start = start.checked_add(size)?;
            starts.push(start);
        }
        Some(Layer { starts })
    }

    /// Stones in the pits of each position.
    pub fn stones(&self) -> usize {
        self.starts.len() - 2
    }

    /// How many positions the layer has, `C(stones + 2P - 1, 2P - 1)`.
    pub fn positions(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// How many positions have stones on both sides: those in which the game goes on.
    pub fn open_positions(&self) -> u64 {
        match self.stones() {
            0 => 0,
            stones => self.positions() - 2 * row_count(P, stones),
        }
    }

    /// The block in which the mover's row holds `mover` stones.
    ///
    /// # Panics
    ///
    /// When `mover` exceeds the layer's stones.
    pub fn block(&self, mover: usize) -> Block {
        let opponent = self.stones() - mover;
        Block {
            mover,
            opponent,
            rows: row_count(P, mover),
            columns: row_count(P, opponent),
            start: self.starts[mover],
        }
    }

    /// All blocks, in order of the mover's stones.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        (0..=self.stones()).map(|mover| self.block(mover))
    }

    /// The index of the position with these rows.
    ///
    /// # Panics
    ///
    /// When the rows do not hold as many stones as the layer.
    #[inline]
    pub fn index(&self, mover: &[u8; P], opponent: &[u8; P]) -> u64 {
        let stones = |row: &[u8; P]| row.iter().map(|&c| usize::from(c)).sum::<usize>();
        let block = stones(mover);
        let columns = stones(opponent);
        assert!(block + columns == self.stones(), "the rows are of another layer");
        self.starts[block] + rank_row(mover) * row_count(P, columns) + rank_row(opponent)
    }

    /// The mover's and the opponent's rows of the position with this index: the inverse of
    /// [`Layer::index`].
    ///
    /// # Panics
    ///
    /// When `index` is not below [`Layer::positions`].
    pub fn position(&self, index: u64) -> ([u8; P], [u8; P]) {
        assert!(index < self.positions(), "the layer has no position {index}");
        let block = self.block(self.starts.partition_point(|&start| start <= index) - 1);
        let within = index - block.start;
        (
            unrank_row(block.mover, within / block.columns),
            unrank_row(block.opponent, within % block.columns),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn every_position_comes_back<const P: usize>(most: usize) {
        for stones in 0..=most {
            let layer = Layer::<P>::new(stones).unwrap();
            for index in 0..layer.positions() {
                let (mover, opponent) = layer.position(index);
                assert_eq!(layer.index(&mover, &opponent), index);
            }
        }
    }

    #[test]
    fn small_layers_are_numbered_without_gaps() {
        every_position_comes_back::<1>(20);
        every_position_comes_back::<2>(12);
        every_position_comes_back::<3>(9);
        every_position_comes_back::<4>(7);
        every_position_comes_back::<5>(6);
        every_position_comes_back::<6>(5);
        every_position_comes_back::<7>(4);
        every_position_comes_back::<8>(4);
    }

    #[test]
    fn open_positions_up_to_34_stones_are_those_of_rawlings() {
        let open: u64 = (0..=34).map(|n| Layer::<6>::new(n).unwrap().open_positions()).sum();
        assert_eq!(open, 38_902_940_896);
    }

    #[test]
    fn a_layer_too_large_to_count_is_refused() {
        assert!(Layer::<6>::new(MAX_STONES).is_some());
        assert!(Layer::<8>::new(MAX_STONES).is_none());
        assert!(Layer::<6>::new(MAX_STONES + 1).is_none());
    }

    proptest! {
        #[test]
        fn large_layers_come_back(stones in 6usize..=48, seed: u64) {
            let layer = Layer::<6>::new(stones).unwrap();
            let index = seed % layer.positions();
            let (mover, opponent) = layer.position(index);
            prop_assert_eq!(layer.index(&mover, &opponent), index);
        }
    }
}
