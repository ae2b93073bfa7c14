//! Sampled positions, a line each.

use std::io::{self, BufWriter};

use indicatif::DecimalBytes;
use kalah::export::csv::{self, Options, Sample, Written};
use kalah::tables::Tablebase;

use super::{Args, Format, Watcher, failure};
use crate::cli::args::whole_number;
use crate::cli::failure::{Failure, Status};
use crate::cli::output::count;

/// Which positions.
#[derive(clap::Args)]
pub struct CsvArgs {
    /// With csv: draw K positions, or all when there are fewer
    #[arg(long, value_name = "K", value_parser = whole_number::<u64>(1..), allow_negative_numbers = true)]
    sample: Option<u64>,

    /// With csv: where the random numbers begin; the same number draws the same again [default: 0]
    #[arg(long, value_name = "N", value_parser = whole_number::<u64>(0..), allow_negative_numbers = true)]
    random_seed: Option<u64>,

    /// With csv: boards of a game that began with S stones in every pit: those that are no longer in
    /// the pits lie in the stores, divided at random [default: stores are empty]
    #[arg(long, value_name = "S", value_parser = whole_number::<u8>(1..=63), allow_negative_numbers = true)]
    seeds: Option<u8>,
}

impl CsvArgs {
    /// Makes sure that none of these is given for another format.
    ///
    /// # Errors
    ///
    /// When one is.
    pub fn refuse(&self, format: Format) -> Result<(), Failure> {
        let given = [
            ("--sample", self.sample.is_some()),
            ("--random-seed", self.random_seed.is_some()),
            ("--seeds", self.seeds.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Failure::wrong_input(format!(
                "{option} is for --format csv and means nothing to {}; leave it out",
                format.name()
            ))),
            None => Ok(()),
        }
    }
}

pub fn run<const P: usize>(args: &Args) -> Result<Status, Failure> {
    let Some(rows) = args.csv.sample else {
        let reason = "--format csv draws positions; say how many with --sample K";
        return Err(Failure::wrong_input(reason));
    };
    let to_stdout = args.out.as_os_str() == "-";
    if to_stdout && args.output.json {
        let reason = "--out - and --json both mean standard output; give --out a file";
        return Err(Failure::wrong_input(reason));
    }
    let options = Options {
        stones: args.stones(),
        rows,
        random_seed: args.csv.random_seed.unwrap_or_default(),
        seeds: args.csv.seeds,
    };
    let sample = Sample::<P>::new(&options).map_err(|error| failure(error.into()))?;
    let tables = args.open::<P>()?;
    let watcher = Watcher::new(args, sample.len())?;
    let written = match to_stdout {
        true => print(&tables, &options, &watcher).map(Some),
        false => csv::write_file(&tables, &options, &args.out, &watcher).map_err(failure),
    };
    watcher.progress.finish();
    match written? {
        None => {
            let reason = format!("interrupted; {} is as it was", args.place());
            Err(Failure::Because(Status::Interrupted, reason))
        }
        Some(written) if !written.finished => {
            let reason = format!("interrupted after {} of the rows", count(written.rows));
            Err(Failure::Because(Status::Interrupted, reason))
        }
        Some(_) if to_stdout => Ok(Status::Done),
        Some(Written { rows, bytes, .. }) => {
            let words = format!(
                "Wrote {} of the {} positions of up to {} stones in which the game goes on to {} \
                 ({}).\n",
                count(rows),
                count(sample.positions()),
                args.stones,
                args.place(),
                DecimalBytes(bytes),
            );
            args.tell(rows, bytes, &words)
        }
    }
}

fn print<const P: usize>(
    tables: &Tablebase<P>,
    options: &Options,
    watcher: &Watcher,
) -> Result<Written, Failure> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    csv::write(tables, options, &mut stdout, watcher).map_err(failure)
}
