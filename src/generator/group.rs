//! Solves a group of South's rows of equal potential: their lines with South to move, then their
//! lines with North to move.

use super::kernels::{
    LANES, Lane, interleave, lower, lower_by_rest, prefetch_line, rest, transposed,
};
use super::lines::{Lines, MatrixLines, Side, Turn};
use super::matrix::Matrix;
use super::north::{Kind, NorthMoves, Slot, least};
use super::runs::{FILLER, RunMaps, SLACK};
use super::sowing::{Adds, Landing, Packed, Sowings, facing};
use crate::rules::Rules;

/// What all lines of a pair of blocks are computed from.
pub(super) struct Setting<'a, const P: usize> {
    pub rules: Rules,
    /// Stones in South's row.
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
    setting: Setting<'a, P>,
    slots: Vec<SlotSource<'a>>,
    /// South's rows by North's rows, South to move; and the same, North to move.
    south_moves: Matrix<'a>,
    north_moves: Matrix<'a>,
}

/// Where the lines of a [`Slot`] come from.
struct SlotSource<'a> {
    slot: &'a Slot,
    /// What the move adds to South's row.
    adds: Packed,
    /// The matrices by the stones captured; one where there is no capture, none for South's own
    /// row.
    matrices: Vec<MatrixLines<'a>>,
}

/// Memory that is used again from group to group.
#[derive(Default)]
pub(super) struct Scratch<'a> {
    steps: Vec<Step>,
    sources: Vec<&'a [u8]>,
    line: Vec<u8>,
    buffer: Vec<Lane>,
}

/// What a move of South's contributes to a line, from the next sources of the list.
#[derive(Clone, Copy)]
enum Step {
    /// The turn passes, all elements stay in place.
    Pass,
    /// South moves again: North gets at most this less what South gets.
    Extra(u8),
    /// The turn passes, or not, after stones were added to North's row.
    Adding(Adds, Option<u8>),
    Capture {
        laps: u8,
        facing: usize,
    },
    /// The line is complete.
    Done,
}

/// Steps and sources that are still to be worked off.
#[derive(Clone, Copy)]
struct Agenda<'a> {
    steps: &'a [Step],
    sources: &'a [&'a [u8]],
}

impl<'a> Agenda<'a> {
    #[inline(always)]
    fn step(&mut self) -> Option<Step> {
        self.steps.split_off_first().copied()
    }

    /// The next sources; there are as many as the steps call for.
    #[inline(always)]
    fn sources(&mut self, count: usize) -> &'a [&'a [u8]] {
        let (taken, left) = self.sources.split_at(count);
        self.sources = left;
        taken
    }
}

/// One of a group's rows.
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub row: Packed,
    pub rank: usize,
}

impl<'a, const P: usize> Pair<'a, P> {
    /// The pair of blocks of which `south_moves` and `north_moves` are the matrices.
    pub fn new(setting: Setting<'a, P>, south_moves: Matrix<'a>, north_moves: Matrix<'a>) -> Self {
        let slots = setting.moves.slots.iter().map(|slot| setting.source(slot)).collect();
        Pair { setting, slots, south_moves, north_moves }
    }

