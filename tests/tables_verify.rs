//! `verify` finds every wrong byte.

mod common;

use std::{fs, os::unix::fs::FileExt, path::Path};

use common::negamax::Negamax;
use kalah::{
    rules::Rules,
    tables::{
        Folder, LayerId, TableError,
        checksums::Checksums,
        verify::{Depth, Fault, Progress, Report, verify},
    },
};

fn check(directory: &Path, pits: u8, depth: Depth) -> Report {
    let folder = Folder::open_for_reading(directory).unwrap();
    verify(&folder, Rules::Standard, pits, depth, &()).unwrap()
}

fn file_of(directory: &Path, pits: u8, stones: u8) -> std::path::PathBuf {
    directory.join(LayerId { rules: Rules::Standard, pits, stones }.file_name())
}

#[test]
fn right_tables_are_clean() {
    let directory = tempfile::tempdir().unwrap();
    for rules in Rules::ALL {
        Negamax::<3>::new(rules, 7).write(directory.path());
    }
    let folder = Folder::open_for_reading(directory.path()).unwrap();
    for rules in Rules::ALL {
        for depth in [Depth::Checksums, Depth::Sample { positions: 50, seed: 1 }, Depth::Full] {
            let report = verify(&folder, rules, 3, depth, &()).unwrap();
            assert!(report.is_clean(), "{:?}", report.faults);
            assert_eq!(report.files, 8);
            assert_eq!(report.checksummed, 1716);
            let recomputed = match depth {
                Depth::Checksums => 0,
                // Layers of up to 2 stones have fewer than 50 positions: 1, 6 and 21.
                Depth::Sample { .. } => 28 + 5 * 50,
                Depth::Full => 1716,
            };
            assert_eq!(report.recomputed, recomputed);
        }
    }
}

#[test]
fn a_folder_without_tables_has_no_files_to_check() {
    let directory = tempfile::tempdir().unwrap();
    let report = check(directory.path(), 6, Depth::Full);
    assert_eq!((report.files, report.fault_count), (0, 0));
}

fn every_wrong_byte_is_found<const P: usize>(stones: usize) {
    let directory = tempfile::tempdir().unwrap();
    Negamax::<P>::new(Rules::Standard, stones).write(directory.path());
    let path = file_of(directory.path(), P as u8, stones as u8);
    let right = fs::read(&path).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    for (offset, &byte) in right.iter().enumerate() {
        let wrong = byte ^ (1 << (offset % 8));
        file.write_all_at(&[wrong], offset as u64).unwrap();
        let report = check(directory.path(), P as u8, Depth::Full);
        assert!(report.fault_count > 0, "byte {offset} was {byte} and is {wrong}");
        let named = report.faults[0].to_string();
        assert!(named.contains(path.to_str().unwrap()), "{named}");
        file.write_all_at(&[byte], offset as u64).unwrap();
    }
    assert!(check(directory.path(), P as u8, Depth::Full).is_clean());
    file.write_all_at(&[0], right.len() as u64).unwrap();
    assert!(check(directory.path(), P as u8, Depth::Checksums).fault_count > 0);
    file.set_len(right.len() as u64 - 1).unwrap();
    assert!(check(directory.path(), P as u8, Depth::Checksums).fault_count > 0);
}

#[test]
fn every_wrong_byte_of_a_file_is_found() {
    // Thousands of small checks: waking other threads would take longer than each of them.
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    one_thread.install(|| {
        every_wrong_byte_is_found::<2>(3);
        every_wrong_byte_is_found::<3>(2);
    });
}

fn every_wrong_value_is_found<const P: usize>(stones: usize) {
    let directory = tempfile::tempdir().unwrap();
    let solved = Negamax::<P>::new(Rules::Standard, stones);
    solved.write(directory.path());
    for block in 0..=stones {
        for (index, right) in solved.block(stones, block).into_iter().enumerate() {
            for wrong in (0..=stones as u8).filter(|&share| share != right) {
                solved.write_layer(directory.path(), stones, |mover, bytes| {
                    if mover == block {
                        bytes[index] = wrong;
                    }
                });
                assert!(check(directory.path(), P as u8, Depth::Checksums).is_clean());
                let report = check(directory.path(), P as u8, Depth::Full);
                let found = report.faults.iter().any(|fault| match fault {
                    Fault::Value { block: at, stored, recomputed, .. } => {
                        *at == block
                            && *stored == 2 * i32::from(wrong) - stones as i32
                            && *recomputed == 2 * i32::from(right) - stones as i32
                    }
                    _ => false,
                });
                assert!(found, "byte {index} of block {block}: {:?}", report.faults);
            }
        }
    }
}

