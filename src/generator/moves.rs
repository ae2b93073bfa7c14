//! Where the moves of North's rows lead.
//!
//! Each of North's moves takes an element of another line, and which lines these are depends on
//! South's row and the kind of move alone: South's own row for a move that stays within North's
//! pits, South's row with stones added for one that goes on into them, South's row with the facing
//! pit cleared for a capture. The lines stand side by side in a buffer, in *slots*, and a table
//! that depends on North's stones alone says for each of North's rows which elements of the buffer
//! its moves lead to. A group of South's rows is solved together, their lines interleaved, so that
//! an element is a vector, and is found once for the group.

use super::kernels::SPAN;
use super::sowing::{Adds, Landing, Packed, Sowings, facing, rows};
use crate::ranking::row_count;

/// What a slot of the buffer holds: which line of each South row of the group.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// South to move, these stones added to South's row.
    Pass(Adds),
    /// South to move, so many stones added to every pit, then this pit of South's cleared.
    Capture { laps: u8, pit: u8 },
    /// North to move again, so many stones added to every pit of South's.
    Extra { laps: u8 },
}

/// The part of a line in the buffer that some move leads to, in spans of [`SPAN`] elements.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub kind: Kind,
    /// Stones left in North's row.
    pub north: usize,
    /// Where in the line each span begins; the last one ends with the line at the latest. A line
    /// shorter than a span has one, filled in part.
    pub spans: Vec<u32>,
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
    /// The slots, as they lie in the buffer one after the other; the first is South's own row, in
    /// the layer.
    pub slots: Vec<Slot>,
    /// Elements of the whole buffer.
    length: usize,
    /// For each of North's rows the elements its moves lead to; fewer than `P` moves are filled up
    /// with copies of one of them.
    elements: Vec<[u32; P]>,
    /// For each of South's pits what to do where it is captured from while it is empty.
    pub keep: Vec<Vec<Keep>>,
}

impl<const P: usize> NorthMoves<P> {
    /// Elements of the whole buffer.
    pub fn length(&self) -> usize {
        self.length
    }

    /// How many rows there are, the elements of a line.
    pub fn line(&self) -> usize {
        self.elements.len()
    }

    /// For each of North's rows the elements of the buffer that its moves lead to: all of them below
    /// [`NorthMoves::length`].
    pub fn elements(&self) -> &[[u32; P]] {
        &self.elements
    }

    /// The moves of North's rows of `stones` stones, at least one.
    pub fn new(stones: usize) -> Self {
        let sowings = Sowings::<P>::new(stones);
        let mut lines = LineSet::<P>::new(stones);
        let own = lines.find(Kind::Pass(Adds::NONE));
        let mut moves: Vec<[Target; P]> = Vec::with_capacity(row_count(P, stones) as usize);
        for row in rows::<P>(stones) {
            let mut targets = [Target { line: 0, element: 0 }; P];
            let mut count = 0;
            for sowing in (0..P).filter_map(|pit| sowings.sow(row, pit)) {
                let Adds { laps, .. } = sowing.adds;
                let (kind, after) = match sowing.landing {
                    Landing::Store => (Kind::Extra { laps }, sowing.row),
                    Landing::Pit => (Kind::Pass(sowing.adds), sowing.row),
                    Landing::Empty(pit) => {
                        let pit_captured = facing::<P>(pit) as u8;
                        (Kind::Capture { laps, pit: pit_captured }, sowing.row.cleared::<P>(pit))
                    }
                };
                let line = lines.find(kind);
                let target = lines.target(line, after);
                if let (Kind::Capture { .. }, 0) = (kind, laps) {
                    let stay = lines.target(own, sowing.row).element;
                    lines.all[line].stay[target.element as usize] = Some(stay);
                }
                targets[count] = target;
                count += 1;
            }
            // Fewer moves than pits are filled up with copies of one of them.
            let first = targets[0];
            targets[count..].fill(first);
            moves.push(targets);
        }
        lines.finish(&moves)
    }
}

/// An element of a line, before it is known where in the buffer it will be.
#[derive(Clone, Copy)]
struct Target {
    line: u32,
    element: u32,
}

/// A line that moves lead to.
struct Line {
    kind: Kind,
    /// Stones left in North's row.
    north: usize,
    length: usize,
    /// Which of its spans some move leads to, and then where in the buffer they begin.
    spans: Vec<Option<u32>>,
    /// Of a line of captures, for each element that is led to the element of South's own row with
    /// the landing stone in its pit.
    stay: Vec<Option<u32>>,
}

