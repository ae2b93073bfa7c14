//! Pits that exist.

use std::{fmt, iter::FusedIterator};

use super::{assert_playable, lanes::Lanes};

/// One of the mover's `P` pits.
///
/// A person counts them from 1, from their owner's left ([`Pit::number`]); arrays count from 0
/// ([`Pit::index`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pit<const P: usize>(u8);

/// A number that is no pit's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no pit {number}; pits are numbered 1 to {pits}")]
pub struct UnknownPit {
    /// The number asked for.
    pub number: usize,
    /// The pits a side.
    pub pits: usize,
}

impl<const P: usize> Pit<P> {
    /// The pit with this number, 1 to `P` from its owner's left.
    ///
    /// # Errors
    ///
    /// [`UnknownPit`] when there is none.
    #[inline]
    pub fn from_number(number: usize) -> Result<Self, UnknownPit> {
        const { assert_playable::<P>() };
        if (1..=P).contains(&number) {
            Ok(Pit((number - 1) as u8))
        } else {
            Err(UnknownPit { number, pits: P })
        }
    }

    /// The pit's number, 1 to `P` from its owner's left.
    #[inline]
    pub fn number(self) -> u8 {
        self.0 + 1
    }

    /// The pit's place in a [`Row`](super::Row), 0 to `P - 1`.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Every pit, from its owner's left.
    #[inline]
    pub fn all() -> impl DoubleEndedIterator<Item = Pit<P>> {
        const { assert_playable::<P>() };
        (0..P as u8).map(Pit)
    }
}

impl<const P: usize> fmt::Display for Pit<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

/// The pits that may be sown, from their owner's left.
#[derive(Clone, Debug)]
pub struct LegalPits<const P: usize> {
    /// The highest bit in the byte of every pit that is left.
    left: u64,
}

impl<const P: usize> LegalPits<P> {
    /// The pits that hold stones.
    #[inline]
    pub(super) fn occupied(row: Lanes<P>) -> Self {
        LegalPits { left: row.occupied() }
    }

    /// No pits.
    #[inline]
    pub(super) fn none() -> Self {
        LegalPits { left: 0 }
    }

    /// The pit in whose byte this bit is.
    #[inline]
    fn take(&mut self, bit: u32) -> Pit<P> {
        self.left ^= 1 << bit;
        Pit((bit / 8) as u8)
    }
}

impl<const P: usize> Iterator for LegalPits<P> {
    type Item = Pit<P>;

    #[inline]
    fn next(&mut self) -> Option<Pit<P>> {
        (self.left != 0).then(|| self.take(self.left.trailing_zeros()))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        // One bit a byte: the highest byte of the product is their sum. Processors that need not
        // have an instruction to count bits take longer.
        let left = ((self.left >> 7).wrapping_mul(Lanes::<P>::ONES) >> 56) as usize;
        (left, Some(left))
    }
}

impl<const P: usize> DoubleEndedIterator for LegalPits<P> {
    #[inline]
    fn next_back(&mut self) -> Option<Pit<P>> {
        (self.left != 0).then(|| self.take(u64::BITS - 1 - self.left.leading_zeros()))
    }
}

impl<const P: usize> ExactSizeIterator for LegalPits<P> {}
impl<const P: usize> FusedIterator for LegalPits<P> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pits_are_numbered_from_1() {
        for number in 1..=6 {
            let pit = Pit::<6>::from_number(number).unwrap();
            assert_eq!(usize::from(pit.number()), number);
            assert_eq!(pit.index(), number - 1);
            assert_eq!(pit.to_string(), number.to_string());
        }
        for number in [0, 7, 256, 257, usize::MAX] {
            let error = Pit::<6>::from_number(number).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("there is no pit {number}; pits are numbered 1 to 6")
            );
        }
        assert!(Pit::<8>::all().map(Pit::number).eq(1..=8));
    }

    #[test]
    fn legal_pits_are_walked_from_either_end() {
        let pits = || LegalPits::occupied(Lanes::from_row(&[0, 3, 0, 127, 1, 0, 0, 9]));
        assert!(pits().map(Pit::number).eq([2, 4, 5, 8]));
        assert!(pits().rev().map(Pit::number).eq([8, 5, 4, 2]));
        let mut both = pits();
        assert_eq!(both.next().map(Pit::number), Some(2));
        assert_eq!(both.next_back().map(Pit::number), Some(8));
        assert_eq!(both.len(), 2);
        assert_eq!(LegalPits::<6>::none().next_back(), None);
    }
}
