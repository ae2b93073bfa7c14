//! `kalah export`: tables for other programs. A file here for each format.

mod web;

use std::path::PathBuf;

use clap::ValueEnum;
use kalah::rules::Rules;
use kalah::tables::Tablebase;
use serde::Serialize;

use super::args::{OutputArgs, TableArgs, whole_number};
use super::failure::{Failure, Status, one_line};
use super::output::{self, shell_word};
use super::with_pits;

/// Write tables in a form that other programs read
///
/// The formats:
///
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

    /// Where to: a folder for web, made when it is not there
    #[arg(long, value_name = "PATH")]
    out: PathBuf,

    #[command(flatten)]
    tables: TableArgs,

    #[command(flatten)]
    output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  kalah export --format web --stones 12 --out site";

/// Who is to read what is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// A small table for a web page
    Web,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
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
    match args.format {
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
        match (tables.stones(), tables.obstacle()) {
            (Some(reach), _) if reach >= self.stones() => Ok(tables),
            // What is wrong with the next file is why they end there.
            (_, Some(obstacle)) => Err(Failure::failed(one_line(obstacle))),
            (None, None) => {
                let rules = self.tables.rules();
                let pits = output::pits_a_side(self.tables.pits());
                Err(Failure::failed(format!(
                    "there are no tables of {rules} rules and {pits} a side in {folder}; build \
                     them with: {build}"
                )))
            }
            (Some(reach), None) => Err(Failure::failed(format!(
                "the tables in {folder} end at {reach} stones; build more with: {build}"
            ))),
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
