//! `kalah verify --proof`: whether a proof proves what it says.

use std::path::Path;
use std::time::{Duration, Instant};

use kalah::rules::Rules;
use kalah::search::proof::{self, CheckError, Proof, ReadError, Relation, Report};
use serde::Serialize;

use super::args::{FolderArgs, OutputArgs, TableArgs};
use super::failure::{Failure, Status, one_line};
use super::interrupt::Interrupt;
use super::output::{self, count};
use super::progress::{Progress, ProgressArgs};

/// What is found. The fields are printed in this order.
#[derive(Serialize)]
struct Findings<'a> {
    proof: String,
    tables: String,
    rules: Rules,
    pits: usize,
    position: String,
    relation: Relation,
    value: i16,
    table_stones: u8,
    layers: Vec<u8>,
    claims: u64,
    /// Positions looked up in tables.
    probes: u64,
    holds: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'a str>,
    seconds: f64,
}

/// Runs the command.
pub fn run(
    file: &Path,
    tables: &Path,
    output: &OutputArgs,
    progress: &ProgressArgs,
) -> Result<Status, Failure> {
    let begun = Instant::now();
    let proof = Proof::read(file).map_err(|error| match error {
        ReadError::Damaged { .. } | ReadError::Malformed { .. } => Failure::from(error),
        other => Failure::wrong_input(one_line(&other)),
    })?;
    let watcher = Watcher {
        progress: Progress::new(progress, output, proof.claims()),
        interrupt: Interrupt::listen()?,
    };
    let checked = proof.check(tables, &watcher);
    watcher.progress.finish();
    match checked {
        Ok(report) => {
            if output.json {
                output::print_json(&findings(&proof, file, tables, begun, Ok(report)))?;
            } else if !output.quiet {
                output::print(&in_words(&proof, report, begun.elapsed()))?;
            }
            Ok(Status::Done)
        }
        Err(CheckError::Stopped) => Err(Failure::Because(
            Status::Interrupted,
            "interrupted; no fault was found so far, and nothing is proved".to_owned(),
        )),
        Err(error) => {
            let fault = match &error {
                CheckError::MissingTable { most, .. } => {
                    let tables = TableArgs {
                        folder: FolderArgs { tables: tables.to_owned() },
                        rules: Some(proof.statement().rules()),
                        pits: Some(proof.statement().pits() as u8),
                    };
                    format!("{error}; {} makes it", tables.generate_command(usize::from(*most)))
                }
                error => one_line(error),
            };
            if output.json {
                output::print_json(&findings(&proof, file, tables, begun, Err(&fault)))?;
            }
            Err(Failure::failed(fault))
        }
    }
}

fn findings<'a>(
    proof: &Proof,
    file: &Path,
    tables: &Path,
    begun: Instant,
    checked: Result<Report, &'a str>,
) -> Findings<'a> {
    let statement = proof.statement();
    let position: Vec<String> = statement.root().iter().map(u8::to_string).collect();
    Findings {
        proof: file.display().to_string(),
        tables: tables.display().to_string(),
        rules: statement.rules(),
        pits: statement.pits(),
        position: position.join(","),
        relation: statement.relation(),
        value: statement.value(),
        table_stones: proof.table_stones(),
        layers: proof.layers().map(|(stones, _)| stones).collect(),
        claims: proof.claims(),
        probes: checked.map_or(0, |report| report.probes),
        holds: checked.is_ok(),
        fault: checked.err(),
        seconds: begun.elapsed().as_secs_f64(),
    }
}

fn in_words(proof: &Proof, report: Report, passed: Duration) -> String {
    let layers = match proof.layers().len() {
        0 => "it leans on no table".to_owned(),
        1 => "the table it leans on is as it says".to_owned(),
        layers => format!("the {layers} tables it leans on are as it says"),
    };
    format!(
        "Proved: {}.\n{} claims hold, with {} positions looked up; {layers}. {}.\n",
        proof.statement(),
        count(report.claims),
        count(report.probes),
        output::seconds(passed)
    )
}

/// Passes on how far the check is, and a Ctrl-C to it.
struct Watcher {
    progress: Progress,
    interrupt: Interrupt,
}

impl proof::Progress for Watcher {
    fn tables(&self, _bytes: u64) {
        self.progress.stage("tables".to_owned());
    }

    fn claims(&self, _claims: u64) {
        self.progress.stage("claims".to_owned());
    }

    fn checked(&self, claims: u64) {
        self.progress.advance(claims);
    }

    fn stop(&self) -> bool {
        self.interrupt.requested()
    }
}
