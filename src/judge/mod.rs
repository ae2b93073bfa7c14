//! Judging a player against the truth: an exam on endgames, and whole games.
//!
//! [`exam`] asks a player about positions with few stones in the pits, where tables say what every
//! move is worth. [`games`] has it play, and judges every move it made: by tables, and beyond
//! them by a search, which may leave a verdict open and then claims nothing. What the player did
//! wrong otherwise, like choosing an empty pit or saying nothing, is counted as what it is.
//!
//! ```
//! use kalah::judge::{ExamOptions, Selection, exam};
//! use kalah::players::{Level, Options, tables};
//! use kalah::rules::Rules;
//!
//! let tables = tables::<6>(None, Rules::Standard)?;
//! let options = ExamOptions { stones: 5, selection: Selection::Full, ..ExamOptions::default() };
//!
//! let mut players = [Level::Insane.player(&Options::new(&tables))];
//! let report = exam(&mut players, &tables, &options, &())?;
//! assert!(report.passed());
//!
//! let mut players = [Level::Easy.player(&Options::new(&tables))];
//! let report = exam(&mut players, &tables, &options, &())?;
//! assert!(!report.passed());
//! let counts = report.tally.total();
//! assert_eq!(counts.moves, counts.keep_points + counts.lose_points);
//! assert_eq!(report.failures.len() as u64, counts.lose_points);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Verdicts
//!
//! The *value* of a position is the mover's final store minus the opponent's when both play
//! perfectly, and a move gives away as many *points* as its value is less than the position's:
//! [`Verdict`]. Stones change hands, so that points come in twos. A [`Tally`] counts verdicts by the
//! stones that were in the pits.
//!
//! # The same again
//!
//! Before each position of an exam, and before each game, a player begins anew with a random seed of
//! its own ([`Player::begin_anew`]), and a search beyond the tables stops after a number of nodes, not
//! of seconds. So a report is the same for the same random seed, however many threads there are,
//! times apart, and unless a player has a time limit.

mod conduct;
mod exam;
mod games;
mod openings;
mod positions;
mod score;
mod seat;
mod tally;
mod times;
mod truth;
mod verdict;
mod work;

use std::io;

#[cfg(doc)]
use crate::players::Player;
use crate::players::PlayerError;
use crate::rules::{Board, Pit};
use crate::search::SearchError;
use crate::tables::TableError;

pub use conduct::{Conduct, Fault};
pub use exam::{ExamOptions, ExamReport, exam};
pub use games::{GamesOptions, GamesReport, Pairing, games};
pub use openings::OPENING_MOVES;
pub use positions::Selection;
pub use score::Score;
pub use seat::MOST_UNANSWERED;
pub use tally::{Counts, Tally};
pub use times::Times;
pub use verdict::{Blunder, Verdict};

/// Nodes that the judge searches for a question beyond the tables, unless told otherwise: some
/// hundredths of a second.
pub const NODES: u64 = 100_000;

/// Who waits for a judge. Every method may be called from any thread.
pub trait Progress: Sync {
    /// So many positions or games are done besides those before.
    fn advance(&self, _count: u64) {}

    /// Whether to stop, with what was found so far.
    fn stop(&self) -> bool {
        false
    }
}

/// Waits to the end.
impl Progress for () {}

/// Something that a player did wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure<const P: usize> {
    /// Where.
    pub board: Board<P>,
    /// What.
    pub wrong: Wrong<P>,
    /// Pits that keep every point for certain: all of them where tables reach, otherwise one, or
    /// none when none is proved to.
    pub right: Vec<Pit<P>>,
}

/// What was wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrong<const P: usize> {
    /// A legal pit that gives points away for certain.
    Move(Pit<P>, Verdict),
    /// No legal pit, and why in words.
    Fault(Fault, String),
}

/// Why nothing can be judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// A player failed through no fault of its own.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A table has a value that cannot be.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The search beyond the tables failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A position's value is not the best of its moves' values.
    #[error(
        "the tables contradict themselves at {position}; find the damaged file with kalah verify"
    )]
    Contradiction {
        /// The position, as it is written.
        position: String,
    },
    /// There are more positions than can be numbered.
    #[error(
        "with {pits} pits a side there are too many positions of up to {stones} stones to be \
         numbered; ask for fewer stones"
    )]
    TooManyPositions {
        /// Stones in the pits.
        stones: usize,
        /// Pits a side.
        pits: usize,
    },
    /// A board cannot hold an opening's stones.
    #[error("{seeds} stones a pit: {error}")]
    Opening {
        /// Stones in each pit.
        seeds: u8,
        /// Why not.
        error: crate::rules::BoardError,
    },
    /// The system gives no thread.
    #[error("cannot start another thread: {0}; allow fewer, or end other programs")]
    NoThread(io::Error),
}
