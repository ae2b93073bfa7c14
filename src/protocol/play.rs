//! A whole conversation, as a client that plays.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::client::ClientError;
use super::connection::{Connection, ConnectionError, Received, Started, Wire};
use super::{Client, ClientEvent, Identity, NotWanted, RequestId, State};

/// Chooses a pit for a server's question. Several may be thought about at once.
///
/// Any `Fn(&State, &Thought)` is one.
pub trait Thinker: Sync {
    /// Offers a pit to [`Thought::offer`], as often as a better one is found, and returns when it
    /// is done, or soon after [`Thought::is_stopped`].
    fn think(&self, state: &State, thought: &Thought);
}

impl<F: Fn(&State, &Thought) + Sync> Thinker for F {
    fn think(&self, state: &State, thought: &Thought) {
        self(state, thought);
    }
}

/// The thread between a thinker and the question it thinks about.
///
/// Dropped, it tells the server that nothing better will come.
#[derive(Debug)]
pub struct Thought(Beginning);

/// What makes a thought on the thread that thinks it: the conversation's own must not drop one,
/// since it would wait to be heard by itself.
#[derive(Debug)]
struct Beginning {
    request: RequestId,
    stopped: Arc<AtomicBool>,
    sender: SyncSender<Event>,
}

impl Thought {
    /// Tells the server this pit, by its number.
    pub fn offer(&self, pit: u8) {
        // When the conversation is over it is of no use any more.
        let _ = self.0.sender.send(Event::Offer(self.0.request, pit));
    }

    /// Whether the answer is of no use any more.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// What becomes true when the answer is of no use any more.
    pub fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.0.stopped
    }
}

impl Drop for Thought {
    fn drop(&mut self) {
        let _ = self.0.sender.send(Event::Done(self.0.request));
    }
}

/// Who follows a conversation.
pub trait Follower {
    /// Sees what happens, before anything is done about it.
    fn sees(&mut self, _event: &ClientEvent) {}

    /// Whether to take leave of the server. Asked many times a second.
    fn wants_to_leave(&self) -> bool {
        false
    }
}

/// Looks away, and stays to the end.
impl Follower for () {}

/// How long a server is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// For its first words.
    pub greeting: Duration,
    /// For anything after them; `None` waits for ever.
    pub silence: Option<Duration>,
}

/// Ten seconds for the first words, and for ever after them: a server may have nothing to ask.
impl Default for Patience {
    fn default() -> Self {
        Patience { greeting: Duration::from_secs(10), silence: None }
    }
}

/// Why a client plays no more, other than that the server took its leave.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The connection failed or was closed without a goodbye.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The server and the client do not understand each other.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Nothing came from the server.
    #[error("the server said nothing for {} seconds", .0.as_secs_f64())]
    Silent(Duration),
    /// The thinker offered a pit that it may not sow.
    #[error("the player chose badly: {0}")]
    Chosen(NotWanted),
}

/// Thoughts at once, at most, with those that were stopped and have not noticed yet.
const MOST_THREADS: usize = 2 * Client::MOST_REQUESTS;

/// What the conversation waits for.
#[derive(Debug)]
enum Event {
    Received(Received),
    Offer(RequestId, u8),
    Done(RequestId),
}

/// Plays on a server until it takes its leave, or the follower wants to.
///
/// Every question is thought about on a thread of its own.
///
/// # Errors
///
/// [`PlayError`]: the server heard goodbye then, if it was still there.
///
/// # Panics
///
/// When the thinker does.
///
/// ```no_run
/// use std::time::Duration;
/// use kalah::protocol::{Connection, Identity, Patience, State, Thought, play};
///
/// // Sows the pit that is nearest to the store.
/// let thinker = |state: &State, thought: &Thought| {
///     thought.offer(*state.legal_pits().last().expect("there is a legal pit"));
/// };
/// let connection = Connection::connect("localhost:2671", Duration::from_secs(5))?;
/// play(connection, Identity::default(), &thinker, Patience::default(), ())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn play(
    connection: Connection,
    identity: Identity,
    thinker: &impl Thinker,
    patience: Patience,
    follower: impl Follower,
) -> Result<(), PlayError> {
    let Started { wire, receiver, sender } = connection.start(Event::Received)?;
    thread::scope(|scope| {
        let begin = |state: State, thought: Beginning| {
            let thinking = thread::Builder::new().name("kgp-thinker".to_owned());
            let think = move || thinker.think(&state, &Thought(thought));
            thinking.spawn_scoped(scope, think).is_ok()
        };
        let client = Client::new(identity);
        let mut game = Game { client, wire, sender, stops: HashMap::new(), follower, begin };
        let result = game.run(&receiver, patience);
        // Nobody listens any more, so that no thinker waits to be heard.
        drop(receiver);
        game.leave();
        result
    })
}

