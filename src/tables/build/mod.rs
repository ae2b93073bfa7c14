//! Builds the tables of a folder, layer by layer.
//!
//! Layers that are there and pass their checks are kept; the others are computed, each from those
//! with fewer stones, and each is durable under its name before it counts. A build that is killed
//! leaves finished layers, and the next one goes on after them. The bytes of a file depend on
//! rules, pits and stones alone: not on the machine, the number of threads, the memory, or on what
//! was there before.

mod commit;
mod plan;
mod transposed;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::BinaryBytes;
use rayon::prelude::*;

use super::{Encoding, Folder, LayerFile, LayerId, LayerWriter, Layout, TableError, memory};
use crate::generator::{
    Buffer, Buffers, Lines, SolveError, Solver, Turn, needs, transpose, transpose_in_bands,
};
use crate::ranking::row_count;
use crate::rules::Rules;

pub use super::memory::free as free_memory;
use commit::Committer;
use plan::Free;
pub use plan::Plan;
use transposed::{Readers, Transposed};

/// Bytes of the regions that buffers are cut from where addresses are plenty: several blocks, and
/// whole huge pages.
const REGION: usize = 256 << 20;

/// What to build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// By which rules.
    pub rules: Rules,
    /// All layers of up to so many stones.
    pub stones: usize,
    /// Bytes of memory to use at most, files in memory counted; `None`: what is free.
    pub memory: Option<u64>,
}

/// What a build tells while it goes on. Every method may be called from any thread.
pub trait Progress: Sync {
    /// Another process writes to the folder; the build waits for it.
    fn waiting_for_lock(&self) {}
    /// The layer of `stones` stones is there and in order.
    fn layer_kept(&self, _stones: usize) {}
    /// The file of the layer of `stones` stones is damaged, and will be made anew.
    fn layer_damaged(&self, _stones: usize, _damage: &TableError) {}
    /// What will be built, before it is begun: it fits.
    fn planned(&self, _plan: &Plan) {}
    /// The layer of `stones` stones is being computed.
    fn layer_started(&self, _stones: usize, _positions: u64) {}
    /// So many more positions of it are known.
    fn positions_done(&self, _count: u64) {}
    /// All positions of the layer of `stones` stones are known.
    fn layer_finished(&self, _stones: usize) {}
    /// Whether to stop: asked often.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Tells nobody anything.
impl Progress for () {}

/// What a build has done.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// The layers that were built, by stones.
    pub built: Vec<usize>,
    /// The layers that were there.
    pub kept: Vec<usize>,
    /// Positions of the layers that were built.
    pub positions: u64,
    /// Bytes of their files.
    pub bytes: u64,
    /// Whether all layers are there; not so when the build was interrupted.
    pub finished: bool,
}

/// Why a build cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A file or the folder cannot be read or written, or is not what it should be.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There are no tables of so many stones, or of so many pits.
    #[error(
        "there are no tables of {stones} stones in {pits} pits a side: a file would be larger than \
         the system can count"
    )]
    TooLarge {
        /// Stones in the pits.
        stones: usize,
        /// Pits a side.
        pits: usize,
    },
    /// The folder's file system cannot hold the files.
    #[error(
        "the tables to build take {needed} bytes ({}), and {} has {free} free ({}); free some, \
         choose another folder, or fewer stones",
        BinaryBytes(*needed), folder.display(), BinaryBytes(*free)
    )]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// Bytes of all files to build.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The system does not give the thread that makes finished layers durable.
    #[error("cannot start another thread: {0}; allow more, or end other programs")]
    NoThread(std::io::Error),
    /// The memory that is free, or allowed, is too little.
    #[error(
        "building these tables takes at least {needed} bytes of memory ({}), and {free} are free \
         or allowed ({}); free or allow more, or build fewer stones",
        BinaryBytes(*needed), BinaryBytes(*free)
    )]
    NoMemory {
        /// Bytes needed.
        needed: u64,
        /// Bytes there are.
        free: u64,
    },
    /// The memory that was free was taken by others meanwhile, or is limited in another way.
    #[error(
        "the system gave no {bytes} bytes of memory; free some, or use less with --memory; the \
         layers that were finished are kept"
    )]
    OutOfMemory {
        /// Bytes of the block that there was no room for.
        bytes: usize,
    },
}

