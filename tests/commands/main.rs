//! What a person and a script see of the program: output, error lines and exit statuses.

#[path = "../common/mod.rs"]
mod common;

mod command_line;
mod fair;
mod generate;
mod info;
mod pack;
mod plan;
mod proof;
mod query;
mod solve;
mod stream;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use assert_cmd::Command;
use common::negamax::Negamax;
use kalah::rules::Rules;
use tempfile::TempDir;

/// The program, away from any tables but those it is told of.
fn kalah() -> Command {
    let mut command = Command::new(program());
    command.env_remove("KALAH_TABLES").current_dir(std::env::temp_dir());
    command
}

fn program() -> PathBuf {
    assert_cmd::cargo::cargo_bin!("kalah").to_owned()
}

/// Tables of up to 8 stones for 6 pits, and of up to 12 for 2 pits and empty-capture rules.
fn tables() -> &'static Path {
    static TABLES: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = TempDir::new().unwrap();
        Negamax::<6>::new(Rules::Standard, 8).write(folder.path());
        Negamax::<2>::new(Rules::EmptyCapture, 12).write(folder.path());
        folder
    });
    TABLES.path()
}

/// Tables of up to 4 stones for 2 pits, to be spoilt.
fn small_tables() -> TempDir {
    let folder = TempDir::new().unwrap();
    Negamax::<2>::new(Rules::Standard, 4).write(folder.path());
    folder
}

trait Tables {
    fn tables(&mut self, folder: &Path) -> &mut Self;
}

impl Tables for Command {
    fn tables(&mut self, folder: &Path) -> &mut Self {
        self.arg("--tables").arg(folder)
    }
}

/// Runs the program with the tables; gives exit status, standard output and standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = kalah().args(arguments).env("KALAH_TABLES", tables()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

/// Runs the program, which must complain in one line and print nothing; gives status and line.
fn complaint(arguments: &[&str]) -> (i32, String) {
    let (status, out, err) = run(arguments);
    assert_eq!(out, "", "{arguments:?}");
    let line = err.strip_prefix("kalah: ").and_then(|line| line.strip_suffix('\n'));
    let line = line.unwrap_or_else(|| panic!("{arguments:?}: {err:?}"));
    assert!(!line.contains('\n'), "{arguments:?}: {err:?}");
    (status, line.to_owned())
}
