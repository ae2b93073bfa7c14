//! In which order pairs of blocks are solved, and when each lower matrix is read next.

use std::collections::{HashMap, VecDeque};

use crate::generator::{Side, Solver, needs};
use crate::ranking::row_count;

/// A pair of blocks to solve: South's and North's stones.
pub(super) type PairOf = (usize, usize);

/// Bytes of a matrix.
pub(super) fn size<const P: usize>(south: usize, north: usize) -> u64 {
    row_count(P, south).saturating_mul(row_count(P, north))
}

/// What a pair of blocks is computed from, and its place in the order of all that are to be solved.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub number: usize,
    pub south: usize,
    pub north: usize,
    pub sides: Vec<Side>,
}

impl Step {
    /// Stones in all pits.
    pub fn stones(&self) -> usize {
        self.south + self.north
    }

    /// Bytes of one of the pair's matrices.
    pub fn size<const P: usize>(&self) -> u64 {
        size::<P>(self.south, self.north)
    }

    /// Positions of the pair. The two blocks of a pair of equals are one.
    pub fn positions<const P: usize>(&self) -> u64 {
        let blocks = if self.south == self.north { 1 } else { 2 };
        self.size::<P>().saturating_mul(blocks)
    }
}

/// The pairs that are still to be solved, by the steps at which each lower matrix is read.
#[derive(Default, Debug)]
pub(super) struct Schedule {
    uses: HashMap<Side, VecDeque<usize>>,
}

impl Schedule {
    /// The steps in which some pairs are solved, in this order.
    pub fn new<const P: usize>(pairs: impl IntoIterator<Item = PairOf>) -> (Self, Vec<Step>) {
        let step = |(number, (south, north))| {
            let sides = needs::<P>(south, north);
            Step { number, south, north, sides }
        };
        let steps: Vec<Step> = pairs.into_iter().enumerate().map(step).collect();
        (Schedule::of(&steps), steps)
    }

    /// The schedule that these steps are.
    pub fn of(steps: &[Step]) -> Self {
        let mut uses: HashMap<Side, VecDeque<usize>> = HashMap::new();
        for step in steps {
            for &side in &step.sides {
                uses.entry(side).or_default().push_back(step.number);
            }
        }
        Schedule { uses }
    }

    /// The next step that reads a matrix; `None` when no step does any more.
    pub fn next(&self, side: Side) -> Option<usize> {
        self.uses.get(&side)?.front().copied()
    }

    /// A step is over.
    pub fn done(&mut self, step: &Step) {
        for side in &step.sides {
            if let Some(uses) = self.uses.get_mut(side) {
                uses.retain(|&number| number != step.number);
                if uses.is_empty() {
                    self.uses.remove(side);
                }
            }
        }
    }
}

/// The pairs of some layers in the order in which they are solved.
pub(super) fn pairs<const P: usize>(layers: &[usize]) -> impl Iterator<Item = PairOf> {
    layers.iter().flat_map(|&stones| Solver::<P>::pairs(stones))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::Turn;

    #[test]
    fn a_matrix_is_read_by_the_pairs_that_need_it() {
        // Of two stones, South's one moves to the store, or North's does, with the other's turn or
        // the same player's next; and a capture takes both.
        let (mut schedule, steps) = Schedule::new::<3>(pairs::<3>(&[1, 2, 2]));
        let places: Vec<PairOf> = steps.iter().map(|step| (step.south, step.north)).collect();
        assert_eq!(places, [(0, 1), (1, 1), (0, 2), (1, 1), (0, 2)]);
        let read = |schedule: &Schedule| {
            let mut read: Vec<(Side, usize)> =
                schedule.uses.keys().map(|&side| (side, schedule.next(side).unwrap())).collect();
            read.sort();
            read
        };
        let side = |south, north, turn| Side { south, north, turn };
        let sides = |step| {
            [
                (side(0, 0, Turn::South), step),
                (side(0, 0, Turn::North), step),
                (side(0, 1, Turn::South), step),
                (side(0, 1, Turn::North), step),
                (side(1, 0, Turn::South), step),
                (side(1, 0, Turn::North), step),
            ]
        };
        assert_eq!(read(&schedule), sides(1));
        schedule.done(&steps[1]);
        assert_eq!(read(&schedule), sides(3));
        schedule.done(&steps[3]);
        assert_eq!(read(&schedule), []);
    }
}
