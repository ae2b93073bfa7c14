//! Lines in which North moves: for a group of South's rows, the lines that moves lead to side by side
//! in a buffer, and for each of North's rows the minimum over its moves.

use std::ops::Range;

use super::kernels::{
    self, Couple, LANES, Lane, SPAN, blended, interleave, lesser, prefetch_line, rest, separated,
};
use super::lines::{MatrixLines, Side, Turn};
use super::moves::{Kind, Slot};
use super::pair::{Member, Pair, Setting};
use super::sowing::{Adds, Packed};
use crate::rules::Rules;

/// Where the lines of a [`Slot`] come from.
pub(super) struct SlotSource<'a> {
    slot: &'a Slot,
    /// What the move adds to South's row.
    adds: Packed,
    /// The matrices by the stones captured; one where there is no capture, none for South's own
    /// row.
    matrices: Vec<MatrixLines<'a>>,
}

impl SlotSource<'_> {
    /// Elements of the buffer that the slot takes.
    pub fn length(&self) -> usize {
        SPAN * self.slot.spans.len()
    }
}

/// A group's rows, one a lane: a group that is not full has its last row several times.
pub(super) fn full(group: &[Member]) -> [Member; LANES] {
    let mut members = [group[group.len() - 1]; LANES];
    members[..group.len()].copy_from_slice(group);
    members
}

impl<'a, const P: usize> Pair<'a, P> {
    /// Fills consecutive slots of the buffer; `target` is where they lie in it.
    ///
    /// # Safety
    ///
    /// The members' lines with South to move are final.
    #[inline(always)]
    pub unsafe fn fill(
        &self,
        slots: &[SlotSource<'a>],
        members: &[Member; LANES],
        mut target: &mut [Lane],
    ) {
        let stones = (self.setting.south + self.setting.north) as u8;
        let Some(first) = slots.first() else { return };
        // SAFETY: the lines with South to move are final, says the caller.
        let mut next = unsafe { self.slot_lines(first, members) };
        for (place, source) in slots.iter().enumerate() {
            let lines = next;
            if let Some(source) = slots.get(place + 1) {
                // SAFETY: as above.
                next = unsafe { self.slot_lines(source, members) };
            }
            let lanes = target.split_off_mut(..source.length()).expect("room for all slots");
            interleave(&lines, &source.slot.spans, lanes);
            if let Kind::Extra { laps } = source.slot.kind {
                rest(lanes.as_flattened_mut(), stones - laps - 1);
            }
        }
    }

    /// By standard rules, where there is nothing to capture the landing stone stays: such elements
    /// of the filled buffer get their values from South's own row.
    #[inline(always)]
    pub fn keep(&self, members: &[Member; LANES], buffer: &mut [Lane]) {
        if self.setting.rules != Rules::Standard {
            return;
        }
        for (pit, keep) in self.setting.moves.keep.iter().enumerate() {
            let mut empty = [0; LANES];
            for (empty, member) in empty.iter_mut().zip(members) {
                *empty = if member.row.pit::<P>(pit) == 0 { u8::MAX } else { 0 };
            }
            if empty == [0; LANES] {
                continue;
            }
            for keep in keep {
                let stay = buffer[keep.stay as usize];
                let capture = &mut buffer[keep.capture as usize];
                *capture = blended(*capture, stay, empty);
            }
        }
    }

    /// Computes from the buffer the part `range` of the lines of a group's rows, North to move.
    ///
    /// # Panics
    ///
    /// When the buffer is not as long as the moves say.
    ///
    /// # Safety
    ///
    /// No other thread holds this part of these lines.
    #[inline(always)]
    pub unsafe fn finish(&self, group: &[Member], buffer: &[Lane], range: Range<usize>) {
        let stones = (self.setting.south + self.setting.north) as u8;
        assert!(buffer.len() == self.setting.moves.length());
        let start = range.start;
        let (spans, others) = self.setting.moves.elements()[range].as_chunks::<SPAN>();
        for (place, elements) in spans.iter().enumerate() {
            // SAFETY: the moves checked their elements against the buffer's length.
            let values = separated(unsafe { most(stones, buffer, elements) });
            for (member, values) in group.iter().zip(&values) {
                let at = start + place * SPAN;
                // SAFETY: this part of the line is ours, says the caller, and members are distinct.
                let part = unsafe { self.north_moves.part_mut(member.rank, at, SPAN) };
                part.copy_from_slice(values);
            }
        }
        // SAFETY: as above.
        let values = separated(unsafe { most(stones, buffer, others) });
        for (member, values) in group.iter().zip(&values) {
            let at = start + spans.len() * SPAN;
            // SAFETY: as above.
            let part = unsafe { self.north_moves.part_mut(member.rank, at, others.len()) };
            part.copy_from_slice(&values[..part.len()]);
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

/// For up to `SPAN` of North's rows, the most that North gets: `stones` less the least of the
/// elements that the row's moves lead to.
///
/// # Safety
///
/// Each of `elements` is below the buffer's length.
#[inline(always)]
unsafe fn most<const P: usize>(
    stones: u8,
    buffer: &[Lane],
    elements: &[[u32; P]],
) -> [Couple; SPAN / 2] {
    let mut couples = [[0; 2 * LANES]; SPAN / 2];
    // An odd one out is taken twice.
    let last = elements.len().saturating_sub(1);
    for (place, couple) in couples.iter_mut().enumerate().take(elements.len().div_ceil(2)) {
        let (one, other) = (&elements[2 * place], &elements[last.min(2 * place + 1)]);
        let mut least = [u8::MAX; 2 * LANES];
        for (&one, &other) in one.iter().zip(other) {
            // SAFETY: the caller vouches for it.
            let both = unsafe { kernels::couple(buffer, one as usize, other as usize) };
            least = lesser(least, both);
        }
        // Here, because what is stored in parts is slow to load as a whole.
        rest(&mut least, stones);
        *couple = least;
    }
    couples
}

impl<'a, const P: usize> Setting<'a, P> {
    /// Where the lines of a slot come from.
    pub fn source(&self, slot: &'a Slot) -> SlotSource<'a> {
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
