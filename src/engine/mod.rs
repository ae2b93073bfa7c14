//! Other programs as players, by way of the [Kalah Game Protocol](crate::protocol).
//!
//! An [`Engine`] is a [`Player`]: a program that is started, or a client that connected. It is
//! asked and waited for; [`Engine::ask`] tells beside the pit what was wrong with the answer and
//! how long it took, which is what a judge wants to know.
//!
//! ```no_run
//! use kalah::engine::{Engine, Options, command};
//! use kalah::players::Player;
//! use kalah::rules::Board;
//!
//! let mut engine = Engine::start(command("./engine --fast")?, Options::default())?;
//! let board = Board::<6>::opening(4)?;
//! let answer = engine.ask(&board, &())?;
//! match answer.fault {
//!     None => println!("it sows {} after {:?}", answer.pit, answer.time),
//!     Some(fault) => println!("{fault}; {} is sown for it", answer.pit),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod command;
mod fault;

use std::net::{SocketAddr, TcpListener};
use std::process;
use std::time::{Duration, Instant};

use crate::players::{Choice, Player, PlayerError, Random, Watch};
use crate::protocol::{Connection, ConnectionError, Faults, Host, HostError, Identity};
use crate::rules::{Board, Pit};

pub use command::{CommandLineError, command};

/// A program that speaks the protocol as a client, as a player.
pub struct Engine {
    way: Way,
    options: Options,
    /// The conversation, or how it ended.
    host: Result<Host, String>,
    /// What is sown for a client that does not choose.
    random: Random,
    identity: Identity,
    /// The faults of conversations that ended.
    faults: Faults,
}

/// How an engine is reached.
enum Way {
    /// By starting it.
    Program(process::Command),
    /// It came itself.
    Connected(SocketAddr),
}

/// How long a program has to end.
const GRACE: Duration = Duration::from_secs(2);

/// How to deal with an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// What it is told who asks.
    pub name: String,
    /// How long it has for its first words.
    pub patience: Duration,
    /// How long it has for each pit. It is told so in whole seconds.
    pub limit: Duration,
    /// Decides what is sown for it when it does not choose.
    pub random_seed: u64,
}

/// The name `kalah`, ten seconds of patience, five seconds a pit, random seed 0.
impl Default for Options {
    fn default() -> Self {
        Options {
            name: "kalah".to_owned(),
            patience: Duration::from_secs(10),
            limit: Duration::from_secs(5),
            random_seed: 0,
        }
    }
}

/// What an engine answered.
#[derive(Debug)]
pub struct Answer<const P: usize> {
    /// The pit that is sown: its choice, or a random one when it made none.
    pub pit: Pit<P>,
    /// Why it made none: [`PlayerError::Silent`], [`PlayerError::IllegalPit`],
    /// [`PlayerError::Declined`], or [`PlayerError::Undecided`] when it was done without one.
    pub fault: Option<PlayerError>,
    /// How many pits it named that cannot be sown, whether or not others could.
    pub illegal: u64,
    /// Whether it said itself that it was done.
    pub is_final: bool,
    /// How long it took.
    pub time: Duration,
}

impl Engine {
    /// Starts a program and waits until it wants to play.
    ///
    /// It speaks over its standard input and output; where its standard error goes is for the
    /// command to say. A Ctrl-C at the terminal does not reach it.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] when it does not start, or does not say in time that it plays.
    pub fn start(command: process::Command, options: Options) -> Result<Self, PlayerError> {
        let mut command = command;
        // The terminal's signals are for this process, which ends the engine in order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let connection = Connection::program(&mut command).map_err(fault::of_connection)?;
        Engine::greet(Way::Program(command), connection, options)
    }

    /// Waits for a client to connect, as long as it takes, and then until it wants to play.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] when the system does not let it connect, or it does not say in time that it
    /// plays.
    pub fn accept(listener: &TcpListener, options: Options) -> Result<Self, PlayerError> {
        let (stream, address) = listener.accept().map_err(|source| PlayerError::Line {
            doing: "wait for an engine".to_owned(),
            source,
        })?;
        let connection = Connection::tcp(stream).map_err(fault::of_connection)?;
        Engine::greet(Way::Connected(address), connection, options)
    }

    fn greet(way: Way, connection: Connection, options: Options) -> Result<Self, PlayerError> {
        let mut engine = Engine {
            way,
            random: Random::new(options.random_seed),
            options,
            host: Err(String::new()),
            identity: Identity::default(),
            faults: Faults::default(),
        };
        engine.begin(connection)?;
        Ok(engine)
    }

    fn begin(&mut self, connection: Connection) -> Result<(), PlayerError> {
        let mut host = Host::new(connection, &self.options.name).map_err(fault::of_connection)?;
        let welcome = host.welcome(self.options.patience);
        self.host = Ok(host);
        welcome.map_err(|error| self.lose(error))
    }

    /// What it told about itself.
    pub fn identity(&self) -> &Identity {
        self.host.as_ref().map_or(&self.identity, Host::client)
    }

