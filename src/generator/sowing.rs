//! What one move does to either row, with the other row left open.
//!
//! The generator computes whole lines of positions in which one row is the same and the other runs
//! through all its values. A sowing from the fixed row has one effect for the whole line, but for
//! the amount of a capture; this module says what it is.

use crate::rules::Row;

/// What a sowing adds to the other side's pits: `laps` stones to every pit, and one more to each
/// of the first `first` pits (fewer than there are pits).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Adds {
    pub laps: u8,
    pub first: u8,
}

impl Adds {
    /// Stones added to the other side's pits, all together.
    pub fn stones(self, pits: usize) -> usize {
        usize::from(self.laps) * pits + usize::from(self.first)
    }

    /// The other side's row after the sowing.
    pub fn apply<const P: usize>(self, row: &Row<P>) -> Row<P> {
        std::array::from_fn(|pit| row[pit] + self.laps + u8::from(pit < usize::from(self.first)))
    }
}

/// Where the last stone fell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Landing {
    /// In the store: the same player moves again.
    Store,
    /// In a pit of the other side, or in an own pit that held stones: the turn passes.
    Pit,
    /// In this own pit, which was empty.
    Empty(usize),
}

/// One move as the sower's side sees it, before any capture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sowing<const P: usize> {
    /// The sower's row afterwards; the capturing stone, if it will capture, still in its pit.
    pub row: Row<P>,
    /// Stones dropped into the store on the way.
    pub gain: u8,
    pub adds: Adds,
    pub landing: Landing,
}

/// Sows pit `pit` (from 0) of `row`; `None` when it is empty.
#[inline]
pub(super) fn sow<const P: usize>(row: &Row<P>, pit: usize) -> Option<Sowing<P>> {
    let stones = usize::from(row[pit]);
    if stones == 0 {
        return None;
    }
    // Places count from the sower's first pit: own pits 0..P, store P, other pits P+1..=2P.
    let cycle = 2 * P + 1;
    let laps = stones / cycle;
    // One stone more falls in the places after `pit` up to and including this one.
    let end = pit + stones % cycle;
    let mut after = *row;
    after[pit] = 0;
    for (place, count) in after.iter_mut().enumerate() {
        let again = (place > pit && place <= end) || place + cycle <= end;
        *count += laps as u8 + u8::from(again);
    }
    let first = end.saturating_sub(P).min(P);
    let adds = if first == P {
        Adds { laps: laps as u8 + 1, first: 0 }
    } else {
        Adds { laps: laps as u8, first: first as u8 }
    };
    let last = (pit + stones) % cycle;
    let landing = match last {
        _ if last == P => Landing::Store,
        _ if last < P && after[last] == 1 => Landing::Empty(last),
        _ => Landing::Pit,
    };
    Some(Sowing { row: after, gain: laps as u8 + u8::from(end >= P), adds, landing })
}

/// The pit of the other side that faces `pit`.
#[inline]
pub(super) const fn facing<const P: usize>(pit: usize) -> usize {
    P - 1 - pit
}

/// The sum over a row's stones of the places to the store.
///
/// A move that keeps all stones in the row lowers it, so it orders the rows of a block: what a row
/// needs within its layer are rows of lower potential.
pub(super) fn potential<const P: usize>(row: &Row<P>) -> usize {
    row.iter().enumerate().map(|(pit, &count)| usize::from(count) * (P - pit)).sum()
}

/// Rows of `stones` stones in lexicographic order, without unranking each.
pub(super) struct Rows<const P: usize> {
    next: Option<Row<P>>,
}

impl<const P: usize> Rows<P> {
    pub fn new(stones: usize) -> Self {
        let mut first = [0; P];
        first[P - 1] = stones as u8;
        Rows { next: Some(first) }
    }
}

impl<const P: usize> Iterator for Rows<P> {
    type Item = Row<P>;

    fn next(&mut self) -> Option<Row<P>> {
        let row = self.next?;
        // The rightmost stones, less one, go back to the last pit; the one goes a pit to the left.
        self.next = row.iter().rposition(|&count| count > 0).filter(|&pit| pit > 0).map(|pit| {
            let mut next = row;
            let stones = std::mem::take(&mut next[pit]);
            next[pit - 1] += 1;
            next[P - 1] = stones - 1;
            next
        });
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::{rank_row, row_count};

    #[test]
    fn rows_come_in_rank_order() {
        for stones in 0..8 {
            let ranks: Vec<u64> = Rows::<4>::new(stones).map(|row| rank_row(&row)).collect();
            assert_eq!(ranks, (0..row_count(4, stones)).collect::<Vec<_>>());
        }
        assert_eq!(Rows::<1>::new(3).collect::<Vec<_>>(), [[3]]);
    }

    #[test]
    fn a_full_lap_ends_in_the_pit_it_began_in() {
        let sowing = sow(&[0, 5, 1], 1).unwrap();
        assert_eq!(sowing.row, [0, 0, 2]);
        assert_eq!((sowing.gain, sowing.adds), (1, Adds { laps: 1, first: 0 }));
        assert_eq!(sowing.landing, Landing::Pit);

        let sowing = sow(&[0, 7, 1], 1).unwrap();
        assert_eq!(sowing.row, [1, 1, 2]);
        assert_eq!((sowing.gain, sowing.adds), (1, Adds { laps: 1, first: 0 }));
        assert_eq!(sowing.landing, Landing::Empty(1));
    }

    #[test]
    fn moves_within_the_row_lower_the_potential() {
        for row in Rows::<5>::new(9) {
            for sowing in (0..5).filter_map(|pit| sow(&row, pit)).filter(|sowing| sowing.gain == 0)
            {
                assert!(potential(&sowing.row) < potential(&row));
            }
        }
    }
}
