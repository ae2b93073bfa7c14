//! Arrays for numpy, read here without it.

use std::fs;

use super::*;

/// The values of an array of one dimension and type int8, by the description of numpy's format.
fn array(file: &Path) -> Vec<i8> {
    let bytes = fs::read(file).unwrap();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let (header, values) = bytes[10..].split_at(length);
    assert_eq!((10 + length) % 64, 0);
    let header = str::from_utf8(header).unwrap();
    assert!(header.ends_with('\n'));
    let expected =
        format!("{{'descr': '|i1', 'fortran_order': False, 'shape': ({},), }}", values.len());
    assert_eq!(header.trim_end(), expected);
    values.iter().map(|&byte| byte as i8).collect()
}

fn every_margin_is_there<const P: usize>(truth: &Truth<P>, rules: &str, stones: usize) {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("new").join("arrays");
    let (most, pits) = (stones.to_string(), P.to_string());
    let arguments = ["--format", "npy", "--rules", rules, "--pits", &pits, "--stones", &most];
    let path = ["--quiet", "--out", out.to_str().unwrap()];
    assert_eq!(exported(truth.folder.path(), &[&arguments[..], &path].concat()), "");
    let mut expected = vec!["kalah_npy.py".to_owned()];
    for stones in 0..=stones {
        let name = format!("{rules}-{P}pits-{stones:02}stones.npy");
        let margins = array(&out.join(&name)).into_iter().map(i16::from);
        assert!(margins.eq(truth.values.layer(stones).iter().copied()), "{name}");
        expected.push(name);
    }
    expected.sort_unstable();
    assert_eq!(names(&out), expected);
}

#[test]
fn arrays_hold_the_margin_of_every_position() {
    every_margin_is_there(&SIX, "standard", 6);
    every_margin_is_there(&SIX, "standard", 0);
    every_margin_is_there(&THREE, "empty-capture", 9);
}

#[test]
fn it_says_what_it_wrote() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("arrays");
    let path = out.to_str().unwrap();
    let arguments = ["--format", "npy", "--stones", "4", "--out", path];
    let told = exported(SIX.folder.path(), &arguments);
    let begin = format!(
        "Wrote arrays of the layers of 0 to 4 stones, 1,820 positions, and kalah_npy.py to {path} ("
    );
    assert!(told.starts_with(&begin), "{told}");
    let json = exported(SIX.folder.path(), &[&arguments[..], &["--json"]].concat());
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    let sizes: u64 =
        names(&out).iter().map(|name| fs::metadata(out.join(name)).unwrap().len()).sum();
    let expected = serde_json::json!({
        "format": "npy", "rules": "standard", "pits": 6, "stones": 4, "out": path,
        "positions": 1820, "bytes": sizes,
    });
    assert_eq!(found, expected);
}

#[test]
fn what_else_is_in_the_folder_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let array = path.join("standard-6pits-02stones.npy");
    for name in ["notes.txt", "standard-6pits-07stones.npy"] {
        fs::write(path.join(name), "mine").unwrap();
    }
    fs::write(&array, "old").unwrap();
    let out = path.to_str().unwrap();
    exported(SIX.folder.path(), &["--format", "npy", "--stones", "2", "--out", out]);
    assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(path.join("standard-6pits-07stones.npy")).unwrap(), "mine");
    assert_eq!(super::npy::array(&array).len(), 78);
    let layer = |stones| format!("standard-6pits-0{stones}stones.npy");
    let there = names(path);
    assert_eq!(there, ["kalah_npy.py", "notes.txt", &layer(0), &layer(1), &layer(2), &layer(7)]);
}

#[test]
fn a_disk_that_is_full_keeps_the_old_array() {
    let folder = TempDir::new().unwrap();
    let array = folder.path().join("standard-6pits-06stones.npy");
    fs::write(&array, "old").unwrap();
    // The reader fits, and 12,376 positions do not.
    let script = "ulimit -f 20; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(program()).args(["export", "--format", "npy", "--stones"]);
    command.args(["6", "--tables"]).arg(SIX.folder.path()).arg("--out").arg(folder.path());
    let output = command.output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    let begin = format!("kalah: no room for {} (", array.display());
    assert!(err.starts_with(&begin) && err.lines().count() == 1, "{err}");
    assert_eq!(fs::read_to_string(&array).unwrap(), "old");
    assert!(!names(folder.path()).iter().any(|name| name.starts_with('.')));
}

#[test]
fn damaged_tables_are_not_passed_on() {
    let (tables, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let values = Negamax::<2>::new(Rules::Standard, 3);
    values.write(tables.path());
    let file = tables.path().join("standard-2pits-03stones.kalah");
    let arguments = ["--format", "npy", "--pits", "2", "--stones", "3", "--out"];
    let arguments = [&arguments[..], &[folder.path().to_str().unwrap()]].concat();

    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, bytes).unwrap();
    let (status, out, err) = export(tables.path(), &arguments);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("standard-2pits-03stones.kalah") && err.lines().count() == 1, "{err}");
    assert!(!names(folder.path()).contains(&"standard-2pits-03stones.npy".to_owned()));

    // A share that cannot be, with all checksums that belong to it.
    fs::remove_file(&file).unwrap();
    values.write_layer(tables.path(), 3, |_, _| ());
    let mut bytes = fs::read(&file).unwrap();
    // Two rows of the mover's one stone, by three of the opponent's two stones.
    let block = 2 * 4096..2 * 4096 + 6;
    let digest = blake3::hash(&bytes[block.clone()]);
    let place = bytes.windows(32).position(|found| found == digest.as_bytes()).unwrap();
    bytes[block.start] = 4;
    let digest = blake3::hash(&bytes[block]);
    bytes[place..place + 32].copy_from_slice(digest.as_bytes());
    let end = 16 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let digest = blake3::hash(&bytes[..end]);
    bytes[end..end + 32].copy_from_slice(digest.as_bytes());
    fs::write(&file, bytes).unwrap();
    let (status, out, err) = export(tables.path(), &arguments);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("standard-2pits-03stones.kalah") && err.contains('4'), "{err}");
    assert!(!names(folder.path()).contains(&"standard-2pits-03stones.npy".to_owned()));
}
