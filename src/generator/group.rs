//! Solves a group of South's rows of equal potential: their lines with South to move, then their
//! lines with North to move.

use super::kernels::{LANES, Lane, interleave, lower, lower_by_rest, rest, transposed};
use super::lines::{Lines, Turn};
use super::matrix::Matrix;
use super::north::{Kind, NorthMoves, least};
use super::runs::{RunMaps, SLACK, gather};
use super::sowing::{Adds, Landing, facing, sow};
use crate::ranking::rank_row;
use crate::rules::{Row, Rules};

/// What all lines of a pair of blocks have in common.
pub(super) struct Pair<'a, const P: usize> {
    pub rules: Rules,
    /// Stones in South's row.
    pub south: usize,
    /// Stones in North's row, at least one.
    pub north: usize,
    pub lower: &'a Lines<'a, P>,
    pub maps: &'a RunMaps,
    pub moves: &'a NorthMoves<P>,
    /// South's rows by North's rows, South to move; and the same, North to move.
    pub south_moves: Matrix,
    pub north_moves: Matrix,
}

/// Memory that a thread uses again from group to group.
pub(super) struct Scratch {
    line: Vec<u8>,
    buffer: Vec<Lane>,
}

impl Scratch {
    pub fn new() -> Self {
        Scratch { line: Vec::new(), buffer: Vec::new() }
    }
}

/// One of a group's rows.
#[derive(Clone, Copy)]
pub(super) struct Member<const P: usize> {
    pub row: Row<P>,
    pub rank: usize,
}

