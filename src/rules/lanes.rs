//! A row as one machine word.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use super::Row;

/// A row of at most eight pits as the eight byte lanes of a word, pit 1 the lowest; lanes without
/// a pit are zero.
///
/// Arithmetic on the word is arithmetic on all pits at once: a lane holds at most 127, so that
/// nothing carries into the next. In memory it is the bytes of the row, so that it can lend them;
/// the alignment has it moved as one word, where stores of single bytes would stall the loads of
/// the whole that follow.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(8))]
pub(super) struct Lanes<const P: usize>([u8; 8]);

impl<const P: usize> Lanes<P> {
    /// A one in every lane.
    pub(super) const ONES: u64 = u64::from_le_bytes([1; 8]);

    pub(super) const fn from_row(row: &Row<P>) -> Self {
        let mut lanes = [0; 8];
        let (pits, _) = lanes.split_at_mut(P);
        pits.copy_from_slice(row);
        Lanes(lanes)
    }

    #[inline]
    pub(super) const fn row(&self) -> &Row<P> {
        match self.0.first_chunk() {
            Some(row) => row,
            None => unreachable!(),
        }
    }

    /// The lanes of a word, which must be zero where there is no pit.
    #[inline]
    pub(super) const fn from_word(word: u64) -> Self {
        Lanes(word.to_le_bytes())
    }

    #[inline]
    pub(super) const fn word(self) -> u64 {
        u64::from_le_bytes(self.0)
    }

    #[inline]
    pub(super) const fn is_empty(self) -> bool {
        self.word() == 0
    }

    /// The stones in all pits together, at most 127.
    #[inline]
    pub(super) const fn stones(self) -> u8 {
        // The highest lane of the product is the sum of all lanes.
        (self.word().wrapping_mul(Self::ONES) >> 56) as u8
    }

    /// A word with the highest bit set of every lane that holds stones.
    #[inline]
    pub(super) const fn occupied(self) -> u64 {
        (self.word() + 0x7f * Self::ONES) & (0x80 * Self::ONES)
    }
}

impl<const P: usize> Hash for Lanes<P> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.word().hash(state);
    }
}

impl<const P: usize> fmt::Debug for Lanes<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.row().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_back_and_is_summed() {
        for row in [[0; 8], [1, 0, 120, 3, 0, 0, 3, 0], [0, 0, 0, 0, 0, 0, 0, 127], [15; 8]] {
            let lanes = Lanes::from_row(&row);
            assert_eq!(lanes.row(), &row);
            assert_eq!(Lanes::<8>::from_word(lanes.word()), lanes);
            assert_eq!(lanes.is_empty(), row == [0; 8]);
            assert_eq!(lanes.stones(), row.iter().sum::<u8>());
        }
        assert_eq!(format!("{:?}", Lanes::from_row(&[1, 2, 3])), "[1, 2, 3]");
    }

    #[test]
    fn occupied_lanes_are_those_with_stones() {
        let occupied = Lanes::from_row(&[0, 1, 127, 0, 64]).occupied();
        assert_eq!(occupied.to_le_bytes(), [0, 0x80, 0x80, 0, 0x80, 0, 0, 0]);
    }
}
