//! `kalah pack`, `kalah unpack`, and the other commands over packed tables.

use std::fs;

use serde_json::Value;

use super::*;

/// A copy of the tables of six pits.
fn copy() -> TempDir {
    let folder = TempDir::new().unwrap();
    for entry in fs::read_dir(tables()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.contains("6pits") {
            fs::copy(&path, folder.path().join(name)).unwrap();
        }
    }
    folder
}

/// Runs the program, which must do what it should; gives what it prints.
fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = kalah().args(arguments).tables(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert_eq!((output.status.code(), text(output.stderr)), (Some(0), String::new()));
    text(output.stdout)
}

fn file(folder: &Path, stones: u8) -> PathBuf {
    folder.join(format!("standard-6pits-{stones:02}stones.kalah"))
}

fn same_files(one: &Path, other: &Path) -> bool {
    (0..=8).all(|stones| {
        let [one, other] = [one, other].map(|folder| fs::read(file(folder, stones)).unwrap());
        one == other
    })
}

#[test]
fn tables_are_packed_and_unpacked_in_place() {
    let folder = copy();
    let place = folder.path().display();
    let out = succeeds(folder.path(), &["pack"]);
    assert!(out.starts_with("Packed 9 layers: 125,970 positions in "), "{out}");
    assert!(out.contains(" bits a position), in ") && out.lines().count() == 1, "{out}");
    assert!(!same_files(folder.path(), tables()));
    let out = succeeds(folder.path(), &["pack"]);
    assert_eq!(out, format!("There is nothing to pack in {place}.\n"));
    let out = succeeds(folder.path(), &["unpack", "--quiet"]);
    assert_eq!(out, "");
    assert!(same_files(folder.path(), tables()));
    let out = succeeds(folder.path(), &["unpack"]);
    assert_eq!(out, format!("There is nothing to unpack in {place}.\n"));
}

