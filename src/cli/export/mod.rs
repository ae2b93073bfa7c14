//! `kalah export`: tables for other programs. A file here for each format.

mod csv;
mod npy;
mod web;

use std::path::PathBuf;

use clap::ValueEnum;
use kalah::export::{ExportError, Progress as Watch};
use kalah::rules::Rules;
use kalah::tables::Tablebase;
use serde::Serialize;

use super::args::{OutputArgs, TableArgs, whole_number};
use super::failure::{Failure, Status, one_line};
use super::interrupt::Interrupt;
use super::output::{self, shell_word};
use super::progress::{Progress, ProgressArgs};
use super::with_pits;

/// Write tables in a form that other programs read
///
/// The formats:
///
///     npy  a folder with an array for each number of stones, the margins of all positions, and
///          kalah_npy.py, a Python module that looks positions up in them with numpy alone
///     csv  a file of sampled positions with their values and optimal moves, a line each, with the
///          columns of the FairKalah data set; --sample says how many. Of all positions of up to N
///          stones in which the game goes on each has the same chance, and comes at most once
///     web  a folder for a web server: one small file with the values of all positions, a reader in
///          JavaScript with its types, a description of the format, and an example page
///
/// Files that are there are replaced as a whole, others are left alone. The same command writes the
/// same bytes on every machine.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = EXAMPLES)]
pub struct Args {
    /// What to write
    #[arg(long, value_name = "FORMAT")]
    format: Format,

    /// Stones in the pits, at most
    #[arg(long, value_name = "N", value_parser = whole_number::<u8>(0..=127), allow_negative_numbers = true)]
    stones: u8,

    /// Where to: a folder for npy and web, made when it is not there; a file for csv, - being standard
    /// output
    #[arg(long, value_name = "PATH")]
    out: PathBuf,

    #[command(flatten)]
    csv: csv::CsvArgs,

    #[command(flatten)]
    tables: TableArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    progress: ProgressArgs,
}

const EXAMPLES: &str = "\
Examples:
  kalah export --format npy --stones 12 --out arrays
  kalah export --format csv --stones 24 --sample 1000000 --random-seed 7 --out train.csv
  kalah export --format csv --stones 12 --seeds 4 --rules empty-capture --sample 10 --out -
  kalah export --format web --stones 12 --out site";

/// Who is to read what is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Arrays for numpy
    Npy,
    /// Positions a line, as in the FairKalah data set
    Csv,
    /// A small table for a web page
    Web,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Format::Npy => "npy",
            Format::Csv => "csv",
            Format::Web => "web",
        }
    }
}

/// What was written. The fields are printed in this order.
#[derive(Serialize)]
struct Report {
    format: &'static str,
    rules: Rules,
    pits: u8,
    stones: u8,
    out: String,
    positions: u64,
    bytes: u64,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    with_pits!(args.tables.pits(), export(args))
}

fn export<const P: usize>(args: &Args) -> Result<Status, Failure> {
    if args.format != Format::Csv {
        args.csv.refuse(args.format)?;
    }
    match args.format {
        Format::Npy => npy::run::<P>(args),
        Format::Csv => csv::run::<P>(args),
        Format::Web => web::run::<P>(args),
    }
}

impl Args {
    fn stones(&self) -> usize {
        usize::from(self.stones)
    }

    /// The place of the output, for people.
    fn place(&self) -> String {
        shell_word(&self.out)
    }

    /// Tables of all stones that are asked for.
    fn open<const P: usize>(&self) -> Result<Tablebase<P>, Failure> {
        let folder = shell_word(self.tables.tables());
        let build = self.tables.generate_command(self.stones());
        let Some(tables) = self.tables.open::<P>()? else {
            let reason = format!("there are no tables in {folder}; build them with: {build}");
            return Err(Failure::failed(reason));
        };
        match tables.stones() {
            Some(reach) if reach >= self.stones() => Ok(tables),
            // What is wrong with the next file is why they end there.
            reach => Err(match (tables.obstacle(), reach) {
                (Some(obstacle), _) => Failure::failed(one_line(obstacle)),
                (None, None) => {
                    let rules = self.tables.rules();
                    let pits = output::pits_a_side(self.tables.pits());
                    Failure::failed(format!(
                        "there are no tables of {rules} rules and {pits} a side in {folder}; \
                         build them with: {build}"
                    ))
                }
                (None, Some(reach)) => Failure::failed(format!(
                    "the tables in {folder} end at {reach} stones; build more with: {build}"
                )),
            }),
        }
    }

    /// Tells a program what was written, or a person in these words.
    fn tell(&self, positions: u64, bytes: u64, words: &str) -> Result<Status, Failure> {
        if self.output.json {
            output::print_json(&Report {
                format: self.format.name(),
                rules: self.tables.rules(),
                pits: self.tables.pits(),
                stones: self.stones,
                out: self.out.display().to_string(),
                positions,
                bytes,
            })?;
        } else if !self.output.quiet {
            output::print(words)?;
        }
        Ok(Status::Done)
    }
}

/// Passes on how far an export is, and a Ctrl-C to it.
struct Watcher {
    progress: Progress,
    interrupt: Interrupt,
}

impl Watcher {
    /// Watches over so many positions.
    fn new(args: &Args, positions: u64) -> Result<Self, Failure> {
        let progress = Progress::new(&args.progress, &args.output, positions);
        progress.stage(args.format.name().to_owned());
        Ok(Watcher { progress, interrupt: Interrupt::listen()? })
    }
}

impl Watch for Watcher {
    fn advance(&self, positions: u64) {
        self.progress.advance(positions);
    }

    fn stop(&self) -> bool {
        self.interrupt.requested()
    }
}

/// What a person typed is wrong input, and a reader of standard output may go away.
fn failure(error: ExportError) -> Failure {
    match error {
        ExportError::Options(error) => Failure::wrong_input(error.to_string()),
        ExportError::Write(error) => Failure::of_output(error),
        error => error.into(),
    }
}
