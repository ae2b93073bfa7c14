//! Results of games, and what they say about who is stronger.

use std::ops::AddAssign;

/// Games won, drawn and lost by one of two players.
///
/// A won game counts one point of the match, a drawn one half.
///
/// ```
/// use kalah::judge::Score;
///
/// let score = Score { wins: 70, draws: 4, losses: 26 };
/// assert_eq!(score.share(), Some(0.72));
/// let (low, high) = score.interval().unwrap();
/// assert!(0.625 < low && low < 0.626 && 0.798 < high && high < 0.799);
/// assert_eq!(Score::default().interval(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

/// The standard normal distribution has 95 % within so many standard deviations.
const NORMAL_95: f64 = 1.959_963_984_540_054;

impl Score {
    /// Counts a game that ended with so many stones more than the other player has, or fewer.
    pub fn add(&mut self, value: i16) {
        match value {
            1.. => self.wins += 1,
            0 => self.draws += 1,
            ..=-1 => self.losses += 1,
        }
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points won, from 0 to 1, if there was a game.
    pub fn share(&self) -> Option<f64> {
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        (self.games() > 0).then(|| points / self.games() as f64)
    }

    /// The 95 % confidence interval of the share: Wilson's (1927), which holds for few games and for
    /// shares near 0 and 1 too.
    ///
    /// It takes every game for won or lost. Draws make shares vary less, and so does playing each
    /// opening from both sides where it favours one, so that the true interval is no wider.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let (share, games) = (self.share()?, self.games() as f64);
        let square = NORMAL_95 * NORMAL_95 / games;
        let middle = share + square / 2.0;
        let spread = NORMAL_95 * (share * (1.0 - share) / games + square / (4.0 * games)).sqrt();
        let end = |end: f64| (end / (1.0 + square)).clamp(0.0, 1.0);
        Some((end(middle - spread), end(middle + spread)))
    }
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_wilson() {
        // From the formula's worked examples: 0 of 10, 1 of 10, 81 of 263.
        for (wins, games, low, high) in
            [(0, 10, 0.0, 0.2775), (1, 10, 0.0179, 0.4042), (81, 263, 0.2553, 0.3662)]
        {
            let score = Score { wins, draws: 0, losses: games - wins };
            let (found_low, found_high) = score.interval().unwrap();
            assert!((found_low - low).abs() < 5e-5, "{wins} of {games}: {found_low}");
            assert!((found_high - high).abs() < 5e-5, "{wins} of {games}: {found_high}");
        }
    }

    #[test]
    fn games_count_as_what_they_ended_in() {
        let mut score = Score::default();
        [3, 0, -1, 12, 0, 1].into_iter().for_each(|value| score.add(value));
        assert_eq!(score, Score { wins: 3, draws: 2, losses: 1 });
        assert_eq!(score.share(), Some(4.0 / 6.0));
        score += score;
        assert_eq!(score.games(), 12);
    }
}
