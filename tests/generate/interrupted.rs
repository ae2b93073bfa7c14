//! Ctrl-C, and a request to terminate.

use super::*;

fn interrupted_by(signal: &str) {
    let folder = TempDir::new().unwrap();
    let mut run = Running::start(folder.path(), &["--stones", ENDLESS]);
    run.until_there_is(&folder.path().join(name(8)));
    run.signal(signal);
    let ended = run.end();
    assert_eq!((ended.code(), ended.out.as_str()), (Some(3), ""), "{ended:?}");
    let lines: Vec<&str> = ended.err.lines().collect();
    let [interrupted] = lines[..] else { panic!("{ended:?}") };

    let place = folder.path().display();
    let rest = interrupted.strip_prefix("kalah: interrupted; layers 0 to ").unwrap();
    let (last, rest) = rest.split_once(' ').unwrap();
    assert_eq!(
        rest,
        format!(
            "are finished and kept in {place}; go on with: kalah generate --stones 22 --tables \
             {place}"
        )
    );
    // What it says is kept is there, and nothing else but what is finished of the next layer.
    let last: u8 = last.parse().unwrap();
    let begun = [format!(".{}.journal", name(last + 1)), format!(".{}.partial", name(last + 1))];
    let names: Vec<String> =
        names(folder.path()).into_iter().filter(|name| !begun.contains(name)).collect();
    assert_eq!(names, (0..=last).map(name).collect::<Vec<_>>());
    assert_goes_on(folder.path());
}

#[test]
fn ctrl_c_keeps_what_is_finished_and_says_how_to_go_on() {
    interrupted_by("INT");
}

#[test]
fn a_request_to_terminate_does_the_same() {
    interrupted_by("TERM");
}

#[test]
fn those_who_want_quiet_are_told_only_how_to_go_on() {
    let folder = TempDir::new().unwrap();
    let mut run = Running::start(folder.path(), &["--stones", ENDLESS, "--quiet"]);
    run.until_there_is(&folder.path().join(name(5)));
    run.signal("INT");
    let ended = run.end();
    assert_eq!(ended.code(), Some(3));
    assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
}
