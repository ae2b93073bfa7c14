//! Provisional: a tile as it is.

use super::{BAND, WIDTH};

pub(super) fn encode(
    lines: &[u8],
    stride: usize,
    height: usize,
    width: usize,
    stones: u8,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in 0..height {
        for &share in &lines[line * stride..][..width] {
            assert!(share <= stones, "a share of {stones} stones");
            bytes.push(share);
        }
    }
    if bytes.len() % 2 == 1 {
        bytes.push(0);
    }
    // Twice, so that it is noticed when one is damaged.
    bytes
}

pub(super) fn decode(
    words: &[u8],
    height: usize,
    width: usize,
    stones: u8,
    values: &mut [[u8; WIDTH]; BAND],
) -> Option<()> {
    if words.len() != (height * width).next_multiple_of(2) || words.iter().any(|&b| b > stones) {
        return None;
    }
    for line in 0..height {
        values[line][..width].copy_from_slice(&words[line * width..][..width]);
    }
    Some(())
}
