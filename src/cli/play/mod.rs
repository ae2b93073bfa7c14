//! `kalah play`: a game between a person and a level of play.
//!
//! [`Game`](game::Game) is the game as it goes, a [`Session`] one that is saved and counted; the
//! [`Brain`] works out the computer's part. They are shown line by line ([`plain`]) or on a whole
//! [`terminal`].

mod args;
mod brain;
mod folder;
mod game;
mod plain;
mod saved;
mod session;
mod setup;
mod sowing;
mod statistics;
mod terminal;
mod words;

use std::env;
use std::io::{IsTerminal, stdin, stdout};

use serde::Serialize;

use super::args::OutputArgs;
use super::failure::{Failure, Status};
use super::{levels, output, with_pits};
pub use args::Args;
use brain::Brain;
use folder::{Folder, Format, Found, Locked};
use saved::{Resumed, Saved};
use session::Session;
use setup::Setup;
use statistics::{Record, Statistics};

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    let folder = Folder::find()?;
    if args.stats {
        return show_statistics(folder, args.json);
    }
    let data = folder.lock()?;
    let mut notices = Vec::new();
    let statistics = data.read(Statistics::check);
    let statistics = usable(&data, statistics, &mut notices)?.unwrap_or_default();
    let saved = data.read(Saved::check);
    let begun = match (usable(&data, saved, &mut notices)?, args.resume) {
        (Some(resumed), true) => {
            Begun { setup: resumed_setup(args, &resumed), resumed: Some(resumed) }
        }
        (None, true) => {
            let path = data.path::<Saved>();
            let reason = notices.pop().unwrap_or_else(|| format!("there is no {}", path.display()));
            return Err(Failure::failed(format!("{reason}; kalah play begins a game")));
        }
        (saved, false) => {
            if let Some(saved) = saved.filter(|saved| !saved.over && saved.moves() > 0) {
                notices.push(format!(
                    "a game ({}) is saved that was not finished; your first move takes its place, \
                     and until then kalah play --resume goes on with it",
                    saved.setup
                ));
            }
            Begun { setup: args.setup(), resumed: None }
        }
    };
    let pits = begun.setup.pits;
    with_pits!(pits, play(args, &begun, statistics, data, notices))
}

/// A game that begins or goes on.
struct Begun {
    setup: Setup,
    resumed: Option<Resumed>,
}

/// What was agreed, with the time that the command line allows now.
fn resumed_setup(args: &Args, resumed: &Resumed) -> Setup {
    let time = args.levels.time.or(resumed.setup.time);
    Setup { time, ..resumed.setup }
}

fn play<const P: usize>(
    args: &Args,
    begun: &Begun,
    statistics: Statistics,
    data: Locked,
    notices: Vec<String>,
) -> Result<Status, Failure> {
    let setup = begun.setup;
    let quiet = OutputArgs { json: false, quiet: false };
    let tables = levels::open::<P>(&args.tables.folder, setup.rules, &quiet)?;
    let mut options = args.levels.options(&tables, 1);
    options.time = setup.time;
    let mut brain = Brain::new(options);
    let mut session = match &begun.resumed {
        Some(resumed) => Session::resumed(resumed, setup, statistics, data)?,
        None => Session::new(setup, statistics, data)?,
    };
    for notice in notices {
        session.notice(notice);
    }
    let status = if args.plain || !has_screen() {
        plain::run(&mut session, &mut brain)?
    } else {
        terminal::run(&mut session, brain, !args.no_animation)?
    };
    match session.unsaved() {
        Some(reason) => Err(Failure::failed(reason)),
        None => Ok(status),
    }
}

/// Whether there is a terminal that can be drawn on.
fn has_screen() -> bool {
    let dumb = env::var_os("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !dumb
}

/// What there is of a file; one that cannot be used is set aside, and that is noted.
fn usable<T: Usable>(
    data: &Locked,
    found: Found<T>,
    notices: &mut Vec<String>,
) -> Result<Option<T>, Failure> {
    match found {
        Found::Nothing => Ok(None),
        Found::Whole(content) => Ok(Some(content)),
        Found::Unusable(reason) => {
            notices.push(data.set_aside::<T::File>(&reason)?);
            Ok(None)
        }
    }
}

/// What is in a file, when it can be used.
trait Usable {
    /// The file.
    type File: Format;
}

impl Usable for Resumed {
    type File = Saved;
}

impl Usable for Statistics {
    type File = Statistics;
}

/// The statistics for programs.
#[derive(Serialize)]
struct Shown<'a> {
    records: Vec<ShownRecord<'a>>,
}

#[derive(Serialize)]
struct ShownRecord<'a> {
    #[serde(flatten)]
    record: &'a Record,
    games: u64,
    /// In per cent.
    share_won: f64,
}

fn show_statistics(folder: Folder, json: bool) -> Result<Status, Failure> {
    let (statistics, status) = match folder.read(Statistics::check) {
        Found::Nothing => (Statistics::default(), Status::Done),
        Found::Whole(statistics) => (statistics, Status::Done),
        Found::Unusable(reason) => {
            output::complain(&folder.lock()?.set_aside::<Statistics>(&reason)?);
            (Statistics::default(), Status::Failed)
        }
    };
    if json {
        let records = statistics.records().iter();
        let records = records.map(|record| {
            let (games, share_won) = (record.games(), record.share_won());
            ShownRecord { record, games, share_won }
        });
        output::print_json(&Shown { records: records.collect() })?;
    } else {
        output::print(&statistics.table())?;
    }
    Ok(status)
}
