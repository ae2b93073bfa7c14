//! The levels under the judge.

use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;

#[test]
fn insane_passes_and_easy_does_not() {
    let (status, out, err) = validate(&["--level", "insane", "--stones", "7", "--full"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("Level insane, standard rules, 6 pits a side, judged by"), "{out}");
    assert!(out.contains("Passed: all 46,957 answers keep the outcome and every point."), "{out}");

    let (status, out, _) = validate(&["--level", "easy", "--sample", "300"]);
    assert_eq!(status, 1);
    assert!(out.contains("\nThe first 10 of ") && out.contains(", right is "), "{out}");
    assert!(out.contains("\nNot passed: ") && out.contains(" answers give points away"), "{out}");
    let (status, out, err) = validate(&["--level", "easy", "--sample", "300", "--quiet"]);
    assert_eq!((status, out.as_str(), err.as_str()), (1, "", ""));
}

#[test]
fn a_report_is_the_same_for_any_number_of_threads() {
    for arguments in [
        &["--level", "medium", "--sample", "200", "--random-seed", "3"][..],
        &["--level", "hard", "--stones", "9", "--sample", "100"],
        &["--level", "hard", "--games", "6", "--pits", "4", "--against", "medium"],
        &["--level", "medium", "--games", "5", "--rules", "empty-capture", "--judge-nodes", "500"],
    ] {
        let report =
            |threads| without_times(report(&[arguments, &["--threads", threads]].concat()).1);
        assert_eq!(report("1"), report("2"), "{arguments:?}");
    }
}

#[test]
fn a_sample_is_another_one_with_another_seed() {
    let position = |seed| {
        let (_, report) = report(&["--level", "easy", "--sample", "100", "--random-seed", seed]);
        report["exam"]["first_failures"][0]["position"].clone()
    };
    assert_eq!(position("1"), position("1"));
    assert_ne!(position("1"), position("2"));
}

#[test]
fn a_match_of_levels_has_a_score_with_its_confidence() {
    let arguments = ["--level", "hard", "--against", "easy", "--games", "20", "--pits", "4"];
    let (_, report) = report(&[&arguments[..], &["--seeds", "2..3"]].concat());
    let games = &report["games"];
    assert_eq!((&games["played"], &games["seeds"]), (&json!(20), &json!([2, 3])));
    let score = &games["score"];
    let results = ["wins", "draws", "losses"].map(|result| score[result].as_u64().unwrap());
    assert_eq!(results.iter().sum::<u64>(), 20);
    assert!(results[0] > results[2], "{score}");
    let share = score["share"].as_f64().unwrap();
    let ends = [0, 1].map(|end| score["interval"][end].as_f64().unwrap());
    assert!(0.0 < ends[0] && ends[0] < share && share < ends[1] && ends[1] <= 1.0, "{score}");
    let rows = games["by_stones"].as_array().unwrap();
    let sum = |field: &str| rows.iter().map(|row| row[field].as_u64().unwrap()).sum::<u64>();
    for field in ["moves", "points", "keep_points", "lose_points", "open"] {
        assert_eq!(sum(field), games[field].as_u64().unwrap(), "{field}");
    }
    assert!(games["pits_sown"].as_u64() > games["moves"].as_u64());
}

#[test]
fn both_exams_can_be_held_at_once() {
    let arguments = ["--level", "insane", "--stones", "12", "--sample", "50", "--games", "2"];
    let (status, out, _) = validate(&[&arguments[..], &["--pits", "3", "--seeds", "3"]].concat());
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("\nEndgame exam: a sample of positions of up to 12 stones\n"), "{out}");
    assert!(out.contains("\nGame exam: against itself, 3 stones a pit\n"), "{out}");
    assert_eq!(out.matches("\nPassed: ").count(), 2, "{out}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_with_what_was_found() {
    for arguments in [
        &["--level", "hard", "--full"][..],
        &["--level", "hard", "--games", "100000"],
        &["--level", "perfect", "--games", "2", "--seeds", "6"],
    ] {
        let program = kalah()
            .args(["validate", "--json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(1_500));
        let id = program.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let output = program.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {err}");
        assert_eq!(err, "kalah: interrupted; what was found so far is told\n");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["finished"], &report["passed"]), (&json!(false), &json!(false)));
    }
}

#[test]
fn mistakes_are_told_in_one_line_that_says_what_would_be_right() {
    let required = "the following required arguments were not provided: <--level \
                    <NAME>|--engine <COMMAND>|--listen <ADDRESS>>; see kalah validate --help";
    let level = ["--level", "easy"];
    for (arguments, expected) in [
        (&[][..], required),
        (
            &["--level", "easy", "--engine", "x"],
            "the argument '--level <NAME>' cannot be used with '--engine <COMMAND>'; see kalah \
             validate --help",
        ),
        (
            &["--level", "easy", "--games", "3", "--seeds", "6..3"],
            "invalid value '6..3' for '--seeds <S>': write a number from 1 to 63, or two of them, \
             like 3..6",
        ),
        (
            &["--level", "easy", "--games", "3", "--seeds", "11"],
            "--seeds 11: the board holds 132 stones; 127 is the most",
        ),
        (&["--engine", "'x"], "--engine: the command ends within a quotation; close it"),
        (
            &["--level", "easy", "--pits", "1"],
            "with 1 pit a side no position of up to 12 stones has a choice; ask for more with \
             --stones, or for all that have a move with --full",
        ),
    ] {
        let (status, out, err) = validate(arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?} {err}");
        assert!(err.starts_with(&format!("kalah: {expected}")), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
    for against in [&["--against", "hard"][..], &["--seeds", "4"], &["--stones", "0"]] {
        let (status, ..) = validate(&[&level[..], against].concat());
        assert_eq!(status, 2, "{against:?}");
    }
    let missing = ["--html", "/nowhere/report.html"];
    let (status, out, err) = validate(&[&level[..], &missing].concat());
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.starts_with("kalah: cannot make /nowhere/report.html"), "{err}");
}

#[test]
fn help_tells_of_every_option() {
    let (status, out, err) = validate(&["--help"]);
    assert_eq!((status, err.as_str()), (0, ""));
    for option in ["--engine", "--listen", "--full", "--against", "--failures", "--html"] {
        assert!(out.contains(option), "{option}");
    }
}
