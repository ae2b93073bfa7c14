//! `kalah verify`: whether tables are right.

use std::fmt::{Display, Write};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use kalah::rules::Rules;
use kalah::tables::build::free_memory;
use kalah::tables::checksums::{ChecksumError, Checksums, Comparison};
use kalah::tables::verify::{self, Depth, Fault, Report, verify_within};
use kalah::tables::{Folder, LayerId, Layout};
use serde::Serialize;

use super::args::{OutputArgs, TableArgs, ThreadArgs, size, whole_number};
use super::failure::{Failure, Status};
use super::interrupt::Interrupt;
use super::output::{self, count, pits_a_side, shell_word};
use super::progress::{Progress, ProgressArgs};
use super::verify_proof;

/// Check that tables, or a proof, are undamaged and right
///
/// Every file is read and held against its checksums. With --sample or --full values are computed
/// again as well, from the values of the positions their moves lead to, by a second implementation
/// of the rules that shares nothing with the one that builds tables: --full proves every value.
/// Faults are reported a line each, and then the exit status is 1.
///
/// Checks all rule sets and numbers of pits, or only those given by --rules and --pits.
///
/// With --proof a proof is checked instead that kalah solve wrote: that the tables it leans on are
/// those whose digests it gives, then each of its claims, by the second implementation of the rules
/// and the tables alone, without a search.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[command(mut_arg("rules", |rules| rules.help("Rule set, standard or empty-capture [default: both]")))]
#[command(mut_arg("pits", |pits| pits.help("Pits a side, 1 to 6 [default: all that are there]")))]
pub struct Args {
    /// Compute K random positions of each layer again
    #[arg(long, value_name = "K", value_parser = whole_number::<u64>(1..), allow_negative_numbers = true)]
    sample: Option<u64>,

    /// Compute every position again
    #[arg(long, conflicts_with = "sample")]
    full: bool,

    /// Compare files with a list of their BLAKE3 digests as well, like data/checksums or what b3sum
    /// prints; files that are only in the list or only in the folder are no fault, and a packed file
    /// may be listed as it is or as what kalah unpack makes of it
    #[arg(long, value_name = "FILE")]
    checksums: Option<PathBuf>,

    /// Where the random numbers of --sample begin: another number chooses other positions
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole_number::<u64>(0..), allow_negative_numbers = true)]
    random_seed: u64,

    /// Memory to use at most, like 4G [default: what is free]; more than a few dozen megabytes makes
    /// --full faster over packed files
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    memory: Option<u64>,

    /// Check this proof, and of the tables only that they are those it leans on
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["sample", "full", "checksums", "random_seed", "memory", "rules", "pits"]
    )]
    proof: Option<PathBuf>,

    #[command(flatten)]
    tables: TableArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    progress: ProgressArgs,
}

/// Everything that was found. The fields are printed in this order.
#[derive(Serialize)]
struct Findings {
    tables: String,
    checked: Vec<Checked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksums: Option<Compared>,
    faults: u64,
    finished: bool,
    seconds: f64,
}

/// The tables of one rule set and number of pits.
#[derive(Serialize)]
struct Checked {
    rules: Rules,
    pits: u8,
    files: usize,
    /// Values held against checksums.
    checksummed: u64,
    /// Values computed again.
    recomputed: u64,
    faults: u64,
    /// Whether all was checked that was to be.
    finished: bool,
    /// The first of the faults in words.
    messages: Vec<String>,
}

/// How the folder compares with a list of digests.
#[derive(Serialize)]
struct Compared {
    file: String,
    same: usize,
    /// Of these, packed files that are listed as what they are unpacked.
    unpacked: usize,
    different: Vec<String>,
    missing: usize,
    unlisted: usize,
}

