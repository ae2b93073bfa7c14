//! What was agreed before a game began.

use std::fmt;
use std::time::Duration;

use kalah::players::Level;
use kalah::rules::Rules;

use super::game::Side;

/// What a game is about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setup {
    /// Pits a side.
    pub pits: u8,
    /// Stones in every pit of the opening.
    pub seeds: u8,
    /// The rules.
    pub rules: Rules,
    /// How well the computer plays.
    pub level: Level,
    /// Who begins.
    pub first: Side,
    /// The computer's time for a move, at most.
    pub time: Option<Duration>,
    /// What the computer's random moves come from.
    pub random_seed: u64,
}

impl Setup {
    /// The random seed of the computer's choice after so many moves. It depends on nothing else, so
    /// that a game that is taken up again, or has moves taken back, goes on as it would have.
    pub fn seed_after(&self, moves: usize) -> u64 {
        mixed(self.random_seed.wrapping_add((moves as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// The same for another game.
    pub fn next_game(&self) -> Self {
        Setup { random_seed: mixed(self.random_seed.wrapping_add(1)), ..*self }
    }
}

/// A number that looks random, another for each number: the finaliser of SplitMix64 (Steele, Lea
/// and Flood 2014).
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// `level hard, 4 stones a pit, standard rules`.
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {}, ", self.level)?;
        if self.pits != 6 {
            write!(f, "{} pit{} a side, ", self.pits, if self.pits == 1 { "" } else { "s" })?;
        }
        let plural = if self.seeds == 1 { "" } else { "s" };
        write!(f, "{} stone{plural} a pit, {} rules", self.seeds, self.rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> Setup {
        Setup {
            pits: 6,
            seeds: 4,
            rules: Rules::Standard,
            level: Level::Hard,
            first: Side::Person,
            time: None,
            random_seed: 1,
        }
    }

    #[test]
    fn it_is_told_in_words() {
        assert_eq!(setup().to_string(), "level hard, 4 stones a pit, standard rules");
        let other = Setup { pits: 3, seeds: 1, rules: Rules::EmptyCapture, ..setup() };
        let expected = "level hard, 3 pits a side, 1 stone a pit, empty-capture rules";
        assert_eq!(other.to_string(), expected);
    }

    #[test]
    fn choices_and_games_have_seeds_of_their_own() {
        let setup = setup();
        let next = setup.next_game();
        let mut seeds: Vec<_> = (0..50).map(|moves| setup.seed_after(moves)).collect();
        seeds.extend((0..50).map(|moves| next.seed_after(moves)));
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 100);
        assert_ne!(setup.seed_after(7), setup.next_game().seed_after(7));
    }
}
