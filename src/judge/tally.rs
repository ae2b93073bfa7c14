//! Counts of verdicts, by stones left in the pits.

use std::ops::AddAssign;

use super::verdict::{Blunder, Verdict};

/// What some moves gave away, as far as it is proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Moves that were judged.
    pub moves: u64,
    /// Those where there was another legal pit.
    pub choices: u64,
    /// Moves that keep who wins.
    pub keep_outcome: u64,
    /// Moves that do not.
    pub lose_outcome: u64,
    /// Moves that keep every point.
    pub keep_points: u64,
    /// Moves that do not.
    pub lose_points: u64,
    /// Moves of which the points they give away are not settled, because the search ran out of
    /// nodes.
    pub open: u64,
    /// The points given away by all moves that are not open.
    pub points: u64,
    /// The points given away by those that are: at least so many.
    pub open_points: u64,
    /// Won games that became drawn ones.
    pub win_to_draw: u64,
    /// Drawn games that became lost ones.
    pub draw_to_loss: u64,
    /// Won games that became lost ones.
    pub win_to_loss: u64,
}

impl Counts {
    /// Counts a move. Whether there was another legal pit has to be said.
    pub fn add(&mut self, verdict: &Verdict, had_choice: bool) {
        self.moves += 1;
        self.choices += u64::from(had_choice);
        match verdict.keeps_outcome() {
            Some(true) => self.keep_outcome += 1,
            Some(false) => self.lose_outcome += 1,
            None => {}
        }
        match verdict.keeps_points() {
            Some(true) => self.keep_points += 1,
            Some(false) => self.lose_points += 1,
            None => {}
        }
        let least = u64::from(verdict.lost().low.unsigned_abs());
        match verdict.points() {
            Some(_) => self.points += least,
            None => {
                self.open += 1;
                self.open_points += least;
            }
        }
        match verdict.blunder() {
            Some(Blunder::WinToDraw) => self.win_to_draw += 1,
            Some(Blunder::DrawToLoss) => self.draw_to_loss += 1,
            Some(Blunder::WinToLoss) => self.win_to_loss += 1,
            None => {}
        }
    }

    /// How many blunders of this kind.
    pub fn blunders(&self, kind: Blunder) -> u64 {
        match kind {
            Blunder::WinToDraw => self.win_to_draw,
            Blunder::DrawToLoss => self.draw_to_loss,
            Blunder::WinToLoss => self.win_to_loss,
        }
    }

    /// Moves of which it is settled what they give away.
    pub fn settled(&self) -> u64 {
        self.moves - self.open
    }

    /// The points that a settled move gives away on the average, if there is one.
    pub fn points_a_move(&self) -> Option<f64> {
        (self.settled() > 0).then(|| self.points as f64 / self.settled() as f64)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.moves += other.moves;
        self.choices += other.choices;
        self.keep_outcome += other.keep_outcome;
        self.lose_outcome += other.lose_outcome;
        self.keep_points += other.keep_points;
        self.lose_points += other.lose_points;
        self.open += other.open;
        self.points += other.points;
        self.open_points += other.open_points;
        self.win_to_draw += other.win_to_draw;
        self.draw_to_loss += other.draw_to_loss;
        self.win_to_loss += other.win_to_loss;
    }
}

/// [`Counts`] for each number of stones left in the pits when the move was made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    rows: Vec<Counts>,
}

impl Tally {
    /// Counts a move that was made with so many stones in the pits.
    pub fn add(&mut self, stones: usize, verdict: &Verdict, had_choice: bool) {
        self.row(stones).add(verdict, had_choice);
    }

    /// The counts with so many stones.
    pub fn with(&self, stones: usize) -> Counts {
        self.rows.get(stones).copied().unwrap_or_default()
    }

    /// Those numbers of stones with which something was judged, fewest first.
    pub fn by_stones(&self) -> impl Iterator<Item = (usize, Counts)> + '_ {
        self.rows.iter().copied().enumerate().filter(|(_, counts)| counts.moves > 0)
    }

    /// All of up to so many stones together.
    pub fn up_to(&self, stones: usize) -> Counts {
        let mut sum = Counts::default();
        self.rows.iter().take(stones.saturating_add(1)).for_each(|&counts| sum += counts);
        sum
    }

    /// All together.
    pub fn total(&self) -> Counts {
        self.up_to(usize::MAX)
    }

    fn row(&mut self, stones: usize) -> &mut Counts {
        if self.rows.len() <= stones {
            self.rows.resize(stones + 1, Counts::default());
        }
        &mut self.rows[stones]
    }
}

impl AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Tally) {
        for (stones, counts) in other.by_stones() {
            *self.row(stones) += counts;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Bounds;

    #[test]
    fn each_move_is_counted_once_as_what_it_is() {
        let bounds = |low, high| Bounds { low, high };
        let mut tally = Tally::default();
        tally.add(9, &Verdict::new(bounds(4, 4), bounds(4, 4)), true);
        tally.add(9, &Verdict::new(bounds(4, 4), bounds(2, 2)), true);
        tally.add(9, &Verdict::of_only_move(), false);
        tally.add(12, &Verdict::new(bounds(2, 2), bounds(0, 0)), true);
        tally.add(12, &Verdict::new(bounds(2, 2), bounds(-2, -2)), true);
        // Loses the outcome for certain, and two to eight points.
        tally.add(30, &Verdict::new(bounds(0, 2), bounds(-6, -2)), true);
        // May lose something or nothing.
        tally.add(30, &Verdict::new(bounds(0, 2), bounds(-2, 2)), true);

        let nine = tally.with(9);
        assert_eq!((nine.moves, nine.choices, nine.keep_points, nine.points), (3, 2, 2, 2));
        assert_eq!(nine.keep_outcome, 3);
        let thirty = tally.with(30);
        assert_eq!((thirty.open, thirty.settled()), (2, 0));
        assert_eq!((thirty.points, thirty.open_points, thirty.points_a_move()), (0, 2, None));
        assert_eq!((thirty.lose_outcome, thirty.lose_points, thirty.keep_outcome), (1, 1, 0));
        let total = tally.total();
        assert_eq!((total.moves, total.points, total.open_points), (7, 2 + 2 + 4, 2));
        assert_eq!(total.points_a_move(), Some(8.0 / 5.0));
        assert_eq!((total.win_to_draw, total.draw_to_loss, total.win_to_loss), (1, 0, 1));
        assert_eq!(tally.up_to(12).moves, 5);
        assert_eq!(tally.by_stones().map(|(stones, _)| stones).collect::<Vec<_>>(), [9, 12, 30]);

        let mut twice = tally.clone();
        twice += &tally;
        assert_eq!((twice.total().points, twice.total().open_points), (16, 4));
        assert_eq!(Counts::default().points_a_move(), None);
    }
}
