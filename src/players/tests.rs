//! The levels against the truth and against each other.

use std::time::Instant;

use super::random::Random;
use super::*;
use crate::ranking::Layer;
use crate::rules::{Pits, Rules};
use crate::tables::Tablebase;
use crate::with_pits;

/// A board from so many random moves after an opening; the last one before the game is over.
fn random_board<const P: usize>(random: &mut Random, seeds: u8, moves: u32, rules: Rules) -> Board<P> {
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

/// Two points for each game that `higher` wins of so many, one for a draw, in games from random
/// boards, each begun by both in turn.
fn points<const P: usize>(higher: Level, lower: Level, seeds: u8, games: u64, tables: &Tablebase<P>) -> (u64, i64) {
    let rules = tables.rules();
    let options = |seed| Options { random_seed: seed, ..Options::new(tables) };
    let (mut one, mut two) = (higher.player(&options(1)), lower.player(&options(2)));
    let mut random = Random::new(3);
    let mut points = 0;
    let mut stones = 0;
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
#[ignore]
fn measure() {
    let tables = Tablebase::<6>::in_memory(Rules::Standard, 12).unwrap();
    for (seeds, games) in [(4, 40), (6, 40)] {
        for pair in Level::ALL[..4].windows(2) {
            let now = Instant::now();
            let points = points(pair[1], pair[0], seeds, games, &tables);
            println!("{seeds} {} {}: {points:?} of {} {:?}", pair[1], pair[0], 2 * games, now.elapsed());
        }
    }
}
