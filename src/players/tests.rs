//! The levels against the truth and against each other.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use super::random::Random;
use super::reckoner::Reckoner;
use super::*;
use crate::ranking::Layer;
use crate::rules::{Pits, Rules};
use crate::search;
use crate::tables::Tablebase;
use crate::with_pits;

/// A board from so many random moves after an opening; the last one before the game is over.
fn random_board<const P: usize>(
    random: &mut Random,
    seeds: u8,
    moves: u32,
    rules: Rules,
) -> Board<P> {
    let mut board = Board::opening(seeds).unwrap();
    for _ in 0..moves {
        let legal: Vec<_> = board.legal_pits().collect();
        let played = board.play(random.one_of(&legal).unwrap(), rules).unwrap();
        if played.board.is_over() {
            break;
        }
        board = played.board;
    }
    board
}

/// Plays to the end, and gives the first player's stones minus the second's, and the pits sown.
fn play<'t, const P: usize>(
    mut board: Board<P>,
    rules: Rules,
    players: [&mut (dyn Player<P> + Send + 't); 2],
) -> (i16, Vec<u8>) {
    let (mut turn, mut pits) = (0, Vec::new());
    while !board.is_over() {
        let choice = players[turn].choose(&board, &()).unwrap();
        let played = board.play(choice.pit, rules).expect("the pit is legal");
        pits.push(choice.pit.number());
        turn = if played.extra_move { turn } else { 1 - turn };
        board = played.board;
    }
    let value = board.final_value().unwrap();
    (if turn == 0 { value } else { -value }, pits)
}

/// Interrupts after it was asked so many times.
struct After(AtomicU32);

impl<const P: usize> Watch<P> for After {
    fn interrupted(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

fn legal_pits_are_played<const P: usize>(level: Level) {
    let mut random = Random::new(P as u64);
    for rules in Rules::ALL {
        let tables = Tablebase::<P>::in_memory(rules, 6).unwrap();
        let search = search::Options { hash: 1 << 20, threads: 1 };
        let mut player = level.player(&Options { search, ..Options::new(&tables) });
        for game in 0..12 {
            let seeds = 1 + random.below(6) as u8;
            let moves = random.below(30);
            let board = random_board::<P>(&mut random, seeds, moves, rules);
            let choice = player.choose(&board, &After((4 * game).into())).unwrap();
            assert!(board.play(choice.pit, rules).is_ok(), "{level} {board} {choice:?}");
            if let Opinion::Proved(bounds) = choice.opinion {
                let most = (board.pits().stones() as i16) + board.lead().abs();
                assert!(-most <= bounds.low && bounds.low <= bounds.high && bounds.high <= most);
            }
        }
        let over = Board::new([0; P], 1, [1; P], 2).unwrap();
        assert!(matches!(player.choose(&over, &()), Err(PlayerError::GameOver)));
    }
}

#[test]
fn every_level_plays_on_boards_of_one_to_eight_pits() {
    for level in Level::ALL {
        for pits in 1..=8 {
            with_pits!(pits, legal_pits_are_played(level)).expect("there are boards of so many");
        }
    }
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let tables = Tablebase::<4>::in_memory(Rules::Standard, 8).unwrap();
    for level in Level::ALL {
        let game = |random_seed| {
            let options = Options { random_seed, ..Options::new(&tables) };
            let (mut one, mut two) = (level.player(&options), level.player(&options));
            let board = Board::<4>::opening(3).unwrap();
            let first = play(board, Rules::Standard, [&mut *one, &mut *two]);
            one.new_game().unwrap();
            two.new_game().unwrap();
            let second = play(board, Rules::Standard, [&mut *one, &mut *two]);
            one.begin_anew(random_seed).unwrap();
            two.begin_anew(random_seed).unwrap();
            assert_eq!(play(board, Rules::Standard, [&mut *one, &mut *two]), first, "{level}");
            (first, second)
        };
        let games: Vec<_> = (0..4).map(game).collect();
        assert_eq!(games, (0..4).map(game).collect::<Vec<_>>(), "{level}");
        if level <= Level::Medium {
            assert!(games.iter().any(|other| *other != games[0]), "{level} is never random");
        }
    }
}

/// Whether a player's choice keeps the value that tables have.
fn keeps_the_value<const P: usize>(
    player: &mut dyn Player<P>,
    board: &Board<P>,
    truth: &Tablebase<P>,
) -> bool {
    let choice = player.choose(board, &()).unwrap();
    let played = board.play(choice.pit, truth.rules()).unwrap();
    let next = truth.value(&played.board).unwrap();
    let value = truth.value(board).unwrap();
    if let Opinion::Proved(bounds) = choice.opinion {
        assert_eq!(bounds.exact(), Some(value), "{board}");
    }
    value == if played.extra_move { next } else { -next }
}

fn position<const P: usize>(layer: &Layer<P>, index: u64) -> Board<P> {
    let (mover, opponent) = layer.position(index);
    Board::from_pits(Pits::new(mover, opponent).unwrap())
}

#[test]
fn the_highest_levels_play_what_tables_reach_without_a_mistake() {
    for rules in Rules::ALL {
        let tables = tables::<6>(None, rules).unwrap();
        assert_eq!(tables.stones(), Some(SMALL_TABLES));
        let mut random = Random::new(12);
        let few = (1..=6).flat_map(|stones| {
            let layer = Layer::<6>::new(stones).unwrap();
            (0..layer.positions()).map(move |index| position(&layer, index))
        });
        let layer = Layer::<6>::new(SMALL_TABLES).unwrap();
        let many =
            (0..2_000).map(|_| position(&layer, u64::from(random.below(layer.positions() as u32))));
        let boards: Vec<_> = few.chain(many).filter(|board| !board.is_over()).collect();
        for level in [Level::Insane, Level::Perfect] {
            let mut player = level.player(&Options::new(&tables));
            for board in &boards {
                assert!(keeps_the_value(&mut *player, board, &tables), "{level} {rules} {board}");
            }
        }
    }
}

#[test]
fn hard_plays_what_it_sees_to_the_end_without_a_mistake() {
    let truth = Tablebase::<6>::in_memory(Rules::Standard, 9).unwrap();
    let layer = Layer::<6>::new(9).unwrap();
    let mut random = Random::new(5);
    let mut hard = Level::Hard.player(&Options::new(&truth));
    let mut three_turns = reckoner(Level::Hard, &truth);
    three_turns.style.turns = 3;
    let (mut seen, mut missed, mut wrong) = (0, 0, 0);
    for _ in 0..3_000 {
        let board = position(&layer, u64::from(random.below(layer.positions() as u32)));
        if board.legal_pits().len() < 2 {
            continue;
        }
        let keeps = keeps_the_value(&mut *hard, &board, &truth);
        match hard.choose(&board, &()).unwrap().opinion {
            Opinion::Proved(_) => {
                seen += 1;
                assert!(keeps, "{board}");
                missed += i32::from(!keeps_the_value(&mut three_turns, &board, &truth));
            }
            _ => wrong += i32::from(!keeps),
        }
    }
    // Three turns do not suffice for what seven do, and seven not for everything.
    assert!(seen > 1_000 && missed > 10 && wrong > 10, "{seen} {missed} {wrong}");
}

#[test]
fn a_choice_that_is_overdue_comes_at_once() {
    let tables = tables::<6>(None, Rules::Standard).unwrap();
    let board = Board::<6>::opening(4).unwrap();
    for level in Level::ALL {
        for random_seed in 0..5 {
            let options = Options { random_seed, ..Options::new(&tables) };
            let choice = level.player(&options).choose(&board, &Instant::now()).unwrap();
            assert!(board.play(choice.pit, Rules::Standard).is_ok());
            assert!(choice.cut_short || level <= Level::Medium, "{level}");
            let options = Options { time: Some(Duration::ZERO), ..options };
            let choice = level.player(&options).choose(&board, &()).unwrap();
            assert!(choice.cut_short || level <= Level::Medium, "{level}");
        }
    }
}

/// Remembers what a player leans to.
struct Leanings(Mutex<Vec<Choice<4>>>);

impl Watch<4> for Leanings {
    fn leaning(&self, choice: &Choice<4>) {
        self.0.lock().unwrap().push(*choice);
    }
}

#[test]
fn the_last_leaning_is_what_is_thought_of_the_choice() {
    let tables = tables::<4>(None, Rules::Standard).unwrap();
    let board = Board::<4>::opening(3).unwrap();
    let leanings = Leanings(Mutex::default());
    let choice = Level::Hard.player(&Options::new(&tables)).choose(&board, &leanings).unwrap();
    let leanings = leanings.0.into_inner().unwrap();
    assert_eq!(leanings.len(), 7, "one for each turn that is looked ahead");
    assert_eq!(leanings[6].opinion, choice.opinion);
}

/// A level below the highest, to be changed.
fn reckoner<'t, const P: usize>(level: Level, tables: &'t Tablebase<P>) -> Reckoner<'t, P> {
    let Some(style) = level.style() else { panic!("{level} does not reckon") };
    Reckoner::new(style, &Options::new(tables))
}

/// The games of a match: points, two for each game that the first player wins and one for a draw,
/// and the stones it is ahead in all. Games come in pairs, each player beginning once, from boards
/// after two random moves.
fn points<'t, const P: usize>(
    mut one: Box<dyn Player<P> + Send + 't>,
    mut two: Box<dyn Player<P> + Send + 't>,
    rules: Rules,
    seeds: u8,
    games: u64,
) -> (u64, i64) {
    let mut random = Random::new(3);
    let (mut points, mut stones) = (0, 0);
    for _ in 0..games / 2 {
        let board = random_board::<P>(&mut random, seeds, 2, rules);
        for first in [true, false] {
            one.new_game().unwrap();
            two.new_game().unwrap();
            let value = match first {
                true => play(board, rules, [&mut *one, &mut *two]).0,
                false => -play(board, rules, [&mut *two, &mut *one]).0,
            };
            points += (value.signum() + 1) as u64;
            stones += i64::from(value);
        }
    }
    (points, stones)
}

#[test]
fn no_level_loses_a_match_against_the_one_beneath() {
    let tables = tables::<4>(None, Rules::Standard).unwrap();
    for pair in Level::ALL.windows(2) {
        let player = |level: Level, random_seed| {
            level.player(&Options { random_seed, ..Options::new(&tables) })
        };
        let (points, stones) =
            points(player(pair[1], 1), player(pair[0], 2), Rules::Standard, 3, 20);
        assert!(points >= 20 && stones >= 0, "{} {}: {points} {stones}", pair[1], pair[0]);
        assert!(points >= 26 || pair[0] >= Level::Hard, "{} {}: {points}", pair[1], pair[0]);
    }
}
