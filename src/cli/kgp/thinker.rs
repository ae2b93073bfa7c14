//! The level that answers a server's questions.

use std::any::Any;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kalah::players::{Choice, Player, Watch};
use kalah::protocol::{State, Thought};
use kalah::rules::{MAX_PITS, Rules};
use kalah::tables::Tablebase;
use kalah::with_pits;

use super::Args;
use super::budget::Clocks;
use super::report::Report;
use crate::cli::failure::{Failure, one_line};
use crate::cli::levels;
use crate::cli::output::complain;

/// Answers questions about boards of any size, several at once.
pub struct Thinker<'a> {
    args: &'a Args,
    report: &'a Report,
    pub clocks: Clocks,
    /// For 1, 2, .. pits a side a [`Team`] of so many pits, made when it is first needed.
    teams: [OnceLock<Box<dyn Any + Send + Sync>>; MAX_PITS],
}

/// The players for boards of one size.
struct Team<const P: usize> {
    /// Kept to the end of the process, as the players are.
    tables: &'static Tablebase<P>,
    /// Those that think about nothing now. Who was last to think is the next: what it remembers is
    /// of the most use.
    idle: Mutex<Vec<Box<dyn Player<P> + Send>>>,
}

impl<'a> Thinker<'a> {
    /// A thinker of the level that the command line names.
    ///
    /// # Errors
    ///
    /// When its tables cannot be used.
    pub fn new(args: &'a Args, report: &'a Report) -> Result<Self, Failure> {
        let thinker =
            Thinker { args, report, clocks: Clocks::default(), teams: Default::default() };
        // What is wrong with the folder is better told before anybody waits for an answer.
        thinker.teams[USUAL_PITS - 1]
            .set(Box::new(Team::<USUAL_PITS>::new(args)?))
            .expect("no team was made before");
        Ok(thinker)
    }

    /// The players for boards of this size; `None` when their tables cannot be used.
    fn team<const P: usize>(&self) -> Option<&Team<P>> {
        let team = self.teams[P - 1].get_or_init(|| match Team::<P>::new(self.args) {
            Ok(team) => Box::new(team),
            Err(failure) => {
                failure.report();
                Box::new(())
            }
        });
        team.downcast_ref()
    }
}

/// What most servers play with.
const USUAL_PITS: usize = 6;

impl<const P: usize> Team<P> {
    fn new(args: &Args) -> Result<Self, Failure> {
        // The protocol knows no others.
        let tables = levels::open(&args.folder, Rules::Standard, &args.output)?;
        Ok(Team { tables: Box::leak(Box::new(tables)), idle: Mutex::new(Vec::new()) })
    }

    fn player(&self, args: &Args) -> Box<dyn Player<P> + Send> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| {
            args.level().player(&args.levels.options(self.tables, args.threads.count()))
        })
    }

    fn retire(&self, player: Box<dyn Player<P> + Send>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(player);
    }
}

impl kalah::protocol::Thinker for Thinker<'_> {
    fn think(&self, state: &State, thought: &Thought) {
        with_pits!(state.pits(), think(self, state, thought)).expect("larger boards are declined");
    }
}

fn think<const P: usize>(thinker: &Thinker<'_>, state: &State, thought: &Thought) {
    let begun = Instant::now();
    let board = state.board::<P>().expect("boards that are not played are declined");
    let budget = thinker.clocks.budget(state.clock(), board.pits().stones());
    let due = budget.and_then(|budget| begun.checked_add(budget));
    let Some(team) = thinker.team::<P>() else { return };
    let mut player = team.player(thinker.args);
    let choice = player.choose(&board, &Asked { thought, due });
    team.retire(player);
    let time = begun.elapsed();
    thinker.clocks.take(time);
    match choice {
        Ok(choice) => {
            thought.offer(choice.pit.number());
            thinker.report.answered(&board, &choice, time);
            if thinker.args.connect.is_some() {
                thread::sleep(UNHURRIED.saturating_sub(begun.elapsed()));
            }
        }
        Err(error) => complain(&format!("on {board}: {}", one_line(&error))),
    }
}

/// How long a server over the network is left to find a pit wrong before a yield makes it final.
/// Some send a state before they are ready for its answer, find that wrong, and would then sow at
/// random.
const UNHURRIED: Duration = Duration::from_millis(20);

/// A server that waits for an answer.
struct Asked<'a> {
    thought: &'a Thought,
    due: Option<Instant>,
}

impl<const P: usize> Watch<P> for Asked<'_> {
    fn deadline(&self) -> Option<Instant> {
        self.due
    }

    fn interrupted(&self) -> bool {
        self.thought.is_stopped()
    }

    fn leaning(&self, choice: &Choice<P>) {
        self.thought.offer(choice.pit.number());
    }
}
