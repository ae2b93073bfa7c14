//! `kalah pack` and `kalah unpack`: tables from one encoding to the other.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::DecimalBytes;
use kalah::rules::Rules;
use kalah::tables::pack::{self, Converted, Options, Summary, convert};
use kalah::tables::{Encoding, Folder, LayerId, TableError};
use serde::Serialize;

use super::args::{OutputArgs, TableArgs, ThreadArgs, whole_number};
use super::failure::{Failure, Status};
use super::interrupt::Interrupt;
use super::output::{self, count, rounded, seconds, shell_word};
use super::progress::{Progress, ProgressArgs};

/// Make tables a third as large
///
/// Every file of a byte a position is written anew in the compact encoding, read back and compared,
/// and then takes the place of the old one; with --out the old ones stay, and the new ones go to
/// another folder. All commands read tables of either encoding, or of both. Looking a position up
/// takes longer in a compact file. Files that are compact are kept.
///
/// Packs all rule sets and numbers of pits, or only those given by --rules and --pits. Ctrl-C ends
/// the command: finished layers stay, and the same command goes on later.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[command(mut_arg("rules", |rules| rules.help("Rule set, standard or empty-capture [default: both]")))]
#[command(mut_arg("pits", |pits| pits.help("Pits a side, 1 to 6 [default: all that are there]")))]
pub struct PackArgs {
    #[command(flatten)]
    args: Args,
}

/// Make packed tables what they were
///
/// Every compact file is written anew with a byte a position, read back and compared, and then takes
/// the place of the old one: byte for byte what kalah generate writes. With --out the old ones stay,
/// and the new ones go to another folder.
///
/// Unpacks all rule sets and numbers of pits, or only those given by --rules and --pits. Ctrl-C ends
/// the command: finished layers stay, and the same command goes on later.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[command(mut_arg("rules", |rules| rules.help("Rule set, standard or empty-capture [default: both]")))]
#[command(mut_arg("pits", |pits| pits.help("Pits a side, 1 to 6 [default: all that are there]")))]
pub struct UnpackArgs {
    #[command(flatten)]
    args: Args,
}

#[derive(clap::Args)]
struct Args {
    /// Stones in the pits, at most [default: all layers that are there]
    #[arg(long, value_name = "N", value_parser = whole_number::<u8>(0..=127), allow_negative_numbers = true)]
    stones: Option<u8>,

    /// Write the new files to this folder, and leave the old ones alone
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    tables: TableArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    progress: ProgressArgs,
}

/// What was done. The fields are printed in this order.
#[derive(Serialize)]
struct Report {
    tables: String,
    out: String,
    encoding: &'static str,
    converted: Vec<Layer>,
    kept: Vec<Layer>,
    positions: u64,
    bytes_before: u64,
    bytes: u64,
    seconds: f64,
    positions_per_second: f64,
    finished: bool,
}

#[derive(Serialize)]
struct Layer {
    rules: Rules,
    pits: u8,
    stones: u8,
}

impl Layer {
    fn of(id: &LayerId) -> Self {
        let LayerId { rules, pits, stones } = *id;
        Layer { rules, pits, stones }
    }
}

/// Runs `kalah pack`.
pub fn pack(args: &PackArgs) -> Result<Status, Failure> {
    args.args.run("pack", Encoding::Compact)
}

/// Runs `kalah unpack`.
pub fn unpack(args: &UnpackArgs) -> Result<Status, Failure> {
    args.args.run("unpack", Encoding::Bytes)
}

