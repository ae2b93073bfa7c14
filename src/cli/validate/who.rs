//! Who is judged.

use std::io;
use std::net::TcpListener;
use std::process;

use kalah::engine::{self, Engine};
use kalah::judge::Pairing;
use kalah::players::{Level, Options, Player};
use kalah::protocol;
use kalah::tables::Tablebase;

use super::Args;
use crate::cli::failure::{Failure, Status, one_line};
use crate::cli::interrupt::Interrupt;
use crate::cli::output;

/// A level, or an engine that is there and wants to play, once or several times.
pub enum Who {
    Level(Level),
    Engine { engines: Vec<Engine>, way: String },
}

impl Who {
    /// Finds whom the command line names; waits for one that is to connect.
    pub fn find(args: &Args, interrupt: &Interrupt) -> Result<Self, Failure> {
        let mut options = engine::Options {
            name: "kalah validate".to_owned(),
            random_seed: args.random_seed(),
            ..engine::Options::default()
        };
        options.limit = args.levels.time.unwrap_or(options.limit);
        let interrupted =
            || Failure::Because(Status::Interrupted, "interrupted before it began".to_owned());
        let (started, way) = match (args.levels.level, &args.engine, &args.listen) {
            (Some(level), ..) => return Ok(Who::Level(level)),
            (None, Some(line), _) => {
                let command = engine::command(line)
                    .map_err(|error| Failure::wrong_input(format!("--engine: {error}")))?;
                let start = |_| Engine::start(copy(&command), options.clone());
                let started = interrupt.waiting(|| (0..args.engines).map(start).collect());
                let started: Result<Vec<_>, _> = started.ok_or_else(interrupted)?;
                (started, line.clone())
            }
            (None, None, address) => {
                let listener = listen(address.as_deref().unwrap_or_default())?;
                let accepted = interrupt.waiting(|| Engine::accept(&listener, options));
                let accepted = accepted.ok_or_else(interrupted)?;
                let from = accepted.as_ref().ok().and_then(Engine::address);
                let way = from.map_or(String::new(), |address| address.to_string());
                (accepted.map(|engine| vec![engine]), way)
            }
        };
        match started {
            Ok(engines) => Ok(Who::Engine { engines, way }),
            Err(error) => {
                let reason = format!("the engine does not play: {}", one_line(&error));
                Err(Failure::failed(reason))
            }
        }
    }

    /// `level` or `engine`.
    pub fn kind(&self) -> &'static str {
        match self {
            Who::Level(_) => "level",
            Who::Engine { .. } => "engine",
        }
    }

    /// A level's name; what an engine calls itself, if it does, or else how it is reached.
    pub fn name(&self) -> String {
        match self {
            Who::Level(level) => level.to_string(),
            Who::Engine { engines, way } => {
                let name = engines.first().and_then(|engine| engine.identity().name.clone());
                name.unwrap_or_else(|| way.clone())
            }
        }
    }

    /// How an engine is reached: the command that starts it, or the address it came from.
    pub fn way(&self) -> Option<&str> {
        match self {
            Who::Level(_) => None,
            Who::Engine { way, .. } => Some(way),
        }
    }

    /// What an engine did that the protocol forbids.
    pub fn faults(&self) -> Option<protocol::Faults> {
        match self {
            Who::Level(_) => None,
            Who::Engine { engines, .. } => {
                let faults = engines.iter().map(Engine::faults);
                Some(faults.fold(protocol::Faults::default(), |sum, faults| sum + faults))
            }
        }
    }

    /// The player, once for each thread: of these there are so many for a level, and for an engine as
    /// many as were started.
    pub fn players<'a, const P: usize>(
        &'a mut self,
        options: &Options<'a, P>,
        threads: usize,
    ) -> Vec<Box<dyn Player<P> + Send + 'a>> {
        match self {
            Who::Level(level) => (0..threads).map(|_| level.player(options)).collect(),
            Who::Engine { engines, .. } => {
                let player =
                    |engine: &'a mut Engine| -> Box<dyn Player<P> + Send + 'a> { Box::new(engine) };
                engines.iter_mut().map(player).collect()
            }
        }
    }

    /// The player and its opponent, as often as the player is there.
    pub fn pairings<'a, const P: usize>(
        &'a mut self,
        against: Option<Level>,
        options: &Options<'a, P>,
        threads: usize,
    ) -> Vec<Pairing<'a, P>> {
        let pairing = |judged| {
            let opponent = against.map(|level| level.player(options));
            Pairing { judged, opponent }
        };
        self.players(options, threads).into_iter().map(pairing).collect()
    }
}

/// What a level plays with, here where every thread has its own: the judge keeps the time, and
/// decides what is random.
pub fn options<'t, const P: usize>(args: &Args, tables: &'t Tablebase<P>) -> Options<'t, P> {
    Options { time: None, ..args.levels.options(tables, 1) }
}

/// The same command once more.
fn copy(command: &process::Command) -> process::Command {
    let mut copy = process::Command::new(command.get_program());
    copy.args(command.get_args());
    copy
}

/// Listens for an engine, and says where.
fn listen(address: &str) -> Result<TcpListener, Failure> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::InvalidInput => Failure::wrong_input(format!(
            "--listen '{}': {error}; write HOST:PORT, like 127.0.0.1:2671",
            output::printable(address)
        )),
        _ => Failure::failed(format!("cannot listen on {address}: {error}")),
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    // Whoever chose port 0 has to know which it is, quiet or not.
    let place = listener.local_addr().map_err(failed)?;
    output::complain(&format!("waiting for an engine on {place}"));
    Ok(listener)
}