#[test]
fn every_wrong_value_with_a_right_checksum_is_found() {
    every_wrong_value_is_found::<2>(4);
    every_wrong_value_is_found::<3>(3);
}

#[test]
fn a_sample_finds_a_block_of_wrong_values() {
    let directory = tempfile::tempdir().unwrap();
    let solved = Negamax::<3>::new(Rules::Standard, 8);
    solved.write(directory.path());
    solved.write_layer(directory.path(), 8, |mover, bytes| {
        if mover == 4 {
            bytes.fill(0);
        }
    });
    let depth = Depth::Sample { positions: 200, seed: 7 };
    let report = check(directory.path(), 3, depth);
    assert!(report.fault_count > 0);
    let again = check(directory.path(), 3, depth);
    assert_eq!(report.fault_count, again.fault_count);
    assert_eq!(format!("{:?}", report.faults), format!("{:?}", again.faults));
}

#[test]
fn no_more_faults_are_listed_than_a_person_reads() {
    let directory = tempfile::tempdir().unwrap();
    let solved = Negamax::<3>::new(Rules::Standard, 6);
    solved.write(directory.path());
    solved.write_layer(directory.path(), 6, |_, bytes| bytes.fill(1));
    let report = check(directory.path(), 3, Depth::Full);
    assert_eq!(report.faults.len(), Report::MOST_FAULTS);
    assert!(report.fault_count > 100);
}

#[test]
fn a_missing_layer_is_a_fault_when_values_are_checked() {
    let directory = tempfile::tempdir().unwrap();
    Negamax::<2>::new(Rules::Standard, 5).write(directory.path());
    let missing = file_of(directory.path(), 2, 2);
    fs::remove_file(&missing).unwrap();
    assert!(check(directory.path(), 2, Depth::Checksums).is_clean());
    let report = check(directory.path(), 2, Depth::Full);
    assert_eq!(report.fault_count, 1);
    assert!(matches!(&report.faults[0], Fault::Missing { file } if *file == missing));
}

#[test]
fn a_file_under_the_name_of_another_is_a_fault() {
    let directory = tempfile::tempdir().unwrap();
    Negamax::<2>::new(Rules::Standard, 3).write(directory.path());
    fs::rename(file_of(directory.path(), 2, 3), file_of(directory.path(), 2, 2)).unwrap();
    let report = check(directory.path(), 2, Depth::Checksums);
    assert!(matches!(&report.faults[..], [Fault::File(TableError::WrongLayer { .. })]));
}

#[test]
fn a_check_can_be_stopped() {
    struct Stop;
    impl Progress for Stop {
        fn stop(&self) -> bool {
            true
        }
    }
    let directory = tempfile::tempdir().unwrap();
    Negamax::<2>::new(Rules::Standard, 3).write(directory.path());
    let folder = Folder::open_for_reading(directory.path()).unwrap();
    let report = verify(&folder, Rules::Standard, 2, Depth::Full, &Stop).unwrap();
    assert!(report.stopped && !report.is_clean());
}

#[test]
fn checksums_tell_same_different_missing_and_extra_files() {
    let directory = tempfile::tempdir().unwrap();
    let solved = Negamax::<2>::new(Rules::Standard, 4);
    solved.write(directory.path());
    let folder = Folder::open_for_reading(directory.path()).unwrap();
    let all = Checksums::of_folder(&folder).unwrap();
    assert_eq!(all.iter().count(), 5);
    let printed = all.to_string();
    assert_eq!(printed.parse::<Checksums>().unwrap(), all);
    assert_eq!(all.compare(&folder).unwrap().same.len(), 5);

    let listed: String = printed.lines().take(4).map(|line| format!("{line}\n")).collect();
    let listed: Checksums = listed.parse().unwrap();
    solved.write_layer(directory.path(), 1, |_, bytes| bytes.fill(0));
    fs::remove_file(file_of(directory.path(), 2, 2)).unwrap();
    let comparison = listed.compare(&folder).unwrap();
    assert_eq!(comparison.same.len(), 2);
    assert_eq!(comparison.different, ["standard-2pits-01stones.kalah"]);
    assert_eq!(comparison.missing, ["standard-2pits-02stones.kalah"]);
    assert_eq!(comparison.extra, ["standard-2pits-04stones.kalah"]);
}
