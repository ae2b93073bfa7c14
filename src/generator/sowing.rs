//! Rows packed into a word, and what one move does to either row with the other row left open.
//!
//! The generator computes whole lines of positions in which one row is the same and the other runs
//! through all its values. A sowing from the fixed row has one effect for the whole line, but for
//! the amount of a capture; this module says what it is.

use crate::ranking::{MAX_PITS, MAX_STONES, row_count};
use crate::rules::Row;

/// A row in one word, the pit next to the store in the lowest byte.
///
/// No pit holds more than 127 stones, so rows are added as words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Packed(u64);

const ONES: u64 = 0x0101_0101_0101_0101;

/// `BEHIND[k][t]`: how many rows come after a row because, the first to differ, the pit before the
/// last `k + 1` pits holds more, where these hold `t` stones: see [`rank_row`](crate::ranking::rank_row).
static BEHIND: [[u32; MAX_STONES + 1]; MAX_PITS - 1] = behind();

const fn behind() -> [[u32; MAX_STONES + 1]; MAX_PITS - 1] {
    let mut table = [[0; MAX_STONES + 1]; MAX_PITS - 1];
    // More than six pits are not in tables, and would not fit.
    let mut pits = 2;
    while pits <= 6 {
        let mut stones = 1;
        while stones <= MAX_STONES {
            table[pits - 2][stones] = row_count(pits, stones - 1) as u32;
            stones += 1;
        }
        pits += 1;
    }
    table
}

impl Packed {
    pub fn new<const P: usize>(row: &Row<P>) -> Self {
        const { assert!(P <= 6, "tables are for at most six pits a side") };
        Packed(row.iter().fold(0, |word, &count| word << 8 | u64::from(count)))
    }

    /// The stones in pit `pit`, counted from 0 at the far end.
    #[inline(always)]
    pub fn pit<const P: usize>(self, pit: usize) -> usize {
        usize::from((self.0 >> (8 * (P - 1 - pit))) as u8)
    }

    /// The row with pit `pit` empty.
    #[inline(always)]
    pub fn cleared<const P: usize>(self, pit: usize) -> Self {
        Packed(self.0 & !(0xff << (8 * (P - 1 - pit))))
    }

    /// Pit by pit, the stones of both rows.
    #[inline(always)]
    pub fn plus(self, other: Packed) -> Self {
        Packed(self.0 + other.0)
    }

    /// The rank among the rows of as many stones: what
    /// [`rank_row`](crate::ranking::rank_row) says of the unpacked row.
    #[inline(always)]
    pub fn rank<const P: usize>(self) -> usize {
        // Byte k holds the stones of the last k + 1 pits.
        let sums = self.0.wrapping_mul(ONES).to_le_bytes();
        let mut rank = row_count(P, usize::from(sums[P - 1])) as u32 - 1;
        for (&stones, behind) in sums[..P - 1].iter().zip(&BEHIND) {
            rank -= behind[usize::from(stones & 127)];
        }
        rank as usize
    }

    /// The sum over a row's stones of the places to the store.
    ///
    /// A move that keeps all stones in the row lowers it, so it orders the rows of a block: what a
    /// row needs within its layer are rows of lower potential.
    pub fn potential<const P: usize>(self) -> usize {
        (0..P).map(|pit| self.pit::<P>(pit) * (P - pit)).sum()
    }
}

/// What a sowing adds to the other side's pits: `laps` stones to every pit, and one more to each
/// of the first `first` pits (fewer than there are pits).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Adds {
    pub laps: u8,
    pub first: u8,
}

impl Adds {
    pub const NONE: Adds = Adds { laps: 0, first: 0 };

    /// Stones added to the other side's pits, all together.
    pub fn stones(self, pits: usize) -> usize {
        usize::from(self.laps) * pits + usize::from(self.first)
    }

    /// What is added, as a row.
    pub fn packed<const P: usize>(self) -> Packed {
        let row = std::array::from_fn(|pit| self.laps + u8::from(pit < usize::from(self.first)));
        Packed::new::<P>(&row)
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
pub(super) struct Sowing {
    /// The sower's row afterwards; the capturing stone, if it will capture, still in its pit.
    pub row: Packed,
    /// Stones dropped into the store on the way.
    pub gain: usize,
    pub adds: Adds,
    pub landing: Landing,
}

/// How the stones of one pit are sown, whatever else lies in the row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    /// What is added to the sower's row, its own pit emptied.
    own: Packed,
    /// Stones dropped into the store on the way.
    pub gain: usize,
    pub adds: Adds,
    /// The own pit that the last stone falls in, or [`STORE`] or [`OTHER_SIDE`].
    last: u8,
}

const STORE: u8 = 254;
const OTHER_SIDE: u8 = 255;

impl Effect {
    pub fn ends_in_store(&self) -> bool {
        self.last == STORE
    }

    pub fn ends_in_own_row(&self) -> bool {
        self.last < STORE
    }

    /// The own pit that the last stone falls in, if it does.
    pub fn last_own_pit(&self) -> Option<usize> {
        self.ends_in_own_row().then_some(usize::from(self.last))
    }

