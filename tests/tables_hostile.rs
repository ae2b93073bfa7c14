//! Files that somebody broke, on purpose or not: an error each, and no panic.

mod common;

use std::{fs, path::Path, sync::LazyLock};

use common::negamax::Negamax;
use kalah::{
    ranking::Layer,
    rules::{Pits, Rules},
    tables::{
        Encoding, Folder, LayerFile, TableError, Tablebase,
        build::{self, build},
        pack::{Options, convert},
        verify::{Depth, verify},
    },
};
use proptest::prelude::*;

const STONES: usize = 4;
const HEADER_LENGTH_AT: usize = 12;
const HEADER_AT: usize = 16;

/// The bytes of a right file in each encoding, and a folder of the layers below it.
struct Right {
    directory: tempfile::TempDir,
    bytes: Vec<u8>,
    compact: Vec<u8>,
}

static RIGHT: LazyLock<Right> = LazyLock::new(|| {
    let directory = tempfile::tempdir().unwrap();
    Negamax::<2>::new(Rules::Standard, STONES).write(directory.path());
    let path = directory.path().join(NAME);
    let bytes = fs::read(&path).unwrap();
    pack(directory.path());
    let compact = fs::read(&path).unwrap();
    Right { directory, bytes, compact }
});

fn right(encoding: Encoding) -> &'static [u8] {
    match encoding {
        Encoding::Bytes => &RIGHT.bytes,
        _ => &RIGHT.compact,
    }
}

fn any_encoding() -> impl Strategy<Value = Encoding> {
    prop::sample::select(Encoding::ALL.to_vec())
}

fn pack(directory: &Path) {
    let options = Options { from: directory, to: directory, encoding: Encoding::Compact };
    assert!(convert(&options, |_| true, &()).unwrap().finished);
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
        fs::hard_link(RIGHT.directory.path().join(&name), directory.path().join(&name)).unwrap();
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
    fn a_file_cut_anywhere_is_found(encoding in any_encoding(), at: prop::sample::Index) {
        let right = right(encoding);
        prop_assert!(is_found_wrong(&right[..at.index(right.len())]));
    }

    #[test]
    fn a_wrong_byte_anywhere_is_found(
        encoding in any_encoding(),
        at: prop::sample::Index,
        difference in 1u8..,
    ) {
        let mut bytes = right(encoding).to_vec();
        *at.get_mut(&mut bytes) ^= difference;
        prop_assert!(is_found_wrong(&bytes));
    }

    #[test]
    fn a_wrong_byte_of_a_signed_header_is_found(
        encoding in any_encoding(),
        at in 0..HEADER_AT + header_length(&RIGHT.bytes),
        difference in 1u8..,
    ) {
        let mut bytes = right(encoding).to_vec();
        bytes[at] ^= difference;
        sign(&mut bytes);
        prop_assert!(is_found_wrong(&bytes));
    }

    #[test]
    fn wrong_numbers_in_a_signed_header_are_found(
        encoding in any_encoding(),
        at in 8..HEADER_AT + header_length(&RIGHT.bytes) - 8,
        number in prop_oneof![
            any::<u64>(),
            Just(u64::MAX),
            Just(u64::MAX - 4095),
            Just(i64::MAX as u64),
            Just(1 << 32),
            0u64..100_000,
        ],
    ) {
        let mut bytes = right(encoding).to_vec();
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
        encoding in any_encoding(),
        kept in 0usize..400,
        rest in proptest::collection::vec(any::<u8>(), 1..20_000),
        signed: bool,
    ) {
        let mut bytes = right(encoding)[..kept].to_vec();
        bytes.extend(rest);
        if signed && bytes.len() >= HEADER_AT {
            sign(&mut bytes);
        }
        prop_assert!(is_found_wrong(&bytes));
    }
}

#[test]
fn the_right_file_is_right() {
    for encoding in Encoding::ALL {
        let right = right(encoding);
        assert!(!is_found_wrong(right));
        let mut signed = right.to_vec();
        sign(&mut signed);
        assert_eq!(signed, right);
    }
}

