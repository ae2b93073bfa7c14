//! The search against values that other programs found, against negamax over the plain rules, and
//! against itself with other tables and threads.

mod common;

use std::env;
use std::path::Path;

use common::negamax::Negamax;
use common::reference::{midgame, published};
use kalah::rules::{Board, Pits, Rules};
use kalah::search::{Goal, Options, Question, Searcher, Solution, Task, solve};
use kalah::tables::Tablebase;
use kalah::tables::analysis::{Detail, Source, analyse};
use kalah::tables::build::{self, build};
use tempfile::TempDir;

const ONE_THREAD: Options = Options { hash: 32 << 20, threads: 1 };
const TWO_THREADS: Options = Options { hash: 32 << 20, threads: 2 };
const VALUE: Task = Task { goal: Goal::Value, all_moves: false };

fn tables<const P: usize>(rules: Rules, stones: usize) -> (TempDir, Tablebase<P>) {
    let folder = TempDir::new().unwrap();
    let options = build::Options::new(rules, stones);
    assert!(build::<P>(folder.path(), &options, &()).unwrap().finished);
    let tables = Tablebase::open(folder.path(), rules).unwrap();
    (folder, tables)
}

/// Solves a position; everything that was asked for must be found.
fn solved<const P: usize>(searcher: &Searcher<'_, P>, board: &Board<P>, task: Task) -> Solution<P> {
    let solution = solve(searcher, board, task, &()).unwrap();
    assert!(solution.finished);
    solution
}

/// Plays the line of a solution and gives the value it ends with, seen from its beginning.
fn end_of_line<const P: usize>(solution: &Solution<P>, rules: Rules) -> i16 {
    let mut board = solution.board;
    let mut sign = 1;
    for &pit in &solution.line {
        let played = board.play(pit, rules).unwrap();
        sign = if played.extra_move { sign } else { -sign };
        board = played.board;
    }
    sign * board.final_value().expect("the line goes to the end")
}

/// Every opening of `P` pits with up to four stones in each, and every first move of it.
fn small_openings<const P: usize>() {
    for rules in [Rules::Standard, Rules::EmptyCapture] {
        for seeds in 1..=4 {
            let board = Board::<P>::opening(seeds).unwrap();
            // Negamax over all positions of 32 stones in 4 pits a side would take minutes.
            if board.stones() > 24 {
                continue;
            }
            let negamax = Negamax::<P>::new(rules, board.stones());
            let expected = negamax.margin(board.pits().mover(), board.pits().opponent());
            for options in [ONE_THREAD, TWO_THREADS] {
                let searcher = Searcher::<P>::new(rules, None, options).unwrap();
                let solution = solved(&searcher, &board, Task { all_moves: true, ..VALUE });
                assert_eq!(solution.value.exact(), Some(expected), "{rules} {seeds}");
                assert_eq!(end_of_line(&solution, rules), expected);
                assert_eq!(solution.best.first(), solution.line.first());
                for first in &solution.moves {
                    let played = board.play(first.pit, rules).unwrap();
                    let pits = played.board.pits();
                    let margin = negamax.margin(pits.mover(), pits.opponent());
                    let next = played.board.lead() + margin;
                    let value = if played.extra_move { next } else { -next };
                    assert_eq!(first.value.exact(), Some(value), "{rules} {seeds} {}", first.pit);
                    assert_eq!(solution.best.contains(&first.pit), value == expected);
                }
            }
        }
    }
}

#[test]
fn openings_of_one_to_three_pits_are_as_negamax_has_them() {
    small_openings::<1>();
    small_openings::<2>();
    small_openings::<3>();
}

#[test]
fn openings_of_four_pits_are_as_negamax_has_them() {
    small_openings::<4>();
}

/// The opening that is left: the plain rules fill tables of few stones, the fast ones the others.
#[test]
fn four_stones_in_four_pits_are_the_same_by_search_and_by_tables() {
    for rules in [Rules::Standard, Rules::EmptyCapture] {
        let (_folder, tables) = tables::<4>(rules, 32);
        let board = Board::opening(4).unwrap();
        for options in [ONE_THREAD, TWO_THREADS] {
            let searcher = Searcher::<4>::new(rules, None, options).unwrap();
            let solution = solved(&searcher, &board, VALUE);
            assert_eq!(solution.value.exact(), tables.value(&board), "{rules}");
            assert_eq!(end_of_line(&solution, rules), tables.value(&board).unwrap());
        }
    }
}

