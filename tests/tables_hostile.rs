//! Files that somebody broke, on purpose or not: an error each, and no panic.

mod common;

use std::{fs, path::Path, sync::OnceLock};

use common::negamax::Negamax;
use kalah::{
    ranking::Layer,
    rules::{Pits, Rules},
    tables::{
        Folder, LayerFile, TableError, Tablebase,
        verify::{Depth, verify},
    },
};
use proptest::prelude::*;

const STONES: usize = 4;
const HEADER_LENGTH_AT: usize = 12;
const HEADER_AT: usize = 16;

/// The bytes of a right file, and the folder of the layers below it.
fn right() -> &'static (tempfile::TempDir, Vec<u8>) {
    static RIGHT: OnceLock<(tempfile::TempDir, Vec<u8>)> = OnceLock::new();
    RIGHT.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        Negamax::<2>::new(Rules::Standard, STONES).write(directory.path());
        let bytes = fs::read(directory.path().join(NAME)).unwrap();
        (directory, bytes)
    })
}

const NAME: &str = "standard-2pits-04stones.kalah";

fn header_length(bytes: &[u8]) -> usize {
    let length = &bytes[HEADER_LENGTH_AT..HEADER_AT];
    u32::from_le_bytes(length.try_into().unwrap()) as usize
}

/// Gives the header the digest it should have, as somebody who means harm would.
fn sign(bytes: &mut [u8]) {
    let end = HEADER_AT + header_length(bytes);
    if let Some((signed, rest)) = bytes.split_at_mut_checked(end)
        && let Some(digest) = rest.get_mut(..32)
    {
        digest.copy_from_slice(blake3::hash(signed).as_bytes());
    }
}

/// Opens, probes and checks a folder with this file in it. Whatever is wrong with it is an error
/// of opening or a fault.
fn is_found_wrong(bytes: &[u8]) -> bool {
    let directory = tempfile::tempdir().unwrap();
    for stones in 0..STONES {
        let name = format!("standard-2pits-{stones:02}stones.kalah");
        fs::hard_link(right().0.path().join(&name), directory.path().join(&name)).unwrap();
    }
    fs::write(directory.path().join(NAME), bytes).unwrap();
    probe_everything(directory.path());
    let folder = Folder::open_for_reading(directory.path()).unwrap();
    let report = verify(&folder, Rules::Standard, 2, Depth::Full, &()).unwrap();
    report.fault_count > 0
}

fn probe_everything(directory: &Path) {
    let tables = Tablebase::<2>::open(directory, Rules::Standard).unwrap();
    if let Some(error) = tables.obstacle() {
        assert!(error.to_string().contains(NAME), "{error}");
        assert_eq!(tables.stones(), Some(STONES - 1));
    }
    let layer = Layer::<2>::new(STONES).unwrap();
    for index in 0..layer.positions() {
        let (mover, opponent) = layer.position(index);
        let pits = Pits::new(mover, opponent).unwrap();
        let margin = tables.margin(&pits);
        assert!(margin.is_none_or(|margin| margin.unsigned_abs() as usize <= STONES));
        assert_eq!(tables.probe(&pits).ok().flatten(), margin);
    }
}

fn opening(bytes: &[u8]) -> TableError {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(NAME);
    fs::write(&path, bytes).unwrap();
    let error = LayerFile::open(&path).unwrap_err();
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    error
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_file_cut_anywhere_is_found(at in 0..right().1.len()) {
        prop_assert!(is_found_wrong(&right().1[..at]));
    }

    #[test]
    fn a_wrong_byte_anywhere_is_found(at in 0..right().1.len(), difference in 1u8..) {
        let mut bytes = right().1.clone();
        bytes[at] ^= difference;
        prop_assert!(is_found_wrong(&bytes));
    }

    #[test]
    fn a_wrong_byte_of_a_signed_header_is_found(
        at in 0..HEADER_AT + header_length(&right().1),
        difference in 1u8..,
    ) {
        let mut bytes = right().1.clone();
        bytes[at] ^= difference;
        sign(&mut bytes);
        prop_assert!(is_found_wrong(&bytes));
    }

    #[test]
    fn wrong_numbers_in_a_signed_header_are_found(
        at in 8..HEADER_AT + header_length(&right().1) - 8,
        number in prop_oneof![
            any::<u64>(),
            Just(u64::MAX),
            Just(u64::MAX - 4095),
            Just(i64::MAX as u64),
            Just(1 << 32),
            0u64..100_000,
        ],
    ) {
        let mut bytes = right().1.clone();
        let before = bytes[at..at + 8].to_vec();
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        let changed = bytes[at..at + 8] != before[..];
        sign(&mut bytes);
        prop_assert_eq!(is_found_wrong(&bytes), changed);
    }

    #[test]
    fn random_bytes_are_no_table(bytes in proptest::collection::vec(any::<u8>(), 0..20_000)) {
        prop_assert!(is_found_wrong(&bytes));
    }

    #[test]
    fn random_bytes_after_a_right_beginning_are_no_table(
        kept in 0usize..400,
        rest in proptest::collection::vec(any::<u8>(), 1..20_000),
        signed: bool,
    ) {
        let mut bytes = right().1[..kept].to_vec();
        bytes.extend(rest);
        if signed && bytes.len() >= HEADER_AT {
            sign(&mut bytes);
        }
        prop_assert!(is_found_wrong(&bytes));
    }
}

