//! `kalah kgp`: a level of play on a server of games.

mod budget;
mod report;
mod thinker;

use std::io::{self, IsTerminal};
use std::time::Duration;

use kalah::players::Level;
use kalah::protocol::{
    ClientEvent, Connection, ConnectionError, Follower, Identity, Patience, PlayError, play,
};

use super::args::{FolderArgs, OutputArgs, ThreadArgs};
use super::failure::{Failure, Status, one_line};
use super::interrupt::Interrupt;
use super::levels::LevelArgs;
use super::output::{complain, printable};
use report::Report;
use thinker::Thinker;

/// Play on a server by the Kalah Game Protocol
///
/// The level answers what the server asks, game after game and several at once, until the server
/// takes its leave, or Ctrl-C does. It keeps to the server's clock, and offers the best pit so far
/// while it thinks; where a server tells no clock, give --time a little less than it allows. Boards
/// of 1 to 8 pits a side are played, those of 7 and 8 without tables; larger ones are declined.
///
/// Without --connect the protocol is spoken over standard input and output, for a program that
/// starts this one as its engine. Nothing else is printed there then.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = EXAMPLES)]
#[command(mut_arg("level", |level| level.default_value(DEFAULT_LEVEL.name())))]
pub struct Args {
    /// Play on the server at this address [default: standard input and output]
    #[arg(long, value_name = "HOST:PORT")]
    connect: Option<String>,

    #[command(flatten)]
    levels: LevelArgs,

    /// Name that the server is told [default: kalah and the level]
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,

    /// Author that the server is told
    #[arg(long, value_name = "TEXT")]
    author: Option<String>,

    /// Secret by which the server knows this player again [default: the variable KALAH_TOKEN, which
    /// other users of the machine cannot see]
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    token: Option<String>,

    #[command(flatten)]
    folder: FolderArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    output: OutputArgs,
}

const DEFAULT_LEVEL: Level = Level::Insane;

const EXAMPLES: &str = "\
Examples:
  kalah kgp --connect localhost:2671 --level perfect --name \"Kalah\"
  kalah kgp --connect localhost:2671 --time 2 --json > moves.jsonl
  kalah kgp --level hard";

/// How long it may take until a server answers, and until it says its first words.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    let interrupt = Interrupt::listen()?;
    let report = Report::new(args.connect.is_some(), &args.output);
    let thinker = Thinker::new(args, &report)?;
    let (connection, patience) = match &args.connect {
        Some(address) => {
            let connection = interrupt.waiting(|| Connection::connect(address, PATIENCE));
            let Some(connection) = connection else { return Ok(Status::Interrupted) };
            let connection = connection.map_err(|error| match &error {
                ConnectionError::Connect { address, error: refused }
                    if refused.kind() == io::ErrorKind::InvalidInput =>
                {
                    let address = printable(address);
                    Failure::wrong_input(format!(
                        "--connect '{address}': {refused}; write HOST:PORT, like localhost:2671"
                    ))
                }
                _ => Failure::from(error),
            })?;
            (connection, Patience { greeting: PATIENCE, silence: None })
        }
        None => {
            if io::stdin().is_terminal() && !args.output.quiet {
                complain(
                    "speaking the Kalah Game Protocol over standard input and output; \
                     --connect HOST:PORT plays on a server",
                );
            }
            // Whoever started this program ends it when it is not wanted any more.
            let patience = Patience { greeting: Duration::MAX, silence: None };
            (Connection::over(io::stdin(), io::stdout()), patience)
        }
    };
    let desk = Desk { thinker: &thinker, report: &report, interrupt: &interrupt, args };
    let played = play(connection, args.identity(), &thinker, patience, desk);
    if let Some(failure) = report.failure() {
        return Err(failure);
    }
    match played {
        Ok(()) if interrupt.requested() => Err(Failure::Because(
            Status::Interrupted,
            "interrupted; the server was told goodbye".to_owned(),
        )),
        Ok(()) => Ok(Status::Done),
        Err(error) => Err(Failure::failed(args.wrong(&error))),
    }
}

impl Args {
    fn level(&self) -> Level {
        self.levels.level.unwrap_or(DEFAULT_LEVEL)
    }

    fn identity(&self) -> Identity {
        let level = self.level();
        let named = std::env::var("KALAH_TOKEN").ok().filter(|token| !token.is_empty());
        Identity {
            name: Some(self.name.clone().unwrap_or_else(|| format!("kalah {level}"))),
            authors: self.author.clone(),
            description: Some(format!("level {level} of kalah {}", env!("CARGO_PKG_VERSION"))),
            token: self.token.clone().or(named),
        }
    }

    /// What went wrong in a conversation, and in which.
    fn wrong(&self, error: &PlayError) -> String {
        let with = match &self.connect {
            Some(address) => address,
            None => "whoever is at standard input and output",
        };
        format!("the conversation with {with} is over: {}", one_line(error))
    }
}

/// Follows the conversation.
struct Desk<'a> {
    thinker: &'a Thinker<'a>,
    report: &'a Report,
    interrupt: &'a Interrupt,
    args: &'a Args,
}

impl Follower for Desk<'_> {
    fn sees(&mut self, event: &ClientEvent) {
        match event {
            ClientEvent::Set(setting) => self.thinker.clocks.heed(setting),
            ClientEvent::Complaint(reason) if !self.args.output.quiet => {
                complain(&format!("the server says: {reason}"));
            }
            ClientEvent::Declined(reason) if !self.args.output.quiet => {
                complain(&format!("declined a board: {reason}"));
            }
            _ => {}
        }
    }

    fn wants_to_leave(&self) -> bool {
        self.interrupt.requested() || self.report.has_failed()
    }
}
