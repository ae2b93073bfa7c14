//! Solving pairs of blocks, and transposing a block, on one core.

use std::{ops::ControlFlow, sync::LazyLock};

use divan::{Bencher, counter::ItemsCount};
use kalah::{
    generator::{Buffers, LayerInMemory, Lines, Solver, in_memory, transpose},
    ranking::row_count,
    rules::Rules,
};

/// Stones of the layer whose pairs are solved.
const STONES: usize = 16;

/// South's and North's stones: from many lines to few long ones.
const PAIRS: [(usize, usize); 4] = [(8, 8), (7, 9), (4, 12), (1, 15)];

fn main() {
    // The figures are those of a core, however many there are.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    divan::main();
}

#[divan::bench(args = PAIRS)]
fn solve_standard(bencher: Bencher, pair: (usize, usize)) {
    static LAYERS: LazyLock<Vec<LayerInMemory>> =
        LazyLock::new(|| in_memory::<6>(Rules::Standard, STONES - 1).expect("memory"));
    solve(bencher, Rules::Standard, &LAYERS, pair);
}

#[divan::bench(args = PAIRS)]
fn solve_empty_capture(bencher: Bencher, pair: (usize, usize)) {
    static LAYERS: LazyLock<Vec<LayerInMemory>> =
        LazyLock::new(|| in_memory::<6>(Rules::EmptyCapture, STONES - 1).expect("memory"));
    solve(bencher, Rules::EmptyCapture, &LAYERS, pair);
}

/// An item is a position: an element of either of the pair's matrices.
fn solve(bencher: Bencher, rules: Rules, layers: &[LayerInMemory], (south, north): (usize, usize)) {
    let mut lower = Lines::new(STONES);
    for layer in layers {
        layer.insert_into(&mut lower);
    }
    let solver = Solver::<6>::new(rules, STONES, Buffers::default());
    let positions = 2 * row_count(6, south) * row_count(6, north);
    bencher
        .counter(ItemsCount::new(positions))
        .bench_local(|| solver.solve(south, north, &lower, &|_| ControlFlow::Continue(())));
}

/// Blocks that lie in the second level cache, in the third, and in neither.
#[divan::bench(args = [(6, 6), (9, 9), (12, 12)])]
fn transpose_block(bencher: Bencher, (mover, opponent): (usize, usize)) {
    let buffers = Buffers::default();
    let rows = row_count(6, mover) as usize;
    let mut block = buffers.take(rows * row_count(6, opponent) as usize).expect("memory");
    block.fill(1);
    bencher.counter(ItemsCount::new(block.len())).bench_local(|| transpose(&block, rows, &buffers));
}
