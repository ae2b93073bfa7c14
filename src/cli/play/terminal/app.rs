//! The game at a terminal: what keys and thoughts do to it. No input and no output.

use std::time::Instant;

use kalah::players::{Choice, Level};
use kalah::rules::Pit;

use super::animation::Animation;
use super::keys::Action;
use super::thinking::{Desk, Job, Thought, Ticket};
use crate::cli::play::brain::PitValue;
use crate::cli::play::game::{Game, Move, Place, Side, View};
use crate::cli::play::session::Session;
use crate::cli::play::setup::Setup;
use crate::cli::play::sowing::last_place;
use crate::cli::play::words;
use crate::cli::wording::capitalised;

/// The most messages that are remembered.
const MOST_MESSAGES: usize = 50;

/// Stones in a pit that are offered for another game.
const SEEDS: [u8; 4] = [3, 4, 5, 6];

/// What follows in a list, around its end; the first when it is not there.
fn after<T: Copy + PartialEq>(all: &[T], one: &T) -> T {
    let next = all.iter().position(|other| other == one).map_or(0, |place| place + 1);
    all[next % all.len()]
}

/// What lies over the game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Overlay {
    /// What the keys mean.
    Help,
    /// Whether to begin another game, and which.
    NewGame(Setup),
}

/// What is being worked out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Working {
    /// The computer's pit.
    Choice,
    /// A hint.
    Hint,
    /// What every pit is worth.
    Values,
}

/// How somebody ended it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// By the key for it.
    Quit,
    /// As a signal would.
    Interrupted,
}

/// The game as it is shown.
pub struct App<'a, const P: usize> {
    session: &'a mut Session<P>,
    desk: Desk<P>,
    working: Option<Working>,
    /// The computer's pit, while what was before it is still being shown.
    ready: Option<Choice<P>>,
    /// The pit that is sown next, as far as the person has chosen.
    chosen: Option<Pit<P>>,
    animate: bool,
    animation: Option<Animation<P>>,
    /// What every pit is worth on the board as it is.
    values: Vec<PitValue<P>>,
    messages: Vec<String>,
    /// What is said once the move that is being shown has been.
    later: Vec<String>,
    overlay: Option<Overlay>,
    end: Option<End>,
}

impl<'a, const P: usize> App<'a, P> {
    /// Shows a game.
    pub fn new(session: &'a mut Session<P>, desk: Desk<P>, animate: bool, now: Instant) -> Self {
        let mut app = App {
            session,
            desk,
            working: None,
            ready: None,
            chosen: None,
            animate,
            animation: None,
            values: Vec::new(),
            messages: Vec::new(),
            later: Vec::new(),
            overlay: None,
            end: None,
        };
        let seed = app.session.setup().random_seed;
        app.say(format!("Random seed {seed}. Press ? for what the keys mean."));
        app.words_of_the_end().into_iter().for_each(|text| app.say(text));
        app.go_on(now);
        app
    }

    /// The game.
    pub fn game(&self) -> &Game<P> {
        self.session.game()
    }

    /// What the game is about.
    pub fn session(&self) -> &Session<P> {
        self.session
    }

    /// What lies where, as it is shown.
    pub fn view(&self) -> View<P> {
        self.animation.as_ref().map_or_else(|| self.game().view(), |shown| shown.frame().view)
    }

    /// The move that is being shown.
    pub fn animation(&self) -> Option<&Animation<P>> {
        self.animation.as_ref()
    }

    /// Whether sowings are shown stone by stone.
    pub fn animates(&self) -> bool {
        self.animate
    }

    /// What is being worked out.
    pub fn working(&self) -> Option<Working> {
        self.working
    }

    /// What lies over the game.
    pub fn overlay(&self) -> Option<Overlay> {
        self.overlay
    }

    /// What was said, the last at the end.
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// How somebody ended it.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The move made last, when nothing else is being shown.
    pub fn last_move(&self) -> Option<&Move<P>> {
        if self.animation.is_some() { None } else { self.game().moves().last() }
    }

    /// The pit that Enter would sow, when it is the person's turn.
    pub fn chosen(&self) -> Option<Pit<P>> {
        if self.may_sow() { self.chosen } else { None }
    }

    /// Where the last stone of the chosen pit would fall.
    pub fn landing(&self) -> Option<Place> {
        last_place(self.game().board(), Side::Person, self.chosen()?)
    }

    /// What the chosen pit would do.
    pub fn preview(&self) -> Option<Move<P>> {
        self.game().clone().play(self.chosen()?).ok()
    }

    /// What a pit is worth, when somebody asked.
    pub fn value(&self, pit: Pit<P>) -> Option<&PitValue<P>> {
        if !self.may_sow() {
            return None;
        }
        self.values.iter().find(|value| value.pit == pit)
    }

