//! Command lines that make no sense, and places that cannot be written.

use std::fs;

use super::*;

/// Runs `kalah export`, which must complain in one line and print nothing; gives status and line.
fn complaint(tables: &Path, arguments: &[&str]) -> (i32, String) {
    let (status, out, err) = export(tables, arguments);
    assert_eq!(out, "", "{arguments:?}");
    let line = err.strip_prefix("kalah: ").and_then(|line| line.strip_suffix('\n'));
    let line = line.unwrap_or_else(|| panic!("{arguments:?}: {err:?}"));
    assert!(!line.contains('\n'), "{arguments:?}: {err:?}");
    (status, line.to_owned())
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out");
    let path = out.to_str().unwrap();
    let npy = ["--format", "npy", "--stones", "4", "--out"];
    let csv = ["--format", "csv", "--stones", "4", "--out"];
    for (begin, rest, expected) in [
        (
            npy,
            &[path, "--sample", "3"][..],
            "--sample is for --format csv and means nothing to npy; leave it out",
        ),
        (
            npy,
            &[path, "--random-seed", "3"],
            "--random-seed is for --format csv and means nothing to npy; leave it out",
        ),
        (
            npy,
            &[path, "--seeds", "4"],
            "--seeds is for --format csv and means nothing to npy; leave it out",
        ),
        (
            npy,
            &["-"],
            "--format npy writes a folder of files, not to standard output; name a folder",
        ),
        (csv, &[path], "--format csv draws positions; say how many with --sample K"),
        (
            csv,
            &["-", "--sample", "3", "--json"],
            "--out - and --json both mean standard output; give --out a file",
        ),
        (
            csv,
            &[path, "--sample", "0"],
            "invalid value '0' for '--sample <K>': write a whole number from 1 up",
        ),
        (
            csv,
            &[path, "--sample", "-3"],
            "invalid value '-3' for '--sample <K>': write a whole number from 1 up",
        ),
        (
            csv,
            &[path, "--sample", "3", "--random-seed", "x"],
            "invalid value 'x' for '--random-seed <N>': write a whole number from 0 up",
        ),
        (
            csv,
            &[path, "--sample", "3", "--seeds", "0"],
            "invalid value '0' for '--seeds <S>': write a whole number from 1 to 63",
        ),
        (
            csv,
            &[path, "--sample", "3", "--seeds", "11"],
            "132 stones are too many for 6 pits a side; ask for fewer",
        ),
        (
            csv,
            &[path, "--sample", "3", "--pits", "7"],
            "invalid value '7' for '--pits <P>': tables have 1 to 6 pits a side",
        ),
        (
            ["--format", "xml", "--stones", "4", "--out"],
            &[path],
            "invalid value 'xml' for '--format <FORMAT>' [possible values: npy, csv, web]",
        ),
        (
            ["--format", "npy", "--stones", "128", "--out"],
            &[path],
            "invalid value '128' for '--stones <N>': write a whole number from 0 to 127",
        ),
        (
            ["--format", "csv", "--stones", "1", "--out"],
            &[path, "--sample", "3"],
            "a game with fewer than 2 stones in the pits is over; ask for at least 2",
        ),
        (
            ["--format", "csv", "--stones", "13", "--out"],
            &[path, "--sample", "3", "--seeds", "1"],
            "a game that begins with 1 in every pit has 12 stones, and positions of 13 are asked for; \
             ask for at most 12",
        ),
    ] {
        let arguments = [&begin[..], rest].concat();
        assert_eq!(
            complaint(SIX.folder.path(), &arguments),
            (2, expected.to_owned()),
            "{arguments:?}"
        );
    }
    assert!(!out.exists());
    let (status, line) = complaint(SIX.folder.path(), &["--stones", "4", "--out", path]);
    assert_eq!(status, 2);
    assert!(
        line.contains("--format <FORMAT>") && line.ends_with("; see kalah export --help"),
        "{line}"
    );
}

#[test]
fn tables_too_small_are_told_with_the_command_that_builds_more() {
    let out = TempDir::new().unwrap();
    let path = out.path().join("out");
    let path = path.to_str().unwrap();
    let tables = SIX.folder.path().display();
    let missing = out.path().join("missing");
    for format in [&["--format", "npy"][..], &["--format", "csv", "--sample", "3"]] {
        let arguments = [format, &["--stones", "7", "--out", path]].concat();
        let expected = format!(
            "the tables in {tables} end at 6 stones; build more with: kalah generate --stones 7 \
             --tables {tables}"
        );
        assert_eq!(complaint(SIX.folder.path(), &arguments), (1, expected));
        let arguments = [&arguments[..], &["--pits", "5"]].concat();
        let expected = format!(
            "there are no tables of standard rules and 5 pits a side in {tables}; build them with: \
             kalah generate --stones 7 --pits 5 --tables {tables}"
        );
        assert_eq!(complaint(SIX.folder.path(), &arguments), (1, expected));
        let arguments = [format, &["--stones", "7", "--out", path]].concat();
        let tables = missing.display();
        let expected = format!(
            "there are no tables in {tables}; build them with: kalah generate --stones 7 --tables \
             {tables}"
        );
        assert_eq!(complaint(&missing, &arguments), (1, expected));
    }
    assert_eq!(names(out.path()), [""; 0]);
}

#[test]
fn tables_that_end_at_a_damaged_file_are_told_with_its_name() {
    let tables = TempDir::new().unwrap();
    Negamax::<2>::new(Rules::Standard, 4).write(tables.path());
    let file = tables.path().join("standard-2pits-03stones.kalah");
    fs::write(&file, "my diary").unwrap();
    let out = tables.path().join("out");
    let arguments = ["--format", "npy", "--pits", "2", "--stones", "4", "--out"];
    let (status, line) =
        complaint(tables.path(), &[&arguments[..], &[out.to_str().unwrap()]].concat());
    assert_eq!(status, 1);
    assert_eq!(line, format!("{} is not a Kalah table; delete it or move it away", file.display()));
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    let below = file.join("arrays");
    for out in [&file, &below] {
        let arguments = ["--format", "npy", "--stones", "2", "--out", out.to_str().unwrap()];
        let (status, line) = complaint(SIX.folder.path(), &arguments);
        assert_eq!(status, 1, "{line}");
        let folder = out.display();
        assert_eq!(
            line,
            format!(
                "cannot make the folder {folder}: there is a file in its place; name another folder"
            )
        );
    }
    let csv = ["--format", "csv", "--stones", "2", "--sample", "3", "--out"];
    for out in [folder.path(), Path::new("/dev/null"), &folder.path().join("no/such.csv"), &below] {
        let arguments = [&csv[..], &[out.to_str().unwrap()]].concat();
        let (status, line) = complaint(SIX.folder.path(), &arguments);
        assert_eq!(status, 1, "{line}");
        assert!(line.contains(&out.display().to_string()), "{line}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(names(folder.path()), ["file"]);
}
