//! Sampled positions as CSV.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Stdio};

use kalah::rules::Board;
use kalah::tables::Tablebase;
use kalah::tables::analysis::{Detail, analyse};

use super::*;

/// The header of FairKalah's data set, as its documentation has it.
const FAIRKALAH: &str = "pit_6,pit_5,pit_4,pit_3,pit_2,pit_1,score,\
                         pit_6o,pit_5o,pit_4o,pit_3o,pit_2o,pit_1o,score_o,\
                         optimal_6,optimal_5,optimal_4,optimal_3,optimal_2,optimal_1,game_val";

fn csv(tables: &Path, arguments: &[&str]) -> String {
    let format = ["--format", "csv", "--out", "-"];
    exported(tables, &[&format[..], arguments].concat())
}

/// The numbers of a row by the names of its columns, and its board.
fn rows<const P: usize>(text: &str) -> Vec<(HashMap<&str, i16>, Board<P>)> {
    let mut lines = text.lines();
    let names: Vec<_> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let numbers: Vec<i16> = line.split(',').map(|number| number.parse().unwrap()).collect();
        assert_eq!(numbers.len(), names.len(), "{line}");
        let row: HashMap<_, _> = names.iter().copied().zip(numbers).collect();
        // By their names: pit n is n pits from the store.
        let pits = |end: &str| -> [u8; P] {
            std::array::from_fn(|place| row[format!("pit_{}{end}", P - place).as_str()] as u8)
        };
        let (store, opponent_store) = (row["score"] as u8, row["score_o"] as u8);
        let board = Board::new(pits(""), store, pits("o"), opponent_store).unwrap();
        (row, board)
    };
    lines.map(row).collect()
}

/// Every row says what the plain search and the analysis of the tables say.
fn rows_are_right<const P: usize>(truth: &Truth<P>, rules: Rules, text: &str) -> usize {
    let tables = Tablebase::<P>::open(truth.folder.path(), rules).unwrap();
    let rows = rows::<P>(text);
    for (row, board) in &rows {
        let margin = truth.values.margin(board.pits().mover(), board.pits().opponent());
        assert_eq!(row["game_val"], board.lead() + margin, "{board}");
        let analysis = analyse(board, &tables, Detail::Full).unwrap();
        let best = analysis.moves.iter().filter(|valued| valued.value == analysis.value);
        let best: BTreeSet<_> =
            best.map(|valued| P - usize::from(valued.pit.number()) + 1).collect();
        let flagged: BTreeSet<_> =
            (1..=P).filter(|pit| row[format!("optimal_{pit}").as_str()] == 1).collect();
        assert_eq!(flagged, best, "{board}");
        let flags = (1..=P).map(|pit| row[format!("optimal_{pit}").as_str()]);
        assert!(flags.into_iter().all(|flag| flag == 0 || flag == 1), "{board}");
    }
    rows.len()
}

#[test]
fn the_columns_are_those_of_fairkalah() {
    let text = csv(SIX.folder.path(), &["--stones", "2", "--sample", "1"]);
    assert_eq!(text.lines().next(), Some(FAIRKALAH));
    let pits = ["--pits", "3", "--rules", "empty-capture"];
    let text = csv(THREE.folder.path(), &[&pits[..], &["--stones", "2", "--sample", "1"]].concat());
    assert_eq!(
        text.lines().next().unwrap(),
        "pit_3,pit_2,pit_1,score,pit_3o,pit_2o,pit_1o,score_o,optimal_3,optimal_2,optimal_1,game_val"
    );
}

#[test]
fn every_row_has_the_value_and_exactly_the_optimal_pits() {
    let text = csv(SIX.folder.path(), &["--stones", "6", "--sample", "2000"]);
    assert_eq!(rows_are_right(&SIX, Rules::Standard, &text), 2000);
    assert!(rows::<6>(&text).iter().all(|(_, board)| board.lead() == 0));
    let stores = ["--stones", "6", "--sample", "500", "--seeds", "4", "--random-seed", "3"];
    let text = csv(SIX.folder.path(), &stores);
    assert_eq!(rows_are_right(&SIX, Rules::Standard, &text), 500);
    assert!(rows::<6>(&text).iter().all(|(_, board)| board.stones() == 48));
    let three = ["--pits", "3", "--rules", "empty-capture", "--stones", "9", "--sample", "999999"];
    let text = csv(THREE.folder.path(), &three);
    // All positions in which the game goes on, each once.
    let open = Tablebase::<3>::open(THREE.folder.path(), Rules::EmptyCapture).unwrap();
    let open: u64 = open
        .layers()
        .iter()
        .map(|layer| {
            let stones = usize::from(layer.id().stones);
            kalah::ranking::Layer::<3>::new(stones).unwrap().open_positions()
        })
        .sum();
    assert_eq!(rows_are_right(&THREE, Rules::EmptyCapture, &text) as u64, open);
    assert_eq!(text.lines().collect::<BTreeSet<_>>().len() as u64, open + 1);
}

