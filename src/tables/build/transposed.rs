//! The transposes of finished blocks: kept while memory allows, made again when not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::generator::{Buffer, Buffers, SolveError, transpose};
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

#[derive(Default)]
struct Kept {
    blocks: HashMap<Stones, Arc<Buffer>>,
    bytes: u64,
}

impl Transposed {
    pub fn new(buffers: Buffers, room: u64) -> Self {
        Transposed { buffers, room, kept: Mutex::default() }
    }

    /// Keeps a transposed block if there is room for it.
    pub fn keep(&self, stones: Stones, transposed: &Arc<Buffer>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = transposed.len() as u64;
        if kept.bytes + bytes <= self.room
            && kept.blocks.insert(stones, Arc::clone(transposed)).is_none()
        {
            kept.bytes += bytes;
        }
    }

    /// The transpose of `block`, kept or made from it.
    pub fn get<const P: usize>(
        &self,
        stones: Stones,
        block: &[u8],
    ) -> Result<Arc<Buffer>, SolveError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(transposed) = kept.blocks.get(&stones) {
            return Ok(Arc::clone(transposed));
        }
        drop(kept);
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

    #[test]
    fn what_has_no_room_is_made_again() {
        for (room, kept) in [(0, 0), (11, 0), (12, 12), (23, 12), (24, 24)] {
            let transposed = Transposed::new(Buffers::default(), room);
            for stones in [STONES, STONES, (2, 4)] {
                assert_eq!(transposed.get::<2>(stones, &BLOCK).unwrap()[..], TRANSPOSED);
            }
            assert_eq!(transposed.kept.lock().unwrap().bytes, kept);
        }
    }

    #[test]
    fn what_is_kept_is_not_made_again() {
        let transposed = Transposed::new(Buffers::default(), 12);
        let first = transposed.get::<2>(STONES, &BLOCK).unwrap();
        let second = transposed.get::<2>(STONES, &BLOCK).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        transposed.keep(STONES, &first);
        assert_eq!(transposed.kept.lock().unwrap().bytes, 12);
    }
}
