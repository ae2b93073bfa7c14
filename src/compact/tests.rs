use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::*;
use crate::generator::{Buffers, in_memory, transpose};
use crate::rules::Rules;

/// A block's bytes.
fn encoded(shape: Shape, lines: &[u8]) -> Vec<u8> {
    let mut encoder = BlockEncoder::new(shape);
    // In pieces, the last of which need not be whole.
    let pieces = lines.chunks(3 * BAND * shape.columns());
    let mut block: Vec<u8> = pieces.flat_map(|lines| encoder.encode(lines)).collect();
    block.extend(encoder.finish());
    block
}

fn directory(shape: Shape, block: &[u8]) -> Result<(Directory<'_>, &[u8]), Damage> {
    let at = block.len().checked_sub(Directory::length(&shape)).ok_or(Damage::Length)?;
    Ok((Directory::new(shape, &block[at..], block.len() as u64)?, &block[..at]))
}

/// All of a block's shares, line by line.
fn decoded(shape: Shape, block: &[u8]) -> Result<Vec<u8>, Damage> {
    let (directory, _) = directory(shape, block)?;
    let mut matrix = vec![0; shape.positions()];
    for band in 0..shape.bands() {
        let range = directory.range(band..band + 1)?;
        let bytes = &block[range.start as usize..range.end as usize];
        directory.decode(band..band + 1, bytes, &mut matrix, Orientation::Lines)?;
    }
    Ok(matrix)
}

/// Makes sure that a matrix is what is read of it in every way.
fn check(shape: Shape, lines: &[u8]) {
    let block = encoded(shape, lines);
    assert!(decoded(shape, &block).unwrap() == lines);
    let (directory, tiles) = directory(shape, &block).unwrap();
    let mut columns = vec![0; lines.len()];
    directory.decode(0..shape.bands(), tiles, &mut columns, Orientation::Columns).unwrap();
    assert!(columns[..] == transpose(lines, shape.lines(), &Buffers::default()).unwrap()[..]);
    let identity = Identity::new();
    for place in (0..lines.len()).step_by(1 + lines.len() / 500) {
        let (line, column) = (place / shape.columns(), place % shape.columns());
        assert_eq!(directory.share(identity, &block, line, column), Ok(lines[place]));
    }
}

#[test]
fn every_block_of_real_tables_is_read_back() {
    fn check_all<const P: usize>(stones: usize) {
        for rules in Rules::ALL {
            for (stones, layer) in in_memory::<P>(rules, stones).unwrap().iter().enumerate() {
                for mover in 1..stones {
                    let shape = Shape::new(P, stones, mover);
                    let matrix = &layer.blocks[mover];
                    if shape.lines_are_movers() {
                        check(shape, matrix);
                    } else {
                        let lines =
                            transpose(matrix, shape.columns(), &Buffers::default()).unwrap();
                        check(shape, &lines);
                    }
                }
            }
        }
    }
    check_all::<6>(9);
    check_all::<4>(13);
    check_all::<2>(30);
    check_all::<1>(40);
}

#[test]
fn any_shares_are_read_back() {
    let shapes = [(6, 10, 5), (6, 9, 2), (3, 60, 31), (2, 127, 64), (1, 127, 60)];
    for (pits, stones, mover) in shapes {
        let shape = Shape::new(pits, stones, mover);
        let mut random = Pcg64::seed_from_u64(7);
        let mut fill = |share: &mut dyn FnMut(usize, u32) -> usize| -> Vec<u8> {
            (0..shape.positions()).map(|place| share(place, random.next_u32()) as u8).collect()
        };
        for matrix in [
            fill(&mut |_, _| 0),
            fill(&mut |_, _| stones),
            fill(&mut |place, _| place % 2 * stones),
            fill(&mut |place, _| place % (stones + 1)),
            fill(&mut |_, random| random as usize % (stones + 1)),
            // Mostly as expected, with some that are far away.
            fill(&mut |_, random| if random % 300 == 0 { stones } else { stones / 3 }),
            fill(&mut |place, random| place / 700 % stones.max(2) + random as usize % 2),
        ] {
            check(shape, &matrix);
        }
    }
}

