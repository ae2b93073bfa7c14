//! `kalah generate`: builds the tables.

use std::time::{Duration, Instant};

use indicatif::DecimalBytes;
use kalah::ranking::Layer;
use kalah::rules::Rules;
use kalah::tables::TableError;
use kalah::tables::build::{self, Options, Plan, Summary, build};
use serde::Serialize;

use super::args::{OutputArgs, TableArgs, ThreadArgs, size, whole_number};
use super::failure::{Failure, Status};
use super::interrupt::Interrupt;
use super::output::{self, count, ranges, rounded, seconds, shell_word};
use super::progress::{Progress, ProgressArgs};
use super::with_pits;

/// Positions from which on a build is long enough for a person to want to know beforehand.
const LONG: u64 = 100_000_000;

/// Build the tables of all positions with up to N stones in the pits
///
/// There is a file for each number of stones, a layer, built from those of fewer stones. Layers
/// that are there and pass their check are kept. Ctrl-C ends the command: finished layers stay, and
/// the same command goes on later. The tables take a byte a position; with 6 pits a side:
///
///     stones       12       18       24       28       30       34
///     size     2.7 MB    86 MB   1.3 GB   5.6 GB    11 GB    39 GB
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Stones in the pits, at most
    #[arg(long, value_name = "N", value_parser = whole_number::<u8>(0..=127), allow_negative_numbers = true)]
    stones: u8,

    /// Memory to use at most, like 4G [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,

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
struct Report<'a> {
    rules: Rules,
    pits: u8,
    stones: u8,
    tables: String,
    built: &'a [usize],
    kept: &'a [usize],
    positions: u64,
    bytes: u64,
    seconds: f64,
    positions_per_second: f64,
    finished: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    with_pits!(args.tables.pits(), generate(args))
}

fn generate<const P: usize>(args: &Args) -> Result<Status, Failure> {
    args.threads.apply()?;
    let options = Options {
        rules: args.tables.rules(),
        stones: usize::from(args.stones),
        memory: args.memory,
    };
    let watcher = Watcher::<P> {
        // Layers too large to count are refused before anything is done.
        progress: Progress::new(&args.progress, &args.output, positions_up_to::<P>(options.stones)),
        interrupt: Interrupt::listen()?,
        args,
    };
    let begun = Instant::now();
    let built = build::<P>(&args.tables.tables, &options, &watcher);
    watcher.progress.finish();
    report(args, &built?, begun.elapsed())
}

fn positions_up_to<const P: usize>(stones: usize) -> u64 {
    (0..=stones)
        .filter_map(Layer::<P>::new)
        .fold(0, |sum, layer| sum.saturating_add(layer.positions()))
}

fn report(args: &Args, summary: &Summary, duration: Duration) -> Result<Status, Failure> {
    let speed = summary.positions as f64 / duration.as_secs_f64().max(1e-9);
    if args.output.json {
        output::print_json(&Report {
            rules: args.tables.rules(),
            pits: args.tables.pits(),
            stones: args.stones,
            tables: args.tables.tables.display().to_string(),
            built: &summary.built,
            kept: &summary.kept,
            positions: summary.positions,
            bytes: summary.bytes,
            seconds: duration.as_secs_f64(),
            positions_per_second: speed,
            finished: summary.finished,
        })?;
    }
    let folder = shell_word(&args.tables.tables);
    if !summary.finished {
        let mut finished = [summary.kept.as_slice(), &summary.built].concat();
        finished.sort_unstable();
        let finished = match finished.as_slice() {
            [] => "no layer is finished".to_owned(),
            layers => format!("layers {} are finished and kept in {folder}", ranges(layers)),
        };
        let command = args.tables.generate_command(usize::from(args.stones));
        let reason = format!("interrupted; {finished}; go on with: {command}");
        return Err(Failure::Because(Status::Interrupted, reason));
    }
    if !args.output.json && !args.output.quiet {
        output::print(&match summary.built.as_slice() {
            [] => format!("All layers up to {} stones are in {folder} already.\n", args.stones),
            built => format!(
                "Built {} of {} stones: {} positions in {}, {} a second, in {folder} ({}).\n",
                if built.len() == 1 { "the layer" } else { "the layers" },
                ranges(built),
                count(summary.positions),
                seconds(duration),
                rounded(speed),
                DecimalBytes(summary.bytes),
            ),
        })?;
    }
    Ok(Status::Done)
}

/// What a build will take, in a line.
fn planned(plan: &Plan) -> String {
    let layers = plan.missing.len();
    let line = format!(
        "building {layers} layer{}: {} positions, {} on disk, {} of memory",
        if layers == 1 { "" } else { "s" },
        rounded(plan.positions as f64),
        DecimalBytes(plan.disk_bytes),
        DecimalBytes(plan.memory_wanted.min(plan.memory_free)),
    );
    match plan.memory_wanted > plan.memory_free {
        true => format!("{line} ({} would be faster)", DecimalBytes(plan.memory_wanted)),
        false => line,
    }
}

/// Passes on what the generator says, and a Ctrl-C to it.
struct Watcher<'a, const P: usize> {
    args: &'a Args,
    progress: Progress,
    interrupt: Interrupt,
}

impl<const P: usize> build::Progress for Watcher<'_, P> {
    fn waiting_for_lock(&self) {
        if !self.args.output.quiet {
            let folder = shell_word(&self.args.tables.tables);
            self.progress.say(&format!("another kalah is writing to {folder}; waiting for it"));
        }
    }

    fn layer_kept(&self, stones: usize) {
        self.progress.skip(Layer::<P>::new(stones).map_or(0, |layer| layer.positions()));
    }

    fn layer_damaged(&self, _stones: usize, damage: &TableError) {
        // Damage has a cause, often a failing disk: it is told even to those who want quiet.
        self.progress.say(&format!("{}; it will be made anew", damage.without_advice()));
    }

    fn planned(&self, plan: &Plan) {
        if self.progress.is_shown() && plan.positions >= LONG {
            self.progress.say(&planned(plan));
        }
    }

    fn layer_started(&self, stones: usize, _positions: u64) {
        self.progress.stage(format!("layer {stones} of {}", self.args.stones));
    }

    fn positions_done(&self, count: u64) {
        self.progress.advance(count);
    }

    fn layer_finished(&self, _stones: usize) {
        self.progress.stage_finished();
    }

    fn interrupted(&self) -> bool {
        self.interrupt.requested()
    }
}
