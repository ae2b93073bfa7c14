//! `kalah query` for one position.

use std::fs;

use super::*;

#[test]
fn an_answer_is_an_object_on_one_line() {
    // Pit 6 and then the capture of pit 5 leave the mover 7 stones and the opponent 4.
    let (status, out, err) = run(&["query", "--json", "0,0,0,0,1,1,3,2,0,0,0,0,0,4"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(
        out,
        concat!(
            r#"{"position":"0,0,0,0,1,1,3,2,0,0,0,0,0,4","rules":"standard","stones":4,"#,
            r#""value":3,"outcome":"win","source":"table","moves":["#,
            r#"{"pit":6,"value":3,"outcome":"win","extra_move":true,"captured":0},"#,
            r#"{"pit":5,"value":-3,"outcome":"loss","extra_move":false,"captured":0}],"#,
            r#""line":[6,5]}"#,
            "\n"
        )
    );
    let (status, out, _) = run(&["query", "--json", "--best", "0,0,0,0,1,1,3,2,0,0,0,0,0,4"]);
    assert_eq!(status, 0);
    assert_eq!(
        out,
        concat!(
            r#"{"position":"0,0,0,0,1,1,3,2,0,0,0,0,0,4","rules":"standard","stones":4,"#,
            r#""value":3,"outcome":"win","source":"table","moves":["#,
            r#"{"pit":6,"value":3,"outcome":"win","extra_move":true,"captured":0}],"#,
            r#""line":[]}"#,
            "\n"
        )
    );
}

#[test]
fn a_page_shows_the_board_the_moves_and_the_line() {
    let (status, out, err) = run(&["query", "1,0,0,0,0,0,2,0,0,0,0,3,1,10"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(
        out,
        "           6     5     4     3     2     1     opponent
        ┌─────┬─────┬─────┬─────┬─────┬─────┐
 ┌─────┤  1  │  3  │  0  │  0  │  0  │  0  ├─────┐
 │ 10  ├─────┼─────┼─────┼─────┼─────┼─────┤  2  │
 └─────┤  1  │  0  │  0  │  0  │  0  │  0  ├─────┘
        └─────┴─────┴─────┴─────┴─────┴─────┘
           1     2     3     4     5     6     to move

The player to move loses by 5 under perfect play (standard rules, 5 stones in the pits).

  pit  value
    1     -5  loss  captures 3

Perfect play, a slash where the turn passes:
  1
"
    );
}

#[test]
fn every_notation_is_the_same_position() {
    let (_, expected, _) = run(&["query", "--json", "0,0,0,0,1,1,0,2,0,0,0,0,0,0"]);
    for position in [
        &["0,0,0,0,1,1,2,0,0,0,0,0"][..],
        &["0 0 0 0 1 1 2 0 0 0 0 0"],
        &["0", "0", "0", "0", "1", "1", "2", "0", "0", "0", "0", "0"],
        &["<6,0,0,0,0,0,0,1,1,2,0,0,0,0,0>"],
    ] {
        let (status, out, err) = run(&[&["query", "--json"], position].concat());
        assert_eq!((status, out, err), (0, expected.clone(), String::new()), "{position:?}");
    }
}

#[test]
fn a_finished_game_needs_no_tables() {
    let folder = TempDir::new().unwrap();
    let query = ["query", "--json", "0,0,0,0,0,0,3,1,2,3,4,5,60,7"];
    for tables in [folder.path(), Path::new("/nowhere/at/all")] {
        let assert = kalah().args(query).tables(tables).assert().code(0).stderr("");
        assert.stdout(concat!(
            r#"{"position":"0,0,0,0,0,0,3,1,2,3,4,5,60,7","rules":"standard","stones":75,"#,
            r#""value":-79,"outcome":"loss","source":"over","moves":[],"line":[]}"#,
            "\n"
        ));
    }
    let (status, out, _) = run(&["query", "0,0,0,0,0,0,0,0,0,0,0,0"]);
    assert_eq!(status, 0);
    assert!(out.ends_with("\nThe game is over: a draw.\n"), "{out}");
}

#[test]
fn a_position_beyond_the_tables_is_searched() {
    let opening = ["query", "--json", "--pits", "3", "--seeds", "3"];
    let expected = concat!(
        r#"{"position":"3,3,3,0,3,3,3,0","rules":"standard","stones":18,"#,
        r#""value":2,"outcome":"win","source":"search","moves":["#,
        r#"{"pit":1,"value":2,"outcome":"win","extra_move":true,"captured":0},"#,
        r#"{"pit":2,"value":2,"outcome":"win","extra_move":false,"captured":0},"#,
        r#"{"pit":3,"value":-4,"outcome":"loss","extra_move":false,"captured":0}],"line":[1,2,"#,
    );
    let (status, out, err) = run(&opening);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with(expected), "{out}");
    // Neither the folder nor anything in it has to be there.
    let nowhere = kalah().args(opening).tables(Path::new("/nowhere/at/all")).assert().code(0);
    assert_eq!(String::from_utf8(nowhere.get_output().stdout.clone()).unwrap(), out);

    let (status, page, _) = run(&["query", "--pits", "3", "--seeds", "3", "--threads", "2"]);
    assert_eq!(status, 0);
    let verdict = "The player to move wins by 2 under perfect play (standard rules, 18 stones in the \
                   pits, by search).";
    assert!(page.contains(verdict), "{page}");
}

#[test]
fn when_time_runs_out_there_are_bounds() {
    let opening = ["query", "--seeds", "4", "--hash", "1M", "--time", "0.01"];
    let (status, out, err) = run(&[&opening[..], &["--json"]].concat());
    assert_eq!((status, err.as_str()), (0, ""));
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(answer["value"].is_null() && answer["outcome"].is_null(), "{out}");
    let bounds: Vec<_> = answer["bounds"].as_array().unwrap().iter().collect();
    let (low, high) = (bounds[0].as_i64().unwrap(), bounds[1].as_i64().unwrap());
    assert!((-48..=8).contains(&low) && (8..=48).contains(&high), "{out}");
    assert_eq!(
        (&answer["moves"], &answer["line"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );

    let (status, page, _) = run(&opening);
    assert_eq!(status, 0);
    assert!(page.contains("bound"), "{page}");
    for wrong in [["--time", "soon"], ["--time", "-1"], ["--hash", "lots"]] {
        assert_eq!(complaint(&["query", "--seeds", "4", wrong[0], wrong[1]]).0, 2);
    }
}

#[test]
fn what_cannot_be_searched_in_so_little_memory_says_how_much_it_takes() {
    let (status, line) = complaint(&["query", "--seeds", "10", "--hash", "1M"]);
    assert_eq!(status, 1);
    assert!(line.contains("too small for positions of 120 stones"), "{line}");
}

#[test]
fn nonsense_is_no_position() {
    for position in [
        "",
        "four",
        "1,2,3",
        "1,2,3,4,5,6,7,8,9,10,11,12,13",
        "4,4,4,4,4,4,0,4,4,4,4,4,4,",
        "4,4,4,4,4,4,0,4,4,4,4,4,4,0.5",
        "4,4,4,4,4,4,0,4,4,4,4,4,4,-1",
        "4,4,4,4,4,4,0,4,4,4,4,4,4,256",
        "4,4,4,4,4,4,0,4,4,4,4,4,4,99999999999999999999999999",
        "20,20,20,20,20,20,0,4,4,4,4,4,4,0",
        "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4",
        "<5,0,0,4,4,4,4,4,4,4,4,4,4>",
        "<6,0,0>",
        "<>",
        "\u{1b}[2J,1,2,3,4,5,6,7,8,9,10,11",
    ] {
        let (status, line) = complaint(&["query", "--json", position]);
        assert_eq!(status, 2, "{position}: {line}");
        assert!(!line.contains('\u{1b}'), "{line}");
    }
    let (status, line) = complaint(&["query", "-1,2"]);
    assert_eq!(status, 2, "{line}");
}

#[test]
fn pits_decide_how_many_numbers_there_are() {
    let (status, out, _) =
        run(&["query", "--json", "--pits", "2", "--rules", "empty-capture", "1,2,0,0,3,0"]);
    assert_eq!(status, 0);
    assert!(out.starts_with(r#"{"position":"1,2,0,0,3,0","rules":"empty-capture","stones":6,"#));
    let (status, _) = complaint(&["query", "--pits", "2", "0,0,0,0,1,1,2,0,0,0,0,0"]);
    assert_eq!(status, 2);
}

#[test]
fn moves_lead_from_an_opening_to_a_position() {
    let rules = ["query", "--json", "--pits", "2", "--rules", "empty-capture"];
    let (status, out, err) = run(&[&rules[..], &["--seeds", "2", "--moves", "1,1,2"]].concat());
    // 2,2|2,2: pit 1 ends in the store; pit 1 is empty then, and so no move.
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(
        err,
        "kalah: move 2 of --moves (1) on 0,3,1,2,2,0: pit 1 is empty; choose one that holds stones\n"
    );
    let (status, out, _) = run(&[&rules[..], &["--seeds", "2", "--moves", "1,2"]].concat());
    assert_eq!(status, 0);
    assert!(out.starts_with(r#"{"position":"3,3,0,0,0,2","#), "{out}");
    let (status, out, _) = run(&[&rules[..], &["--seeds", "2"]].concat());
    assert_eq!(status, 0);
    assert!(out.starts_with(r#"{"position":"2,2,0,2,2,0","#), "{out}");
}

#[test]
fn moves_are_those_from_an_opening() {
    for arguments in [&["1,2,0,0,0,0,0,0,0,0,0,1"][..], &["--input", "-"], &[]] {
        let (status, line) = complaint(&[&["query"], arguments, &["--moves", "2"]].concat());
        assert_eq!(status, 2, "{line}");
    }
}

#[test]
fn bounds_that_the_stones_set_are_not_called_proved() {
    let opening = ["query", "--seeds", "4", "--hash", "1M", "--time", "0"];
    let (status, page, _) = run(&opening);
    assert_eq!(status, 0);
    let expected = "Nothing is proved yet of the value, which the stones bound by -48 to +48 (";
    assert!(page.contains(expected), "{page}");
}

#[test]
fn impossible_moves_are_named() {
    for (arguments, expected) in [
        (
            ["--seeds", "4", "--moves", "3,6,7"],
            "move 3 of --moves (7) on 5,5,5,5,4,4,0,4,4,0,5,5,0,2: there is no pit 7; pits are \
             numbered 1 to 6",
        ),
        (
            ["--seeds", "0", "--moves", "1"],
            "move 1 of --moves (1) on 0,0,0,0,0,0,0,0,0,0,0,0,0,0: the game is over: one side's \
             pits are all empty, no move is left",
        ),
        (
            ["--seeds", "11", "--moves", "1"],
            "--seeds 11: the board holds 132 stones; 127 is the most",
        ),
    ] {
        let arguments = [&["query"], &arguments[..]].concat();
        assert_eq!(complaint(&arguments), (2, expected.to_owned()));
    }
}

#[test]
fn damaged_tables_are_named_and_not_believed() {
    let folder = small_tables();
    let file = folder.path().join("standard-2pits-03stones.kalah");
    let sound = fs::read(&file).unwrap();
    let query = ["query", "--json", "--pits", "2", "1,1,0,1"];
    let answer = kalah().args(query).tables(folder.path()).assert().code(0).stderr("");
    let answer = String::from_utf8(answer.get_output().stdout.clone()).unwrap();

    // What a file that is cut off would have said is searched.
    fs::write(&file, &sound[..sound.len() - 1]).unwrap();
    let output = kalah().args(query).tables(folder.path()).assert().code(0);
    let searched = answer.replace("\"table\"", "\"search\"");
    assert_eq!(String::from_utf8(output.get_output().stdout.clone()).unwrap(), searched);
    let line = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(line.contains("standard-2pits-03stones.kalah is cut off"), "{line}");
    // It is told once, however many positions are concerned.
    let stream = ["query", "--json", "--pits", "2", "--input", "-"];
    let output = kalah()
        .args(stream)
        .tables(folder.path())
        .write_stdin("1,1,0,1\n1,1,1,1\n1,1,0,1\n")
        .assert()
        .code(0);
    let line = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");

    // Every value 1 higher in share: either no share at all or a contradiction.
    let shares: Vec<u8> =
        sound.iter().enumerate().map(|(at, &byte)| byte + u8::from(at >= 4096)).collect();
    fs::write(&file, shares).unwrap();
    let output = kalah().args(query).tables(folder.path()).assert().code(1).stdout("");
    let line = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(line.contains("kalah verify") || line.contains("holds a share of"), "{line}");
}

#[test]
fn a_chosen_folder_that_is_not_there_is_told() {
    let query = |tables: &str| {
        let position = ["query", "--pits", "2", "--best", "1,1,0,1"];
        let mut command = kalah();
        command.args(position).tables(Path::new(tables));
        let output = command.assert().code(0).get_output().clone();
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(
        query("/nowhere/at/all"),
        "kalah: there is no folder /nowhere/at/all with tables; positions are searched\n"
    );
    // Nobody said that there are tables in the usual place.
    assert_eq!(query("data/tables"), "");
}

#[test]
fn tables_are_answered_from_up_to_the_first_file_that_is_damaged_or_foreign() {
    let folder = small_tables();
    let place = folder.path().display();
    let file = folder.path().join("standard-2pits-03stones.kalah");
    let sound = fs::read(&file).unwrap();
    let length = sound.len();
    let cut = format!("is cut off: it has {} bytes instead of {length}", length - 1);
    let foreign = "is not a Kalah table; delete it or move it away";
    for (bytes, wrong) in [(&sound[..length - 1], cut.as_str()), (b"my diary", foreign)] {
        fs::write(&file, bytes).unwrap();
        let query = |position: &str, status: i32| {
            let mut command = kalah();
            command.args(["query", "--pits", "2", "--best", position]).tables(folder.path());
            let output = command.assert().code(status).get_output().clone();
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
        };
        let (out, err) = query("1,0,0,1", 0);
        assert_eq!(err, "");
        assert!(out.contains("standard rules, 2 stones in the pits"), "{out}");
        for position in ["1,1,0,1", "2,0,1,1"] {
            let (out, err) = query(position, 0);
            assert!(out.contains("value"), "{out}");
            assert!(err.contains(&format!("{} {wrong}", file.display())), "{err}");
            assert!(err.ends_with("positions are searched\n") && err.lines().count() == 1, "{err}");
        }
    }

    fs::rename(&file, folder.path().join("standard-2pits-00stones.kalah")).unwrap();
    let query = kalah().args(["query", "--pits", "2", "1,0,0,1"]).tables(folder.path()).assert();
    let output = query.code(0);
    let line = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    let reason = format!("{place}/standard-2pits-00stones.kalah is not a Kalah table; ");
    assert!(line.contains(&reason), "{line}");
}
