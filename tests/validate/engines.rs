//! Engines that are wrong on purpose: their reports count exactly what they do wrong.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::process::Stdio;
use std::thread;

use kalah::judge::{ExamOptions, ExamReport, Selection, exam};
use kalah::players::{Choice, Player, PlayerError, Watch};
use kalah::ranking::Layer;
use kalah::rules::{Board, Pit, Pits};
use serde_json::{Value, json};

use super::engine::{Deed, Kind, MARKUP, truth, values};
use super::*;

/// Longer than an answer takes, even on a busy machine.
const LONG: [&str; 2] = ["--time", "60"];

fn judged(kind: Kind, arguments: &[&str]) -> (i32, Value) {
    let command = kind.command();
    report(&[&["--engine", command.as_str()], arguments].concat())
}

/// Every position of up to so many stones that has a move.
fn positions(stones: usize) -> Vec<Board<6>> {
    let of_layer = |stones| {
        let layer = Layer::<6>::new(stones).unwrap();
        (0..layer.positions()).map(move |index| {
            let (mover, opponent) = layer.position(index);
            Board::from_pits(Pits::new(mover, opponent).unwrap())
        })
    };
    (1..=stones).flat_map(of_layer).filter(|board| !board.is_over()).collect()
}

/// The engine as a player of the library.
struct AsPlayer(Kind);

impl Player<6> for AsPlayer {
    fn choose(&mut self, board: &Board<6>, _: &dyn Watch<6>) -> Result<Choice<6>, PlayerError> {
        let Deed::Name(pit) = self.0.deed(board) else { return Err(PlayerError::Resigned) };
        Ok(Choice::of(Pit::from_number(usize::try_from(pit).unwrap()).unwrap()))
    }
}

/// What the library finds out about such a player.
fn expected(kind: Kind, stones: usize, count: u64, random_seed: u64) -> ExamReport<6> {
    let selection = Selection::Sample(count);
    let options = ExamOptions { stones, selection, random_seed, ..ExamOptions::default() };
    let mut players: [Box<dyn Player<6> + Send>; 1] = [Box::new(AsPlayer(kind))];
    exam(&mut players, truth(), &options, &()).unwrap()
}

#[test]
fn one_that_is_right_passes() {
    let (status, report) = judged(Kind::Right, &[&LONG[..], &["--sample", "200"]].concat());
    assert_eq!(status, 0);
    let exam = &report["exam"];
    assert_eq!((&report["passed"], &exam["asked"]), (&json!(true), &json!(200)));
    assert_eq!((&exam["keep_points"], &exam["keep_outcome"]), (&json!(200), &json!(200)));
    assert!(exam["could_lose_points"].as_u64() > Some(100));
    assert_eq!(report["judged"]["kind"], "engine");
    let protocol = report["judged"]["protocol"].as_object().unwrap();
    assert!(protocol.values().all(|count| *count == json!(0)), "{protocol:?}");
}

#[test]
fn one_that_errs_only_at_twelve_stones_is_found_out_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("failures");
    let name = file.to_str().unwrap();
    let arguments = ["--sample", "300", "--random-seed", "5", "--failures", name];
    let (status, report) = judged(Kind::ErrsAtTwelve, &[&LONG[..], &arguments].concat());
    assert_eq!(status, 1);
    let expected = expected(Kind::ErrsAtTwelve, 12, 300, 5);
    let counts = expected.tally.total();
    let exam = &report["exam"];
    assert_eq!(exam["lose_points"], counts.lose_points);
    assert_eq!(exam["lose_outcome"], counts.lose_outcome);
    assert_eq!(exam["points"], counts.points);
    let rows = exam["by_stones"].as_array().unwrap();
    for row in rows {
        let lost = row["points"].as_u64().unwrap();
        assert_eq!(lost > 0, row["stones"] == 12, "{row}");
    }
    // Every position of twelve stones with something to lose is there, and nothing else.
    let text = std::fs::read_to_string(&file).unwrap();
    let boards: Vec<Board<6>> = text.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(boards.len() as u64, counts.lose_points);
    assert!(boards.iter().all(|board| board.pits().stones() == 12));

    // `kalah query` reads them back, and says that what was played was wrong.
    let output = kalah()
        .args(["query", "--json", "--input", name])
        .env("KALAH_TABLES", tables_of_twelve())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), boards.len());
    for (line, board) in answers.lines().zip(&boards) {
        let answer: Value = serde_json::from_str(line).unwrap();
        assert_eq!(answer["position"], board.to_string());
        let Deed::Name(played) = Kind::ErrsAtTwelve.deed(board) else { panic!("it plays") };
        let moves = answer["moves"].as_array().unwrap();
        let played = moves.iter().find(|valued| valued["pit"] == played).unwrap();
        assert!(played["value"].as_i64() < answer["value"].as_i64(), "{answer}");
    }
}

