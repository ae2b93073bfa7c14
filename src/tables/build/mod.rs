//! Builds the tables of a folder, layer by layer.
//!
//! Layers that are there and pass their checks are kept, in whichever encoding; the others are
//! computed, each from those with fewer stones, and each is durable under its name before it counts.
//! The bytes of a file depend on rules, pits, stones and encoding alone: not on the machine, the
//! number of threads, the memory, or on what was there before.
//!
//! # Memory
//!
//! A pair of blocks is computed at a time, or several where there is room: its two matrices and all
//! lower ones that it [needs](crate::generator::needs()) are in memory, and nothing else has to be.
//! Lower matrices are read from their files from first to last, held against their checksums again
//! and kept as long as there is room; since the order of pairs is known, what makes room is what is
//! read latest. Where everything has room, byte files are read where they are mapped instead.
//! [`plan()`] says beforehand what a build will take.
//!
//! # Layers that are not finished
//!
//! A build that is killed leaves finished layers, and of the one after them two files:
//!
//! | file | what |
//! | --- | --- |
//! | `.NAME.partial` | the layer's file as far as it is written, without its header |
//! | `.NAME.journal` | which blocks of it are whole, as their entries in the header will be |
//!
//! A journal replaces the one before as a whole, and after the blocks that it lists are on the disk.
//! The next build compares these blocks with their checksums and goes on with the others. Files that
//! are of no use to any are removed. What was begun in another encoding than is asked for is of use to
//! a build in that one: it is refused to build then, until somebody has decided which.

mod calibrate;
mod chain;
mod commit;
mod error;
mod layer;
mod matrices;
mod output;
mod plan;
mod present;
mod reads;
mod schedule;
mod sparse;
mod stages;

use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::few::readers;
use super::{
    Encoding, Folder, LayerFile, LayerId, Layout, PartialLayer, TableError, folder, memory,
};
use crate::generator::{Buffers, Solver};
use crate::rules::Rules;

pub use super::memory::free as free_memory;
pub use calibrate::Speed;
pub use chain::Chain;
use commit::Committer;
pub use error::BuildError;
use layer::{Build, Stop};
use matrices::Matrices;
pub use plan::{Estimate, LayerPlan, Plan};
use plan::{Free, There};
use present::{all_are_there, sound, survey};
use schedule::Schedule;

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
    /// How the layers are written that are not there yet; `None`: as the first of them that was begun,
    /// or else as the largest layer that is there, or else in bytes.
    pub encoding: Option<Encoding>,
    /// How much later what is finished of a layer is saved again, for a run after this one to go on
    /// with whatever happens to this one.
    pub save_every: Duration,
}

impl Options {
    /// How often it is saved what is finished of a layer, unless something else is chosen.
    pub const SAVE_EVERY: Duration = Duration::from_secs(60);

    /// All layers of up to so many stones, a byte a position, with the memory that is free.
    pub fn new(rules: Rules, stones: usize) -> Self {
        let encoding = Some(Encoding::Bytes);
        Options { rules, stones, memory: None, encoding, save_every: Options::SAVE_EVERY }
    }
}

/// What a build tells while it goes on. Every method may be called from any thread.
pub trait Progress: Sync {
    /// Another process writes to the folder; the build waits for it.
    fn waiting_for_lock(&self) {}
    /// The file of the layer of `stones` stones, of so many bytes, is there and is checked.
    fn checking(&self, _stones: usize, _bytes: u64) {}
    /// The layer of `stones` stones is there and in order.
    fn layer_kept(&self, _stones: usize) {}
    /// The file of the layer of `stones` stones is damaged, or what there is of it when it was not
    /// finished, and will be made anew.
    fn layer_damaged(&self, _stones: usize, _damage: &TableError) {}
    /// What there is of a layer that was not finished will be removed: one below it is damaged, from
    /// which it may have been computed.
    fn partial_removed(&self, _layer: &PartialLayer) {}
    /// What will be built, before it is begun: it fits.
    fn planned(&self, _plan: &Plan) {}
    /// The layer of `stones` stones is being computed.
    fn layer_started(&self, _stones: usize, _positions: u64) {}
    /// So many positions of it are known from a run before this one. Told after the layer has
    /// [started](Progress::layer_started).
    fn layer_resumed(&self, _stones: usize, _positions: u64) {}
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
    /// How many of these an earlier run had computed.
    pub resumed: u64,
    /// Bytes of their files.
    pub bytes: u64,
    /// Whether all layers are there; not so when the build was interrupted.
    pub finished: bool,
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
/// let options = Options::new(Rules::Standard, 6);
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
    countable::<P>(options)?;
    let Some(folder) = lock(directory, progress)? else {
        return Ok(Summary::default());
    };
    calibrate::remove_places(folder.directory());
    let built = build_in::<P>(&folder, options, progress);
    if built.is_err() {
        folder.give_up();
    }
    built
}

