//! The command `kalah export --format web`.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use kalah::rules::Rules;
use kalah::tables::Tablebase;
use kalah::tables::build::{Options, build};
use kalah::web::{WebTable, encode};
use serde_json::Value;
use tempfile::TempDir;

const FILES: [&str; 5] =
    ["FORMAT.md", "index.html", "kalah.d.ts", "kalah.js", "standard-3pits-6stones.kalahweb"];

/// A folder with tables of three pits and up to six stones in `tables`.
fn workplace() -> TempDir {
    let folder = TempDir::new().unwrap();
    let options = Options::new(Rules::Standard, 6);
    build::<3>(&folder.path().join("tables"), &options, &()).unwrap();
    folder
}

/// Runs the command in a folder; gives exit status, standard output and standard error.
fn export(folder: &Path, options: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("kalah"));
    command.current_dir(folder).env("KALAH_TABLES", "tables").args(["export", "--format", "web"]);
    let output = command.args(options).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn everything_a_server_needs_is_written() {
    let folder = workplace();
    let site = folder.path().join("my/site");
    let options = ["--pits", "3", "--stones", "6", "--out", "my/site"];
    let (status, out, err) = export(folder.path(), &options);
    let bytes = fs::read(site.join(FILES[4])).unwrap();
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(
        out,
        format!(
            "Wrote {}, all 924 positions of up to 6 stones in {} B, with its reader and a page to \
             my/site.\n",
            FILES[4],
            bytes.len()
        )
    );
    assert_eq!(names(&site), FILES);
    let tables = Tablebase::<3>::in_memory(Rules::Standard, 6).unwrap();
    assert_eq!(bytes, encode(&tables, 6).unwrap());
    assert!(WebTable::<3>::from_bytes(&bytes).is_ok());
    let page = fs::read_to_string(site.join("index.html")).unwrap();
    assert!(page.contains(&format!("data-table=\"{}\"", FILES[4])) && !page.contains("{{"));

    // Again, over what is there, and for a program.
    fs::write(site.join("kalah.js"), "old").unwrap();
    fs::write(site.join("mine"), "kept").unwrap();
    let (status, out, _) = export(folder.path(), &[&options[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(status, 0);
    assert_eq!((&report["format"], &report["positions"]), (&"web".into(), &924.into()));
    assert_eq!(report["bytes"], bytes.len());
    assert!(fs::read_to_string(site.join("kalah.js")).unwrap().contains("KalahTable"));
    assert_eq!(fs::read_to_string(site.join("mine")).unwrap(), "kept");
    assert_eq!(names(&site).len(), FILES.len() + 1);
    let (status, out, err) = export(folder.path(), &[&options[..], &["--quiet"]].concat());
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
}

#[test]
fn what_cannot_be_written_is_said_in_a_line() {
    let folder = workplace();
    fs::write(folder.path().join("file"), "").unwrap();
    for (options, status, reason) in [
        (
            &["--pits", "3", "--stones", "7", "--out", "site"][..],
            1,
            "the tables in tables end at 6 stones; build more with: kalah generate --stones 7 \
             --pits 3 --tables tables",
        ),
        (
            &["--stones", "7", "--rules", "empty-capture", "--out", "site"],
            1,
            "there are no tables of empty-capture rules and 6 pits a side in tables; build them \
             with: kalah generate --stones 7 --rules empty-capture --tables tables",
        ),
        (
            &["--stones", "7", "--tables", "none", "--out", "site"],
            1,
            "there are no tables in none; build them with: kalah generate --stones 7 --tables none",
        ),
        (
            &["--stones", "18", "--out", "site"],
            2,
            "--stones 18 is too much for a web page; with 6 pits a side it can load a table of 17",
        ),
        (
            &["--stones", "6", "--out", "-"],
            2,
            "--format web writes a folder of files, not to standard output; name a folder",
        ),
        (
            &["--pits", "3", "--stones", "6", "--out", "file"],
            1,
            "cannot make the folder file: there is a file in its place; name another folder",
        ),
    ] {
        let (found, out, err) = export(folder.path(), options);
        assert_eq!((found, out.as_str()), (status, ""), "{options:?}: {err}");
        assert_eq!(err, format!("kalah: {reason}\n"));
        assert!(!folder.path().join("site").exists());
    }
}

#[test]
fn damaged_tables_are_not_exported() {
    let folder = workplace();
    let layer = folder.path().join("tables/standard-3pits-06stones.kalah");
    let mut bytes = fs::read(&layer).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&layer, bytes).unwrap();
    let (status, _, err) =
        export(folder.path(), &["--pits", "3", "--stones", "6", "--out", "site"]);
    assert_eq!(status, 1);
    assert!(err.contains("standard-3pits-06stones.kalah"), "{err}");
    assert!(!folder.path().join("site").exists());
}
