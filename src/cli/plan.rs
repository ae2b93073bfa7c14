//! `kalah plan`: what building tables will need.

use std::fmt::Write;
use std::time::Duration;

use indicatif::DecimalBytes;
use kalah::rules::Rules;
use kalah::tables::Encoding;
use kalah::tables::build::{Chain, Plan, Speed, plan, refusal};
use serde::Serialize;

use super::args::{BuildArgs, OutputArgs, TableArgs, ThreadArgs};
use super::failure::{Failure, Status, one_line};
use super::interrupt::Interrupt;
use super::output::{self, count, rounded, seconds, shell_word};
use super::with_pits;

/// Numbers of threads that it is said for what they can buy.
const THREADS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Tell what building tables will need: disk, memory and time
///
/// For each number of stones what is there and what is missing: positions, the size of the file, the
/// memory without which it cannot be built, and the time. The time is measured: a table of some
/// stones is built in a folder beside, with the same code, and removed; larger layers take somewhat
/// more for each position, and more again when memory is too little to keep what they are computed
/// from. Where nothing can be written the time is that of a typical machine. With --speedup also how
/// many times as fast as one thread more could be at best, as the work can be shared out: with
/// memory for one pair of blocks at a time, and for many.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    #[command(flatten)]
    build: BuildArgs,

    /// Tell too what more threads could buy
    #[arg(long)]
    speedup: bool,

    #[command(flatten)]
    tables: TableArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Everything that is said. The fields are printed in this order.
#[derive(Serialize)]
struct Report {
    rules: Rules,
    pits: u8,
    stones: u8,
    tables: String,
    encoding: &'static str,
    layers: Vec<Layer>,
    positions: u64,
    bytes: u64,
    seconds: f64,
    bytes_read: u64,
    disk_free: u64,
    memory_needed: u64,
    memory_wanted: u64,
    memory_free: u64,
    fits: bool,
    /// Why not.
    refusal: Option<String>,
    speed: Measured,
    /// Why the speed was not measured, and is a typical one.
    not_measured: Option<String>,
    threads: [usize; THREADS.len()],
    speedup: Vec<Speedup>,
}

#[derive(Serialize)]
struct Layer {
    stones: usize,
    positions: u64,
    /// Those that are finished of a layer that was begun.
    begun: u64,
    bytes: u64,
    memory: u64,
    /// Zero for a layer that is there.
    seconds: f64,
    /// From the files of lower layers, more than once where memory is too little to keep them.
    bytes_read: u64,
    /// How it is written; `None` when it is missing.
    there: Option<&'static str>,
}

#[derive(Serialize)]
struct Measured {
    threads: usize,
    stones: usize,
    seconds_a_position: f64,
    positions_decoded_a_second: f64,
    bytes_written_a_second: f64,
    bytes_read_a_second: f64,
}

#[derive(Serialize)]
struct Speedup {
    stones: usize,
    work: u64,
    longest_chain: u64,
    one_by_one: [f64; THREADS.len()],
    together: [f64; THREADS.len()],
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    with_pits!(args.tables.pits(), tell(args))
}

fn tell<const P: usize>(args: &Args) -> Result<Status, Failure> {
    args.threads.apply()?;
    let (rules, tables) = (args.tables.rules(), args.tables.tables());
    let plan = plan::<P>(tables, &args.build.options(rules))?;
    let refusal = refusal(&plan, tables).map(|error| one_line(&error));
    let interrupt = Interrupt::listen()?;
    let measured = Speed::measure::<P>(tables, rules, plan.encoding, &|| interrupt.requested());
    let (speed, not_measured) = match measured {
        Ok(Some(speed)) => (speed, None),
        Ok(None) => return Err(interrupted()),
        Err(error) => (Speed::typical(args.threads.count()), Some(one_line(&error))),
    };
    // Nothing has to be finished any more when somebody asks to stop.
    let report = interrupt.waiting(|| report::<P>(args, &plan, refusal, &speed, not_measured));
    let report = report.ok_or_else(interrupted)?;
    match args.output.json {
        true => output::print_json(&report)?,
        false => output::print(&report.page(args, &plan))?,
    }
    Ok(Status::Done)
}

fn interrupted() -> Failure {
    let reason = "interrupted before it was measured how long it will take; nothing was changed";
    Failure::Because(Status::Interrupted, reason.to_owned())
}

fn report<const P: usize>(
    args: &Args,
    plan: &Plan,
    refusal: Option<String>,
    speed: &Speed,
    not_measured: Option<String>,
) -> Report {
    let estimates = plan.estimate::<P>(speed);
    let chains = plan.missing.iter().filter(|_| args.speedup).map(|&stones| {
        let chain = Chain::new::<P>(stones);
        Speedup {
            stones,
            work: chain.work,
            longest_chain: chain.longest,
            one_by_one: THREADS.map(|threads| chain.speedup_one_by_one(threads)),
            together: THREADS.map(|threads| chain.speedup(threads)),
        }
    });
    let layers = plan.layers.iter().zip(&estimates).map(|(layer, estimate)| Layer {
        stones: layer.stones,
        positions: layer.positions,
        begun: layer.begun,
        bytes: layer.bytes,
        memory: layer.memory,
        seconds: estimate.seconds,
        bytes_read: estimate.bytes_read,
        there: layer.there.map(Encoding::name),
    });
    Report {
        rules: args.tables.rules(),
        pits: P as u8,
        stones: args.build.stones,
        tables: args.tables.tables().display().to_string(),
        encoding: plan.encoding.name(),
        layers: layers.collect(),
        positions: plan.positions,
        bytes: plan.disk_bytes,
        seconds: estimates.iter().map(|estimate| estimate.seconds).sum(),
        bytes_read: estimates
            .iter()
            .map(|estimate| estimate.bytes_read)
            .fold(0, u64::saturating_add),
        disk_free: plan.disk_free,
        memory_needed: plan.memory_needed,
        memory_wanted: plan.memory_wanted,
        memory_free: plan.memory_free,
        fits: refusal.is_none(),
        refusal,
        speed: Measured {
            threads: speed.threads,
            stones: speed.stones,
            seconds_a_position: speed.position,
            positions_decoded_a_second: speed.decoded,
            bytes_written_a_second: speed.written,
            bytes_read_a_second: speed.read,
        },
        not_measured,
        threads: THREADS,
        speedup: chains.collect(),
    }
}

