//! Every position of small tables against perfect play by the plain rules.
//!
//! With few pits a side small layers already have sowings of several laps, and captures that end
//! them.

mod common;

use common::negamax::Negamax;
use kalah::{
    generator,
    ranking::Layer,
    rules::Rules,
    tables::{
        Folder, LayerId,
        build::{Options, build},
    },
};

/// Fails with the first position whose share differs.
fn compare_block<const P: usize>(what: &str, mover: usize, stones: usize, got: &[u8], want: &[u8]) {
    assert_eq!(got.len(), want.len(), "{what}, {P} pits, {stones} stones, block {mover}");
    if let Some(at) = (0..want.len()).find(|&at| got[at] != want[at]) {
        let layer = Layer::<P>::new(stones).unwrap();
        let position = layer.position(layer.block(mover).start + at as u64);
        panic!("{what}: {position:?} has a share of {}, not {}", want[at], got[at]);
    }
}

/// The same with the opponent's rows before the mover's.
fn transposed(block: &[u8], rows: usize) -> Vec<u8> {
    let columns = block.len() / rows;
    (0..columns)
        .flat_map(|column| (0..rows).map(move |row| block[row * columns + column]))
        .collect()
}

/// What the generator computes, in both orders.
fn generated<const P: usize>(rules: Rules, stones: usize) -> Negamax<P> {
    let right = Negamax::<P>::new(rules, stones);
    let layers = generator::in_memory::<P>(rules, stones).unwrap();
    assert_eq!(layers.len(), stones + 1);
    for (stones, layer) in layers.iter().enumerate() {
        for mover in 0..=stones {
            let want = right.block(stones, mover);
            let rows = Layer::<P>::new(stones).unwrap().block(mover).rows;
            compare_block::<P>(rules.name(), mover, stones, &layer.blocks[mover], &want);
            let (got, want) = (&layer.transposed[mover], transposed(&want, rows as usize));
            compare_block::<P>("transposed", mover, stones, got, &want);
        }
    }
    right
}

/// What a build writes.
fn written<const P: usize>(right: &Negamax<P>, rules: Rules, stones: usize) {
    let directory = tempfile::tempdir().unwrap();
    // Little memory, so that transposed blocks are made again.
    let options = Options { memory: Some(96 << 20), ..Options::new(rules, stones) };
    build::<P>(directory.path(), &options, &()).unwrap();
    let folder = Folder::open_for_reading(directory.path()).unwrap();
    for stones in 0..=stones {
        let id = LayerId { rules, pits: P as u8, stones: stones as u8 };
        let file = folder.open_layer(&id).unwrap().expect("it was built");
        for mover in 0..=stones {
            let want = right.block(stones, mover);
            compare_block::<P>("written", mover, stones, file.block(mover), &want);
        }
    }
}

macro_rules! perfect_play {
    ($($name:ident: $pits:literal pits, $stones:literal stones;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn standard() {
                let right = generated::<$pits>(Rules::Standard, $stones);
                written(&right, Rules::Standard, $stones);
            }

            #[test]
            fn empty_capture() {
                let right = generated::<$pits>(Rules::EmptyCapture, $stones);
                written(&right, Rules::EmptyCapture, $stones);
            }
        }
    )*};
}

// One pit holds at most 127 stones: 42 laps.
perfect_play! {
    one_pit: 1 pits, 127 stones;
    two_pits: 2 pits, 48 stones;
    three_pits: 3 pits, 24 stones;
    four_pits: 4 pits, 17 stones;
    five_pits: 5 pits, 13 stones;
    six_pits: 6 pits, 12 stones;
}
