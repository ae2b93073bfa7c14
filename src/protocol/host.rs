//! A whole conversation, as the server of one client.

use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::rules::Board;

use super::connection::{Connection, ConnectionError, Received, Started, Wire};
use super::server::NotAsked;
use super::{
    Decision, Faults, Identity, MAX_BAD_LINES, Server, ServerEvent, Setting, TimeMode, excerpt,
};

/// Asks one client what it would sow.
pub struct Host {
    server: Server,
    wire: Wire,
    incoming: Receiver<Received>,
    client: Identity,
    announced: Option<Duration>,
    is_gone: bool,
}

/// Why a client is asked no more.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The connection failed or was closed.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The client did not say what had to come.
    #[error("the client did not say {what} within {} seconds", limit.as_secs_f64())]
    Silent {
        /// What was waited for.
        what: &'static str,
        /// How long.
        limit: Duration,
    },
    /// The client wants another activity.
    #[error("the client asks for the activity '{}'; only freeplay is offered", excerpt(.0))]
    OtherMode(String),
    /// The client took its leave.
    #[error("the client said goodbye")]
    Goodbye,
    /// The client sends nonsense.
    #[error("more than {MAX_BAD_LINES} lines of the client made no sense")]
    Babble,
    /// There is nothing to ask.
    #[error(transparent)]
    NotAsked(#[from] NotAsked),
}

impl Host {
    /// Greets a client and waits until it asks to play.
    ///
    /// # Errors
    ///
    /// [`HostError`] when it does not within this time.
    pub fn greet(connection: Connection, name: &str, limit: Duration) -> Result<Self, HostError> {
        let Started { wire, receiver, .. } = connection.start(std::convert::identity)?;
        let mut host = Host {
            server: Server::new(name),
            wire,
            incoming: receiver,
            client: Identity::default(),
            announced: None,
            is_gone: false,
        };
        let what = "mode freeplay";
        let ready = host.wait(limit, |event| *event == ServerEvent::Ready)?;
        if ready { Ok(host) } else { Err(HostError::Silent { what, limit }) }
    }

    /// What the client told about itself.
    pub fn client(&self) -> &Identity {
        &self.client
    }

    /// What the client did that it must not do, up to now.
    pub fn faults(&self) -> Faults {
        self.server.faults()
    }

    /// Asks the client what it would sow here, and waits until it is done or the time is up.
    ///
    /// For a client that names no legal pit a random one is sown: `pick` is given the number of
    /// legal pits and chooses one of them, counted from 0.
    ///
    /// # Errors
    ///
    /// [`HostError`] when the game is over or the client has gone. Silence is no error: it is
    /// counted.
    pub fn ask<const P: usize>(
        &mut self,
        board: &Board<P>,
        limit: Duration,
        pick: impl FnOnce(usize) -> usize,
    ) -> Result<Decision, HostError> {
        self.announce(limit);
        let question = self.server.ask(board)?;
        self.wait(limit, |event| *event == ServerEvent::Yielded(question))?;
        let decision = self.server.decide(question, pick).ok_or(NotAsked::NotPlaying)?;
        self.send()?;
        Ok(decision)
    }

    /// Waits until the client says that it is there.
    ///
    /// # Errors
    ///
    /// [`HostError`] when it does not within this time.
    pub fn ping(&mut self, limit: Duration) -> Result<(), HostError> {
        self.server.ping();
        let there = self.wait(limit, |event| *event == ServerEvent::Pong)?;
        if there { Ok(()) } else { Err(HostError::Silent { what: "pong", limit }) }
    }

    /// Takes leave of the client. How it ended, if it is a program that did so within this time;
    /// one that did not is ended.
    pub fn goodbye(mut self, grace: Duration) -> Option<ExitStatus> {
        self.server.say_goodbye();
        // Whoever has gone already does not hear it.
        let _ = self.send();
        self.wire.close(grace)
    }

    /// Tells the client how long it has, in the whole seconds of the protocol.
    fn announce(&mut self, limit: Duration) {
        if self.announced != Some(limit) && limit.as_secs() > 0 {
            self.server.set(Setting::TimeMode(TimeMode::Relative));
            self.server.set(Setting::Clock(limit));
            self.announced = Some(limit);
        }
    }

    fn send(&mut self) -> Result<(), ConnectionError> {
        while let Some(message) = self.server.next_message() {
            self.wire.send(&message)?;
        }
        Ok(())
    }

    /// Talks until an event that is waited for happens, or the time is up: whether it happened.
    fn wait(
        &mut self,
        limit: Duration,
        is_it: impl Fn(&ServerEvent) -> bool,
    ) -> Result<bool, HostError> {
        let deadline = Instant::now().checked_add(limit);
        if self.is_gone {
            return Err(ConnectionError::HungUp { within_line: false }.into());
        }
        loop {
            self.send()?;
            while let Some(event) = self.server.next_event() {
                if is_it(&event) {
                    return Ok(true);
                }
                if let Err(error) = self.note(event) {
                    // The client hears why.
                    self.send()?;
                    return Err(error);
                }
            }
            let received = match deadline {
                None => self.incoming.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    // A client that never pauses does not get more time for it.
                    if left.is_zero() {
                        return Ok(false);
                    }
                    self.incoming.recv_timeout(left)
                }
            };
            match received {
                Ok(Received::Line(line)) => self.server.receive(line),
                Ok(Received::Gone(error)) => {
                    self.is_gone = true;
                    return Err(error.into());
                }
                Err(RecvTimeoutError::Timeout) => return Ok(false),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ConnectionError::HungUp { within_line: false }.into());
                }
            }
        }
    }

    /// Takes note of what happened beside.
    fn note(&mut self, event: ServerEvent) -> Result<(), HostError> {
        match event {
            ServerEvent::Goodbye => return Err(HostError::Goodbye),
            ServerEvent::OtherMode(mode) => return Err(HostError::OtherMode(mode)),
            ServerEvent::Babble => return Err(HostError::Babble),
            ServerEvent::Set(Setting::Name(name)) => self.client.name = Some(name),
            ServerEvent::Set(Setting::Authors(names)) => self.client.authors = Some(names),
            ServerEvent::Set(Setting::Description(text)) => self.client.description = Some(text),
            _ => {}
        }
        Ok(())
    }
}
