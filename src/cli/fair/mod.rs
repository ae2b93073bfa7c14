//! `kalah fair`: boards near an opening that are worth nothing to either player.

mod record;
mod report;

use std::path::PathBuf;

use kalah::rules::Board;
use kalah::search::{Options, Question, Searcher, neighbours};
use kalah::tables::analysis::Outcome;
use rayon::prelude::*;

use super::args::{OutputArgs, TableArgs, ThreadArgs, opening, size, whole_number};
use super::failure::{Failure, Status};
use super::interrupt::Interrupt;
use super::progress::{Progress, ProgressArgs};
use super::search::Limits;
use super::with_pits;
use record::Record;

/// List the boards near an opening that are worth nothing to either player
///
/// Goes through every board that differs from the opening by one stone (or so many) moved to another
/// pit or to a store, and finds out who wins it. Every board's outcome is written to --output as soon
/// as it is known, a JSON object a line, and a later run with the same file goes on after them.
/// Tables make it fast: for 4 stones a pit build those of 24 stones first.
#[derive(clap::Args)]
pub struct Args {
    /// Stones in every pit of the opening
    #[arg(long, value_name = "S", value_parser = whole_number::<u8>(1..=63), allow_negative_numbers = true)]
    seeds: u8,

    /// Stones that are moved
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_number::<u8>(0..=4), allow_negative_numbers = true)]
    moved: u8,

    /// File for the outcomes, kept and gone on with when it is there
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Memory of the transposition table, like 512M or 4G
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "256M", allow_negative_numbers = true)]
    hash: u64,

    #[command(flatten)]
    tables: TableArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    said: OutputArgs,

    #[command(flatten)]
    progress: ProgressArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    with_pits!(args.tables.pits(), fair(args))
}

fn fair<const P: usize>(args: &Args) -> Result<Status, Failure> {
    args.threads.apply()?;
    let rules = args.tables.rules();
    let opening = opening::<P>(args.seeds)?;
    let boards = neighbours(&opening, usize::from(args.moved));
    let record = Record::open(args.output.as_deref(), rules)?;
    let left: Vec<&Board<P>> =
        boards.iter().filter(|board| record.outcome(board).is_none()).collect();

    let tables = args.tables.open::<P>()?;
    let hash = usize::try_from(args.hash).unwrap_or(usize::MAX);
    let searcher = Searcher::new(rules, tables.as_ref(), Options { hash, threads: 1 })?;
    let progress = Progress::new(&args.progress, &args.said, boards.len() as u64);
    let limits = Limits { deadline: None, interrupt: Some(Interrupt::listen()?) };
    progress.stage(format!("{} boards", boards.len()));
    progress.advance((boards.len() - left.len()) as u64);
    // One after the other from the list, so that neighbours, which share much, are searched at about
    // the same time.
    left.par_iter().with_max_len(1).try_for_each(|&board| -> Result<(), Failure> {
        if limits.reached() {
            return Ok(());
        }
        let level = -board.lead();
        let bounds = searcher.solve(board.pits(), Question::Against(level), &limits)?;
        if Question::Against(level).is_settled(bounds) {
            let seen = if bounds.low > level { bounds.low } else { bounds.high };
            record.add(board, Outcome::of(seen - level))?;
            progress.advance(1);
        }
        Ok(())
    })?;
    progress.finish();
    report::print(args, &boards, &record)
}