/// What [`build`] would need: from the headers of the files that are there. Nothing is written, and
/// the folder need not be there.
///
/// ```
/// use kalah::rules::Rules;
/// use kalah::tables::build::{Options, plan};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path().join("tables");
/// let plan = plan::<6>(&directory, &Options::new(Rules::Standard, 24))?;
/// assert_eq!(plan.missing, (0..=24).collect::<Vec<_>>());
/// assert_eq!(plan.layers[24].positions, 417_225_900);
/// assert!(plan.memory_needed < 1 << 30);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`BuildError::TooLarge`], and [`BuildError::Table`] when the folder cannot be read. What does
/// not fit is no error.
pub fn plan<const P: usize>(directory: &Path, options: &Options) -> Result<Plan, BuildError> {
    countable::<P>(options)?;
    let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    let above = absolute.ancestors().find(|above| above.exists());
    let folder = Folder::open_for_reading(above.unwrap_or(directory))?;
    if folder.directory() != absolute {
        let nothing: Vec<Option<LayerFile>> = (0..=options.stones).map(|_| None).collect();
        return plan_in::<P>(&folder, options, &nothing, &[]);
    }
    let ids = (0..=options.stones).map(|stones| layer_id::<P>(options, stones));
    plan_in::<P>(&folder, options, &survey(&folder, ids)?, &folder.partial_layers()?)
}

/// Why a plan cannot be carried out; `None` when it can.
pub fn refusal(plan: &Plan, directory: &Path) -> Option<BuildError> {
    check(plan, directory).err()
}

fn layer_id<const P: usize>(options: &Options, stones: usize) -> LayerId {
    LayerId { rules: options.rules, pits: P as u8, stones: stones as u8 }
}

/// Makes sure that the layers can be counted.
fn countable<const P: usize>(options: &Options) -> Result<(), BuildError> {
    let largest = u8::try_from(options.stones).is_ok()
        && Layout::new(layer_id::<P>(options, options.stones)).is_some();
    match largest {
        true => Ok(()),
        false => Err(BuildError::TooLarge { stones: options.stones, pits: P }),
    }
}

/// What is needed besides these files and what was begun.
fn plan_in<const P: usize>(
    folder: &Folder,
    options: &Options,
    files: &[Option<LayerFile>],
    partial: &[PartialLayer],
) -> Result<Plan, BuildError> {
    let there = files.iter().enumerate().map(|(stones, file)| {
        let id = layer_id::<P>(options, stones);
        let begun = partial.iter().find(|partial| file.is_none() && partial.id == id);
        There {
            file: file.as_ref().map(|file| (file.encoding(), file.bytes().len() as u64)),
            begun: begun.copied(),
        }
    });
    let there: Vec<There> = there.collect();
    let encoding = options.encoding.unwrap_or_else(|| plan::encoding_of(&there));
    let free = Free {
        disk: folder.free_bytes()?,
        memory: options.memory.unwrap_or_else(memory::free),
        address_space: memory::address_space(),
    };
    let layout = |stones| {
        Layout::new(layer_id::<P>(options, stones)).expect("smaller than one that can be counted")
    };
    let in_memory = memory::holds(folder.directory());
    Ok(Plan::new::<P>(&there, encoding, layout, free, in_memory))
}

