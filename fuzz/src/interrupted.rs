//! What a build that was killed leaves of a layer.

use std::fs;

use kalah::rules::Rules;
use kalah::tables::build::{Options, build};
use kalah::tables::{Encoding, Folder, LayerFile};

use super::Seed;
use super::input::{Input, piece, signed, unsigned};
use super::tables::{self, ENTRIES, ENTRY, PITS, Placed, STONES};

/// The compact encoding is asked for.
const COMPACT: u8 = 1;
/// The journal gets the places of the blocks.
const PLACES: u8 = 2;
/// The journal gets the digests of what is there, whatever it is.
const DIGESTS: u8 = 4;
/// The file is shorter by a byte.
const SHORT: u8 = 8;

/// Flags; the header of the journal as a piece; the blocks of the unfinished file as pieces, each
/// after its number.
///
/// A build ends with a file that is right by its own checksums; and with the right file unless
/// somebody gave wrong blocks right digests.
pub fn check(input: &[u8]) -> bool {
    let mut input = Input(input);
    let [flags] = input.array();
    let mut journal = input.piece().to_vec();
    let (alignment, encoding) = match flags & COMPACT {
        0 => (4096, Encoding::Bytes),
        _ => (64, Encoding::Compact),
    };
    let blocks = Placed::new(input.pieces(), 4096, alignment);
    // Where the journal has the block, if it lists it.
    let entries: Vec<usize> = (ENTRIES..journal.len()).step_by(1 + ENTRY).collect();
    let listed: Vec<u8> = entries.iter().map(|&at| journal[at]).collect();
    let entry = |number: u8| {
        let place = listed.iter().position(|&listed| listed == number);
        place.map_or(usize::MAX, |place| entries[place] + 1)
    };
    blocks.mend(entry, &mut journal, flags & PLACES != 0, flags & DIGESTS != 0);
    let mut partial = vec![0; 4096];
    partial.extend(&blocks.bytes);
    partial.truncate(partial.len() - usize::from(flags & SHORT != 0));

    let folder = tables::lower_layers(encoding);
    let name = tables::id(STONES).file_name();
    fs::write(folder.path().join(format!(".{name}.partial")), partial).unwrap();
    fs::write(folder.path().join(format!(".{name}.journal")), signed(b"KALAHJNL", &journal))
        .unwrap();
    let found = Folder::open_for_reading(folder.path()).unwrap().partial_layers().unwrap();
    let options =
        Options { encoding: Some(encoding), ..Options::new(Rules::Standard, usize::from(STONES)) };
    let resumed = Resumed::default();
    let built = build::<PITS>(folder.path(), &options, &resumed);
    let path = folder.path().join(&name);
    assert!(built.is_ok(), "what cannot be gone on with is made anew: {built:?}");
    let layer = LayerFile::open(&path).unwrap();
    let whole = tables::layer(encoding, STONES);
    for block in 0..=usize::from(STONES) {
        // Values that are as their checksums say.
        let values = layer.matrix(block).ok();
        let right = values == whole.matrix(block).ok();
        assert!(right || flags & DIGESTS != 0, "wrong values in block {block}");
        layer.check_block(block).unwrap();
    }
    // What a journal says of statistics is believed.
    let right = layer.bytes() == whole.bytes();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), usize::from(STONES) + 2);
    right && !found.is_empty() && resumed.positions.into_inner() > 0
}

/// How much was gone on with.
#[derive(Default)]
struct Resumed {
    positions: std::sync::atomic::AtomicU64,
}

impl kalah::tables::build::Progress for Resumed {
    fn layer_resumed(&self, _stones: usize, positions: u64) {
        self.positions.fetch_add(positions, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Parts of real files: some of the first blocks, in the order in which they are computed.
pub fn seeds() -> Vec<Seed> {
    [
        ("bytes", Encoding::Bytes, 3),
        ("bytes-whole", Encoding::Bytes, 5),
        ("compact", Encoding::Compact, 2),
        ("compact-whole", Encoding::Compact, 5),
    ]
    .map(|(name, encoding, count)| {
        let layer = tables::layer(encoding, STONES);
        let (header, _) = unsigned(layer.bytes());
        let order = [2, 1, 3, 0, 4];
        let mut journal = header[..ENTRIES - 8].to_vec();
        journal.extend((count as u64).to_le_bytes());
        for number in &order[..count] {
            journal.push(*number);
            journal.extend(&header[ENTRIES + usize::from(*number) * ENTRY..][..ENTRY]);
        }
        let compact = if encoding == Encoding::Compact { COMPACT } else { 0 };
        let mut input = [&[compact | PLACES][..], &piece(&journal)].concat();
        let blocks = tables::blocks(&layer).into_iter();
        // A byte file has its whole length from the beginning.
        let blocks = blocks.filter(|block| compact == 0 || order[..count].contains(&block[0]));
        input.extend(blocks.flat_map(|block| piece(&block)));
        (name, input)
    })
    .to_vec()
}