#[test]
fn a_seed_brings_the_same_bytes_and_another_seed_others() {
    let arguments = ["--stones", "5", "--sample", "300", "--random-seed", "7"];
    let text = csv(SIX.folder.path(), &arguments);
    assert_eq!(csv(SIX.folder.path(), &arguments), text);
    let other = csv(SIX.folder.path(), &["--stones", "5", "--sample", "300"]);
    assert_ne!(other, text);
    // A longer sample begins with the shorter one.
    let longer = ["--stones", "5", "--sample", "400", "--random-seed", "7"];
    assert!(csv(SIX.folder.path(), &longer).starts_with(&text));
    // These rows stay what they are in every version, on every machine.
    let begin: Vec<_> = text.lines().skip(1).take(2).collect();
    assert_eq!(
        begin,
        ["0,0,1,0,3,0,0,0,0,0,1,0,0,0,0,0,1,0,1,0,-1", "1,1,1,0,0,1,0,1,0,0,0,0,0,0,0,1,1,0,0,1,5"]
    );
}

#[test]
fn a_file_is_replaced_and_told_of() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("sample.csv");
    fs::write(&file, "old").unwrap();
    let path = file.to_str().unwrap();
    let arguments = ["--stones", "4", "--sample", "20", "--random-seed", "1"];
    let to_file = [&["--format", "csv", "--out", path], &arguments[..]].concat();
    let told = exported(SIX.folder.path(), &to_file);
    let begin = "Wrote 20 of the 1,401 positions of up to 4 stones in which the game goes on to ";
    assert!(told.starts_with(&format!("{begin}{path} (")), "{told}");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, csv(SIX.folder.path(), &arguments));
    let json = exported(SIX.folder.path(), &[&to_file[..], &["--json"]].concat());
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    let expected = serde_json::json!({
        "format": "csv", "rules": "standard", "pits": 6, "stones": 4, "out": path,
        "positions": 20, "bytes": text.len(),
    });
    assert_eq!(found, expected);
    assert_eq!(names(folder.path()), ["sample.csv"]);
}

/// The program at writing a sample of more rows than a pipe holds, so that it waits for its reader,
/// and the lines, far fewer at a time than that.
fn streaming(sample: &str) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut program = std::process::Command::new(program())
        .args(["export", "--format", "csv", "--stones", "6", "--sample", sample])
        .args(["--out", "-", "--tables"])
        .arg(SIX.folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::with_capacity(64, program.stdout.take().unwrap()).lines();
    (program, lines)
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let (program, mut lines) = streaming("18446744073709551615");
    assert_eq!(lines.next().unwrap().unwrap(), FAIRKALAH);
    drop(lines);
    let output = program.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), err.as_str()), (Some(0), ""));
}

#[test]
fn an_interrupted_stream_ends_with_a_whole_row() {
    let (program, mut lines) = streaming("999999");
    let header = lines.next().unwrap().unwrap();
    let id = program.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    std::thread::sleep(std::time::Duration::from_millis(500));
    let text = lines.fold(header, |text, line| text + "\n" + &line.unwrap());
    let output = program.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{err}");
    let count = rows_are_right(&SIX, Rules::Standard, &text);
    assert!(count < 16_000, "{count}");
    let told: String = err.chars().filter(char::is_ascii_digit).collect();
    assert_eq!(told, count.to_string(), "{err}");
    assert!(err.starts_with("kalah: interrupted after ") && err.lines().count() == 1, "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut program = std::process::Command::new(program());
    program.args(["export", "--format", "csv", "--stones", "4", "--sample", "9", "--out", "-"]);
    let output = program.arg("--tables").arg(SIX.folder.path()).stdout(full).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(err.starts_with("kalah: cannot write to standard output: "), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[test]
fn tables_that_contradict_themselves_give_no_rows() {
    let tables = TempDir::new().unwrap();
    let values = Negamax::<2>::new(Rules::Standard, 3);
    values.write(tables.path());
    fs::remove_file(tables.path().join("standard-2pits-03stones.kalah")).unwrap();
    values.write_layer(tables.path(), 3, |mover, bytes| {
        if mover == 1 {
            bytes.fill(0);
        }
    });
    let file = tables.path().join("sample.csv");
    let arguments = ["--format", "csv", "--pits", "2", "--stones", "3", "--sample", "99", "--out"];
    let arguments = [&arguments[..], &[file.to_str().unwrap()]].concat();
    let (status, out, err) = export(tables.path(), &arguments);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.starts_with("kalah: the tables contradict themselves at "), "{err}");
    assert!(!file.exists());
}
