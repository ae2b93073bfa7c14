//! What a build needs: disk, memory, and how it shares them out.

use super::super::Layout;
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

/// What there is for a build to use.
#[derive(Clone, Copy)]
pub(super) struct Free {
    /// Bytes that the folder's file system has left.
    pub disk: u64,
    /// Bytes of memory that are free or allowed.
    pub memory: u64,
    /// Bytes of address space that may still be taken, if there is a limit.
    pub address_space: Option<u64>,
}

/// How the memory is used.
pub(super) struct Shares {
    /// How many pairs of blocks are solved at once.
    pub workers: usize,
    /// Bytes for transposed blocks that are kept.
    pub kept: u64,
}

/// Bytes that the program takes for itself.
const ITSELF: u64 = 32 << 20;

/// Bytes that are taken besides blocks to build layers of up to `stones` stones: the program itself,
/// the moves of every row and how they map others, and the buffers of each thread.
fn besides<const P: usize>(stones: usize) -> u64 {
    let rows = (0..=stones).map(|stones| row_count(P, stones)).fold(0, u64::saturating_add);
    let threads = rayon::current_num_threads() as u64;
    let buffers = row_count(P, stones).saturating_mul(64).saturating_mul(threads);
    ITSELF.saturating_add(rows.saturating_mul(96)).saturating_add(buffers)
}

/// Address space, used or not, that a further thread takes for its stack and allocations.
const THREAD: u64 = 68 << 20;

impl Plan {
    /// What the missing layers need, and what of it there is. `in_memory`: the folder itself lies in
    /// memory.
    pub(super) fn new<const P: usize>(
        missing: Vec<usize>,
        layout: impl Fn(usize) -> Layout,
        free: Free,
        in_memory: bool,
    ) -> Self {
        let layouts: Vec<Layout> = missing.iter().map(|&stones| layout(stones)).collect();
        let files = layouts.iter().map(Layout::file_length);
        let disk_bytes = files.fold(0, u64::saturating_add);
        let (files, mapped) = if in_memory { (disk_bytes, 0) } else { (0, disk_bytes) };
        let last = missing.last().copied().unwrap_or(0);
        let kept = (0..last).map(|stones| layout(stones).positions()).fold(0, u64::saturating_add);
        let needed =
            besides::<P>(last).saturating_add(largest_pair::<P>(last)).saturating_add(files);
        // Finished files are mapped, which takes no memory and yet address space; and a few threads
        // are started besides those that are there, the committer and what the caller has.
        let addresses = free.address_space.unwrap_or(u64::MAX);
        let addresses = addresses.saturating_sub(mapped.saturating_add(3 * THREAD));
        Plan {
            positions: layouts.iter().map(Layout::positions).fold(0, u64::saturating_add),
            missing,
            disk_bytes,
            disk_free: free.disk,
            memory_needed: needed,
            memory_wanted: needed.saturating_add(kept),
            memory_free: free.memory.min(addresses),
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

/// Bytes that the largest pair of blocks of a layer takes while it is solved and written: its own
/// blocks, one of them both ways, transposes of what it is computed from, and as much as a block for
/// the gaps between buffers.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tables::LayerId;

    const PLENTY: Free = Free { disk: u64::MAX, memory: u64::MAX, address_space: None };

    fn file(stones: usize) -> Layout {
        Layout::new(LayerId { rules: Rules::Standard, pits: 6, stones: stones as u8 }).unwrap()
    }

    fn plan(missing: &[usize], free: Free, in_memory: bool) -> Plan {
        Plan::new::<6>(missing.to_vec(), file, free, in_memory)
    }

    #[test]
    fn only_missing_layers_are_counted() {
        let all: Vec<usize> = (0..=24).collect();
        let plan = |missing: &[usize]| plan(missing, PLENTY, false);
        assert_eq!(plan(&all).positions, 1_251_677_700);
        let bytes: u64 = all.iter().map(|&stones| file(stones).file_length()).sum();
        assert_eq!(plan(&all).disk_bytes, bytes);
        assert_eq!(plan(&[24]).disk_bytes, file(24).file_length());
        // What is there is read all the same, and its transposes are kept.
        assert_eq!(plan(&[24]).memory_wanted, plan(&all).memory_wanted);
        let nothing = plan(&[]);
        assert_eq!((nothing.positions, nothing.disk_bytes), (0, 0));
    }

    #[test]
    fn files_in_memory_are_counted_as_memory() {
        let (disk, memory) = (plan(&[20], PLENTY, false), plan(&[20], PLENTY, true));
        assert_eq!(memory.memory_needed - disk.memory_needed, file(20).file_length());
        assert_eq!(memory.memory_wanted - disk.memory_wanted, file(20).file_length());
    }

    #[test]
    fn a_limit_on_addresses_limits_the_memory() {
        let limited = |bytes| Free { memory: 1 << 40, address_space: Some(bytes), ..PLENTY };
        assert_eq!(plan(&[20], limited(1 << 20), false).memory_free, 0);
        assert_eq!(plan(&[20], limited(1 << 50), false).memory_free, 1 << 40);
        let mapped = plan(&[20], limited(1 << 30), false).memory_free;
        let counted = plan(&[20], limited(1 << 30), true).memory_free;
        assert!(0 < mapped && mapped < 1 << 30);
        assert_eq!(counted - mapped, file(20).file_length());
    }

    #[test]
    fn no_more_memory_is_shared_out_than_there_is() {
        let all: Vec<usize> = (0..=20).collect();
        let needed = plan(&all, PLENTY, false).memory_needed;
        let pair = largest_pair::<6>(20);
        for spare in [0, 1, pair, 4 * pair, 100 * pair] {
            let plan = plan(&all, Free { memory: needed + spare, ..PLENTY }, false);
            for threads in [1, 2, 64] {
                let shares = plan.shares::<6>(threads);
                assert!((1..=threads).contains(&shares.workers));
                assert_eq!((shares.workers as u64 - 1) * pair + shares.kept, spare);
            }
        }
        assert_eq!(plan(&all, PLENTY, false).shares::<6>(64).workers, 64);
    }

    #[test]
    fn the_largest_tables_can_be_planned() {
        let largest = LayerId { rules: Rules::Standard, pits: 6, stones: 127 };
        let plan = plan(&(0..=127).collect::<Vec<_>>(), PLENTY, true);
        assert!(plan.disk_bytes > Layout::new(largest).unwrap().file_length());
        assert!(plan.memory_needed > plan.disk_bytes);
        assert_eq!(plan.shares::<6>(1).workers, 1);
    }
}
