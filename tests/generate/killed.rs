//! `kill -9`, at any moment.

use super::*;

/// A run that is killed as soon as one of the files is there.
fn killed_when(files: &[String]) {
    let folder = TempDir::new().unwrap();
    let mut run = Running::start(folder.path(), &["--stones", ENDLESS]);
    let files: Vec<PathBuf> = files.iter().map(|file| folder.path().join(file)).collect();
    run.until_there_is_one_of(&files);
    run.kill();
    assert_goes_on(folder.path());
}

#[test]
fn when_it_has_just_begun() {
    killed_when(&[".lock".to_owned()]);
}

#[test]
fn when_a_layer_is_finished() {
    for stones in [0, 4, 9, 12, 13] {
        killed_when(&[name(stones)]);
    }
}

#[test]
fn while_a_layer_is_written() {
    for stones in [11, 12, 14, 16] {
        // A small layer may be finished before anyone looks.
        killed_when(&[format!(".{}.partial", name(stones)), name(stones)]);
    }
}

#[test]
fn again_and_again() {
    let folder = TempDir::new().unwrap();
    let mut random = 1u32;
    for _ in 0..12 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let run = Running::start(folder.path(), &["--stones", ENDLESS]);
        sleep(Duration::from_millis(u64::from(random >> 16) % 80));
        run.kill();
    }
    assert_goes_on(folder.path());
}

#[test]
fn what_others_left_is_not_touched() {
    let folder = TempDir::new().unwrap();
    let others = ["notes.txt", "standard-6pits-4stones.kalah", ".x.tmp-1"];
    for name in others {
        fs::write(folder.path().join(name), "kept").unwrap();
    }
    let left = folder.path().join(format!(".{}.tmp-4000000000", name(7)));
    fs::write(&left, "half a layer").unwrap();
    generate(folder.path(), &["--stones", "4"]).succeeds();
    assert!(!left.exists());
    for name in others {
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), b"kept");
    }
}
