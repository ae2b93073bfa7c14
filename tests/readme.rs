//! What the README shows is what happens.
//!
//! In its `console` blocks a line after `$ ` is a command, and what follows up to the next command is
//! what it prints, errors included. All of them are run in order, in one folder.

use std::{env, fs, path::Path, process::Command};

const README: &str = include_str!("../README.md");

#[test]
fn the_commands_of_the_readme_print_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("data/checksums"), folder.path().join("data/checksums")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("kalah").parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap();
    let path = env::join_paths([program].into_iter().chain(env::split_paths(&path))).unwrap();

    let commands = commands();
    assert!(commands.len() > 8, "{commands:?}");
    for (command, expected) in commands {
        let command = command.replace("cargo run --release --", "kalah");
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env_remove("KALAH_TABLES")
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(masked(&printed), masked(&expected), "{command}");
    }
}

/// The commands of the README, and what it says that they print.
fn commands() -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in README.lines() {
        match (line, line.strip_prefix("$ ")) {
            ("```console", _) => inside = true,
            ("```", _) => inside = false,
            (_, Some(command)) if inside => commands.push((command.to_owned(), String::new())),
            _ if inside => {
                let (_, output) = commands.last_mut().expect("a command before its output");
                *output += line;
                output.push('\n');
            }
            _ => {}
        }
    }
    commands
}

/// Leaves out the times and counts that are never the same: of what `kalah generate` tells, of what
/// `kalah solve` has searched, and of how long the moves took that `kalah validate` judged.
fn masked(text: &str) -> String {
    let kept = text.split_inclusive('\n').filter(|line| !line.contains("  time a move "));
    let text: &str = &kept.collect::<String>();
    let without = |text: &str, start: &str, end: &str| match (text.find(start), text.find(end)) {
        (Some(start), Some(end)) => format!("{} ..{}", &text[..start], &text[end..]),
        _ => text.to_owned(),
    };
    match text.contains("Searched ") {
        true => without(text, "Searched ", ", over tables of")
            .rsplit_once(": ")
            .map_or(String::new(), |(kept, _)| kept.to_owned()),
        false => without(text, " positions in ", " a second"),
    }
}
