//! Files that are not what was written: damage is told and made good, and what is not ours is
//! left alone.

use kalah::tables::build::{BuildError, Options, Plan, Progress, build};
use kalah::tables::{Folder, LayerFile, LayerWriter, TableError};

use super::*;

/// The layer that is damaged.
const STONES: u8 = 9;

/// The tables, with one file changed.
fn changed(change: impl FnOnce(&mut Vec<u8>)) -> TempDir {
    let mut files = UNDISTURBED.clone();
    change(files.get_mut(&name(STONES)).unwrap());
    folder_of(&files)
}

/// Changes a file, and expects that it is told and that the file is made anew.
fn made_good(expected: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let folder = changed(change);
    let file = folder.path().join(name(STONES));
    let ended = generate(folder.path(), &["--stones", "13", "--json", "--quiet"]);
    let expected = expected.replace("FILE", &file.display().to_string());
    assert_eq!(ended.err, format!("kalah: {expected}; it will be made anew\n"));
    assert_eq!(ended.code(), Some(0));
    let report: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(report["built"], serde_json::json!([STONES]));
    assert_same(folder.path(), &UNDISTURBED);
}

#[test]
fn a_wrong_byte_is_made_good() {
    made_good("the header of FILE is damaged", |file| file[100] ^= 1);
    made_good("block 9 of FILE is damaged", |file| *file.last_mut().unwrap() ^= 0x80);
    // One byte in the middle of the block in the middle.
    let folder = folder_of(&UNDISTURBED);
    let layer = LayerFile::open(&folder.path().join(name(STONES))).unwrap();
    let block = layer.header().blocks()[4];
    made_good("block 4 of FILE is damaged", |file| {
        file[(block.offset + block.length / 2) as usize] ^= 1;
    });
    let end = block.offset + block.length;
    let expected = format!("byte {end} of FILE, between blocks, is not zero");
    made_good(&expected, |file| file[end as usize] = 1);
}

#[test]
fn a_wrong_length_is_made_good() {
    let length = UNDISTURBED[&name(STONES)].len();
    for cut in [0, 5, 1000, length / 2, length - 1] {
        let folder = changed(|file| file.truncate(cut));
        let ended = generate(folder.path(), &["--stones", "13"]);
        let file = folder.path().join(name(STONES));
        let expected = format!("kalah: {} is cut off: it has {cut} bytes", file.display());
        assert!(ended.err.starts_with(&expected), "{ended:?}");
        assert_eq!((ended.code(), ended.err.lines().count()), (Some(0), 1));
        assert_same(folder.path(), &UNDISTURBED);
    }
    let expected = format!("FILE has {} bytes instead of {length}", length + 1);
    made_good(&expected, |file| file.push(0));
}

#[test]
fn several_damaged_layers_are_told_a_line_each() {
    let mut files = UNDISTURBED.clone();
    for stones in [0, 3, 13] {
        *files.get_mut(&name(stones)).unwrap().last_mut().unwrap() ^= 1;
    }
    files.remove(&name(7));
    let folder = folder_of(&files);
    let ended = generate(folder.path(), &["--stones", "13"]);
    assert_eq!((ended.code(), ended.err.lines().count()), (Some(0), 3), "{ended:?}");
    assert!(ended.out.starts_with("Built the layers of 0, 3, 7, 13 stones: "), "{ended:?}");
    assert_same(folder.path(), &UNDISTURBED);
}

/// Expects that a folder with something else under a layer's name is left as it is.
fn refused(folder: &Path, expected: &str) {
    let ended = generate(folder, &["--stones", "13"]);
    let file = folder.join(name(STONES));
    let expected = expected.replace("FILE", &file.display().to_string());
    assert!(ended.complaint().starts_with(&expected), "{ended:?}");
}

#[test]
fn what_is_not_ours_is_not_overwritten() {
    for (expected, offset, bytes) in [
        ("FILE is not a Kalah table; delete it or move it away", 0, &b"my diary"[..]),
        ("FILE is of format version 2 and this program reads version 1; ", 8, &[2, 0, 0, 0]),
    ] {
        let folder = changed(|file| file[offset..offset + bytes.len()].copy_from_slice(bytes));
        let before = files(folder.path());
        refused(folder.path(), expected);
        assert_same(folder.path(), &before);
    }

    let folder = TempDir::new().unwrap();
    let mut files = UNDISTURBED.clone();
    generate(folder.path(), &["--stones", "9", "--rules", "empty-capture"]).succeeds();
    let other = fs::read(folder.path().join("empty-capture-6pits-09stones.kalah")).unwrap();
    files.insert(name(STONES), other);
    let folder = folder_of(&files);
    refused(folder.path(), "FILE holds 9 stones in 6 pits a side, empty-capture rules, which its");
    assert_same(folder.path(), &files);

    let file = folder.path().join(name(STONES));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refused(folder.path(), "FILE is not a Kalah table; delete it or move it away");
    assert!(file.is_dir());
}

