//! Blocks of compact files: tiles and their directory.

use kalah::compact::{BlockEncoder, Directory, Identity, Orientation, Shape};
use kalah::generator::in_memory;
use kalah::ranking::row_count;
use kalah::rules::Rules;

use super::Seed;
use super::input::{Input, piece};

/// A directory is made for the tiles that follow; otherwise the block is given whole.
const TILES: u8 = 1;
/// Checks of patches and plain tiles are put in.
const CHECKS: u8 = 2;

/// Pits, stones, the mover's stones, flags, which tiles of a band to ask for, which steps to decode;
/// then tiles as pieces, or the block.
///
/// Decoding is an error or gives shares of the stones that there are, the same by lines and by
/// columns, as a whole, in part and one by one, with every instruction set.
pub fn check(input: &[u8]) -> bool {
    let mut input = Input(input);
    let [pits, stones, mover, flags, place, steps] = input.array();
    let (pits, stones) = (1 + usize::from(pits) % 6, usize::from(stones) % 128);
    let mover = usize::from(mover) % (stones + 1);
    let positions = row_count(pits, mover).saturating_mul(row_count(pits, stones - mover));
    if mover == 0 || mover == stones || positions > 1 << 13 {
        return false;
    }
    let shape = Shape::new(pits, stones, mover);
    let block = match flags & TILES {
        0 => input.0.to_vec(),
        _ => {
            let tiles: Vec<Vec<u8>> = input.pieces().map(<[u8]>::to_vec).collect();
            assembled(shape, tiles, flags & CHECKS != 0, steps)
        }
    };

    let Some(at) = block.len().checked_sub(Directory::length(&shape)) else { return false };
    let Ok(directory) = Directory::new(shape, &block[at..], block.len() as u64) else {
        return false;
    };
    let possible = |shares: &[u8]| shares.iter().all(|&share| usize::from(share) <= stones);
    let mut lines = vec![0; shape.positions()];
    let decoded = directory.range(0..shape.bands()).and_then(|range| {
        let bytes = &block[range.start as usize..range.end as usize];
        directory.decode(0..shape.bands(), bytes, &mut lines, Orientation::Lines)
    });
    if decoded.is_ok() {
        assert!(possible(&lines), "shares of more stones than there are");
    }

    // Some of the tiles, by columns.
    let first = usize::from(place) % shape.tiles_of_band();
    let places = first..shape.tiles_of_band();
    let mut columns = vec![0; shape.positions()];
    let ranges: Result<Vec<_>, _> =
        (0..shape.bands()).map(|band| directory.range_of_part(band, places.clone())).collect();
    let part = ranges.and_then(|ranges| {
        let bytes = ranges.iter().map(|range| &block[range.start as usize..range.end as usize]);
        let bytes = bytes.collect::<Vec<_>>().concat();
        directory.decode_part(0..shape.bands(), places, &bytes, &mut columns, Orientation::Columns)
    });
    assert!(part.is_ok() || decoded.is_err(), "a part of a block that is right");
    if part.is_ok() {
        assert!(possible(&columns), "shares of more stones than there are");
    }

    let identity = Identity::new();
    for position in (0..shape.positions()).step_by(1 + shape.positions() / 61) {
        let (line, column) = (position / shape.columns(), position % shape.columns());
        let share = directory.share(identity, &block, line, column);
        if decoded.is_ok() {
            assert_eq!(share, Ok(lines[position]), "line {line}, column {column}");
            let transposed = columns[column * shape.lines() + line];
            assert!(transposed == lines[position] || first > 0);
        }
        assert!(share.is_err() || share.is_ok_and(|share| usize::from(share) <= stones));
    }
    decoded.is_ok()
}

