//! The server's side of a conversation with one client, without input or output.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::ops::Add;

use crate::rules::Board;

use super::outbox::Outbox;
use super::{
    BoardLiteral, Command, Ids, LineError, MAX_BAD_LINES, Message, Setting, Unplayable, VERSION,
};

/// A question to the client: the id of its `state`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct QuestionId(u64);

/// What happened.
#[derive(Clone, PartialEq, Debug)]
pub enum ServerEvent {
    /// The client asked for freeplay: questions can be asked.
    Ready,
    /// The client would sow this pit, for the time being.
    Moved(QuestionId, u8),
    /// The client would sow a pit that is empty or does not exist, and was told so.
    Illegal(QuestionId, i64),
    /// The client will not find anything better.
    Yielded(QuestionId),
    /// The client is there.
    Pong,
    /// The client gave a hint.
    Set(Setting),
    /// The client says that something was wrong, perhaps with a question.
    Complaint(Option<QuestionId>, String),
    /// The client took its leave. Nothing follows.
    Goodbye,
    /// The client asked for an activity that there is not here. Nothing follows.
    OtherMode(String),
    /// Too many lines of the client made no sense. Nothing follows.
    Babble,
}

/// What is sown in the end.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Decision {
    /// The number of the pit, always a legal one.
    pub pit: u8,
    /// Who chose it.
    pub chosen: Chosen,
    /// How many legal pits the client named for this question, each better than the last.
    pub moves: u64,
    /// How many others it named.
    pub illegal: u64,
    /// The last of those, as it named it.
    pub last_illegal: Option<i64>,
    /// What the client said last that was wrong with the question.
    pub complaint: Option<String>,
    /// Whether the client said itself that it was done.
    pub yielded: bool,
}

/// Who chose a pit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Chosen {
    /// The client: its last legal move.
    ByClient,
    /// The server, at random, because the client named no legal pit.
    AtRandom,
}

/// What a client did that it must not do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Faults {
    /// Questions for which it named no pit at all.
    pub silent: u64,
    /// Moves that were not legal.
    pub illegal: u64,
    /// Lines that nobody understands, or commands with wrong arguments or out of turn.
    pub bad_lines: u64,
    /// Ids used twice.
    pub repeated_ids: u64,
    /// Answers to questions that were never asked.
    pub unasked: u64,
}

/// A server in the middle of a conversation.
///
/// What arrives goes into [`Server::receive`]; what is to be sent comes from
/// [`Server::next_message`], and what happened from [`Server::next_event`].
///
/// ```
/// use kalah::protocol::{Chosen, Server, ServerEvent};
/// use kalah::rules::Board;
///
/// let mut server = Server::new("judge");
/// server.receive("mode freeplay".parse().map_err(Into::into));
/// assert_eq!(server.next_event(), Some(ServerEvent::Ready));
///
/// let question = server.ask(&Board::<6>::opening(4)?)?;
/// server.receive("@6 move 3".parse().map_err(Into::into));
/// assert_eq!(server.next_event(), Some(ServerEvent::Moved(question, 3)));
/// let decision = server.decide(question, |_| 0).unwrap();
/// assert_eq!((decision.pit, decision.chosen), (3, Chosen::ByClient));
///
/// let mut sent = std::iter::from_fn(|| server.next_message());
/// assert_eq!(sent.next().unwrap().to_string(), "2 kgp 1 0 1");
/// assert_eq!(sent.next().unwrap().to_string(), r#"4 set info:name "judge""#);
/// assert_eq!(sent.next().unwrap().to_string(), "6 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>");
/// assert_eq!(sent.next().unwrap().to_string(), "8@6 stop");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server {
    phase: Phase,
    ids: Ids,
    questions: BTreeMap<QuestionId, Question>,
    asked: Ids,
    faults: Faults,
    outbox: Outbox,
    events: VecDeque<ServerEvent>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The client has not said what it wants.
    Greeting,
    Playing,
    Over,
}

/// A question that is open.
#[derive(Debug, Default)]
struct Question {
    legal: Vec<u8>,
    pit: Option<u8>,
    moves: u64,
    illegal: u64,
    last_illegal: Option<i64>,
    complaint: Option<String>,
    yielded: bool,
}

