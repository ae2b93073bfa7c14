//! How fast this machine builds: a small table is built with the same code, and read again.
//!
//! The table lies in a folder of its own, `.kalah-plan-PID`, that is locked as long as it is in use and
//! then removed. Of a process that could not do that, the next one removes it.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::super::{Encoding, Folder, LayerId, Layout, Order, TableError};
use super::{BuildError, Options, Progress, build};
use crate::files::refused;
use crate::rules::Rules;

/// How fast a machine builds tables, with so many threads and a disk.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Speed {
    /// Threads that were used.
    pub threads: usize,
    /// Stones of the layer that was measured.
    pub stones: usize,
    /// Seconds a position of that layer, computing and writing it.
    pub position: f64,
    /// Positions a second that are read from a file that lies in memory.
    pub decoded: f64,
    /// Bytes a second that the disk writes.
    pub written: f64,
    /// Bytes a second that the disk reads.
    pub read: f64,
}

/// Of the time for a position, so much more for each stone more.
const GROWTH: f64 = 0.035;

/// Positions of all layers that are built to measure, at most: about a second.
const POSITIONS: u64 = 100_000_000;

/// Bytes that are written and read to measure the disk.
const WRITTEN: usize = 128 << 20;

impl Speed {
    /// What is typical of ordinary machines, to say something where nothing can be measured: 10 ns a
    /// position and thread in a layer of 18 stones, and a disk of 500 MB a second.
    pub fn typical(threads: usize) -> Self {
        let position = 10e-9 / threads as f64;
        let decoded = 500e6 * threads as f64;
        Speed { threads, stones: 18, position, decoded, written: 500e6, read: 500e6 }
    }

    /// Measures a second or a few; `None` when `interrupted` says so meanwhile. The files are written to
    /// a new folder in the one given, or where that will be made, and removed whatever happens.
    ///
    /// # Errors
    ///
    /// Any [`BuildError`]: mostly that nothing can be written there, or too little.
    pub fn measure<const P: usize>(
        directory: &Path,
        rules: Rules,
        encoding: Encoding,
        interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Self>, BuildError> {
        let place = Place::new(directory)?;
        let (stones, id) = measured::<P>(rules);
        let options = Options { encoding: Some(encoding), ..Options::new(rules, stones) };
        let watch = Watch { stones, times: Mutex::default(), interrupted };
        if !build::<P>(&place.path, &options, &watch)?.finished {
            return Ok(None);
        }
        let (_, took) = watch.times.into_inner().unwrap_or_else(PoisonError::into_inner);
        let layer = Folder::open_for_reading(&place.path)?.open_layer(&id)?;
        let layer =
            layer.ok_or_else(|| TableError::Removed { file: place.path.join(id.file_name()) })?;
        let positions = layer.header().positions() as f64;

        let mut matrix = Vec::new();
        let begun = Instant::now();
        let mut decoded = 0;
        for mover in [stones / 2, stones / 2 + 1, stones / 3].map(|mover| mover.min(stones)) {
            matrix.resize(layer.header().block_positions(mover) as usize, 0);
            for order in [Order::MoverRows, Order::OpponentRows] {
                layer.read_matrix(mover, order, &mut matrix)?;
                decoded += matrix.len();
            }
        }
        let decoded = decoded as f64 / seconds(begun);
        let Some((written, read)) = place.measure_disk(interrupted)? else { return Ok(None) };
        let threads = rayon::current_num_threads();
        let position = took.as_secs_f64().max(1e-9) / positions;
        Ok(Some(Speed { threads, stones, position, decoded, written, read }))
    }

    /// Seconds a position of a layer of so many stones: computing and writing it.
    pub fn at(&self, stones: usize) -> f64 {
        let growth = |stones: usize| (1.0 + GROWTH * (stones as f64 - 18.0)).max(0.5);
        self.position * growth(stones) / growth(self.stones)
    }
}

/// The largest layer that is small enough to measure.
fn measured<const P: usize>(rules: Rules) -> (usize, LayerId) {
    let id = |stones| LayerId { rules, pits: P as u8, stones: stones as u8 };
    let mut positions = 0;
    let small = (0..crate::rules::MAX_STONES).take_while(|&stones| {
        positions += Layout::new(id(stones)).map_or(u64::MAX / 256, |layout| layout.positions());
        positions <= POSITIONS
    });
    let stones = small.last().unwrap_or(0);
    (stones, id(stones))
}

fn seconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64().max(1e-9)
}

/// When the last layer was begun, and how long it took.
struct Watch<'a> {
    stones: usize,
    times: Mutex<(Option<Instant>, Duration)>,
    interrupted: &'a (dyn Fn() -> bool + Sync),
}