/// A folder with tables of 12 stones.
fn tables_of_twelve() -> &'static std::path::Path {
    static TABLES: std::sync::LazyLock<tempfile::TempDir> = std::sync::LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let status = kalah()
            .args(["generate", "--stones", "12", "--quiet", "--tables"])
            .arg(folder.path())
            .status();
        assert!(status.unwrap().success());
        folder
    });
    TABLES.path()
}

#[test]
fn one_that_keeps_the_outcome_and_loses_points_has_a_loss_in_one_count() {
    let arguments = ["--stones", "5", "--full"];
    let (status, report) = judged(Kind::KeepsOutcome, &[&LONG[..], &arguments].concat());
    assert_eq!(status, 1);
    let boards = positions(5);
    let lost = |board: &&Board<6>| {
        let values = values(board);
        let best = values.iter().map(|&(_, value)| value).max().unwrap();
        values.iter().any(|&(_, value)| value < best && value.signum() == best.signum())
    };
    let losing = boards.iter().filter(lost).count();
    assert!(losing > 20);
    let exam = &report["exam"];
    assert_eq!(exam["asked"], boards.len());
    assert_eq!(exam["positions"], boards.len());
    assert_eq!((&exam["keep_outcome"], &exam["lose_outcome"]), (&json!(boards.len()), &json!(0)));
    assert_eq!((&exam["lose_points"], &exam["failures"]), (&json!(losing), &json!(losing)));
    assert_eq!(exam["win_to_draw"], 0);
}

#[test]
fn one_that_plays_illegal_pits_is_told_how_often() {
    let arguments = ["--stones", "3", "--full"];
    let (status, report) = judged(Kind::Illegal, &[&LONG[..], &arguments].concat());
    assert_eq!(status, 1);
    let boards = positions(3);
    let is_illegal = |board: &&Board<6>| {
        let deed = Kind::Illegal.deed(board);
        board.legal_pits().all(|pit| deed != Deed::Name(pit.number().into()))
    };
    let illegal = boards.iter().filter(is_illegal).count();
    assert!(50 < illegal && illegal + 50 < boards.len());
    let exam = &report["exam"];
    assert_eq!(
        (&exam["asked"], &exam["faults"]["illegal"]),
        (&json!(boards.len()), &json!(illegal))
    );
    assert_eq!(exam["moves"], boards.len() - illegal);
    assert_eq!((&exam["failures"], &exam["lose_points"]), (&json!(illegal), &json!(0)));
    let first = &exam["first_failures"][0];
    assert_eq!(first["fault"], "illegal");
    let message = first["message"].as_str().unwrap();
    assert!(message.starts_with("it chose pit ") && message.contains("legal "), "{message}");
    assert_eq!(report["judged"]["protocol"]["illegal"], illegal);
}

#[test]
fn one_that_sleeps_is_told_what_it_slept_through() {
    let arguments = ["--stones", "3", "--full", "--time", "4"];
    let (status, report) = judged(Kind::Sleeps, &arguments);
    let exam = &report["exam"];
    assert_eq!((status, &exam["faults"]["silent"]), (1, &json!(2)));
    assert_eq!(exam["faults"].as_object().unwrap().values().filter(|n| **n != 0).count(), 1);
    assert_eq!(exam["asked"], positions(3).len());
    assert_eq!(exam["keep_points"], positions(3).len() - 2);
    assert!(exam["gave_up"].is_null());
}

#[test]
fn one_that_dies_is_started_again_and_told_how_often_it_died() {
    let arguments = ["--stones", "3", "--full"];
    let (status, report) = judged(Kind::Dies, &[&LONG[..], &arguments].concat());
    let exam = &report["exam"];
    assert_eq!((status, &exam["faults"]["gone"]), (1, &json!(2)));
    assert_eq!(exam["asked"], positions(3).len());
    assert_eq!(exam["keep_points"], positions(3).len() - 2);
    assert_eq!(exam["first_failures"][0]["message"], "it is gone: it exited with status 3");

    let (_, report) = judged(Kind::Resigns, &[&LONG[..], &arguments].concat());
    let faults = &report["exam"]["faults"];
    assert_eq!((&faults["resigned"], &faults["gone"]), (&json!(2), &json!(0)));
}

