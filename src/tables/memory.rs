//! How much memory there is.

use std::fs::File;
use std::path::Path;

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use super::folder::is_in_memory;

/// Of the memory that is free, the part in sixteenths that a build takes at most: others want some.
const PART: u64 = 15;

/// Bytes of memory that may be used: what is free on the machine or left of the control group's
/// limit, less a sixteenth.
pub fn free() -> u64 {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(memory);
    let mut free = system.available_memory();
    if let Some(limits) = system.cgroup_limits() {
        free = free.min(limits.free_memory);
    }
    free / 16 * PART
}

/// Bytes of address space that this process may still take; `None` without a limit.
#[cfg(target_os = "linux")]
pub(super) fn address_space() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};

    let limit = getrlimit(Resource::As).current?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let taken = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let taken = taken.and_then(|size| size.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    Some(limit.saturating_sub(taken.unwrap_or(0) << 10))
}

/// Bytes of address space that this process may still take: no system but Linux tells how much it
/// has taken.
#[cfg(not(target_os = "linux"))]
pub(super) fn address_space() -> Option<u64> {
    None
}

/// Whether the files of a folder lie in memory.
pub(super) fn holds(folder: &Path) -> bool {
    File::open(folder).and_then(|folder| is_in_memory(&folder)).unwrap_or(false)
}