/// All lines that moves lead to.
struct LineSet<const P: usize> {
    /// Stones in North's row before the move.
    stones: usize,
    all: Vec<Line>,
    /// By [`LineSet::code`], where in `all` the line of a kind is.
    by_kind: Vec<Option<usize>>,
}

impl<const P: usize> LineSet<P> {
    fn new(stones: usize) -> Self {
        LineSet { stones, all: Vec::new(), by_kind: vec![None; (stones + 2) * (2 * P + 1)] }
    }

    fn code(kind: Kind) -> usize {
        let (laps, rest) = match kind {
            Kind::Pass(Adds { laps, first }) => (laps, usize::from(first)),
            Kind::Capture { laps, pit } => (laps, P + usize::from(pit)),
            Kind::Extra { laps } => (laps, 2 * P),
        };
        usize::from(laps) * (2 * P + 1) + rest
    }

    /// Where in `all` the line of this kind is.
    fn find(&mut self, kind: Kind) -> usize {
        let code = Self::code(kind);
        if let Some(line) = self.by_kind[code] {
            return line;
        }
        // What is added to South's row says how often the store was passed.
        let (gone, captures) = match kind {
            Kind::Pass(adds) => {
                (adds.stones(P) + usize::from(adds.laps) + usize::from(adds.first > 0), false)
            }
            Kind::Capture { laps, .. } => (usize::from(laps) * (P + 1) + 1, true),
            Kind::Extra { laps } => (usize::from(laps) * (P + 1) + 1, false),
        };
        let north = self.stones - gone;
        let length = row_count(P, north) as usize;
        self.by_kind[code] = Some(self.all.len());
        self.all.push(Line {
            kind,
            north,
            length,
            spans: vec![None; length.div_ceil(SPAN)],
            stay: vec![None; if captures { length } else { 0 }],
        });
        self.all.len() - 1
    }

    /// Marks the element of a row as led to.
    fn target(&mut self, line: usize, row: Packed) -> Target {
        let element = row.rank::<P>();
        self.all[line].spans[element / SPAN] = Some(0);
        Target { line: line as u32, element: element as u32 }
    }

    /// Lays out the buffer.
    fn finish(mut self, moves: &[[Target; P]]) -> NorthMoves<P> {
        let mut slots = Vec::new();
        let mut length = 0;
        for line in &mut self.all {
            let spans = line.lay_out(length);
            length += SPAN * spans.len();
            slots.push(Slot { kind: line.kind, north: line.north, spans });
        }
        let mut keep = vec![Vec::new(); P];
        for line in &self.all {
            let Kind::Capture { laps: 0, pit } = line.kind else { continue };
            for (element, stay) in line.stay.iter().enumerate() {
                if let Some(stay) = *stay {
                    let capture = line.element(element as u32);
                    keep[usize::from(pit)].push(Keep { capture, stay: self.all[0].element(stay) });
                }
            }
        }
        let element = |target: Target| self.all[target.line as usize].element(target.element);
        let elements = moves.iter().map(|targets| targets.map(element));
        let elements: Vec<[u32; P]> = elements.collect();
        // What the unchecked look-ups rely on.
        assert!(elements.as_flattened().iter().all(|&element| (element as usize) < length));
        NorthMoves { slots, length, elements, keep }
    }
}

impl Line {
    /// Lays out the spans that are led to from `start` on in the buffer; tells where in the line
    /// they begin.
    fn lay_out(&mut self, start: usize) -> Vec<u32> {
        let mut begins = Vec::new();
        for (place, span) in self.spans.iter_mut().enumerate() {
            if let Some(at) = span {
                *at = (start + SPAN * begins.len()) as u32;
                begins.push(span_begin(place, self.length) as u32);
            }
        }
        begins
    }

    /// Where in the buffer an element that is led to lies.
    fn element(&self, element: u32) -> u32 {
        let place = element as usize / SPAN;
        let at = self.spans[place].expect("led to");
        at + element - span_begin(place, self.length) as u32
    }
}

/// Where in a line a span begins: the last one ends with the line.
fn span_begin(place: usize, length: usize) -> usize {
    (place * SPAN).min(length.saturating_sub(SPAN))
}
