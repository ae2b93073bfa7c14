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
    let (statistics, statistics_aside) = usable(&data, data.read(Statistics::check))?;
    let (saved, saved_aside) = usable(&data, data.read(Saved::check))?;
    let mut notices: Vec<String> = statistics_aside.into_iter().collect();
    let begun = match saved {
        Some(resumed) if args.resume => {
            Begun { setup: resumed_setup(args, &resumed), resumed: Some(resumed) }
        }
        None if args.resume => {
            let path = data.path::<Saved>();
            notices.iter().for_each(|notice| output::complain(notice));
            let reason = saved_aside.unwrap_or_else(|| format!("there is no {}", path.display()));
            return Err(Failure::failed(format!("{reason}; kalah play begins a game")));
        }
        saved => {
            let unfinished = saved.filter(|saved| !saved.over && saved.moves() > 0);
            let unfinished = unfinished.map(|saved| {
                format!(
                    "a game ({}) is saved that was not finished; your first move takes its place, \
                     and until then kalah play --resume goes on with it",
                    saved.setup
                )
            });
            notices.extend(saved_aside.into_iter().chain(unfinished));
            Begun { setup: args.setup(), resumed: None }
        }
    };
    // At once, since whatever fails from here on, this was done.
    notices.iter().for_each(|notice| output::complain(notice));
    let (pits, statistics) = (begun.setup.pits, statistics.unwrap_or_default());
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
    let told = OutputArgs { json: false, quiet: false };
    let tables = levels::open::<P>(&args.tables.folder, setup.rules, &told)?;
    let mut options = args.levels.options(&tables, 1);
    options.time = setup.time;
    let mut brain = Brain::new(options);
    let mut session = match &begun.resumed {
        Some(resumed) => Session::resumed(resumed, setup, statistics, data)?,
        None => Session::new(setup, statistics, data)?,
    };
    let status = if args.plain || !has_screen() {
        plain::run(&mut session, &mut brain)?
    } else {
        // What was said before is out of sight.
        notices.into_iter().for_each(|notice| session.notice(notice));
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

/// What there is of a file. One that cannot be used is set aside, and a line says so.
fn usable<T: Usable>(
    data: &Locked,
    found: Found<T>,
) -> Result<(Option<T>, Option<String>), Failure> {
    Ok(match found {
        Found::Nothing => (None, None),
        Found::Whole(content) => (Some(content), None),
        Found::Unusable(reason) => (None, Some(data.set_aside::<T::File>(&reason)?)),
    })
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
