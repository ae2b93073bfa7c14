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

/// The program goes on with no such file; gives what it says.
fn refusal(file: &Path) -> String {
    let output = ["--hash", "1M", "--output", file.to_str().unwrap()];
    let (status, line) = complaint(&[&NEAR, &output[..]].concat());
    assert_eq!(status, 1, "{line}");
    line
}

#[test]
fn a_file_of_something_else_is_not_written_to() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("notes");
    let finding =
        "{\"position\":\"3,3,0,3,3,0\",\"rules\":\"empty-capture\",\"outcome\":\"win\"}\n";
    let more = finding.replace("}", ",\"value\":1}");
    let other_rules = finding.replace("empty-capture", "standard");
    let long = finding.replace("}", &format!("{}}}", " ".repeat(1024)));
    for (content, number, reason) in [
        ("my notes\n", 1, "is no outcome"),
        ("my notes without a line end", 1, "is no outcome"),
        ("{", 0, ""),
        ("{\"position\":\"3,3,x", 1, "is no outcome"),
        ("{\"name\":\"3", 1, "is no outcome"),
        ("\n", 1, "is no outcome"),
        (&format!("{{\"position\":\"{}", "3,".repeat(1024)), 1, "is no outcome"),
        (&format!("{finding}{finding}my notes"), 3, "is no outcome"),
        (&format!("{finding}{}", finding.trim_end()), 0, ""),
        (&format!("{finding}{}", more.trim_end()), 2, "is no outcome"),
        (&format!("{finding}{more}"), 2, "is no outcome"),
        (&format!("{finding}{long}"), 2, "is no outcome"),
        (&format!("{finding}{other_rules}"), 2, "is for standard rules"),
        (&format!("{finding}{}", finding.replace("win", "draw")), 2, "contradicts one before it"),
    ] {
        fs::write(&file, content).unwrap();
        if number == 0 {
            // What may have been begun by a run that was killed.
            let path = file.to_str().unwrap();
            assert_eq!(report(&["--json", "--hash", "1M", "--output", path])["boards"], 20);
            continue;
        }
        let expected = format!("line {number} of {} {reason}; name another file", file.display());
        assert_eq!(refusal(&file), expected);
        assert_eq!(fs::read_to_string(&file).unwrap(), content);
    }
}

#[test]
fn a_file_has_one_writer() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("outcomes.jsonl");
    let writer = fs::File::create(&file).unwrap();
    writer.lock().unwrap();
    let expected =
        format!("another process is writing {}; give each a file of its own", file.display());
    assert_eq!(refusal(&file), expected);
    assert_eq!(fs::read(&file).unwrap(), b"");
}

#[test]
fn folders_and_devices_hold_no_outcomes() {
    let folder = TempDir::new().unwrap();
    for file in [folder.path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
        let expected = format!("{} is not a file; name a file, or one to be made", file.display());
        assert_eq!(refusal(file), expected);
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
