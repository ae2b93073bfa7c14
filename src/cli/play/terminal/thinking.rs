//! Thinking on a thread of its own, so that the terminal stays alive.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use kalah::players::Choice;
use kalah::rules::Board;

use crate::cli::failure::one_line;
use crate::cli::play::brain::{Brain, Choosing, Hint, PitValue};

/// Something to work out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Job<const P: usize> {
    /// The computer's pit.
    Choose(Board<P>, Choosing),
    /// A hint.
    Hint(Board<P>),
    /// What every pit is worth.
    Evaluate(Board<P>),
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Thought<const P: usize> {
    /// The computer's pit.
    Chosen(Choice<P>),
    /// A hint.
    Hint(Hint<P>),
    /// What every pit is worth.
    Values(Vec<PitValue<P>>),
    /// Nothing, for this reason.
    Failed(String),
}

/// Which job, of all.
pub type Ticket = u64;

/// Who hands out jobs. Only the last one counts: those before are stopped.
pub struct Desk<const P: usize> {
    jobs: Sender<(Ticket, Job<P>)>,
    current: Arc<AtomicU64>,
}

/// Who does the jobs.
pub struct Bench<const P: usize> {
    jobs: Receiver<(Ticket, Job<P>)>,
    current: Arc<AtomicU64>,
}

/// A desk and its bench.
pub fn office<const P: usize>() -> (Desk<P>, Bench<P>) {
    let (sender, receiver) = channel();
    let current = Arc::new(AtomicU64::new(0));
    let desk = Desk { jobs: sender, current: Arc::clone(&current) };
    (desk, Bench { jobs: receiver, current })
}

impl<const P: usize> Desk<P> {
    /// Hands out a job.
    pub fn ask(&self, job: Job<P>) {
        let ticket = self.next();
        // When nobody works any more, whoever runs the bench notices.
        let _ = self.jobs.send((ticket, job));
    }

    /// Wants nothing any more.
    pub fn stop(&self) {
        self.next();
    }

    /// Whether what came of this job is still wanted.
    pub fn wants(&self, ticket: Ticket) -> bool {
        self.current.load(Ordering::SeqCst) == ticket
    }

    fn next(&self) -> Ticket {
        self.current.fetch_add(1, Ordering::SeqCst) + 1
    }
}

/// Nothing is wanted by nobody.
impl<const P: usize> Drop for Desk<P> {
    fn drop(&mut self) {
        self.stop();
    }
}

impl<const P: usize> Bench<P> {
    /// Does jobs until the desk is gone.
    pub fn work(self, mut brain: Brain<'_, P>, done: impl Fn(Ticket, Thought<P>)) {
        for (ticket, job) in &self.jobs {
            let stopped = || self.current.load(Ordering::SeqCst) != ticket;
            if stopped() {
                continue;
            }
            let thought = match job {
                Job::Choose(board, choosing) => brain
                    .choose(&board, choosing, &stopped)
                    .map_or_else(|error| Thought::Failed(one_line(&error)), Thought::Chosen),
                Job::Hint(board) => {
                    brain.hint(&board, &stopped).map_or_else(Thought::Failed, Thought::Hint)
                }
                Job::Evaluate(board) => {
                    brain.evaluate(&board, &stopped).map_or_else(Thought::Failed, Thought::Values)
                }
            };
            done(ticket, thought);
        }
    }

    /// The jobs that were handed out, for those who do them another way.
    #[cfg(test)]
    pub fn jobs(&self) -> Vec<(Ticket, Job<P>)> {
        self.jobs.try_iter().collect()
    }
}
