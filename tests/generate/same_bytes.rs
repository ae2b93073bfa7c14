//! Neither threads nor memory nor what was there before change a byte.

use super::*;

/// The least memory the program builds 13 stones with, as it says itself.
fn least_memory(folder: &Path, threads: &str) -> u64 {
    let ended = generate(folder, &["--stones", "13", "--memory", "1M", "--threads", threads]);
    let line = ended.complaint();
    let (_, rest) = line.split_once("takes at least ").unwrap();
    let (bytes, rest) = rest.split_once(' ').unwrap();
    assert!(rest.contains("and 1048576 are free or allowed (1.00 MiB)"), "{line}");
    bytes.parse().unwrap()
}

#[test]
fn threads_change_nothing() {
    for threads in ["2", "3"] {
        let folder = TempDir::new().unwrap();
        generate(folder.path(), &["--stones", "13", "--threads", threads]).succeeds();
        assert_same(folder.path(), &UNDISTURBED);
    }
}

#[test]
fn memory_changes_nothing() {
    let folder = TempDir::new().unwrap();
    // The last one has room for some transposed blocks and not for all.
    for (threads, more) in [("1", 0), ("3", 0), ("3", 1 << 20)] {
        let least = least_memory(folder.path(), threads);
        let folder = TempDir::new().unwrap();
        let memory = (least + more).to_string();
        generate(folder.path(), &["--stones", "13", "--threads", threads, "--memory", &memory])
            .succeeds();
        assert_same(folder.path(), &UNDISTURBED);
    }
    let less = (least_memory(folder.path(), "2") - 1).to_string();
    let ended = generate(folder.path(), &["--stones", "13", "--threads", "2", "--memory", &less]);
    assert!(ended.complaint().starts_with("building these tables takes at least "), "{ended:?}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn layers_that_are_missing_are_built_again_and_no_others() {
    let folder = folder_of(&UNDISTURBED);
    let missing = [0, 1, 5, 9, 10, 12];
    for stones in missing {
        fs::remove_file(folder.path().join(name(stones))).unwrap();
    }
    let ended = generate(folder.path(), &["--stones", "13"]);
    ended.succeeds();
    let built = "Built the layers of 0 to 1, 5, 9 to 10, 12 stones: ";
    assert!(ended.out.starts_with(built), "{ended:?}");
    assert_same(folder.path(), &UNDISTURBED);
}

#[test]
fn larger_tables_begin_with_the_smaller_ones() {
    let folder = TempDir::new().unwrap();
    for stones in ["3", "10", "13"] {
        generate(folder.path(), &["--stones", stones]).succeeds();
    }
    assert_same(folder.path(), &UNDISTURBED);
}
