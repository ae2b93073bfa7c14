//! Solves a pair of blocks: `(a, b)` with South to move and with North to move.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::group::{Member, Pair, Scratch};
use super::kernels::LANES;
use super::lines::Lines;
use super::matrix::Matrix;
use super::north::NorthMoves;
use super::runs::RunMaps;
use super::sowing::{Rows, potential};
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
    /// By stones: the rows by potential.
    orders: Vec<OnceLock<Order<P>>>,
    /// By stones: what lines over North's rows need.
    others: Vec<OnceLock<(RunMaps, NorthMoves<P>)>>,
}

/// Both matrices of a pair, South's rows by North's rows, a byte the mover's share of the stones.
pub struct Solved {
    /// South to move.
    pub south: Vec<u8>,
    /// North to move.
    pub north: Vec<u8>,
}

/// The rows of some number of stones by ascending potential.
struct Order<const P: usize> {
    members: Vec<Member<P>>,
    /// Where each potential's rows begin in `members`, and the end of the last.
    starts: Vec<usize>,
}

impl<const P: usize> Order<P> {
    fn new(stones: usize) -> Self {
        let mut members: Vec<(usize, Member<P>)> = Rows::<P>::new(stones)
            .enumerate()
            .map(|(rank, row)| (potential(&row), Member { row, rank }))
            .collect();
        members.sort_by_key(|&(potential, _)| potential);
        let mut starts: Vec<usize> =
            (1..members.len()).filter(|&i| members[i - 1].0 != members[i].0).collect();
        starts.insert(0, 0);
        starts.push(members.len());
        Order { members: members.into_iter().map(|(_, member)| member).collect(), starts }
    }

    /// The rows, potential by potential.
    fn classes(&self) -> impl Iterator<Item = &[Member<P>]> {
        self.starts.windows(2).map(|ends| &self.members[ends[0]..ends[1]])
    }
}

impl<const P: usize> Solver<P> {
    /// A solver for layers of up to `stones` stones.
    pub fn new(rules: Rules, stones: usize) -> Self {
        let room = || (0..=stones).map(|_| OnceLock::new());
        Solver {
            rules,
            stones,
            kernel: Kernel::detect(),
            orders: room().collect(),
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

    /// Solves the pair of blocks of `south` against `north` stones from the layers below.
    ///
    /// # Panics
    ///
    /// When `lower` lacks a matrix that the pair needs, or the solver was made for fewer stones.
    pub fn solve(&self, south: usize, north: usize, lower: &Lines<'_, P>) -> Solved {
        let rows = row_count(P, south) as usize;
        let columns = row_count(P, north) as usize;
        if south == 0 || north == 0 {
            // One side is empty: each player has what lies in the own row.
            return Solved {
                south: vec![south as u8; rows * columns],
                north: vec![north as u8; rows * columns],
            };
        }
        let order = self.orders[south].get_or_init(|| Order::new(south));
        let (maps, moves) = self.others[north].get_or_init(|| {
            (RunMaps::new::<P>(self.stones - north, north), NorthMoves::new(north))
        });
        let pair = Pair {
            rules: self.rules,
            south,
            north,
            lower,
            maps,
            moves,
            south_moves: Matrix::new(rows, columns),
            north_moves: Matrix::new(rows, columns),
        };
        for class in order.classes() {
            // SAFETY: classes come by ascending potential, one after the other, and their rows are
            // distinct; the kernel was detected.
            let solve =
                |scratch: &mut Scratch, group| unsafe { self.kernel.solve(&pair, group, scratch) };
            if class.len() * columns < PARALLEL {
                let scratch = &mut Scratch::new();
                class.chunks(LANES).for_each(|group| solve(scratch, group));
            } else {
                class.par_chunks(LANES).for_each_init(Scratch::new, solve);
            }
        }
        Solved { south: pair.south_moves.into_bytes(), north: pair.north_moves.into_bytes() }
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
    unsafe fn solve<const P: usize>(
        self,
        pair: &Pair<'_, P>,
        group: &[Member<P>],
        scratch: &mut Scratch,
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
unsafe fn solve_avx2<const P: usize>(
    pair: &Pair<'_, P>,
    group: &[Member<P>],
    scratch: &mut Scratch,
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
unsafe fn solve_avx512<const P: usize>(
    pair: &Pair<'_, P>,
    group: &[Member<P>],
    scratch: &mut Scratch,
) {
    // SAFETY: the caller's.
    unsafe { pair.solve(group, scratch) }
}
