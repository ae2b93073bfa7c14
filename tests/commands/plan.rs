//! `kalah plan`.

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
