//! The transposes of finished blocks: kept until their last reader while memory allows, made again
//! when not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::generator::{Buffer, Buffers, SolveError, Solver, Turn, needs, transpose};
use crate::ranking::row_count;

/// A block by its rows' stones: the mover's and the opponent's.
pub(super) type Stones = (usize, usize);

/// Transposed blocks, opponent's rows by mover's rows.
pub(super) struct Transposed {
    buffers: Buffers,
    /// Bytes that may be kept.
    room: u64,
    kept: Mutex<Kept>,
}

struct Kept {
    blocks: HashMap<Stones, Arc<Buffer>>,
    bytes: u64,
    readers: Readers,
}

/// How many pairs of blocks are still to be computed from each transposed block.
#[derive(Clone, Default)]
pub(super) struct Readers(HashMap<Stones, usize>);

impl Readers {
    /// The readers that the pairs of some layers are, given by their stones.
    pub fn new<const P: usize>(layers: &[usize]) -> Self {
        let mut readers = HashMap::new();
        for (south, north) in layers.iter().flat_map(|&stones| Solver::<P>::pairs(stones)) {
            for side in needs::<P>(south, north) {
                if side.turn == Turn::North {
                    *readers.entry((side.north, side.south)).or_default() += 1;
                }
            }
        }
        Readers(readers)
    }

    fn any(&self, stones: Stones) -> bool {
        self.0.contains_key(&stones)
    }

    /// One reader less; tells whether that was the last one.
    fn done(&mut self, stones: Stones) -> bool {
        let Some(left) = self.0.get_mut(&stones) else { return true };
        *left -= 1;
        if *left == 0 {
            self.0.remove(&stones);
        }
        !self.any(stones)
    }
}

impl Transposed {
    pub fn new(buffers: Buffers, room: u64, readers: Readers) -> Self {
        let kept = Mutex::new(Kept { blocks: HashMap::new(), bytes: 0, readers });
        Transposed { buffers, room, kept }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Never left half changed.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether some pair is still to be computed from a transposed block.
    pub fn is_wanted(&self, stones: Stones) -> bool {
        self.lock().readers.any(stones)
    }

    /// Keeps a transposed block if somebody wants it and there is room for it.
    pub fn keep(&self, stones: Stones, transposed: &Arc<Buffer>) {
        let mut kept = self.lock();
        let bytes = transposed.len() as u64;
        if kept.readers.any(stones)
            && kept.bytes + bytes <= self.room
            && kept.blocks.insert(stones, Arc::clone(transposed)).is_none()
        {
            kept.bytes += bytes;
        }
    }

    /// A pair was computed from a transposed block, which goes with its last reader.
    pub fn done(&self, stones: Stones) {
        let mut kept = self.lock();
        if kept.readers.done(stones)
            && let Some(transposed) = kept.blocks.remove(&stones)
        {
            kept.bytes -= transposed.len() as u64;
        }
    }

    /// The transpose of `block`, kept or made from it.
    pub fn get<const P: usize>(
        &self,
        stones: Stones,
        block: &[u8],
    ) -> Result<Arc<Buffer>, SolveError> {
        if let Some(transposed) = self.lock().blocks.get(&stones) {
            return Ok(Arc::clone(transposed));
        }
        let rows = row_count(P, stones.0) as usize;
        let transposed = Arc::new(transpose(block, rows, &self.buffers)?);
        self.keep(stones, &transposed);
        Ok(transposed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of 2 against 3 stones in two pits a side: 3 rows of 4.
    const STONES: Stones = (2, 3);
    const BLOCK: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    const TRANSPOSED: [u8; 12] = [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11];

    /// So many readers of the block of 2 against 3 stones.
    fn readers(count: usize) -> Readers {
        Readers(HashMap::from([(STONES, count)]))
    }

    #[test]
    fn what_has_no_room_is_made_again() {
        for (room, bytes) in [(0, 0), (11, 0), (12, 12), (24, 12)] {
            let transposed = Transposed::new(Buffers::default(), room, readers(1));
            for stones in [STONES, STONES, (2, 4)] {
                assert_eq!(transposed.get::<2>(stones, &BLOCK).unwrap()[..], TRANSPOSED);
            }
            assert_eq!(transposed.lock().bytes, bytes);
        }
    }

    #[test]
    fn what_is_kept_is_not_made_again_until_its_last_reader_is_done() {
        let transposed = Transposed::new(Buffers::default(), 12, readers(2));
        let first = transposed.get::<2>(STONES, &BLOCK).unwrap();
        transposed.done(STONES);
        let second = transposed.get::<2>(STONES, &BLOCK).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        transposed.keep(STONES, &first);
        assert_eq!(transposed.lock().bytes, 12);
        assert!(transposed.is_wanted(STONES));
        transposed.done(STONES);
        assert!(!transposed.is_wanted(STONES));
        transposed.keep(STONES, &first);
        assert_eq!(transposed.lock().bytes, 0);
    }

    #[test]
    fn readers_are_the_pairs_of_the_layers_to_build() {
        // Of two stones, South's one moves to the store, or North's does, with the other's turn or
        // the same player's next; and a capture takes both.
        let readers = Readers::new::<3>(&[2]);
        assert_eq!(readers.0, HashMap::from([((0, 0), 1), ((0, 1), 1), ((1, 0), 1)]));
        assert_eq!(Readers::new::<3>(&[1, 2, 2]).0[&(0, 1)], 2);
    }
}
