//! `kalah generate`: builds the tables.

use std::time::{Duration, Instant};

use indicatif::DecimalBytes;
use kalah::rules::Rules;
use kalah::tables::build::{Options, Summary, build};
use serde::Serialize;

use super::args::{BuildArgs, OutputArgs, TableArgs, ThreadArgs};
use super::building::Watcher;
use super::failure::{Failure, Status};
use super::interrupt::Interrupt;
use super::output::{self, count, ranges, rounded, seconds, shell_word};
use super::progress::ProgressArgs;
use super::search::{Limits, time};
use super::with_pits;

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
    #[command(flatten)]
    build: BuildArgs,

    /// Save what is finished of a layer so often, for a later run to go on with [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    save_every: Option<Duration>,

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
    resumed: u64,
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
        save_every: args.save_every.unwrap_or(Options::SAVE_EVERY),
        ..args.build.options(args.tables.rules())
    };
    let limits = Limits { deadline: None, interrupt: Some(Interrupt::listen()?) };
    let (tables, output) = (args.tables.tables(), &args.output);
    let watcher = Watcher::<P>::new(tables, options.stones, &args.progress, output, &limits);
    let begun = Instant::now();
    let built = build::<P>(tables, &options, &watcher);
    watcher.finish();
    report(args, &built?, begun.elapsed())
}

fn report(args: &Args, summary: &Summary, duration: Duration) -> Result<Status, Failure> {
    let speed = (summary.positions - summary.resumed) as f64 / duration.as_secs_f64().max(1e-9);
    if args.output.json {
        output::print_json(&Report {
            rules: args.tables.rules(),
            pits: args.tables.pits(),
            stones: args.build.stones,
            tables: args.tables.tables().display().to_string(),
            built: &summary.built,
            kept: &summary.kept,
            positions: summary.positions,
            resumed: summary.resumed,
            bytes: summary.bytes,
            seconds: duration.as_secs_f64(),
            positions_per_second: speed,
            finished: summary.finished,
        })?;
    }
    let folder = shell_word(args.tables.tables());
    if !summary.finished {
        let mut finished = [summary.kept.as_slice(), &summary.built].concat();
        finished.sort_unstable();
        let finished = match finished.as_slice() {
            [] => "no layer is finished".to_owned(),
            layers => format!("layers {} are finished and kept in {folder}", ranges(layers)),
        };
        let mut command = args.tables.generate_command(usize::from(args.build.stones));
        if let Some(encoding) = args.build.encoding {
            command.push_str(&format!(" --encoding {encoding}"));
        }
        let reason = format!("interrupted; {finished}; go on with: {command}");
        return Err(Failure::Because(Status::Interrupted, reason));
    }
    if !args.output.json && !args.output.quiet {
        output::print(&match summary.built.as_slice() {
            [] => {
                format!("All layers up to {} stones are in {folder} already.\n", args.build.stones)
            }
            built => format!(
                "Built {} of {} stones: {} positions in {}, {} a second{}, in {folder} ({}).\n",
                if built.len() == 1 { "the layer" } else { "the layers" },
                ranges(built),
                count(summary.positions),
                seconds(duration),
                rounded(speed),
                match summary.resumed {
                    0 => String::new(),
                    resumed => format!(" after the {} of an earlier run", count(resumed)),
                },
                DecimalBytes(summary.bytes),
            ),
        })?;
    }
    Ok(Status::Done)
}
