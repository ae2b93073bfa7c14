//! Line by line.

use std::io::Read;

use rustix::process::{Pid, Signal, kill_process};

use super::*;

/// The pits that a transcript says were sown, each with what it says was captured and gained.
fn announced(transcript: &str) -> Vec<(bool, usize, usize, usize)> {
    let number_after = |line: &str, before: &str| {
        let rest = line.split_once(before).map_or("", |(_, rest)| rest);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    };
    let moves = transcript.lines().filter(|line| line.contains(" pit ") && line.contains("sow"));
    let moves = moves.filter(|line| line.starts_with("You ") || line.starts_with("The computer "));
    moves
        .map(|line| {
            let captured = number_after(line, "capture ") + number_after(line, "captures ");
            let pit = number_after(line, " pit ");
            (line.starts_with("You "), pit, captured, number_after(line, "(+"))
        })
        .collect()
}

#[test]
fn a_whole_game_is_told_as_the_rules_have_it() {
    for (pits, options) in [
        (6, &["--seeds", "3", "--level", "medium", "--random-seed", "11"][..]),
        (6, &["--seeds", "4", "--level", "easy", "--first", "computer", "--random-seed", "2"]),
    ] {
        let data = TempDir::new().unwrap();
        let arguments = [&["--plain"], options].concat();
        let (status, out, err) = play(data.path(), &arguments, &all_pits(pits));
        assert_eq!((status, err.as_str()), (0, ""));
        let seeds = options[1].parse().unwrap();
        let mut board = Board::<6>::opening(seeds).unwrap();
        let mut person = !options.contains(&"computer");
        let moves = announced(&out);
        for &(by_person, pit, captured, gained) in &moves {
            assert_eq!(by_person, person, "{out}");
            let played = board.play(Pit::from_number(pit).unwrap(), Rules::Standard).unwrap();
            assert_eq!((captured, gained), (played.captured.into(), played.gained.into()));
            person = person == played.extra_move;
            board = played.board;
        }
        assert!(board.is_over(), "{out}");
        let value = board.final_value().unwrap();
        let value = if person { value } else { -value };
        let stones = 2 * 6 * i16::from(seeds);
        let (more, less) = ((stones + value.abs()) / 2, (stones - value.abs()) / 2);
        let who = match value {
            1.. => "You win by",
            0 => "A draw by",
            _ => "The computer wins by",
        };
        let count = moves.len();
        let ended = format!("\n{who} {more} stones to {less} after {count} moves.\n");
        assert_eq!(out.matches(&ended).count(), 1, "{ended} {out}");
        assert_eq!(saved_moves(data.path()).len(), count);

        let again = TempDir::new().unwrap();
        let (_, same, _) = play(again.path(), &arguments, &all_pits(pits));
        assert_eq!(same, out, "the same seed, the same game");
    }
}

#[test]
fn the_dialogue_reads_as_it_was_played() {
    let data = TempDir::new().unwrap();
    let arguments = ["--pits", "2", "--seeds", "2", "--level", "perfect", "--random-seed", "1"];
    let input = "evaluate\nhint\n5\nsow\n\nundo\n2\n2\nundo\nquit\n1\n";
    let (status, out, err) = play(data.path(), &arguments, input);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out, include_str!("dialogue.txt"));
}

#[test]
fn the_end_of_the_lines_saves_and_ends() {
    let data = TempDir::new().unwrap();
    let (status, out, err) = play(data.path(), &SMALL, "3\n");
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.ends_with("The game is saved; kalah play --resume goes on with it.\n"), "{out}");
    // Without a move there is nothing to save, and what was saved stays.
    let before = saved_moves(data.path());
    let (status, out, err) = play(data.path(), &SMALL, "");
    assert_eq!(status, 0);
    assert!(!out.contains("saved"), "{out}");
    assert!(err.starts_with("kalah: a game (level easy, 3 pits a side, 2 stones a pit"), "{err}");
    assert_eq!(saved_moves(data.path()), before);
    // Not even the computer's first move takes its place.
    let (_, out, _) = play(data.path(), &[&SMALL[..], &["--first", "computer"]].concat(), "");
    assert!(out.contains("The computer sows pit "), "{out}");
    assert_eq!(saved_moves(data.path()), before);
}

#[test]
fn a_game_that_cannot_be_saved_goes_on_and_says_so() {
    let data = TempDir::new().unwrap();
    let folder = data.path().join("folder");
    let mut child = start(&folder, &SMALL);
    let mut lines = child.stdin.take().unwrap();
    lines.write_all(b"2\n").unwrap();
    wait_until("the move is saved", || folder.join("game.json").exists());
    fs::remove_dir_all(&folder).unwrap();
    lines.write_all(b"1\n3\nundo\n").unwrap();
    drop(lines);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.code() == Some(1) && out.contains("Took back "), "{out}");
    assert!(!out.contains("The game is saved"), "{out}");
    // Once when it begins, and once as the reason for the exit status.
    assert_eq!(err.matches("kalah: the game is not saved: ").count(), 2, "{err}");
}

