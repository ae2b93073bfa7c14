//! `kalah fair`: boards near an opening that are worth nothing to either player.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kalah::rules::{Board, Rules};
use kalah::search::{Options, Question, Searcher, neighbours};
use kalah::tables::analysis::Outcome;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::args::{OutputArgs, TableArgs, ThreadArgs, opening, size, whole_number};
use super::failure::{Failure, Status};
use super::interrupt::Interrupt;
use super::output::{self, count, shell_word};
use super::progress::{Progress, ProgressArgs};
use super::search::Limits;
use super::with_pits;

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

/// A board and who wins it, the player to move or the other; a line of the file.
#[derive(Clone, Serialize, Deserialize)]
struct Finding {
    position: String,
    rules: Rules,
    outcome: String,
}

impl Finding {
    fn outcome(&self) -> Option<Outcome> {
        let outcomes = [Outcome::Win, Outcome::Draw, Outcome::Loss];
        outcomes.into_iter().find(|outcome| outcome.name() == self.outcome)
    }
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Report<'a> {
    rules: Rules,
    pits: u8,
    seeds: u8,
    moved: u8,
    boards: usize,
    wins: usize,
    draws: usize,
    losses: usize,
    fair: &'a [String],
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
    let left: Vec<&Board<P>> = boards.iter().filter(|board| !record.has(board)).collect();

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
    report(args, &boards, &record)
}

fn report<const P: usize>(
    args: &Args,
    boards: &[Board<P>],
    record: &Record,
) -> Result<Status, Failure> {
    let found: Vec<(String, Outcome)> = boards
        .iter()
        .filter_map(|board| record.outcome(board).map(|outcome| (board.to_string(), outcome)))
        .collect();
    let number = |asked: Outcome| found.iter().filter(|(_, outcome)| *outcome == asked).count();
    let draws = found.iter().filter(|(_, outcome)| *outcome == Outcome::Draw);
    let fair: Vec<String> = draws.map(|(position, _)| position.clone()).collect();
    let left = boards.len() - found.len();
    if args.said.json {
        output::print_json(&Report {
            rules: args.tables.rules(),
            pits: args.tables.pits(),
            seeds: args.seeds,
            moved: args.moved,
            boards: found.len(),
            wins: number(Outcome::Win),
            draws: fair.len(),
            losses: number(Outcome::Loss),
            fair: &fair,
        })?;
    } else {
        let mut text: String = fair.iter().map(|position| format!("{position}\n")).collect();
        text += &format!(
            "{} of {} boards are fair; the player to move wins {} and loses {}.\n",
            fair.len(),
            count(found.len() as u64),
            count(number(Outcome::Win) as u64),
            count(number(Outcome::Loss) as u64),
        );
        output::print(&text)?;
    }
    if left == 0 {
        return Ok(Status::Done);
    }
    let how = match &args.output {
        Some(file) => format!("the same command goes on from {}", shell_word(file)),
        None => "with --output FILE a later run could go on from here".to_owned(),
    };
    let reason = format!("interrupted with {left} boards left; {how}");
    Err(Failure::Because(Status::Interrupted, reason))
}

/// The outcomes found, in this run and in earlier ones.
struct Record {
    found: Mutex<Found>,
    rules: Rules,
}

struct Found {
    outcomes: HashMap<String, Outcome>,
    file: Option<(File, PathBuf)>,
}

impl Record {
    /// Reads what an earlier run wrote; a last line that it did not finish is written anew.
    fn open(path: Option<&Path>, rules: Rules) -> Result<Self, Failure> {
        let mut outcomes = HashMap::new();
        let Some(path) = path else {
            return Ok(Record { found: Mutex::new(Found { outcomes, file: None }), rules });
        };
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            Failure::failed(format!("cannot {what} {}: {error}", path.display()))
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(|error| failed("open", &error))?;
        let mut end = 0;
        let mut reader = BufReader::new(&file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let length =
                reader.read_until(b'\n', &mut line).map_err(|error| failed("read", &error))?;
            if length == 0 || !line.ends_with(b"\n") {
                break;
            }
            let finding = serde_json::from_slice::<Finding>(&line).ok();
            let Some((finding, outcome)) = finding.and_then(|f| f.outcome().map(|o| (f, o))) else {
                let path = path.display();
                let reason = format!("{path} is no list of outcomes; name another file");
                return Err(Failure::failed(reason));
            };
            if finding.rules != rules {
                let (path, theirs) = (path.display(), finding.rules);
                let reason = format!("{path} holds outcomes for {theirs} rules; name another file");
                return Err(Failure::failed(reason));
            }
            outcomes.insert(finding.position, outcome);
            end += length as u64;
        }
        file.set_len(end).map_err(|error| failed("write", &error))?;
        file.seek(SeekFrom::Start(end)).map_err(|error| failed("write", &error))?;
        let file = Some((file, path.to_owned()));
        Ok(Record { found: Mutex::new(Found { outcomes, file }), rules })
    }

    fn outcome<const P: usize>(&self, board: &Board<P>) -> Option<Outcome> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.outcomes.get(&board.to_string()).copied()
    }

    fn has<const P: usize>(&self, board: &Board<P>) -> bool {
        self.outcome(board).is_some()
    }

    fn add<const P: usize>(&self, board: &Board<P>, outcome: Outcome) -> Result<(), Failure> {
        let position = board.to_string();
        let name = outcome.name().to_owned();
        let finding = Finding { position: position.clone(), rules: self.rules, outcome: name };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((file, path)) = &mut found.file {
            file.write_all(output::json_line(&finding).as_bytes()).map_err(|error| {
                Failure::failed(format!("cannot write {}: {error}", path.display()))
            })?;
        }
        found.outcomes.insert(position, outcome);
        Ok(())
    }
}
