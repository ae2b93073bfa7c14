//! Who plays: the trait of everything that chooses a pit, and the five levels of play.
//!
//! A [`Player`] is asked for a pit on a board and gives a [`Choice`]: the pit, and what it thinks
//! of the position when it says so. It is told through a [`Watch`] how long it may take, and tells
//! it what it would play meanwhile. Another program that plays is a player too; what can go wrong
//! with it, [`PlayerError`] lists.
//!
//! ```
//! use kalah::players::{Level, Options, Player, tables};
//! use kalah::rules::{Board, Rules};
//!
//! // What perfect play needs at the end of a game: here the small tables made in memory.
//! let tables = tables::<3>(None, Rules::Standard)?;
//! let options = Options { random_seed: 7, ..Options::new(&tables) };
//! let mut players = [Level::Perfect.player(&options), Level::Easy.player(&options)];
//!
//! let mut board = Board::<3>::opening(2)?;
//! let mut turn = 0;
//! while !board.is_over() {
//!     let choice = players[turn].choose(&board, &())?;
//!     let played = board.play(choice.pit, Rules::Standard)?;
//!     turn = if played.extra_move { turn } else { 1 - turn };
//!     board = played.board;
//! }
//! let value = board.final_value().expect("the game is over");
//! let won = if turn == 0 { value } else { -value };
//! assert!(won >= 2, "the one who begins can win by two stones: {won}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The levels
//!
//! | level | looks ahead | and |
//! | --- | --- | --- |
//! | [easy](Level::Easy) | its own turn | a third of the time sows a random pit |
//! | [medium](Level::Medium) | three turns | one time in ten sows a random pit |
//! | [hard](Level::Hard) | seven turns | counts how many stones lie in each row |
//! | [insane](Level::Insane) | as deep as time allows | plays from the tables what they reach |
//! | [perfect](Level::Perfect) | to the end | by proof; with a time limit says when it fell short |
//!
//! A turn is all that a player sows until the other one is to move, extra moves included. The first
//! four are one alpha-beta search of different depth; the last is the
//! [`Searcher`](crate::search::Searcher).

mod alpha_beta;
mod error;
mod levels;
mod perfect;
mod random;
mod reckoner;
#[cfg(test)]
mod tests;
mod transposition;

use std::time::Instant;

use crate::rules::{Board, Pit};
use crate::search::Bounds;

pub use error::PlayerError;
pub use levels::{Level, Options, SMALL_TABLES, TablesError, UnknownLevel, tables};
pub(crate) use random::{Random, seed_of};

/// Whoever chooses pits: a level of play, another program, a person.
///
/// ```
/// use kalah::players::{Choice, Player, PlayerError, Watch};
/// use kalah::rules::Board;
///
/// /// Always sows the pit nearest to the store.
/// struct Nearest;
///
/// impl<const P: usize> Player<P> for Nearest {
///     fn choose(
///         &mut self,
///         board: &Board<P>,
///         _watch: &dyn Watch<P>,
///     ) -> Result<Choice<P>, PlayerError> {
///         board.legal_pits().next_back().map(Choice::of).ok_or(PlayerError::GameOver)
///     }
/// }
///
/// let choice = Nearest.choose(&Board::<6>::opening(4)?, &())?;
/// assert_eq!(choice.pit.number(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Player<const P: usize> {
    /// Another game begins, perhaps from another opening: what was remembered of the last one may
    /// be forgotten.
    ///
    /// # Errors
    ///
    /// When it cannot play another game.
    fn new_game(&mut self) -> Result<(), PlayerError> {
        Ok(())
    }

    /// Begins anew: from here on it plays as it would had it just been made with this random seed,
    /// so that what it does does not depend on what it was asked before.
    ///
    /// A player that cannot, like another program, begins another game.
    ///
    /// # Errors
    ///
    /// When it cannot play another game.
    fn begin_anew(&mut self, _random_seed: u64) -> Result<(), PlayerError> {
        self.new_game()
    }

    /// Chooses a pit of the player to move. A player must not rely on the boards it is asked about
    /// following from each other.
    ///
    /// When the watch's deadline is over or it says to stop, the answer comes at once, from what
    /// was thought of so far.
    ///
    /// # Errors
    ///
    /// [`PlayerError`]; [`PlayerError::GameOver`] when there is nothing to choose.
    fn choose(&mut self, board: &Board<P>, watch: &dyn Watch<P>) -> Result<Choice<P>, PlayerError>;
}

/// A player that is used again afterwards.
impl<const P: usize, T: Player<P> + ?Sized> Player<P> for &mut T {
    fn new_game(&mut self) -> Result<(), PlayerError> {
        (**self).new_game()
    }

    fn begin_anew(&mut self, random_seed: u64) -> Result<(), PlayerError> {
        (**self).begin_anew(random_seed)
    }

    fn choose(&mut self, board: &Board<P>, watch: &dyn Watch<P>) -> Result<Choice<P>, PlayerError> {
        (**self).choose(board, watch)
    }
}

/// Who waits for a player's choice.
pub trait Watch<const P: usize>: Sync {
    /// When the choice is due.
    fn deadline(&self) -> Option<Instant> {
        None
    }

    /// Whether to choose at once. Asked often, from any thread.
    fn interrupted(&self) -> bool {
        false
    }

    /// What the player would choose if it had to now. Each call takes the place of the one before.
    fn leaning(&self, _choice: &Choice<P>) {}
}

/// Waits as long as it takes.
impl<const P: usize> Watch<P> for () {}

/// Waits until then.
impl<const P: usize> Watch<P> for Instant {
    fn deadline(&self) -> Option<Instant> {
        Some(*self)
    }
}

/// A pit that was chosen, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice<const P: usize> {
    /// The pit.
    pub pit: Pit<P>,
    /// What the player thinks of the position.
    pub opinion: Opinion,
    /// Whether the player would have found out more, had it not run out of time or been
    /// interrupted.
    pub cut_short: bool,
}

impl<const P: usize> Choice<P> {
    /// This pit, without a word on the position.
    pub fn of(pit: Pit<P>) -> Self {
        Choice { pit, opinion: Opinion::None, cut_short: false }
    }
}

/// What a player thinks of a position: of its value, the final store of the player to move minus
/// the opponent's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opinion {
    /// It does not say.
    None,
    /// About so much.
    Estimate(i16),
    /// Proved to lie within these bounds.
    Proved(Bounds),
}