/// [`build`] in a folder that is locked, layers that can be counted.
fn build_in<const P: usize>(
    folder: &Folder,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Summary, BuildError> {
    let id = |stones| layer_id::<P>(options, stones);
    let mut files = Vec::new();
    let mut summary = Summary::default();
    for stones in 0..=options.stones {
        if progress.interrupted() {
            return Ok(summary);
        }
        let was_there = folder.path(&id(stones)).exists();
        let file = sound(folder, &id(stones), progress)?;
        if file.is_none() && was_there {
            // What was begun of layers above may have been computed from what is damaged.
            forget_above(folder, &id(stones), progress)?;
        }
        if file.is_some() {
            folder.remove_partial(&id(stones))?;
            progress.layer_kept(stones);
            summary.kept.push(stones);
        }
        files.push(file);
    }
    let plan = plan_in::<P>(folder, options, &files, &folder.partial_layers()?)?;
    check(&plan, folder.directory())?;
    progress.planned(&plan);

    let (schedule, steps) = Schedule::new::<P>(schedule::pairs::<P>(&plan.missing));
    let buffers = match memory::address_space() {
        None => Buffers::in_regions_of(REGION),
        Some(_) => Buffers::default(),
    };
    // Said before there are others alike.
    buffers.keep_within(addressable(plan.buffers()));
    let (done, committed) = channel();
    let mut build = Build::<P> {
        folder,
        progress,
        solver: Solver::new(options.rules, options.stones, buffers.clone()),
        matrices: Matrices::new(schedule),
        plentiful: plan.plentiful,
        staged: false,
        readers: 1,
        checked: Mutex::default(),
        encoding: plan.encoding,
        passing: buffers.alike(),
        buffers,
        committer: Committer::start(done).map_err(BuildError::NoThread)?,
        save_every: options.save_every,
        files,
        resumed: 0,
    };
    let layers = steps.chunk_by(|a, b| a.stones() == b.stones());
    let outcome = layers.into_iter().try_for_each(|steps| {
        let share = plan.share::<P>(steps, rayon::current_num_threads());
        build.matrices.set_room(share.kept);
        // What an earlier layer has left idle makes room for what is no buffer.
        build.buffers.keep_within(addressable(share.buffers));
        build.staged = share.staged;
        build.readers = readers().div_ceil(share.workers);
        build.layer(id(steps[0].stones()), steps, share.workers)
    });
    let committer = build.committer.finish();
    summary.resumed = build.resumed;
    summary.built.extend(committed.try_iter());
    for &stones in &summary.built {
        summary.positions += plan.layers[stones].positions;
        summary.bytes += build.files[stones].as_ref().map_or(0, |file| file.bytes().len() as u64);
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

/// So many bytes, or all that there are addresses for.
fn addressable(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Removes what was begun of the layers above one.
fn forget_above(folder: &Folder, id: &LayerId, progress: &dyn Progress) -> Result<(), TableError> {
    for partial in folder.partial_layers()? {
        let other = partial.id;
        if (other.rules, other.pits) == (id.rules, id.pits) && other.stones > id.stones {
            progress.partial_removed(&partial);
            folder.remove_partial(&other)?;
        }
    }
    Ok(())
}

/// Refuses what cannot fit, before it is begun.
fn check(plan: &Plan, directory: &Path) -> Result<(), BuildError> {
    if plan.missing.is_empty() {
        return Ok(());
    }
    if let Some(PartialLayer { id, encoding, blocks, positions, bytes }) = plan.begun_otherwise {
        let file = directory.join(folder::partial_name(&id));
        let asked = plan.encoding;
        return Err(BuildError::BegunOtherwise { file, encoding, blocks, positions, bytes, asked });
    }
    // What is estimated may be a little less.
    let sure = match plan.encoding {
        Encoding::Bytes => plan.disk_bytes,
        Encoding::Compact => plan.disk_bytes / 16 * 15,
    };
    if sure > plan.disk_free {
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
