//! Boards that cannot be illegal.

use super::{
    IllegalMove, LegalPits, MAX_STONES, Pit, Row, Rules, Sown, assert_playable, lanes::Lanes,
};

/// The pits of a position, without the stores: what a table knows a position by.
///
/// Always at most [`MAX_STONES`] stones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pits<const P: usize> {
    pub(super) mover: Lanes<P>,
    pub(super) opponent: Lanes<P>,
}

/// A position: the pits and the stores, seen by the player to move.
///
/// Always at most [`MAX_STONES`] stones, those in the stores counted. It prints as its
/// `2P + 2` numbers, `m1,..,mP,store,o1,..,oP,opponent's store`, and parses from every form of
/// [`notation`](super::notation).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board<const P: usize> {
    pits: Pits<P>,
    store: u8,
    opponent_store: u8,
}

/// What came of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Played<const P: usize> {
    /// The board after the move, seen by whoever moves next: by the same player when
    /// [`Played::extra_move`] is set. Not swept when the game is over.
    pub board: Board<P>,
    /// Whether the last stone fell into the mover's store. When the game is over there is no
    /// further move all the same.
    pub extra_move: bool,
    /// The stones taken from the facing pit.
    pub captured: u8,
    /// The stones that went to the mover's store, captures included, the ending sweep not.
    pub gained: u8,
}

/// Why some numbers of stones are no board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// The stones in pits and stores together are more than a board may hold.
    #[error("the board holds {0} stones; {max} is the most", max = MAX_STONES)]
    TooManyStones(u32),
}

impl<const P: usize> Pits<P> {
    /// The position with these rows.
    ///
    /// # Errors
    ///
    /// [`BoardError::TooManyStones`].
    pub fn new(mover: Row<P>, opponent: Row<P>) -> Result<Self, BoardError> {
        Board::new(mover, 0, opponent, 0).map(|board| board.pits)
    }

    /// The mover's row.
    #[inline]
    pub fn mover(&self) -> &Row<P> {
        self.mover.row()
    }

    /// The opponent's row.
    #[inline]
    pub fn opponent(&self) -> &Row<P> {
        self.opponent.row()
    }

    /// Stones in all pits together.
    #[inline]
    pub fn stones(&self) -> usize {
        usize::from(self.mover.stones()) + usize::from(self.opponent.stones())
    }

    /// Stones in the mover's row.
    #[inline]
    pub fn mover_stones(&self) -> usize {
        usize::from(self.mover.stones())
    }

    /// Whether one row is empty, so that nobody moves any more.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.mover.is_empty() || self.opponent.is_empty()
    }

    /// When the game is over, what the ending sweep gives the mover minus what it gives the
    /// opponent.
    #[inline]
    pub fn final_margin(&self) -> Option<i16> {
        self.is_over().then(|| i16::from(self.mover.stones()) - i16::from(self.opponent.stones()))
    }
}

impl<const P: usize> Board<P> {
    /// The position with these rows and stores.
    ///
    /// # Errors
    ///
    /// [`BoardError::TooManyStones`].
    pub fn new(
        mover: Row<P>,
        store: u8,
        opponent: Row<P>,
        opponent_store: u8,
    ) -> Result<Self, BoardError> {
        const { assert_playable::<P>() };
        let stones: u32 = mover
            .iter()
            .chain(&opponent)
            .chain([&store, &opponent_store])
            .map(|&c| u32::from(c))
            .sum();
        if stones as usize > MAX_STONES {
            return Err(BoardError::TooManyStones(stones));
        }
        let pits = Pits { mover: Lanes::from_row(&mover), opponent: Lanes::from_row(&opponent) };
        Ok(Board { pits, store, opponent_store })
    }

    /// The opening with this many stones in every pit.
    ///
    /// # Errors
    ///
    /// [`BoardError::TooManyStones`].
    pub fn opening(seeds: u8) -> Result<Self, BoardError> {
        Board::new([seeds; P], 0, [seeds; P], 0)
    }