impl Watch<'_> {
    fn note(&self, stones: usize, note: impl FnOnce(&mut (Option<Instant>, Duration))) {
        if stones == self.stones {
            note(&mut self.times.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Progress for Watch<'_> {
    fn layer_started(&self, stones: usize, _positions: u64) {
        self.note(stones, |(begun, _)| *begun = Some(Instant::now()));
    }

    fn layer_finished(&self, stones: usize) {
        self.note(stones, |(begun, took)| *took = begun.map_or(*took, |begun| begun.elapsed()));
    }

    fn interrupted(&self) -> bool {
        (self.interrupted)()
    }
}

/// How the folders are called in which is measured, but for a number.
const PLACE: &str = ".kalah-plan-";

/// A new folder, removed with what is in it.
struct Place {
    path: PathBuf,
    /// The folder itself, locked: whoever can lock it may remove it.
    _lock: File,
}

impl Place {
    /// A folder in `directory`, or above it as far as that is not there.
    fn new(directory: &Path) -> Result<Self, TableError> {
        let absolute = std::path::absolute(directory).map_err(refused("look at", directory))?;
        let there = absolute.ancestors().find(|above| above.is_dir());
        let there = there.unwrap_or(Path::new("/"));
        remove_places(there);
        // Elsewhere, perhaps on another machine, a process may have the same number.
        let mut number = std::process::id();
        loop {
            let path = there.join(format!("{PLACE}{number}"));
            match fs::create_dir(&path).and_then(|()| locked(&path)) {
                Ok(Some(lock)) => return Ok(Place { path, _lock: lock }),
                // Another removed it before it was locked, as if nobody used it.
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    let _ = fs::remove_dir(&path);
                    let folder = there.to_owned();
                    return Err(TableError::FolderNotWritable { folder, error });
                }
            }
            number = number.wrapping_add(1);
        }
    }

    /// Bytes a second that are written to the disk, and read from it.
    fn measure_disk(
        &self,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<(f64, f64)>, TableError> {
        let path = self.path.join("disk");
        let mut bytes = vec![0; 1 << 20];
        // What could be compressed would be too fast.
        blake3::Hasher::new().finalize_xof().fill(&mut bytes);
        let begun = Instant::now();
        let write = || -> io::Result<Option<File>> {
            let mut file = File::create(&path)?;
            for _ in 0..WRITTEN / bytes.len() {
                if interrupted() {
                    return Ok(None);
                }
                file.write_all(&bytes)?;
            }
            file.sync_all()?;
            Ok(Some(file))
        };
        let Some(file) = write().map_err(refused("write", &path))? else { return Ok(None) };
        let written = WRITTEN as f64 / seconds(begun);
        forget(&file);
        let begun = Instant::now();
        let mut file = File::open(&path).map_err(refused("read", &path))?;
        while file.read(&mut bytes).map_err(refused("read", &path))? > 0 {
            if interrupted() {
                return Ok(None);
            }
        }
        Ok(Some((written, WRITTEN as f64 / seconds(begun))))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The lock of a folder; `None` when another has it, or the folder is no longer there.
fn locked(path: &Path) -> io::Result<Option<File>> {
    let folder = File::open(path)?;
    match folder.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) => Ok(path.is_dir().then_some(folder)),
    }
}

/// Removes what processes left in a folder that measured there and were killed.
pub(super) fn remove_places(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PLACE));
        let is_place = number.is_some_and(|number| number.parse::<u32>().is_ok())
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        // Nobody uses what can be locked; what cannot be removed does no harm.
        if is_place && let Ok(Some(_lock)) = locked(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Has the system forget what it keeps of a file in memory.
#[cfg(target_os = "linux")]
fn forget(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
}

/// No other system can be told.
#[cfg(not(target_os = "linux"))]
fn forget(_file: &File) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn what_nobody_uses_any_more_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let used = Place::new(&folder.join("not/there")).unwrap();
        fs::create_dir_all(folder.join(".kalah-plan-1/tables")).unwrap();
        fs::create_dir(folder.join(".kalah-plan-notes")).unwrap();
        fs::write(folder.join(".kalah-plan-2"), "a file").unwrap();
        // The process has a folder already.
        let other = Place::new(folder).unwrap();
        assert_ne!(used.path, other.path);
        assert!(used.path.is_dir() && other.path.is_dir());
        drop((used, other));
        let mut left = names(folder);
        left.sort();
        assert_eq!(left, [".kalah-plan-2", ".kalah-plan-notes"]);
    }

    #[test]
    fn whoever_is_interrupted_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let measure = |interrupted: &(dyn Fn() -> bool + Sync)| {
            Speed::measure::<2>(folder.path(), Rules::Standard, Encoding::Compact, interrupted)
        };
        assert_eq!(measure(&|| true).unwrap(), None);
        assert_eq!(names(folder.path()), [""; 0]);
    }
}
