//! The compact encoding, on one core: blocks encoded and decoded, single positions looked up.

use std::sync::LazyLock;

use divan::{Bencher, counter::ItemsCount};
use kalah::{
    compact::{BlockEncoder, Directory, Identity, Orientation, Shape},
    generator::in_memory,
    rules::Rules,
};

/// The block: so many stones on either side.
const SIDE: usize = 9;

/// Its shape, its shares line by line, and its bytes.
static BLOCK: LazyLock<(Shape, Vec<u8>, Vec<u8>)> = LazyLock::new(|| {
    let layers = in_memory::<6>(Rules::Standard, 2 * SIDE).expect("memory");
    let (shape, lines) = (Shape::new(6, 2 * SIDE, SIDE), layers[2 * SIDE].blocks[SIDE].to_vec());
    let bytes = encoded(shape, &lines);
    (shape, lines, bytes)
});

fn encoded(shape: Shape, lines: &[u8]) -> Vec<u8> {
    let mut encoder = BlockEncoder::new(shape);
    let mut bytes = encoder.encode(lines);
    bytes.extend(encoder.finish());
    bytes
}

fn main() {
    // The figures are those of a core, however many there are.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    divan::main();
}

/// An item is a position.
#[divan::bench]
fn encode(bencher: Bencher) {
    let (shape, lines, _) = &*BLOCK;
    bencher.counter(ItemsCount::new(lines.len())).bench(|| encoded(*shape, lines));
}

#[divan::bench(args = [Orientation::Lines, Orientation::Columns])]
fn decode(bencher: Bencher, orientation: Orientation) {
    let (shape, lines, bytes) = &*BLOCK;
    let (tiles, directory) = bytes.split_at(bytes.len() - Directory::length(shape));
    let directory =
        Directory::new(*shape, directory, bytes.len() as u64).expect("what was written");
    let mut matrix = vec![0; lines.len()];
    bencher
        .counter(ItemsCount::new(lines.len()))
        .bench_local(|| directory.decode(0..shape.bands(), tiles, &mut matrix, orientation));
}

/// Positions in tiles that were not looked at for long, or (`warm`) were just decoded.
#[divan::bench(args = [false, true])]
fn one_position(bencher: Bencher, warm: bool) {
    let (shape, lines, bytes) = &*BLOCK;
    let directory = &bytes[bytes.len() - Directory::length(shape)..];
    let directory =
        Directory::new(*shape, directory, bytes.len() as u64).expect("what was written");
    let identity = Identity::new();
    let mut place = 0;
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        if !warm {
            place = (place + 1_234_577) % lines.len();
        }
        directory.share(identity, bytes, place / shape.columns(), place % shape.columns())
    });
}
