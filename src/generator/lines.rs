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
    /// `[turn][south][north]`; empty where there is none.
    matrices: [Vec<Vec<&'a [u8]>>; 2],
}

impl<'a, const P: usize> Lines<'a, P> {
    /// Room for the matrices of up to `stones` stones; none is there yet.
    pub fn new(stones: usize) -> Self {
        let empty = || (0..=stones).map(|south| vec![&[][..]; stones - south + 1]).collect();
        Lines { matrices: [empty(), empty()] }
    }

    /// Adds a matrix.
    ///
    /// # Panics
    ///
    /// When its length is not `R(south) * R(north)`.
    pub fn insert(&mut self, side: Side, matrix: &'a [u8]) {
        let size = row_count(P, side.south) * row_count(P, side.north);
        assert_eq!(matrix.len() as u64, size, "a matrix of {side:?}");
        self.matrices[side.turn as usize][side.south][side.north] = matrix;
    }

    /// The line of South's row of rank `row`.
    #[inline(always)]
    pub(super) fn line(&self, turn: Turn, south: usize, north: usize, row: usize) -> &'a [u8] {
        let length = row_count(P, north) as usize;
        &self.matrices[turn as usize][south][north][row * length..][..length]
    }
}
