//! The Kalah Game Protocol, version 1.0: how a server of games and a program that plays them talk.
//!
//! A server asks ("`state`": what would you sow here?), a client answers ("`move`", as often as it
//! thinks of something better, then "`yield`"). That activity is called *freeplay*, and it is the
//! only one spoken here. The client always moves as *south*: south is the mover of this crate, north
//! the opponent.
//!
//! ```text
//! server: kgp 1 0 1
//! client: mode freeplay
//! server: 4 state <3,0,0,3,3,3,3,3,3>
//! client: @4 move 1
//! client: @4 move 3
//! client: @4 yield
//! server: 6@4 stop
//! server: goodbye
//! ```
//!
//! # The layers
//!
//! | what | where |
//! | --- | --- |
//! | one line: ids, references, a name, arguments | [`Message`], [`Argument`], [`BoardLiteral`] |
//! | what a line means | [`Command`], [`Setting`] |
//! | who may say what when, without input or output | [`Client`], [`Server`] |
//! | lines over pipes and TCP, with limits and time outs | [`Connection`] |
//! | whole conversations | [`play()`] as a client, [`Host`] as a server |
//!
//! # Where this reads the specification with care
//!
//! Lines end in CR LF; a lone LF is understood. A line has at most [`MAX_LINE`] bytes; a longer one
//! is skipped and answered with an `error`. A name has at least one letter, since it could not be
//! told from an id otherwise, and arguments have blanks between them. Numbers must fit 64 bits.
//! Strings may hold any Unicode text but line breaks and NUL. Where the protocol wants a string, a
//! single word is one too. An id that its sender used before is answered with an `error`, and a
//! `state` with such an id is not played. A `move` that the server answers with an `error` is said
//! again, a few times: servers are known that send a state before they are ready for its answer. A
//! command that nobody knows is passed over, so that later versions can add some.
//!
//! ```
//! use kalah::protocol::{Command, Message};
//! use kalah::rules::Board;
//!
//! let message: Message = "8@4 state <3,10,2,1,2,3,4,2,0>".parse()?;
//! assert_eq!((message.id, message.reference), (Some(8), Some(4)));
//! let Command::State(literal) = Command::of(&message)? else { panic!("that is a state") };
//! let board: Board<3> = literal.board()?;
//! assert_eq!(board.to_string(), "1,2,3,10,4,2,0,2");
//!
//! let answer = Command::Move(2).answering(Some(8)).with_id(3);
//! assert_eq!(answer.to_string(), "3@8 move 2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod argument;
mod board;
mod client;
mod command;
mod connection;
mod host;
mod ids;
mod lines;
mod message;
mod outbox;
mod play;
mod server;
mod setting;

pub use argument::{Argument, Real, Text, Word};
pub use board::{BoardLiteral, Unplayable};
pub use client::{Client, ClientError, ClientEvent, Identity, NotWanted, RequestId, State};
pub use command::{Command, CommandError, VERSION, Version};
pub use connection::{Connection, ConnectionError, Received};
pub use host::{Host, HostError};
pub use ids::Ids;
pub use lines::{Line, LineError, Lines};
pub use message::{Message, MessageError, Name};
pub use play::{Follower, Patience, PlayError, Thinker, Thought, play};
pub use server::{Chosen, Decision, Faults, NotAsked, QuestionId, Server, ServerEvent};
pub use setting::{Clock, Setting, TimeMode};

/// The most bytes of a line, its end not counted.
pub const MAX_LINE: usize = 16_384;

/// How many lines that nobody understands are borne before a conversation is ended.
pub const MAX_BAD_LINES: u64 = 100;

/// What a peer wrote as an error shows it: on one line, whatever is in it, and not too long.
fn excerpt(text: &str) -> String {
    const MOST: usize = 32;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push_str("..");
    }
    shown
}
