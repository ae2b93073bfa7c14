//! What a build needs: disk, memory, and how it shares them out.

use super::super::{LayerId, Layout};
use crate::generator::{Solver, needs};
use crate::ranking::row_count;

/// What a build will need and what there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The layers to build, by stones.
    pub missing: Vec<usize>,
    /// Positions of all layers to build.
    pub positions: u64,
    /// Bytes of all files to build.
    pub disk_bytes: u64,
    /// Bytes that the folder's file system has left.
    pub disk_free: u64,
    /// Bytes of memory without which the build is not begun.
    pub memory_needed: u64,
    /// Bytes of memory with which it is fastest, transposed copies of all layers kept.
    pub memory_wanted: u64,
    /// Bytes of memory it may use.
    pub memory_free: u64,
}

/// How the memory is used.
pub(super) struct Shares {
    /// How many pairs of blocks are solved at once.
    pub workers: usize,
    /// Bytes for transposed blocks that are kept.
    pub kept: u64,
}

/// Bytes that the program takes besides blocks: its own, and what a thread solves groups with.
const BESIDES: u64 = 32 << 20;

impl Plan {
    /// What the missing layers need, `disk_free` and `memory_free` being what there is. `in_memory`:
    /// the folder itself lies in memory.
    pub(super) fn new<const P: usize>(
        missing: Vec<usize>,
        layout: impl Fn(usize) -> Layout,
        (disk_free, memory_free): (u64, u64),
        in_memory: bool,
    ) -> Self {
        let layouts: Vec<Layout> = missing.iter().map(|&stones| layout(stones)).collect();
        let files = layouts.iter().map(Layout::file_length);
        let disk_bytes = files.fold(0, u64::saturating_add);
        let files = if in_memory { disk_bytes } else { 0 };
        let last = missing.last().copied().unwrap_or(0);
        let kept = (0..last).map(|stones| layout(stones).positions()).fold(0, u64::saturating_add);
        let pair = largest_pair::<P>(last);
        Plan {
            positions: layouts.iter().map(Layout::positions).fold(0, u64::saturating_add),
            missing,
            disk_bytes,
            disk_free,
            memory_needed: BESIDES.saturating_add(pair).saturating_add(files),
            memory_wanted: BESIDES.saturating_add(pair).saturating_add(files).saturating_add(kept),
            memory_free,
        }
    }

    /// How to use the memory there is, with so many threads.
    pub(super) fn shares<const P: usize>(&self, threads: usize) -> Shares {
        let last = self.missing.last().copied().unwrap_or(0);
        let pair = largest_pair::<P>(last).max(1);
        let spare = self.memory_free.saturating_sub(self.memory_needed);
        let more = usize::try_from(spare / 2 / pair).unwrap_or(usize::MAX);
        let workers = threads.min(more.saturating_add(1));
        Shares { workers, kept: spare - (workers as u64 - 1) * pair }
    }
}

/// Bytes that the largest pair of blocks of a layer takes while it is solved: its own blocks, both
/// ways, and transposes of what it is computed from.
fn largest_pair<const P: usize>(stones: usize) -> u64 {
    let size = |south, north| row_count(P, south).saturating_mul(row_count(P, north));
    Solver::<P>::pairs(stones)
        .map(|(south, north)| {
            // Of what is read, half is read the way it lies in the files.
            let read =
                needs::<P>(south, north).into_iter().map(|side| size(side.south, side.north));
            let read = read.fold(0, u64::saturating_add) / 2;
            size(south, north).saturating_mul(4).saturating_add(read)
        })
        .max()
        .unwrap_or(0)
}

/// The layout of a layer, if there are tables of so many pits and stones.
pub(super) fn layout(id: LayerId) -> Option<Layout> {
    Layout::new(id)
}
