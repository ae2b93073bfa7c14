//! The client's side of a conversation, without input or output.

use std::collections::{BTreeMap, VecDeque};

use crate::rules::Board;

use super::outbox::Outbox;
use super::{
    BoardLiteral, Clock, Command, Ids, LineError, MAX_BAD_LINES, Message, Setting, Unplayable,
    VERSION, Version,
};

/// What a client tells a server about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// Its name.
    pub name: Option<String>,
    /// Who wrote it.
    pub authors: Option<String>,
    /// How it plays.
    pub description: Option<String>,
    /// A secret by which the server knows it again.
    pub token: Option<String>,
}

/// A server's question: what would you sow here?
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    literal: BoardLiteral,
    legal: Vec<u8>,
    clock: Clock,
}

/// A question that was asked, different from all others of the conversation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RequestId(u64);

/// What happened, and wants something done.
#[derive(Clone, PartialEq, Debug)]
pub enum ClientEvent {
    /// Think about this: [`Client::offer`] a pit, as often as a better one is found, and
    /// [`Client::finish`].
    Think(RequestId, State),
    /// Think about this no more.
    Stop(RequestId),
    /// The server gave a hint.
    Set(Setting),
    /// The server says that something was wrong.
    Complaint(String),
    /// A state was not played, and the server was told why.
    Declined(Unplayable),
    /// The server took its leave. Nothing follows.
    Goodbye,
    /// The conversation cannot go on. Nothing follows.
    Failed(ClientError),
}

/// Why a client ends a conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The first line was another than `kgp`.
    #[error("the other side is no server of the Kalah Game Protocol: it did not begin with kgp")]
    NotAServer,
    /// The server speaks a version that is not understood.
    #[error("the server speaks version {0} of the Kalah Game Protocol, and this client {VERSION}")]
    OtherVersion(Version),
    /// The server does not play freely.
    #[error("the server refuses the activity freeplay: {}", super::excerpt(.0))]
    Refused(String),
    /// Too many lines made no sense.
    #[error("more than {MAX_BAD_LINES} lines of the server made no sense")]
    Babble,
}

/// Why a pit is not sent to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotWanted {
    /// The server waits for no pit any more: it said `stop`, or the client has finished.
    #[error("the server waits for no pit any more")]
    Closed,
    /// The pit is not legal.
    #[error("pit {0} is empty or does not exist")]
    Illegal(u8),
}

/// A client in the middle of a conversation.
///
/// What arrives goes into [`Client::receive`]; what is to be sent comes from
/// [`Client::next_message`], and what is to be done from [`Client::next_event`]. Both are to be
/// emptied after every call.
///
/// ```
/// use kalah::protocol::{Client, ClientEvent, Identity};
///
/// let mut client = Client::new(Identity::default());
/// client.receive("kgp 1 0 1".parse().map_err(Into::into));
/// assert_eq!(client.next_message().unwrap().to_string(), "1 mode freeplay");
///
/// client.receive("4 state <3,0,0,3,3,3,3,3,3>".parse().map_err(Into::into));
/// let Some(ClientEvent::Think(request, state)) = client.next_event() else { panic!() };
/// assert_eq!(state.legal_pits(), [1, 2, 3]);
/// client.offer(request, 1)?;
/// client.finish(request);
/// assert_eq!(client.next_message().unwrap().to_string(), "3@4 move 1");
/// assert_eq!(client.next_message().unwrap().to_string(), "5@4 yield");
/// # Ok::<(), kalah::protocol::NotWanted>(())
/// ```
#[derive(Debug)]
pub struct Client {
    identity: Identity,
    phase: Phase,
    ids: Ids,
    clock: Clock,
    requests: BTreeMap<RequestId, Request>,
    /// The last that the client finished and the server has not stopped.
    finished: VecDeque<Request>,
    /// As many as there were states.
    next_request: u64,
    bad_lines: u64,
    /// What the server found wrong before its first state.
    refusal: Option<String>,
    outbox: Outbox,
    events: VecDeque<ClientEvent>,
}

/// How often the same is said again to a server that finds it wrong.
const MOST_REPEATED: u8 = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The server has not said `kgp` yet.
    Greeting,
    /// It has, and freeplay was asked for with this id.
    Playing { mode: u64 },
    /// Nothing follows.
    Over,
}

/// A question, open or finished.
#[derive(Debug)]
struct Request {
    /// The id that the server gave it.
    id: Option<u64>,
    legal: Vec<u8>,
    /// The last pit that was named, and the id with which it was.
    offered: Option<(u8, u64)>,
    /// How often that was said again.
    repeated: u8,
}

impl State {
    /// The pits a side.
    pub fn pits(&self) -> usize {
        self.literal.pits()
    }

    /// The board, the client to move.
    ///
    /// # Errors
    ///
    /// [`Unplayable::OtherPits`] when `P` is not [`State::pits`].
    pub fn board<const P: usize>(&self) -> Result<Board<P>, Unplayable> {
        self.literal.board()
    }

