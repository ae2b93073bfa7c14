//! What was found about all boards.

use kalah::rules::{Board, Rules};
use kalah::tables::analysis::Outcome;
use serde::Serialize;

use super::Args;
use super::record::Record;
use crate::cli::failure::{Failure, Status};
use crate::cli::output::{self, count, shell_word};

/// What is printed with `--json`.
#[derive(Serialize)]
struct Report {
    rules: Rules,
    pits: u8,
    seeds: u8,
    moved: u8,
    boards: usize,
    wins: usize,
    draws: usize,
    losses: usize,
    fair: Vec<String>,
}

/// Prints what is known of the boards. Some may be left when somebody asked to stop.
pub fn print<const P: usize>(
    args: &Args,
    boards: &[Board<P>],
    record: &Record,
) -> Result<Status, Failure> {
    let report = Report::new(args, boards, record);
    if args.said.json {
        output::print_json(&report)?;
    } else {
        output::print(&report.in_words())?;
    }
    let left = boards.len() - report.boards;
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

impl Report {
    fn new<const P: usize>(args: &Args, boards: &[Board<P>], record: &Record) -> Self {
        let found: Vec<(&Board<P>, Outcome)> = boards
            .iter()
            .filter_map(|board| record.outcome(board).map(|outcome| (board, outcome)))
            .collect();
        let with = |asked| found.iter().filter(move |(_, outcome)| *outcome == asked);
        Report {
            rules: args.tables.rules(),
            pits: args.tables.pits(),
            seeds: args.seeds,
            moved: args.moved,
            boards: found.len(),
            wins: with(Outcome::Win).count(),
            draws: with(Outcome::Draw).count(),
            losses: with(Outcome::Loss).count(),
            fair: with(Outcome::Draw).map(|(board, _)| board.to_string()).collect(),
        }
    }

    /// The fair boards, a line each, and a line on all.
    fn in_words(&self) -> String {
        let mut text: String = self.fair.iter().map(|position| format!("{position}\n")).collect();
        text += &format!(
            "{} of {} boards are fair; the player to move wins {} and loses {}.\n",
            count(self.draws as u64),
            count(self.boards as u64),
            count(self.wins as u64),
            count(self.losses as u64),
        );
        text
    }
}