#[test]
#[should_panic(expected = "a share of 8 stones")]
fn impossible_shares_are_not_written() {
    let shape = Shape::new(6, 8, 3);
    let mut lines = vec![3; shape.positions()];
    lines[1000] = 9;
    encoded(shape, &lines);
}

#[test]
fn what_is_damaged_is_noticed() {
    let layers = in_memory::<6>(Rules::Standard, 10).unwrap();
    let (shape, lines) = (Shape::new(6, 10, 5), &layers[10].blocks[5][..]);
    let block = encoded(shape, lines);
    let mut missed = 0;
    let mut random = Pcg64::seed_from_u64(5);
    for at in (0..block.len()).step_by(block.len() / 3000) {
        let mut damaged = block.clone();
        damaged[at] ^= 1 << (random.next_u32() % 8);
        if let Ok(shares) = decoded(shape, &damaged) {
            // Behind the last word that a lane reads, only its own end tells.
            missed += 1;
            assert!(shares.iter().all(|&share| share <= 10));
        }
        let (directory, _) = directory(shape, &damaged).unwrap();
        for place in [0, 7777, shape.positions() - 1] {
            let (line, column) = (place / shape.columns(), place % shape.columns());
            let share = directory.share(Identity::new(), &damaged, line, column);
            assert!(share.is_err() || share.is_ok_and(|share| share <= 10));
        }
    }
    assert!(missed < 5, "{missed} of 3000");
    for length in (0..block.len()).step_by(97) {
        assert!(decoded(shape, &block[..length]).is_err());
    }
}

#[test]
fn a_state_that_no_step_leaves_is_noticed_before_its_lane_begins() {
    let shape = Shape::new(3, 10, 4);
    let layers = in_memory::<3>(Rules::Standard, 10).unwrap();
    let block = encoded(shape, &layers[10].blocks[4]);
    assert!(directory(shape, &block).unwrap().0.share(Identity::new(), &block, 0, 0).is_ok());
    for lane in 0..shape.lines().min(BAND) {
        // After the word with the seed there is one for each lane, and then more.
        let mut damaged = block.clone();
        damaged[2 + 2 * lane..][..2].fill(0);
        damaged[2 + 2 * BAND.min(shape.lines())..][..2 * BAND].fill(1);
        let (directory, _) = directory(shape, &damaged).unwrap();
        let share = directory.share(Identity::new(), &damaged, 0, 0);
        assert_eq!(share, Err(Damage::Tile { tile: 0 }), "lane {lane}");
    }
}

#[test]
fn noise_is_not_read_as_a_block() {
    let shape = Shape::new(6, 9, 4);
    let mut random = Pcg64::seed_from_u64(11);
    for length in [0, 1, 100, 1000, 20_000] {
        for _ in 0..50 {
            let mut noise = vec![0; length];
            random.fill_bytes(&mut noise);
            assert!(decoded(shape, &noise).is_err());
        }
    }
}

#[test]
fn real_blocks_take_few_bits() {
    // What a position takes in larger layers takes minutes to see; in these, tiles are small.
    let layers = in_memory::<6>(Rules::Standard, 14).unwrap();
    let shape = Shape::new(6, 14, 7);
    let bits = 8.0 * encoded(shape, &layers[14].blocks[7]).len() as f64 / shape.positions() as f64;
    assert!(bits < 2.3, "{bits} bits a position");
}

#[test]
fn what_is_kept_of_a_tile_is_of_that_tile_alone() {
    let shape = Shape::new(6, 12, 6);
    let blocks: Vec<Vec<u8>> =
        (0..12).map(|share| encoded(shape, &vec![share; shape.positions()])).collect();
    let identities: Vec<Identity> = blocks.iter().map(|_| Identity::new()).collect();
    let mut random = Pcg64::seed_from_u64(9);
    for _ in 0..5000 {
        let [block, line, column] =
            [12, shape.lines(), shape.columns()].map(|most| random.next_u32() as usize % most);
        let (directory, _) = directory(shape, &blocks[block]).unwrap();
        let share = directory.share(identities[block], &blocks[block], line, column);
        assert_eq!(share, Ok(block as u8));
    }
}
