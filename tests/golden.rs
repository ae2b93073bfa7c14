//! Built tables against values that other programs found, and against the plain rules.

use std::{env, path::Path};

use kalah::{
    rules::{Pits, Row, Rules},
    tables::{
        Folder, Tablebase,
        build::{Options, build},
        verify::{Depth, verify},
    },
};

/// Layers of more stones take too long for every run of the tests.
const STONES: usize = 18;

/// How many of the positions have at most that many stones.
const STANDARD: usize = 309;
const EMPTY_CAPTURE: usize = 311;

fn csv(rules: Rules) -> &'static str {
    match rules {
        Rules::Standard => include_str!("data/standard_endgames.csv"),
        Rules::EmptyCapture => include_str!("data/empty_capture_endgames.csv"),
    }
}

/// The positions and their values.
fn rows(rules: Rules) -> Vec<(Pits<6>, i16)> {
    let (header, rows) = csv(rules).split_once('\n').unwrap();
    assert_eq!(header, "m1,m2,m3,m4,m5,m6,o1,o2,o3,o4,o5,o6,value");
    let row = |line: &str| {
        let (position, value) = line.rsplit_once(',').unwrap();
        let counts: Vec<u8> = position.split(',').map(|count| count.parse().unwrap()).collect();
        let side = |counts: &[u8]| -> Row<6> { counts.try_into().unwrap() };
        (Pits::new(side(&counts[..6]), side(&counts[6..])).unwrap(), value.parse().unwrap())
    };
    rows.lines().map(row).collect()
}

/// Holds the tables of a folder against the positions of `from` to `to` stones, which are `count`.
fn compare(folder: &Path, rules: Rules, from: usize, to: usize, count: usize) {
    let tables = Tablebase::<6>::open(folder, rules).unwrap();
    assert!(tables.stones() >= Some(to), "{} lacks layers up to {to} stones", folder.display());
    let rows = rows(rules);
    let rows: Vec<_> =
        rows.iter().filter(|(pits, _)| (from..=to).contains(&pits.stones())).collect();
    for (pits, value) in &rows {
        assert_eq!(tables.probe(pits).unwrap(), Some(*value), "{rules}: {pits:?}");
    }
    assert_eq!(rows.len(), count);
}

/// Builds all layers up to [`STONES`] stones, holds them against the positions with so many, and
/// samples of each against the plain rules.
fn built(rules: Rules, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::new(rules, STONES);
    let summary = build::<6>(folder.path(), &options, &()).unwrap();
    assert!(summary.finished);
    compare(folder.path(), rules, 0, STONES, count);

    let depth = Depth::Sample { positions: 10_000, seed: 1 };
    let folder = Folder::open_for_reading(folder.path()).unwrap();
    let report = verify(&folder, rules, 6, depth, &()).unwrap();
    assert!(report.is_clean(), "{:?}", report.faults);
    assert_eq!((report.files, report.checksummed), (STONES + 1, summary.positions));
}

#[test]
fn standard_tables_hold_the_known_values() {
    built(Rules::Standard, STANDARD);
}

#[test]
fn empty_capture_tables_hold_the_known_values() {
    built(Rules::EmptyCapture, EMPTY_CAPTURE);
}

/// `scripts/check` builds the tables for this.
#[test]
#[ignore = "needs tables up to 25 stones, both rule sets, in the folder KALAH_TABLES names"]
fn large_tables_hold_the_known_values() {
    let folder = env::var_os("KALAH_TABLES").expect("KALAH_TABLES names the folder of the tables");
    let folder = Path::new(&folder);
    compare(folder, Rules::Standard, STONES + 1, 25, 500 - STANDARD);
    compare(folder, Rules::EmptyCapture, STONES + 1, 22, 400 - EMPTY_CAPTURE);
}
