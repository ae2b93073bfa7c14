//! What single moves say of a position: how much the opponent gets at most.
//!
//! A move that puts a stone in the store, or captures, leads to fewer stones, and so to a value
//! that is known when a table is read from no stones up. The mover gets no less than by any one of
//! these moves; in four of five positions no less than that, and no more. Moves that stay in the
//! layer are left out, and so are the few that come round to the mover's own row again.
//!
//! All values of a line of a block, the positions with one mover's row, come from a few moves, the
//! same for each: in the line of the position after an extra move the opponent's row is the same;
//! in others each opponent's row leads to one position that depends on the move's kind alone, plus
//! the rank of the mover's row after it.

use super::blocks::{Blocks, rows};
use crate::ranking::{rank_row, unrank_row};
use crate::rules::{Row, Rules};

/// More than the opponent can get: no move says anything.
pub(super) const NO_BOUND: u8 = u8::MAX;

/// The opponent's rows of some number of stones, and what moves make of them.
struct Opponents<const P: usize> {
    /// `passed[k][x]`: the rank of row `x` with a stone more in each of its first `k` pits.
    passed: Vec<Vec<usize>>,
    /// `captured[j][x]`: the stones in pit `j` of row `x`, and the rank of the row without them.
    captured: Vec<Vec<(usize, usize)>>,
}

impl<const P: usize> Opponents<P> {
    /// For positions of up to `most` stones, in which the mover has one at least.
    fn new(stones: usize, most: usize) -> Self {
        let all: Vec<Row<P>> =
            (0..rows::<P>(stones)).map(|rank| unrank_row(stones, rank as u64)).collect();
        let passed = |count: usize| {
            let rank = |row: &Row<P>| {
                let mut row = *row;
                row[..count].iter_mut().for_each(|pit| *pit += 1);
                rank_row(&row) as usize
            };
            all.iter().map(rank).collect()
        };
        let captured = |pit: usize| {
            let rank = |row: &Row<P>| {
                let mut row = *row;
                let stones = std::mem::take(&mut row[pit]);
                (usize::from(stones), rank_row(&row) as usize)
            };
            all.iter().map(rank).collect()
        };
        Opponents {
            passed: (0..=P.min(most - 1 - stones)).map(passed).collect(),
            captured: (0..P).map(captured).collect(),
        }
    }
}

/// The moves of all positions of a table.
pub(super) struct Moves<const P: usize> {
    rules: Rules,
    blocks: Blocks<P>,
    /// By the opponent's stones.
    opponents: Vec<Opponents<P>>,
}

/// The moves of the positions of one block.
///
/// What they say is the byte of `shares` at one of these indices plus the rank of the mover's row
/// after the move. There the opponent is to move, and the byte is the opponent's share.
pub(super) struct BlockMoves<'a, const P: usize> {
    moves: &'a Moves<P>,
    stones: usize,
    mover: usize,
    /// By the number of stones that pass into the opponent's row, and that row.
    passed: Vec<Vec<usize>>,
    /// By the opponent's pit that faces the last stone, and the opponent's row.
    captured: Vec<Vec<usize>>,
}

impl<const P: usize> Moves<P> {
    pub fn new(rules: Rules, blocks: Blocks<P>) -> Self {
        let most = blocks.stones();
        let opponents = (0..most).map(|stones| Opponents::new(stones, most)).collect();
        Moves { rules, blocks, opponents }
    }

    /// How many bytes there are behind the last position's for moves to lead to that say nothing.
    pub fn nowhere(blocks: &Blocks<P>) -> usize {
        rows::<P>(blocks.stones())
    }

    /// The moves of a block in which both players have stones.
    pub fn of_block(&self, stones: usize, mover: usize) -> BlockMoves<'_, P> {
        let opponent = stones - mover;
        let rows_after = &self.opponents[opponent];
        // The opponent, who moves next, has so many stones more, and the mover one less besides.
        let passed = |more: usize| {
            let at = |&rank: &usize| self.blocks.index(stones - 1, opponent + more, rank, 0);
            rows_after.passed[more].iter().map(at).collect()
        };
        let captured = |pit: usize| {
            let at = |&(taken, rank): &(usize, usize)| match (taken, self.rules) {
                (0, Rules::Standard) => self.blocks.positions(),
                _ => self.blocks.index(stones - 1 - taken, opponent - taken, rank, 0),
            };
            rows_after.captured[pit].iter().map(at).collect()
        };
        BlockMoves {
            moves: self,
            stones,
            mover,
            passed: (0..=P.min(mover - 1)).map(passed).collect(),
            captured: (0..P).map(captured).collect(),
        }
    }
}

impl<const P: usize> BlockMoves<'_, P> {
    /// For each position in which the mover has this row, the least that the opponent gets after
    /// any of the moves that reach the store, or [`NO_BOUND`]; and how many moves there are that do
    /// not pass the mover's last pit.
    ///
    /// `shares` holds the mover's shares of all positions with fewer stones, and [`NO_BOUND`]
    /// behind the last position.
    pub fn bounds(&self, row: &Row<P>, shares: &[u8], bounds: &mut [u8]) -> usize {
        bounds.fill(NO_BOUND);
        let mut staying = 0;
        for pit in (0..P).filter(|&pit| row[pit] > 0) {
            let last = pit + usize::from(row[pit]);
            let mut after = *row;
            after[pit] = 0;
            after.iter_mut().take(last + 1).skip(pit + 1).for_each(|stones| *stones += 1);
            if last < P {
                staying += 1;
                if row[last] == 0 {
                    after[last] = 0;
                    lower(bounds, shares, &self.captured[P - 1 - last], &after);
                }
            } else if last == P {
                let rank = rank_row(&after) as usize;
                let line = self.moves.blocks.index(self.stones - 1, self.mover - 1, rank, 0);
                // The mover's share, of a stone less.
                let left = self.stones as u8 - 1;
                for (bound, share) in bounds.iter_mut().zip(&shares[line..]) {
                    *bound = (*bound).min(left - share);
                }
            } else if last <= 2 * P {
                lower(bounds, shares, &self.passed[last - P], &after);
            }
        }
        staying
    }
}

/// Lowers bounds to what a move says that leads to `lines`, by the opponent's row, and leaves the
/// mover this row.
fn lower<const P: usize>(bounds: &mut [u8], shares: &[u8], lines: &[usize], after: &Row<P>) {
    let rank = rank_row(after) as usize;
    for (bound, line) in bounds.iter_mut().zip(lines) {
        *bound = (*bound).min(shares[line + rank]);
    }
}