impl Args {
    fn depth(&self) -> Depth {
        match self.sample {
            _ if self.full => Depth::Full,
            Some(positions) => Depth::Sample { positions, seed: self.random_seed },
            None => Depth::Checksums,
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    args.threads.apply()?;
    if let Some(proof) = &args.proof {
        return verify_proof::run(proof, args.tables.tables(), &args.output, &args.progress);
    }
    let begun = Instant::now();
    let mut list = args.checksums.as_ref().map(read_list).transpose()?;
    if let Some(list) = &mut list {
        list.retain(|name| {
            LayerId::from_file_name(name).is_none_or(|id| args.tables.asks_for(&id))
        });
    }
    let folder = Folder::open_for_reading(args.tables.tables())?;
    let mut layers = folder.layers()?;
    layers.retain(|id| args.tables.asks_for(id));
    if layers.is_empty() {
        let place = shell_word(args.tables.tables());
        let command = args.tables.generate_command(12);
        return Err(Failure::failed(format!(
            "there is no such table in {place}; {command} builds some"
        )));
    }
    let watcher = Watcher {
        progress: Progress::new(&args.progress, &args.output, work(&layers, args.depth())),
        interrupt: Interrupt::listen()?,
    };
    let memory = args.memory.unwrap_or_else(free_memory);
    let mut checked = Vec::new();
    for group in layers.chunk_by(|a, b| (a.rules, a.pits) == (b.rules, b.pits)) {
        let LayerId { rules, pits, .. } = group[0];
        if watcher.interrupt.requested() {
            checked.push(Checked::nothing_of(rules, pits, group.len()));
            continue;
        }
        let report = verify_within(&folder, rules, pits, args.depth(), memory, &watcher)?;
        checked.push(Checked::new(rules, pits, group.len(), &report));
    }
    watcher.progress.finish();
    let checksums = match args.checksums.as_ref().zip(list) {
        Some((file, list)) => {
            let stop = || watcher.interrupt.requested();
            list.compare_until(&folder, &stop)?
                .map(|comparison| Compared::new(file, comparison, &args.tables))
        }
        None => None,
    };
    let findings = Findings {
        tables: args.tables.tables().display().to_string(),
        faults: checked.iter().map(|checked| checked.faults).sum::<u64>()
            + checksums.as_ref().map_or(0, |compared| compared.different.len() as u64),
        checked,
        checksums,
        finished: !watcher.interrupt.requested(),
        seconds: begun.elapsed().as_secs_f64(),
    };
    findings.tell(args)
}

fn read_list(file: &PathBuf) -> Result<Checksums, Failure> {
    let wrong = |error: &dyn Display| {
        Failure::wrong_input(format!("cannot read checksums from {}: {error}", file.display()))
    };
    let text = fs::read_to_string(file).map_err(|error| wrong(&error))?;
    text.parse().map_err(|error: ChecksumError| wrong(&error))
}

/// How many positions are looked at: once for checksums, and again when they are computed.
fn work(layers: &[LayerId], depth: Depth) -> u64 {
    let layers = layers.iter().filter_map(|&id| Layout::new(id));
    layers.fold(0, |sum, layer| {
        let again = match depth {
            Depth::Checksums => 0,
            Depth::Sample { positions, .. } => positions.min(layer.positions()),
            Depth::Full => layer.positions(),
        };
        sum.saturating_add(layer.positions()).saturating_add(again)
    })
}

impl Checked {
    /// `listed` files were there when the command began.
    fn new(rules: Rules, pits: u8, listed: usize, report: &Report) -> Self {
        let gone = listed.saturating_sub(report.files);
        let gone_message = (gone > 0)
            .then(|| format!("{gone} of the files were removed before they were checked"));
        Checked {
            rules,
            pits,
            files: report.files,
            checksummed: report.checksummed,
            recomputed: report.recomputed,
            faults: report.fault_count + gone as u64,
            finished: !report.stopped,
            messages: report.faults.iter().map(Fault::to_string).chain(gone_message).collect(),
        }
    }

    /// Files that the check did not reach.
    fn nothing_of(rules: Rules, pits: u8, files: usize) -> Self {
        let (checksummed, recomputed, faults, messages) = (0, 0, 0, Vec::new());
        let finished = false;
        Checked { rules, pits, files, checksummed, recomputed, faults, finished, messages }
    }

    fn tell(&self) {
        self.messages.iter().for_each(|message| output::complain(message));
        let more = self.faults.saturating_sub(self.messages.len() as u64);
        if more > 0 {
            let (rules, pits) = (self.rules, self.pits);
            let pits = pits_a_side(pits);
            output::complain(&format!("{rules} rules, {pits}: {} more faults", count(more)));
        }
    }

    fn row(&self) -> String {
        let Checked { rules, files, .. } = self;
        let pits = pits_a_side(self.pits);
        if !self.finished && self.checksummed == 0 && self.faults == 0 {
            return format!("{rules} rules, {pits}: {files} files, not checked.\n");
        }
        let mut row = format!(
            "{rules} rules, {pits}: {files} files, {} values held against checksums",
            count(self.checksummed)
        );
        if self.recomputed > 0 {
            let _ = write!(row, ", {} computed again", count(self.recomputed));
        }
        let _ = match self.faults {
            0 if !self.finished => writeln!(row, ": no fault so far; the rest is not checked."),
            0 => writeln!(row, ": no fault."),
            1 => writeln!(row, ": 1 fault."),
            faults => writeln!(row, ": {} faults.", count(faults)),
        };
        row
    }
}

impl Compared {
    fn new(file: &Path, comparison: Comparison, tables: &TableArgs) -> Self {
        let asked =
            |name: &&String| LayerId::from_file_name(name).is_none_or(|id| tables.asks_for(&id));
        Compared {
            file: file.display().to_string(),
            same: comparison.same.len(),
            unpacked: comparison.unpacked.len(),
            missing: comparison.missing.len(),
            unlisted: comparison.extra.iter().filter(asked).count(),
            different: comparison.different,
        }
    }

    fn tell(&self) {
        for name in &self.different {
            output::complain(&format!(
                "{name} is another file than {} lists; delete it and run `kalah generate` again",
                self.file
            ));
        }
    }

    fn row(&self) -> String {
        let Compared { file, same, unpacked, different, missing, unlisted } = self;
        let unpacked = match unpacked {
            0 => String::new(),
            unpacked => format!(" ({unpacked} of them packed, and compared unpacked)"),
        };
        format!(
            "{file}: {same} files are as listed{unpacked}, {} differ, {missing} listed are not there, \
             {unlisted} there are not listed.\n",
            different.len()
        )
    }
}

impl Findings {
    fn tell(&self, args: &Args) -> Result<Status, Failure> {
        self.checked.iter().for_each(Checked::tell);
        self.checksums.iter().for_each(Compared::tell);
        if args.output.json {
            output::print_json(self)?;
        } else if !args.output.quiet {
            let rows = self.checked.iter().map(Checked::row);
            let rows = rows.chain(self.checksums.iter().map(Compared::row));
            output::print(&rows.collect::<String>())?;
        }
        if self.faults > 0 {
            return Ok(Status::Failed);
        }
        if !self.finished {
            let values: u64 = self.checked.iter().map(|checked| checked.checksummed).sum();
            let again: u64 = self.checked.iter().map(|checked| checked.recomputed).sum();
            return Err(Failure::Because(
                Status::Interrupted,
                format!(
                    "interrupted; no fault so far in {} values held against checksums and {} \
                     computed again",
                    count(values),
                    count(again)
                ),
            ));
        }
        match &self.checksums {
            Some(Compared { same: 0, file, .. }) => Err(Failure::failed(format!(
                "none of the files that {file} lists is in {}; nothing could be compared",
                shell_word(args.tables.tables())
            ))),
            _ => Ok(Status::Done),
        }
    }
}

/// Passes on how far the check is, and a Ctrl-C to it.
struct Watcher {
    progress: Progress,
    interrupt: Interrupt,
}

impl verify::Progress for Watcher {
    fn checksums(&self, layer: LayerId, _positions: u64) {
        self.progress.stage(format!("{} stones, checksums", layer.stones));
    }

    fn values(&self, layer: LayerId, _positions: u64) {
        self.progress.stage(format!("{} stones, values", layer.stones));
    }

    fn advance(&self, positions: u64) {
        self.progress.advance(positions);
    }

    fn stop(&self) -> bool {
        self.interrupt.requested()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_checked_is_not_without_fault() {
        let nothing = Checked::nothing_of(Rules::Standard, 6, 9);
        assert_eq!(nothing.row(), "standard rules, 6 pits: 9 files, not checked.\n");
        let report = Report { files: 9, checksummed: 1000, stopped: true, ..Report::default() };
        assert_eq!(
            Checked::new(Rules::Standard, 6, 9, &report).row(),
            "standard rules, 6 pits: 9 files, 1,000 values held against checksums: no fault so \
             far; the rest is not checked.\n"
        );
    }
}