    /// Whether the person may sow now.
    pub fn may_sow(&self) -> bool {
        self.animation.is_none() && self.game().to_move() == Some(Side::Person)
    }

    /// Does what somebody wants.
    pub fn act(&mut self, action: Action, now: Instant) {
        match action {
            Action::Quit => return self.end = Some(End::Quit),
            Action::Interrupt => return self.end = Some(End::Interrupted),
            _ => {}
        }
        if let Some(overlay) = self.overlay.take() {
            if let Overlay::NewGame(setup) = overlay {
                self.agree(setup, action, now);
            }
            return;
        }
        let shown = self.animation.is_some();
        if shown {
            self.has_shown(now);
        }
        match action {
            Action::Left => self.choose_next(false),
            Action::Right => self.choose_next(true),
            Action::Pit(number) => self.choose_number(number, now),
            // Whoever is impatient with what is shown does not mean the next pit.
            Action::Sow if shown => {}
            Action::Sow => self.sow_chosen(now),
            Action::Undo => self.undo(now),
            Action::Hint => self.ask(Working::Hint),
            Action::Evaluate => self.ask(Working::Values),
            Action::Animation => {
                self.animate = !self.animate;
                let how = if self.animate { "stone by stone" } else { "at once" };
                self.say(format!("Sowings are shown {how}."));
            }
            Action::New => {
                self.overlay = Some(Overlay::NewGame(self.session.setup().next_game()));
            }
            Action::Help => self.overlay = Some(Overlay::Help),
            Action::No => self.give_up_asking(),
            Action::Yes | Action::Level | Action::Seeds | Action::First | Action::Unknown => {
                self.say("That key means nothing here; ? tells what the keys mean.".to_owned());
            }
            Action::Quit | Action::Interrupt => {}
        }
    }

    /// Takes what was worked out.
    pub fn take(&mut self, ticket: Ticket, thought: Thought<P>, now: Instant) {
        if !self.desk.wants(ticket) {
            return;
        }
        let working = self.working.take();
        match thought {
            Thought::Chosen(choice) => {
                self.ready = Some(choice);
                self.go_on(now);
            }
            Thought::Hint(hint) => {
                self.chosen = hint.pit.or(self.chosen);
                self.say(words::hint(&hint));
            }
            Thought::Values(values) => {
                self.say(words::about_values(&values));
                self.values = values;
            }
            Thought::Failed(reason) => {
                let what = match working {
                    Some(Working::Hint) => "There is no hint",
                    Some(Working::Values) => "There are no values",
                    _ => "The computer cannot move",
                };
                self.say(format!("{what}: {reason}."));
            }
        }
    }

    /// When there is something to show that time alone brings.
    pub fn due(&self) -> Option<Instant> {
        self.animation.as_ref().map(Animation::due)
    }

    /// Shows what is to be shown now. Whether that is something else.
    pub fn tick(&mut self, now: Instant) -> bool {
        match &mut self.animation {
            Some(animation) if animation.due() <= now => {
                if !animation.advance(now) {
                    self.has_shown(now);
                }
                true
            }
            _ => false,
        }
    }

    /// Has the computer move when it is its turn, and tells what is to be told.
    fn go_on(&mut self, now: Instant) {
        for notice in self.session.take_notices() {
            self.say(capitalised(&notice) + ".");
        }
        if self.game().to_move() == Some(Side::Computer) {
            match self.ready.take() {
                Some(choice) if self.animation.is_none() => self.answer(&choice, now),
                Some(choice) => self.ready = Some(choice),
                None if self.working == Some(Working::Choice) => {}
                None => {
                    let board = *self.game().board();
                    self.desk.ask(Job::Choose(board, self.session.choosing()));
                    self.working = Some(Working::Choice);
                }
            }
        }
        // The hand stays where it was, while there is something to sow.
        let legal = self.game().board().legal_pits();
        if self.may_sow() && !legal.clone().any(|pit| Some(pit) == self.chosen) {
            let near =
                |pit: &Pit<P>| self.chosen.map_or(0, |chosen| pit.index().abs_diff(chosen.index()));
            self.chosen = legal.min_by_key(near);
        }
    }

    /// Sows the computer's pit.
    fn answer(&mut self, choice: &Choice<P>, now: Instant) {
        let short = words::cut_short(self.session.setup(), choice);
        match self.session.play(choice.pit) {
            Ok(made) => self.made(&made, short, now),
            Err(error) => self.say(format!("The computer cannot move: {error}.")),
        }
    }

    /// A move was made.
    fn made(&mut self, made: &Move<P>, addition: &str, now: Instant) {
        self.values.clear();
        self.working = None;
        self.later.push(words::announced(made) + addition);
        self.later.extend(self.words_of_the_end());
        match self.animate {
            true => {
                self.animation = Some(Animation::new(made, now));
                self.go_on(now);
            }
            false => self.has_shown(now),
        }
    }

