//! `kalah fair`: boards near an opening that nobody wins.

use std::fs;

use serde_json::Value;

use super::*;

/// 12 stones in two pits a side are covered by [`tables`], so that each answer can be looked up.
const NEAR: [&str; 7] = ["fair", "--pits", "2", "--rules", "empty-capture", "--seeds", "3"];

fn report(args: &[&str]) -> Value {
    let (status, out, err) = run(&[&NEAR, args].concat());
    assert_eq!((status, err.as_str()), (0, ""));
    serde_json::from_str(&out).unwrap()
}

/// What `kalah query` says of a board.
fn outcome(position: &str) -> String {
    let rules = ["--pits", "2", "--rules", "empty-capture", "--json", "--best", position];
    let (status, out, _) = run(&[&["query"], &rules[..]].concat());
    assert_eq!(status, 0);
    serde_json::from_str::<Value>(&out).unwrap()["outcome"].as_str().unwrap().to_owned()
}

#[test]
fn outcomes_are_those_of_the_tables_and_are_kept() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("outcomes.jsonl");
    let path = file.to_str().unwrap();
    let first = report(&["--json", "--hash", "1M", "--output", path]);
    assert_eq!(first["boards"], 4 * 5);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 20);
    let mut fair = 0;
    for line in text.lines() {
        let finding: Value = serde_json::from_str(line).unwrap();
        let position = finding["position"].as_str().unwrap();
        assert_eq!(finding["outcome"], outcome(position), "{position}");
        fair += usize::from(finding["outcome"] == "draw");
    }
    assert_eq!(first["draws"], fair);
    assert_eq!(first["fair"].as_array().unwrap().len(), fair);

    // A run that was killed left half of its work and a piece of a line.
    let kept: String = text.split_inclusive('\n').take(10).collect();
    fs::write(&file, kept.clone() + "{\"position\":\"3,").unwrap();
    let second = report(&["--json", "--hash", "1M", "--output", path]);
    assert_eq!(second, first);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with(&kept));
    assert_eq!(text.lines().count(), 20);
}

#[test]
fn a_file_of_something_else_is_not_written_to() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("notes");
    let other = "{\"position\":\"3,3,0,3,3,0\",\"rules\":\"standard\",\"outcome\":\"win\"}\n";
    for content in ["my notes\n", other] {
        fs::write(&file, content).unwrap();
        let output = ["--hash", "1M", "--output", file.to_str().unwrap()];
        let (status, out, err) = run(&[&NEAR, &output[..]].concat());
        assert_eq!((status, out.as_str()), (1, ""));
        assert!(err.contains("name another file") && err.lines().count() == 1, "{err}");
        assert_eq!(fs::read_to_string(&file).unwrap(), content);
    }
}

#[test]
fn people_read_the_fair_boards_and_a_count() {
    let (status, out, err) = run(&[&NEAR, &["--moved", "0", "--hash", "1M"][..]].concat());
    assert_eq!((status, err.as_str()), (0, ""));
    let expected = match outcome("3,3,0,3,3,0").as_str() {
        "win" => "0 of 1 boards are fair; the player to move wins 1 and loses 0.\n",
        "loss" => "0 of 1 boards are fair; the player to move wins 0 and loses 1.\n",
        _ => "3,3,0,3,3,0\n1 of 1 boards are fair; the player to move wins 0 and loses 0.\n",
    };
    assert_eq!(out, expected);
}
