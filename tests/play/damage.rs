//! Files that are damaged, or somebody else's.

use super::*;

/// Saves a game of a few moves, and gives its file's text.
fn saved(data: &Path) -> String {
    play(data, &SMALL, "1\n2\n3\n");
    fs::read_to_string(data.join("game.json")).unwrap()
}

/// Texts that are no game that can be resumed.
fn damaged(text: &str) -> Vec<Vec<u8>> {
    let lengths = [0, 1, text.len() / 3, text.len() / 2, text.len() - 3];
    let mut damaged: Vec<Vec<u8>> =
        lengths.iter().map(|&length| text.as_bytes()[..length].to_vec()).collect();
    let change = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        text.replace(from, to).into_bytes()
    };
    damaged.push(change("\"version\": 1", "\"version\": 2"));
    damaged.push(change("\"version\": 1", "\"version\": -1"));
    damaged.push(change("kalah game", "chess game"));
    damaged.push(change("\"moves\": [", "\"moves\": [3, 3,"));
    damaged.push(change("\"moves\": [", "\"moves\": [300,"));
    damaged.push(change("\"moves\": [", "\"more\": [], \"moves\": ["));
    damaged.push(change("\"pits\": 3", "\"pits\": 0"));
    damaged.push(change("\"seeds\": 2", "\"seeds\": 255"));
    damaged.push(change("easy", "brutal"));
    damaged.push(b"\x00\xff\xfe\x80garbage\n".to_vec());
    damaged.push(vec![b'['; 100_000]);
    damaged.push(b"#!/bin/sh\nexit 0\n".to_vec());
    damaged
}

#[test]
fn a_game_that_cannot_be_resumed_is_set_aside() {
    let whole = TempDir::new().unwrap();
    for bytes in damaged(&saved(whole.path())) {
        let data = TempDir::new().unwrap();
        let path = data.path().join("game.json");
        fs::write(&path, &bytes).unwrap();
        let (status, line) = complaint(data.path(), &["--resume"]);
        let aside = data.path().join("game.json.set-aside");
        let expected =
            format!("; it is set aside as {}; kalah play begins a game", aside.display());
        assert!(line.starts_with(&format!("{} is ", path.display())), "{line}");
        assert!(status == 1 && line.ends_with(&expected), "{line}");
        assert_eq!(fs::read(&aside).unwrap(), bytes);
        assert!(!path.exists());
    }
}

#[test]
fn a_game_begins_where_a_damaged_one_was() {
    let data = TempDir::new().unwrap();
    fs::write(data.path().join("game.json"), "{").unwrap();
    let (status, _, err) = play(data.path(), &SMALL, "1\n");
    assert_eq!(status, 0);
    assert!(err.contains("game.json is damaged ("), "{err}");
    assert_eq!(saved_moves(data.path())[0], 1);
    assert_eq!(fs::read_to_string(data.path().join("game.json.set-aside")).unwrap(), "{");
    let (status, _, err) = play(data.path(), &["--resume"], "");
    assert_eq!((status, err.as_str()), (0, ""));
}

#[test]
fn damaged_statistics_are_set_aside_and_begun_anew() {
    let data = TempDir::new().unwrap();
    play(data.path(), &SMALL, &all_pits(3));
    let path = data.path().join("statistics.json");
    let text = fs::read_to_string(&path).unwrap();
    let texts = [
        text[..text.len() / 2].to_owned(),
        text.replace("\"version\": 1", "\"version\": 7"),
        text.replace("\"best_run\": ", "\"best_run\": 9"),
        "not ours".to_owned(),
    ];
    for (text, number) in texts.into_iter().zip(1..) {
        fs::write(&path, &text).unwrap();
        let (status, out, err) = play(data.path(), &SMALL, &all_pits(3));
        assert_eq!(status, 0);
        assert!(err.contains("statistics.json is ") && err.contains("set aside as"), "{err}");
        assert!(out.contains(" of 1 game won "), "{out}");
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let aside = data.path().join(format!("statistics.json.set-aside{suffix}"));
        assert_eq!(fs::read_to_string(aside).unwrap(), text);
    }
}

#[test]
fn what_is_damaged_is_told_apart_from_what_is_not_there() {
    let data = TempDir::new().unwrap();
    fs::write(data.path().join("statistics.json"), "{}").unwrap();
    let (status, _, err) = play(data.path(), &["--resume"], "");
    let lines: Vec<_> = err.lines().collect();
    assert_eq!((status, lines.len()), (1, 2), "{err}");
    assert!(lines[0].contains("statistics.json is damaged ("), "{err}");
    assert!(lines[1].starts_with("kalah: there is no "), "{err}");
}

#[test]
fn damaged_statistics_are_not_shown() {
    let data = TempDir::new().unwrap();
    fs::write(data.path().join("statistics.json"), "{}").unwrap();
    let (status, out, err) = play(data.path(), &["--stats"], "");
    assert_eq!((status, out.as_str()), (1, "No game has ended yet.\n"));
    assert!(err.contains("statistics.json is damaged (missing field `format`)"), "{err}");
    let (status, _, err) = play(data.path(), &["--stats"], "");
    assert_eq!((status, err.as_str()), (0, ""));
}