    /// The position with these pits and empty stores.
    #[inline]
    pub fn from_pits(pits: Pits<P>) -> Self {
        Board { pits, store: 0, opponent_store: 0 }
    }

    /// The pits.
    #[inline]
    pub fn pits(&self) -> &Pits<P> {
        &self.pits
    }

    /// The mover's store.
    #[inline]
    pub fn store(&self) -> u8 {
        self.store
    }

    /// The opponent's store.
    #[inline]
    pub fn opponent_store(&self) -> u8 {
        self.opponent_store
    }

    /// Stones in pits and stores together.
    #[inline]
    pub fn stones(&self) -> usize {
        self.pits.stones() + usize::from(self.store) + usize::from(self.opponent_store)
    }

    /// Whether one row is empty, so that nobody moves any more.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.pits.is_over()
    }

    /// The mover's store minus the opponent's, as they are now.
    #[inline]
    pub fn lead(&self) -> i16 {
        i16::from(self.store) - i16::from(self.opponent_store)
    }

    /// When the game is over, the mover's store minus the opponent's after the ending sweep.
    #[inline]
    pub fn final_value(&self) -> Option<i16> {
        self.pits.final_margin().map(|margin| self.lead() + margin)
    }

    /// The pits the mover may sow, from the mover's left; none when the game is over.
    #[inline]
    pub fn legal_pits(&self) -> LegalPits<P> {
        self.pits.legal_pits()
    }

    /// Sows a pit of the mover.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] when the pit is empty or the game is over.
    #[inline]
    pub fn play(&self, pit: Pit<P>, rules: Rules) -> Result<Played<P>, IllegalMove> {
        let Sown { pits, extra_move, captured, gained } = self.pits.sow(pit, rules)?;
        let store = self.store + gained;
        let board = if extra_move {
            Board { pits, store, ..*self }
        } else {
            Board { pits, store: self.opponent_store, opponent_store: store }
        };
        Ok(Played { board, extra_move, captured, gained })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_holds_127_stones_and_no_more() {
        assert!(Board::new([60, 7], 30, [20, 0], 10).is_ok());
        assert_eq!(Board::new([60, 7], 30, [20, 0], 11), Err(BoardError::TooManyStones(128)));
        assert_eq!(Pits::new([127], [1]), Err(BoardError::TooManyStones(128)));
        assert_eq!(Board::<8>::opening(255), Err(BoardError::TooManyStones(16 * 255)));
        assert_eq!(Board::<6>::opening(10).unwrap().stones(), 120);
    }

    #[test]
    fn the_end_is_swept_by_its_owner() {
        let board = Board::new([0, 0, 0], 4, [1, 0, 2], 5).unwrap();
        assert_eq!(board.final_value(), Some(4 - (5 + 3)));
        let board = Board::new([1, 0, 2], 4, [0, 0, 0], 5).unwrap();
        assert_eq!(board.final_value(), Some(4 + 3 - 5));
        let board = Board::new([0, 0, 0], 4, [0, 0, 0], 5).unwrap();
        assert_eq!(board.final_value(), Some(4 - 5));
        let board = Board::new([1, 0, 0], 4, [0, 1, 0], 5).unwrap();
        assert_eq!(board.final_value(), None);
        assert_eq!(board.lead(), -1);
    }

    #[test]
    fn stores_change_sides_with_the_turn() {
        let board = Board::new([1, 0, 1], 10, [2, 2, 2], 20).unwrap();
        let passed = board.play(Pit::from_number(1).unwrap(), Rules::Standard).unwrap();
        assert_eq!(passed.board, Board::new([2, 0, 2], 20, [0, 0, 1], 13).unwrap());
        let again = board.play(Pit::from_number(3).unwrap(), Rules::Standard).unwrap();
        assert_eq!(again.board, Board::new([1, 0, 0], 11, [2, 2, 2], 20).unwrap());
    }
}
