//! The tables that a search ends in: those there are, or those it takes.

use std::path::Path;

use indicatif::DecimalBytes;
use kalah::search::{Effort, Room};
use kalah::tables::build::{self, BuildError, build, free_memory};
use kalah::tables::{Folder, Tablebase};

use super::Args;
use crate::cli::building::Watcher;
use crate::cli::failure::Failure;
use crate::cli::output::{complain, seconds, shell_word};
use crate::cli::search::Limits;

/// Bytes of memory that tables and transpositions may take together.
pub fn memory(args: &Args) -> u64 {
    args.memory.unwrap_or_else(free_memory)
}

/// Builds the tables to search over that are not `there`. When the limits are reached meanwhile, what
/// there is has to do. `None` when the search is to do without.
pub fn prepare<const P: usize>(
    args: &Args,
    there: Option<Tablebase<P>>,
    effort: &Effort,
    limits: &Limits,
) -> Result<Option<Tablebase<P>>, Failure> {
    let have = there.as_ref().and_then(Tablebase::stones);
    let wanted = match args.table_stones {
        Some(0) => return Ok(None),
        Some(stones) => Some(usize::from(stones)),
        // Whoever knows the value already needs no tables.
        None if effort.stones == 0 => have,
        None => effort.best_tables(room(args, effort, have)),
    };
    let Some(wanted) = wanted else { return Ok(None) };
    if have.is_none_or(|have| have < wanted) {
        let built = make::<P>(args, effort, have, wanted, limits)?;
        return Ok(args.tables.open::<P>()?.map(|tables| tables.up_to(built)));
    }
    Ok(there.map(|tables| tables.up_to(wanted)))
}

/// What tables may take: the memory that the transpositions leave, and the disk.
fn room(args: &Args, effort: &Effort, have: Option<usize>) -> Room {
    let memory = memory(args);
    let hash = args.search.hash(effort, have, super::LEAST_HASH, memory);
    Room { have, memory: memory.saturating_sub(hash as u64), disk: free_disk(args.tables.tables()) }
}

/// Bytes that are free where the folder is or will be; what is not known does not limit.
fn free_disk(folder: &Path) -> u64 {
    let folder = if folder.is_absolute() { folder.to_owned() } else { Path::new(".").join(folder) };
    let there = folder.ancestors().find(|ancestor| ancestor.is_dir());
    let free = there.and_then(|there| Folder::open_for_reading(there).ok()?.free_bytes().ok());
    free.unwrap_or(u64::MAX)
}

/// Builds the layers that are missing; gives how many stones they reach.
fn make<const P: usize>(
    args: &Args,
    effort: &Effort,
    have: Option<usize>,
    mut wanted: usize,
    limits: &Limits,
) -> Result<usize, Failure> {
    let folder = args.tables.tables();
    loop {
        let options = build::Options {
            memory: args.memory,
            encoding: None,
            ..build::Options::new(args.tables.rules(), wanted)
        };
        if !args.output.quiet {
            complain(&announcement(args, effort, have, wanted));
        }
        let watcher = Watcher::<P>::new(folder, wanted, &args.progress, &args.output, limits);
        let built = build::<P>(folder, &options, &watcher);
        watcher.finish();
        match built {
            Ok(_) => return Ok(wanted),
            // The choice was ours, and smaller tables do too.
            Err(BuildError::NoMemory { .. } | BuildError::NoRoom { .. })
                if args.table_stones.is_none() && wanted > have.unwrap_or(0) =>
            {
                wanted -= 1;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// What is going to be built, and why.
fn announcement(args: &Args, effort: &Effort, have: Option<usize>, wanted: usize) -> String {
    let mut text = format!(
        "building the tables up to {wanted} stones in {} ({} in all)",
        shell_word(args.tables.tables()),
        DecimalBytes(effort.bytes_up_to(wanted) as u64),
    );
    let in_words = |time: f64| std::time::Duration::try_from_secs_f64(time).ok().map(seconds);
    let (with, without) = (effort.searching(Some(wanted)), effort.searching(have));
    if without > 10.0
        && let (Some(with), Some(without)) = (in_words(with), in_words(without))
    {
        text.push_str(&format!(
            "; searching should take about {with} with them, {without} without"
        ));
    }
    text
}