    /// The numbers of the pits that may be sown, ascending; at least one.
    pub fn legal_pits(&self) -> &[u8] {
        &self.legal
    }

    /// What the server said about time.
    pub fn clock(&self) -> Clock {
        self.clock
    }
}

impl Client {
    /// The most questions that are thought about at once; more are declined.
    pub const MOST_REQUESTS: usize = 16;

    /// A client that waits for the server's first words.
    pub fn new(identity: Identity) -> Self {
        Client {
            identity,
            phase: Phase::Greeting,
            ids: Ids::default(),
            clock: Clock::default(),
            requests: BTreeMap::new(),
            finished: VecDeque::new(),
            next_request: 0,
            bad_lines: 0,
            refusal: None,
            outbox: Outbox::of_client(),
            events: VecDeque::new(),
        }
    }

    /// The next message to send.
    pub fn next_message(&mut self) -> Option<Message> {
        self.outbox.next()
    }

    /// The next thing to do.
    pub fn next_event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    /// Whether the server was understood and may ask.
    pub fn is_playing(&self) -> bool {
        matches!(self.phase, Phase::Playing { .. })
    }

    /// Takes a line from the server.
    pub fn receive(&mut self, line: Result<Message, LineError>) {
        match (self.phase, line) {
            (Phase::Over, _) => {}
            (Phase::Greeting, line) => self.greet(line.ok()),
            (Phase::Playing { .. }, Err(error)) => self.bad_line(None, &error),
            (Phase::Playing { mode }, Ok(message)) => self.hear(mode, &message),
        }
    }

    /// Tells the server a pit that is better than those before. The same again is not repeated.
    ///
    /// # Errors
    ///
    /// [`NotWanted`] when the question is not open any more, or the pit is not legal; nothing is
    /// sent then.
    pub fn offer(&mut self, request: RequestId, pit: u8) -> Result<(), NotWanted> {
        let request = self.requests.get_mut(&request).ok_or(NotWanted::Closed)?;
        if !request.legal.contains(&pit) {
            return Err(NotWanted::Illegal(pit));
        }
        if request.offered.is_none_or(|(offered, _)| offered != pit) {
            let id = self.outbox.answer(request.id, &Command::Move(pit.into()));
            (request.offered, request.repeated) = (Some((pit, id)), 0);
        }
        Ok(())
    }

    /// Tells the server that the last pit offered was the best. Without one, the server sows a
    /// random pit. Nothing happens when the question is not open any more.
    pub fn finish(&mut self, request: RequestId) {
        if let Some(request) = self.requests.remove(&request) {
            self.outbox.answer(request.id, &Command::Yield);
            self.finished.truncate(Self::MOST_REQUESTS - 1);
            self.finished.push_front(request);
        }
    }

    /// Says again what the server found wrong, when that is the last word on a question: some
    /// servers send a state before they know it themselves, and a client may be too quick for them.
    /// Whether it was said again, which it is not for ever.
    fn repeat(&mut self, about: Option<u64>) -> bool {
        let open = self.requests.values_mut().map(|request| (request, false));
        let finished = self.finished.iter_mut().map(|request| (request, true));
        for (request, is_finished) in open.chain(finished) {
            if let Some((pit, id)) = &mut request.offered
                && Some(*id) == about
                && request.repeated < MOST_REPEATED
            {
                request.repeated += 1;
                *id = self.outbox.answer(request.id, &Command::Move((*pit).into()));
                if is_finished {
                    self.outbox.answer(request.id, &Command::Yield);
                }
                return true;
            }
        }
        false
    }

    /// Takes leave of the server.
    pub fn say_goodbye(&mut self) {
        if self.phase != Phase::Over {
            self.outbox.send(&Command::Goodbye);
            self.end();
        }
    }

    fn end(&mut self) {
        self.phase = Phase::Over;
        self.requests.clear();
        self.finished.clear();
    }

    fn fail(&mut self, error: ClientError) {
        self.outbox.complain(None, &error);
        self.outbox.send(&Command::Goodbye);
        self.end();
        self.events.push_back(ClientEvent::Failed(error));
    }

    fn refused(&mut self, reason: String) {
        self.end();
        self.events.push_back(ClientEvent::Failed(ClientError::Refused(reason)));
    }

    fn bad_line(&mut self, about: Option<u64>, error: &dyn std::fmt::Display) {
        self.outbox.complain(about, error);
        self.bad_lines += 1;
        if self.bad_lines > MAX_BAD_LINES {
            self.fail(ClientError::Babble);
        }
    }

