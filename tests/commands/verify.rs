//! `kalah verify`.

use std::fs;

use super::*;

fn verify(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = kalah().arg("verify").args(arguments).tables(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn sound_tables_pass() {
    let (status, out, err) = verify(tables(), &[]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(
        out,
        "empty-capture rules, 2 pits: 13 files, 1,820 values held against checksums: no fault.\n\
         standard rules, 6 pits: 9 files, 125,970 values held against checksums: no fault.\n"
    );
    let (status, out, _) = verify(tables(), &["--full", "--pits", "6"]);
    assert_eq!(status, 0);
    assert!(out.contains(", 125,970 computed again: no fault."), "{out}");
    let (status, out, err) = verify(tables(), &["--full", "--quiet"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
}

#[test]
fn programs_get_one_object() {
    let (status, out, _) = verify(tables(), &["--json", "--sample", "10", "--rules", "standard"]);
    assert_eq!(status, 0);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["faults"], 0);
    assert_eq!(found["finished"], true);
    let checked = &found["checked"][0];
    assert_eq!((&checked["rules"], &checked["pits"]), (&"standard".into(), &6.into()));
    assert_eq!(checked["checksummed"], 125_970);
    // One position in layer 0 and ten in each of the others.
    assert_eq!(checked["recomputed"], 1 + 8 * 10);
}

#[test]
fn a_wrong_value_is_found() {
    let folder = small_tables();
    let file = folder.path().join("standard-2pits-03stones.kalah");
    let mut bytes = fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, bytes).unwrap();
    for arguments in [&[][..], &["--full"]] {
        let (status, out, err) = verify(folder.path(), arguments);
        assert_eq!(status, 1);
        assert!(err.lines().all(|line| line.starts_with("kalah: ")), "{err}");
        assert!(err.contains("standard-2pits-03stones.kalah"), "{err}");
        assert!(out.contains(" fault"), "{out}");
    }
    let (status, out, _) = verify(folder.path(), &["--json"]);
    assert_eq!(status, 1);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(found["faults"].as_u64() > Some(0), "{out}");
}

#[test]
fn digests_are_compared() {
    let folder = small_tables();
    let names = ["standard-2pits-00stones.kalah", "standard-2pits-04stones.kalah"];
    let digest = |name: &str| blake3::hash(&fs::read(folder.path().join(name)).unwrap());
    let list = folder.path().join("list");
    let lines: String = names.iter().map(|name| format!("{}  {name}\n", digest(name))).collect();
    fs::write(&list, lines + &format!("{}  standard-2pits-99stones.kalah\n", digest(names[0])))
        .unwrap();
    let compare = ["--checksums", list.to_str().unwrap()];
    let (status, out, err) = verify(folder.path(), &compare);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(
        out.ends_with(
            ": 2 files are as listed, 0 differ, 1 listed are not there, 3 there are not listed.\n"
        ),
        "{out}"
    );

    // The same layer by other rules is a sound file, and another one.
    let other = format!("{}  {}\n", digest(names[0]), names[1]);
    fs::write(&list, other).unwrap();
    let (status, _, err) = verify(folder.path(), &compare);
    assert_eq!(status, 1);
    assert!(err.starts_with("kalah: standard-2pits-04stones.kalah is another file than "), "{err}");

    fs::write(&list, "").unwrap();
    let (status, _, err) = verify(folder.path(), &compare);
    assert_eq!(status, 1);
    assert!(err.contains("nothing could be compared"), "{err}");

    fs::write(&list, "nonsense\n").unwrap();
    let (status, out, err) = verify(folder.path(), &compare);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.starts_with("kalah: cannot read checksums from "), "{err}");
    assert!(err.contains("line 1 is no checksum"), "{err}");
}

#[test]
fn a_folder_with_nothing_to_check_is_no_success() {
    let folder = TempDir::new().unwrap();
    let (status, out, err) = verify(folder.path(), &["--full"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("kalah generate --stones 12"), "{err}");
}

#[test]
fn too_little_memory_is_told_before_anything_is_checked() {
    let (status, out, err) = verify(tables(), &["--memory", "1M", "--full"]);
    assert_eq!((status, out.as_str(), err.lines().count()), (1, "", 1), "{err}");
    assert!(err.starts_with("kalah: checking the tables in "), "{err}");
    assert!(err.contains(" and 1048576 are free or allowed (1.00 MiB); "), "{err}");
    let (status, out, _) = verify(tables(), &["--memory", "256M", "--full", "--pits", "6"]);
    assert_eq!(status, 0, "{out}");
}