/// So many threads, in words.
fn threads(count: usize) -> String {
    format!("{count} thread{}", if count == 1 { "" } else { "s" })
}

/// The time in words; what is longer than anyone can count has none.
fn time(time: f64) -> String {
    Duration::try_from_secs_f64(time).map_or("-".to_owned(), seconds)
}

impl Report {
    fn page(&self, args: &Args, plan: &Plan) -> String {
        let head = ["stones", "positions", "size", "memory", "time", ""].map(str::to_owned);
        let rows = self.layers.iter().map(|layer| {
            let missing = layer.there.is_none();
            [
                layer.stones.to_string(),
                count(layer.positions),
                DecimalBytes(layer.bytes).to_string(),
                if missing { DecimalBytes(layer.memory).to_string() } else { String::new() },
                if missing { time(layer.seconds) } else { String::new() },
                match layer.there {
                    Some(encoding) => format!("there ({encoding})"),
                    None if layer.begun > 0 => {
                        let part = 100.0 * layer.begun as f64 / layer.positions as f64;
                        format!("{part:.0}% there")
                    }
                    None => String::new(),
                },
            ]
        });
        let mut page = table(std::iter::once(head).chain(rows).collect());
        let folder = shell_word(args.tables.tables());
        if self.positions == 0 {
            let _ = writeln!(
                page,
                "\nAll layers up to {} stones are in {folder} already.",
                self.stones
            );
            return page;
        }
        let about = if self.encoding == Encoding::Compact.name() { "about " } else { "" };
        let _ = writeln!(
            page,
            "\nTo build: {} positions, {about}{} on disk ({} free), at least {} of memory ({} used, \
             {} would be fastest), about {} with {}.",
            rounded(self.positions as f64),
            DecimalBytes(self.bytes),
            DecimalBytes(self.disk_free),
            DecimalBytes(self.memory_needed),
            DecimalBytes(plan.memory_wanted.min(plan.memory_free)),
            DecimalBytes(self.memory_wanted),
            time(self.seconds),
            threads(self.speed.threads),
        );
        let _ = match &self.refusal {
            None => writeln!(page, "It fits."),
            Some(refusal) if plan.begun_otherwise.is_some() => {
                writeln!(page, "It will not be begun: {refusal}.")
            }
            Some(refusal) => writeln!(page, "It does not fit: {refusal}."),
        };
        if let Some(reason) = &self.not_measured {
            let _ = writeln!(
                page,
                "The time is that of a typical machine, as it could not be measured: {reason}."
            );
        }
        if !self.speedup.is_empty() {
            let _ = writeln!(
                page,
                "\nTimes as fast as one thread, at most, with memory for one pair of blocks at a time \
                 / for as many as there are threads:\n"
            );
            let row = |name: String, cells: Vec<String>| [vec![name], cells].concat();
            let cells = |one_by_one: &[f64], together: &[f64]| {
                let both = one_by_one.iter().zip(together);
                both.map(|(one, all)| format!("{one:.1} / {all:.1}")).collect()
            };
            let head = row("stones".to_owned(), THREADS.map(threads).to_vec());
            let rows = self.speedup.iter().map(|layer| {
                row(layer.stones.to_string(), cells(&layer.one_by_one, &layer.together))
            });
            let all = [0, 1]
                .map(|way| self.speedup_of_all(|layer| [layer.one_by_one, layer.together][way]));
            let all = row("all".to_owned(), cells(&all[0], &all[1]));
            page.push_str(&table(std::iter::once(head).chain(rows).chain([all]).collect()));
        }
        page
    }
}

impl Report {
    /// How many times as fast all layers together are, when each layer is so many times as fast.
    fn speedup_of_all(
        &self,
        of: impl Fn(&Speedup) -> [f64; THREADS.len()],
    ) -> [f64; THREADS.len()] {
        std::array::from_fn(|at| {
            let work: f64 = self.speedup.iter().map(|layer| layer.work as f64).sum();
            let time: f64 =
                self.speedup.iter().map(|layer| layer.work as f64 / of(layer)[at]).sum();
            if time == 0.0 { 1.0 } else { work / time }
        })
    }
}

/// Rows of cells, aligned to the right.
fn table<R: AsRef<[String]>>(rows: Vec<R>) -> String {
    let columns = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut page = String::new();
    for row in &rows {
        let cells =
            row.as_ref().iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        let _ = writeln!(page, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    page
}
