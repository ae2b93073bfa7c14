//! A level as another program's engine.

use kalah::engine::{Engine, Options};
use kalah::players::{Player, tables};
use kalah::protocol::Faults;
use kalah::rules::{Board, Rules};

use super::program;

#[test]
fn perfect_keeps_the_value_through_the_protocol_too() {
    let mut command = program();
    command.args(["--level", "perfect"]);
    let mut engine = Engine::start(command, Options::default()).unwrap();
    assert_eq!(engine.identity().name.as_deref(), Some("kalah perfect"));
    // All of the game.
    let truth = tables::<2>(None, Rules::Standard).unwrap();
    let mut board = Board::<2>::opening(3).unwrap();
    let mut games = 0;
    while !board.is_over() {
        let choice = engine.choose(&board, &()).unwrap();
        assert!(!choice.cut_short);
        let played = board.play(choice.pit, Rules::Standard).unwrap();
        let next = truth.value(&played.board).unwrap();
        let kept = if played.extra_move { next } else { -next };
        assert_eq!(Some(kept), truth.value(&board), "{board}");
        board = played.board;
        games += 1;
    }
    assert!(games > 3);
    assert_eq!(engine.faults(), Faults::default());
}
