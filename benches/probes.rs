//! Random probes, by one core: of the tables for 6 pits and standard rules in the folder that
//! `KALAH_TABLES` names, or without it of 16 stones that are built for the run.

mod common;
mod tables;

use std::sync::LazyLock;

use common::random_numbers;
use divan::{Bencher, black_box, counter::ItemsCount};
use kalah::{ranking::Layer, rules::Pits, tables::Tablebase};
use tables::tables_or;

/// Probes of an iteration.
const ITEMS: usize = 1 << 14;

/// Positions that are probed before the first comes again: their cache lines, 64 bytes each, are
/// together more than a core's caches hold.
const POSITIONS: usize = 1 << 22;

fn main() {
    LazyLock::force(&TABLES);
    divan::main();
}

#[divan::bench]
fn one_by_one(bencher: Bencher) {
    let mut batches = batches();
    bencher
        .counter(ItemsCount::new(ITEMS))
        .with_inputs(|| batches.next().expect("they never end"))
        .bench_local_values(|positions| {
            for pits in positions {
                black_box(TABLES.margin(black_box(pits)));
            }
        });
}

#[divan::bench]
fn batched(bencher: Bencher) {
    let mut batches = batches();
    let mut margins = vec![None; ITEMS];
    bencher
        .counter(ItemsCount::new(ITEMS))
        .with_inputs(|| batches.next().expect("they never end"))
        .bench_local_values(|positions| {
            TABLES.margins(black_box(positions), &mut margins);
            black_box(&margins);
        });
}

static TABLES: LazyLock<Tablebase<6>> = LazyLock::new(|| tables_or(16));

/// Random positions, each position of the tables as likely as any other.
static RANDOM_POSITIONS: LazyLock<Vec<Pits<6>>> = LazyLock::new(|| {
    let layers: Vec<Layer<6>> = (0..TABLES.layers().len())
        .map(|stones| Layer::new(stones).expect("it has a table"))
        .collect();
    let all: u64 = layers.iter().map(Layer::positions).sum();
    let position = |number: u64| {
        let mut index = number % all;
        // From the largest layer down: most positions are in the first that is looked at.
        for layer in layers.iter().rev() {
            match index.checked_sub(layer.positions()) {
                Some(rest) => index = rest,
                None => return layer.position(index),
            }
        }
        unreachable!("the index is below the number of positions")
    };
    let rows = random_numbers().map(position).take(POSITIONS);
    rows.map(|(mover, opponent)| Pits::new(mover, opponent).expect("it is in a table")).collect()
});

/// The random positions, [`ITEMS`] at a time, over and over.
fn batches() -> impl Iterator<Item = &'static [Pits<6>]> {
    RANDOM_POSITIONS.chunks_exact(ITEMS).cycle()
}
