//! `kalah query --input`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use super::*;

const GOOD: &str = "0,0,0,0,1,1,3,2,0,0,0,0,0,4";

/// The program, answering what it is told with pipes on all sides.
fn streaming(arguments: &[&str]) -> std::process::Child {
    Command::new(program())
        .args(["query", "--input", "-"])
        .args(arguments)
        .env("KALAH_TABLES", tables())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn stream(arguments: &[&str], input: impl Into<Vec<u8>>) -> (i32, String, String) {
    let output = kalah()
        .args(["query", "--input", "-"])
        .args(arguments)
        .env("KALAH_TABLES", tables())
        .write_stdin(input)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_stream_answers_as_single_queries_do() {
    let positions = [GOOD, "<6,3,4,0,0,0,0,1,1,2,0,0,0,0,0>", "0,0,0,0,0,0,0,1,2,3,4,5,60,7"];
    for mode in [&["--json"][..], &["--json", "--best"]] {
        let expected: String = positions
            .iter()
            .map(|position| run(&[&["query", position], mode].concat()).1)
            .collect();
        let (status, out, err) = stream(mode, positions.join("\n"));
        assert_eq!((status, out, err), (0, expected, String::new()));
    }
}

#[test]
fn a_bad_line_is_reported_and_the_rest_goes_on() {
    let input = format!("{GOOD}\r\n\n  \nbad\n4,4,4\n{GOOD}");
    let (status, out, err) = stream(&["--json", "--best"], input.as_str());
    assert_eq!((status, err.as_str()), (2, ""));
    let objects: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 4);
    assert_eq!(objects[0]["value"], 3);
    assert_eq!(
        out.lines().nth(1).unwrap(),
        r#"{"line":4,"error":"number 1 of the position is 'bad'; write a whole number from 0 to 127"}"#
    );
    assert_eq!(objects[2]["line"], 5);
    let error = objects[2]["error"].as_str().unwrap();
    assert!(error.contains("has 3 numbers"), "{error}");
    assert_eq!(objects[3], objects[0]);

    let (status, out, err) = stream(&[], input);
    assert_eq!(status, 2);
    let answer = format!("{GOOD}  +3 win  6 5\n");
    assert_eq!(out, answer.repeat(2));
    assert!(err.starts_with("kalah: line 4: number 1 of the position is 'bad'; "), "{err}");
    assert!(err.lines().nth(1).unwrap().starts_with("kalah: line 5: the position has 3"), "{err}");
}

#[test]
fn positions_beyond_the_tables_are_searched_as_they_come() {
    let input: String = (1..=9).map(|store| format!("3,3,3,{store},3,3,3,0\n")).collect();
    let (status, out, err) = stream(&["--pits", "3", "--json", "--threads", "2"], input);
    assert_eq!((status, err.as_str()), (0, ""));
    for (line, store) in out.lines().zip(1..) {
        let answer: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(answer["position"], format!("3,3,3,{store},3,3,3,0"));
        assert_eq!((&answer["value"], &answer["source"]), (&(2 + store).into(), &"search".into()));
    }
    assert_eq!(out.lines().count(), 9);

    // Each line has the time for itself.
    let time = ["--json", "--hash", "1M", "--time", "0.01"];
    let (status, out, _) =
        stream(&time, format!("{}{GOOD}\n", "4 4 4 4 4 4 4 4 4 4 4 4\n".repeat(2)));
    assert_eq!(status, 0);
    let answers: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(answers[0]["value"].is_null() && answers[1]["bounds"].is_array(), "{out}");
    assert_eq!(answers[2]["value"], 3);
}

#[test]
fn hostile_input_is_only_bad_lines() {
    let long = vec![b'1'; 1 << 20];
    let input = [&b"\xff\xfe\0\n"[..], &long, b"\n\0\n", GOOD.as_bytes()].concat();
    let (status, out, err) = stream(&["--json"], input);
    assert_eq!((status, err.as_str()), (2, ""));
    let lines: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers: Vec<_> = lines.iter().map(|object| object["line"].as_u64()).collect();
    assert_eq!(numbers[..3], [Some(1), Some(2), Some(3)]);
    assert_eq!(lines[3]["value"], 3);
    assert!(out.len() < 2000, "{out}");
}

#[test]
fn many_lines_keep_their_order() {
    let position = |n: usize| format!("0,0,0,0,0,{},{n},1,0,0,0,0,0,0\n", n % 3 + 1);
    let (status, out, _) = stream(
        &["--json", "--threads", "2"],
        (0..100).cycle().take(5000).map(position).collect::<String>(),
    );
    assert_eq!(status, 0);
    for (line, n) in out.lines().zip((0..100).cycle()) {
        let expected = format!(r#"{{"position":"{}","#, position(n).trim_end());
        assert!(line.starts_with(&expected), "{line}");
    }
    assert_eq!(out.lines().count(), 5000);
}

#[test]
fn an_answer_comes_before_the_next_question() {
    let mut program = streaming(&["--json"]);
    let mut questions = program.stdin.take().unwrap();
    let mut answers = BufReader::new(program.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(questions, "{GOOD}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(answer.starts_with(r#"{"position":"#), "{answer}");
    }
    drop(questions);
    assert_eq!(program.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_after_the_answers_found() {
    use std::{thread, time::Duration};

    let searched = "4 4 4 4 4 4 4 4 4 4 4 4";
    // Once while it waits for a line, and once while it searches.
    for more in ["".to_owned(), format!("{searched}\n").repeat(3)] {
        let mut program = streaming(&["--json", "--hash", "1M", "--threads", "2"]);
        let mut questions = program.stdin.take().unwrap();
        let mut answers = BufReader::new(program.stdout.take().unwrap());
        writeln!(questions, "{GOOD}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        questions.write_all(more.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(500));
        let id = program.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(program.wait().unwrap().code(), Some(3));
        let stopped: Vec<String> = answers.lines().map(Result::unwrap).collect();
        assert_eq!(stopped.is_empty(), more.is_empty(), "{stopped:?}");
        assert!(stopped.len() <= 2, "{stopped:?}");
        assert!(stopped.iter().all(|answer| answer.contains("\"bounds\":[")), "{stopped:?}");
        drop(questions);
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let mut program = streaming(&["--json"]);
    drop(program.stdout.take());
    let mut questions = program.stdin.take().unwrap();
    // The program stops reading, and then this ends with an error too.
    while writeln!(questions, "{GOOD}").is_ok() {}
    drop(questions);
    let output = program.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), String::from_utf8(output.stderr).unwrap()),
        (Some(0), String::new())
    );
}

#[test]
fn input_that_cannot_be_read_is_named() {
    let (status, line) = complaint(&["query", "--input", "no-such-file"]);
    assert_eq!(status, 2);
    assert!(line.starts_with("cannot read no-such-file: "), "{line}");
    let folder = tables().display().to_string();
    let (status, line) = complaint(&["query", "--input", &folder]);
    assert_eq!(status, 2);
    assert!(line.starts_with(&format!("cannot read {folder}: ")), "{line}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(program())
        .args(["query", "--tables"])
        .arg(tables())
        .arg(GOOD)
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(err.starts_with("kalah: cannot write to standard output: "), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}
