//! `kalah generate`, when all goes well; tests/generate has the rest.

use super::*;

#[test]
fn mistakes_are_told() {
    for (arguments, expected) in [
        (
            &["generate"][..],
            "the following required arguments were not provided: --stones <N>; see kalah generate --help",
        ),
        (
            &["generate", "--stones", "128"],
            "invalid value '128' for '--stones <N>': write a whole number from 0 to 127",
        ),
        (
            &["generate", "--stones", "9", "--memory", "4X"],
            "invalid value '4X' for '--memory <SIZE>': write a number and a unit, like 512M, 4G or 4GB",
        ),
        (
            &["generate", "--stones", "4", "--pits", "7"],
            "invalid value '7' for '--pits <P>': tables have 1 to 6 pits a side",
        ),
    ] {
        assert_eq!(complaint(arguments), (2, expected.to_owned()));
    }
}

#[test]
fn what_was_built_is_told_and_what_is_there_is_kept() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().display();
    let generate = |stones: &str, more: &[&str]| {
        let output = kalah()
            .args(["generate", "--stones", stones])
            .args(more)
            .tables(folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(output.stderr, b"");
        String::from_utf8(output.stdout).unwrap()
    };
    let out = generate("4", &[]);
    assert!(out.starts_with("Built the layers of 0 to 4 stones: 1,820 positions in "), "{out}");
    assert!(out.contains(&format!(" a second, in {place} (")), "{out}");
    assert_eq!(out.lines().count(), 1);
    assert_eq!(generate("3", &[]), format!("All layers up to 3 stones are in {place} already.\n"));
    assert_eq!(generate("4", &["--quiet"]), "");

    let report: serde_json::Value = serde_json::from_str(&generate("5", &["--json"])).unwrap();
    assert_eq!(report["rules"], "standard");
    assert_eq!((&report["pits"], &report["stones"]), (&6.into(), &5.into()));
    assert_eq!(report["built"], serde_json::json!([5]));
    assert_eq!(report["kept"], serde_json::json!([0, 1, 2, 3, 4]));
    assert_eq!((&report["positions"], &report["resumed"]), (&4368.into(), &0.into()));
    assert_eq!(report["finished"], true);
}

#[test]
fn progress_is_shown_when_asked_for() {
    let folder = TempDir::new().unwrap();
    let output = kalah()
        .args(["generate", "--stones", "3", "--progress"])
        .tables(folder.path())
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(err.lines().all(|line| line.starts_with("kalah: layer ")), "{err}");
    assert!(err.contains("kalah: layer 3 of 3: 100.0%, "), "{err}");
}

#[test]
fn layers_are_written_as_those_that_are_there() {
    let folder = TempDir::new().unwrap();
    let run = |arguments: &[&str]| {
        let output = kalah().args(arguments).tables(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    };
    let encoding = |stones: u8| {
        let id = kalah::tables::LayerId { rules: kalah::rules::Rules::Standard, pits: 6, stones };
        let folder = kalah::tables::Folder::open_for_reading(folder.path()).unwrap();
        folder.open_layer(&id).unwrap().unwrap().encoding().name()
    };
    run(&["generate", "--stones", "2"]);
    run(&["generate", "--stones", "4", "--encoding", "compact"]);
    run(&["generate", "--stones", "5"]);
    run(&["solve", "--seeds", "1", "--table-stones", "6"]);
    let written = [2, 4, 5, 6].map(encoding);
    assert_eq!(written, ["bytes", "compact", "compact", "compact"]);
    run(&["generate", "--stones", "7", "--encoding", "bytes"]);
    assert_eq!(encoding(7), "bytes");
}
