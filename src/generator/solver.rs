//! Solves a pair of blocks: `(a, b)` with South to move and with North to move.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use super::buffer::{Buffer, Buffers};
use super::error::SolveError;
use super::kernel::Kernel;
use super::lines::Lines;
use super::matrix::Matrix;
use super::moves::NorthMoves;
use super::needs::rows_with_first;
use super::pair::{Member, Pair, Scratches, Setting, Sharing};
use super::runs::RunMaps;
use super::sowing::{Sowings, rows};
use crate::ranking::row_count;
use crate::rules::Rules;

/// Solves pairs of blocks of layers of up to a number of stones.
///
/// Holds what depends on one row's stones alone, each part built when it is first needed and used
/// for all layers.
pub struct Solver<const P: usize> {
    rules: Rules,
    stones: usize,
    kernel: Kernel,
    sharing: Sharing,
    buffers: Buffers,
    /// Where South's matrices lie: mostly these are given back soon and North's are kept, and side
    /// by side they would leave gaps.
    passing: Buffers,
    sowings: Sowings<P>,
    /// By stones: the rows by potential.
    orders: Vec<OnceLock<Order>>,
    /// By stones, and by those in the first pit: the rows by potential.
    stages: Vec<OnceLock<Vec<Order>>>,
    /// By stones: what lines over North's rows need.
    others: Vec<OnceLock<(RunMaps, NorthMoves<P>)>>,
}

/// Both matrices of a pair, South's rows by North's rows, a byte the mover's share of the stones.
pub struct Solved {
    /// South to move.
    pub south: Buffer,
    /// North to move.
    pub north: Buffer,
}

/// The rows of some number of stones by ascending potential.
struct Order {
    members: Vec<Member>,
    /// Where each potential's rows begin in `members`, and the end of the last.
    starts: Vec<usize>,
}

impl Order {
    /// Those of `stones` stones whose ranks are in a range.
    fn new<const P: usize>(stones: usize, ranks: Range<usize>) -> Self {
        let mut members: Vec<(usize, Member)> = rows::<P>(stones)
            .enumerate()
            .skip(ranks.start)
            .take(ranks.len())
            .map(|(rank, row)| (row.potential::<P>(), Member { row, rank }))
            .collect();
        members.sort_by_key(|&(potential, _)| potential);
        let mut starts: Vec<usize> =
            (1..members.len()).filter(|&i| members[i - 1].0 != members[i].0).collect();
        starts.insert(0, 0);
        starts.push(members.len());
        Order { members: members.into_iter().map(|(_, member)| member).collect(), starts }
    }

    /// The rows, potential by potential.
    fn classes(&self) -> impl Iterator<Item = &[Member]> {
        self.starts.windows(2).map(|ends| &self.members[ends[0]..ends[1]])
    }
}

/// How many of the rows of so many stones are of each potential, by ascending potential: one class
/// after the other is solved.
pub fn class_sizes<const P: usize>(stones: usize) -> Vec<usize> {
    let order = Order::new::<P>(stones, 0..row_count(P, stones) as usize);
    order.classes().map(<[Member]>::len).collect()
}

