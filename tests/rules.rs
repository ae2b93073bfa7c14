//! The fast rules against the plain ones.

use kalah::{
    ranking::Layer,
    rules::{
        Board, IllegalMove, Pit, Pits, Rules,
        plain::{self, Position},
    },
};
use proptest::prelude::*;

fn position<const P: usize>(pits: &Pits<P>) -> Position {
    Position { mover: pits.mover().to_vec(), opponent: pits.opponent().to_vec() }
}

/// Holds every move on `board` against the plain rules.
fn compare_every_move<const P: usize>(board: &Board<P>, rules: Rules) {
    let pits = board.pits();
    let before = position(pits);
    let over_margin = plain::over_margin(&before);
    assert_eq!(board.is_over(), over_margin.is_some(), "{board}");
    assert_eq!(pits.final_margin().map(i32::from), over_margin, "{board}");

    let mut legal = board.legal_pits();
    let mut moves = pits.moves(rules);
    for pit in Pit::all() {
        let context = || format!("{board}, pit {pit}, {rules}");
        let Some(expected) = plain::successor(&before, pit.index(), rules) else {
            let reason = match over_margin {
                Some(_) => IllegalMove::GameOver,
                None => IllegalMove::EmptyPit(pit.number()),
            };
            assert_eq!(board.play(pit, rules), Err(reason), "{}", context());
            assert_eq!(pits.sow(pit, rules), Err(reason), "{}", context());
            continue;
        };
        assert_eq!(legal.next(), Some(pit), "{}", context());

        let sown = pits.sow(pit, rules).unwrap_or_else(|error| panic!("{error}: {}", context()));
        assert_eq!(position(&sown.pits), expected.next, "{}", context());
        assert_eq!(sown.extra_move, expected.same_player, "{}", context());
        assert_eq!(u32::from(sown.gained), expected.gained, "{}", context());
        assert_eq!(u32::from(sown.captured), expected.captured, "{}", context());
        assert_eq!(moves.next(), Some((pit, sown)), "{}", context());

        let played = board.play(pit, rules).unwrap();
        assert_eq!(played.board.pits(), &sown.pits, "{}", context());
        assert_eq!(played.extra_move, sown.extra_move, "{}", context());
        assert_eq!(played.gained, sown.gained, "{}", context());
        assert_eq!(played.captured, sown.captured, "{}", context());
        let stores = (board.store() + sown.gained, board.opponent_store());
        let seen = (played.board.store(), played.board.opponent_store());
        assert_eq!(if sown.extra_move { seen } else { (seen.1, seen.0) }, stores, "{}", context());
        assert_eq!(played.board.stones(), board.stones(), "{}", context());
    }
    assert_eq!(legal.next(), None, "{board}");
    assert_eq!(moves.next(), None, "{board}");
}

/// Every position of every layer up to `stones`.
fn compare_layers<const P: usize>(stones: usize) {
    for stones in 0..=stones {
        let layer = Layer::<P>::new(stones).unwrap();
        for index in 0..layer.positions() {
            let (mover, opponent) = layer.position(index);
            let board = Board::from_pits(Pits::new(mover, opponent).unwrap());
            for rules in Rules::ALL {
                compare_every_move(&board, rules);
            }
        }
    }
}

#[test]
fn every_small_position() {
    compare_layers::<1>(127);
    compare_layers::<2>(24);
    compare_layers::<3>(12);
    compare_layers::<4>(9);
    compare_layers::<5>(7);
    compare_layers::<6>(6);
    compare_layers::<7>(5);
    compare_layers::<8>(5);
}

/// Boards of up to 127 stones, many with pits of several laps and many with empty ones.
fn board<const P: usize>() -> impl Strategy<Value = Board<P>> {
    let count = prop_oneof![3 => Just(0), 3 => 1u8..=3, 3 => 4u8..=20, 2 => 10u8..=60];
    let counts = prop::collection::vec(count, 2 * P + 2);
    let order = Just((0..2 * P + 2).collect::<Vec<_>>()).prop_shuffle();
    (counts, order).prop_map(|(mut counts, order)| {
        // Whoever comes first takes first, until no stones are left.
        let mut left = 127;
        for place in order {
            counts[place] = counts[place].min(left);
            left -= counts[place];
        }
        let (mover, rest) = counts.split_at(P);
        let (opponent, stores) = rest.split_at(P);
        let row = |row: &[u8]| row.try_into().unwrap();
        Board::new(row(mover), stores[0], row(opponent), stores[1]).unwrap()
    })
}

/// Plays `choices` from `board`, each taken modulo the number of legal moves, and checks every
/// position on the way. The last board.
fn compare_game<const P: usize>(mut board: Board<P>, rules: Rules, choices: &[usize]) -> Board<P> {
    for choice in choices {
        compare_every_move(&board, rules);
        let legal: Vec<Pit<P>> = board.legal_pits().collect();
        if legal.is_empty() {
            break;
        }
        board = board.play(legal[choice % legal.len()], rules).unwrap().board;
    }
    board
}

macro_rules! properties {
    ($($name:ident: $pits:literal),*) => {$(
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(4000))]

                #[test]
                fn fast_equals_plain(board in board::<$pits>()) {
                    for rules in Rules::ALL {
                        compare_every_move(&board, rules);
                    }
                }
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(300))]

                #[test]
                fn whole_games_agree_and_end(
                    seeds in 1..=(127 / (2 * $pits as u8)).min(12),
                    choices in prop::collection::vec(any::<usize>(), 2000),
                ) {
                    for rules in Rules::ALL {
                        let opening = Board::<$pits>::opening(seeds).unwrap();
                        let last = compare_game(opening, rules, &choices);
                        let value = last.final_value().expect("the game ends");
                        let stones = 2 * $pits * i16::from(seeds);
                        prop_assert!(value.abs() <= stones);
                        prop_assert_eq!((value - stones) % 2, 0);
                    }
                }
            }
        }
    )*};
}

properties! {
    one_pit: 1, two_pits: 2, three_pits: 3, four_pits: 4,
    five_pits: 5, six_pits: 6, seven_pits: 7, eight_pits: 8
}
