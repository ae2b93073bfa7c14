//! Two runs on one folder.

use std::io::{BufRead, BufReader, Read};
use std::process::ChildStderr;

use super::*;

/// Reads the line with which a run says that it waits.
fn waiting(run: &mut Running, folder: &Path) -> BufReader<ChildStderr> {
    let mut said = BufReader::new(run.child().stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let expected = "kalah: another kalah is writing to ";
    assert_eq!(line, format!("{expected}{}; waiting for it\n", folder.display()));
    said
}

#[test]
fn the_second_says_that_it_waits_and_goes_on_after_the_first() {
    let folder = TempDir::new().unwrap();
    let mut first = Running::start(folder.path(), &["--stones", ENDLESS]);
    first.until_there_is(&folder.path().join(name(5)));
    let mut second = Running::start(folder.path(), &["--stones", "13"]);
    let mut said = waiting(&mut second, folder.path());
    first.signal("INT");
    assert_eq!(first.end().code(), Some(3));

    let ended = second.end();
    let mut more = String::new();
    said.read_to_string(&mut more).unwrap();
    assert_eq!((ended.code(), more.as_str()), (Some(0), ""), "{ended:?}");
    assert_goes_on(folder.path());
}

#[test]
fn whoever_is_killed_does_not_keep_others_waiting() {
    let folder = TempDir::new().unwrap();
    let mut first = Running::start(folder.path(), &["--stones", ENDLESS]);
    first.until_there_is(&folder.path().join(name(5)));
    let mut second = Running::start(folder.path(), &["--stones", "13"]);
    let _said = waiting(&mut second, folder.path());
    first.kill();
    assert_eq!(second.end().code(), Some(0));
    assert_goes_on(folder.path());
}

#[test]
fn whoever_waits_can_be_interrupted() {
    let folder = TempDir::new().unwrap();
    let mut first = Running::start(folder.path(), &["--stones", ENDLESS]);
    first.until_there_is(&folder.path().join(name(0)));
    let mut second = Running::start(folder.path(), &["--stones", "13"]);
    let _said = waiting(&mut second, folder.path());
    second.signal("INT");
    assert_eq!(second.end().code(), Some(3));
    first.kill();
}

#[test]
fn all_that_start_at_once_end_well() {
    let folder = TempDir::new().unwrap();
    let start = |stones| Running::start(folder.path(), &["--stones", stones, "--quiet"]);
    let runs = [start("13"), start("12"), start("13")];
    for mut run in runs {
        run.end().succeeds();
    }
    assert_same(folder.path(), &UNDISTURBED);
}

#[test]
fn readers_do_not_wait() {
    let folder = TempDir::new().unwrap();
    let mut first = Running::start(folder.path(), &["--stones", ENDLESS]);
    first.until_there_is(&folder.path().join(name(6)));
    for arguments in [&["info"][..], &["query", "0,0,0,0,1,1,1,0,0,0,0,1"]] {
        let mut reader = Command::new(program());
        Ended::of(reader.args(arguments).arg("--tables").arg(folder.path())).succeeds();
    }
    first.kill();
}
