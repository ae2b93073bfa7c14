//! `kalah solve`: proves what an opening is worth.

mod json;
mod keep;
mod tables;
mod text;
mod watch;

use std::time::{Duration, Instant};

use clap::ArgGroup;
use kalah::rules::{Board, notation};
use kalah::search::checkpoint::Spent;
use kalah::search::{Effort, Goal, Options, Searcher, Solution, Task};
use kalah::tables::{Encoding, Tablebase};

use super::args::{OutputArgs, TableArgs, ThreadArgs, opening, size, whole_number};
use super::failure::{Failure, Status};
use super::interrupt::Interrupt;
use super::progress::ProgressArgs;
use super::search::{Limits, SearchArgs};
use super::{output, with_pits};
use keep::{KeepArgs, Searched};
use watch::Follow;

/// Prove what an opening is worth, and how to play it
///
/// The value is the final store of the player to move minus that of the opponent when both play
/// perfectly. It is found by a search that ends in the tables. Tables that are missing are built
/// first, as many as make the whole take the least time; larger ones that are there are used.
///
/// Then come all first pits that keep the value, and a line of perfect play to the end of the game,
/// for each position of which the value is checked again. With Ctrl-C, or when --time is over, the
/// bounds are printed that were proved; --checkpoint lets a later run go on from there.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = EXAMPLES)]
#[command(group = ArgGroup::new("asked").required(true).args(["seeds", "position"]))]
pub struct Args {
    /// Solve the opening with S stones in every pit
    #[arg(long, value_name = "S", value_parser = whole_number::<u8>(0..=127), allow_negative_numbers = true)]
    seeds: Option<u8>,

    /// Solve this position, written as for kalah query
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,

    /// Value each first move too, and what can follow where it earns an extra move
    #[arg(long)]
    all_moves: bool,

    /// Only find out who wins: less to prove, though not always sooner proved
    #[arg(long)]
    win: bool,

    /// Search over tables of up to N stones, no more and no less [default: what takes the least
    /// time]
    #[arg(long, value_name = "N", value_parser = whole_number::<u8>(0..=127), allow_negative_numbers = true)]
    table_stones: Option<u8>,

    /// Memory to use at most, of which --hash is a part and the tables have the rest, like 4G
    /// [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    memory: Option<u64>,

    #[command(flatten)]
    keep: KeepArgs,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    tables: TableArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    progress: ProgressArgs,
}

const EXAMPLES: &str = "\
Examples:
  kalah solve --seeds 4
  kalah solve --seeds 3 --all-moves --json
  kalah solve --seeds 6 --pits 4 --rules empty-capture --win
  kalah solve --position 4,4,0,5,5,5,1,4,4,4,4,4,4,0 --time 60";

/// A transposition table has at least so many bytes unless asked for less.
const LEAST_HASH: usize = 16 << 20;

/// What a run has done besides finding a solution.
struct Cost {
    /// The stones that the tables it searched over reach.
    table_stones: Option<usize>,
    nodes: u64,
    probes: u64,
    tables: Duration,
    search: Duration,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    with_pits!(args.tables.pits(), solve_board(args))
}

fn solve_board<const P: usize>(args: &Args) -> Result<Status, Failure> {
    let board = args.board::<P>()?;
    args.threads.apply()?;
    let limits = Limits { deadline: args.search.deadline(), interrupt: Some(Interrupt::listen()?) };

    let rules = args.tables.rules();
    let _reserved = args.keep.reserve()?;
    let checkpoint = args.keep.open(rules, &board)?;
    let begun = Instant::now();
    // Up to the first layer that is damaged, which is built anew.
    let there = args.tables.open::<P>()?;
    let effort = Effort {
        pits: P,
        stones: board.pits().stones(),
        all_moves: args.all_moves,
        threads: args.threads.count(),
        encoding: there.as_ref().and_then(Tablebase::encoding).unwrap_or(Encoding::Bytes),
    };
    let memory = tables::memory(args);
    let tables = tables::prepare::<P>(args, there, &effort, &limits)?;
    let reach = tables.as_ref().and_then(|tables| tables.stones());
    let least = least_hash::<P>(effort.stones, memory)?;
    let hash = args.search.hash(&effort, reach, least, memory);
    let options = Options { hash, threads: effort.threads };
    let mut searcher = Searcher::new(rules, tables.as_ref(), options)?;
    let mut before = Spent::default();
    if let Some(checkpoint) = checkpoint {
        if !args.output.quiet {
            output::complain(&keep::resumed(&checkpoint, &board));
        }
        before = checkpoint.spent();
        searcher = checkpoint.resume(searcher)?;
    }
    let tables_took = begun.elapsed();

    let goal = if args.win { Goal::Winner } else { Goal::Value };
    let task = Task { goal, all_moves: args.all_moves };
    let watch = Follow::new(&searcher, &board, &limits, args.progress.display(&args.output));
    let searched = args.keep.search(&searcher, &board, task, before, &watch);
    watch.finish();
    let Searched { solution, spent, unsaved } = searched?;
    let cost = Cost {
        table_stones: reach,
        nodes: spent.nodes,
        probes: spent.probes,
        tables: tables_took,
        search: spent.time,
    };
    report(args, &solution, goal, &cost)?;
    if let Some(error) = unsaved {
        return Err(error.into());
    }
    if !solution.finished && limits.interrupted() {
        let reason = format!("interrupted; {}", args.keep.how_to_go_on());
        return Err(Failure::Because(Status::Interrupted, reason));
    }
    if let Some(proved) = args.keep.prove(&searcher, &solution, &limits)?
        && !args.output.json
        && !args.output.quiet
    {
        output::print(&proved)?;
    }
    Ok(Status::Done)
}

/// Bytes of the smallest transposition table that is used unless another is asked for.
fn least_hash<const P: usize>(stones: usize, memory: u64) -> Result<usize, Failure> {
    let needed = Searcher::<P>::least_hash(stones);
    if needed as u64 > memory {
        return Err(Failure::wrong_input(format!(
            "{memory} bytes of memory are too few to search positions of {stones} stones; {needed} \
             are enough: allow more with --memory"
        )));
    }
    Ok(needed.max(LEAST_HASH.min(usize::try_from(memory / 2).unwrap_or(usize::MAX))))
}

fn report<const P: usize>(
    args: &Args,
    solution: &Solution<P>,
    goal: Goal,
    cost: &Cost,
) -> Result<(), Failure> {
    if args.output.json {
        return output::print_json(&json::Report::new(args, solution, goal, cost));
    }
    output::print(&text::page(args, solution, goal, cost))
}

impl Args {
    /// The position to solve.
    fn board<const P: usize>(&self) -> Result<Board<P>, Failure> {
        match (self.seeds, &self.position) {
            (Some(seeds), _) => opening(seeds),
            (None, position) => notation::parse(position.as_deref().unwrap_or_default())
                .map_err(|error| Failure::wrong_input(error.to_string())),
        }
    }
}
