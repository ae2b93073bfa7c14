//! A game that is saved after every move, and counted when it ends.

use std::hash::{BuildHasher, RandomState};

use kalah::rules::{IllegalMove, Pit};
use kalah::tables::analysis::Outcome;

use super::brain::Choosing;
use super::folder::Locked;
use super::game::{Game, Move, Side};
use super::saved::{Resumed, Saved};
use super::setup::Setup;
use super::statistics::{Record, Statistics};
use crate::cli::args::opening;
use crate::cli::failure::Failure;

/// A game, and the files that it is kept in.
pub struct Session<const P: usize> {
    id: String,
    setup: Setup,
    game: Game<P>,
    data: Locked,
    statistics: Statistics,
    /// Whether the file of the saved game is this one's.
    saved: bool,
    /// Why the last write failed, if it did.
    unsaved: Option<String>,
    /// What a person should know, and has not been told.
    notices: Vec<String>,
}

impl<const P: usize> Session<P> {
    /// Begins a game. Nothing is written before the person's first move.
    ///
    /// # Errors
    ///
    /// When there is no such opening.
    pub fn new(setup: Setup, statistics: Statistics, data: Locked) -> Result<Self, Failure> {
        let board = opening(setup.seeds)?;
        let game = Game::new(board, setup.rules, setup.first);
        Ok(Session::of(random_id(), setup, game, statistics, data, false))
    }

    /// Goes on with a game.
    ///
    /// # Errors
    ///
    /// As [`Resumed::game`].
    pub fn resumed(
        resumed: &Resumed,
        setup: Setup,
        statistics: Statistics,
        data: Locked,
    ) -> Result<Self, Failure> {
        let game = resumed.game().map_err(Failure::failed)?;
        let mut session = Session::of(resumed.id.clone(), setup, game, statistics, data, true);
        // It may have ended a moment before the process did.
        session.count();
        Ok(session)
    }

    fn of(
        id: String,
        setup: Setup,
        game: Game<P>,
        statistics: Statistics,
        data: Locked,
        saved: bool,
    ) -> Self {
        let (unsaved, notices) = (None, Vec::new());
        Session { id, setup, game, data, statistics, saved, unsaved, notices }
    }

    /// What was agreed.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The game.
    pub fn game(&self) -> &Game<P> {
        &self.game
    }

    /// How the computer's next choice is to be made.
    pub fn choosing(&self) -> Choosing {
        let random_seed = self.setup.seed_after(self.game.moves().len());
        Choosing { level: self.setup.level, random_seed }
    }

    /// Sows a pit of whoever is to move.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`]; nothing changes then.
    pub fn play(&mut self, pit: Pit<P>) -> Result<Move<P>, IllegalMove> {
        let made = self.game.play(pit)?;
        // Until the person has begun, the game before is not given up.
        if self.saved || self.game.can_undo() || self.game.is_over() {
            self.save();
        }
        self.count();
        Ok(made)
    }

    /// Takes back everything from the person's last move on. How many moves that were.
    pub fn undo(&mut self) -> usize {
        let taken = self.game.undo();
        if taken > 0 {
            self.save();
        }
        taken
    }

    /// Begins another game.
    ///
    /// # Errors
    ///
    /// When there is no such opening; nothing changes then.
    pub fn new_game(&mut self, setup: Setup) -> Result<(), Failure> {
        let board = opening(setup.seeds)?;
        self.setup = setup;
        self.game = Game::new(board, setup.rules, setup.first);
        self.id = random_id();
        self.saved = false;
        Ok(())
    }

    /// How the game ended for the person; `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        let view = self.game.is_over().then(|| self.game.view())?;
        let (person, computer) = (view.store(Side::Person), view.store(Side::Computer));
        Some(Outcome::of(i16::from(person) - i16::from(computer)))
    }

    /// How games like this one ended.
    pub fn record(&self) -> Option<&Record> {
        self.statistics.record(&self.setup)
    }

    /// Whether the game can be taken up again as it is now.
    pub fn is_saved(&self) -> bool {
        self.saved && self.unsaved.is_none()
    }

    /// Why the game as it is now, or the statistics, could not be written.
    pub fn unsaved(&self) -> Option<&str> {
        self.unsaved.as_deref()
    }

    /// Has a person told this.
    pub fn notice(&mut self, notice: String) {
        self.notices.push(notice);
    }

    /// What a person should be told now.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn save(&mut self) {
        let saved = self.data.write(&Saved::new(&self.id, &self.setup, &self.game));
        self.saved |= saved.is_ok();
        self.note(saved, "the game is not saved");
    }

    /// Counts the game when it has ended. What was saved says that it has, so that it is counted
    /// all the same when the process dies before.
    fn count(&mut self) {
        let Some(outcome) = self.outcome() else { return };
        // A game that the file knows nothing of could not be told from another one later on.
        if !self.saved {
            return;
        }
        if self.statistics.has_counted(&self.id) {
            return;
        }
        self.statistics.count(&self.id, &self.setup, outcome);
        let written = self.data.write(&self.statistics);
        self.note(written, "the game is not counted");
    }

    /// Remembers whether a write failed, and says so unless the one before did too.
    fn note(&mut self, written: Result<(), String>, what: &str) {
        let failed = written.err().map(|reason| format!("{what}: {reason}"));
        if let (Some(reason), None) = (&failed, &self.unsaved) {
            self.notices.push(reason.clone());
        }
        self.unsaved = failed;
    }
}

/// What a game is known by: no other has the same.
fn random_id() -> String {
    format!("{:016x}", random())
}

/// A number that is another each time.
pub fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}
