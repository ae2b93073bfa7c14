//! Checking tables by something that did not build them.
//!
//! Every byte of a file is held against something: the header against its checksum and the layer,
//! blocks against their checksums and statistics, the bytes between them against zero. On top of
//! that values are computed again, each from the stored values of the positions its moves lead to,
//! by the rules of [`plain`](crate::rules::plain). The generator and this share the file format
//! and the numbering of positions, and nothing else. As positions never repeat, tables in which every value follows from its
//! successors are right.

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rayon::prelude::*;

use super::{Encoding, Folder, LayerFile, LayerId, TableError, memory, reading::PIECE, recompute};
use crate::{
    ranking::row_count,
    rules::{Rules, plain::Position},
};

/// How much of the tables is computed again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Nothing: checksums, statistics and padding only.
    Checksums,
    /// Random positions of each layer as well. The same seed chooses the same positions.
    Sample {
        /// How many positions a layer; all of them when it has no more.
        positions: u64,
        /// Where the random numbers begin.
        seed: u64,
    },
    /// Every position as well.
    Full,
}

/// Somebody who wants to know how far a check is. Called from several threads.
pub trait Progress: Sync {
    /// The checksums of a layer with so many positions, a byte each, are checked from now on.
    fn checksums(&self, layer: LayerId, positions: u64) {
        let _ = (layer, positions);
    }

    /// So many positions of a layer are computed again from now on.
    fn values(&self, layer: LayerId, positions: u64) {
        let _ = (layer, positions);
    }

    /// So many more positions of what was last announced are done.
    fn advance(&self, positions: u64) {
        let _ = positions;
    }

    /// Whether to stop as soon as possible. Asked often.
    fn stop(&self) -> bool {
        false
    }
}

/// Nobody wants to know.
impl Progress for () {}

/// Something wrong with a table.
#[derive(Debug)]
pub enum Fault {
    /// A file that is damaged, or cannot be read.
    File(TableError),
    /// A layer that values of higher layers follow from is not there.
    Missing {
        /// Where the file should be.
        file: PathBuf,
    },
    /// A value that does not follow from its successors.
    Value {
        /// The file.
        file: PathBuf,
        /// The block, by the mover's stones.
        block: usize,
        /// The position.
        position: Position,
        /// The margin in the file.
        stored: i32,
        /// The margin that follows from the successors' stored values.
        recomputed: i32,
    },
}

/// What a check found.
#[derive(Debug, Default)]
pub struct Report {
    /// How many files there are, damaged ones included.
    pub files: usize,
    /// Values compared with checksums and statistics: one a position.
    pub checksummed: u64,
    /// Positions computed again.
    pub recomputed: u64,
    /// The first faults, at most [`Report::MOST_FAULTS`] of a layer, by layer, block and position.
    pub faults: Vec<Fault>,
    /// How many faults there are in all.
    pub fault_count: u64,
    /// Whether [`Progress::stop`] ended the check before it was through.
    pub stopped: bool,
}

impl Report {
    /// The most faults of a layer that are listed.
    pub const MOST_FAULTS: usize = 20;

    /// Whether the check was through and found no fault.
    pub fn is_clean(&self) -> bool {
        self.fault_count == 0 && !self.stopped
    }

    fn add(&mut self, faults: Faults) {
        let Faults { first, count } = faults;
        self.faults
            .extend(first.into_inner().unwrap_or_else(PoisonError::into_inner).into_values());
        self.fault_count += count.into_inner();
    }
}

/// Checks every file of these rules and pits in the folder, layer by layer, with all threads of
/// the current rayon pool.
///
/// What is wrong with the tables is in the report; a folder without tables gives one with no
/// files. Uses at most the memory that is free.
///
/// # Errors
///
/// As [`verify_within`].
pub fn verify(
    folder: &Folder,
    rules: Rules,
    pits: u8,
    depth: Depth,
    progress: &dyn Progress,
) -> Result<Report, TableError> {
    verify_within(folder, rules, pits, depth, memory::free(), progress)
}

