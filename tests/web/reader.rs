//! The reader in JavaScript against the tables, position by position.

use std::fs;

use kalah::ranking::Layer;
use kalah::rules::{Pits, Rules};
use kalah::tables::Tablebase;

use super::{exported, script, tables};

/// Of every position, in order of stones and index, the mover's share, and a bit for each best pit,
/// the lowest for the first.
fn answers<const P: usize>(tables: &Tablebase<P>, stones: usize) -> (Vec<u8>, Vec<u8>) {
    let (mut shares, mut best) = (Vec::new(), Vec::new());
    for stones in 0..=stones {
        let layer = Layer::<P>::new(stones).unwrap();
        for index in 0..layer.positions() {
            let (mover, opponent) = layer.position(index);
            let pits = Pits::new(mover, opponent).unwrap();
            let margin = tables.margin(&pits).unwrap();
            shares.push(((margin + stones as i16) / 2) as u8);
            let keeps = pits.moves(tables.rules()).filter(|(_, sown)| {
                let rest = tables.margin(&sown.pits).unwrap();
                i16::from(sown.gained) + if sown.extra_move { rest } else { -rest } == margin
            });
            best.push(keeps.fold(0, |pits, (pit, _)| pits | 1 << (pit.number() - 1)));
        }
    }
    (shares, best)
}

fn javascript_agrees<const P: usize>(tables: &Tablebase<P>, stones: usize) {
    let folder = exported(tables, stones);
    let (shares, best) = answers(tables, stones);
    let path = |name: &str| folder.path().join(name);
    fs::write(path("shares"), &shares).unwrap();
    fs::write(path("best"), &best).unwrap();
    let table = format!("{}-{P}pits-{stones}stones.kalahweb", tables.rules());
    if let Some(said) = script("reader.mjs", &["node"], &[folder.path(), table.as_ref()]) {
        let rules = tables.rules();
        assert_eq!(said, format!("{rules}, {P} pits: {} positions agree\n", shares.len()));
    }
}

#[test]
fn all_positions_of_twelve_stones_standard_rules() {
    javascript_agrees(&tables(Rules::Standard).twelve, 12);
}

#[test]
fn all_positions_of_twelve_stones_empty_capture_rules() {
    javascript_agrees(&tables(Rules::EmptyCapture).twelve, 12);
}

#[test]
fn other_numbers_of_pits_and_stones() {
    for rules in Rules::ALL {
        javascript_agrees(&Tablebase::<1>::in_memory(rules, 60).unwrap(), 60);
        javascript_agrees(&Tablebase::<2>::in_memory(rules, 16).unwrap(), 16);
        javascript_agrees(&Tablebase::<3>::in_memory(rules, 10).unwrap(), 10);
        javascript_agrees(&Tablebase::<4>::in_memory(rules, 8).unwrap(), 8);
        javascript_agrees(&Tablebase::<5>::in_memory(rules, 1).unwrap(), 1);
        javascript_agrees(&Tablebase::<6>::in_memory(rules, 0).unwrap(), 0);
    }
}
