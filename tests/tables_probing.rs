//! Tables that were written can be opened and probed.

mod common;

use common::negamax::Negamax;
use kalah::{
    ranking::Layer,
    rules::{Board, Pits, Rules},
    tables::{Folder, TableError, Tablebase, build},
};

fn every_position_is_answered<const P: usize>(rules: Rules, most: usize) {
    let directory = tempfile::tempdir().unwrap();
    let solved = Negamax::<P>::new(rules, most);
    solved.write(directory.path());
    let tables = Tablebase::<P>::open(directory.path(), rules).unwrap();
    assert_eq!(tables.stones(), Some(most));
    for stones in 0..=most {
        let layer = Layer::<P>::new(stones).unwrap();
        let positions: Vec<Pits<P>> = (0..layer.positions())
            .map(|index| layer.position(index))
            .map(|(mover, opponent)| Pits::new(mover, opponent).unwrap())
            .collect();
        let mut together = vec![None; positions.len()];
        tables.margins(&positions, &mut together);
        for (pits, together) in positions.iter().zip(together) {
            let expected = solved.margin(pits.mover(), pits.opponent());
            assert_eq!(together, Some(expected));
            assert_eq!(tables.margin(pits), Some(expected));
            assert_eq!(tables.probe(pits).unwrap(), Some(expected));
        }
    }
}

#[test]
fn tables_in_memory_are_those_of_files() {
    for rules in Rules::ALL {
        let folder = tempfile::tempdir().unwrap();
        let options = build::Options::new(rules, 9);
        assert!(build::build::<4>(folder.path(), &options, &()).unwrap().finished);
        let files = Tablebase::<4>::open(folder.path(), rules).unwrap();
        let memory = Tablebase::<4>::in_memory(rules, 9).unwrap();
        assert_eq!((memory.stones(), memory.layers().len()), (Some(9), 10));
        for (file, layer) in files.layers().iter().zip(memory.layers()) {
            assert_eq!(file.header(), layer.header());
            assert_eq!(file.bytes(), layer.bytes());
        }
    }
}

#[test]
fn every_position_is_answered_as_negamax_does() {
    for rules in Rules::ALL {
        every_position_is_answered::<1>(rules, 12);
        every_position_is_answered::<2>(rules, 9);
        every_position_is_answered::<3>(rules, 7);
        every_position_is_answered::<6>(rules, 4);
    }
}

#[test]
fn stores_count() {
    let directory = tempfile::tempdir().unwrap();
    Negamax::<6>::new(Rules::Standard, 2).write(directory.path());
    let tables = Tablebase::<6>::open(directory.path(), Rules::Standard).unwrap();
    let board = Board::new([0, 0, 0, 0, 0, 1], 20, [0, 0, 0, 0, 0, 1], 25).unwrap();
    assert_eq!(tables.margin(board.pits()), Some(0));
    assert_eq!(tables.value(&board), Some(-5));
}

#[test]
fn beyond_the_tables_only_games_that_are_over_are_answered() {
    let directory = tempfile::tempdir().unwrap();
    Negamax::<2>::new(Rules::Standard, 3).write(directory.path());
    let tables = Tablebase::<2>::open(directory.path(), Rules::Standard).unwrap();
    let open = Pits::new([1, 1], [1, 1]).unwrap();
    let over = Pits::new([0, 0], [60, 40]).unwrap();
    assert_eq!((tables.margin(&open), tables.margin(&over)), (None, Some(-100)));
    assert_eq!(tables.probe(&open).unwrap(), None);
    let mut together = [Some(7); 2];
    tables.margins(&[open, over], &mut together);
    assert_eq!(together, [None, Some(-100)]);
}

#[test]
fn tables_end_before_the_first_layer_that_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let stones = || Tablebase::<2>::open(directory.path(), Rules::EmptyCapture).unwrap().stones();
    assert_eq!(stones(), None);
    Negamax::<2>::new(Rules::EmptyCapture, 5).write(directory.path());
    assert_eq!(stones(), Some(5));
    std::fs::remove_file(directory.path().join("empty-capture-2pits-03stones.kalah")).unwrap();
    assert_eq!(stones(), Some(2));
    let tables = Tablebase::<2>::open(directory.path(), Rules::Standard).unwrap();
    assert_eq!(tables.stones(), None);
}

#[test]
fn tables_end_before_the_first_file_that_cannot_be_used() {
    type Expected = fn(&TableError) -> bool;
    let directory = tempfile::tempdir().unwrap();
    Negamax::<2>::new(Rules::Standard, 5).write(directory.path());
    let open = || Tablebase::<2>::open(directory.path(), Rules::Standard).unwrap();
    assert!(open().obstacle().is_none());
    let file = directory.path().join("standard-2pits-03stones.kalah");
    let sound = std::fs::read(&file).unwrap();
    let other = std::fs::read(directory.path().join("standard-2pits-04stones.kalah")).unwrap();
    let mut newer = sound.clone();
    newer[8] = 2;
    for (bytes, damaged, expected) in [
        (&sound[..100], true, (|e| matches!(e, TableError::Truncated { .. })) as Expected),
        (b"my diary", false, |e| matches!(e, TableError::NotATable { .. })),
        (&newer, false, |e| matches!(e, TableError::OtherVersion { .. })),
        (&other, false, |e| matches!(e, TableError::WrongLayer { .. })),
    ] {
        std::fs::write(&file, bytes).unwrap();
        let tables = open();
        assert_eq!(tables.stones(), Some(2));
        let error = tables.obstacle().unwrap();
        assert!(expected(error) && error.is_damage() == damaged, "{error}");
        assert!(error.to_string().contains(file.to_str().unwrap()), "{error}");
        assert!(tables.probe(&Pits::new([1, 0], [0, 1]).unwrap()).unwrap().is_some());
        assert_eq!(tables.probe(&Pits::new([1, 1], [0, 1]).unwrap()).unwrap(), None);
    }
    std::fs::remove_file(file).unwrap();
    assert!(open().obstacle().is_none());
}

#[test]
fn an_impossible_share_is_an_error_that_names_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let solved = Negamax::<2>::new(Rules::Standard, 4);
    solved.write(directory.path());
    let folder = Folder::open_for_reading(directory.path()).unwrap();
    let file = folder.path(&folder.layers().unwrap()[4]);
    let position = Pits::new([1, 1], [2, 0]).unwrap();

    let tables = Tablebase::<2>::open(directory.path(), Rules::Standard).unwrap();
    let offset = tables.layers()[4].header().blocks()[2].offset
        + 3 // the rows of two stones, [1, 1] is the second
        + 2;
    drop(tables);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[offset as usize] = 5;
    std::fs::write(&file, bytes).unwrap();

    let tables = Tablebase::<2>::open(directory.path(), Rules::Standard).unwrap();
    assert_eq!(tables.margin(&position), None);
    let error = tables.probe(&position).unwrap_err();
    assert!(matches!(error, TableError::ImpossibleShare { block: 2, share: 5, stones: 4, .. }));
    assert!(error.to_string().contains("standard-2pits-04stones.kalah"), "{error}");
    let mut together = [Some(1)];
    tables.margins(&[position], &mut together);
    assert_eq!(together, [None]);
}