    /// Takes the first line.
    fn greet(&mut self, message: Option<Message>) {
        let version = message.as_ref().and_then(|message| match Command::of(message) {
            Ok(Command::Kgp(version)) => Some(version),
            _ => None,
        });
        let Some(version) = version else { return self.fail(ClientError::NotAServer) };
        if version.major != VERSION.major {
            return self.fail(ClientError::OtherVersion(version));
        }
        if let Some(id) = message.and_then(|message| message.id) {
            self.ids.insert(id);
        }
        let Identity { name, authors, description, token } = std::mem::take(&mut self.identity);
        let settings = [
            name.map(Setting::Name),
            authors.map(Setting::Authors),
            description.map(Setting::Description),
            token.map(Setting::Token),
        ];
        for setting in settings.into_iter().flatten() {
            self.outbox.send(&Command::Set(setting));
        }
        let mode = self.outbox.send(&Command::Mode("freeplay".to_owned()));
        self.phase = Phase::Playing { mode };
    }

    /// Takes a message after the greeting.
    fn hear(&mut self, mode: u64, message: &Message) {
        let is_new = message.id.is_none_or(|id| self.ids.insert(id));
        if !is_new {
            self.bad_line(message.id, &"this id was used before");
            if self.phase == Phase::Over {
                return;
            }
        }
        match Command::of(message) {
            Err(error) => self.bad_line(message.id, &error),
            Ok(Command::State(board)) if is_new => self.consider(message.id, board),
            // Whom a pit was for could not be told.
            Ok(Command::State(_)) => {}
            Ok(Command::Stop) => self.stop(message),
            Ok(Command::Ping(argument)) => {
                self.outbox.answer(message.id, &Command::Pong(argument));
            }
            Ok(Command::Set(setting)) => {
                self.clock.set(&setting);
                self.events.push_back(ClientEvent::Set(setting));
            }
            Ok(Command::Error(reason)) if message.reference == Some(mode) => self.refused(reason),
            Ok(Command::Error(_)) if self.repeat(message.reference) => {}
            Ok(Command::Error(reason)) => {
                if self.next_request == 0 {
                    self.refusal = Some(reason.clone());
                }
                self.events.push_back(ClientEvent::Complaint(reason));
            }
            // Not every server refers to the mode that it refuses.
            Ok(Command::Goodbye) => match self.refusal.take() {
                Some(reason) if self.next_request == 0 => self.refused(reason),
                _ => {
                    self.end();
                    self.events.push_back(ClientEvent::Goodbye);
                }
            },
            Ok(Command::Kgp(_)) => self.bad_line(message.id, &"kgp was said before"),
            Ok(Command::Mode(_) | Command::Move(_) | Command::Yield) => {
                self.bad_line(message.id, &"only a client says that");
            }
            Ok(Command::Ok(_) | Command::Pong(_) | Command::Other(..)) => {}
        }
    }

    /// Opens a question.
    fn consider(&mut self, id: Option<u64>, literal: BoardLiteral) {
        let request = RequestId(self.next_request);
        self.next_request += 1;
        let legal = match literal.legal_pits() {
            Ok(legal) => legal,
            Err(reason) => {
                self.outbox.complain(id, &reason);
                self.outbox.answer(id, &Command::Yield);
                return self.events.push_back(ClientEvent::Declined(reason));
            }
        };
        // A server that does not number its states can mean only one of them at a time.
        if id.is_none()
            && let Some(request) = self.open(None)
        {
            self.close(request);
        }
        if self.requests.len() >= Self::MOST_REQUESTS {
            let most = Self::MOST_REQUESTS;
            let reason = format!("{most} states are thought about already, which is the most");
            self.outbox.complain(id, &reason);
            self.outbox.answer(id, &Command::Yield);
            return;
        }
        self.requests
            .insert(request, Request { id, legal: legal.clone(), offered: None, repeated: 0 });
        let state = State { literal, legal, clock: self.clock };
        self.events.push_back(ClientEvent::Think(request, state));
    }

    /// The open question with this id.
    fn open(&self, id: Option<u64>) -> Option<RequestId> {
        self.requests.iter().find(|(_, request)| request.id == id).map(|(&request, _)| request)
    }

    fn close(&mut self, request: RequestId) {
        self.requests.remove(&request);
        self.events.push_back(ClientEvent::Stop(request));
    }

    fn stop(&mut self, message: &Message) {
        self.finished.retain(|request| request.id.is_none() || request.id != message.reference);
        let only = || match self.requests.len() {
            1 => self.requests.keys().next().copied(),
            _ => None,
        };
        let request = match message.reference {
            Some(id) => self.open(Some(id)),
            None => self.open(None).or_else(only),
        };
        match (request, message.reference) {
            (Some(request), _) => self.close(request),
            (None, Some(id)) if !self.ids.contains(id) => {
                self.bad_line(message.id, &format!("there was no state {id} to stop"));
            }
            (None, None) if !self.requests.is_empty() => {
                self.bad_line(message.id, &"several states are open; say which one to stop");
            }
            // It had stopped already: the client's yield and the server's stop crossed.
            (None, _) => {}
        }
    }
}