/// A block of these tiles; those that are missing are empty.
fn assembled(shape: Shape, mut tiles: Vec<Vec<u8>>, checks: bool, _steps: u8) -> Vec<u8> {
    tiles.resize(shape.tiles(), Vec::new());
    let (mut words, mut group) = (0_usize, 0);
    let mut directory = Vec::new();
    for (number, tile) in tiles.iter_mut().enumerate() {
        tile.resize(tile.len().next_multiple_of(2), 0);
        if checks {
            mend(tile, positions(shape, number));
        }
        #[cfg(fuzzing)]
        decoders_agree(shape, number, tile, _steps);
        if number % 16 == 0 {
            group = words;
            directory.extend((words as u64).to_le_bytes());
        }
        directory.extend(((words - group) as u16).to_le_bytes());
        words += tile.len() / 2;
    }
    tiles.push(directory);
    tiles.concat()
}

/// How many positions a tile has.
fn positions(shape: Shape, tile: usize) -> usize {
    let (band, place) = (tile / shape.tiles_of_band(), tile % shape.tiles_of_band());
    let width = shape.columns().div_ceil(shape.tiles_of_band());
    shape.lines_of(band..band + 1).len() * width.min(shape.columns() - place * width)
}

/// Makes the checks of a tile of so many positions right.
fn mend(tile: &mut [u8], positions: usize) {
    let Some((first, rest)) = tile.split_first_chunk_mut() else { return };
    let Some((rest, check)) = rest.split_last_chunk_mut::<2>() else { return };
    let checked = match usize::from(u16::from_le_bytes(*first) >> 7) {
        0 => return,
        // A plain tile.
        511 => rest.get(..positions),
        patches => rest.len().checked_sub(4 * patches).map(|begin| &rest[begin..]),
    };
    if let Some(checked) = checked {
        check.copy_from_slice(&blake3::hash(checked).as_bytes()[..2]);
    }
}

/// All instruction sets decode the same, the whole tile and its first steps.
#[cfg(fuzzing)]
fn decoders_agree(shape: Shape, number: usize, tile: &[u8], steps: u8) {
    for steps in [usize::from(steps) + 1, usize::MAX] {
        let decoded = kalah::compact::fuzzing::decode_tile(shape, number, tile, steps);
        for other in &decoded[1..] {
            assert_eq!(decoded[0], *other, "instruction sets decode differently");
        }
    }
}

/// Blocks of real tables, and of what is like none.
pub fn seeds() -> Vec<Seed> {
    let layers = in_memory::<6>(Rules::Standard, 6).unwrap();
    let four = in_memory::<3>(Rules::EmptyCapture, 10).unwrap();
    let noise: Vec<u8> = (0..15 * 15).map(|place: u32| (place * place % 29) as u8).collect();
    let rare: Vec<u8> =
        (0..21 * 28).map(|place: u32| if place % 97 == 5 { 11 } else { 4 }).collect();
    let long: Vec<u8> = (0..40 * 62).map(|place: u32| (place % 62 / 2) as u8).collect();
    vec![
        ("five-stones", seed([6, 5, 2], &layers[5].blocks[2])),
        ("six-stones", seed([6, 6, 1], &layers[6].blocks[1])),
        ("three-pits", seed([3, 10, 4], &four[10].blocks[4])),
        ("plain", seed([2, 28, 14], &noise)),
        ("patches", seed([3, 11, 5], &rare)),
        ("two-pits", seed([2, 100, 39], &long)),
    ]
}

/// The input that stands for a block of so many pits, stones and mover's stones.
fn seed([pits, stones, mover]: [usize; 3], lines: &[u8]) -> Vec<u8> {
    let shape = Shape::new(pits, stones, mover);
    let mut encoder = BlockEncoder::new(shape);
    let tiles = encoder.encode(lines);
    let directory = encoder.finish();
    let place = |tile: usize| {
        let at = tile / 16 * 40;
        let number = |at: usize, length: usize| {
            let mut number = [0; 8];
            number[..length].copy_from_slice(&directory[at..at + length]);
            u64::from_le_bytes(number) as usize
        };
        2 * (number(at, 8) + number(at + 8 + tile % 16 * 2, 2))
    };
    let mut input = vec![pits as u8 - 1, stones as u8, mover as u8, TILES | CHECKS, 0, 8];
    for tile in 0..shape.tiles() {
        let end = if tile + 1 < shape.tiles() { place(tile + 1) } else { tiles.len() };
        input.extend(piece(&tiles[place(tile)..end]));
    }
    input
}
