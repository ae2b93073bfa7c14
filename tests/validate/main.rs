//! `kalah validate`: levels, and engines that are wrong on purpose in known ways.

mod engine;
mod engines;
mod levels;
mod report;

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// The program, away from any tables but those it is told of.
fn kalah() -> Command {
    let mut command = Command::new(program());
    command.env_remove("KALAH_TABLES").current_dir(std::env::temp_dir());
    command
}

fn program() -> PathBuf {
    assert_cmd::cargo::cargo_bin!("kalah").to_owned()
}

/// Runs `kalah validate`; gives exit status, standard output and standard error.
fn validate(arguments: &[&str]) -> (i32, String, String) {
    let output = kalah().arg("validate").args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

/// Runs `kalah validate --json`; gives exit status and report.
fn report(arguments: &[&str]) -> (i32, Value) {
    let (status, out, err) = validate(&[arguments, &["--json"]].concat());
    assert_eq!(err, "", "{arguments:?}");
    let report = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out:?}"));
    (status, report)
}

/// What is the same in every run: all but times.
fn without_times(mut report: Value) -> Value {
    report["seconds"] = Value::Null;
    for exam in ["exam", "games"] {
        if let Some(exam) = report[exam].as_object_mut() {
            exam["time"] = Value::Null;
        }
    }
    report
}
