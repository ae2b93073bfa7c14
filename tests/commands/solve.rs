//! `kalah solve`.

use serde_json::{Value, json};

use std::fs;

use super::*;

/// Runs `kalah solve --json` in a folder of its own; gives exit status, the object, and standard
/// error.
fn solve(folder: &Path, arguments: &[&str]) -> (i32, Value, String) {
    let output = kalah().args(["solve", "--json"]).args(arguments).tables(folder).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(out.lines().count(), 1, "{out}{err}");
    (output.status.code().unwrap(), serde_json::from_str(&out).unwrap(), err)
}

#[test]
fn an_opening_is_solved_over_tables_it_makes_for_itself() {
    let folder = TempDir::new().unwrap();
    let (status, solution, err) = solve(folder.path(), &["--seeds", "2"]);
    assert_eq!(status, 0);
    assert!(err.starts_with("kalah: building the tables up to "), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    let reach = solution["table_stones"].as_u64().unwrap();
    assert!(folder.path().join(format!("standard-6pits-{reach:02}stones.kalah")).exists());
    assert_eq!(
        (&solution["value"], &solution["outcome"], &solution["best"], &solution["moves"]),
        (&json!(6), &json!("win"), &json!([5]), &json!([]))
    );
    assert_eq!(solution["finished"], true);
    assert!(solution.get("bounds").is_none() && solution.get("position").is_none());
    assert!(solution["nodes"].as_u64() > Some(0) && solution["probes"].as_u64() > Some(0));
    assert!(solution["seconds"]["tables"].is_f64() && solution["seconds"]["search"].is_f64());

    // The second time they are there.
    let (status, again, err) = solve(folder.path(), &["--seeds", "2"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(again["table_stones"], solution["table_stones"]);
    assert_eq!(again["line"], solution["line"]);
}

#[test]
fn the_fields_are_in_the_order_of_the_contract() {
    let folder = TempDir::new().unwrap();
    let arguments = ["solve", "--json", "--pits", "3", "--seeds", "3", "--table-stones", "0"];
    let assert = kalah().args(arguments).tables(folder.path()).assert().code(0).stderr("");
    let out = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let expected = concat!(
        r#"{"rules":"standard","pits":3,"seeds":3,"value":2,"outcome":"win","best":[1,2],"#,
        r#""moves":[],"line":[1,2,"#
    );
    assert!(out.starts_with(expected), "{out}");
    assert!(out.contains(r#","table_stones":null,"nodes":"#), "{out}");
}

#[test]
fn every_first_move_is_valued_after_an_extra_move_too() {
    let folder = TempDir::new().unwrap();
    let arguments = ["--pits", "3", "--seeds", "3", "--all-moves", "--table-stones", "6"];
    let (status, solution, _) = solve(folder.path(), &arguments);
    assert_eq!(status, 0);
    assert_eq!(
        solution["moves"],
        json!([
            {"pit": 1, "value": 2, "outcome": "win", "then": [
                {"pit": 2, "value": 2, "outcome": "win"},
                {"pit": 3, "value": -4, "outcome": "loss"},
            ]},
            {"pit": 2, "value": 2, "outcome": "win"},
            {"pit": 3, "value": -4, "outcome": "loss"},
        ])
    );
    assert_eq!(solution["table_stones"], 6);
}

#[test]
fn who_wins_is_told_without_a_value() {
    let folder = TempDir::new().unwrap();
    let arguments = ["--pits", "3", "--seeds", "3", "--win", "--table-stones", "0"];
    let (status, solution, _) = solve(folder.path(), &arguments);
    assert_eq!(status, 0);
    assert_eq!((&solution["value"], &solution["outcome"]), (&json!(null), &json!("win")));
    assert!(solution.get("bounds").is_none());
    assert_eq!(solution["best"], json!([1, 2]));
}

#[test]
fn a_position_with_stores_is_solved_as_well() {
    let folder = TempDir::new().unwrap();
    // After the first pit, whose extra move is part of perfect play.
    let position = "0,4,4,1,3,3,3,0";
    let arguments = ["--pits", "3", "--position", position, "--table-stones", "4"];
    let (status, solution, _) = solve(folder.path(), &arguments);
    assert_eq!((status, &solution["seeds"], &solution["value"]), (0, &json!(null), &json!(2)));
    assert_eq!(solution["position"], position);
    let (_, finished, _) =
        solve(folder.path(), &["--pits", "2", "--position", "0,0,3,1,2,1", "--all-moves"]);
    assert_eq!((&finished["value"], &finished["line"]), (&json!(-1), &json!([])));
}

#[test]
fn bounds_are_what_there_is_when_time_runs_out() {
    let folder = TempDir::new().unwrap();
    let limits = ["--time", "0.01", "--hash", "1M", "--table-stones", "0"];
    for (seeds, value) in [("3", 2), ("4", 8)] {
        let (status, solution, _) =
            solve(folder.path(), &[&["--seeds", seeds], &limits[..]].concat());
        assert_eq!(status, 0);
        assert_eq!((&solution["value"], &solution["finished"]), (&json!(null), &json!(false)));
        let bound = |at: usize| solution["bounds"][at].as_i64().unwrap();
        assert!(bound(0) <= value && value <= bound(1), "{solution}");
    }
    let page = kalah().args(["solve", "--seeds", "4"]).args(limits).tables(folder.path()).assert();
    let page = String::from_utf8(page.code(0).get_output().stdout.clone()).unwrap();
    let begins = ["The value is within the bounds ", "Nothing is proved yet of the value, which "];
    assert!(begins.iter().any(|begin| page.starts_with(begin)), "{page}");
    assert!(page.contains("Stopped before all was found out."), "{page}");
}

#[test]
fn a_page_shows_the_value_the_moves_and_the_line() {
    let folder = TempDir::new().unwrap();
    let solve = ["solve", "--pits", "3", "--seeds", "3", "--all-moves", "--quiet"];
    let page = kalah().args(solve).tables(folder.path()).assert().code(0).stderr("");
    let page = String::from_utf8(page.get_output().stdout.clone()).unwrap();
    let expected = "The player to move wins by 2 under perfect play.
(standard rules, 3 pits a side, 3 stones in every pit)

First pits that keep this: 1, 2

First pits, and those after an extra move:
  1              +2  win  moves again
  1-2            +2  win
  1-3            -4  loss
  2              +2  win
  3              -4  loss

Perfect play, a slash where the turn passes:
  1 2 / 2 / 1 / ";
    assert!(page.starts_with(expected), "{page}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_with_what_is_proved() {
    // Also when the terminal goes away.
    for signal in ["-INT", "-HUP"] {
        ends_with_what_is_proved(signal);
    }
}

#[cfg(unix)]
fn ends_with_what_is_proved(signal: &str) {
    use std::process::{Command, Stdio};
    use std::{thread, time::Duration};

    let folder = TempDir::new().unwrap();
    let program = Command::new(program())
        .args(["solve", "--seeds", "6", "--table-stones", "0", "--hash", "4M", "--json"])
        .arg("--tables")
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Long enough to listen for signals, and far too short to solve this.
    thread::sleep(Duration::from_millis(1500));
    let id = program.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    let output = program.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let solution: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(solution["bounds"][0].as_i64() <= Some(72), "{solution}");
    assert_eq!(solution["finished"], false);
}

#[test]
fn nonsense_is_refused_in_one_line() {
    for (arguments, expected) in [
        (&["--seeds", "11"][..], "--seeds 11: the board holds 132 stones; 127 is the most"),
        (
            &["--position", "1,2,3"],
            "the position has 3 numbers; with 6 pits a side it has 14, or 12 when both stores are \
             empty",
        ),
        (
            &["--seeds", "10", "--table-stones", "0", "--memory", "1M"],
            "1048576 bytes of memory are too few to search positions of 120 stones; 536870912 are \
             enough: allow more with --memory",
        ),
    ] {
        let arguments = [&["solve"], arguments].concat();
        assert_eq!(complaint(&arguments), (2, expected.to_owned()));
    }
    for arguments in [&["solve"][..], &["solve", "--seeds", "1", "--position", "1"]] {
        assert_eq!(complaint(arguments).0, 2);
    }
}

#[test]
fn the_proof_of_the_winner_passes_its_check() {
    let folder = TempDir::new().unwrap();
    let tables = folder.path().join("tables");
    let file = folder.path().join("proof");
    let (tables, file) = (tables.to_str().unwrap(), file.to_str().unwrap());
    let solve = ["solve", "--pits", "3", "--seeds", "3", "--table-stones", "8"];
    let (status, out, _) = run(&[&solve[..], &["--tables", tables, "--proof", file]].concat());
    assert_eq!(status, 0);
    assert!(out.contains("Proof that the value is at least 2: "), "{out}");
    let (status, out, err) = run(&["verify", "--proof", file, "--tables", tables]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("ends with at least 2"), "{out}");
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_search() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let notes = path("notes");
    fs::write(&notes, "my notes").unwrap();
    let missing = path("missing/file");
    // Never solved in a test.
    let refused = |more: &[&str]| {
        complaint(
            &[&["solve", "--seeds", "6", "--table-stones", "0", "--hash", "1M"], more].concat(),
        )
    };
    for option in ["--proof", "--checkpoint"] {
        for file in [&notes, &missing, &path(""), "/dev/null"] {
            let (status, line) = refused(&[option, file]);
            assert_eq!(status, 1, "{line}");
            assert!(line.contains(file) && line.contains("name "), "{line}");
            assert!(!line.contains(".lock"), "{line}");
        }
    }
    assert_eq!(fs::read_to_string(&notes).unwrap(), "my notes");
    let link = path("link");
    std::os::unix::fs::symlink("nothing", &link).unwrap();
    let (status, line) = refused(&["--checkpoint", &link]);
    assert_eq!(status, 1);
    assert!(line.contains("is a link that leads nowhere; name a file"), "{line}");
    let (status, line) = refused(&["--proof", &path("one"), "--checkpoint", &path("./one")]);
    assert_eq!(status, 2);
    assert_eq!(line, "--checkpoint and --proof name one file; give each a file of its own");
    let _held = kalah::files::Reserved::new(Path::new(&path("held"))).unwrap();
    let (status, line) = refused(&["--checkpoint", &path("held")]);
    assert_eq!(status, 1);
    assert!(line.starts_with("another process is writing "), "{line}");
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 3, "the notes, the link and what is held");
}

#[test]
fn a_proof_does_not_lean_on_damaged_tables() {
    let folder = TempDir::new().unwrap();
    let tables = folder.path().join("tables");
    let arguments = ["--pits", "3", "--seeds", "3", "--table-stones", "8"];
    assert_eq!(solve(&tables, &arguments).0, 0);
    // A value in the last layer that nobody looks up, or that happens to do no harm.
    let layer = tables.join("standard-3pits-08stones.kalah");
    let mut bytes = fs::read(&layer).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&layer, bytes).unwrap();
    let file = folder.path().join("proof");
    fs::write(&file, "").unwrap();
    let place = ["--proof", file.to_str().unwrap()];
    let (status, value, err) = solve(&tables, &[&arguments[..], &place].concat());
    assert_eq!((status, &value["value"]), (1, &2.into()));
    assert!(err.contains("standard-3pits-08stones.kalah") && err.contains("damaged"), "{err}");
    assert_eq!(fs::read(&file).unwrap(), b"");
}

#[test]
fn a_proof_for_which_the_time_is_too_short_is_told() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("proof");
    fs::write(&file, "").unwrap();
    let place = ["--proof", file.to_str().unwrap(), "--time", "0.01", "--hash", "4M"];
    let arguments = [&["--seeds", "6", "--table-stones", "0"], &place[..]].concat();
    let (status, _, err) = solve(folder.path(), &arguments);
    let said = "kalah: no proof was written: the time was over before it was known who wins\n";
    assert_eq!((status, err.as_str()), (0, said));
    assert_eq!(fs::read(&file).unwrap(), b"");
}

#[test]
fn a_search_goes_on_from_its_checkpoint() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("checkpoint");
    let file = file.to_str().unwrap();
    let solve = |seeds: &str, more: &[&str]| {
        let problem = ["solve", "--pits", "4", "--seeds", seeds, "--table-stones", "0", "--json"];
        let place = ["--threads", "1", "--checkpoint", file];
        run(&[&problem[..], &place, more].concat())
    };
    // Whether that is enough or not: it is saved.
    let (status, _, err) = solve("4", &["--time", "0.02"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let (status, out, err) = solve("4", &[]);
    assert_eq!(status, 0);
    assert!(err.contains("going on from a search of"), "{err}");
    let fresh = ["solve", "--pits", "4", "--seeds", "4", "--table-stones", "0", "--json"];
    let (_, expected, _) = run(&fresh);
    let value =
        |out: &str| serde_json::from_str::<serde_json::Value>(out).unwrap()["value"].clone();
    assert!(value(&out).is_i64());
    assert_eq!(value(&out), value(&expected));

    // Another opening's checkpoint, and no checkpoint at all.
    let (status, out, err) = solve("3", &[]);
    assert_eq!((status, out.as_str(), err.lines().count()), (1, "", 1), "{err}");
    fs::write(file, "my notes").unwrap();
    let (status, out, err) = solve("4", &[]);
    assert_eq!((status, out.as_str(), err.lines().count()), (1, "", 1), "{err}");
    assert_eq!(fs::read_to_string(file).unwrap(), "my notes");
}
