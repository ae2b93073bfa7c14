//! Nodes a second of the search on one thread, over the tables for 6 pits and standard rules in the
//! folder that `KALAH_TABLES` names, or without it of 18 stones that are built for the run.

mod tables;

use std::sync::LazyLock;

use divan::{Bencher, black_box, counter::ItemsCount};
use kalah::{
    rules::{Board, Rules},
    search::{Options, Question, Searcher},
    tables::Tablebase,
};
use tables::tables_or;

/// Four stones in every pit, after seven moves of perfect play: 43 stones are left in the pits.
const POSITION: &str = "5,1,2,7,6,0,3,0,1,7,0,7,7,2";

/// Its margin: the value is 8, and the player to move is ahead by 1.
const MARGIN: i16 = 7;

/// One thread, so that every iteration takes the same nodes.
const OPTIONS: Options = Options { hash: 64 << 20, threads: 1 };

fn main() {
    LazyLock::force(&TABLES);
    divan::main();
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn nodes(bencher: Bencher) {
    let board: Board<6> = POSITION.parse().expect("it is a position");
    let solve = |searcher: &Searcher<'_, 6>| {
        let bounds = searcher.solve(black_box(board.pits()), Question::Exact, &());
        assert_eq!(bounds.expect("no table is damaged").exact(), Some(MARGIN));
    };
    // Besides counting, it brings the tables' pages into memory.
    let first = searcher();
    solve(&first);
    eprintln!("{} nodes", first.nodes());
    bencher
        .counter(ItemsCount::new(first.nodes()))
        .with_inputs(searcher)
        .bench_local_refs(|searcher| solve(searcher));
}

/// A searcher that has found out nothing yet.
fn searcher() -> Searcher<'static, 6> {
    Searcher::new(Rules::Standard, Some(&TABLES), OPTIONS).expect("64 MiB of memory")
}

static TABLES: LazyLock<Tablebase<6>> = LazyLock::new(|| tables_or(18));
