//! Solves a pair of blocks: `(a, b)` with South to move and with North to move.

use std::ops::ControlFlow;
use std::sync::{Mutex, OnceLock};

use rayon::prelude::*;

use super::buffer::{Buffer, Buffers};
use super::error::SolveError;
use super::group::{Member, Pair, Scratch, Setting};
use super::kernels::LANES;
use super::lines::Lines;
use super::matrix::Matrix;
use super::north::NorthMoves;
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
    buffers: Buffers,
    sowings: Sowings<P>,
    /// By stones: the rows by potential.
    orders: Vec<OnceLock<Order>>,
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
    fn new<const P: usize>(stones: usize) -> Self {
        let mut members: Vec<(usize, Member)> = rows::<P>(stones)
            .enumerate()
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

impl<const P: usize> Solver<P> {
    /// A solver for layers of up to `stones` stones, whose matrices lie in `buffers`.
    pub fn new(rules: Rules, stones: usize, buffers: Buffers) -> Self {
        Solver {
            rules,
            stones,
            kernel: Kernel::detect(),
            buffers,
            sowings: Sowings::new(stones),
            orders: (0..=stones).map(|_| OnceLock::new()).collect(),
            others: (0..=stones).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The pairs of blocks of the layer of `stones` stones, largest first: South's and North's
    /// stones, South's never the fewer.
    ///
    /// With the more stones on South's side, the lines and what a group of them reads are short
    /// enough for the core's cache.
    pub fn pairs(stones: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..=stones / 2).rev().map(move |north| (stones - north, north))
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
        let rows = row_count(P, south) as usize;
        let columns = row_count(P, north) as usize;
        if south == 0 || north == 0 {
            // One side is empty: each player has what lies in the own row.
            let filled = |stones| {
                let mut buffer = self.buffers.take(rows * columns)?;
                buffer.fill(stones as u8);
                Ok(buffer)
            };
            return Ok(Solved { south: filled(south)?, north: filled(north)? });
        }
        let order = self.orders[south].get_or_init(|| Order::new::<P>(south));
        let (maps, moves) = self.others[north].get_or_init(|| {
            (RunMaps::new::<P>(self.stones - north, north), NorthMoves::new(north))
        });
        let mut solved = Solved {
            south: self.buffers.take(rows * columns)?,
            north: self.buffers.take(rows * columns)?,
        };
        let pair = Pair::new(
            Setting { rules: self.rules, south, north, lower, maps, moves, sowings: &self.sowings },
            Matrix::new(&mut solved.south, rows),
            Matrix::new(&mut solved.north, rows),
        );
        let scratches = Mutex::new(Vec::<Scratch<'_>>::new());
        let solve = |group| {
            let mut scratch = scratches.lock().expect("no panic").pop().unwrap_or_default();
            // SAFETY: classes come by ascending potential, one after the other, and their rows are
            // distinct; the kernel was detected.
            unsafe { self.kernel.solve(&pair, group, &mut scratch) };
            scratches.lock().expect("no panic").push(scratch);
        };
        for class in order.classes() {
            if class.len() * columns < PARALLEL {
                class.chunks(LANES).for_each(solve);
            } else {
                class.par_chunks(LANES).for_each(solve);
            }
            if watch((2 * class.len() * columns) as u64).is_break() {
                return Err(SolveError::Stopped);
            }
        }
        drop(scratches);
        drop(pair);
        Ok(solved)
    }
}

/// Positions of a class from which on it is shared among threads: about 50 µs of work.
const PARALLEL: usize = 1 << 15;

/// The instruction set that groups are solved with.
#[derive(Clone, Copy, Debug)]
enum Kernel {
    /// What the program was compiled for.
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// The best that this machine has.
    fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
            if avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
            {
                return Kernel::Avx512;
            }
            if avx2 {
                return Kernel::Avx2;
            }
        }
        Kernel::Baseline
    }

    /// [`Pair::solve`] with this instruction set.
    ///
    /// # Safety
    ///
    /// As for [`Pair::solve`], and the machine has the instruction set.
    unsafe fn solve<'a, const P: usize>(
        self,
        pair: &'a Pair<'_, P>,
        group: &[Member],
        scratch: &mut Scratch<'a>,
    ) {
        // SAFETY: both conditions are the caller's.
        unsafe {
            match self {
                Kernel::Baseline => pair.solve(group, scratch),
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx2 => solve_avx2(pair, group, scratch),
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx512 => solve_avx512(pair, group, scratch),
            }
        }
    }
}

/// [`Pair::solve`] compiled for AVX2.
///
/// # Safety
///
/// As for [`Pair::solve`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn solve_avx2<'a, const P: usize>(
    pair: &'a Pair<'_, P>,
    group: &[Member],
    scratch: &mut Scratch<'a>,
) {
    // SAFETY: the caller's.
    unsafe { pair.solve(group, scratch) }
}

/// [`Pair::solve`] compiled for AVX-512.
///
/// # Safety
///
/// As for [`Pair::solve`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl")]
unsafe fn solve_avx512<'a, const P: usize>(
    pair: &'a Pair<'_, P>,
    group: &[Member],
    scratch: &mut Scratch<'a>,
) {
    // SAFETY: the caller's.
    unsafe { pair.solve(group, scratch) }
}
