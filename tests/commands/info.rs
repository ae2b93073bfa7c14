//! `kalah info`.

use std::fs;

use serde_json::Value;

use super::*;

fn info_json(folder: &Path, status: i32) -> Value {
    let output = kalah().args(["info", "--json"]).tables(folder).assert().code(status);
    let out = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert_eq!(out.lines().count(), 1, "{out}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn every_layer_has_a_row() {
    let (status, out, err) = run(&["info", "--rules", "standard"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let rows: Vec<Vec<&str>> =
        out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    let row = |first: &str| rows.iter().find(|row| row.first() == Some(&first)).unwrap();
    assert_eq!(row("2")[..3], ["2", "78", "36"]);
    assert_eq!(row("2")[5..], ["25.0%", "58.3%", "16.7%", "+2", "-2"]);
    assert_eq!(row("total")[..3], ["total", "125,970", "119,965"]);
    assert!(out.contains("Positions of up to 8 stones can be looked up."), "{out}");
    assert!(!out.contains("empty-capture"), "{out}");
}

#[test]
fn programs_get_the_same() {
    let info = info_json(tables(), 0);
    let layers = info["layers"].as_array().unwrap();
    assert_eq!(layers.len(), 9 + 13);
    let layer = layers.iter().find(|layer| layer["pits"] == 6 && layer["stones"] == 2).unwrap();
    assert_eq!(layer["rules"], "standard");
    assert_eq!(layer["positions"], 78);
    assert_eq!(layer["open_positions"], 36);
    assert_eq!(
        (&layer["won"], &layer["drawn"], &layer["lost"]),
        (&9.into(), &21.into(), &6.into())
    );
    assert_eq!(layer["won_share"], 0.25);
    assert_eq!((&layer["largest_win"], &layer["largest_loss"]), (&2.into(), &(-2).into()));
    let file = tables().join("standard-6pits-02stones.kalah");
    assert_eq!(layer["bytes"], fs::metadata(file).unwrap().len());
    let sum = |field: &str| layers.iter().map(|layer| layer[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(info["positions"], sum("positions"));
    assert_eq!(info["bytes"], sum("bytes"));
    assert_eq!(info["damaged"], Value::Array(vec![]));
}

#[test]
fn published_outcomes_are_those_of_the_tables() {
    let published = fs::read_to_string("data/outcomes.csv").unwrap();
    let info = info_json(tables(), 0);
    for layer in info["layers"].as_array().unwrap().iter().filter(|layer| layer["pits"] == 6) {
        let cell = |field| layer[field].as_str().map_or(layer[field].to_string(), str::to_owned);
        let line = ["rules", "pits", "stones", "positions", "won", "drawn", "lost"].map(cell);
        let margins = ["largest_win", "largest_loss"].map(|field| match &layer[field] {
            Value::Null => String::new(),
            margin => margin.to_string(),
        });
        let line = [&line[..], &margins].concat().join(",");
        assert!(published.lines().any(|published| published == line), "{line}");
    }
}

#[test]
fn a_folder_without_tables_says_what_to_do() {
    let folder = TempDir::new().unwrap();
    let text = format!("kalah generate --stones 12 --tables {}\n", folder.path().display());
    kalah()
        .arg("info")
        .tables(folder.path())
        .assert()
        .code(0)
        .stdout(predicates::str::contains(text));
    assert_eq!(info_json(folder.path(), 0)["layers"], Value::Array(vec![]));

    let missing = folder.path().join("missing");
    let output = kalah().arg("info").tables(&missing).assert().code(1).stdout("");
    let err = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(err.starts_with(&format!("kalah: there is no folder {}", missing.display())), "{err}");
    assert!(err.contains("kalah generate"), "{err}");
}

#[test]
fn a_damaged_file_is_reported_and_the_rest_is_shown() {
    let folder = small_tables();
    fs::write(folder.path().join("standard-2pits-03stones.kalah"), "no table").unwrap();
    let output = kalah().arg("info").tables(folder.path()).assert().code(1);
    let output = output.get_output();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(err.starts_with("kalah: ") && err.contains("standard-2pits-03stones.kalah"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(out.contains("up to 2 stones can be looked up. Missing: 3 stones."), "{out}");

    let info = info_json(folder.path(), 1);
    assert_eq!(info["layers"].as_array().unwrap().len(), 4);
    assert_eq!(info["damaged"][0]["file"], "standard-2pits-03stones.kalah");
}
