//! Positions to numbers and back, in a loop over random ones that lie in the core's cache.

mod common;

use common::random_numbers;
use divan::{Bencher, black_box, counter::ItemsCount};
use kalah::{
    ranking::{Layer, rank_row, row_count, unrank_row},
    rules::Row,
};

/// Items of an iteration.
const ITEMS: usize = 1024;

/// Stones in a row, and in each row of a position on average.
const STONES: usize = 12;

fn main() {
    divan::main();
}

#[divan::bench]
fn rank(bencher: Bencher) {
    let rows: Vec<Row<6>> = ranks().map(|rank| unrank_row(STONES, rank)).collect();
    bencher.counter(ItemsCount::new(ITEMS)).bench_local(|| {
        for row in &rows {
            black_box(rank_row(black_box(row)));
        }
    });
}

#[divan::bench]
fn unrank(bencher: Bencher) {
    let ranks: Vec<u64> = ranks().collect();
    bencher.counter(ItemsCount::new(ITEMS)).bench_local(|| {
        for &rank in &ranks {
            black_box(unrank_row::<6>(STONES, black_box(rank)));
        }
    });
}

#[divan::bench]
fn index(bencher: Bencher) {
    let layer = layer();
    let positions: Vec<(Row<6>, Row<6>)> =
        indices(&layer).map(|index| layer.position(index)).collect();
    bencher.counter(ItemsCount::new(ITEMS)).bench_local(|| {
        for (mover, opponent) in &positions {
            black_box(layer.index(black_box(mover), black_box(opponent)));
        }
    });
}

#[divan::bench]
fn position(bencher: Bencher) {
    let layer = layer();
    let indices: Vec<u64> = indices(&layer).collect();
    bencher.counter(ItemsCount::new(ITEMS)).bench_local(|| {
        for &index in &indices {
            black_box(layer.position(black_box(index)));
        }
    });
}

fn layer() -> Layer<6> {
    Layer::new(2 * STONES).expect("a layer of 24 stones can be counted")
}

fn ranks() -> impl Iterator<Item = u64> {
    random_numbers().map(|number| number % row_count(6, STONES)).take(ITEMS)
}

fn indices(layer: &Layer<6>) -> impl Iterator<Item = u64> {
    random_numbers().map(|number| number % layer.positions()).take(ITEMS)
}