    /// The move was shown to its end, or nobody wants to see more of it.
    fn has_shown(&mut self, now: Instant) {
        self.animation = None;
        std::mem::take(&mut self.later).into_iter().for_each(|text| self.say(text));
        self.go_on(now);
    }

    fn sow_chosen(&mut self, now: Instant) {
        if !self.is_the_persons_turn() {
            return;
        }
        let Some(pit) = self.chosen else { return };
        self.desk.stop();
        match self.session.play(pit) {
            Ok(made) => self.made(&made, "", now),
            Err(error) => self.say(capitalised(&error.to_string()) + "."),
        }
    }

    /// Chooses the next pit in that direction, around the end of the row.
    fn choose_next(&mut self, to_the_right: bool) {
        if !self.may_sow() {
            return;
        }
        let mut legal: Vec<_> = self.game().board().legal_pits().collect();
        if !to_the_right {
            legal.reverse();
        }
        let place = legal.iter().position(|&pit| Some(pit) == self.chosen);
        let next = place.map_or(0, |place| place + 1);
        self.chosen = legal.get(next).or(legal.first()).copied();
    }

    fn choose_number(&mut self, number: usize, now: Instant) {
        if !self.is_the_persons_turn() {
            return;
        }
        match Pit::from_number(number) {
            Ok(pit) if !self.game().board().legal_pits().any(|legal| legal == pit) => {
                self.say(format!("Pit {pit} is empty; choose one that holds stones."));
            }
            Ok(pit) if self.chosen == Some(pit) => self.sow_chosen(now),
            Ok(pit) => self.chosen = Some(pit),
            Err(error) => self.say(capitalised(&error.to_string()) + "."),
        }
    }

    fn undo(&mut self, now: Instant) {
        if !self.game().can_undo() {
            return self.say("You have not sown anything yet.".to_owned());
        }
        self.forget();
        let taken = self.session.undo();
        let plural = if taken == 1 { "" } else { "s" };
        self.say(format!("Took back {taken} move{plural}."));
        self.go_on(now);
    }

    /// Agrees on another game, and begins it.
    fn agree(&mut self, mut setup: Setup, action: Action, now: Instant) {
        match action {
            Action::Level => setup.level = after(&Level::ALL, &setup.level),
            Action::Seeds => setup.seeds = after(&SEEDS, &setup.seeds),
            Action::First => setup.first = setup.first.other(),
            Action::No | Action::New => return,
            Action::Yes | Action::Sow => return self.new_game(setup, now),
            _ => {}
        }
        self.overlay = Some(Overlay::NewGame(setup));
    }

    fn new_game(&mut self, setup: Setup, now: Instant) {
        if self.session.new_game(setup).is_err() {
            return self.say("There is no such opening.".to_owned());
        }
        self.forget();
        self.chosen = None;
        self.say(format!("Another game, random seed {}.", setup.random_seed));
        self.go_on(now);
    }

    /// What was shown or worked out is about another board now.
    fn forget(&mut self) {
        self.desk.stop();
        self.working = None;
        self.ready = None;
        self.animation = None;
        self.later.clear();
        self.values.clear();
    }

    fn ask(&mut self, what: Working) {
        if !self.is_the_persons_turn() {
            return;
        }
        let board = *self.game().board();
        let job = if what == Working::Hint { Job::Hint(board) } else { Job::Evaluate(board) };
        self.desk.ask(job);
        self.working = Some(what);
    }

    fn give_up_asking(&mut self) {
        if matches!(self.working, Some(Working::Hint | Working::Values)) {
            self.desk.stop();
            self.working = None;
        }
        self.values.clear();
    }

    /// Whether it is, or says what it is instead. Not before the computer's move was shown, which
    /// speaks for itself.
    fn is_the_persons_turn(&mut self) -> bool {
        if self.animation.is_some() {
            return false;
        }
        let text = match self.game().to_move() {
            Some(Side::Person) => return true,
            Some(Side::Computer) => "It is the computer's turn; u takes back your last move.",
            None => "The game is over; n begins another one.",
        };
        self.say(text.to_owned());
        false
    }

    /// How the game ended, once it has.
    fn words_of_the_end(&self) -> Vec<String> {
        let told = [words::ended(self.session), words::record(self.session)];
        if self.game().is_over() { told.into_iter().flatten().collect() } else { Vec::new() }
    }

    fn say(&mut self, message: String) {
        if self.messages.last() == Some(&message) {
            return;
        }
        if self.messages.len() == MOST_MESSAGES {
            self.messages.remove(0);
        }
        self.messages.push(message);
    }
}