impl<const P: usize> Solver<P> {
    /// A solver for layers of up to `stones` stones, whose matrices with North to move lie in
    /// `buffers`.
    pub fn new(rules: Rules, stones: usize, buffers: Buffers) -> Self {
        Solver {
            rules,
            stones,
            kernel: Kernel::best(),
            sharing: Sharing::default(),
            passing: buffers.alike(),
            buffers,
            sowings: Sowings::new(stones),
            orders: (0..=stones).map(|_| OnceLock::new()).collect(),
            stages: (0..=stones).map(|_| OnceLock::new()).collect(),
            others: (0..=stones).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The pairs of blocks of the layer of `stones` stones, largest first: South's and North's
    /// stones, South's never the more.
    ///
    /// Fewer and longer lines are better than more and shorter ones: what a line costs by itself is
    /// what limits short ones, and the longest buffers are used by the fewest groups.
    pub fn pairs(stones: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..=stones / 2).rev().map(move |south| (south, stones - south))
    }

    /// Solves the pair of blocks of `south` against `north` stones from the layers below, of which
    /// it reads what [`needs`](super::needs) says.
    ///
    /// Tells `watch` now and then how many positions were solved since it was last told, and gives
    /// up when that says that it should not go on.
    ///
    /// # Errors
    ///
    /// [`SolveError::Stopped`], [`SolveError::OutOfMemory`].
    ///
    /// # Panics
    ///
    /// When `lower` lacks a matrix that the pair needs, or the solver was made for fewer stones.
    pub fn solve(
        &self,
        south: usize,
        north: usize,
        lower: &Lines<'_, P>,
        watch: &(dyn Fn(u64) -> ControlFlow<()> + Sync),
    ) -> Result<Solved, SolveError> {
        assert!(
            south + north <= self.stones,
            "a solver for {} stones is asked about {}",
            self.stones,
            south + north
        );
        let rows = row_count(P, south) as usize;
        if south == 0 || north == 0 {
            // One side is empty: each player has what lies in the own row.
            let mut solved = self.room(south, north)?;
            solved.south.fill(south as u8);
            solved.north.fill(north as u8);
            return Ok(solved);
        }
        let order = self.orders[south].get_or_init(|| Order::new::<P>(south, 0..rows));
        let mut solved = self.room(south, north)?;
        self.solve_rows(south, north, order, &mut solved, lower, watch)?;
        Ok(solved)
    }

    /// Room for both matrices of a pair, with anything in it.
    ///
    /// # Errors
    ///
    /// [`SolveError::OutOfMemory`].
    pub fn room(&self, south: usize, north: usize) -> Result<Solved, SolveError> {
        let positions = (row_count(P, south) * row_count(P, north)) as usize;
        Ok(Solved { south: self.passing.take(positions)?, north: self.buffers.take(positions)? })
    }

    /// Solves the rows of a pair in which South's first pit holds `first` stones, into `solved`, in
    /// which those with fewer there are solved already: so a pair can be solved with little of what it
    /// is computed from in memory at once. It reads what [`stage_needs`](super::stage_needs) says.
    ///
    /// Rows with fewer stones in the first pit rank before, and no move within South's row leads to
    /// one that ranks after it.
    ///
    /// # Errors
    ///
    /// As [`Solver::solve`].
    ///
    /// # Panics
    ///
    /// As [`Solver::solve`], and when a row is empty, or `solved` is not the room for the pair.
    pub fn solve_stage(
        &self,
        (south, north): (usize, usize),
        first: usize,
        solved: &mut Solved,
        lower: &Lines<'_, P>,
        watch: &(dyn Fn(u64) -> ControlFlow<()> + Sync),
    ) -> Result<(), SolveError> {
        assert!(south > 0 && north > 0 && south + north <= self.stones, "a pair to be solved");
        let stages = self.stages[south].get_or_init(|| {
            let rows = |first| rows_with_first::<P>(south, first);
            (0..=south).map(|first| Order::new::<P>(south, rows(first))).collect()
        });
        self.solve_rows(south, north, &stages[first], solved, lower, watch)
    }

    /// Solves some rows of a pair, those of lower potential that they lead to being solved.
    fn solve_rows(
        &self,
        south: usize,
        north: usize,
        order: &Order,
        solved: &mut Solved,
        lower: &Lines<'_, P>,
        watch: &(dyn Fn(u64) -> ControlFlow<()> + Sync),
    ) -> Result<(), SolveError> {
        let [rows, columns] = [south, north].map(|stones| row_count(P, stones) as usize);
        let (maps, moves) = self.others[north].get_or_init(|| {
            (RunMaps::new::<P>(self.stones - north, north), NorthMoves::new(north))
        });
        let pair = Pair::new(
            Setting { rules: self.rules, south, north, lower, maps, moves, sowings: &self.sowings },
            Matrix::new(&mut solved.south, rows),
            Matrix::new(&mut solved.north, rows),
        );
        let scratches = Scratches::new();
        for class in order.classes() {
            // SAFETY: classes come by ascending potential, one after the other, and their rows are
            // distinct; the machine has the kernel.
            unsafe { pair.solve(class, self.kernel, self.sharing, &scratches) };
            if watch((2 * class.len() * columns) as u64).is_break() {
                return Err(SolveError::Stopped);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::kernels::SPAN;
    use crate::generator::{LayerInMemory, in_memory};

    /// Every block of a layer, solved with this kernel.
    fn solved(
        (kernel, sharing): (Kernel, Sharing),
        rules: Rules,
        stones: usize,
        below: &[LayerInMemory],
    ) -> Vec<Vec<u8>> {
        let mut lower = Lines::<5>::new(stones);
        for layer in below {
            layer.insert_into(&mut lower);
        }
        let mut solver = Solver::<5>::new(rules, stones, Buffers::default());
        solver.kernel = kernel;
        solver.sharing = sharing;
        let go_on = |_| ControlFlow::Continue(());
        Solver::<5>::pairs(stones)
            .map(|(south, north)| solver.solve(south, north, &lower, &go_on).unwrap())
            .flat_map(|solved| [solved.south.to_vec(), solved.north.to_vec()])
            .collect()
    }

    #[test]
    fn every_instruction_set_finds_the_same() {
        for rules in Rules::ALL {
            let below = in_memory::<5>(rules, 13).unwrap();
            let alone = Sharing { class: usize::MAX, part: SPAN };
            let expected = solved((Kernel::Baseline, alone), rules, 14, &below);
            for kernel in Kernel::available() {
                let found = solved((kernel, alone), rules, 14, &below);
                assert!(found == expected, "{kernel:?}, {rules}");
            }
        }
    }

    #[test]
    fn a_pair_reads_nothing_but_what_it_needs() {
        let stones = 15;
        let below = in_memory::<3>(Rules::Standard, stones - 1).unwrap();
        let mut all = Lines::<3>::new(stones);
        for layer in &below {
            layer.insert_into(&mut all);
        }
        let solver = Solver::<3>::new(Rules::Standard, stones, Buffers::default());
        let go_on = |_| ControlFlow::Continue(());
        for (south, north) in Solver::<3>::pairs(stones) {
            let mut few = Lines::<3>::new(stones);
            for side in crate::generator::needs::<3>(south, north) {
                few.insert(side, below[side.south + side.north].matrix(side));
            }
            let [with_all, with_few] =
                [&all, &few].map(|lower| solver.solve(south, north, lower, &go_on).unwrap());
            assert!(with_all.south[..] == with_few.south[..]);
            assert!(with_all.north[..] == with_few.north[..]);
        }
    }

    #[test]
    fn in_stages_a_pair_needs_few_rows_at_once() {
        for rules in Rules::ALL {
            let stones = 19;
            let below = in_memory::<3>(rules, stones - 1).unwrap();
            let mut all = Lines::<3>::new(stones);
            below.iter().for_each(|layer| layer.insert_into(&mut all));
            let solver = Solver::<3>::new(rules, stones, Buffers::default());
            let go_on = |_| ControlFlow::Continue(());
            for (south, north) in Solver::<3>::pairs(stones).filter(|&(south, _)| south > 0) {
                let whole = solver.solve(south, north, &all, &go_on).unwrap();
                let mut solved = solver.room(south, north).unwrap();
                for first in 0..=south {
                    // Rows that are not needed are wrong.
                    let mut matrices = std::collections::BTreeMap::new();
                    for (side, first) in crate::generator::stage_needs::<3>(south, north, first) {
                        let matrix = below[side.south + side.north].matrix(side);
                        let line = row_count(3, side.north) as usize;
                        let rows = rows_with_first::<3>(side.south, first);
                        let part = rows.start * line..rows.end * line;
                        let few = matrices.entry(side).or_insert_with(|| vec![99; matrix.len()]);
                        few[part.clone()].copy_from_slice(&matrix[part]);
                    }
                    let mut few = Lines::<3>::new(stones);
                    matrices.iter().for_each(|(&side, matrix)| few.insert(side, matrix));
                    let pair = (south, north);
                    solver.solve_stage(pair, first, &mut solved, &few, &go_on).unwrap();
                }
                assert!(whole.south[..] == solved.south[..]);
                assert!(whole.north[..] == solved.north[..]);
            }
        }
    }

    #[test]
    fn sharing_the_work_changes_nothing() {
        // Many threads: classes have fewer groups, and so parts of groups are shared. One: classes
        // are shared as groups.
        for threads in [1, 2, 16] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                for rules in Rules::ALL {
                    let below = in_memory::<5>(rules, 13).unwrap();
                    let kernel = Kernel::best();
                    let alone = Sharing { class: usize::MAX, part: SPAN };
                    let shared = Sharing { class: 0, part: SPAN };
                    let expected = solved((kernel, alone), rules, 14, &below);
                    let found = solved((kernel, shared), rules, 14, &below);
                    assert!(found == expected, "{threads} threads, {rules}");
                }
            });
        }
    }

    #[test]
    #[should_panic(expected = "a solver for 8 stones is asked about 10")]
    fn a_solver_for_fewer_stones_refuses() {
        let solver = Solver::<3>::new(Rules::Standard, 8, Buffers::default());
        let _ = solver.solve(5, 5, &Lines::new(10), &|_| ControlFlow::Continue(()));
    }

    #[test]
    fn a_solver_stops_when_it_should() {
        let below = in_memory::<4>(Rules::Standard, 7).unwrap();
        let mut lower = Lines::<4>::new(8);
        for layer in &below {
            layer.insert_into(&mut lower);
        }
        let solver = Solver::<4>::new(Rules::Standard, 8, Buffers::default());
        let solved = solver.solve(4, 4, &lower, &|_| ControlFlow::Break(()));
        assert_eq!(solved.err(), Some(SolveError::Stopped));
    }
}