#[test]
fn another_folder_gets_what_is_asked_for() {
    let (folder, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let packed = folder.path().join("packed");
    let out = ["--out", packed.to_str().unwrap()];
    let asked = ["pack", "--rules", "standard", "--stones", "6", "--json"];
    let report: Value =
        serde_json::from_str(&succeeds(tables(), &[&asked[..], &out].concat())).unwrap();
    assert_eq!(report["encoding"], "compact");
    assert_eq!(report["out"], packed.to_str().unwrap());
    let converted = report["converted"].as_array().unwrap();
    assert_eq!(converted.len(), 7);
    assert_eq!(converted[6], serde_json::json!({"rules": "standard", "pits": 6, "stones": 6}));
    assert_eq!((&report["kept"], &report["finished"]), (&Value::Array(vec![]), &true.into()));
    assert_eq!(report["positions"], 18_564);
    let length = |folder: &Path, n| fs::metadata(file(folder, n)).unwrap().len();
    let sum = |folder: &Path| (0..=6).map(|n| length(folder, n)).sum::<u64>();
    assert_eq!(report["bytes_before"], sum(tables()));
    assert_eq!(report["bytes"], sum(&packed));
    assert!(!file(&packed, 7).exists());

    let report: Value =
        serde_json::from_str(&succeeds(tables(), &[&asked[..], &out].concat())).unwrap();
    assert_eq!(report["kept"].as_array().unwrap().len(), 7);
    let out = ["--out", other.path().to_str().unwrap()];
    succeeds(&packed, &[&["unpack"][..], &out].concat());
    for stones in 0..=6 {
        let [one, back] = [tables(), other.path()].map(|f| fs::read(file(f, stones)).unwrap());
        assert!(one == back);
    }
}

#[test]
fn what_cannot_be_packed_is_told() {
    let folder = copy();
    let complains = |folder: &Path, arguments: &[&str], status: i32| {
        let output = kalah().args(arguments).tables(folder).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(status), 0));
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(line.lines().count(), 1, "{line}");
        line
    };
    let line = complains(folder.path(), &["pack", "--pits", "3"], 1);
    let command = "kalah generate --stones 12 --pits 3 --tables ";
    assert!(line.starts_with("kalah: there is no such table in ") && line.contains(command));
    let line = complains(folder.path(), &["unpack", "--stones", "x"], 2);
    assert!(line.contains("'--stones <N>': write a whole number from 0 to 127"), "{line}");
    let missing = folder.path().join("missing");
    let line = complains(&missing, &["pack"], 1);
    assert!(line.starts_with("kalah: there is no folder ") && !missing.exists(), "{line}");

    // A damaged file stays as it is, and those before it are finished.
    let path = file(folder.path(), 5);
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let line = complains(folder.path(), &["pack"], 1);
    assert!(line.starts_with("kalah: block 5 of ") && line.contains("05stones.kalah"), "{line}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
    let info: Value = serde_json::from_str(&succeeds(folder.path(), &["info", "--json"])).unwrap();
    let encodings: Vec<&str> = info["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["encoding"].as_str().unwrap())
        .collect();
    assert_eq!(encodings, [["compact"; 5].as_slice(), &["bytes"; 4]].concat());
    let table = succeeds(folder.path(), &["info"]);
    assert!(table.contains("best  worst  encoding\n"), "{table}");
    assert_eq!(table.matches("   compact\n").count(), 5, "{table}");
}

#[test]
fn packed_tables_answer_as_others_do() {
    let folder = copy();
    succeeds(folder.path(), &["pack"]);
    let solve = ["solve", "--seeds", "1", "--table-stones", "8", "--threads", "1", "--json"];
    let questions: [&[&str]; 3] = [
        &["query", "0,1,0,0,2,1,17,2,0,0,1,1,0,23", "--json"],
        &["query", "1,1,1,1,1,1,0,1,1,1,1,1,1,0"],
        &solve,
    ];
    for question in questions {
        let [packed, plain] = [folder.path(), tables()].map(|tables| {
            let out = succeeds(tables, question);
            let Ok(mut answer) = serde_json::from_str::<Value>(&out) else { return out.into() };
            // A packed table is asked only where nothing else settles a position.
            for field in ["seconds", "probes"] {
                answer.as_object_mut().unwrap().remove(field);
            }
            answer
        });
        assert_eq!(packed, plain, "{question:?}");
    }
}

#[test]
fn proofs_lean_on_tables_of_either_encoding() {
    let folder = copy();
    succeeds(folder.path(), &["pack"]);
    let proof = |tables: &Path, name: &str| {
        let path = folder.path().join(name);
        let text = path.to_str().unwrap();
        let solve = ["solve", "--seeds", "1", "--table-stones", "8", "--threads", "1", "--proof"];
        succeeds(tables, &[&solve[..], &[text]].concat());
        path
    };
    let proofs = [proof(folder.path(), "packed"), proof(tables(), "plain")];
    let [packed, plain] = proofs.each_ref().map(|path| fs::read(path).unwrap());
    assert!(packed == plain, "they give the digests of the byte files");
    for proof in &proofs {
        for tables in [folder.path(), tables()] {
            let out = succeeds(tables, &["verify", "--proof", proof.to_str().unwrap()]);
            assert!(out.starts_with("Proved: "), "{out}");
        }
    }
}

#[test]
fn published_digests_serve_for_packed_tables() {
    let folder = copy();
    let digest = |stones| blake3::hash(&fs::read(file(tables(), stones)).unwrap());
    let names = |stones| file(folder.path(), stones).file_name().unwrap().to_owned();
    let list: String =
        (0..=8).map(|n| format!("{}  {}\n", digest(n), names(n).to_str().unwrap())).collect();
    let path = folder.path().join("list");
    fs::write(&path, list).unwrap();
    succeeds(folder.path(), &["pack", "--stones", "5"]);
    let out = succeeds(folder.path(), &["verify", "--checksums", path.to_str().unwrap()]);
    let expected = ": 9 files are as listed (6 of them packed, and compared unpacked), 0 differ, ";
    assert!(out.contains(expected), "{out}");
}

#[test]
fn packed_tables_are_as_published() {
    let folder = copy();
    succeeds(folder.path(), &["pack"]);
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/data/checksums-compact");
    let out = succeeds(folder.path(), &["verify", "--checksums", list]);
    assert!(out.contains(": 9 files are as listed, 0 differ, 31 listed are not there, "), "{out}");
}
