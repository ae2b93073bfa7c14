//! A pair of blocks, solved group by group of South's rows.

use rayon::prelude::*;

use super::kernel::{Kernel, Work};
use super::kernels::{LANES, Lane};
use super::lines::Lines;
use super::matrix::Matrix;
use super::moves::NorthMoves;
use super::north::{SlotSource, full};
use super::runs::RunMaps;
use super::scratch::Pool;
use super::south::SouthScratch;
use super::sowing::{Packed, Sowings};
use crate::rules::Rules;

/// What all lines of a pair of blocks are computed from.
pub(super) struct Setting<'a, const P: usize> {
    pub rules: Rules,
    /// Stones in South's row, at least one.
    pub south: usize,
    /// Stones in North's row, at least one.
    pub north: usize,
    pub lower: &'a Lines<'a, P>,
    pub maps: &'a RunMaps,
    pub moves: &'a NorthMoves<P>,
    pub sowings: &'a Sowings<P>,
}

/// A pair of blocks while it is solved.
pub(super) struct Pair<'a, const P: usize> {
    pub(super) setting: Setting<'a, P>,
    pub(super) slots: Vec<SlotSource<'a>>,
    /// South's rows by North's rows, South to move; and the same, North to move.
    pub(super) south_moves: Matrix<'a>,
    pub(super) north_moves: Matrix<'a>,
}

/// One of South's rows.
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub row: Packed,
    pub rank: usize,
}

/// Memory that is used again from group to group.
pub(super) struct Scratches<'a> {
    south: Pool<SouthScratch<'a>>,
    buffers: Pool<Vec<Lane>>,
}

impl Scratches<'_> {
    pub fn new() -> Self {
        Scratches { south: Pool::new(), buffers: Pool::new() }
    }
}

impl<'a, const P: usize> Pair<'a, P> {
    /// The pair of blocks of which `south_moves` and `north_moves` are the matrices.
    pub fn new(setting: Setting<'a, P>, south_moves: Matrix<'a>, north_moves: Matrix<'a>) -> Self {
        let slots = setting.moves.slots.iter().map(|slot| setting.source(slot)).collect();
        Pair { setting, slots, south_moves, north_moves }
    }

    /// Computes both lines of each of some rows of one potential: groups beside each other, and
    /// parts of groups too where these are fewer than threads.
    ///
    /// # Safety
    ///
    /// No other thread holds a line of these rows, the lines of all rows of lower potential are
    /// final, and the machine has the kernel.
    pub unsafe fn solve<'b>(
        &'b self,
        class: &[Member],
        kernel: Kernel,
        sharing: Sharing,
        scratches: &Scratches<'b>,
    ) {
        let line = self.setting.moves.line();
        let solve = |group: &[Member]| {
            // SAFETY: the caller's, and groups have no rows in common.
            unsafe { self.solve_group(group, kernel, scratches, None) }
        };
        if class.len() * line < sharing.class {
            class.chunks(LANES).for_each(solve);
        } else if class.len().div_ceil(LANES) < rayon::current_num_threads() {
            class.par_chunks(LANES).for_each(|group| {
                // SAFETY: as above.
                unsafe { self.solve_group(group, kernel, scratches, Some(sharing.part)) }
            });
        } else {
            class.par_chunks(LANES).for_each(solve);
        }
    }

    /// Computes both lines of each of a group's rows, at most [`LANES`] of them: alone, or in parts
    /// of so many elements with all threads that have nothing else to do.
    ///
    /// # Safety
    ///
    /// As for [`Pair::solve`].
    unsafe fn solve_group<'b>(
        &'b self,
        group: &[Member],
        kernel: Kernel,
        scratches: &Scratches<'b>,
        parts: Option<usize>,
    ) {
        let members = &full(group);
        let length = self.setting.moves.length();
        let line = self.setting.moves.line();
        let south = |group: &[Member]| {
            scratches.south.with(|scratch| {
                // SAFETY: the caller's, for all of the group's lines.
                unsafe { kernel.run(South { pair: self, group, scratch }) }
            });
        };
        scratches.buffers.with(|buffer| {
            buffer.resize(length.max(buffer.len()), [0; LANES]);
            let buffer = &mut buffer[..length];
            if let Some(part) = parts {
                group.par_chunks(1).for_each(south);
                let mut slots = Vec::with_capacity(self.slots.len());
                let mut left = &mut *buffer;
                for source in &self.slots {
                    let lanes = left.split_off_mut(..source.length()).expect("room for all slots");
                    slots.push((std::slice::from_ref(source), lanes));
                }
                slots.into_par_iter().for_each(|(slots, target)| {
                    // SAFETY: the group's lines with South to move are final now.
                    unsafe { kernel.run(Fill { pair: self, slots, members, target }) };
                });
                // SAFETY: the machine has the kernel, says the caller.
                unsafe { kernel.run(Keep { pair: self, members, buffer }) };
                (0..line.div_ceil(part)).into_par_iter().for_each(|place| {
                    let range = place * part..line.min((place + 1) * part);
                    // SAFETY: the group's lines are ours, and parts do not overlap.
                    unsafe { kernel.run(Finish { pair: self, group, buffer, range }) };
                });
            } else {
                south(group);
                // SAFETY: as above, and nobody else works on the group.
                unsafe {
                    let slots = &self.slots[..];
                    kernel.run(Fill { pair: self, slots, members, target: buffer });
                    kernel.run(Keep { pair: self, members, buffer });
                    kernel.run(Finish { pair: self, group, buffer, range: 0..line });
                }
            }
        });
    }
}