/// [`verify`] with so many bytes of memory, those in which the system keeps files not counted. With
/// more than it needs, compact layers are unpacked in memory, where values are looked up faster.
///
/// # Errors
///
/// When the folder cannot be read; [`TableError::NoMemoryToCheck`], before anything is checked; and
/// [`TableError::OutOfMemory`] when the system gives less.
pub fn verify_within(
    folder: &Folder,
    rules: Rules,
    pits: u8,
    depth: Depth,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Report, TableError> {
    let present = folder.layers()?.into_iter().filter(|id| (id.rules, id.pits) == (rules, pits));
    let present: Vec<u8> = present.map(|id| id.stones).collect();
    let mut report = Report { files: present.len(), ..Report::default() };
    let Some(&highest) = present.last() else { return Ok(report) };

    let needed = memory_needed(folder, rules, pits, &present)?;
    let Some(mut spare) = memory.checked_sub(needed) else {
        let folder = folder.directory().to_owned();
        return Err(TableError::NoMemoryToCheck { folder, needed, free: memory });
    };

    // Layers 0, 1, .. as far as they can be used to compute others.
    let mut usable: Vec<LayerFile> = Vec::new();
    for stones in 0..=highest {
        if progress.stop() {
            report.stopped = true;
            break;
        }
        let id = LayerId { rules, pits, stones };
        let faults = Faults::default();
        match folder.open_layer(&id) {
            Ok(Some(layer)) => {
                report.checksummed += check_bytes(&layer, &faults, progress)?;
                if usable.len() == usize::from(stones) {
                    usable.push(match depth {
                        Depth::Full => at_hand(layer, &mut spare),
                        _ => layer,
                    });
                    report.recomputed += recompute::layer(&usable, depth, &faults, progress);
                }
            }
            Ok(None) if present.contains(&stones) => {
                faults.push(0, (0, 0), Fault::Missing { file: folder.path(&id) });
            }
            // Values cannot be checked from here on, and one fault says why.
            Ok(None) if depth == Depth::Checksums || usable.len() < usize::from(stones) => {}
            Ok(None) => faults.push(0, (0, 0), Fault::Missing { file: folder.path(&id) }),
            Err(error) if error.is_lack_of_memory() => return Err(error),
            Err(error) => faults.push(0, (0, 0), Fault::File(error)),
        }
        report.add(faults);
    }
    report.stopped |= progress.stop();
    Ok(report)
}

/// A layer of which every value will be wanted many times: one that is compact unpacked in memory,
/// where there is room for it in so many spare bytes, which it then takes, and it is not damaged.
fn at_hand(layer: LayerFile, spare: &mut u64) -> LayerFile {
    let bytes = layer.byte_length();
    if layer.encoding() != Encoding::Compact || bytes > (*spare).min(memory::free()) {
        return layer;
    }
    match layer.unpacked() {
        Ok(unpacked) => {
            *spare -= bytes;
            unpacked
        }
        Err(_) => layer,
    }
}

/// Bytes for the program itself, and for what a thread has on its desk.
const PROGRAM: u64 = 16 << 20;
const THREAD: u64 = 1 << 20;

/// Bytes of memory that the check of these layers takes at least: for what is read and decoded at a
/// time, by each thread where blocks are checked side by side, and the rows that values are computed
/// for.
fn memory_needed(
    folder: &Folder,
    rules: Rules,
    pits: u8,
    present: &[u8],
) -> Result<u64, TableError> {
    let threads = rayon::current_num_threads() as u64;
    let mut most = 0;
    for &stones in present {
        // What is wrong with files is told when they are checked.
        let layer = match folder.open_layer(&LayerId { rules, pits, stones }) {
            Ok(Some(layer)) => layer,
            Err(error) if error.is_lack_of_memory() => return Err(error),
            _ => continue,
        };
        let blocks = 0..layer.header().blocks().len();
        let of_block = |block: usize| match layer.encoding() {
            Encoding::Bytes => 2 * PIECE.min(layer.header().blocks()[block].length) * threads,
            Encoding::Compact => 2 * PIECE + layer.streaming_memory(block),
        };
        let rows = 2 * u64::from(pits) * row_count(pits.into(), stones.into());
        most = most.max(rows + blocks.map(of_block).max().unwrap_or(0));
    }
    Ok(PROGRAM + THREAD * threads + most)
}

/// Checks every byte of a layer's file, values against their checksums only. Returns how many
/// values that were.
///
/// # Errors
///
/// Lack of memory, which is no fault of the file.
fn check_bytes(
    layer: &LayerFile,
    faults: &Faults,
    progress: &dyn Progress,
) -> Result<u64, TableError> {
    let header = layer.header();
    progress.checksums(layer.id(), header.positions());
    if let Err(error) = layer.check_padding() {
        faults.push(0, (0, 0), Fault::File(error));
    }
    let check = |block| {
        if progress.stop() {
            return Ok(0);
        }
        let checked = match layer.encoding() {
            Encoding::Bytes => {
                layer.check_block(block).and_then(|()| layer.check_statistics(block))
            }
            // Values are held against the checksum when they are decoded.
            Encoding::Compact => layer.check_statistics(block),
        };
        match checked {
            Err(error) if error.is_lack_of_memory() => return Err(error),
            Err(error) => faults.push(block, (0, 0), Fault::File(error)),
            Ok(()) => {}
        }
        let positions = header.block_positions(block);
        progress.advance(positions);
        Ok(positions)
    };
    let blocks = 0..header.blocks().len();
    match layer.encoding() {
        // The large blocks are in the middle: one block a task balances the threads.
        Encoding::Bytes => {
            let checked = blocks.into_par_iter().with_max_len(1).map(check);
            checked.try_reduce(|| 0, |one, other| Ok(one + other))
        }
        // All threads decode one block, so that no more is in memory.
        Encoding::Compact => blocks.map(check).sum(),
    }
}

/// Where a fault is: block, row and column, and how many faults were found before it.
type Place = (usize, (u64, u64), u64);

/// The faults of a layer, from any thread: how many, and the first of them.
#[derive(Debug, Default)]
pub(super) struct Faults {
    first: Mutex<BTreeMap<Place, Fault>>,
    count: AtomicU64,
}

impl Faults {
    /// Adds a fault at a place of a block, its row and column, after others of the same place.
    pub(super) fn push(&self, block: usize, place: (u64, u64), fault: Fault) {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.insert((block, place, number), fault);
        if first.len() > Report::MOST_FAULTS {
            first.pop_last();
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::File(error) => error.fmt(f),
            Fault::Missing { file } => write!(
                f,
                "{} is missing, and values above it cannot be checked without it; run `kalah \
                 generate` again",
                file.display()
            ),
            Fault::Value { file, block, position, stored, recomputed } => {
                let rows = position.mover.iter().chain(&position.opponent);
                let rows: Vec<String> = rows.map(u8::to_string).collect();
                write!(
                    f,
                    "block {block} of {} says {stored:+} for {}, and its moves lead to \
                     {recomputed:+}; delete the file and run `kalah generate` again",
                    file.display(),
                    rows.join(",")
                )
            }
        }
    }
}
