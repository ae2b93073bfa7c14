//! Tables for web pages.

use kalah::ranking::Layer;
use kalah::rules::{Pits, Rules};
use kalah::tables::Tablebase;
use kalah::web::{WebTable, encode};

use super::Seed;
use super::input::Input;

/// Version, rules, pits and stones; then the code.
///
/// A table is an error, or has shares of the stones that there are, and what no player can avoid:
/// the sweep of an empty row.
pub fn check(input: &[u8]) -> bool {
    let mut input = Input(input);
    let contents: [u8; 4] = input.array();
    let mut bytes = [&b"KALAHWEB"[..], &contents, &(input.0.len() as u32).to_le_bytes()].concat();
    bytes.extend(input.0);
    bytes.extend(crc32(&bytes).to_le_bytes());
    // What takes long to fill.
    if contents[3] > 12 {
        return false;
    }
    match contents[2] {
        1 => read::<1>(&bytes),
        2 => read::<2>(&bytes),
        3 => read::<3>(&bytes),
        _ => read::<6>(&bytes),
    }
}

fn read<const P: usize>(bytes: &[u8]) -> bool {
    // Of more positions, no more than errors.
    let few = P <= 3 || bytes[11] <= 4;
    let Some(Ok(table)) = few.then(|| WebTable::<P>::from_bytes(bytes)) else { return false };
    let mut shares = table.shares().iter();
    for stones in 0..=table.stones() {
        let layer = Layer::<P>::new(stones).unwrap();
        for (index, &share) in (0..layer.positions()).zip(shares.by_ref()) {
            assert!(usize::from(share) <= stones);
            let (mover, opponent) = layer.position(index);
            let pits = Pits::new(mover, opponent).unwrap();
            assert_eq!(table.margin(&pits), Some(2 * i16::from(share) - stones as i16));
            assert!(pits.final_margin().is_none_or(|margin| table.margin(&pits) == Some(margin)));
        }
    }
    assert_eq!(shares.len(), 0);
    true
}

/// The CRC-32 of gzip and PNG, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ ((crc & 1) * 0xedb8_8320))
    })
}

/// Real tables.
pub fn seeds() -> Vec<Seed> {
    fn seed<const P: usize>(rules: Rules, stones: usize) -> Vec<u8> {
        let bytes = encode(&Tablebase::<P>::in_memory(rules, stones).unwrap(), stones).unwrap();
        [&bytes[8..12], &bytes[16..bytes.len() - 4]].concat()
    }
    vec![
        ("two-pits", seed::<2>(Rules::Standard, 6)),
        ("three-pits", seed::<3>(Rules::EmptyCapture, 6)),
        ("three-pits-8", seed::<3>(Rules::Standard, 8)),
        ("one-pit", seed::<1>(Rules::Standard, 12)),
        ("six-pits", seed::<6>(Rules::Standard, 4)),
        ("no-stones", seed::<6>(Rules::EmptyCapture, 0)),
    ]
}