#[test]
fn a_wrong_value_with_a_right_checksum_is_found_by_a_full_check() {
    let folder = TempDir::new().unwrap();
    let options = ["--stones", "8", "--pits", "3"];
    generate(folder.path(), &options).succeeds();
    let id = LayerId { rules: Rules::Standard, pits: 3, stones: 5 };
    let opened = Folder::open_for_writing(folder.path(), || ()).unwrap();
    let right = opened.open_layer(&id).unwrap().unwrap();
    let writer = LayerWriter::create(&opened, id).unwrap();
    for mover in 0..=5 {
        let mut block = right.block(mover).to_vec();
        if mover == 2 {
            block[17] = if block[17] == 3 { 2 } else { 3 };
        }
        writer.write_block(mover, &block).unwrap();
    }
    writer.seal().unwrap().commit().unwrap();
    drop(opened);

    let verify = |arguments: &[&str]| {
        let mut command = Command::new(program());
        command.arg("verify").args(arguments).arg("--tables").arg(folder.path());
        Ended::of(&mut command)
    };
    verify(&[]).succeeds();
    let ended = verify(&["--full"]);
    assert_eq!(ended.code(), Some(1), "{ended:?}");
    let file = folder.path().join(id.file_name()).display().to_string();
    assert!(ended.err.lines().next().unwrap().contains(&file), "{ended:?}");
}

/// Makes a pipe, which nobody reads or writes.
fn pipe(place: &Path) {
    assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_an_error() {
    let folder = folder_of(&UNDISTURBED);
    let file = folder.path().join(name(STONES));
    fs::remove_file(&file).unwrap();
    pipe(&file);
    refused(folder.path(), "FILE is not a Kalah table; delete it or move it away");

    for make in [pipe, |place: &Path| fs::create_dir(place).unwrap()] {
        let folder = TempDir::new().unwrap();
        let lock = folder.path().join(".lock");
        make(&lock);
        let ended = generate(folder.path(), &["--stones", "3"]);
        let expected = format!("{} should be a file, for writers to lock", lock.display());
        assert!(ended.complaint().starts_with(&expected), "{ended:?}");
        assert!(lock.exists() && names(folder.path()).is_empty());
    }
}

#[test]
fn files_that_go_away_meanwhile_are_missed() {
    /// Removes a file once it is known to be there.
    struct Remove<'a>(&'a Path);

    impl Progress for Remove<'_> {
        fn planned(&self, _plan: &Plan) {
            fs::remove_file(self.0).unwrap();
        }
    }

    let folder = folder_of(&UNDISTURBED);
    let file = folder.path().join(name(STONES));
    let options = Options::new(Rules::Standard, 13);
    fs::remove_file(folder.path().join(name(13))).unwrap();
    match build::<6>(folder.path(), &options, &Remove(&file)) {
        Err(BuildError::Table(TableError::Removed { file: missed })) => assert_eq!(missed, file),
        other => panic!("{other:?}"),
    }
    generate(folder.path(), &["--stones", "13"]).succeeds();
    assert_same(folder.path(), &UNDISTURBED);
}

#[test]
fn damage_that_is_done_meanwhile_is_named_and_what_is_finished_is_kept() {
    /// Damages a file once it is known to be sound.
    struct Damage<'a>(&'a Path);

    impl Progress for Damage<'_> {
        fn planned(&self, _plan: &Plan) {
            let mut bytes = fs::read(self.0).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle..middle + 8192].iter_mut().for_each(|byte| *byte ^= 1);
            // In its place, as a failing disk does it.
            fs::write(self.0, bytes).unwrap();
        }
    }

    let folder = folder_of(&UNDISTURBED);
    let file = folder.path().join(name(12));
    fs::remove_file(folder.path().join(name(13))).unwrap();
    fs::remove_file(folder.path().join(name(10))).unwrap();
    let needed = match build::<6>(
        folder.path(),
        &Options { memory: Some(1), ..Options::new(Rules::Standard, 13) },
        &(),
    ) {
        Err(BuildError::NoMemory { needed, .. }) => needed,
        other => panic!("{other:?}"),
    };
    // With no more than that, lower layers are read and checked again.
    let options = Options { memory: Some(needed), ..Options::new(Rules::Standard, 13) };
    match build::<6>(folder.path(), &options, &Damage(&file)) {
        Err(BuildError::Table(TableError::BlockChecksum { file: damaged, .. })) => {
            assert_eq!(damaged, file);
        }
        other => panic!("{other:?}"),
    }
    assert!(folder.path().join(name(10)).exists());
    let ended = generate(folder.path(), &["--stones", "13"]);
    assert!(ended.err.contains("is damaged; it will be made anew"), "{ended:?}");
    assert_same(folder.path(), &UNDISTURBED);
}
