//! What is wrong with an engine, in the words of all players.

use std::process::ExitStatus;
use std::time::Duration;

use crate::players::PlayerError;
use crate::protocol::{Chosen, ConnectionError, Decision, HostError, NotAsked};
use crate::rules::Board;

/// Why a connection does not come about.
pub(super) fn of_connection(error: ConnectionError) -> PlayerError {
    match error {
        ConnectionError::Connect { address, error } => {
            PlayerError::Line { doing: format!("connect to {address}"), source: error }
        }
        ConnectionError::Start { program, error } => {
            PlayerError::Line { doing: format!("start '{program}'"), source: error }
        }
        ConnectionError::System(source) | ConnectionError::Broken(source) => {
            PlayerError::Line { doing: "talk to it".to_owned(), source }
        }
        ConnectionError::HungUp { within_line: true } => gone("it hung up in the middle of a line"),
        ConnectionError::HungUp { within_line: false } => gone("it hung up"),
        ConnectionError::NotReading => gone("it does not read what it is sent"),
    }
}

/// Why a conversation ends.
pub(super) fn of_host(error: HostError) -> PlayerError {
    match error {
        HostError::Connection(error) => of_connection(error),
        HostError::Silent { limit, .. } => PlayerError::Silent { after: limit },
        HostError::OtherMode(mode) => PlayerError::Unintelligible {
            said: shortened(&format!("mode {mode}")),
            expected: "mode freeplay".to_owned(),
        },
        HostError::Goodbye => PlayerError::Resigned,
        HostError::Babble => gone("so many of its lines made no sense that it was sent away"),
        HostError::NotAsked(NotAsked::Unplayable(_)) => PlayerError::GameOver,
        HostError::NotAsked(NotAsked::NotPlaying) => gone("it took its leave before"),
    }
}

/// Why an engine that had so long did not choose the pit that is sown; `None` when it did.
pub(super) fn of_decision<const P: usize>(
    board: &Board<P>,
    decision: &Decision,
    time: Duration,
) -> Option<PlayerError> {
    if decision.chosen == Chosen::ByClient {
        return None;
    }
    Some(match (decision.last_illegal, &decision.complaint) {
        (Some(number), _) => {
            let legal: Vec<_> = board.legal_pits().map(|pit| pit.to_string()).collect();
            PlayerError::IllegalPit {
                number,
                exists: usize::try_from(number).is_ok_and(|number| (1..=P).contains(&number)),
                legal: legal.join(", "),
            }
        }
        (None, Some(complaint)) => PlayerError::Declined { reason: shortened(complaint) },
        (None, None) if decision.yielded => PlayerError::Undecided,
        (None, None) => PlayerError::Silent { after: time },
    })
}

/// How a program ended by itself.
pub(super) fn how_it_ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("it exited with status {code}"),
        None => format!("it was ended by {status}"),
    }
}

fn gone(how: &str) -> PlayerError {
    PlayerError::Gone { how: how.to_owned() }
}

/// What an engine wrote, on one line and not too long.
fn shortened(text: &str) -> String {
    const MOST: usize = 100;
    let mut short = String::new();
    for character in text.chars().take(MOST) {
        match character.is_control() {
            true => short.extend(character.escape_default()),
            false => short.push(character),
        }
    }
    if text.chars().nth(MOST).is_some() {
        short.push_str("..");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_engine_says_stays_on_a_line() {
        assert_eq!(shortened("it's\n\u{1b}[2J"), "it's\\n\\u{1b}[2J");
        assert_eq!(shortened(&"ä".repeat(101)), format!("{}..", "ä".repeat(100)));
    }
}
