//! Proofs.

use std::fs;
use std::sync::LazyLock;

use kalah::rules::{Board, Rules};
use kalah::search::proof::{Proof, Relation, Statement, write};
use kalah::search::{Options, Searcher};
use kalah::tables::{Encoding, Tablebase};

use super::Seed;
use super::input::{Input, piece};
use super::tables::{self, PITS, STONES};

/// The most stones of a root whose value is known here.
const MOST: usize = 10;

static TRUTH: LazyLock<[Tablebase<PITS>; 2]> =
    LazyLock::new(|| Rules::ALL.map(|rules| Tablebase::in_memory(rules, MOST).unwrap()));

/// The header as a piece; the claims.
///
/// What is not an error is true.
pub fn check(input: &[u8]) -> bool {
    let mut input = Input(input);
    let header = input.piece();
    let length = (header.len() as u32).to_le_bytes();
    let mut bytes = [b"KALPF\r\n\x1a", &1_u32.to_le_bytes()[..], &length, header, input.0].concat();
    let digest = blake3::hash(&bytes);
    bytes.extend(digest.as_bytes());

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proof");
    fs::write(&file, bytes).unwrap();
    let Ok(proof) = Proof::read(&file) else { return false };
    let report = proof.check(tables::folder(Encoding::Bytes), &());
    let Ok(report) = report else { return false };
    assert_eq!(report.claims, proof.claims());
    let statement = proof.statement();
    if statement.pits() == PITS {
        let row = |at: usize| [statement.root()[at], statement.root()[at + 1]];
        let root = statement.root();
        let board = Board::<PITS>::new(row(0), root[PITS], row(PITS + 1), root[2 * PITS + 1]);
        let truth = &TRUTH[usize::from(statement.rules() == Rules::EmptyCapture)];
        if let Some(value) = truth.value(&board.expect("a root is a board")) {
            let holds = match statement.relation() {
                Relation::AtLeast => value >= statement.value(),
                Relation::AtMost => value <= statement.value(),
                Relation::Exactly => value == statement.value(),
            };
            assert!(holds, "{statement:?} was found to hold, and the value is {value}");
        }
    }
    true
}

/// Real proofs.
pub fn seeds() -> Vec<Seed> {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tablebase::open(tables::folder(Encoding::Bytes), Rules::Standard).unwrap();
    let board: Board<PITS> = "3,2,1,2,3,0".parse().unwrap();
    let seed = |name, rules, tables: Option<&Tablebase<PITS>>, relation, off: i16| {
        let searcher = Searcher::new(rules, tables, Options { hash: 1 << 16, threads: 1 }).unwrap();
        let value = TRUTH[usize::from(rules == Rules::EmptyCapture)].value(&board).unwrap();
        let file = folder.path().join(name);
        let statement = Statement::new(rules, &board, relation, value + off);
        write(&searcher, &statement, &file, &()).unwrap();
        let bytes = fs::read(file).unwrap();
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let (header, claims) = bytes[16..bytes.len() - 32].split_at(length);
        (name, [&piece(header)[..], claims].concat())
    };
    assert_eq!(tables.stones(), Some(usize::from(STONES)));
    vec![
        seed("tables", Rules::Standard, Some(&tables), Relation::Exactly, 0),
        seed("no-tables", Rules::Standard, None, Relation::Exactly, 0),
        seed("at-least", Rules::EmptyCapture, None, Relation::AtLeast, -2),
        seed("at-most", Rules::Standard, Some(&tables), Relation::AtMost, 1),
    ]
}