/// Builds the layers that are missing in the folder `directory`, which is made if need be.
///
/// Uses the current rayon thread pool.
///
/// ```
/// use kalah::rules::Rules;
/// use kalah::tables::build::{Options, build};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let options = Options { rules: Rules::Standard, stones: 6, memory: None };
/// let summary = build::<6>(directory, &options, &())?;
/// assert_eq!(summary.built, [0, 1, 2, 3, 4, 5, 6]);
/// assert_eq!(summary.positions, 18_564);
/// assert_eq!(build::<6>(directory, &options, &())?.kept, summary.built);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Any [`BuildError`]; layers that were finished before it stay.
pub fn build<const P: usize>(
    directory: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Summary, BuildError> {
    let largest = u8::try_from(options.stones)
        .ok()
        .and_then(|stones| Layout::new(LayerId { rules: options.rules, pits: P as u8, stones }));
    if largest.is_none() {
        return Err(BuildError::TooLarge { stones: options.stones, pits: P });
    }
    let Some(folder) = lock(directory, progress)? else {
        return Ok(Summary::default());
    };
    let built = build_in::<P>(&folder, options, progress);
    if built.is_err() {
        folder.give_up();
    }
    built
}

/// [`build`] in a folder that is locked, layers that can be counted.
fn build_in<const P: usize>(
    folder: &Folder,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Summary, BuildError> {
    let id = |stones: usize| LayerId { rules: options.rules, pits: P as u8, stones: stones as u8 };
    let layout =
        |stones| Layout::new(id(stones)).expect("smaller than the largest, which was checked");
    let mut files = Vec::new();
    let mut missing = Vec::new();
    let mut summary = Summary::default();
    for stones in 0..=options.stones {
        if progress.interrupted() {
            return Ok(summary);
        }
        match sound(folder, &id(stones), progress)? {
            Some(file) => {
                progress.layer_kept(stones);
                summary.kept.push(stones);
                files.push(Some(file));
            }
            None => {
                missing.push(stones);
                files.push(None);
            }
        }
    }

    let in_memory = memory::holds(folder.directory());
    let free = Free {
        disk: folder.free_bytes()?,
        memory: options.memory.unwrap_or_else(memory::free),
        address_space: memory::address_space(),
    };
    let plan = Plan::new::<P>(missing, layout, free, in_memory);
    check(&plan, folder.directory())?;
    progress.planned(&plan);

    let shares = plan.shares::<P>(rayon::current_num_threads());
    let buffers = match free.address_space {
        None => Buffers::in_regions_of(REGION),
        Some(_) => Buffers::default(),
    };
    let (done, committed) = channel();
    let mut build = Build::<P> {
        folder,
        progress,
        solver: Solver::new(options.rules, options.stones, buffers.clone()),
        transposed: Transposed::new(buffers.clone(), shares.kept, Readers::new::<P>(&plan.missing)),
        passing: buffers.alike(),
        buffers,
        workers: shares.workers,
        committer: Committer::start(done).map_err(BuildError::NoThread)?,
        files,
    };
    let outcome = plan.missing.iter().try_for_each(|&stones| build.layer(id(stones)));
    let committer = build.committer.finish();
    summary.built.extend(committed.try_iter());
    for &stones in &summary.built {
        summary.positions += layout(stones).positions();
        summary.bytes += layout(stones).file_length();
    }
    match outcome {
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::Interrupted) => committer?,
        Err(Stop::Committer) | Ok(()) => {
            committer?;
            summary.finished = true;
        }
    }
    all_are_there(folder, summary.kept.iter().chain(&summary.built).map(|&stones| id(stones)))?;
    Ok(summary)
}

/// Makes sure that nobody has removed a file meanwhile.
fn all_are_there(folder: &Folder, layers: impl Iterator<Item = LayerId>) -> Result<(), TableError> {
    for id in layers {
        if folder.open_layer(&id)?.is_none() {
            return Err(TableError::Removed { file: folder.path(&id) });
        }
    }
    Ok(())
}

/// Refuses what cannot fit, before it is begun.
fn check(plan: &Plan, directory: &Path) -> Result<(), BuildError> {
    if plan.missing.is_empty() {
        return Ok(());
    }
    if plan.disk_bytes > plan.disk_free {
        let (needed, free) = (plan.disk_bytes, plan.disk_free);
        return Err(BuildError::NoRoom { folder: directory.to_owned(), needed, free });
    }
    if plan.memory_needed > plan.memory_free {
        return Err(BuildError::NoMemory { needed: plan.memory_needed, free: plan.memory_free });
    }
    Ok(())
}

/// Opens the folder for writing, waiting for others; `None` when interrupted meanwhile.
fn lock(directory: &Path, progress: &dyn Progress) -> Result<Option<Folder>, TableError> {
    let interrupted = || progress.interrupted();
    Folder::open_for_writing_unless(directory, interrupted, || progress.waiting_for_lock())
}

/// The file of a layer, its blocks checked; `None` when there is none, or one that is damaged.
///
/// A file that is no table, or one of another layer or of another program's making, is an error: it
/// is not ours to replace.
fn sound(
    folder: &Folder,
    id: &LayerId,
    progress: &dyn Progress,
) -> Result<Option<LayerFile>, TableError> {
    let checked = folder.open_layer(id).and_then(|file| {
        let Some(file) = file else { return Ok(None) };
        (0..=usize::from(id.stones))
            .into_par_iter()
            .try_for_each(|mover| file.check_block(mover))?;
        // What is kept must be what would be built, to the last byte.
        file.check_padding()?;
        Ok(Some(match file.encoding() {
            Encoding::Bytes => file,
            Encoding::Compact => file.unpacked()?,
        }))
    });
    match checked {
        Err(damage) if damage.is_damage() => {
            progress.layer_damaged(usize::from(id.stones), &damage);
            Ok(None)
        }
        other => other,
    }
}

/// Why no more layers are built.
enum Stop {
    Interrupted,
    Error(BuildError),
    /// The committer has given up, and says why.
    Committer,
}

impl From<TableError> for Stop {
    fn from(error: TableError) -> Self {
        Stop::Error(error.into())
    }
}

impl From<SolveError> for Stop {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Stopped => Stop::Interrupted,
            SolveError::OutOfMemory { bytes } => Stop::Error(BuildError::OutOfMemory { bytes }),
        }
    }
}

