//! Lines in which North moves: South's row is the same all along, the sower's row is the element.
//!
//! Each of North's moves takes an element of another line, and which lines these are depends on
//! South's row and the kind of move alone: South's own row for a move that stays within North's
//! pits, South's row with stones added for one that goes on into them, South's row with the facing
//! pit cleared for a capture. The lines stand side by side in a buffer, in *slots*, and a table
//! that depends on North's stones alone says for each of North's rows which elements of the buffer
//! its moves lead to. A group of South's rows is solved together, their lines interleaved, so that
//! an offset is looked up once for the group and an element is a vector.

use std::collections::{BTreeMap, BTreeSet};

use super::kernels::{LANES, Lane, Square, lesser};
use super::sowing::{Adds, Landing, Packed, Sowings, facing, rows};
use crate::ranking::row_count;

/// What a slot of the buffer holds: which line of each South row of the group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// South to move, these stones added to South's row.
    Pass(Adds),
    /// South to move, so many stones added to every pit, then this pit of South's cleared.
    Capture { laps: u8, pit: u8 },
    /// North to move again, so many stones added to every pit of South's.
    Extra { laps: u8 },
}

/// The part of a line in the buffer that some move leads to, in squares of [`LANES`] elements.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub kind: Kind,
    /// Stones left in North's row.
    pub north: usize,
    /// Where in the buffer the slot begins, in elements.
    pub start: usize,
    /// Where in the line each square begins; the last one ends with the line at the latest. A line
    /// shorter than a square has one, filled in part.
    pub squares: Vec<u32>,
}

/// Where in the buffer a capture that takes nothing finds its values, by standard rules: the
/// landing stone stays, and with it the position in the layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keep {
    /// The element of the capture slot.
    pub capture: u32,
    /// The element of the slot of South's row itself, with the landing stone in its pit.
    pub stay: u32,
}

/// The moves of all of North's rows of some number of stones.
pub(super) struct NorthMoves<const P: usize> {
    /// The slots; the first is South's own row, in the layer.
    pub slots: Vec<Slot>,
    /// Elements of the whole buffer.
    pub length: usize,
    /// For each of North's rows the elements its moves lead to; fewer than `P` moves are filled up
    /// with copies of one of them.
    pub elements: Vec<[u32; P]>,
    /// For each of South's pits what to do where it is captured from while it is empty.
    pub keep: Vec<Vec<Keep>>,
}

impl<const P: usize> NorthMoves<P> {
    /// The moves of North's rows of `stones` stones, at least one.
    pub fn new(stones: usize) -> Self {
        let mut lines = BTreeMap::new();
        let own = (Kind::Pass(Adds::NONE), stones);
        lines.insert(own, Line::new::<P>(0, stones));

        let sowings = Sowings::<P>::new(stones);
        let mut moves: Vec<[Target; P]> = Vec::with_capacity(row_count(P, stones) as usize);
        let mut keep = vec![BTreeSet::new(); P];
        for row in rows::<P>(stones) {
            let mut targets = [Target { line: 0, element: 0 }; P];
            let mut count = 0;
            for sowing in (0..P).filter_map(|pit| sowings.sow(row, pit)) {
                let Adds { laps, .. } = sowing.adds;
                let mut north = stones - sowing.gain - sowing.adds.stones(P);
                let mut after = sowing.row;
                let kind = match sowing.landing {
                    Landing::Store => Kind::Extra { laps },
                    Landing::Pit => Kind::Pass(sowing.adds),
                    Landing::Empty(pit) => {
                        after = after.cleared::<P>(pit);
                        north -= 1;
                        Kind::Capture { laps, pit: facing::<P>(pit) as u8 }
                    }
                };
                let mut target = |key: (Kind, usize), row: Packed| {
                    let place = lines.len();
                    lines
                        .entry(key)
                        .or_insert_with(|| Line::new::<P>(place, key.1))
                        .target(row.rank::<P>())
                };
                let capture = target((kind, north), after);
                if let (Landing::Empty(pit), 0) = (sowing.landing, laps) {
                    keep[facing::<P>(pit)].insert((capture, target(own, sowing.row)));
                }
                targets[count] = capture;
                count += 1;
            }
            // Fewer moves than pits are filled up with copies of one of them.
            let first = targets[0];
            targets[count..].fill(first);
            moves.push(targets);
        }

        let mut slots: Vec<Option<Slot>> = vec![None; lines.len()];
        let mut lines: Vec<((Kind, usize), Line)> = lines.into_iter().collect();
        lines.sort_by_key(|(_, line)| line.place);
        let mut length = 0;
        for ((kind, north), line) in &mut lines {
            let squares = line.lay_out(length);
            slots[line.place] = Some(Slot { kind: *kind, north: *north, start: length, squares });
            length += LANES * slots[line.place].as_ref().map_or(0, |slot| slot.squares.len());
        }
        let element = |target: Target| lines[target.line as usize].1.element(target);
        NorthMoves {
            slots: slots.into_iter().flatten().collect(),
            length,
            elements: moves.into_iter().map(|targets| targets.map(element)).collect(),
            keep: keep
                .into_iter()
                .map(|list| {
                    let keep =
                        |(capture, stay)| Keep { capture: element(capture), stay: element(stay) };
                    list.into_iter().map(keep).collect()
                })
                .collect(),
        }
    }
}

/// An element of a line, before it is known where in the buffer it will be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Target {
    line: u32,
    element: u32,
}

/// A line that moves lead to.
struct Line {
    place: usize,
    length: usize,
    /// Which of its squares some move leads to, and then where in the buffer they begin.
    squares: Vec<Option<u32>>,
}

impl Line {
    fn new<const P: usize>(place: usize, north: usize) -> Self {
        let length = row_count(P, north) as usize;
        Line { place, length, squares: vec![None; length.div_ceil(LANES)] }
    }

    /// Marks an element as led to.
    fn target(&mut self, element: usize) -> Target {
        self.squares[element / LANES] = Some(0);
        Target { line: self.place as u32, element: element as u32 }
    }

    /// Lays out the squares that are led to from `start` on in the buffer; tells where in the line
    /// they begin.
    fn lay_out(&mut self, start: usize) -> Vec<u32> {
        let mut begins = Vec::new();
        for (place, square) in self.squares.iter_mut().enumerate() {
            if let Some(at) = square {
                *at = (start + LANES * begins.len()) as u32;
                begins.push((place * LANES).min(self.length.saturating_sub(LANES)) as u32);
            }
        }
        begins
    }

    /// Where in the buffer an element is.
    fn element(&self, target: Target) -> u32 {
        let element = target.element as usize;
        let place = element / LANES;
        let begin = (place * LANES).min(self.length.saturating_sub(LANES));
        self.squares[place].expect("led to") + (element - begin) as u32
    }
}

/// For up to `LANES` of North's rows, the least of the elements their moves lead to.
///
/// # Safety
///
/// Each of `elements` is below the buffer's length.
#[inline(always)]
pub(super) unsafe fn least<const P: usize>(buffer: &[Lane], elements: &[[u32; P]]) -> Square {
    let mut square = [[0; LANES]; LANES];
    for (lane, elements) in square.iter_mut().zip(elements) {
        let mut least = [u8::MAX; LANES];
        for &element in elements {
            // SAFETY: the caller vouches for it.
            least = lesser(least, unsafe { *buffer.get_unchecked(element as usize) });
        }
        *lane = least;
    }
    square
}