    /// Its address, when it connected.
    pub fn address(&self) -> Option<SocketAddr> {
        match self.way {
            Way::Program(_) => None,
            Way::Connected(address) => Some(address),
        }
    }

    /// What it did that the protocol forbids, up to now.
    pub fn faults(&self) -> Faults {
        self.faults + self.host.as_ref().map_or(Faults::default(), Host::faults)
    }

    /// Whether it can be asked no more.
    pub fn is_gone(&self) -> bool {
        self.host.is_err()
    }

    /// Whether [`Engine::restart`] can bring it back: not when it connected on its own.
    pub fn can_restart(&self) -> bool {
        matches!(self.way, Way::Program(_))
    }

    /// Starts the program anew; what is left of it is ended.
    ///
    /// # Errors
    ///
    /// [`PlayerError::Gone`] when it connected on its own, and nothing changes; others as
    /// [`Engine::start`].
    pub fn restart(&mut self) -> Result<(), PlayerError> {
        let Way::Program(command) = &mut self.way else {
            let how = "it connected by itself, and cannot be started again".to_owned();
            return Err(PlayerError::Gone { how });
        };
        let connection = Connection::program(command).map_err(fault::of_connection)?;
        self.end();
        self.begin(connection)
    }

    /// Asks it for a pit, and sows at random for it when it names none.
    ///
    /// It has as long as its options and the watch allow, whichever is less; the watch hears of
    /// every legal pit that it names.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] when it is gone, or the game is over.
    pub fn ask<const P: usize>(
        &mut self,
        board: &Board<P>,
        watch: &dyn Watch<P>,
    ) -> Result<Answer<P>, PlayerError> {
        if board.is_over() {
            return Err(PlayerError::GameOver);
        }
        let host = match &mut self.host {
            Ok(host) => host,
            Err(how) => return Err(PlayerError::Gone { how: how.clone() }),
        };
        let begun = Instant::now();
        let due = watch.deadline().map(|deadline| deadline.saturating_duration_since(begun));
        let limit = due.map_or(self.options.limit, |due| due.min(self.options.limit));
        let goes_on = |named: Option<u8>| {
            if let Some(pit) = named.and_then(|number| Pit::from_number(number.into()).ok()) {
                watch.leaning(&Choice { cut_short: true, ..Choice::of(pit) });
            }
            !watch.interrupted()
        };
        let random = &mut self.random;
        let decision = host.ask_while(board, limit, goes_on, |count| {
            random.below(u32::try_from(count).expect("there are few pits")) as usize
        });
        let time = begun.elapsed();
        let decision = decision.map_err(|error| self.lose(error))?;
        Ok(Answer {
            pit: Pit::from_number(decision.pit.into()).expect("a legal pit is sown"),
            fault: fault::of_decision(board, &decision, time.min(limit)),
            illegal: decision.illegal,
            is_final: decision.yielded,
            time,
        })
    }

    /// Lets it go because of this, and says what is wrong with it.
    fn lose(&mut self, error: HostError) -> PlayerError {
        let status = self.end();
        let fault = match error {
            HostError::Connection(ConnectionError::HungUp { within_line }) => {
                let way = &self.way;
                let how = match status {
                    Some(status) => fault::how_it_ended(status),
                    None if matches!(way, Way::Program(_)) => "it closed its output".to_owned(),
                    None if within_line => "it hung up in the middle of a line".to_owned(),
                    None => "it hung up".to_owned(),
                };
                PlayerError::Gone { how }
            }
            error => fault::of_host(error),
        };
        self.host = Err(match &fault {
            PlayerError::Gone { how } => how.clone(),
            fault => fault.to_string(),
        });
        fault
    }

    /// Takes leave of it, if it is there. How its program ended, if it did by itself.
    fn end(&mut self) -> Option<process::ExitStatus> {
        if self.is_gone() {
            return None;
        }
        let host = std::mem::replace(&mut self.host, Err("it was ended".to_owned())).ok()?;
        self.faults = self.faults + host.faults();
        self.identity = host.client().clone();
        host.goodbye(GRACE)
    }
}

/// Its program hears goodbye, and is ended when it does not end.
impl Drop for Engine {
    fn drop(&mut self) {
        self.end();
    }
}

/// An engine that makes no choice of its own is one that fails; [`Engine::ask`] tells more.
impl<const P: usize> Player<P> for Engine {
    /// A program that is gone is started again.
    fn new_game(&mut self) -> Result<(), PlayerError> {
        match &self.host {
            Ok(_) => Ok(()),
            Err(_) if self.can_restart() => self.restart(),
            Err(how) => Err(PlayerError::Gone { how: how.clone() }),
        }
    }

    fn choose(&mut self, board: &Board<P>, watch: &dyn Watch<P>) -> Result<Choice<P>, PlayerError> {
        let answer = self.ask(board, watch)?;
        match answer.fault {
            None => Ok(Choice { cut_short: !answer.is_final, ..Choice::of(answer.pit) }),
            Some(fault) => Err(fault),
        }
    }
}
