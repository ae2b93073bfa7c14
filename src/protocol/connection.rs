//! Lines to and from a peer, over pipes and TCP.

use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::process::{self, Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::lines::{Line, LineError, Lines};
use super::message::Message;

/// A way to a peer, on which nothing was said yet.
pub struct Connection {
    reader: Box<dyn Read + Send>,
    writer: Box<dyn Write + Send>,
    peer: Peer,
}

/// Who is at the other end, as far as it has to be let go.
#[derive(Debug)]
enum Peer {
    Streams,
    Tcp(TcpStream),
    Program(Child),
}

/// Something from the peer.
#[derive(Debug)]
pub enum Received {
    /// A line, and what it says.
    Line(Result<Message, LineError>),
    /// Nothing more will come.
    Gone(ConnectionError),
}

/// What can be wrong with a connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// Nobody answers at an address.
    #[error("cannot connect to {address}: {error}")]
    Connect {
        /// The address.
        address: String,
        /// The system's answer.
        error: io::Error,
    },
    /// A program does not start.
    #[error("cannot start {program}: {error}")]
    Start {
        /// The program.
        program: String,
        /// The system's answer.
        error: io::Error,
    },
    /// The system gives no threads or sockets to talk with.
    #[error("cannot talk to the other side: {0}")]
    System(io::Error),
    /// The peer closed the connection, or died.
    #[error("the other side hung up{}", if *.within_line { " in the middle of a line" } else { "" })]
    HungUp {
        /// Whether it had begun a line.
        within_line: bool,
    },
    /// The peer does not read what is said to it.
    #[error("the other side does not read what it is sent")]
    NotReading,
    /// Reading or writing failed.
    #[error("the connection broke: {0}")]
    Broken(io::Error),
}

impl Connection {
    /// Over any two streams.
    ///
    /// Threads read and write them until they end, longer than the conversation when a read or a
    /// write does not return.
    pub fn over(reader: impl Read + Send + 'static, writer: impl Write + Send + 'static) -> Self {
        Connection { reader: Box::new(reader), writer: Box::new(writer), peer: Peer::Streams }
    }

    /// Over a TCP connection that stands.
    ///
    /// # Errors
    ///
    /// [`ConnectionError::System`].
    pub fn tcp(stream: TcpStream) -> Result<Self, ConnectionError> {
        let clone = || stream.try_clone().map_err(ConnectionError::System);
        // Lines are short, and each is waited for.
        stream.set_nodelay(true).map_err(ConnectionError::System)?;
        Ok(Connection {
            reader: Box::new(clone()?),
            writer: Box::new(clone()?),
            peer: Peer::Tcp(stream),
        })
    }

    /// Connects to an address, `host:port`, over TCP.
    ///
    /// # Errors
    ///
    /// [`ConnectionError::Connect`] when there is no such address or nobody answers in time.
    pub fn connect(address: &str, limit: Duration) -> Result<Self, ConnectionError> {
        let failed = |error| ConnectionError::Connect { address: address.to_owned(), error };
        let mut reason = io::Error::new(io::ErrorKind::NotFound, "there is no such address");
        for socket in address.to_socket_addrs().map_err(failed)? {
            match TcpStream::connect_timeout(&socket, limit) {
                Ok(stream) => return Connection::tcp(stream),
                Err(error) => reason = error,
            }
        }
        Err(failed(reason))
    }

    /// Starts a program and talks over its standard input and output. It is ended with the
    /// conversation.
    ///
    /// # Errors
    ///
    /// [`ConnectionError::Start`].
    pub fn program(command: &mut process::Command) -> Result<Self, ConnectionError> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| ConnectionError::Start {
            program: command.get_program().to_string_lossy().into_owned(),
            error,
        })?;
        let (writer, reader) = (child.stdin.take(), child.stdout.take());
        Ok(Connection {
            reader: Box::new(reader.expect("standard output is piped")),
            writer: Box::new(writer.expect("standard input is piped")),
            peer: Peer::Program(child),
        })
    }

    /// Begins to read and write. What arrives is wrapped and comes in order from the receiver;
    /// others can send there too.
    pub(super) fn start<T: Send + 'static>(
        self,
        wrap: fn(Received) -> T,
    ) -> Result<Started<T>, ConnectionError> {
        let Connection { reader, writer, peer } = self;
        let (sender, receiver) = mpsc::sync_channel(MOST_WAITING);
        let (outgoing, lines) = mpsc::channel();
        let (done, drained) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        // From here on, whoever leaves early lets the peer go.
        let wire = Wire { outgoing: Some(outgoing), waiting: waiting.clone(), drained, peer };
        let named = |name: &str| thread::Builder::new().name(name.to_owned());
        let reading = sender.clone();
        named("kgp-reader")
            .spawn(move || read_all(reader, &reading, wrap))
            .map_err(ConnectionError::System)?;
        let writing = sender.clone();
        named("kgp-writer")
            .spawn(move || {
                if let Err(error) = write_all(writer, &lines, &waiting) {
                    // When nobody listens any more it does not matter.
                    let _ = writing.send(wrap(Received::Gone(of_io(error))));
                }
                drop(done);
            })
            .map_err(ConnectionError::System)?;
        Ok(Started { wire, receiver, sender })
    }
}