    /// Stones that are added to the sower's first pit.
    pub fn own_first<const P: usize>(&self) -> usize {
        self.own.pit::<P>(0)
    }
}

/// The sowings of every pit and number of stones.
pub(super) struct Sowings<const P: usize> {
    /// By stones, then by pit.
    table: Vec<[Effect; P]>,
}

impl<const P: usize> Sowings<P> {
    /// The sowings of up to `most` stones.
    pub fn new(most: usize) -> Self {
        let effects = |stones| std::array::from_fn(|pit| Self::work_out(pit, stones));
        Sowings { table: (0..=most).map(effects).collect() }
    }

    fn work_out(pit: usize, stones: usize) -> Effect {
        // Places count from the sower's first pit: own pits 0..P, store P, other pits P+1..=2P.
        let cycle = 2 * P + 1;
        let laps = stones / cycle;
        // One stone more falls in the places after `pit` up to and including this one.
        let end = pit + stones % cycle;
        let own: Row<P> = std::array::from_fn(|place| {
            let again = (place > pit && place <= end) || place + cycle <= end;
            laps as u8 + u8::from(again)
        });
        let first = end.saturating_sub(P).min(P);
        let adds = if first == P {
            Adds { laps: laps as u8 + 1, first: 0 }
        } else {
            Adds { laps: laps as u8, first: first as u8 }
        };
        let last = match (pit + stones) % cycle {
            last if last == P => STORE,
            last if last < P => last as u8,
            _ => OTHER_SIDE,
        };
        Effect { own: Packed::new::<P>(&own), gain: laps + usize::from(end >= P), adds, last }
    }

    /// How `stones` stones in pit `pit` (from 0) are sown.
    #[inline(always)]
    pub fn effect(&self, pit: usize, stones: usize) -> Effect {
        self.table[stones][pit]
    }

    /// Sows pit `pit` (from 0) of `row`; `None` when it is empty.
    #[inline(always)]
    pub fn sow(&self, row: Packed, pit: usize) -> Option<Sowing> {
        let stones = row.pit::<P>(pit);
        if stones == 0 {
            return None;
        }
        let Effect { own, gain, adds, last } = self.effect(pit, stones);
        let row = row.cleared::<P>(pit).plus(own);
        let landing = match last {
            STORE => Landing::Store,
            OTHER_SIDE => Landing::Pit,
            last if row.pit::<P>(usize::from(last)) == 1 => Landing::Empty(usize::from(last)),
            _ => Landing::Pit,
        };
        Some(Sowing { row, gain, adds, landing })
    }
}

/// The pit of the other side that faces `pit`.
#[inline(always)]
pub(super) const fn facing<const P: usize>(pit: usize) -> usize {
    P - 1 - pit
}

/// The rows of `stones` stones in the order of their ranks.
pub(super) fn rows<const P: usize>(stones: usize) -> impl Iterator<Item = Packed> {
    let mut first = [0; P];
    first[P - 1] = stones as u8;
    std::iter::successors(Some(first), |row| {
        // The rightmost stones, less one, go back to the last pit; the one goes a pit to the left.
        let pit = row.iter().rposition(|&count| count > 0).filter(|&pit| pit > 0)?;
        let mut next = *row;
        let stones = std::mem::take(&mut next[pit]);
        next[pit - 1] += 1;
        next[P - 1] = stones - 1;
        Some(next)
    })
    .map(|row| Packed::new(&row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sow(row: [u8; 3], pit: usize) -> (Packed, usize, Adds, Landing) {
        let Sowing { row, gain, adds, landing } =
            Sowings::<3>::new(20).sow(Packed::new(&row), pit).unwrap();
        (row, gain, adds, landing)
    }

    #[test]
    fn rows_come_in_rank_order() {
        for stones in 0..9 {
            let ranks: Vec<usize> = rows::<4>(stones).map(|row| row.rank::<4>()).collect();
            assert_eq!(ranks, (0..row_count(4, stones) as usize).collect::<Vec<_>>());
        }
        assert_eq!(rows::<1>(3).collect::<Vec<_>>(), [Packed(3)]);
        assert_eq!(rows::<6>(30).map(|row| row.rank::<6>()).last(), Some(324_631));
    }

    #[test]
    fn a_sowing_goes_on_into_the_other_side() {
        let all = Adds { laps: 1, first: 0 };
        assert_eq!(sow([0, 5, 1], 1), (Packed::new(&[0, 0, 2]), 1, all, Landing::Pit));
        let two = Adds { laps: 0, first: 2 };
        assert_eq!(sow([0, 4, 1], 1), (Packed::new(&[0, 0, 2]), 1, two, Landing::Pit));
    }

    #[test]
    fn a_full_lap_ends_in_the_pit_it_began_in() {
        let all = Adds { laps: 1, first: 0 };
        assert_eq!(sow([0, 7, 1], 1), (Packed::new(&[1, 1, 2]), 1, all, Landing::Empty(1)));
    }

    #[test]
    fn moves_within_the_row_lower_the_potential() {
        let sowings = Sowings::<5>::new(9);
        for row in rows::<5>(9) {
            for sowing in (0..5).filter_map(|pit| sowings.sow(row, pit)).filter(|s| s.gain == 0) {
                assert!(sowing.row.potential::<5>() < row.potential::<5>());
            }
        }
    }
}
