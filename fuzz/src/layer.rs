//! Files of layers, in both encodings.

use std::fs;

use kalah::ranking::row_count;
use kalah::rules::{Pits, Rules};
use kalah::tables::{Encoding, LayerFile, Tablebase};

use super::Seed;
use super::input::{Input, piece, signed, unsigned};
use super::tables::{self, ENTRIES, ENTRY, PITS, Placed, STONES};

/// Blocks lie as in compact files.
const COMPACT: u8 = 1;
/// The header gets the places of the blocks.
const PLACES: u8 = 2;
/// The header gets their digests.
const DIGESTS: u8 = 4;

/// Flags; the header as a piece; the blocks as pieces, each after its number.
///
/// Opening and reading a file is an error or gives shares of the stones that there are.
pub fn check(input: &[u8]) -> bool {
    let mut input = Input(input);
    let [flags] = input.array();
    let mut header = input.piece().to_vec();
    let region = (16 + header.len() + 32).next_multiple_of(4096);
    let alignment = if flags & COMPACT == 0 { 4096 } else { 64 };
    let blocks = Placed::new(input.pieces(), region, alignment);
    let entry = |number| ENTRIES + usize::from(number) * ENTRY;
    blocks.mend(entry, &mut header, flags & PLACES != 0, flags & DIGESTS != 0);
    let mut file = signed(b"KALAH\r\n\x1a", &header);
    file.resize(region, 0);
    file.extend(&blocks.bytes);

    let folder = tables::lower_layers(Encoding::Bytes);
    let path = folder.path().join(tables::id(STONES).file_name());
    fs::write(&path, file).unwrap();
    probe(&Tablebase::open(folder.path(), Rules::Standard).unwrap());
    match LayerFile::open(&path) {
        Ok(layer) => read(&layer),
        Err(_) => false,
    }
}

/// Positions of the layer in a folder where it is the highest.
fn probe(tables: &Tablebase<PITS>) {
    for first in 0..=STONES {
        let (mover, opponent) =
            ([first, STONES / 2 - first.min(2)], [0, 2_u8.saturating_sub(first)]);
        let pits = Pits::new(mover, opponent).unwrap();
        let margin = tables.margin(&pits);
        assert!(margin.is_none_or(|margin| usize::from(margin.unsigned_abs()) <= pits.stones()));
        assert_eq!(tables.probe(&pits).ok().flatten(), margin);
    }
}

/// Reads all blocks in all ways. Tells whether all of them are right.
fn read(layer: &LayerFile) -> bool {
    let (pits, stones) = (usize::from(layer.id().pits), usize::from(layer.id().stones));
    let mut right = layer.check_padding().is_ok();
    for mover in 0..=stones {
        let columns = row_count(pits, stones - mover);
        let positions = layer.header().block_positions(mover);
        let mut values = Vec::new();
        for place in (0..positions).step_by(1 + positions as usize / 50) {
            let share = layer.share(mover, place / columns, place % columns);
            assert!(
                share.as_ref().is_ok_and(|&share| usize::from(share) <= stones) || share.is_err()
            );
            values.push((place as usize, share));
        }
        if positions > 1 << 16 {
            continue;
        }
        let matrix = layer.matrix(mover);
        right &= matrix.is_ok() && layer.check_block(mover).is_ok();
        right &= layer.check_statistics(mover).is_ok();
        if let Ok(matrix) = &matrix {
            assert_eq!(matrix.len() as u64, positions);
            for (place, share) in values {
                let value = matrix[place];
                assert_eq!(share.ok(), Some(value).filter(|&value| usize::from(value) <= stones));
            }
            if layer.encoding() == Encoding::Compact {
                assert!(matrix.iter().all(|&share| usize::from(share) <= stones));
            }
        }
        #[cfg(fuzzing)]
        read_otherwise(layer, mover, matrix.ok());
    }
    right
}

/// By the opponent's rows, and some of the lines of either order.
#[cfg(fuzzing)]
fn read_otherwise(layer: &LayerFile, mover: usize, matrix: Option<Vec<u8>>) {
    use kalah::tables::Order;
    use kalah::tables::fuzzing::{read_lines, read_matrix};

    let rows = row_count(layer.id().pits.into(), mover) as usize;
    let columns = layer.header().block_positions(mover) as usize / rows;
    for (order, lines, length) in
        [(Order::MoverRows, rows, columns), (Order::OpponentRows, columns, rows)]
    {
        let at = |line: usize, place: usize| match order {
            Order::MoverRows => line * columns + place,
            Order::OpponentRows => place * columns + line,
        };
        let mut target = vec![0; lines * length];
        let read = read_matrix(layer, mover, order, &mut target);
        assert_eq!(read.is_ok(), matrix.is_some());
        let part = lines / 3..lines - lines / 4;
        let mut some = vec![0; lines * length];
        let read = read_lines(layer, mover, order, part.clone(), &mut some);
        let Some(matrix) = &matrix else { continue };
        assert!(read.is_ok(), "some lines of a block that is right");
        for (line, place) in (0..lines).flat_map(|line| (0..length).map(move |place| (line, place)))
        {
            let share = matrix[at(line, place)];
            assert_eq!(target[line * length + place], share);
            assert!(!part.contains(&line) || some[line * length + place] == share);
        }
    }
}

/// Layers of real tables.
pub fn seeds() -> Vec<Seed> {
    [
        ("bytes", Encoding::Bytes, STONES),
        ("compact", Encoding::Compact, STONES),
        ("compact-3", Encoding::Compact, 3),
        ("bytes-0", Encoding::Bytes, 0),
    ]
    .map(|(name, encoding, stones)| {
        let layer = tables::layer(encoding, stones);
        let flags = PLACES | DIGESTS | if encoding == Encoding::Compact { COMPACT } else { 0 };
        let (header, _) = unsigned(layer.bytes());
        let mut input = [&[flags][..], &piece(header)].concat();
        input.extend(tables::blocks(&layer).iter().flat_map(|block| piece(block)));
        (name, input)
    })
    .to_vec()
}
