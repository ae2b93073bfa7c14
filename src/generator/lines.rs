//! The finished lines that a pair of blocks is computed from.

use crate::ranking::row_count;

/// Whose move it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Turn {
    /// South moves: the block by mover's rows.
    South,
    /// North moves: the block by opponent's rows.
    North,
}

/// One block of positions, for two fixed players: `south` stones against `north`, and whose turn.
///
/// Its matrix has a line for each row of South, and in it an element for each row of North,
/// whoever moves: the block of the tables itself when South moves, its transpose when North does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Side {
    /// Stones in South's row.
    pub south: usize,
    /// Stones in North's row.
    pub north: usize,
    /// Whose move it is.
    pub turn: Turn,
}

/// Finished matrices by [`Side`], each `R(south) * R(north)` bytes of mover's shares.
pub struct Lines<'a, const P: usize> {
    /// By [`Lines::place`]; empty where there is none.
    matrices: Vec<&'a [u8]>,
    stones: usize,
}

impl<'a, const P: usize> Lines<'a, P> {
    /// Room for the matrices of fewer than `stones` stones; none is there yet.
    pub fn new(stones: usize) -> Self {
        Lines { matrices: vec![&[]; 2 * stones * stones], stones }
    }

    fn place(&self, Side { south, north, turn }: Side) -> usize {
        (turn as usize * self.stones + south) * self.stones + north
    }

    /// Adds a matrix.
    ///
    /// # Panics
    ///
    /// When its length is not `R(south) * R(north)`, or there is no room for so many stones.
    pub fn insert(&mut self, side: Side, matrix: &'a [u8]) {
        assert!(side.south + side.north < self.stones, "room for {side:?}");
        let size = row_count(P, side.south) * row_count(P, side.north);
        assert_eq!(matrix.len() as u64, size, "a matrix of {side:?}");
        let place = self.place(side);
        self.matrices[place] = matrix;
    }

    /// A matrix, without lines where there is none.
    #[inline(always)]
    pub(super) fn matrix(&self, side: Side) -> MatrixLines<'a> {
        let bytes = self.matrices[self.place(side)];
        MatrixLines { bytes, length: row_count(P, side.north) as usize }
    }
}

/// A finished matrix, line by line.
#[derive(Clone, Copy)]
pub(super) struct MatrixLines<'a> {
    bytes: &'a [u8],
    length: usize,
}

impl<'a> MatrixLines<'a> {
    /// The line of South's row of rank `row`.
    #[inline(always)]
    pub fn line(self, row: usize) -> &'a [u8] {
        &self.bytes[row * self.length..][..self.length]
    }
}