#[test]
fn several_of_one_engine_find_out_the_same() {
    let arguments = [&LONG[..], &["--sample", "100", "--random-seed", "2"]].concat();
    let (_, one) = judged(Kind::ErrsAtTwelve, &arguments);
    let (_, two) = judged(Kind::ErrsAtTwelve, &[&arguments[..], &["--engines", "2"]].concat());
    assert_eq!(without_times(one), without_times(two));
}

#[test]
fn one_that_never_plays_is_no_engine() {
    let (status, out, err) = validate(&["--engine", &Kind::Stillborn.command()]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.starts_with("kalah: the engine does not play: it is gone: "), "{err}");
    assert_eq!(err.lines().count(), 1);
    let (status, _, err) = validate(&["--engine", "/nowhere/engine"]);
    assert_eq!(status, 1);
    assert!(err.contains("cannot start '/nowhere/engine'"), "{err}");
}

#[test]
fn games_of_an_engine_are_judged() {
    let games = ["--games", "2", "--seeds", "1", "--against", "easy"];
    let (status, report) = judged(Kind::Right, &[&LONG[..], &games].concat());
    assert_eq!(status, 0, "{report}");
    let games = &report["games"];
    assert_eq!((&games["played"], &games["against"]), (&json!(2), &json!("easy")));
    assert_eq!((&games["lose_points"], &games["open"]), (&json!(0), &json!(0)));
    assert!(report["exam"].is_null());
    let score = &games["score"];
    let results = ["wins", "draws", "losses"].map(|result| score[result].as_u64().unwrap());
    assert_eq!(results.iter().sum::<u64>(), 2);
}

/// Starts `kalah validate --listen`, and has an engine connect to it.
fn listening(kind: Kind, arguments: &[&str]) -> (i32, Value) {
    let mut program = kalah()
        .args(["validate", "--listen", "127.0.0.1:0", "--json"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = BufReader::new(program.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("kalah: waiting for an engine on ");
    let stream = TcpStream::connect(address.unwrap_or_else(|| panic!("{line:?}"))).unwrap();
    let client = thread::spawn(move || {
        // The server may be gone first.
        let _ = kind.talk(&stream, &stream);
    });
    let output = program.wait_with_output().unwrap();
    client.join().unwrap();
    line.clear();
    errors.read_to_string(&mut line).unwrap();
    assert_eq!(line, "");
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code().unwrap(), report)
}

#[test]
fn one_that_connects_is_judged_and_one_that_hangs_up_cannot_come_back() {
    let arguments = [&LONG[..], &["--stones", "3", "--full"]].concat();
    let (status, report) = listening(Kind::Right, &arguments);
    assert_eq!((status, &report["passed"]), (0, &json!(true)));
    assert!(report["judged"]["way"].as_str().unwrap().starts_with("127.0.0.1:"));

    let (status, report) = listening(Kind::Dies, &arguments);
    let exam = &report["exam"];
    assert_eq!((status, &exam["faults"]["gone"]), (1, &json!(1)));
    assert!(exam["asked"].as_u64() < exam["positions"].as_u64());
    assert_eq!(exam["gave_up"], "it is gone: it hung up");
}

#[test]
fn what_an_engine_says_of_itself_is_text_and_its_nonsense_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let arguments = ["--stones", "2", "--full", "--html", page.to_str().unwrap()];
    let (status, report) = judged(Kind::Markup, &[&LONG[..], &arguments].concat());
    assert_eq!((status, &report["judged"]["name"]), (0, &json!(MARKUP)));
    let protocol = &report["judged"]["protocol"];
    assert_eq!((&protocol["bad_lines"], &protocol["unasked"]), (&json!(2), &json!(1)));
    let page = std::fs::read_to_string(page).unwrap();
    super::report::is_a_page_by_itself(&page);
    assert!(!page.contains("<script") && !page.contains("<b>"));
    assert!(page.contains("&lt;script&gt;alert('x')&lt;/script&gt;&amp;&lt;b&gt;"));
}