#[test]
fn every_kind_of_damage_has_its_own_error() {
    let right = right(Encoding::Bytes);
    let edit = |at: usize, with: &[u8]| {
        let mut bytes = right.to_vec();
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

/// Where the header has what it says of a block: offset, length, digest, statistics.
fn entry(block: usize) -> usize {
    HEADER_AT + 18 + 74 * block
}

#[test]
fn compact_blocks_lie_one_after_the_other() {
    let right = right(Encoding::Compact);
    let number = |at: usize| u64::from_le_bytes(right[at..at + 8].try_into().unwrap());
    let extent = |block: usize| (number(entry(block)), number(entry(block) + 8));
    let edited = |numbers: &[(usize, u64)]| {
        let mut bytes = right.to_vec();
        for &(at, number) in numbers {
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        sign(&mut bytes);
        bytes
    };
    let malformed = |numbers: &[(usize, u64)], why: &str| match opening(&edited(numbers)) {
        TableError::MalformedHeader { reason, .. } => assert!(reason.contains(why), "{reason}"),
        other => panic!("{other}"),
    };
    // In the order 2, 1, 3, 0, 4, and the last two have no bytes.
    assert_eq!((extent(0), extent(4)), ((0, 0), (0, 0)));
    let [(one, one_length), (two, two_length), (three, three_length)] = [1, 2, 3].map(extent);
    assert!(4096 == two && two < one && one < three);
    assert!([one, two, three].iter().all(|offset| offset % 64 == 0));
    assert_eq!(three + three_length, right.len() as u64);

    malformed(&[(entry(0), 4096)], "block 0 is given as 0 bytes at 4096, and has none");
    malformed(&[(entry(4) + 8, 2)], "block 4 is given as 2 bytes at 0, and has none");
    malformed(&[(entry(2), 0)], "and begins at 4096");
    malformed(&[(entry(2), u64::MAX)], "and begins at 4096");
    malformed(&[(entry(1), two)], "block 1 is given as ");
    malformed(&[(entry(1), three), (entry(3), one)], "block 1 is given as ");
    malformed(&[(entry(1), one + 64)], "block 1 is given as ");
    malformed(&[(entry(2) + 8, two_length + 64)], "block 1 is given as ");
    malformed(&[(entry(3) + 8, three_length - 1)], "of which 10 are its directory");
    malformed(&[(entry(3) + 8, 8)], "of which 10 are its directory");
    for length in [u64::MAX, u64::MAX - 1, 1 << 63] {
        malformed(&[(entry(2) + 8, length)], "block ");
        malformed(&[(entry(1) + 8, length)], "block ");
    }
    let longer = opening(&edited(&[(entry(3) + 8, three_length + 2)]));
    let length = right.len() as u64;
    assert!(matches!(
        longer,
        TableError::Truncated { expected, actual, .. } if (expected, actual) == (length + 2, length)
    ));
    let shorter = opening(&edited(&[(entry(3) + 8, one_length.min(three_length) - 2)]));
    assert!(matches!(shorter, TableError::TrailingBytes { .. }));
    let far = opening(&edited(&[(entry(3) + 8, (1 << 62) + 10)]));
    assert!(matches!(far, TableError::Truncated { .. }));

    // A byte file that calls itself compact, and the other way round.
    for (bytes, number) in [(&RIGHT.bytes, 1), (&RIGHT.compact, 0)] {
        let mut bytes = bytes.clone();
        bytes[HEADER_AT + 6] = number;
        sign(&mut bytes);
        assert!(matches!(opening(&bytes), TableError::MalformedHeader { .. }));
    }
}

/// A compact file of many tiles, with 8 stones in 6 pits a side.
fn tiles() -> &'static [u8] {
    static TILES: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let directory = tempfile::tempdir().unwrap();
        let options = build::Options::new(Rules::Standard, 8);
        build::<6>(directory.path(), &options, &()).unwrap();
        pack(directory.path());
        fs::read(directory.path().join("standard-6pits-08stones.kalah")).unwrap()
    });
    &TILES
}

/// Reads everything there is in a file that somebody who means harm wrote.
fn read_everything(bytes: &[u8]) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("standard-6pits-08stones.kalah");
    fs::write(&path, bytes).unwrap();
    let layer = LayerFile::open(&path).unwrap();
    let named = |error: TableError| assert!(error.to_string().contains(path.to_str().unwrap()));
    let ranks = Layer::<6>::new(8).unwrap();
    for block in 0..=8 {
        let (rows, columns) = (ranks.block(block).rows, ranks.block(block).columns);
        layer.check_block(block).unwrap();
        let _ = layer.check_statistics(block).map_err(named);
        let matrix = layer.matrix(block).map_err(named);
        for place in (0..rows * columns).step_by(97) {
            match layer.share(block, place / columns, place % columns) {
                Ok(share) => {
                    assert!(share <= 8);
                    let within = matrix.as_ref().map(|matrix| matrix[place as usize]);
                    assert!(within.is_err() || within == Ok(share));
                }
                Err(error) => named(error),
            }
        }
    }
    let options =
        Options { from: directory.path(), to: directory.path(), encoding: Encoding::Bytes };
    let _ = convert(&options, |_| true, &());
}

/// Gives every block the digest that it should have, and the header too.
fn sign_blocks(bytes: &mut [u8]) {
    for block in 0..=8 {
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let (offset, length) = (number(entry(block)), number(entry(block) + 8));
        let digest = blake3::hash(&bytes[offset..offset + length]);
        bytes[entry(block) + 16..][..32].copy_from_slice(digest.as_bytes());
    }
    sign(bytes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn wrong_blocks_with_right_digests_do_no_harm(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = tiles().to_vec();
        for (at, byte) in changes {
            *at.get_mut(&mut bytes[4096..]) = byte;
        }
        sign_blocks(&mut bytes);
        read_everything(&bytes);
    }

    #[test]
    fn wrong_directories_with_right_digests_do_no_harm(
        block in 1usize..8,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u16>()), 1..10),
    ) {
        let mut bytes = tiles().to_vec();
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let end = number(entry(block)) + number(entry(block) + 8);
        // All of them have at least one group of tiles.
        let directory = &mut bytes[end - 16..end];
        for (at, word) in changes {
            let at = 2 * at.index(directory.len() / 2);
            directory[at..at + 2].copy_from_slice(&word.to_le_bytes());
        }
        sign_blocks(&mut bytes);
        read_everything(&bytes);
    }
}
