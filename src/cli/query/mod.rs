//! `kalah query`: what a position is worth, and how to play it.

mod answer;
mod json;
mod stream;
mod text;

use std::fmt::Display;
use std::path::PathBuf;

use clap::ArgGroup;
use kalah::rules::{Board, Pit, notation};
use kalah::tables::analysis::Detail;

use super::answer::Answer;
use super::args::{OutputArgs, TableArgs, ThreadArgs, opening, whole_number};
use super::failure::{Failure, Status};
use super::interrupt::Interrupt;
use super::search::{Limits, SearchArgs};
use super::{output, with_pits};
use answer::{Answers, Tables};

/// Say what a position is worth, and how to play it
///
/// The value of a position is the final store of the player to move minus that of the opponent when
/// both play perfectly, stones already in the stores counted. Every legal move is valued the same
/// way, from the side of the player to move, and a line of perfect play leads to the end of the
/// game. Where the tables do not reach as many stones as the pits hold, a search over them finds the
/// answer; --time bounds how long it takes, and the answer may then be bounds of the value.
///
/// A position is written from the side of the player to move:
///
///     m1,m2,m3,m4,m5,m6,store,o1,o2,o3,o4,o5,o6,opponent's store
///
/// each player's pits from that player's own left, with commas or spaces. Leave out both stores
/// when they are empty, or write a Kalah Game Protocol board: <6,store,opponent's store,m1,..,o6>.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = EXAMPLES)]
#[command(group = ArgGroup::new("asked").required(true).args(["position", "input", "seeds"]))]
pub struct Args {
    /// Position: 14 numbers, 12 without the stores, or a Kalah Game Protocol board
    #[arg(num_args = 1..)]
    position: Vec<String>,

    /// Answer for a position a line of this file, as they come; - is standard input
    ///
    /// Empty lines are skipped. A line that is no position is reported and the rest goes on; the
    /// exit status is then 2 at the end. Without --json each answer is a line too.
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,

    /// Start from the opening with S stones in every pit
    #[arg(long, value_name = "S", value_parser = whole_number::<u8>(0..=127), allow_negative_numbers = true)]
    seeds: Option<u8>,

    /// Pits sown since the opening, each by whoever was to move, like 3,6,1
    #[arg(long, value_name = "PITS", value_delimiter = ',', requires = "seeds", conflicts_with_all = ["position", "input"], value_parser = whole_number::<usize>(0..))]
    moves: Vec<usize>,

    /// Only the value and one best pit, sooner
    #[arg(long)]
    best: bool,

    #[command(flatten)]
    tables: TableArgs,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  kalah query 0,1,0,2,0,3,10,1,1,0,2,0,0,12
  kalah query \"<6,10,12,0,1,0,2,0,3,1,1,0,2,0,0>\" --json
  kalah query --pits 3 --seeds 2 --moves 2,1
  kalah query --input positions.txt --json > values.jsonl
  kalah query --seeds 4 --moves 3,1,2 --time 10";

impl Args {
    fn detail(&self) -> Detail {
        if self.best { Detail::Best } else { Detail::Full }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    with_pits!(args.tables.pits(), query(args))
}

fn query<const P: usize>(args: &Args) -> Result<Status, Failure> {
    if let Some(input) = &args.input {
        return stream::run::<P>(args, input);
    }
    let board: Board<P> = match args.seeds {
        Some(seeds) => position_after(args, seeds)?,
        None => notation::parse(&args.position.join(" "))
            .map_err(|error| Failure::wrong_input(error.to_string()))?,
    };
    let tables = Tables::open(&args.tables);
    let answers = Answers::to_one(args, &tables, &board);
    // A search may be long enough for somebody to lose patience.
    let interrupt = answers.searches(&board).then(Interrupt::listen).transpose()?;
    let limits = Limits { deadline: args.search.deadline(), interrupt };
    let answer = answers.answer(&board, &limits);
    let answer = answer.map_err(|(status, reason)| Failure::Because(status, reason))?;
    let (rules, json) = (args.tables.rules(), args.output.json);
    match &answer {
        Answer::Known(analysis) if json => output::print_json(&json::Answer::new(analysis, rules)),
        Answer::Known(analysis) => output::print(&text::page(analysis, rules)),
        Answer::Stopped(stopped) if json => {
            output::print_json(&json::Answer::stopped(stopped, rules))
        }
        Answer::Stopped(stopped) => output::print(&text::stopped_page(stopped, rules)),
    }?;
    let stopped = matches!(answer, Answer::Stopped(_));
    Ok(if stopped && limits.interrupted() { Status::Interrupted } else { Status::Done })
}

/// The position after the moves from an opening.
fn position_after<const P: usize>(args: &Args, seeds: u8) -> Result<Board<P>, Failure> {
    args.moves.iter().zip(1..).try_fold(opening(seeds)?, |board, (&number, turn)| {
        let wrong = |error: &dyn Display| {
            let reason = format!("move {turn} of --moves ({number}) on {board}: {error}");
            Failure::wrong_input(reason)
        };
        let pit = Pit::from_number(number).map_err(|error| wrong(&error))?;
        let played = board.play(pit, args.tables.rules()).map_err(|error| wrong(&error))?;
        Ok(played.board)
    })
}
