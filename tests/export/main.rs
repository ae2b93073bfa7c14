//! `kalah export`: what other programs read.

#[path = "../common/mod.rs"]
mod common;

mod csv;
mod npy;
mod numpy;
mod refused;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use assert_cmd::Command;
use common::negamax::Negamax;
use kalah::rules::Rules;
use tempfile::TempDir;

/// Values by a plain search, and a folder with tables of them.
struct Truth<const P: usize> {
    values: Negamax<P>,
    folder: TempDir,
}

impl<const P: usize> Truth<P> {
    fn new(rules: Rules, stones: usize) -> Self {
        let (values, folder) = (Negamax::new(rules, stones), TempDir::new().unwrap());
        values.write(folder.path());
        Truth { values, folder }
    }
}

/// Six pits, standard rules, up to 6 stones.
static SIX: LazyLock<Truth<6>> = LazyLock::new(|| Truth::new(Rules::Standard, 6));

/// Three pits, empty-capture rules, up to 9 stones.
static THREE: LazyLock<Truth<3>> = LazyLock::new(|| Truth::new(Rules::EmptyCapture, 9));

fn program() -> PathBuf {
    assert_cmd::cargo::cargo_bin!("kalah").to_owned()
}

/// Runs `kalah export` with these tables; gives exit status, standard output and standard error.
fn export(tables: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(program());
    command.env_remove("KALAH_TABLES").arg("export").arg("--tables").arg(tables);
    let output = command.args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

/// Runs `kalah export`, which must succeed and complain of nothing; gives what it prints.
fn exported(tables: &Path, arguments: &[&str]) -> String {
    let (status, out, err) = export(tables, arguments);
    assert_eq!((status, err.as_str()), (0, ""), "{arguments:?}");
    out
}

/// The names of the files in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}