impl Args {
    fn run(&self, command: &'static str, encoding: Encoding) -> Result<Status, Failure> {
        self.threads.apply()?;
        let wanted = |id: &LayerId| {
            self.tables.asks_for(id) && self.stones.is_none_or(|stones| id.stones <= stones)
        };
        let from = self.tables.tables();
        if !Folder::open_for_reading(from)?.layers()?.iter().any(wanted) {
            let (place, make) = (shell_word(from), self.tables.generate_command(12));
            let reason = format!("there is no such table in {place}; {make} builds some");
            return Err(Failure::failed(reason));
        }
        let watcher = Watcher {
            folder: self.out(),
            progress: Progress::new(&self.progress, &self.output, 0),
            interrupt: Interrupt::listen()?,
            quiet: self.output.quiet,
        };
        let begun = Instant::now();
        let options = Options { from, to: self.out(), encoding };
        let converted = convert(&options, wanted, &watcher);
        watcher.progress.finish();
        self.report(command, encoding, &converted?, begun.elapsed())
    }

    /// The folder of the new files.
    fn out(&self) -> &Path {
        self.out.as_deref().unwrap_or(self.tables.tables())
    }

    fn report(
        &self,
        command: &str,
        encoding: Encoding,
        summary: &Summary,
        duration: Duration,
    ) -> Result<Status, Failure> {
        let sum = |part: fn(&Converted) -> u64| summary.converted.iter().map(part).sum::<u64>();
        let positions = sum(|layer| layer.positions);
        let (before, after) = (sum(|layer| layer.before), sum(|layer| layer.after));
        let speed = positions as f64 / duration.as_secs_f64().max(1e-9);
        if self.output.json {
            output::print_json(&Report {
                tables: self.tables.tables().display().to_string(),
                out: self.out().display().to_string(),
                encoding: encoding.name(),
                converted: summary.converted.iter().map(|layer| Layer::of(&layer.id)).collect(),
                kept: summary.kept.iter().map(Layer::of).collect(),
                positions,
                bytes_before: before,
                bytes: after,
                seconds: duration.as_secs_f64(),
                positions_per_second: speed,
                finished: summary.finished,
            })?;
        }
        let folder = shell_word(self.out());
        let layers = match summary.converted.len() {
            1 => "1 layer".to_owned(),
            layers => format!("{layers} layers"),
        };
        if !summary.finished {
            let reason = format!(
                "interrupted; {layers} {command}ed so far, in {folder}; the same command goes on"
            );
            return Err(Failure::Because(Status::Interrupted, reason));
        }
        if !self.output.json && !self.output.quiet {
            let bits = |bytes: u64| 8.0 * bytes as f64 / positions.max(1) as f64;
            output::print(&match summary.converted.as_slice() {
                [] => format!("There is nothing to {command} in {folder}.\n"),
                _ => format!(
                    "{}ed {layers}: {} positions in {}, {} a second, from {} to {} ({:.2} bits a \
                     position), in {folder}.\n",
                    super::wording::capitalised(command),
                    count(positions),
                    seconds(duration),
                    rounded(speed),
                    DecimalBytes(before),
                    DecimalBytes(after),
                    bits(after),
                ),
            })?;
        }
        Ok(Status::Done)
    }
}

/// Passes on how far it is, and a Ctrl-C to it.
struct Watcher<'a> {
    folder: &'a Path,
    progress: Progress,
    interrupt: Interrupt,
    quiet: bool,
}

impl pack::Progress for Watcher<'_> {
    fn waiting_for_lock(&self) {
        if !self.quiet {
            let folder = shell_word(self.folder);
            self.progress.say(&format!("another kalah is writing to {folder}; waiting for it"));
        }
    }

    fn planned(&self, _layers: &[LayerId], positions: u64) {
        self.progress.lengthen(positions);
    }

    fn layer_damaged(&self, _layer: LayerId, damage: &TableError) {
        // Damage has a cause, often a failing disk: it is told even to those who want quiet.
        self.progress.say(&format!("{}; it will be made anew", damage.without_advice()));
    }

    fn layer_started(&self, layer: LayerId) {
        self.progress.stage(format!("layer {}", layer.stones));
    }

    fn positions_done(&self, count: u64) {
        self.progress.advance(count);
    }

    fn layer_finished(&self, _layer: LayerId) {
        self.progress.stage_finished();
    }

    fn interrupted(&self) -> bool {
        self.interrupt.requested()
    }
}
