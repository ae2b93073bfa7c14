//! How much memory there is.

use std::fs::{self, File};
use std::path::Path;

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use super::folder::is_in_memory;

/// Of the memory that is free, the part in sixteenths that a build takes at most: others want some.
const PART: u64 = 15;

/// Bytes of memory that may be used: what is free on the machine or left of the limits of the
/// control groups that this process is in, less a sixteenth.
pub fn free() -> u64 {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let machine = System::new_with_specifics(memory).available_memory();
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    machine.min(left_by(&groups, Path::new("/sys/fs/cgroup"))) / 16 * PART
}

/// Bytes of memory that control groups leave, given as the system lists them; each is below those
/// that limit it too.
fn left_by(groups: &str, mounted: &Path) -> u64 {
    let mut left = u64::MAX;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, names) = match controllers {
            "" => (mounted.to_owned(), &UNIFIED),
            "memory" => (mounted.join("memory"), &SEPARATE),
            _ => continue,
        };
        // Within a container the path may be one that only the outside knows.
        let path = Path::new(path.trim_start_matches('/'));
        for above in path.ancestors() {
            left = left.min(names.left_in(&root.join(above)).unwrap_or(u64::MAX));
        }
    }
    left
}

/// How the files of a control group are called.
struct Names {
    limit: &'static str,
    used: &'static str,
    /// Those of the lines of `memory.stat` that count copies of files, which can be dropped.
    files: [&'static str; 2],
}

/// Where there is one hierarchy of groups, and where each controller has its own.
const UNIFIED: Names = Names {
    limit: "memory.max",
    used: "memory.current",
    files: ["inactive_file ", "active_file "],
};
const SEPARATE: Names = Names {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    files: ["total_inactive_file ", "total_active_file "],
};

impl Names {
    /// Bytes that the limit of a group leaves; `None` without a limit.
    fn left_in(&self, group: &Path) -> Option<u64> {
        let number = |name| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
        let (limit, used) = (number(self.limit)?, number(self.used)?);
        let counted = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let files = counted.lines().filter_map(|line| {
            self.files.iter().find_map(|name| line.strip_prefix(name)?.parse::<u64>().ok())
        });
        Some(limit.saturating_sub(used.saturating_sub(files.sum())))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_group_counts_and_copies_of_files_do_not() {
        let mounted = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = mounted.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let left = |groups| left_by(groups, mounted.path());
        assert_eq!(left("0::/a/b\n4:memory:/c\n"), u64::MAX);
        write("a/memory.max", "1000\n");
        write("a/memory.current", "400\n");
        write("a/b/memory.max", "max\n");
        write("a/b/memory.current", "300\n");
        assert_eq!(left("0::/a/b\n"), 600);
        write("a/memory.stat", "anon 250\ninactive_file 100\nactive_file 50\nfile 150\n");
        assert_eq!(left("1:cpu:/x\n0::/a/b\n"), 750);
        write("memory/c/memory.limit_in_bytes", "500\n");
        write("memory/c/memory.usage_in_bytes", "450\n");
        write("memory/c/memory.stat", "inactive_file 1\ntotal_inactive_file 20\n");
        assert_eq!(left("4:memory:/c\n0::/a/b\n"), 70);
        assert_eq!(left("4:memory:/elsewhere/c\n0::/\nnonsense"), u64::MAX);
    }
}