#[test]
fn the_tables_do_not_change_the_value() {
    for rules in [Rules::Standard, Rules::EmptyCapture] {
        let (_folder, all) = tables::<4>(rules, 24);
        for (seeds, stones) in [(2, 0), (2, 6), (2, 12), (3, 0), (3, 6), (3, 12), (3, 18)] {
            let board = Board::opening(seeds).unwrap();
            let (_folder, few) = tables::<4>(rules, stones);
            let searcher = Searcher::<4>::new(rules, Some(&few), ONE_THREAD).unwrap();
            let solution = solved(&searcher, &board, VALUE);
            assert_eq!(solution.value.exact(), all.value(&board), "{rules} {seeds} {stones}");
        }
    }
}

#[test]
fn known_openings_of_two_and_three_stones_have_their_value() {
    let (_folder, tables) = tables::<6>(Rules::Standard, 16);
    let mut found = 0;
    for row in published().iter().filter(|row| row.seeds <= 3 && row.rules == Rules::Standard) {
        assert!(row.first_move.is_empty() && !row.at_least);
        let board = Board::<6>::opening(row.seeds).unwrap();
        for options in [ONE_THREAD, TWO_THREADS] {
            let searcher = Searcher::<6>::new(row.rules, Some(&tables), options).unwrap();
            let solution = solved(&searcher, &board, VALUE);
            assert_eq!(solution.value.exact(), Some(row.value), "{} stones", row.seeds);
            assert_eq!(end_of_line(&solution, row.rules), row.value);
        }
        found += 1;
    }
    assert_eq!(found, 2);
}

#[test]
fn known_positions_of_the_middle_game_have_their_value() {
    let (_folder, tables) = tables::<6>(Rules::Standard, 18);
    let searcher = Searcher::<6>::new(Rules::Standard, Some(&tables), TWO_THREADS).unwrap();
    let positions = midgame();
    assert_eq!(positions.len(), 60);
    for (board, value) in positions {
        let margin = searcher.solve(board.pits(), Question::Exact, &()).unwrap();
        assert_eq!(margin.exact(), Some(value - board.lead()), "{board}");
        let winner = searcher.solve(board.pits(), Question::Against(-board.lead()), &()).unwrap();
        assert_eq!(winner.exact(), margin.exact(), "what is known stays known");
        let margins = kalah::search::Watched::new(&searcher, &());
        let analysis = analyse(&board, &margins, Detail::Best).unwrap();
        let covered = tables.margin(board.pits()).is_some();
        let source = if covered { Source::Table } else { Source::Search };
        assert_eq!((analysis.value, analysis.source), (value, source), "{board}");
    }
}

#[test]
fn one_thread_repeats_its_nodes() {
    let (_folder, tables) = tables::<6>(Rules::Standard, 14);
    let counts = || {
        let searcher = Searcher::<6>::new(Rules::Standard, Some(&tables), ONE_THREAD).unwrap();
        let solution = solved(&searcher, &Board::opening(2).unwrap(), VALUE);
        (solution, searcher.nodes(), searcher.probes())
    };
    let first = counts();
    assert!(first.1 > 0);
    assert_eq!(first, counts());
}

#[test]
fn a_table_too_small_for_the_position_is_refused() {
    let options = Options { hash: 1 << 10, threads: 1 };
    let searcher = Searcher::<6>::new(Rules::Standard, None, options).unwrap();
    let pits = Pits::new([10; 6], [10; 6]).unwrap();
    let error = searcher.solve(&pits, Question::Exact, &()).unwrap_err().to_string();
    let least = Searcher::<6>::least_hash(120);
    assert!(error.ends_with(&format!("{least} bytes are enough")), "{error}");
}

/// `scripts/check` builds the tables for this.
#[test]
#[ignore = "needs tables up to 25 stones, both rule sets, in the folder KALAH_TABLES names"]
fn known_openings_of_four_and_five_stones_have_their_value() {
    let folder = env::var_os("KALAH_TABLES").expect("KALAH_TABLES names the folder of the tables");
    let options = Options { hash: 2 << 30, threads: 2 };
    let mut found = 0;
    for row in published().iter().filter(|row| (4..=5).contains(&row.seeds)) {
        let tables = Tablebase::<6>::open(Path::new(&folder), row.rules).unwrap();
        let searcher = Searcher::<6>::new(row.rules, Some(&tables), options).unwrap();
        let solution = solved(&searcher, &Board::opening(row.seeds).unwrap(), VALUE);
        assert_eq!(solution.value.exact(), Some(row.value), "{} {}", row.rules, row.seeds);
        assert_eq!(end_of_line(&solution, row.rules), row.value);
        found += 1;
    }
    assert_eq!(found, 4);
}
