//! What an alpha-beta search remembers of positions.

use crate::rules::{Pit, Pits};

/// What a value is to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    AtLeast,
    Exactly,
    AtMost,
}

/// What was found out about a position, for its player to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<const P: usize> {
    pub pits: Pits<P>,
    pub value: i16,
    pub kind: Kind,
    /// How many turns were looked ahead.
    pub turns: u8,
    /// The best pit, or the one that was good enough.
    pub pit: Pit<P>,
}

/// A table of fixed size, in which a later position takes the place of an earlier one.
///
/// Whole positions are compared: none is taken for another.
#[derive(Debug)]
pub(super) struct Transpositions<const P: usize> {
    /// A power of two of them, or none before there is anything to remember.
    slots: Vec<Option<Known<P>>>,
    /// Which of them are taken: to forget a few positions does not take the time of the whole table.
    taken: Vec<u32>,
    bits: u32,
}

impl<const P: usize> Transpositions<P> {
    /// Room for `2^bits` positions, taken when the first is remembered.
    pub fn new(bits: u32) -> Self {
        Transpositions { slots: Vec::new(), taken: Vec::new(), bits }
    }

    pub fn clear(&mut self) {
        for index in self.taken.drain(..) {
            self.slots[index as usize] = None;
        }
    }

    #[inline]
    pub fn get(&self, pits: &Pits<P>) -> Option<&Known<P>> {
        self.slots.get(self.index(pits))?.as_ref().filter(|known| known.pits == *pits)
    }

    #[inline]
    pub fn put(&mut self, known: Known<P>) {
        if self.slots.is_empty() {
            self.slots.resize(1 << self.bits, None);
        }
        let index = self.index(&known.pits);
        if self.slots[index].replace(known).is_none() {
            self.taken.push(index as u32);
        }
    }

    #[inline]
    fn index(&self, pits: &Pits<P>) -> usize {
        let word = |row: &[u8; P]| row.iter().rev().fold(0, |word, &c| word << 8 | u64::from(c));
        let mixed = (word(pits.mover()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ word(pits.opponent()).rotate_left(32))
        .wrapping_mul(0xd1b5_4a32_d192_ed03);
        (mixed >> (64 - self.bits)) as usize
    }
}
