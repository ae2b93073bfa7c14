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