#[test]
fn the_right_file_is_right() {
    assert!(!is_found_wrong(&right().1));
    let mut signed = right().1.clone();
    sign(&mut signed);
    assert_eq!(signed, right().1);
}

#[test]
fn every_kind_of_damage_has_its_own_error() {
    let right = &right().1;
    let edit = |at: usize, with: &[u8]| {
        let mut bytes = right.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        sign(&mut bytes);
        bytes
    };
    assert!(matches!(opening(b"hello"), TableError::NotATable { .. }));
    // Nothing is lost when a file without a byte is made anew.
    assert!(matches!(opening(b""), TableError::Truncated { actual: 0, .. }));
    assert!(matches!(opening(&right[..7]), TableError::Truncated { actual: 7, .. }));
    assert!(matches!(opening(&right[..20]), TableError::Truncated { actual: 20, .. }));
    let length = right.len() as u64;
    assert!(matches!(
        opening(&right[..right.len() - 1]),
        TableError::Truncated { expected, actual, .. } if (expected, actual) == (length, length - 1)
    ));
    assert!(matches!(
        opening(&[right, &[0u8][..]].concat()),
        TableError::TrailingBytes { expected, actual, .. }
            if (expected, actual) == (length, length + 1)
    ));
    let newer = opening(&edit(8, &2u32.to_le_bytes()));
    assert!(matches!(newer, TableError::OtherVersion { version: 2, known: 1, .. }));
    assert!(newer.to_string().contains("newer"), "{newer}");
    let unsigned = [&right[..17], &[right[17] ^ 1], &right[18..]].concat();
    assert!(matches!(opening(&unsigned), TableError::HeaderChecksum { .. }));

    // rules u32, pits u8, stones u8, encoding u32, number of blocks u64, offset u64, length u64
    let malformed = |bytes: &[u8], why: &str| match opening(bytes) {
        TableError::MalformedHeader { reason, .. } => assert!(reason.contains(why), "{reason}"),
        other => panic!("{other}"),
    };
    malformed(&edit(HEADER_LENGTH_AT, &u32::MAX.to_le_bytes()), "its length");
    malformed(&edit(HEADER_AT, &[2]), "no rules number 2");
    malformed(&edit(HEADER_AT + 4, &[7]), "no table is of");
    malformed(&edit(HEADER_AT + 5, &[128]), "no table is of");
    malformed(&edit(HEADER_AT + 5, &[5]), "5 blocks instead of 6");
    let encoding = opening(&edit(HEADER_AT + 6, &9u32.to_le_bytes()));
    assert!(matches!(encoding, TableError::UnknownEncoding { encoding: 9, .. }));
    malformed(&edit(HEADER_AT + 10, &u64::MAX.to_le_bytes()), "cannot be decoded");
    malformed(&edit(HEADER_AT + 10, &4u64.to_le_bytes()), "it ends after");
    malformed(&edit(HEADER_AT + 18, &(u64::MAX - 1).to_le_bytes()), "block 0 is given as");
    malformed(&edit(HEADER_AT + 26, &u64::MAX.to_le_bytes()), "block 0 is given as");
    malformed(&edit(HEADER_AT + 18 + 48, &[1]), "statistics of block 0");
}
