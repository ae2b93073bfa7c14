//! What can go wrong with a player.

use std::io;
use std::time::Duration;

use crate::search::SearchError;

/// Why a player does not choose a legal pit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// It was asked for a pit on a board where nobody moves any more.
    #[error("the game is over: one side's pits are all empty, there is no pit to choose")]
    GameOver,
    /// It chose a pit that cannot be sown, or that does not exist.
    #[error("it chose pit {number}, which {}; legal are {legal}", if *.exists {
        "is empty"
    } else {
        "does not exist"
    })]
    IllegalPit {
        /// The number it gave, from 1 as people count.
        number: i64,
        /// Whether there is such a pit.
        exists: bool,
        /// The pits that it could have chosen, as a list.
        legal: String,
    },
    /// It did not answer in time.
    #[error("it did not answer within {} seconds", (.after.as_secs_f64() * 1e3).round() / 1e3)]
    Silent {
        /// How long it was waited for.
        after: Duration,
    },
    /// It said that it was done, and had not chosen.
    #[error("it was done without choosing a pit")]
    Undecided,
    /// It gave up the game.
    #[error("it resigned")]
    Resigned,
    /// Its program ended, or it hung up.
    #[error("it is gone: {how}")]
    Gone {
        /// How it went, like `it exited with status 1`.
        how: String,
    },
    /// It said something that means nothing where it said it.
    #[error("it said '{said}', where {expected} was expected")]
    Unintelligible {
        /// What it said, shortened and without control characters.
        said: String,
        /// What would have been right.
        expected: String,
    },
    /// It does not play such boards.
    #[error("it does not play this board: {reason}")]
    Declined {
        /// What it does not like.
        reason: String,
    },
    /// Its program could not be started, or the line to it failed.
    #[error("cannot {doing}: {source}")]
    Line {
        /// What was tried, like `start 'engine --fast'`.
        doing: String,
        /// What the system says.
        source: io::Error,
    },
    /// The solver of a level failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_pit_is_told_with_those_that_are_right() {
        let error = |number, exists| {
            PlayerError::IllegalPit { number, exists, legal: "1, 4".to_owned() }.to_string()
        };
        assert_eq!(error(3, true), "it chose pit 3, which is empty; legal are 1, 4");
        assert_eq!(error(-7, false), "it chose pit -7, which does not exist; legal are 1, 4");
        let silent = PlayerError::Silent { after: Duration::from_millis(1_500) };
        assert_eq!(silent.to_string(), "it did not answer within 1.5 seconds");
    }
}
