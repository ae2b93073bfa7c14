//! What cannot be built is refused before it is begun, in a line that says what would help.

use kalah::tables::Layout;

use super::*;

/// Bytes of all files of up to so many stones, for 6 pits.
fn bytes(stones: u8) -> u64 {
    let length = |stones| Layout::new(LayerId { rules: Rules::Standard, pits: 6, stones });
    (0..=stones).map(|stones| length(stones).unwrap().file_length()).sum()
}

/// Whether a folder has nothing in it, not even a lock.
fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

/// The number that follows `before` in a text.
fn number_after(text: &str, before: &str) -> u64 {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("{text}"));
    rest.split(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn more_than_the_disk_holds_is_refused_with_both_sizes() {
    let folder = TempDir::new().unwrap();
    for stones in [60, 127] {
        let ended = generate(folder.path(), &["--stones", &stones.to_string()]);
        let line = ended.complaint();
        assert_eq!(number_after(line, "the tables to build take "), bytes(stones), "{line}");
        let place = folder.path().display();
        assert!(number_after(line, &format!(" and {place} has ")) < bytes(stones), "{line}");
        assert!(is_empty(folder.path()));
    }
}

#[test]
fn what_is_refused_leaves_no_folder_and_removes_none_that_was_there() {
    let folder = TempDir::new().unwrap();
    let deep = folder.path().join("made/for/tables");
    generate(&deep, &["--stones", "127"]).complaint();
    assert!(is_empty(folder.path()));

    fs::create_dir(folder.path().join("made")).unwrap();
    fs::write(folder.path().join("made/notes"), "kept").unwrap();
    generate(&deep, &["--stones", "127"]).complaint();
    assert_eq!(names(&folder.path().join("made")), ["notes"]);

    generate(folder.path(), &["--stones", "1"]).succeeds();
    generate(folder.path(), &["--stones", "127"]).complaint();
    assert!(folder.path().join(".lock").exists());
    assert_eq!(names(folder.path()), ["made".to_owned(), name(0), name(1)]);
}

#[test]
fn more_than_the_memory_holds_is_refused_with_both_sizes() {
    let folder = TempDir::new().unwrap();
    for pits in ["1", "6"] {
        let ended = generate(folder.path(), &["--stones", "9", "--pits", pits, "--memory", "1M"]);
        let line = ended.complaint();
        assert!(number_after(line, "takes at least ") > 1 << 20, "{line}");
        assert!(line.contains(" and 1048576 are free or allowed (1.00 MiB); "), "{line}");
        assert!(is_empty(folder.path()));
    }
}

#[test]
fn more_than_can_be_asked_for_is_a_mistake() {
    let folder = TempDir::new().unwrap();
    for (arguments, expected) in [
        (
            ["--stones", "128", "--pits", "6"],
            "'128' for '--stones <N>': write a whole number from 0 to 127",
        ),
        (
            ["--stones", "200", "--pits", "6"],
            "'200' for '--stones <N>': write a whole number from 0 to 127",
        ),
        (
            ["--stones", "x", "--pits", "6"],
            "'x' for '--stones <N>': write a whole number from 0 to 127",
        ),
        (["--stones", "9", "--pits", "7"], "'7' for '--pits <P>': tables have 1 to 6 pits a side"),
        (["--stones", "9", "--pits", "0"], "'0' for '--pits <P>': tables have 1 to 6 pits a side"),
    ] {
        let ended = generate(folder.path(), &arguments);
        assert_eq!((ended.code(), ended.out.as_str()), (Some(2), ""));
        assert!(ended.err.starts_with(&format!("kalah: invalid value {expected}")), "{ended:?}");
        assert_eq!(ended.err.lines().count(), 1);
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "kept").unwrap();
    for place in [file.clone(), file.join("below"), "/proc/kalah".into(), "/dev/null".into()] {
        let ended = generate(&place, &["--stones", "3"]);
        assert!(ended.complaint().contains(&place.display().to_string()), "{ended:?}");
    }
    assert_eq!(fs::read(file).unwrap(), b"kept");
}

/// Runs the program in a shell that has set a limit.
fn limited(limit: &str, folder: &Path, arguments: &[&str]) -> Ended {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limit} && exec \"$@\""), "sh"]).arg(program());
    shell.arg("generate").args(arguments).arg("--tables").arg(folder);
    Ended::of(&mut shell)
}

/// Little address space is no panic and no abort: either there is enough or a line says that there
/// is not.
#[cfg(target_os = "linux")]
#[test]
fn too_little_address_space_is_told() {
    for kilobytes in [20_000, 150_000, 200_000, 250_000, 300_000, 350_000, 400_000] {
        let folder = TempDir::new().unwrap();
        let limit = format!("ulimit -v {kilobytes}");
        let ended = limited(&limit, folder.path(), &["--stones", "16", "--threads", "2"]);
        if ended.code() == Some(0) {
            ended.succeeds();
            continue;
        }
        let line = ended.complaint();
        let told = ["building these tables takes at least ", "cannot start "];
        assert!(told.iter().any(|told| line.starts_with(told)), "{line}");
        assert!(names(folder.path()).is_empty());
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_told_and_keeps_finished_layers() {
    let folder = TempDir::new().unwrap();
    // Whether a shell's blocks have 512 bytes or 1024, layers of 4 and of 12 stones lie on either
    // side of this.
    let ended = limited("ulimit -f 600", folder.path(), &["--stones", "13"]);
    let line = ended.complaint();
    let first = names(folder.path()).len() as u8;
    let refused = folder.path().join(name(first)).display().to_string();
    assert!(line.starts_with(&format!("{refused} needs ")), "{line}");
    assert!(line.contains("ulimit -f unlimited"), "{line}");
    assert_eq!(names(folder.path()), (0..first).map(name).collect::<Vec<_>>());
    assert!((5..12).contains(&first), "{first}");

    generate(folder.path(), &["--stones", "13"]).succeeds();
    assert_same(folder.path(), &UNDISTURBED);
}
