//! The inputs that fuzzing begins with, and those that it found something with: what must hold for
//! any input holds for them.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target)
}

#[test]
fn what_must_hold_holds_for_every_input_that_is_kept() {
    for (name, check, _) in fuzz::TARGETS {
        for entry in fs::read_dir(folder(name)).unwrap() {
            let input = entry.unwrap().path();
            eprintln!("{}", input.display());
            check(&fs::read(input).unwrap());
        }
    }
}

#[test]
fn seeds_are_read_to_their_end() {
    for (name, check, seeds) in fuzz::TARGETS {
        for (seed, input) in seeds() {
            assert!(check(&input), "{name}/{seed}");
            let kept = fs::read(folder(name).join(seed)).unwrap_or_default();
            assert!(
                check(&kept),
                "fuzz/seeds/{name}/{seed} is not of this format; write all seeds anew with \
                 `cargo test --test fuzz_seeds -- --ignored`"
            );
        }
    }
}

#[test]
#[ignore = "writes the seeds into the repository"]
fn write_the_seeds() {
    for (name, _, seeds) in fuzz::TARGETS {
        fs::create_dir_all(folder(name)).unwrap();
        for (seed, input) in seeds() {
            fs::write(folder(name).join(seed), input).unwrap();
        }
    }
}