/// A conversation under way.
struct Game<F, B> {
    client: Client,
    wire: Wire,
    sender: SyncSender<Event>,
    stops: HashMap<RequestId, Arc<AtomicBool>>,
    follower: F,
    begin: B,
}

/// The time between two looks at whether to leave.
const LOOK: Duration = Duration::from_millis(50);

impl<F: Follower, B: Fn(State, Beginning) -> bool> Game<F, B> {
    fn run(&mut self, events: &Receiver<Event>, patience: Patience) -> Result<(), PlayError> {
        let mut heard = Instant::now();
        loop {
            let limit = match self.client.is_playing() {
                true => patience.silence,
                false => Some(patience.greeting),
            };
            if self.follower.wants_to_leave() {
                return Ok(());
            }
            let left = limit.map_or(LOOK, |limit| limit.saturating_sub(heard.elapsed()).min(LOOK));
            match events.recv_timeout(left) {
                Ok(Event::Received(Received::Line(line))) => {
                    heard = Instant::now();
                    self.client.receive(line);
                }
                Ok(Event::Received(Received::Gone(error))) => return Err(error.into()),
                Ok(Event::Offer(request, pit)) => self.offer(request, pit)?,
                Ok(Event::Done(request)) => {
                    heard = Instant::now();
                    self.stops.remove(&request);
                    self.client.finish(request);
                }
                // While it is the client's turn the server may well be silent.
                Err(RecvTimeoutError::Timeout) if !self.stops.is_empty() => heard = Instant::now(),
                Err(RecvTimeoutError::Timeout) => match limit {
                    Some(limit) if heard.elapsed() >= limit => {
                        return Err(PlayError::Silent(limit));
                    }
                    _ => {}
                },
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ConnectionError::HungUp { within_line: false }.into());
                }
            }
            while let Some(event) = self.client.next_event() {
                self.follower.sees(&event);
                match event {
                    ClientEvent::Think(request, state) => self.think(request, state),
                    ClientEvent::Stop(request) => self.stop(request),
                    ClientEvent::Goodbye => return Ok(()),
                    ClientEvent::Failed(error) => return Err(error.into()),
                    ClientEvent::Set(_) | ClientEvent::Complaint(_) | ClientEvent::Declined(_) => {}
                }
            }
            self.send()?;
        }
    }

    fn offer(&mut self, request: RequestId, pit: u8) -> Result<(), PlayError> {
        match self.client.offer(request, pit) {
            // The offer and the server's stop crossed.
            Ok(()) | Err(NotWanted::Closed) => Ok(()),
            Err(error) => Err(PlayError::Chosen(error)),
        }
    }

    fn send(&mut self) -> Result<(), ConnectionError> {
        while let Some(message) = self.client.next_message() {
            self.wire.send(&message)?;
        }
        Ok(())
    }

    fn think(&mut self, request: RequestId, state: State) {
        let stopped = Arc::new(AtomicBool::new(false));
        let sender = self.sender.clone();
        let has_room = self.stops.len() < MOST_THREADS;
        if has_room && (self.begin)(state, Beginning { request, stopped: stopped.clone(), sender })
        {
            self.stops.insert(request, stopped);
        } else {
            // The server sows at random.
            self.client.finish(request);
        }
    }

    fn stop(&mut self, request: RequestId) {
        if let Some(stopped) = self.stops.get(&request) {
            stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Stops all thinking, and takes leave.
    fn leave(mut self) {
        for stopped in self.stops.values() {
            stopped.store(true, Ordering::Relaxed);
        }
        self.client.say_goodbye();
        // Whoever has gone already does not hear it.
        let _ = self.send();
    }
}