/// When work is shared among threads: nothing that a result depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sharing {
    /// Positions of a class, in one turn, from which on it is shared.
    pub class: usize,
    /// Elements of a line in a part of a group's work; a multiple of
    /// [`SPAN`](super::kernels::SPAN).
    pub part: usize,
}

impl Default for Sharing {
    /// What takes some 30 µs is worth a thread.
    fn default() -> Self {
        Sharing { class: 1 << 15, part: 1 << 12 }
    }
}

/// How long a class of so many rows takes with so many threads, counted in elements of lines: what
/// a pair shares among them, as evenly as it can be.
pub fn work_units(rows: usize, line: usize, threads: usize) -> u64 {
    let sharing = Sharing::default();
    let groups = rows.div_ceil(LANES);
    if rows * line < sharing.class || threads == 1 {
        return 2 * (rows * line) as u64;
    }
    if groups < threads {
        let least = (rows * line).div_ceil(threads);
        let part = sharing.part.min(line) * rows.min(LANES);
        return (least.max(line) + least.max(part)) as u64;
    }
    (2 * (groups.div_ceil(threads) * LANES).min(rows) * line) as u64
}

/// [`Pair::south_lines`].
struct South<'a, 'b, 's, const P: usize> {
    pair: &'b Pair<'a, P>,
    group: &'s [Member],
    scratch: &'s mut SouthScratch<'b>,
}

impl<const P: usize> Work for South<'_, '_, '_, P> {
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller's.
        unsafe { self.pair.south_lines(self.group, self.scratch) }
    }
}

/// [`Pair::fill`].
struct Fill<'a, 's, const P: usize> {
    pair: &'s Pair<'a, P>,
    slots: &'s [SlotSource<'a>],
    members: &'s [Member; LANES],
    target: &'s mut [Lane],
}

impl<const P: usize> Work for Fill<'_, '_, P> {
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller's.
        unsafe { self.pair.fill(self.slots, self.members, self.target) }
    }
}

/// [`Pair::keep`].
struct Keep<'a, 's, const P: usize> {
    pair: &'s Pair<'a, P>,
    members: &'s [Member; LANES],
    buffer: &'s mut [Lane],
}

impl<const P: usize> Work for Keep<'_, '_, P> {
    #[inline(always)]
    unsafe fn run(self) {
        self.pair.keep(self.members, self.buffer);
    }
}

/// [`Pair::finish`].
struct Finish<'a, 's, const P: usize> {
    pair: &'s Pair<'a, P>,
    group: &'s [Member],
    buffer: &'s [Lane],
    range: std::ops::Range<usize>,
}

impl<const P: usize> Work for Finish<'_, '_, P> {
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller's.
        unsafe { self.pair.finish(self.group, self.buffer, self.range) }
    }
}
