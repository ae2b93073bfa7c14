//! What a build needs: disk, memory, and how it shares them out.

use super::super::Layout;
use super::schedule::{PairOf, Step, pairs, size};
use crate::generator::needs;
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
    /// Whether all layers have room in memory beside that as they are, so that byte files are read
    /// where they are mapped.
    pub(super) plentiful: bool,
    /// Bytes of memory that are taken whatever is being computed.
    fixed: u64,
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

/// How the memory is used while a layer is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Share {
    /// How many pairs of blocks are solved at once.
    pub workers: usize,
    /// Bytes for lower matrices.
    pub kept: u64,
}

/// Bytes of touched memory that may lie idle, for each of both kinds of buffers, where memory is
/// scarce.
pub(super) const GAPS: usize = 16 << 20;

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
        let lower = (0..last).map(layout);
        let kept = lower.map(|layout| layout.positions()).fold(0, u64::saturating_add);
        let fixed = besides::<P>(last).saturating_add(2 * GAPS as u64).saturating_add(files);
        let pairs: Vec<PairOf> = pairs::<P>(&missing).collect();
        let largest = |cost: fn(PairOf) -> Cost, all: fn(Cost) -> u64| {
            pairs.iter().map(|&pair| all(cost(pair))).max().unwrap_or(0)
        };
        let needed = fixed.saturating_add(largest(Cost::of::<P>, Cost::all));
        let wanted = fixed.saturating_add(largest(Cost::of_mapped::<P>, Cost::all));
        let wanted = wanted.saturating_add(kept).max(needed);
        // Finished files are mapped, which takes no memory and yet address space; and a few threads
        // are started besides those that are there, the committer and what the caller has.
        let addresses = free.address_space.unwrap_or(u64::MAX);
        let addresses = addresses.saturating_sub(mapped.saturating_add(3 * THREAD));
        let memory_free = free.memory.min(addresses);
        Plan {
            positions: layouts.iter().map(Layout::positions).fold(0, u64::saturating_add),
            missing,
            disk_bytes,
            disk_free: free.disk,
            memory_needed: needed,
            memory_wanted: wanted,
            memory_free,
            plentiful: wanted.saturating_add(kept) <= memory_free,
            fixed,
        }
    }

    /// How to use the memory there is for the steps of a layer, with so many threads.
    pub(super) fn share<const P: usize>(&self, steps: &[Step], threads: usize) -> Share {
        let cost = |step: &Step| match self.plentiful {
            true => Cost::of_mapped::<P>((step.south, step.north)),
            false => Cost::of::<P>((step.south, step.north)),
        };
        let all = steps.iter().map(|step| cost(step).all()).max().unwrap_or(0).max(1);
        let own = steps.iter().map(|step| cost(step).own).max().unwrap_or(0);
        let free = self.memory_free.saturating_sub(self.fixed);
        let workers = usize::try_from(free / all).unwrap_or(usize::MAX).clamp(1, threads);
        Share { workers, kept: free.saturating_sub((workers as u64).saturating_mul(own)) }
    }
}

/// Bytes of memory that a pair of blocks takes.
#[derive(Clone, Copy)]
struct Cost {
    /// While it is solved and written.
    own: u64,
    /// What it is computed from.
    read: u64,
}

impl Cost {
    /// Where all that it is computed from is read into memory.
    fn of<const P: usize>((south, north): PairOf) -> Self {
        let read =
            needs::<P>(south, north).into_iter().map(|side| size::<P>(side.south, side.north));
        let own = size::<P>(south, north).saturating_mul(2);
        Cost { own, read: read.fold(0, u64::saturating_add) }
    }

    /// Where half of that is read as it lies in the files, and memory is plentiful: there is a
    /// transpose then, and as much again for the gaps between buffers.
    fn of_mapped<const P: usize>(pair: PairOf) -> Self {
        let Cost { own, read } = Cost::of::<P>(pair);
        Cost { own: own.saturating_mul(2), read: read / 2 }
    }

    fn all(self) -> u64 {
        self.own.saturating_add(self.read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tables::LayerId;
    use crate::tables::build::schedule::Schedule;

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
        let Plan { memory_needed: needed, fixed, .. } = plan(&all, PLENTY, false);
        let (_, steps) = Schedule::new::<6>(pairs::<6>(&[20]));
        let Cost { own, read } = Cost::of::<6>((10, 10));
        assert_eq!(needed, fixed + own + read);
        for spare in [0, 1, own + read, 3 * (own + read)] {
            let plan = plan(&all, Free { memory: needed + spare, ..PLENTY }, false);
            for threads in [1, 2, 64] {
                let Share { workers, kept } = plan.share::<6>(&steps, threads);
                assert!((1..=threads).contains(&workers));
                assert_eq!(fixed + workers as u64 * own + kept, needed + spare);
                assert!(kept >= workers as u64 * read);
            }
        }
        let plenty = plan(&all, PLENTY, false);
        assert!(plenty.plentiful);
        assert_eq!(plenty.share::<6>(&steps, 64).workers, 64);
    }

    #[test]
    fn files_are_mapped_where_they_have_room_beside_their_transposes() {
        let Plan { memory_wanted: wanted, .. } = plan(&[20], PLENTY, false);
        let lower: u64 = (0..20).map(|stones| file(stones).positions()).sum();
        for (memory, mapped) in [(wanted + lower, true), (wanted + lower - 1, false)] {
            assert_eq!(plan(&[20], Free { memory, ..PLENTY }, false).plentiful, mapped);
        }
    }

    #[test]
    fn the_largest_tables_can_be_planned() {
        let largest = LayerId { rules: Rules::Standard, pits: 6, stones: 127 };
        let plan = plan(&(0..=127).collect::<Vec<_>>(), PLENTY, true);
        assert!(plan.disk_bytes > Layout::new(largest).unwrap().file_length());
        assert!(plan.memory_needed > plan.disk_bytes);
        let (_, steps) = Schedule::new::<6>(pairs::<6>(&[127]));
        assert_eq!(plan.share::<6>(&steps, 1).workers, 1);
    }
}
