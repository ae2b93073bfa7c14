//! What can be asked about a position, and what is proved of the answer.

use std::fmt;

use crate::tables::analysis::Outcome;

/// The least and the greatest margin that a position can have as far as it is proved.
///
/// Margins of positions with as many stones have one parity, so the bounds are `stones`, `stones -
/// 2`, .. apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    /// The player to move can force this margin.
    pub low: i16,
    /// The opponent can hold the player to move to this margin.
    pub high: i16,
}

impl Bounds {
    /// What is known of any position of so many stones.
    pub fn of_stones(stones: usize) -> Self {
        let stones = stones as i16;
        Bounds { low: -stones, high: stones }
    }

    /// The margin, once it is known exactly.
    pub fn exact(self) -> Option<i16> {
        (self.low == self.high).then_some(self.low)
    }

    /// Bounds of the value, from those of the margin, when the mover is so far ahead in the stores.
    pub fn with_lead(self, lead: i16) -> Self {
        Bounds { low: self.low + lead, high: self.high + lead }
    }

    /// Who wins when these are bounds of a value, once they say.
    pub fn outcome(self) -> Option<Outcome> {
        let (low, high) = (Outcome::of(self.low), Outcome::of(self.high));
        (low == high).then_some(low)
    }

    /// The same seen by the other player.
    pub fn opposite(self) -> Self {
        Bounds { low: -self.high, high: -self.low }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact() {
            Some(margin) => write!(f, "{margin}"),
            None => write!(f, "{} to {}", self.low, self.high),
        }
    }
}

/// What to find out about a position's margin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// The exact margin.
    Exact,
    /// Whether the player to move gets at least this margin.
    AtLeast(i16),
    /// Whether the margin is above, at, or below this one. With the lead that the opponent has in
    /// the stores it asks who wins.
    Against(i16),
}

impl Question {
    /// Whether the bounds answer it.
    pub fn is_settled(self, Bounds { low, high }: Bounds) -> bool {
        match self {
            Question::Exact => low == high,
            Question::AtLeast(margin) => low >= margin || high < margin,
            Question::Against(level) => low > level || high < level || low == high,
        }
    }

    /// The margin to ask for next, within the bounds, when the truth is thought to be near `guess`:
    /// at the end of the search `guess` is within reach and `guess + 2` is not.
    pub(super) fn threshold(self, Bounds { low, high }: Bounds, guess: i16) -> i16 {
        // The least margin of the right parity that is not below, within the bounds.
        let nearest = |margin: i16| (margin + (margin - low).rem_euclid(2)).clamp(low + 2, high);
        match self {
            Question::Exact => nearest(guess),
            Question::AtLeast(margin) => nearest(margin),
            Question::Against(level) => {
                let settled_below = low >= level + (level - low).rem_euclid(2);
                nearest(if guess > level || settled_below { level + 1 } else { level })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_winner_takes_two_thresholds_at_most() {
        let bounds = |low, high| Bounds { low, high };
        let winner = Question::Against(0);
        assert_eq!(winner.threshold(bounds(-48, 48), 4), 2);
        assert_eq!(winner.threshold(bounds(-48, 48), 0), 0);
        assert_eq!(winner.threshold(bounds(-48, 48), -6), 0);
        assert_eq!(winner.threshold(bounds(0, 48), -6), 2);
        assert_eq!(winner.threshold(bounds(-48, 0), 6), 0);
        assert!(winner.is_settled(bounds(2, 48)) && winner.is_settled(bounds(-48, -2)));
        assert!(winner.is_settled(bounds(0, 0)) && !winner.is_settled(bounds(0, 2)));
        // Odd margins, and a lead that none of them can equal.
        assert_eq!(winner.threshold(bounds(-7, 7), -3), 1);
        assert_eq!(Question::Against(-3).threshold(bounds(-7, 7), -3), -3);
        assert_eq!(Question::Against(-3).threshold(bounds(-7, 7), -1), -1);
        assert_eq!(Question::Against(-4).threshold(bounds(-7, 7), -5), -3);
    }

    #[test]
    fn thresholds_stay_within_the_bounds() {
        for question in [Question::Exact, Question::AtLeast(5), Question::Against(-3)] {
            for guess in -30..30 {
                let bounds = Bounds { low: -4, high: 6 };
                if !question.is_settled(bounds) {
                    let threshold = question.threshold(bounds, guess);
                    assert!((-2..=6).contains(&threshold), "{question:?} {guess}: {threshold}");
                    assert_eq!(threshold % 2, 0);
                }
            }
        }
    }
}
