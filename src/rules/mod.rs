//! The game: boards, moves, the rule sets, and how positions are written.
//!
//! Two players have `P` pits each, 1 to [`MAX_PITS`], and a store each. Everything is seen by the
//! player to move, the *mover*: the mover's pits `m1..mP` from the mover's left, the mover's store,
//! the opponent's pits `o1..oP` from the opponent's left, the opponent's store. Pit `mi` faces
//! `o(P+1-i)`.
//!
//! - **Sowing** runs `m1, m2, .. mP`, mover's store, `o1, .. oP`, `m1, ..` and skips the opponent's
//!   store, so that a pit of `2P + 1` stones sows one into itself.
//! - A last stone in the mover's store earns an **extra move**.
//! - A last stone in an own pit that was empty before it fell **captures**: it goes to the store
//!   together with the stones of the facing pit. When the facing pit is empty it stays where it is
//!   under [`Rules::Standard`] and goes to the store alone under [`Rules::EmptyCapture`].
//! - After any move, as soon as one row is empty, the game is **over**, an earned extra move
//!   included. The other player's stones go to that player's store: the ending **sweep**.
//!
//! [`Board`] is a position with its stores, [`Pits`] one without; neither can hold an illegal
//! position. The module [`plain`] has the same rules once more, stone by stone, for the fast ones
//! here to be held against.
//!
//! ```
//! use kalah::rules::{Board, Pit, Rules};
//!
//! // Four stones a pit. The third pit's last stone falls into the store: an extra move.
//! let board = Board::<6>::opening(4)?;
//! let played = board.play(Pit::from_number(3)?, Rules::Standard)?;
//! assert!(played.extra_move);
//! assert_eq!(played.board.to_string(), "4,4,0,5,5,5,1,4,4,4,4,4,4,0");
//!
//! // The sixth pit now passes the turn, and the board is the other player's to see.
//! let played = played.board.play(Pit::from_number(6)?, Rules::Standard)?;
//! assert!(!played.extra_move);
//! assert_eq!(played.board.to_string(), "5,5,5,5,4,4,0,4,4,0,5,5,0,2");
//!
//! // One stone from the first pit ends in the empty second one and takes the three that face it.
//! let board: Board<6> = "1,0,0,0,0,0,0,0,0,0,2,3,0,0".parse()?;
//! let played = board.play(Pit::from_number(1)?, Rules::Standard)?;
//! assert_eq!((played.captured, played.gained), (3, 4));
//!
//! // That was the mover's last stone: the game is over, and the two stones left are swept.
//! assert_eq!(played.board.final_value(), Some(2 - 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod board;
mod lanes;
pub mod notation;
mod pit;
pub mod plain;
mod sowing;
mod variant;

pub use board::{Board, BoardError, Pits, Played};
pub use pit::{LegalPits, Pit, UnknownPit};
pub use sowing::{IllegalMove, Sown};
pub use variant::{Rules, UnknownRules};

/// The stones in one player's pits, from their owner's left.
pub type Row<const P: usize> = [u8; P];

/// The most pits a side. Boards with more, or with none, do not compile:
///
/// ```compile_fail
/// kalah::rules::Board::<9>::opening(4);
/// ```
pub const MAX_PITS: usize = 8;

/// The most stones on a board, stores included.
pub const MAX_STONES: usize = 127;

/// Fails to compile, when called in a constant, for a game that does not exist.
const fn assert_playable<const P: usize>() {
    assert!(1 <= P && P <= MAX_PITS, "a board has 1 to 8 pits a side");
}
