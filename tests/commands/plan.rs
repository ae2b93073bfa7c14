//! `kalah plan`.

use std::process::{Command, Stdio};

use super::*;

fn plan(folder: &TempDir, arguments: &[&str]) -> serde_json::Value {
    let output = kalah().arg("plan").args(arguments).arg("--json").tables(folder.path()).output();
    let output = output.unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_plan_says_what_is_there_and_what_is_missing() {
    let folder = TempDir::new().unwrap();
    kalah()
        .args(["generate", "--stones", "9", "--pits", "3"])
        .tables(folder.path())
        .output()
        .unwrap();
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    let report = plan(&folder, &["--stones", "11", "--pits", "3", "--speedup"]);
    let there: Vec<bool> =
        report["layers"].as_array().unwrap().iter().map(|l| l["there"] == "bytes").collect();
    assert_eq!(there, (0..=11).map(|stones| stones <= 9).collect::<Vec<_>>());
    assert_eq!((&report["fits"], &report["refusal"]), (&true.into(), &serde_json::Value::Null));
    assert!(report["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(report["layers"][9]["seconds"], 0.0);
    let (ten, eleven) = (&report["layers"][10], &report["layers"][11]);
    assert_eq!(
        report["positions"],
        ten["positions"].as_u64().unwrap() + eleven["positions"].as_u64().unwrap()
    );
    assert_eq!(report["bytes"], ten["bytes"].as_u64().unwrap() + eleven["bytes"].as_u64().unwrap());
    assert_eq!(report["speedup"][1]["stones"], 11);
    assert_eq!(report["speedup"][1]["together"][0], 1.0);
    // Nothing is left of what was measured.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before);
}

#[test]
fn what_does_not_fit_is_said() {
    let folder = TempDir::new().unwrap();
    let report = plan(&folder, &["--stones", "60", "--pits", "3", "--memory", "1M"]);
    assert_eq!(report["fits"], false);
    let refusal = report["refusal"].as_str().unwrap();
    assert!(refusal.starts_with("building these tables takes at least "), "{refusal}");

    let output = kalah().args(["plan", "--stones", "70"]).tables(folder.path()).output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(page.contains("\nTo build: "), "{page}");
    assert!(page.contains("\nIt does not fit: the tables to build take "), "{page}");
}

#[test]
fn a_folder_need_not_be_there() {
    let folder = TempDir::new().unwrap();
    let output = kalah()
        .args(["plan", "--stones", "4", "--pits", "2", "--encoding", "compact"])
        .tables(&folder.path().join("new/tables"))
        .output()
        .unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("It fits."), "{page}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let expected = "there is no encoding \"x\"; write bytes or compact";
    let (status, told) = complaint(&["plan", "--stones", "4", "--encoding", "x"]);
    assert_eq!(status, 2);
    assert!(told.contains(expected), "{told}");
}

/// A page or report is had all the same, and nothing is left in the folder.
fn typical(mut command: Command, reason: &str) {
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let told = report["not_measured"].as_str().unwrap();
    assert!(told.contains(reason), "{told}");
    assert!(report["seconds"].as_f64().unwrap() > 0.0);
}

#[test]
#[cfg(target_os = "linux")]
fn where_nothing_can_be_written_the_speed_is_a_typical_one() {
    let mut nowhere = Command::new(program());
    nowhere.args(["plan", "--stones", "9", "--json", "--tables", "/proc/kalah/tables"]);
    typical(nowhere, "/proc");

    let folder = TempDir::new().unwrap();
    let mut full = Command::new("sh");
    full.args(["-c", "ulimit -f 600 && exec \"$@\"", "sh"]).arg(program());
    full.args(["plan", "--stones", "9", "--json", "--tables"]).arg(folder.path());
    typical(full, "ulimit -f unlimited");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    let mut page = kalah();
    page.args(["plan", "--stones", "9"]).tables(Path::new("/proc/kalah/tables"));
    let page = String::from_utf8(page.output().unwrap().stdout).unwrap();
    assert!(page.contains("\nThe time is that of a typical machine, as it could not"), "{page}");
}

#[test]
fn whoever_is_stopped_while_measuring_leaves_nothing_for_long() {
    let folder = TempDir::new().unwrap();
    let names = || std::fs::read_dir(folder.path()).unwrap().count();
    let stopped = |signal: &str| {
        let mut plan = Command::new(program());
        plan.args(["plan", "--stones", "20", "--threads", "1", "--tables"]).arg(folder.path());
        let mut plan = plan.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        while names() == 0 {
            assert!(plan.try_wait().unwrap().is_none());
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let process = plan.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &process]).status();
        assert!(sent.unwrap().success());
        plan.wait_with_output().unwrap()
    };
    for signal in ["TERM", "INT", "HUP"] {
        let output = stopped(signal);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(told.starts_with("kalah: interrupted before it was measured"), "{told}");
        assert_eq!(names(), 0);
    }
    assert_eq!(stopped("KILL").status.code(), None);
    assert_eq!(names(), 1);
    // Whoever writes there next, removes it.
    kalah().args(["generate", "--stones", "1"]).tables(folder.path()).output().unwrap();
    let mut left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|n| n.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".lock", "standard-6pits-00stones.kalah", "standard-6pits-01stones.kalah"]);
}

#[test]
fn a_folder_that_is_not_there_has_nothing_of_the_one_above() {
    let folder = TempDir::new().unwrap();
    let above = kalah::tables::Folder::open_for_writing(folder.path(), || {}).unwrap();
    drop(above);
    kalah()
        .args(["generate", "--stones", "2", "--encoding", "compact"])
        .tables(folder.path())
        .output()
        .unwrap();
    let report = plan(&folder, &["--stones", "3"]);
    assert_eq!(report["encoding"], "compact");
    let output = kalah()
        .args(["plan", "--stones", "3", "--json"])
        .tables(&folder.path().join("new"))
        .output();
    let report: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!(report["encoding"], "bytes");
}
