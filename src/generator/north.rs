//! Lines in which North moves: South's row is the same all along, the sower's row is the element.
//!
//! Each of North's moves takes an element of another line, and which lines these are depends on
//! South's row and the kind of move alone: South's own row for a move that stays within North's
//! pits, South's row with stones added for one that goes on into them, South's row with the facing
//! pit cleared for a capture. The lines stand side by side in a buffer, in *slots*, and a table
//! that depends on North's stones alone says for each of North's rows which elements of the buffer
//! its moves lead to. A group of South's rows is solved together, their lines interleaved, so that
//! an offset is looked up once for the group and an element is a vector.

use std::collections::BTreeMap;

use super::kernels::{LANES, Lane, Square, lesser};
use super::sowing::{Adds, Landing, Sowings, facing, rows};
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

/// A line in the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub kind: Kind,
    /// Stones left in North's row.
    pub north: usize,
    /// Where in the buffer the line begins, in elements.
    pub start: usize,
    /// How many elements it has, `R(north)`.
    pub length: usize,
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
        let mut starts = BTreeMap::new();
        let mut slots = Vec::new();
        let mut length = 0;
        let mut slot = |kind: Kind, north: usize| -> usize {
            *starts.entry(kind).or_insert_with(|| {
                let slot =
                    Slot { kind, north, start: length, length: row_count(P, north) as usize };
                length += slot.length;
                slots.push(slot);
                slot.start
            })
        };
        let own = slot(Kind::Pass(Adds::NONE), stones);
        debug_assert_eq!(own, 0);

        let sowings = Sowings::<P>::new(stones);
        let mut keep = vec![BTreeMap::new(); P];
        let mut elements = Vec::with_capacity(row_count(P, stones) as usize);
        for row in rows::<P>(stones) {
            let mut moves = [0; P];
            let mut count = 0;
            for sowing in (0..P).filter_map(|pit| sowings.sow(row, pit)) {
                let Adds { laps, .. } = sowing.adds;
                let mut after = sowing.row;
                let kind = match sowing.landing {
                    Landing::Store => Kind::Extra { laps },
                    Landing::Pit => Kind::Pass(sowing.adds),
                    Landing::Empty(pit) => {
                        after = after.cleared::<P>(pit);
                        Kind::Capture { laps, pit: facing::<P>(pit) as u8 }
                    }
                };
                let captor = usize::from(matches!(sowing.landing, Landing::Empty(_)));
                let north = stones - sowing.gain - sowing.adds.stones(P) - captor;
                let element = (slot(kind, north) + after.rank::<P>()) as u32;
                if let (Landing::Empty(pit), 0) = (sowing.landing, laps) {
                    keep[facing::<P>(pit)].insert(element, sowing.row.rank::<P>() as u32);
                }
                moves[count] = element;
                count += 1;
            }
            elements.push(filled(moves, count));
        }
        let keep = keep
            .into_iter()
            .map(|list| list.into_iter().map(|(capture, stay)| Keep { capture, stay }).collect())
            .collect();
        NorthMoves { slots, length, elements, keep }
    }
}

/// `moves` with the places from `count` on filled with the first.
fn filled<const P: usize>(moves: [u32; P], count: usize) -> [u32; P] {
    std::array::from_fn(|place| if place < count { moves[place] } else { moves[0] })
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
