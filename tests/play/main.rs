//! `kalah play`: whole games in lines and on a terminal, and what they leave behind.

mod damage;
mod plain;
mod pty;
mod statistics;
mod terminal;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use kalah::rules::{Board, Pit, Rules};
use serde_json::Value;
use tempfile::TempDir;

/// How long something may take that happens at once on an idle machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A small game that takes no time: 12 stones, which the tables in memory reach.
const SMALL: [&str; 8] = ["--pits", "3", "--seeds", "2", "--level", "easy", "--random-seed", "5"];

/// The program with a data folder of its own, away from any tables.
fn kalah(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("kalah"));
    command.arg("play").args(arguments).current_dir(std::env::temp_dir());
    command.env("KALAH_DATA_DIR", data).env_remove("KALAH_TABLES").env_remove("NO_COLOR");
    command
}

/// Plays line by line; gives exit status, standard output and standard error.
fn play(data: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = start(data, arguments);
    // A game that ended by itself reads no more.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

fn start(data: &Path, arguments: &[&str]) -> Child {
    let mut command = kalah(data, arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Runs the program, which must complain in one line and print nothing; gives status and line.
fn complaint(data: &Path, arguments: &[&str]) -> (i32, String) {
    let (status, out, err) = play(data, arguments, "");
    assert_eq!(out, "", "{arguments:?}");
    let line = err.strip_prefix("kalah: ").and_then(|line| line.strip_suffix('\n'));
    let line = line.unwrap_or_else(|| panic!("{arguments:?}: {err:?}"));
    assert!(!line.contains('\n'), "{arguments:?}: {err:?}");
    (status, line.to_owned())
}

/// Lines that play any game of so many pits to its end: pits that cannot be sown are refused.
fn all_pits(pits: usize) -> String {
    (1..=pits).map(|pit| format!("{pit}\n")).collect::<String>().repeat(60)
}

fn json(data: &Path, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(data.join(name)).unwrap()).unwrap()
}

/// The pits that the saved game says were sown.
fn saved_moves(data: &Path) -> Vec<usize> {
    let moves = json(data, "game.json")["moves"].clone();
    serde_json::from_value(moves).unwrap()
}

/// The board after these pits were sown, and whether whoever began is to move.
fn replay<const P: usize>(seeds: u8, moves: &[usize]) -> (Board<P>, bool) {
    let opening = (Board::opening(seeds).unwrap(), true);
    moves.iter().fold(opening, |(board, first), &number| {
        let pit = Pit::from_number(number).unwrap();
        let played = board.play(pit, Rules::Standard).expect("a legal move");
        (played.board, first == played.extra_move)
    })
}

/// Waits until something is so.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        sleep(Duration::from_millis(10));
    }
}
