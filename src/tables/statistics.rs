//! How the positions of a block end.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// How the open positions of a block or a layer end for the player to move when the stores are
/// equal. A position is open while both rows hold stones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Open positions the player to move wins.
    pub won: u64,
    /// Open positions that are drawn.
    pub drawn: u64,
    /// Open positions the player to move loses.
    pub lost: u64,
    lowest: u8,
    highest: u8,
}

/// As many rounds of a chunk as an 8-bit counter can count.
const ROUNDS: usize = 255;
/// Counters kept side by side: the compiler turns each round into a few vector instructions.
const LANES: usize = 64;

impl Statistics {
    /// Counts the shares of open positions with `stones` stones in the pits.
    ///
    /// ```
    /// use kalah::tables::Statistics;
    ///
    /// let statistics = Statistics::of_open(&[0, 1, 2, 3, 3], 4);
    /// assert_eq!((statistics.won, statistics.drawn, statistics.lost), (2, 1, 2));
    /// assert_eq!(statistics.shares(), Some((0, 3)));
    /// ```
    pub fn of_open(shares: &[u8], stones: usize) -> Self {
        // Twice a share above `stones` wins, so a share above the half rounded down does.
        let half = (stones / 2) as u8;
        let (mut above, mut equal) = (0u64, 0u64);
        let mut lowest = [u8::MAX; LANES];
        let mut highest = [0u8; LANES];
        for chunk in shares.chunks(ROUNDS * LANES) {
            let mut above_lanes = [0u8; LANES];
            let mut equal_lanes = [0u8; LANES];
            let (rounds, rest) = chunk.as_chunks::<LANES>();
            for round in rounds {
                for lane in 0..LANES {
                    let share = round[lane];
                    above_lanes[lane] += u8::from(share > half);
                    equal_lanes[lane] += u8::from(share == half);
                    lowest[lane] = lowest[lane].min(share);
                    highest[lane] = highest[lane].max(share);
                }
            }
            for &share in rest {
                above += u64::from(share > half);
                equal += u64::from(share == half);
                lowest[0] = lowest[0].min(share);
                highest[0] = highest[0].max(share);
            }
            above += above_lanes.iter().map(|&n| u64::from(n)).sum::<u64>();
            equal += equal_lanes.iter().map(|&n| u64::from(n)).sum::<u64>();
        }
        let all = shares.len() as u64;
        let drawn = if stones.is_multiple_of(2) { equal } else { 0 };
        Statistics {
            won: above,
            drawn,
            lost: all - above - drawn,
            lowest: if all == 0 { 0 } else { lowest.into_iter().fold(u8::MAX, u8::min) },
            highest: highest.into_iter().fold(0, u8::max),
        }
    }

    /// How many open positions there are.
    pub fn open(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// The lowest and the highest share of an open position; `None` when no position is open.
    pub fn shares(&self) -> Option<(u8, u8)> {
        (self.open() > 0).then_some((self.lowest, self.highest))
    }

    /// Whether these can be the statistics of `open` open positions with `stones` stones.
    pub(super) fn are_plausible(&self, open: u64, stones: usize) -> bool {
        let counted =
            self.won.checked_add(self.drawn).and_then(|counted| counted.checked_add(self.lost));
        let no_shares = (self.lowest, self.highest) == (0, 0);
        counted == Some(open)
            && self.lowest <= self.highest
            && usize::from(self.highest) <= stones
            && (open > 0 || no_shares)
    }
}

impl Add for Statistics {
    type Output = Statistics;

    fn add(self, other: Statistics) -> Statistics {
        let shares = match (self.shares(), other.shares()) {
            (Some((low, high)), Some((other_low, other_high))) => {
                (low.min(other_low), high.max(other_high))
            }
            (one, other) => one.or(other).unwrap_or_default(),
        };
        Statistics {
            won: self.won + other.won,
            drawn: self.drawn + other.drawn,
            lost: self.lost + other.lost,
            lowest: shares.0,
            highest: shares.1,
        }
    }
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Statistics {
    fn sum<I: Iterator<Item = Statistics>>(all: I) -> Statistics {
        all.fold(Statistics::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one_by_one(shares: &[u8], stones: usize) -> Statistics {
        let count = |keep: fn(usize, usize) -> bool| {
            shares.iter().filter(|&&s| keep(2 * usize::from(s), stones)).count() as u64
        };
        Statistics {
            won: count(|twice, n| twice > n),
            drawn: count(|twice, n| twice == n),
            lost: count(|twice, n| twice < n),
            lowest: shares.iter().copied().min().unwrap_or(0),
            highest: shares.iter().copied().max().unwrap_or(0),
        }
    }

    proptest! {
        #[test]
        fn counting_side_by_side_is_counting(
            stones in 0usize..=127,
            shares in proptest::collection::vec(0u8..=127, 0..40_000),
        ) {
            prop_assert_eq!(Statistics::of_open(&shares, stones), one_by_one(&shares, stones));
            let (left, right) = shares.split_at(shares.len() / 3);
            prop_assert_eq!(
                Statistics::of_open(left, stones) + Statistics::of_open(right, stones),
                one_by_one(&shares, stones)
            );
        }
    }

    #[test]
    fn no_counter_overflows() {
        let shares = vec![9; 3 * ROUNDS * LANES + 17];
        assert_eq!(Statistics::of_open(&shares, 9).won, shares.len() as u64);
    }
}
