//! The game at a terminal, without one.

use std::time::Instant;

use kalah::players::{Choice, Level};
use kalah::rules::{Pit, Rules};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::app::{App, End, Overlay, Working};
use super::draw::{LEAST, Palette, draw};
use super::keys::Action;
use super::thinking::{Bench, Job, Thought, office};
use crate::cli::play::folder::Folder;
use crate::cli::play::game::Side;
use crate::cli::play::session::Session;
use crate::cli::play::setup::Setup;
use crate::cli::play::statistics::Statistics;

/// A session in a folder that goes with it.
fn session<const P: usize>(first: Side) -> (tempfile::TempDir, Session<P>) {
    let folder = tempfile::tempdir().unwrap();
    let data = Folder::at(folder.path()).lock().unwrap();
    let setup = Setup {
        pits: P as u8,
        seeds: 3,
        rules: Rules::Standard,
        level: Level::Hard,
        first,
        time: None,
        random_seed: 1,
    };
    (folder, Session::new(setup, Statistics::default(), data).unwrap())
}

fn app<const P: usize>(session: &mut Session<P>, animate: bool) -> (App<'_, P>, Bench<P>) {
    let (desk, bench) = office();
    (App::new(session, desk, animate, Instant::now()), bench)
}

fn pit<const P: usize>(number: usize) -> Pit<P> {
    Pit::from_number(number).unwrap()
}

fn act<const P: usize>(app: &mut App<'_, P>, action: Action) {
    app.act(action, Instant::now());
}

/// What is drawn on a terminal of that size.
fn drawn<const P: usize>(app: &App<'_, P>, columns: u16, rows: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(app, &Palette::new(true), frame)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn the_computer_begins_when_it_should() {
    let (_folder, mut session) = session::<6>(Side::Computer);
    let (mut app, bench) = app(&mut session, false);
    let jobs = bench.jobs();
    let [(ticket, Job::Choose(board, _))] = jobs[..] else { panic!("{jobs:?}") };
    assert_eq!(board, *app.game().board());
    act(&mut app, Action::Sow);
    assert_eq!(app.game().moves().len(), 0);
    app.take(ticket, Thought::Chosen(Choice::of(pit(1))), Instant::now());
    assert_eq!((app.game().moves().len(), app.game().turn()), (1, Side::Person));
    assert!(app.messages().iter().any(|told| told == "The computer sows pit 1."));
    assert_eq!(app.working(), None);
}

#[test]
fn an_answer_to_what_was_taken_back_is_not_played() {
    let (_folder, mut session) = session::<6>(Side::Person);
    let (mut app, bench) = app(&mut session, false);
    act(&mut app, Action::Pit(1));
    act(&mut app, Action::Sow);
    assert_eq!(app.working(), Some(Working::Choice));
    let [(ticket, _)] = bench.jobs()[..] else { panic!() };
    act(&mut app, Action::Undo);
    assert_eq!((app.game().moves().len(), app.working()), (0, None));
    app.take(ticket, Thought::Chosen(Choice::of(pit(1))), Instant::now());
    assert_eq!(app.game().moves().len(), 0);
    assert_eq!(bench.jobs(), []);
}

#[test]
fn a_key_ends_what_is_shown_and_sows_nothing_by_accident() {
    let (_folder, mut session) = session::<6>(Side::Person);
    let (mut app, bench) = app(&mut session, true);
    // Three stones from the fourth pit end in the store.
    act(&mut app, Action::Pit(4));
    act(&mut app, Action::Pit(4));
    assert!(app.animation().is_some());
    assert!(!app.messages().iter().any(|told| told.contains("extra move")));
    act(&mut app, Action::Sow);
    assert!(app.animation().is_none());
    assert!(app.messages().iter().any(|told| told == "You sow pit 4 (+1): an extra move."));
    assert_eq!(app.game().moves().len(), 1);

    // The computer's choice waits until all was shown.
    act(&mut app, Action::Pit(1));
    act(&mut app, Action::Sow);
    let [(ticket, _)] = bench.jobs()[..] else { panic!() };
    app.take(ticket, Thought::Chosen(Choice::of(pit(1))), Instant::now());
    assert_eq!(app.game().moves().len(), 2);
    while app.game().moves().len() == 2 {
        assert!(app.tick(app.due().expect("something is being shown")));
    }
    assert_eq!(app.game().moves().len(), 3);
    assert!(app.animation().is_some_and(|shown| shown.by == Side::Computer));
}