    /// Computes both lines of each of a group's rows, at most [`LANES`] of them.
    ///
    /// # Safety
    ///
    /// No other thread holds a line of the group's rows, and the lines of all rows of lower
    /// potential are final.
    #[inline(always)]
    pub unsafe fn solve<'b>(&'b self, group: &[Member], scratch: &mut Scratch<'b>) {
        scratch.steps.clear();
        scratch.sources.clear();
        for member in group {
            // SAFETY: the lines of lower potential are final, says the caller.
            unsafe { self.plan(member.row, scratch) };
        }
        let mut ahead = Agenda { steps: &scratch.steps, sources: &scratch.sources };
        let mut agenda = ahead;
        self.prefetch(&mut ahead);
        for member in group {
            self.prefetch(&mut ahead);
            // SAFETY: the group's lines are ours, says the caller.
            let line = unsafe { self.south_moves.line_mut(member.rank) };
            self.south_line(line, &mut agenda, &mut scratch.line);
        }
        // SAFETY: the group's lines are ours, and those with South to move are final now.
        unsafe { self.north_lines(group, &mut scratch.buffer) };
    }

    /// Lists what the line of `row` is computed from, South to move.
    ///
    /// # Safety
    ///
    /// The lines of all rows of lower potential are final.
    #[inline(always)]
    unsafe fn plan<'b>(&'b self, row: Packed, scratch: &mut Scratch<'b>) {
        let Setting { rules, south, north, lower: lines, maps, sowings, .. } = self.setting;
        let stones = south + north;
        let Scratch { steps, sources, .. } = scratch;
        let mut source = |line: &'b [u8]| sources.push(line);
        for pit in 0..P {
            let Some(sowing) = sowings.sow(row, pit) else { continue };
            let added = sowing.adds.stones(P);
            let side = |turn, captor, captured| Side {
                south: south - added - sowing.gain - captor,
                north: north + added - captured,
                turn,
            };
            match sowing.landing {
                Landing::Empty(landing) => {
                    let row = sowing.row.cleared::<P>(landing).rank::<P>();
                    let Adds { laps, .. } = sowing.adds;
                    steps.push(Step::Capture { laps, facing: facing::<P>(landing) });
                    source(FILLER);
                    // By what the facing pit held before: nothing captured is a source of its own.
                    for held in 0..=north {
                        let captured = held + usize::from(laps);
                        source(if captured == 0 && rules == Rules::Standard {
                            // SAFETY: the stone moved within the row, to one of lower potential.
                            unsafe { self.north_moves.line(sowing.row.rank::<P>()) }
                        } else {
                            lines.matrix(side(Turn::North, 1, captured)).line(row)
                        });
                    }
                }
                Landing::Pit if sowing.gain == 0 => {
                    steps.push(Step::Pass);
                    // SAFETY: the stones moved within the row, to one of lower potential.
                    source(unsafe { self.north_moves.line(sowing.row.rank::<P>()) });
                }
                landing => {
                    let (turn, from) = match landing {
                        Landing::Store => (Turn::South, Some((stones - sowing.gain) as u8)),
                        _ => (Turn::North, None),
                    };
                    let line = lines.matrix(side(turn, 0, 0)).line(sowing.row.rank::<P>());
                    let in_place = match sowing.adds {
                        Adds::NONE => Some(line),
                        adds => maps.adding(adds).shifted(line),
                    };
                    match in_place {
                        Some(line) => {
                            steps.push(from.map_or(Step::Pass, Step::Extra));
                            source(line);
                        }
                        None => {
                            steps.push(Step::Adding(sowing.adds, from));
                            source(FILLER);
                            source(line);
                        }
                    }
                }
            }
        }
        steps.push(Step::Done);
    }

    /// Asks for the memory that the next line on the agenda is computed from.
    #[inline(always)]
    fn prefetch(&self, agenda: &mut Agenda<'_>) {
        while let Some(step) = agenda.step() {
            match step {
                Step::Pass | Step::Extra(_) => prefetch_line(agenda.sources(1)[0]),
                Step::Adding(adds, _) => {
                    self.setting.maps.adding(adds).prefetch(agenda.sources(2));
                }
                Step::Capture { laps, facing } => {
                    let sources = agenda.sources(self.setting.north + 2);
                    self.setting.maps.capturing(laps, facing).prefetch(sources);
                }
                Step::Done => break,
            }
        }
    }

    /// Computes the next line on the agenda, South to move: the least that is left for North over
    /// South's moves.
    #[inline(always)]
    fn south_line(&self, line: &mut [u8], agenda: &mut Agenda<'_>, scratch: &mut Vec<u8>) {
        let Setting { south, north, maps, .. } = self.setting;
        line.fill(u8::MAX);
        scratch.resize(line.len() + SLACK, 0);
        while let Some(step) = agenda.step() {
            match step {
                Step::Pass => lower(line, agenda.sources(1)[0]),
                Step::Extra(from) => lower_by_rest(line, from, agenda.sources(1)[0]),
                Step::Adding(adds, from) => {
                    maps.adding(adds).gather(agenda.sources(2), scratch);
                    match from {
                        None => lower(line, scratch),
                        Some(from) => lower_by_rest(line, from, scratch),
                    }
                }
                Step::Capture { laps, facing } => {
                    maps.capturing(laps, facing).gather(agenda.sources(north + 2), scratch);
                    lower(line, scratch);
                }
                Step::Done => break,
            }
        }
        rest(line, (south + north) as u8);
    }

    /// The lines of a group's rows, North to move.
    ///
    /// # Safety
    ///
    /// No other thread holds these lines, and those of the same rows with South to move are final.
    #[inline(always)]
    unsafe fn north_lines(&self, group: &[Member], buffer: &mut Vec<Lane>) {
        let Setting { rules, south, north, moves, .. } = self.setting;
        let stones = (south + north) as u8;
        buffer.resize(moves.length.max(buffer.len()), [0; LANES]);
        let buffer = &mut buffer[..moves.length];
        // A group that is not full solves its last row several times.
        let mut members = [group[group.len() - 1]; LANES];
        members[..group.len()].copy_from_slice(group);

        // SAFETY: the lines with South to move are final, says the caller.
        let mut next = unsafe { self.slot_lines(&self.slots[0], &members) };
        for (place, source) in self.slots.iter().enumerate() {
            let lines = next;
            if let Some(source) = self.slots.get(place + 1) {
                // SAFETY: as above.
                next = unsafe { self.slot_lines(source, &members) };
            }
            let Slot { start, ref squares, .. } = *source.slot;
            let target = &mut buffer[start..][..LANES * squares.len()];
            interleave(&lines, squares, target);
            if let Kind::Extra { laps } = source.slot.kind {
                rest(target.as_flattened_mut(), stones - laps - 1);
            }
        }

        if rules == Rules::Standard {
            for (pit, keep) in moves.keep.iter().enumerate() {
                let mut empty = [0; LANES];
                for (empty, member) in empty.iter_mut().zip(&members) {
                    *empty = if member.row.pit::<P>(pit) == 0 { u8::MAX } else { 0 };
                }
                if empty == [0; LANES] {
                    continue;
                }
                for keep in keep {
                    let stay = buffer[keep.stay as usize];
                    let capture = &mut buffer[keep.capture as usize];
                    for lane in 0..LANES {
                        capture[lane] = (capture[lane] & !empty[lane]) | (stay[lane] & empty[lane]);
                    }
                }
            }
        }

        for (block, elements) in moves.elements.chunks(LANES).enumerate() {
            // SAFETY: `NorthMoves` numbers elements of its slots, all within its length.
            let mut square = unsafe { least(buffer, elements) };
            rest(square.as_flattened_mut(), stones);
            let square = transposed(square);
            for (member, values) in group.iter().zip(&square) {
                // SAFETY: the line is ours, says the caller, and members are distinct.
                let line = unsafe { self.north_moves.line_mut(member.rank) };
                let line = &mut line[block * LANES..];
                match line.first_chunk_mut() {
                    Some(line) => *line = *values,
                    None => line.copy_from_slice(&values[..elements.len()]),
                }
            }
        }
    }

    /// The lines that a slot holds for a group's rows; asks for their memory.
    ///
    /// # Safety
    ///
    /// The rows' lines with South to move are final.
    #[inline(always)]
    unsafe fn slot_lines(
        &self,
        source: &SlotSource<'a>,
        members: &[Member; LANES],
    ) -> [&[u8]; LANES] {
        let mut lines = [&[][..]; LANES];
        for (line, member) in lines.iter_mut().zip(members) {
            // SAFETY: the line is final, says the caller.
            *line = unsafe { self.slot_line(source, member) };
            prefetch_line(line);
        }
        lines
    }

    /// The line that a slot holds for one of a group's rows.
    ///
    /// # Safety
    ///
    /// The row's line with South to move is final.
    #[inline(always)]
    unsafe fn slot_line(&self, source: &SlotSource<'a>, member: &Member) -> &[u8] {
        if source.matrices.is_empty() {
            // SAFETY: the line is final, says the caller.
            return unsafe { self.south_moves.line(member.rank) };
        }
        let mut row = member.row.plus(source.adds);
        let mut captured = 0;
        if let Kind::Capture { pit, .. } = source.slot.kind {
            captured = row.pit::<P>(usize::from(pit));
            row = row.cleared::<P>(usize::from(pit));
        }
        source.matrices[captured].line(row.rank::<P>())
    }
}

impl<'a, const P: usize> Setting<'a, P> {
    fn source(&self, slot: &'a Slot) -> SlotSource<'a> {
        let (turn, adds) = match slot.kind {
            Kind::Pass(adds) => (Turn::South, adds),
            Kind::Extra { laps } => (Turn::North, Adds { laps, first: 0 }),
            Kind::Capture { laps, .. } => (Turn::South, Adds { laps, first: 0 }),
        };
        let most = match slot.kind {
            Kind::Capture { laps, .. } => self.south + usize::from(laps) + 1,
            Kind::Pass(Adds::NONE) => 0,
            _ => 1,
        };
        let south = self.south + adds.stones(P);
        let matrices = (0..most)
            .map(|captured| {
                self.lower.matrix(Side { south: south - captured, north: slot.north, turn })
            })
            .collect();
        SlotSource { slot, adds: adds.packed::<P>(), matrices }
    }
}
