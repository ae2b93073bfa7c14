//! The way through all positions that writing and reading a table share.
//!
//! At each position the candidates for the mover's share are asked in ascending order, from what
//! the mover is known to get at least, until one is right. How likely that is, is learnt for each
//! *context*: what kind of question it is, and how much larger than the candidate the shares of two
//! neighbours are, those to the left and above in the block. A block with an empty row is not asked
//! about: there the sweep gives every stone to the player who has one.

use super::blocks::{Blocks, rows};
use super::bounds::{Moves, NO_BOUND};
use super::coder::Chance;
use crate::ranking::unrank_row;
use crate::rules::Rules;

/// Who answers: the values, written down as they are asked for, or what was written down.
pub(super) trait Answers {
    /// Whether the mover's share of the position with this index is the candidate; smaller ones it
    /// is not. A yes has this chance.
    fn is(&mut self, index: usize, candidate: u8, chance: &mut Chance) -> bool;
}

/// The chances of all contexts: by kind of question, and by how much larger than the candidate the
/// neighbour to the left is, and the one above.
struct Contexts<const P: usize> {
    chances: Vec<Chance>,
    stones: usize,
}

impl<const P: usize> Contexts<P> {
    /// Candidates after the first. Before these kinds come those for the first one, when it is what
    /// some move gets: one for each number of moves that do not pass the last pit.
    const LATER: usize = P;
    /// Any candidates when no move says anything.
    const UNBOUNDED: usize = P + 1;

    /// For positions of up to so many stones.
    fn new(stones: usize) -> Self {
        let differences = 2 * stones + 1;
        Contexts { chances: vec![Chance::EVEN; (P + 2) * differences * differences], stones }
    }

    fn chance(&mut self, kind: usize, candidate: u8, left: u8, above: u8) -> &mut Chance {
        let difference =
            |neighbour: u8| self.stones + usize::from(neighbour) - usize::from(candidate);
        let differences = 2 * self.stones + 1;
        let context = (kind * differences + difference(left)) * differences + difference(above);
        &mut self.chances[context]
    }
}

/// The mover's shares of all positions, as the answers give them.
pub(super) fn shares<const P: usize>(
    rules: Rules,
    blocks: &Blocks<P>,
    answers: &mut impl Answers,
) -> Vec<u8> {
    let moves = Moves::new(rules, blocks.clone());
    let mut shares = vec![0; blocks.positions()];
    shares.resize(blocks.positions() + Moves::nowhere(blocks), NO_BOUND);
    let mut contexts = Contexts::<P>::new(blocks.stones());
    let mut bounds = Vec::new();
    for stones in 1..=blocks.stones() {
        for mover in 1..stones {
            let moves = moves.of_block(stones, mover);
            let columns = rows::<P>(stones - mover);
            bounds.resize(columns, NO_BOUND);
            for rank in 0..rows::<P>(mover) {
                let row = unrank_row(mover, rank as u64);
                let staying = moves.bounds(&row, &shares, &mut bounds);
                let line = blocks.index(stones, mover, rank, 0);
                let first = (rank == 0).then_some(stones as u8 / 2);
                let mut left = first.unwrap_or_else(|| shares[line - columns]);
                for (index, &bound) in (line..).zip(&bounds) {
                    let above = if rank == 0 { left } else { shares[index - columns] };
                    let (mut candidate, mut kind) = match (stones as u8).checked_sub(bound) {
                        Some(least) => (least, staying),
                        None => (0, Contexts::<P>::UNBOUNDED),
                    };
                    // No question is left when it must be all stones.
                    while usize::from(candidate) < stones {
                        let chance = contexts.chance(kind, candidate, left, above);
                        if answers.is(index, candidate, chance) {
                            break;
                        }
                        candidate += 1;
                        kind = kind.max(Contexts::<P>::LATER);
                    }
                    shares[index] = candidate;
                    left = candidate;
                }
            }
        }
        // The mover has every stone.
        let (all, end) = (blocks.start(stones, stones), rows::<P>(stones));
        shares[all..all + end].fill(stones as u8);
    }
    shares.truncate(blocks.positions());
    shares
}
