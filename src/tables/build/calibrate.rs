//! How fast this machine builds: a small table is built with the same code, and read again.

use std::fs::{self, File};
use std::io::{Read, Write};
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
    /// Measures a second or a few. The files are written to a new folder in the one given, or where
    /// that will be made, and removed.
    ///
    /// # Errors
    ///
    /// Any [`BuildError`].
    pub fn measure<const P: usize>(
        directory: &Path,
        rules: Rules,
        encoding: Encoding,
    ) -> Result<Self, BuildError> {
        let place = Place::new(directory)?;
        let (stones, id) = measured::<P>(rules);
        let options = Options { encoding, ..Options::new(rules, stones) };
        let watch = Watch { stones, times: Mutex::default() };
        build::<P>(&place.0, &options, &watch)?;
        let (_, took) = watch.times.into_inner().unwrap_or_else(PoisonError::into_inner);
        let layer = Folder::open_for_reading(&place.0)?.open_layer(&id)?;
        let layer =
            layer.ok_or_else(|| TableError::Removed { file: place.0.join(id.file_name()) })?;
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
        let (written, read) = place.measure_disk()?;
        let threads = rayon::current_num_threads();
        let position = took.as_secs_f64().max(1e-9) / positions;
        Ok(Speed { threads, stones, position, decoded, written, read })
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
struct Watch {
    stones: usize,
    times: Mutex<(Option<Instant>, Duration)>,
}

impl Watch {
    fn note(&self, stones: usize, note: impl FnOnce(&mut (Option<Instant>, Duration))) {
        if stones == self.stones {
            note(&mut self.times.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Progress for Watch {
    fn layer_started(&self, stones: usize, _positions: u64) {
        self.note(stones, |(begun, _)| *begun = Some(Instant::now()));
    }

    fn layer_finished(&self, stones: usize) {
        self.note(stones, |(begun, took)| *took = begun.map_or(*took, |begun| begun.elapsed()));
    }
}

/// A new folder, removed with what is in it.
struct Place(PathBuf);

impl Place {
    /// A folder in `directory`, or above it as far as that is not there.
    fn new(directory: &Path) -> Result<Self, TableError> {
        let absolute = std::path::absolute(directory).map_err(refused("look at", directory))?;
        let there = absolute.ancestors().find(|above| above.is_dir());
        let there = there.unwrap_or(Path::new("/"));
        let path = there.join(format!(".kalah-plan-{}", std::process::id()));
        fs::create_dir(&path)
            .map_err(|error| TableError::FolderNotWritable { folder: there.to_owned(), error })?;
        Ok(Place(path))
    }

    /// Bytes a second that are written to the disk, and read from it.
    fn measure_disk(&self) -> Result<(f64, f64), TableError> {
        let path = self.0.join("disk");
        let mut bytes = vec![0; 1 << 20];
        // What could be compressed would be too fast.
        blake3::Hasher::new().finalize_xof().fill(&mut bytes);
        let begun = Instant::now();
        let write = || -> std::io::Result<File> {
            let mut file = File::create(&path)?;
            for _ in 0..WRITTEN / bytes.len() {
                file.write_all(&bytes)?;
            }
            file.sync_all()?;
            Ok(file)
        };
        let file = write().map_err(refused("write", &path))?;
        let written = WRITTEN as f64 / seconds(begun);
        forget(&file);
        let begun = Instant::now();
        let mut file = File::open(&path).map_err(refused("read", &path))?;
        while file.read(&mut bytes).map_err(refused("read", &path))? > 0 {}
        Ok((written, WRITTEN as f64 / seconds(begun)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
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
