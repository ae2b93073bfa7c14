//! What is proved about a move.

use crate::search::Bounds;
use crate::tables::analysis::Outcome;

/// What is proved about the value of a position and the value of the move that was made there, both
/// seen by the player who made it.
///
/// A value is the mover's final store minus the opponent's when both play perfectly from there on,
/// stones already in the stores counted; a *point* is one of it. Where a value is not settled there
/// are bounds for it, and whatever a verdict says holds for all values within them.
///
/// ```
/// use kalah::judge::{Blunder, Verdict};
/// use kalah::search::Bounds;
///
/// let exactly = |value| Bounds { low: value, high: value };
/// let verdict = Verdict::new(exactly(2), exactly(-4));
/// assert_eq!(verdict.points(), Some(6));
/// assert_eq!(verdict.blunder(), Some(Blunder::WinToLoss));
///
/// // The move may have been the best one, or have given away up to four points.
/// let verdict = Verdict::new(exactly(2), Bounds { low: -2, high: 6 });
/// assert_eq!((verdict.points(), verdict.lost()), (None, Bounds { low: 0, high: 4 }));
/// assert_eq!(verdict.keeps_outcome(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    best: Bounds,
    played: Bounds,
}

/// How a move changed who wins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Blunder {
    /// A won game became a drawn one.
    WinToDraw,
    /// A drawn game became a lost one.
    DrawToLoss,
    /// A won game became a lost one.
    WinToLoss,
}

impl Verdict {
    /// The verdict on a move from bounds of the position's value and of the move's. No move is
    /// worth more than its position, so that each bounds the other.
    pub fn new(best: Bounds, played: Bounds) -> Self {
        Verdict {
            best: Bounds { low: best.low.max(played.low), ..best },
            played: Bounds { high: played.high.min(best.high), ..played },
        }
    }

    /// The verdict on a move where there is no other.
    pub fn of_only_move() -> Self {
        // Any value will do: the two are the same.
        let value = Bounds { low: 0, high: 0 };
        Verdict { best: value, played: value }
    }

    /// Bounds of the position's value.
    pub fn best(&self) -> Bounds {
        self.best
    }

    /// Bounds of the move's value.
    pub fn played(&self) -> Bounds {
        self.played
    }

    /// Bounds of the points that the move gave away, never below 0.
    pub fn lost(&self) -> Bounds {
        Bounds {
            low: (self.best.low - self.played.high).max(0),
            high: self.best.high - self.played.low,
        }
    }

    /// The points that the move gave away, once they are settled.
    pub fn points(&self) -> Option<i16> {
        self.lost().exact()
    }

    /// Whether the move keeps every point, once that is settled.
    pub fn keeps_points(&self) -> Option<bool> {
        match self.lost() {
            Bounds { low: 1.., .. } => Some(false),
            Bounds { high: 0, .. } => Some(true),
            _ => None,
        }
    }

    /// Whether the move keeps who wins, once that is settled.
    pub fn keeps_outcome(&self) -> Option<bool> {
        if self.lost().high == 0 {
            return Some(true);
        }
        let (low, high) = (self.best.low.min(self.played.low), self.best.high);
        if (Bounds { low, high }).outcome().is_some() {
            return Some(true);
        }
        (self.best.low.signum() > self.played.high.signum()).then_some(false)
    }

    /// How the move changed who wins, when it is settled that it did and how.
    pub fn blunder(&self) -> Option<Blunder> {
        match (self.best.outcome()?, self.played.outcome()?) {
            (Outcome::Win, Outcome::Draw) => Some(Blunder::WinToDraw),
            (Outcome::Draw, Outcome::Loss) => Some(Blunder::DrawToLoss),
            (Outcome::Win, Outcome::Loss) => Some(Blunder::WinToLoss),
            _ => None,
        }
    }
}

impl Blunder {
    /// Every kind.
    pub const ALL: [Blunder; 3] = [Blunder::WinToDraw, Blunder::DrawToLoss, Blunder::WinToLoss];

    /// What happened, in words.
    pub fn name(self) -> &'static str {
        match self {
            Blunder::WinToDraw => "win to draw",
            Blunder::DrawToLoss => "draw to loss",
            Blunder::WinToLoss => "win to loss",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(best: [i16; 2], played: [i16; 2]) -> Verdict {
        let bounds = |[low, high]: [i16; 2]| Bounds { low, high };
        Verdict::new(bounds(best), bounds(played))
    }

    /// What holds for each pair of values that the bounds allow.
    fn holds(verdict: &Verdict, best: [i16; 2], played: [i16; 2]) {
        let mut points = Vec::new();
        let mut kept = Vec::new();
        let mut blunders = Vec::new();
        for best in best[0]..=best[1] {
            for played in (played[0]..=played[1]).filter(|&played| played <= best) {
                points.push(best - played);
                kept.push(Outcome::of(best) == Outcome::of(played));
                let exact = verdict_of(best, played);
                blunders.push(exact.blunder());
            }
        }
        let agreed = |kept: &[bool]| kept.iter().all(|&k| k == kept[0]).then(|| kept[0]);
        assert_eq!(verdict.keeps_outcome(), agreed(&kept), "{verdict:?}");
        let zero: Vec<bool> = points.iter().map(|&points| points == 0).collect();
        assert_eq!(verdict.keeps_points(), agreed(&zero), "{verdict:?}");
        let lost = verdict.lost();
        assert_eq!(Some(&lost.low), points.iter().min(), "{verdict:?}");
        assert_eq!(Some(&lost.high), points.iter().max(), "{verdict:?}");
        if let Some(blunder) = verdict.blunder() {
            assert!(blunders.iter().all(|&other| other == Some(blunder)), "{verdict:?}");
        }
    }

    fn verdict_of(best: i16, played: i16) -> Verdict {
        verdict([best; 2], [played; 2])
    }

    #[test]
    fn nothing_is_claimed_that_bounds_leave_open() {
        let ranges: Vec<[i16; 2]> =
            (-3..=3).flat_map(|low| (low..=3).map(move |high| [low, high])).collect();
        let mut count = 0;
        for &best in &ranges {
            for &played in ranges.iter().filter(|played| played[0] <= best[1]) {
                holds(&verdict(best, played), best, played);
                count += 1;
            }
        }
        assert!(count > 500);
    }

    #[test]
    fn what_is_settled_is_told() {
        assert_eq!(verdict_of(4, 4).keeps_points(), Some(true));
        assert_eq!(verdict_of(4, 2).keeps_outcome(), Some(true));
        assert_eq!(verdict_of(4, 2).points(), Some(2));
        assert_eq!(verdict_of(1, 0).blunder(), Some(Blunder::WinToDraw));
        assert_eq!(verdict_of(0, -1).blunder(), Some(Blunder::DrawToLoss));
        assert_eq!(verdict_of(-1, -9).blunder(), None);
        // The best move does not lose, and this one does; whether it could have won is open.
        let lost = verdict([0, 4], [-8, -2]);
        assert_eq!((lost.keeps_outcome(), lost.blunder()), (Some(false), None));
        assert_eq!(Verdict::of_only_move().keeps_points(), Some(true));
    }
}
