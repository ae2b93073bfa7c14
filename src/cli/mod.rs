//! The command line: a file for each command, and what they share.

mod args;
mod failure;
mod generate;
mod info;
mod interrupt;
mod output;
mod progress;
mod query;
mod verify;
mod verify_proof;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// Calls `$run::<P>($argument, ..)` with the pits a side of `--pits` as a constant.
///
/// Every number of pits gets its own code, in which rows are arrays of a known length.
macro_rules! with_pits {
    ($pits:expr, $run:ident($($argument:expr),*)) => {
        match $pits {
            1 => $run::<1>($($argument),*),
            2 => $run::<2>($($argument),*),
            3 => $run::<3>($($argument),*),
            4 => $run::<4>($($argument),*),
            5 => $run::<5>($($argument),*),
            6 => $run::<6>($($argument),*),
            pits => unreachable!("--pits lets 1 to 6 through, not {pits}"),
        }
    };
}
use with_pits;

/// Perfect-play endgame tables of Kalah
///
/// A table says who wins, and by how many stones, from any position with few enough stones left in
/// the pits. Build tables once, then ask them about positions:
///
///     kalah generate --stones 12
///     kalah query 0,1,0,2,0,3,10,1,1,0,2,0,0,12
///
/// A position is written from the side of the player to move: that player's pits from the left and
/// store, then the opponent's pits (from the opponent's left) and store.
#[derive(Parser)]
#[command(name = "kalah", version, verbatim_doc_comment, after_long_help = EXIT_STATUSES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Generate(generate::Args),
    Info(info::Args),
    Verify(verify::Args),
    Query(query::Args),
}

const EXIT_STATUSES: &str = "\
Exit status:
  0  done
  1  failed, or a check found a fault, or the tables do not reach
  2  the command line or its input was wrong
  3  interrupted; what was finished is kept";

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    interrupt::survive_file_size_limit();
    let cli = Cli::try_parse().map_err(|error| Failure::CommandLine(Box::new(error)));
    let done = cli.and_then(|cli| match cli.command {
        Command::Generate(args) => generate::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Query(args) => query::run(&args),
    });
    done.unwrap_or_else(Failure::report).into()
}
