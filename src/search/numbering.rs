//! A number for every position, whatever its stones.

use crate::ranking::{Layer, rank_row, row_count, unrank_row};
use crate::rules::{MAX_STONES, Pits, Row};

/// Numbers positions of `P` pits a side from 0 without gaps: by stones, then by the mover's stones,
/// then by the rows' ranks.
///
/// There are `C(n + 2P, 2P)` positions of up to `n` stones: for 6 pits and the 127 stones a board
/// may hold, 56 bits of number.
#[derive(Clone, Debug)]
pub(super) struct Numbering<const P: usize> {
    /// The first number of each block, and how long its lines are; layer `n` begins at
    /// `n (n + 1) / 2`.
    blocks: Box<[Block]>,
    count: u64,
    stones: usize,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    start: u64,
    columns: u64,
}

impl<const P: usize> Numbering<P> {
    /// Numbers the positions of up to `stones` stones, which must be few enough for 64 bits:
    /// any number up to 7 pits, up to 100 stones with 8.
    pub fn new(stones: usize) -> Self {
        assert!(Self::count_up_to(stones) < u64::MAX, "numbers of 64 bits");
        let mut count = 0;
        let blocks = (0..=stones)
            .flat_map(|stones| (0..=stones).map(move |mover| (mover, stones - mover)))
            .map(|(mover, opponent)| {
                let (start, columns) = (count, row_count(P, opponent));
                count += row_count(P, mover) * columns;
                Block { start, columns }
            })
            .collect();
        Numbering { blocks, count, stones }
    }

    /// How many positions there are of up to so many stones; the greatest number when 64 bits do
    /// not count them.
    pub fn count_up_to(stones: usize) -> u64 {
        (0..=stones).map(layer_count::<P>).fold(0, u64::saturating_add)
    }

    /// The most stones, at least 1, up to which there are not too many positions for `fits`.
    pub fn most_stones(fits: impl Fn(u64) -> bool) -> usize {
        let mut count = 0u64;
        let fitting = (0..=MAX_STONES).take_while(|&stones| {
            count = layer_count::<P>(stones).saturating_add(count);
            count < u64::MAX && fits(count)
        });
        fitting.last().unwrap_or(0).max(1)
    }

    /// The most stones of a position that has a number.
    pub fn stones(&self) -> usize {
        self.stones
    }

    /// How many positions are numbered.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The position's number, given its stones.
    #[inline]
    pub fn number(&self, pits: &Pits<P>, stones: usize) -> u64 {
        let mover = pits.mover_stones();
        let block = self.blocks[stones * (stones + 1) / 2 + mover];
        block.start + rank_row(pits.mover()) * block.columns + rank_row(pits.opponent())
    }

    /// The mover's and the opponent's rows of the position with this number.
    ///
    /// # Panics
    ///
    /// When the number is not below [`Numbering::count`].
    pub fn rows(&self, number: u64) -> (Row<P>, Row<P>) {
        assert!(number < self.count, "there is no position {number}");
        let index = self.blocks.partition_point(|block| block.start <= number) - 1;
        // Layer n begins at block n (n + 1) / 2, so n is the triangular root.
        let stones = ((8 * index + 1).isqrt() - 1) / 2;
        let mover = index - stones * (stones + 1) / 2;
        let Block { start, columns } = self.blocks[index];
        let within = number - start;
        (unrank_row(mover, within / columns), unrank_row(stones - mover, within % columns))
    }
}

/// How many positions there are of exactly so many stones; the greatest number when 64 bits do not
/// count them.
fn layer_count<const P: usize>(stones: usize) -> u64 {
    Layer::<P>::new(stones).map_or(u64::MAX, |layer| layer.positions())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_position_has_its_number<const P: usize>(stones: usize) {
        let numbering = Numbering::<P>::new(stones);
        let mut expected = 0;
        for n in 0..=stones {
            let layer = Layer::<P>::new(n).unwrap();
            for index in 0..layer.positions() {
                let (mover, opponent) = layer.position(index);
                let pits = Pits::new(mover, opponent).unwrap();
                assert_eq!(numbering.number(&pits, n), expected);
                assert_eq!(numbering.rows(expected), (mover, opponent));
                expected += 1;
            }
        }
        assert_eq!(numbering.count(), expected);
    }

    #[test]
    fn numbers_have_no_gaps() {
        every_position_has_its_number::<1>(20);
        every_position_has_its_number::<3>(8);
        every_position_has_its_number::<6>(5);
    }

    #[test]
    fn all_boards_fit_56_bits() {
        let count = Numbering::<6>::new(MAX_STONES).count();
        assert_eq!(count.next_power_of_two(), 1 << 56);
    }

    #[test]
    fn boards_of_more_pits_are_numbered_as_far_as_they_can_be() {
        every_position_has_its_number::<8>(4);
        let most = Numbering::<8>::most_stones(|_| true);
        assert!((64..MAX_STONES).contains(&most), "{most}");
        assert_eq!(Numbering::<8>::new(most).count(), Numbering::<8>::count_up_to(most));
        assert_eq!(Numbering::<8>::count_up_to(most + 1), u64::MAX);
        assert_eq!(Numbering::<7>::most_stones(|_| true), MAX_STONES);
    }
}
