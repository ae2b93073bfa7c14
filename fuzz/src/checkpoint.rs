//! Checkpoints of searches.

use std::fs;

use kalah::rules::{Board, Rules};
use kalah::search::checkpoint::{Checkpoint, Saver};
use kalah::search::{Options, Question, Searcher};

use super::Seed;
use super::input::{Input, piece, signed, unsigned};

const PITS: usize = 2;
/// Where the header has the number of entries, and after that their digest.
const COUNT: usize = 2 + 2 * PITS + 2 + 3 * 8;
/// The number and the digest of the entries are put into the header.
const MEND: u8 = 1;

/// Flags; the header as a piece; the entries.
///
/// Going on from a checkpoint is an error or leads to a value that the stones allow. What it says is
/// believed, so the value may be wrong.
pub fn check(input: &[u8]) -> bool {
    let mut input = Input(input);
    let [flags] = input.array();
    let mut header = input.piece().to_vec();
    let Some(&[rules, _, a, b, store, c, d, opponent_store]) = header.first_chunk() else {
        return false;
    };
    let Ok(board) = Board::<PITS>::new([a, b], store, [c, d], opponent_store) else { return false };
    let stones = board.pits().stones();
    if stones > 9 {
        return false;
    }
    if flags & MEND != 0
        && let Some(mended) = header.get_mut(COUNT..COUNT + 40)
    {
        // As many bytes as the number of the last position and 23 bits take.
        let width = entry_bytes(stones);
        mended[..8].copy_from_slice(&((input.0.len() / width) as u64).to_le_bytes());
        mended[8..].copy_from_slice(blake3::hash(input.0).as_bytes());
    }
    let mut bytes = signed(b"KALAHC\r\n", &header);
    bytes.extend(input.0);

    let rules = if rules == 0 { Rules::Standard } else { Rules::EmptyCapture };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("checkpoint");
    fs::write(&file, bytes).unwrap();
    let Ok(checkpoint) = Checkpoint::open(&file, rules, &board) else { return false };
    let checkpoint = checkpoint.expect("the file is there");
    let Ok(searcher) = checkpoint.resume(searcher(rules)) else { return false };
    let known = searcher.known(board.pits()).unwrap();
    assert!(known.low <= known.high && usize::from(known.high.unsigned_abs()) <= stones);
    let found = searcher.solve(board.pits(), Question::Exact, &()).unwrap();
    assert!(usize::from(found.low.unsigned_abs()) <= stones && found.low <= found.high);
    true
}

fn entry_bytes(stones: usize) -> usize {
    let positions: u64 = (0..=stones)
        .map(|stones| kalah::ranking::Layer::<PITS>::new(stones).unwrap().positions())
        .sum();
    (u64::BITS - (positions - 1).leading_zeros() + 23).div_ceil(8) as usize
}

fn searcher(rules: Rules) -> Searcher<'static, PITS> {
    Searcher::new(rules, None, Options { hash: 1 << 14, threads: 1 }).unwrap()
}

/// Real checkpoints.
pub fn seeds() -> Vec<Seed> {
    let folder = tempfile::tempdir().unwrap();
    let seed = |name, rules, board: &str| {
        let board: Board<PITS> = board.parse().unwrap();
        let (file, searcher) = (folder.path().join(name), searcher(rules));
        let solve = || searcher.solve(board.pits(), Question::Exact, &());
        let (_, saved) = Saver::new(&searcher, board, &file).run(&|_: &_| (), solve).unwrap();
        saved.unwrap();
        let bytes = fs::read(file).unwrap();
        let (header, entries) = unsigned(&bytes);
        (name, [&[MEND][..], &piece(header), entries].concat())
    };
    vec![
        seed("nine-stones", Rules::Standard, "3,2,1,2,2,0"),
        seed("eight-stones", Rules::EmptyCapture, "2,2,0,2,2,0"),
        seed("over", Rules::Standard, "0,0,1,2,2,0"),
    ]
}
