//! Boards of any size, as the protocol writes them.

use std::fmt;

use crate::rules::{Board, BoardError, MAX_PITS, Row};
use crate::with_pits;

use super::message::MessageError;

/// A board literal, `<n,south's store,north's store,south's n pits,north's n pits>`.
///
/// Always of at least one pit a side, and of the same number on both; perhaps of more than
/// [`MAX_PITS`], or with more stones than a [`Board`] holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BoardLiteral {
    south_store: u64,
    north_store: u64,
    south: Vec<u64>,
    north: Vec<u64>,
}

/// Why a board of the protocol is not played here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    /// It has more pits than any board here.
    #[error("boards of 1 to {max} pits a side are played here, not of {0}", max = MAX_PITS)]
    TooManyPits(usize),
    /// It has another number of pits than the board it is made into.
    #[error("the board has {found} pits a side, not {wanted}")]
    OtherPits {
        /// The pits a side of the literal.
        found: usize,
        /// Those of the board.
        wanted: usize,
    },
    /// A single pit or store has more stones than any board.
    #[error("a pit or store of {0} stones is more than a whole board may hold")]
    TooManyInOne(u64),
    /// Pits and stores together have too many.
    #[error(transparent)]
    TooManyStones(#[from] BoardError),
    /// One row is empty: there is no move.
    #[error("the game is over: one side has no stones in its pits")]
    Over,
}

impl BoardLiteral {
    /// The literal with these stores and rows, each row from its owner's left.
    ///
    /// `None` when the rows are empty or of different lengths.
    pub fn new(
        south_store: u64,
        north_store: u64,
        south: Vec<u64>,
        north: Vec<u64>,
    ) -> Option<Self> {
        (!south.is_empty() && south.len() == north.len()).then_some(BoardLiteral {
            south_store,
            north_store,
            south,
            north,
        })
    }

    /// The pits a side.
    pub fn pits(&self) -> usize {
        self.south.len()
    }

    /// The board of this crate, south the mover.
    ///
    /// # Errors
    ///
    /// [`Unplayable`] when it has other pits or too many stones. A finished game is a board too.
    pub fn board<const P: usize>(&self) -> Result<Board<P>, Unplayable> {
        let other = || Unplayable::OtherPits { found: self.pits(), wanted: P };
        let south: &[u64; P] = self.south.as_slice().try_into().map_err(|_| other())?;
        let north: &[u64; P] = self.north.as_slice().try_into().map_err(|_| other())?;
        let board = Board::new(
            row(south)?,
            stones(self.south_store)?,
            row(north)?,
            stones(self.north_store)?,
        )?;
        Ok(board)
    }

    /// The numbers of the pits that south may sow, from south's left; at least one.
    ///
    /// # Errors
    ///
    /// [`Unplayable`] when no player here could play on: too many pits or stones, or the game is
    /// over.
    pub fn legal_pits(&self) -> Result<Vec<u8>, Unplayable> {
        let pits = with_pits!(self.pits(), legal_pits_of(self));
        let pits = pits.unwrap_or(Err(Unplayable::TooManyPits(self.pits())))?;
        if pits.is_empty() { Err(Unplayable::Over) } else { Ok(pits) }
    }

    /// Reads what stands between the angle brackets.
    pub(super) fn parse_inside(inside: &str) -> Result<Self, MessageError> {
        let numbers = inside.split(',').map(|number| {
            if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(MessageError::BoardNumber(super::excerpt(number)));
            }
            number.parse().map_err(|_| MessageError::TooLarge(super::excerpt(number)))
        });
        let numbers: Vec<u64> = numbers.collect::<Result<_, _>>()?;
        let found = numbers.len();
        let wrong = MessageError::BoardCount { pits: numbers[0], found };
        // At most 16384 bytes were read, so a size that a line can hold fits and doubles.
        let pits = usize::try_from(numbers[0]).unwrap_or(usize::MAX);
        if pits == 0 || pits > found || found != 2 * pits + 3 {
            return Err(wrong);
        }
        let (south, north) = (numbers[3..3 + pits].to_vec(), numbers[3 + pits..].to_vec());
        BoardLiteral::new(numbers[1], numbers[2], south, north).ok_or(wrong)
    }
}

fn legal_pits_of<const P: usize>(literal: &BoardLiteral) -> Result<Vec<u8>, Unplayable> {
    Ok(literal.board::<P>()?.legal_pits().map(|pit| pit.number()).collect())
}

fn stones(count: u64) -> Result<u8, Unplayable> {
    u8::try_from(count).map_err(|_| Unplayable::TooManyInOne(count))
}

fn row<const P: usize>(counts: &[u64; P]) -> Result<Row<P>, Unplayable> {
    let mut row = [0; P];
    for (pit, &count) in row.iter_mut().zip(counts) {
        *pit = stones(count)?;
    }
    Ok(row)
}

/// The mover is south.
impl<const P: usize> From<&Board<P>> for BoardLiteral {
    fn from(board: &Board<P>) -> Self {
        let wide = |row: &Row<P>| row.iter().map(|&count| count.into()).collect();
        BoardLiteral {
            south_store: board.store().into(),
            north_store: board.opponent_store().into(),
            south: wide(board.pits().mover()),
            north: wide(board.pits().opponent()),
        }
    }
}

impl fmt::Display for BoardLiteral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{},{},{}", self.pits(), self.south_store, self.north_store)?;
        for count in self.south.iter().chain(&self.north) {
            write!(f, ",{count}")?;
        }
        f.write_str(">")
    }
}
