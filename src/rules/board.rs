//! Boards that cannot be illegal.

use super::Row;

/// The pits of a position, without the stores: what a table knows a position by.
///
/// Always at most [`Pits::MAX_STONES`] stones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pits<const P: usize> {
    mover: Row<P>,
    opponent: Row<P>,
}

/// A position: the pits and the stores, seen by the player to move.
///
/// Always at most [`Pits::MAX_STONES`] stones, those in the stores counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board<const P: usize> {
    pits: Pits<P>,
    store: u8,
    opponent_store: u8,
}

/// Why fourteen numbers are no board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// The stones in pits and stores together are more than a board may hold.
    #[error("the board holds {0} stones; 127 is the most")]
    TooManyStones(u32),
}

impl<const P: usize> Pits<P> {
    /// The most stones on a board, stores included.
    pub const MAX_STONES: usize = 127;

    /// The position with these rows.
    ///
    /// # Errors
    ///
    /// [`BoardError::TooManyStones`].
    pub fn new(mover: Row<P>, opponent: Row<P>) -> Result<Self, BoardError> {
        let stones: u32 = mover.iter().chain(&opponent).map(|&c| u32::from(c)).sum();
        if stones as usize > Self::MAX_STONES {
            return Err(BoardError::TooManyStones(stones));
        }
        Ok(Pits { mover, opponent })
    }

    /// The mover's row.
    pub fn mover(&self) -> &Row<P> {
        &self.mover
    }

    /// The opponent's row.
    pub fn opponent(&self) -> &Row<P> {
        &self.opponent
    }

    /// Stones in all pits together.
    pub fn stones(&self) -> usize {
        self.mover.iter().chain(&self.opponent).map(|&c| usize::from(c)).sum()
    }
}
