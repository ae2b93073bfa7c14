//! The tables that benchmarks look positions up in.

use std::{env, path::Path};

use divan::black_box;
use kalah::{
    rules::Rules,
    tables::{
        Tablebase,
        build::{Options, build},
    },
};

/// The tables for 6 pits and standard rules in the folder that `KALAH_TABLES` names, or without it
/// of so many stones, built for the run; all their pages mapped.
pub fn tables_or(stones: usize) -> Tablebase<6> {
    let tables = match env::var_os("KALAH_TABLES") {
        Some(folder) => open(Path::new(&folder)),
        None => {
            // The files stay mapped when the folder goes.
            let folder = tempfile::tempdir().expect("a temporary folder");
            let options = Options::new(Rules::Standard, stones);
            build::<6>(folder.path(), &options, &()).expect("tables for the run");
            open(folder.path())
        }
    };
    eprintln!("tables of up to {} stones", tables.layers().len() - 1);
    let bytes = tables.layers().iter().flat_map(|layer| layer.bytes().iter().step_by(4096));
    black_box(bytes.fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
    tables
}

fn open(folder: &Path) -> Tablebase<6> {
    let tables = Tablebase::open(folder, Rules::Standard).unwrap_or_else(|error| panic!("{error}"));
    assert!(tables.stones().is_some(), "no tables of 6 pits in {}", folder.display());
    tables
}