/// A build under way.
struct Build<'a, const P: usize> {
    folder: &'a Folder,
    progress: &'a dyn Progress,
    solver: Solver<P>,
    /// For what is kept, and for what soon is no longer needed.
    buffers: Buffers,
    passing: Buffers,
    transposed: Transposed,
    /// Pairs of blocks that are solved at once.
    workers: usize,
    committer: Committer,
    /// By stones, the layers that are there.
    files: Vec<Option<LayerFile>>,
}

impl<const P: usize> Build<'_, P> {
    /// Computes and writes a layer.
    fn layer(&mut self, id: LayerId) -> Result<(), Stop> {
        let stones = usize::from(id.stones);
        let writer = LayerWriter::create(self.folder, id)?;
        let positions = Layout::new(id).map_or(0, |layout| layout.positions());
        self.progress.layer_started(stones, positions);
        self.committer.begun(writer.syncer());

        // Each worker takes one pair after the other, the largest first, so that no more pairs are
        // in memory than there are workers; threads without a pair help with lines of others.
        let pairs: Vec<(usize, usize)> = Solver::<P>::pairs(stones).collect();
        let next = AtomicUsize::new(0);
        let stop = Mutex::new(None);
        let stopped = || stop.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        rayon::scope(|scope| {
            for _ in 0..self.workers.min(pairs.len()) {
                scope.spawn(|_| {
                    while !stopped()
                        && let Some(&(south, north)) = pairs.get(next.fetch_add(1, Relaxed))
                    {
                        if let Err(reason) = self.pair(south, north, &writer) {
                            let mut stop = stop.lock().unwrap_or_else(PoisonError::into_inner);
                            stop.get_or_insert(reason);
                        }
                    }
                });
            }
        });
        if let Some(stop) = stop.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(stop);
        }
        let sealed = writer.seal()?;
        self.files[stones] = Some(sealed.map()?);
        self.committer.commit(sealed, stones);
        self.progress.layer_finished(stones);
        Ok(())
    }

    /// Computes and writes a pair of blocks.
    fn pair(&self, south: usize, north: usize, writer: &LayerWriter) -> Result<(), Stop> {
        // What the pair is computed from lives until it is solved.
        let sides = needs::<P>(south, north);
        let transposed: Vec<Option<Arc<Buffer>>> = sides
            .iter()
            .map(|&side| match side.turn {
                Turn::South => Ok(None),
                Turn::North => {
                    let (mover, opponent) = (side.north, side.south);
                    let block = self.block(mover, opponent);
                    self.transposed.get::<P>((mover, opponent), block).map(Some)
                }
            })
            .collect::<Result<_, _>>()?;
        let mut lower = Lines::new(south + north);
        for (&side, transposed) in sides.iter().zip(&transposed) {
            lower.insert(
                side,
                match transposed {
                    None => self.block(side.south, side.north),
                    Some(transposed) => transposed,
                },
            );
        }
        let told = AtomicU64::new(0);
        let watch = |positions| {
            // The two blocks of a pair of equals are one, solved twice.
            let positions = if south == north { positions / 2 } else { positions };
            told.fetch_add(positions, Relaxed);
            self.progress.positions_done(positions);
            match self.progress.interrupted() || self.committer.failed() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let solved = match self.solver.solve(south, north, &lower, &watch) {
            Err(SolveError::Stopped) if self.committer.failed() => return Err(Stop::Committer),
            other => other?,
        };
        drop(lower);
        drop(transposed);
        for side in sides.iter().filter(|side| side.turn == Turn::North) {
            self.transposed.done((side.north, side.south));
        }
        // Blocks that are filled by the sweep are not watched, and halves are rounded.
        let blocks = if south == north { 1 } else { 2 };
        let positions = blocks * solved.south.len() as u64;
        self.progress.positions_done(positions.saturating_sub(told.into_inner()));

        let rows = row_count(P, south) as usize;
        let (one, other) = rayon::join(
            || -> Result<(), Stop> {
                writer.write_block(south, &solved.south)?;
                if south != north && self.transposed.is_wanted((south, north)) {
                    let transposed = transpose(&solved.south, rows, &self.buffers)?;
                    self.transposed.keep((south, north), &Arc::new(transposed));
                }
                Ok(())
            },
            || -> Result<(), Stop> {
                if south != north {
                    let mut block = writer.begin_block(north);
                    transpose_in_bands(&solved.north, rows, &self.passing, |band| {
                        block.append(band).map_err(Stop::from)
                    })?;
                    block.finish()?;
                }
                Ok(())
            },
        );
        one?;
        other?;
        self.transposed.keep((north, south), &Arc::new(solved.north));
        Ok(())
    }

    /// A block of a layer that is there.
    fn block(&self, mover: usize, opponent: usize) -> &[u8] {
        let file = self.files[mover + opponent].as_ref();
        file.expect("lower layers come first").block(mover)
    }
}
