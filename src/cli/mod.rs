//! The command line: a file for each command, and what they share.

mod answer;
mod args;
mod building;
mod drawing;
mod export;
mod failure;
mod fair;
mod generate;
mod info;
mod interrupt;
mod kgp;
mod levels;
mod output;
mod play;
mod progress;
mod query;
mod search;
mod solve;
mod validate;
mod verify;
mod verify_proof;
mod wording;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// Calls `$run::<P>($argument, ..)` with the pits a side of `--pits` as a constant.
macro_rules! with_pits {
    ($pits:expr, $run:ident $arguments:tt) => {
        kalah::with_table_pits!($pits, $run $arguments).expect("--pits lets 1 to 6 through")
    };
}
use with_pits;

/// Perfect play of Kalah: endgame tables, and a solver over them
///
/// A table says who wins, and by how many stones, from any position with few enough stones left in
/// the pits; a search settles what has more. Build tables once, then ask about positions, or prove
/// what an opening is worth:
///
///     kalah generate --stones 12
///     kalah query 0,1,0,2,0,3,10,1,1,0,2,0,0,12
///     kalah solve --seeds 3
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
    Fair(fair::Args),
    Solve(solve::Args),
    Play(Box<play::Args>),
    Kgp(kgp::Args),
    Validate(validate::Args),
    Export(export::Args),
}

const EXIT_STATUSES: &str = "\
Exit status:
  0  done
  1  failed, or a check found a fault
  2  the command line or its input was wrong
  3  interrupted; what was finished is kept, what was proved is said";

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    interrupt::survive_file_size_limit();
    let cli = Cli::try_parse().map_err(|error| Failure::CommandLine(Box::new(error)));
    let done = cli.and_then(|cli| match cli.command {
        Command::Generate(args) => generate::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Fair(args) => fair::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Kgp(args) => kgp::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Export(args) => export::run(&args),
    });
    done.unwrap_or_else(Failure::report).into()
}
