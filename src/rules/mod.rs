//! The game: boards, moves, the rule sets, and how positions are written.

mod board;
mod variant;

pub use board::{Board, BoardError, Pits};
pub use variant::Rules;

/// The stones in one player's pits, from their owner's left.
pub type Row<const P: usize> = [u8; P];