#[test]
fn a_killed_game_goes_on_as_it_would_have() {
    let options = ["--seeds", "3", "--level", "medium", "--random-seed", "8"];
    let whole = TempDir::new().unwrap();
    play(whole.path(), &options, &all_pits(6));
    let expected = saved_moves(whole.path());

    let data = TempDir::new().unwrap();
    let mut child = start(data.path(), &options);
    let mut lines = child.stdin.take().unwrap();
    lines.write_all(b"1\n2\n3\n4\n").unwrap();
    wait_until("two moves are saved", || {
        let text = fs::read_to_string(data.path().join("game.json")).unwrap_or_default();
        let game: Value = serde_json::from_str(&text).unwrap_or_default();
        game["moves"].as_array().is_some_and(|moves| moves.len() >= 2)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let killed = saved_moves(data.path());
    assert_eq!(killed, expected[..killed.len()]);

    // Who sows what the person sowed in the whole game gets the same answers.
    let rest = (killed.len()..expected.len()).filter(|&made| replay::<6>(3, &expected[..made]).1);
    let lines: String = rest.map(|made| format!("{}\n", expected[made])).collect();
    let (status, _, err) = play(data.path(), &["--resume"], &lines);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(saved_moves(data.path()), expected);
}

#[test]
fn undo_and_the_same_moves_lead_to_the_same_answers() {
    let data = TempDir::new().unwrap();
    let options = ["--seeds", "4", "--level", "easy", "--random-seed", "3"];
    play(data.path(), &options, "1\n");
    let first = saved_moves(data.path());
    assert!(first.len() >= 2);
    play(data.path(), &["--resume"], "undo\n1\nundo\n1\n");
    assert_eq!(saved_moves(data.path()), first);
    play(data.path(), &["--resume"], "undo\n");
    assert_eq!(saved_moves(data.path()), [0; 0]);
}

#[test]
fn a_new_game_takes_the_place_of_the_one_before() {
    let data = TempDir::new().unwrap();
    let (status, out, _) = play(data.path(), &SMALL, "1\nnew\n2\n");
    assert_eq!(status, 0);
    assert!(out.contains("Another game, random seed "), "{out}");
    assert_eq!(saved_moves(data.path())[0], 2);
    assert_ne!(json(data.path(), "game.json")["random_seed"], 5);
}

#[test]
fn the_help_says_where_games_are_kept() {
    let data = TempDir::new().unwrap();
    let (status, out, err) = play(data.path(), &["--help"], "");
    assert_eq!((status, err.as_str()), (0, ""));
    for said in ["KALAH_DATA_DIR", "--resume", "--stats", "--plain", "KALAH_TABLES"] {
        assert!(out.contains(said), "{said}");
    }
}

#[test]
fn mistakes_are_told_in_one_line() {
    let data = TempDir::new().unwrap();
    for (arguments, expected) in [
        (&["--seeds", "11"][..], "--seeds 11: the board holds 132 stones; 127 is the most"),
        (
            &["--seeds", "0"],
            "invalid value '0' for '--seeds <S>': write a whole number from 1 to 63",
        ),
        (
            &["--level", "brutal"],
            "invalid value 'brutal' for '--level <NAME>': no level is called 'brutal'; there are \
             easy, medium, hard, insane and perfect",
        ),
        (
            &["--resume", "--level", "easy"],
            "the argument '--resume' cannot be used with '--level <NAME>'; see kalah play --help",
        ),
        (&["--pits", "7"], "invalid value '7' for '--pits <P>': tables have 1 to 6 pits a side"),
    ] {
        assert_eq!(complaint(data.path(), arguments), (2, expected.to_owned()));
    }
    let (status, line) = complaint(data.path(), &["--resume"]);
    let path = data.path().join("game.json");
    let expected = format!("there is no {}; kalah play begins a game", path.display());
    assert_eq!((status, line), (1, expected));
    let (status, line) = complaint(data.path(), &["--tables", "/nowhere/at/all"]);
    assert!(status == 1 && line.contains("/nowhere/at/all"), "{line}");
}

#[test]
fn a_signal_ends_what_would_take_hours() {
    let data = TempDir::new().unwrap();
    let mut child = start(data.path(), &["--level", "perfect", "--seeds", "6"]);
    child.stdin.as_mut().unwrap().write_all(b"2\n").unwrap();
    wait_until("the move is saved", || data.path().join("game.json").exists());
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
    assert_eq!(saved_moves(data.path()), [2]);
}

#[test]
fn two_games_do_not_share_a_folder() {
    let data = TempDir::new().unwrap();
    let mut first = start(data.path(), &SMALL);
    // When it says anything it has the folder.
    first.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    let (status, line) = complaint(data.path(), &SMALL);
    assert_eq!(status, 1);
    assert!(line.starts_with("another game is being played, and saved in "), "{line}");
    // Statistics can be read meanwhile.
    assert_eq!(play(data.path(), &["--stats"], "").0, 0);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(play(data.path(), &SMALL, "").0, 0);
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let data = TempDir::new().unwrap();
    let file = data.path().join("file");
    fs::write(&file, "").unwrap();
    let (status, line) = complaint(&file.join("folder"), &SMALL);
    assert_eq!(status, 1);
    assert!(line.contains("variable KALAH_DATA_DIR"), "{line}");
}
