//! A player that is asked for pits, and what it does instead of choosing one.

use std::time::{Duration, Instant};

use super::conduct::Fault;
use super::{JudgeError, Progress};
use crate::players::{Player, PlayerError, Watch};
use crate::rules::{Board, Pit};

/// Questions that a player may leave without an answer, one after the other, before it is asked no
/// more.
pub const MOST_UNANSWERED: u32 = 10;

/// A player that is judged.
pub(super) struct Seat<'p, 't, const P: usize> {
    player: &'p mut (dyn Player<P> + Send + 't),
    /// For each choice.
    time: Option<Duration>,
    /// How many questions it has left without an answer since its last one.
    unanswered: u32,
    /// Why it is asked no more.
    gave_up: Option<String>,
}

/// What came of a question.
pub(super) enum Answer<const P: usize> {
    /// A legal pit, and how long it took.
    Pit(Pit<P>, Duration),
    /// A fault, and what it is in words.
    Fault(Fault, String),
    /// Nothing: the judge was told to stop meanwhile.
    Stopped,
}

impl<'p, 't, const P: usize> Seat<'p, 't, P> {
    pub fn new(player: &'p mut (dyn Player<P> + Send + 't), time: Option<Duration>) -> Self {
        Seat { player, time, unanswered: 0, gave_up: None }
    }

    /// Has the player begin anew. Whether it can be asked.
    pub fn begin(&mut self, random_seed: u64) -> Result<bool, JudgeError> {
        if self.gave_up.is_none()
            && let Err(error) = self.player.begin_anew(random_seed)
        {
            // One that was there and is not any more is judged by what it did.
            match Fault::of(&error) {
                Some(_) => self.gave_up = Some(error.to_string()),
                None if self.unanswered > 0 => self.gave_up = Some(error.to_string()),
                None => return Err(error.into()),
            }
        }
        Ok(self.gave_up.is_none())
    }

    /// Why it is asked no more, if it is not.
    pub fn gave_up(&self) -> Option<&str> {
        self.gave_up.as_deref()
    }

    /// Asks for a pit on a board on which the game goes on.
    pub fn ask(
        &mut self,
        board: &Board<P>,
        progress: &dyn Progress,
    ) -> Result<Answer<P>, JudgeError> {
        let begun = Instant::now();
        let deadline = self.time.and_then(|time| begun.checked_add(time));
        let choice = self.player.choose(board, &Waiting { deadline, progress });
        let took = begun.elapsed();
        if progress.stop() {
            return Ok(Answer::Stopped);
        }
        let error = match choice {
            Ok(choice) if board.legal_pits().any(|pit| pit == choice.pit) => {
                self.unanswered = 0;
                return Ok(Answer::Pit(choice.pit, took));
            }
            Ok(choice) => illegal(board, choice.pit),
            Err(error) => error,
        };
        let Some(fault) = Fault::of(&error) else { return Err(error.into()) };
        let message = error.to_string();
        match fault {
            Fault::Illegal => self.unanswered = 0,
            _ => self.unanswered += 1,
        }
        if self.unanswered >= MOST_UNANSWERED {
            self.gave_up = Some(message.clone());
        }
        Ok(Answer::Fault(fault, message))
    }
}

fn illegal<const P: usize>(board: &Board<P>, pit: Pit<P>) -> PlayerError {
    let legal: Vec<_> = board.legal_pits().map(|pit| pit.to_string()).collect();
    PlayerError::IllegalPit { number: pit.number().into(), exists: true, legal: legal.join(", ") }
}

/// Waits for a choice until the time is over or the judge is to stop.
struct Waiting<'a> {
    deadline: Option<Instant>,
    progress: &'a dyn Progress,
}

impl<const P: usize> Watch<P> for Waiting<'_> {
    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn interrupted(&self) -> bool {
        self.progress.stop()
    }
}