/// Why a question is not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAsked {
    /// The client has not asked for freeplay, or the conversation is over.
    #[error("the client does not play now")]
    NotPlaying,
    /// There is nothing to choose.
    #[error(transparent)]
    Unplayable(#[from] Unplayable),
}

impl Server {
    /// A server of this name that greets a client.
    pub fn new(name: &str) -> Self {
        let mut outbox = Outbox::of_server();
        outbox.send(&Command::Kgp(VERSION));
        outbox.send(&Command::Set(Setting::Name(name.to_owned())));
        Server {
            phase: Phase::Greeting,
            ids: Ids::default(),
            questions: BTreeMap::new(),
            asked: Ids::default(),
            faults: Faults::default(),
            outbox,
            events: VecDeque::new(),
        }
    }

    /// The next message to send.
    pub fn next_message(&mut self) -> Option<Message> {
        self.outbox.next()
    }

    /// The next thing that happened.
    pub fn next_event(&mut self) -> Option<ServerEvent> {
        self.events.pop_front()
    }

    /// What the client did that it must not do, up to now.
    pub fn faults(&self) -> Faults {
        self.faults
    }

    /// Asks what the client would sow here.
    ///
    /// # Errors
    ///
    /// [`NotAsked`] when the client does not play now, or the game is over.
    pub fn ask<const P: usize>(&mut self, board: &Board<P>) -> Result<QuestionId, NotAsked> {
        if self.phase != Phase::Playing {
            return Err(NotAsked::NotPlaying);
        }
        let literal = BoardLiteral::from(board);
        let legal = literal.legal_pits()?;
        let id = self.outbox.send(&Command::State(literal));
        self.asked.insert(id);
        let question = Question { legal, ..Question::default() };
        self.questions.insert(QuestionId(id), question);
        Ok(QuestionId(id))
    }

    /// Ends a question, and says what is sown: the last legal pit that the client named, or else a
    /// random one. `pick` is given a number of legal pits and chooses one of them, counted from 0.
    ///
    /// `None` when the question was ended before.
    pub fn decide(
        &mut self,
        question: QuestionId,
        pick: impl FnOnce(usize) -> usize,
    ) -> Option<Decision> {
        let asked = self.questions.remove(&question)?;
        let Question { legal, pit, moves, illegal, last_illegal, complaint, yielded } = asked;
        if self.phase == Phase::Playing {
            self.outbox.answer(Some(question.0), &Command::Stop);
        }
        // An illegal move is a fault of its own, and not silence.
        if moves + illegal == 0 {
            self.faults.silent += 1;
        }
        let chosen = if pit.is_some() { Chosen::ByClient } else { Chosen::AtRandom };
        let pit = pit.unwrap_or_else(|| legal[pick(legal.len()) % legal.len()]);
        Some(Decision { pit, chosen, moves, illegal, last_illegal, complaint, yielded })
    }

    /// Gives the client a hint.
    pub fn set(&mut self, setting: Setting) {
        if self.phase != Phase::Over {
            self.outbox.send(&Command::Set(setting));
        }
    }

    /// Asks whether the client is there.
    pub fn ping(&mut self) {
        if self.phase != Phase::Over {
            self.outbox.send(&Command::Ping(None));
        }
    }

    /// Takes leave of the client.
    pub fn say_goodbye(&mut self) {
        if self.phase != Phase::Over {
            self.outbox.send(&Command::Goodbye);
            self.phase = Phase::Over;
        }
    }

    /// Takes a line from the client.
    pub fn receive(&mut self, line: Result<Message, LineError>) {
        match line {
            _ if self.phase == Phase::Over => {}
            Ok(message) => self.hear(&message),
            Err(error) => self.bad_line(None, &error),
        }
    }

    fn bad_line(&mut self, about: Option<u64>, error: &dyn fmt::Display) {
        self.faults.bad_lines += 1;
        self.outbox.complain(about, error);
        if self.faults.bad_lines > MAX_BAD_LINES {
            self.say_goodbye();
            self.events.push_back(ServerEvent::Babble);
        }
    }