#[test]
fn nothing_is_sown_before_the_computers_move_was_shown() {
    let (_folder, mut session) = session::<6>(Side::Person);
    let (mut app, bench) = app(&mut session, true);
    act(&mut app, Action::Sow);
    let [(ticket, _)] = bench.jobs()[..] else { panic!() };
    app.take(ticket, Thought::Chosen(Choice::of(pit(1))), Instant::now());
    // The digit ends what is shown of the own move, and the computer's is shown.
    act(&mut app, Action::Pit(2));
    act(&mut app, Action::Sow);
    assert_eq!(app.game().moves().len(), 2);
    assert!(app.animation().is_none() && app.messages().len() == 3, "{:?}", app.messages());
    act(&mut app, Action::Sow);
    assert_eq!(app.game().moves().len(), 3);

    // What is taken back is not shown to its end.
    let [(ticket, _)] = bench.jobs()[..] else { panic!() };
    app.take(ticket, Thought::Chosen(Choice::of(pit(2))), Instant::now());
    act(&mut app, Action::Undo);
    assert_eq!(app.game().moves().len(), 2);
    assert!(app.animation().is_none());
    assert!(app.messages().last().is_some_and(|told| told == "Took back 2 moves."));
}

#[test]
fn another_game_is_asked_for_while_one_goes_on() {
    let (_folder, mut session) = session::<6>(Side::Person);
    let (mut app, bench) = app(&mut session, false);
    act(&mut app, Action::Pit(4));
    act(&mut app, Action::Sow);
    let seed = app.session().setup().random_seed;
    act(&mut app, Action::New);
    assert!(matches!(app.overlay(), Some(Overlay::NewGame(_))));
    assert!(drawn(&app, 80, 24).contains("Begin another game?"));
    act(&mut app, Action::No);
    assert_eq!((app.overlay(), app.game().moves().len()), (None, 1));
    for action in [Action::New, Action::Level, Action::Seeds, Action::First, Action::Yes] {
        act(&mut app, action);
    }
    let setup = *app.session().setup();
    assert_eq!((app.game().moves().len(), app.overlay()), (0, None));
    assert_eq!((setup.level, setup.seeds, setup.first), (Level::Insane, 4, Side::Computer));
    assert_ne!(setup.random_seed, seed);
    let (_, job) = bench.jobs().pop().unwrap();
    assert!(matches!(job, Job::Choose(_, choosing) if choosing.level == Level::Insane));
    act(&mut app, Action::Quit);
    assert_eq!(app.end(), Some(End::Quit));
}

#[test]
fn the_hand_goes_over_the_pits_that_can_be_sown() {
    let (_folder, mut session) = session::<3>(Side::Person);
    let (mut app, _bench) = app(&mut session, false);
    let number = |app: &App<'_, 3>| app.chosen().map(Pit::number);
    assert_eq!(number(&app), Some(1));
    act(&mut app, Action::Right);
    act(&mut app, Action::Right);
    assert_eq!(number(&app), Some(3));
    act(&mut app, Action::Right);
    assert_eq!(number(&app), Some(1));
    act(&mut app, Action::Left);
    assert_eq!(number(&app), Some(3));
    // Three stones from the first pit end in the store; it is empty then.
    act(&mut app, Action::Pit(1));
    act(&mut app, Action::Sow);
    assert_eq!((app.game().turn(), number(&app)), (Side::Person, Some(2)));
    act(&mut app, Action::Left);
    assert_eq!(number(&app), Some(3));
}

#[test]
fn everything_is_drawn_where_there_is_room() {
    fn look<const P: usize>() {
        let (_folder, mut session) = session::<P>(Side::Person);
        let (mut app, _bench) = app(&mut session, false);
        for overlay in [None, Some(Action::Help)] {
            overlay.into_iter().for_each(|action| act(&mut app, action));
            for (columns, rows) in [(1, 1), (7, 30), (30, 1), (200, 2), (69, 22), (70, 21)] {
                drawn(&app, columns, rows);
            }
            for (columns, rows) in [LEAST, (80, 24), (200, 60)] {
                let text = drawn(&app, columns, rows);
                assert!(!text.contains("too small") && text.contains("q quit"), "{text}");
            }
        }
    }
    look::<1>();
    look::<4>();
    look::<6>();
    assert!(LEAST.0 <= 80 && LEAST.1 <= 24);
}