/// A connection that is read and written.
pub(super) struct Started<T> {
    pub wire: Wire,
    pub receiver: Receiver<T>,
    pub sender: SyncSender<T>,
}

/// Lines that were read and not looked at, at most: a peer that floods has to wait.
const MOST_WAITING: usize = 64;

/// Lines that were said and not written, at most.
const MOST_UNREAD: usize = 4096;

/// How long a peer has to hear the last words and to end on its own, unless it is said.
const GRACE: Duration = Duration::from_secs(1);

/// However long a peer is given, no longer than this.
const LONGEST_GRACE: Duration = Duration::from_secs(24 * 60 * 60);

/// The way to the peer. Dropped, it lets the peer go.
#[derive(Debug)]
pub(super) struct Wire {
    outgoing: Option<Sender<String>>,
    waiting: Arc<AtomicUsize>,
    /// Says, by ending, that all was written.
    drained: Receiver<()>,
    peer: Peer,
}

impl Wire {
    /// Sends a message, without waiting for the peer to read it.
    ///
    /// A peer that has gone is told of by the receiver, after all it said before.
    pub fn send(&self, message: &Message) -> Result<(), ConnectionError> {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MOST_UNREAD {
            return Err(ConnectionError::NotReading);
        }
        if let Some(outgoing) = &self.outgoing {
            let _ = outgoing.send(format!("{message}\r\n"));
        }
        Ok(())
    }

    /// Lets the peer hear the last words, and go; how it ended, if it is a program that ended on
    /// its own.
    pub fn close(mut self, grace: Duration) -> Option<ExitStatus> {
        self.release(grace)
    }

    fn release(&mut self, grace: Duration) -> Option<ExitStatus> {
        self.outgoing.take()?;
        let begin = Instant::now();
        // For ever would be longer than the clock goes on.
        let grace = grace.min(LONGEST_GRACE);
        let _ = self.drained.recv_timeout(grace);
        match &mut self.peer {
            Peer::Streams => None,
            Peer::Tcp(stream) => {
                hang_up(stream, begin + grace);
                None
            }
            Peer::Program(child) => end(child, grace.saturating_sub(begin.elapsed())),
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.release(GRACE);
    }
}

/// Ends what is said, and reads until the peer ends too or the time is over: a system that closes a
/// connection with something unread resets it, and with that takes back the last words on their way.
///
/// The thread that reads may have to wait for somebody to look at what it has read, so it is not
/// relied upon; what both read is of no more interest.
fn hang_up(mut stream: &TcpStream, deadline: Instant) {
    let _ = stream.shutdown(Shutdown::Write);
    let mut unheard = [0; 4096];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            break;
        }
        match stream.read(&mut unheard) {
            Ok(0) => break,
            Err(error) if error.kind() != io::ErrorKind::Interrupted => break,
            _ => {}
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

/// Waits for a program's end, and makes one in the end.
fn end(child: &mut Child, grace: Duration) -> Option<ExitStatus> {
    const PAUSE: Duration = Duration::from_millis(5);
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if begin.elapsed() < grace => thread::sleep(PAUSE),
            _ => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn read_all<T>(reader: impl Read, sender: &SyncSender<T>, wrap: fn(Received) -> T) {
    let mut lines = Lines::new(BufReader::new(reader));
    loop {
        let received = match lines.next_line() {
            Ok(Line::Whole(line)) => Received::Line(line),
            Ok(Line::End { within_line }) => {
                Received::Gone(ConnectionError::HungUp { within_line })
            }
            Err(error) => Received::Gone(of_io(error)),
        };
        let is_last = matches!(received, Received::Gone(_));
        if sender.send(wrap(received)).is_err() || is_last {
            return;
        }
    }
}

fn write_all(
    mut writer: impl Write,
    lines: &Receiver<String>,
    waiting: &AtomicUsize,
) -> io::Result<()> {
    for line in lines {
        writer.write_all(line.as_bytes())?;
        writer.flush()?;
        waiting.fetch_sub(1, Ordering::Relaxed);
    }
    Ok(())
}

fn of_io(error: io::Error) -> ConnectionError {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
    match error.kind() {
        BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected => {
            ConnectionError::HungUp { within_line: false }
        }
        _ => ConnectionError::Broken(error),
    }
}