    fn hear(&mut self, message: &Message) {
        // Nothing refers to a client's command, so that it can be told what it means all the same.
        if message.id.is_some_and(|id| !self.ids.insert(id)) {
            self.faults.repeated_ids += 1;
            self.outbox.complain(message.id, &"this id was used before");
        }
        match Command::of(message) {
            Err(error) => self.bad_line(message.id, &error),
            Ok(Command::Mode(activity)) => self.begin(message, activity),
            Ok(Command::Move(pit)) => self.choose(message, pit),
            Ok(Command::Yield) => {
                if let Some(question) = self.meant(message)
                    && let Some(asked) = self.questions.get_mut(&question)
                    && !std::mem::replace(&mut asked.yielded, true)
                {
                    self.events.push_back(ServerEvent::Yielded(question));
                }
            }
            Ok(Command::Ping(argument)) => {
                self.outbox.answer(message.id, &Command::Pong(argument));
            }
            Ok(Command::Pong(_)) => self.events.push_back(ServerEvent::Pong),
            Ok(Command::Set(setting)) => self.events.push_back(ServerEvent::Set(setting)),
            Ok(Command::Error(reason)) => {
                let about = message.reference.map(QuestionId);
                let about = about.filter(|question| self.questions.contains_key(question));
                if let Some(asked) = about.and_then(|question| self.questions.get_mut(&question)) {
                    asked.complaint = Some(reason.clone());
                }
                self.events.push_back(ServerEvent::Complaint(about, reason));
            }
            Ok(Command::Goodbye) => {
                self.phase = Phase::Over;
                self.events.push_back(ServerEvent::Goodbye);
            }
            Ok(Command::Kgp(_) | Command::State(_) | Command::Stop) => {
                self.bad_line(message.id, &"only a server says that");
            }
            Ok(Command::Ok(_) | Command::Other(..)) => {}
        }
    }

    fn begin(&mut self, message: &Message, activity: String) {
        if self.phase == Phase::Playing {
            self.bad_line(message.id, &"the activity cannot be changed");
        } else if activity == "freeplay" {
            self.phase = Phase::Playing;
            self.events.push_back(ServerEvent::Ready);
        } else {
            self.outbox.complain(message.id, &"Unsupported activity");
            self.say_goodbye();
            self.events.push_back(ServerEvent::OtherMode(activity));
        }
    }

    fn choose(&mut self, message: &Message, pit: i64) {
        let Some(question) = self.meant(message) else { return };
        let Some(asked) = self.questions.get_mut(&question) else { return };
        if asked.yielded {
            return;
        }
        if let Some(&legal) = asked.legal.iter().find(|&&legal| i64::from(legal) == pit) {
            asked.pit = Some(legal);
            asked.moves += 1;
            self.events.push_back(ServerEvent::Moved(question, legal));
        } else {
            asked.illegal += 1;
            asked.last_illegal = Some(pit);
            self.faults.illegal += 1;
            self.outbox.complain(message.id, &format!("pit {pit} is empty or does not exist"));
            self.events.push_back(ServerEvent::Illegal(question, pit));
        }
    }

    /// The open question that a message is about.
    ///
    /// What comes after the end of a question is passed over, as the protocol wants it; what is
    /// about nothing that was ever asked is a fault.
    fn meant(&mut self, message: &Message) -> Option<QuestionId> {
        let (question, was_asked) = match message.reference {
            Some(id) => {
                let question = Some(QuestionId(id));
                (question.filter(|id| self.questions.contains_key(id)), self.asked.contains(id))
            }
            None => match self.questions.len() {
                0 => (None, !self.asked.is_empty()),
                1 => (self.questions.keys().next().copied(), true),
                _ => (None, false),
            },
        };
        if !was_asked {
            self.faults.unasked += 1;
            self.outbox.complain(message.id, &"there was no such state");
        }
        question
    }
}

/// The faults of two conversations together.
impl Add for Faults {
    type Output = Faults;

    fn add(self, other: Faults) -> Faults {
        Faults {
            silent: self.silent + other.silent,
            illegal: self.illegal + other.illegal,
            bad_lines: self.bad_lines + other.bad_lines,
            repeated_ids: self.repeated_ids + other.repeated_ids,
            unasked: self.unasked + other.unasked,
        }
    }
}

impl Faults {
    /// All of them together.
    pub fn total(&self) -> u64 {
        let Faults { silent, illegal, bad_lines, repeated_ids, unasked } = self;
        silent + illegal + bad_lines + repeated_ids + unasked
    }
}
