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

/// The time between two looks at whether to wait on.
const LOOK: Duration = Duration::from_millis(50);

impl Host {
    /// Greets a client and waits until it asks to play.
    ///
    /// # Errors
    ///
    /// [`HostError`] when it does not within this time.
    pub fn greet(connection: Connection, name: &str, limit: Duration) -> Result<Self, HostError> {
        let mut host = Host::new(connection, name)?;
        host.welcome(limit)?;
        Ok(host)
    }

    /// Begins to talk with a client that was not heard yet: [`Host::welcome`] comes first.
    ///
    /// # Errors
    ///
    /// [`ConnectionError::System`].
    pub fn new(connection: Connection, name: &str) -> Result<Self, ConnectionError> {
        let Started { wire, receiver, .. } = connection.start(std::convert::identity)?;
        Ok(Host {
            server: Server::new(name),
            wire,
            incoming: receiver,
            client: Identity::default(),
            announced: None,
            is_gone: false,
        })
    }

    /// Waits until the client asks to play.
    ///
    /// # Errors
    ///
    /// [`HostError`] when it does not within this time.
    pub fn welcome(&mut self, limit: Duration) -> Result<(), HostError> {
        let what = "mode freeplay";
        let ready = self.wait(limit, |event| event == Some(&ServerEvent::Ready))?;
        if ready { Ok(()) } else { Err(HostError::Silent { what, limit }) }
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
        self.ask_while(board, limit, |_| true, pick)
    }

    /// [`Host::ask`] with an eye on it: `goes_on` is given every legal pit that the client names,
    /// and, many times a second, `None`; once it says no, the client is waited for no longer.
    ///
    /// # Errors
    ///
    /// As [`Host::ask`].
    pub fn ask_while<const P: usize>(
        &mut self,
        board: &Board<P>,
        limit: Duration,
        mut goes_on: impl FnMut(Option<u8>) -> bool,
        pick: impl FnOnce(usize) -> usize,
    ) -> Result<Decision, HostError> {
        self.announce(limit);
        let question = self.server.ask(board)?;
        self.wait(limit, |event| match event {
            None => !goes_on(None),
            Some(&ServerEvent::Moved(asked, pit)) if asked == question => !goes_on(Some(pit)),
            Some(event) => *event == ServerEvent::Yielded(question),
        })?;
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
        let there = self.wait(limit, |event| event == Some(&ServerEvent::Pong))?;
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

    /// Tells the client how long it has, in the whole seconds of the protocol, unless that is less
    /// than one or for ever.
    fn announce(&mut self, limit: Duration) {
        let can_be_told = limit.as_secs() > 0 && i64::try_from(limit.as_secs()).is_ok();
        if self.announced != Some(limit) && can_be_told {
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

    /// Talks until it was enough, or the time is up: whether it was enough. That is asked for every
    /// event, and for none before each wait, which is never long.
    fn wait(
        &mut self,
        limit: Duration,
        mut is_enough: impl FnMut(Option<&ServerEvent>) -> bool,
    ) -> Result<bool, HostError> {
        let deadline = Instant::now().checked_add(limit);
        if self.is_gone {
            return Err(ConnectionError::HungUp { within_line: false }.into());
        }
        // Who does not hear any more may have said why before.
        let mut unheard = None;
        loop {
            unheard = self.send().err().or(unheard);
            while let Some(event) = self.server.next_event() {
                if is_enough(Some(&event)) {
                    return Ok(true);
                }
                if let Err(error) = self.note(event) {
                    // The client hears why, if it is still there.
                    let _ = self.send();
                    return Err(error);
                }
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            // A client that never pauses does not get more time for it.
            if left == Some(Duration::ZERO) {
                return Ok(false);
            }
            if is_enough(None) {
                return Ok(true);
            }
            match self.incoming.recv_timeout(left.map_or(LOOK, |left| left.min(LOOK))) {
                Ok(Received::Line(line)) => self.server.receive(line),
                Ok(Received::Gone(error)) => {
                    self.is_gone = true;
                    return Err(error.into());
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(error) = unheard {
                        return Err(error.into());
                    }
                }
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