impl<const P: usize> Pair<'_, P> {
    /// Computes both lines of each of a group's rows, at most [`LANES`] of them.
    ///
    /// # Safety
    ///
    /// No other thread holds a line of the group's rows, and the lines of all rows of lower
    /// potential are final.
    #[inline(always)]
    pub unsafe fn solve(&self, group: &[Member<P>], scratch: &mut Scratch) {
        for member in group {
            // SAFETY: the group's lines are ours, says the caller.
            let line = unsafe { self.south_moves.line_mut(member.rank) };
            // SAFETY: what is read are lines of lower potential.
            unsafe { self.south_line(&member.row, line, &mut scratch.line) };
        }
        // SAFETY: the group's lines are ours, and those with South to move are final now.
        unsafe { self.north_lines(group, &mut scratch.buffer) };
    }

    /// The line of `south`, South to move: the least that is left for North over South's moves.
    ///
    /// # Safety
    ///
    /// The lines of all rows of lower potential are final.
    #[inline(always)]
    unsafe fn south_line(&self, south: &Row<P>, line: &mut [u8], scratch: &mut Vec<u8>) {
        let stones = self.south + self.north;
        line.fill(u8::MAX);
        scratch.resize(line.len() + SLACK, 0);
        for pit in 0..P {
            let Some(sowing) = sow(south, pit) else { continue };
            let Adds { laps, .. } = sowing.adds;
            let gain = usize::from(sowing.gain);
            let added = sowing.adds.stones(P);
            let left = self.south - added - gain;
            let north = self.north + added;
            let unmoved = sowing.adds == Adds { laps: 0, first: 0 };
            match sowing.landing {
                Landing::Empty(landing) => {
                    let mut after = sowing.row;
                    after[landing] = 0;
                    let row = rank_row(&after) as usize;
                    let pit = facing::<P>(landing);
                    // By what the facing pit held before: nothing captured is a source of its own.
                    let mut sources = [&[][..]; 128];
                    for (held, source) in sources.iter_mut().enumerate().take(self.north + 1) {
                        let captured = held + usize::from(laps);
                        *source = if captured == 0 && self.rules == Rules::Standard {
                            // SAFETY: the stone moved within the row, to a row of lower potential.
                            unsafe { self.north_moves.line(rank_row(&sowing.row) as usize) }
                        } else {
                            self.lower.line(Turn::North, left - 1, north - captured, row)
                        };
                    }
                    gather(self.maps.capturing(laps, pit), &sources, scratch);
                    lower(line, scratch);
                }
                Landing::Pit if gain == 0 => {
                    // SAFETY: the stones moved within the row, to a row of lower potential.
                    lower(line, unsafe { self.north_moves.line(rank_row(&sowing.row) as usize) });
                }
                landing => {
                    let turn = if landing == Landing::Store { Turn::South } else { Turn::North };
                    let mut source =
                        self.lower.line(turn, left, north, rank_row(&sowing.row) as usize);
                    if !unmoved {
                        gather(self.maps.adding(sowing.adds), &[source], scratch);
                        source = &scratch[..line.len()];
                    }
                    match turn {
                        Turn::South => lower_by_rest(line, (stones - gain) as u8, source),
                        Turn::North => lower(line, source),
                    }
                }
            }
        }
        rest(line, stones as u8);
    }

    /// The lines of a group's rows, North to move.
    ///
    /// # Safety
    ///
    /// No other thread holds these lines, and those of the same rows with South to move are final.
    #[inline(always)]
    unsafe fn north_lines(&self, group: &[Member<P>], buffer: &mut Vec<Lane>) {
        let stones = self.south + self.north;
        buffer.resize(self.moves.length.max(buffer.len()), [0; LANES]);
        let buffer = &mut buffer[..self.moves.length];
        // A group that is not full solves its last row several times.
        let members: [Member<P>; LANES] =
            std::array::from_fn(|lane| group[lane.min(group.len() - 1)]);

        for slot in &self.moves.slots {
            // What is added to South's row leaves so many stones; `None`: more than there can be.
            let lines = members.each_ref().map(|member| match slot.kind {
                Kind::Pass(Adds { laps: 0, first: 0 }) => {
                    // SAFETY: the line is final, says the caller.
                    unsafe { self.south_moves.line(member.rank) }
                }
                Kind::Pass(adds) => {
                    let row = rank_row(&adds.apply(&member.row)) as usize;
                    self.lower.line(Turn::South, self.south + adds.stones(P), slot.north, row)
                }
                Kind::Extra { laps } => {
                    let adds = Adds { laps, first: 0 };
                    let row = rank_row(&adds.apply(&member.row)) as usize;
                    self.lower.line(Turn::North, self.south + adds.stones(P), slot.north, row)
                }
                Kind::Capture { laps, pit } => {
                    let adds = Adds { laps, first: 0 };
                    let mut row = adds.apply(&member.row);
                    let captured = usize::from(std::mem::take(&mut row[usize::from(pit)]));
                    let south = self.south + adds.stones(P) - captured;
                    self.lower.line(Turn::South, south, slot.north, rank_row(&row) as usize)
                }
            });
            let target = &mut buffer[slot.start..][..slot.length];
            interleave(&lines, target);
            if let Kind::Extra { laps } = slot.kind {
                let from = stones as u8 - laps - 1;
                rest(target.as_flattened_mut(), from);
            }
        }

        if self.rules == Rules::Standard {
            for (pit, keep) in self.moves.keep.iter().enumerate() {
                let empty = members.map(|member| if member.row[pit] == 0 { u8::MAX } else { 0 });
                if empty == [0; LANES] {
                    continue;
                }
                for keep in keep {
                    let stay = buffer[keep.stay as usize];
                    let capture = &mut buffer[keep.capture as usize];
                    for lane in 0..LANES {
                        capture[lane] =
                            (capture[lane] & !empty[lane]) | (stay[lane] & empty[lane]);
                    }
                }
            }
        }

        for (block, elements) in self.moves.elements.chunks(LANES).enumerate() {
            // SAFETY: `NorthMoves` numbers elements of its slots, all within its length.
            let mut square = unsafe { least(buffer, elements) };
            rest(square.as_flattened_mut(), stones as u8);
            let square = transposed(square);
            for (member, values) in group.iter().zip(&square) {
                // SAFETY: the line is ours, says the caller, and members are distinct.
                let line = unsafe { self.north_moves.line_mut(member.rank) };
                line[block * LANES..][..elements.len()].copy_from_slice(&values[..elements.len()]);
            }
        }
    }
}
