//! Messages that wait to be sent.

use std::collections::VecDeque;

use super::{Command, Message};

/// Numbers commands and keeps them until they are sent.
///
/// A client's ids are odd and a server's even, so that a person who reads along is not confused by
/// the same number from both.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    next_id: u64,
    waiting: VecDeque<Message>,
}

impl Outbox {
    /// That of a client.
    pub fn of_client() -> Self {
        Outbox { next_id: 1, waiting: VecDeque::new() }
    }

    /// That of a server. The first id is 2: some clients take 0 for none.
    pub fn of_server() -> Self {
        Outbox { next_id: 2, waiting: VecDeque::new() }
    }

    /// Sends a command, and gives its id.
    pub fn send(&mut self, command: &Command) -> u64 {
        self.answer(None, command)
    }

    /// Sends a command that is about another, and gives its id.
    pub fn answer(&mut self, reference: Option<u64>, command: &Command) -> u64 {
        let id = self.next_id;
        self.next_id += 2;
        self.waiting.push_back(command.answering(reference).with_id(id));
        id
    }

    /// Says that something was wrong.
    pub fn complain(&mut self, reference: Option<u64>, reason: &dyn std::fmt::Display) {
        self.answer(reference, &Command::Error(reason.to_string()));
    }

    /// The next message to send.
    pub fn next(&mut self) -> Option<Message> {
        self.waiting.pop_front()
    }
}
