//! Tiles that single positions were looked up in lately.
//!
//! Each thread keeps its own, so that looking up takes no lock. A tile is decoded as far as it is
//! asked for, and again when somebody asks for more.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::shape::BAND;
use super::tile::{self, Coded, Content, STEPS, Size, Steps, Stream};

/// Tiles that a thread keeps: with the coder's tables, about what its core's second cache holds.
const KEPT: usize = 256;

/// A block that positions are looked up in, told from all others that there are or were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity(u64);

impl Identity {
    /// Another one.
    #[expect(clippy::new_without_default, reason = "no two are alike")]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Identity(NEXT.fetch_add(1, Relaxed))
    }
}

thread_local! {
    static RECENT: RefCell<Recent> = RefCell::new(Recent::new());
}

struct Recent {
    stream: Stream,
    tiles: Vec<Kept>,
}

struct Kept {
    identity: Identity,
    tile: usize,
    /// How many of the steps are decoded.
    known: usize,
    steps: Steps,
}

/// The share at the line and column `place` of a tile. `None` when the bytes are not those of a tile, as
/// far as is seen.
pub(super) fn share(
    identity: Identity,
    tile: usize,
    bytes: &[u8],
    size: Size,
    place: (usize, usize),
    stones: u8,
) -> Option<u8> {
    RECENT.with_borrow_mut(|recent| recent.share(identity, tile, bytes, size, place, stones))
}

impl Recent {
    fn new() -> Self {
        let nothing =
            || Kept { identity: Identity(0), tile: 0, known: 0, steps: [[0; BAND]; STEPS] };
        Recent { stream: Stream::new(), tiles: (0..KEPT).map(|_| nothing()).collect() }
    }

    fn share(
        &mut self,
        identity: Identity,
        tile: usize,
        bytes: &[u8],
        size: Size,
        (line, column): (usize, usize),
        stones: u8,
    ) -> Option<u8> {
        // Blocks one after the other, and the tiles of a block, in different places.
        let place = (identity.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize;
        let kept = &mut self.tiles[(place + tile) % KEPT];
        let step = line + column;
        if (kept.identity, kept.tile) == (identity, tile) && step < kept.known {
            return Some(kept.steps[step][line]);
        }
        (kept.identity, kept.tile, kept.known) = (identity, tile, 0);
        match Content::of(bytes, size, &mut self.stream)? {
            Content::Plain(shares) => {
                let share = shares[line * size.width + column];
                (share <= stones).then_some(share)
            }
            Content::Coded(parts, patches) => {
                let coded = Coded { parts, stream: &self.stream, size, stones, steps: step + 1 };
                tile::decode([coded], [&mut kept.steps])?;
                let put = |line: usize, column: usize, share| {
                    kept.steps[line + column][line] = share;
                };
                patches.each(size, stones, put)?;
                kept.known = step + 1;
                Some(kept.steps[step][line])
            }
        }
    }
}
