//! `kalah generate` when things go wrong: what it leaves behind, what it says, and that the files
//! are the same in the end, byte for byte.
#![cfg(unix)]

mod damaged;
mod full;
mod interrupted;
mod killed;
mod refused;
mod resumed;
mod same_bytes;
mod together;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use kalah::rules::Rules;
use kalah::tables::LayerId;
use tempfile::TempDir;

/// The layers that runs are compared by.
const STONES: u8 = 13;

/// A run with so many stones lasts until it is stopped.
const ENDLESS: &str = "22";

/// Files by their names.
type Files = BTreeMap<String, Vec<u8>>;

/// What an undisturbed run writes, on one thread.
static UNDISTURBED: LazyLock<Files> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    generate(folder.path(), &["--stones", "13", "--threads", "1"]).succeeds();
    let files = files(folder.path());
    assert_eq!(files.len(), usize::from(STONES) + 1);
    files
});

/// The name of a layer's file, for 6 pits and standard rules.
fn name(stones: u8) -> String {
    LayerId { rules: Rules::Standard, pits: 6, stones }.file_name()
}

/// The program, asked to generate tables in a folder.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.arg("generate").args(arguments).arg("--tables").arg(folder);
    command.env_remove("KALAH_TABLES").stdin(Stdio::null());
    command
}

fn program() -> PathBuf {
    assert_cmd::cargo::cargo_bin!("kalah").to_owned()
}

/// How a program ended and what it said.
#[derive(Debug)]
struct Ended {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Ended {
    fn of(command: &mut Command) -> Self {
        command.output().unwrap().into()
    }

    fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// It did what it should and had nothing to complain of.
    fn succeeds(&self) {
        assert_eq!((self.code(), self.err.as_str()), (Some(0), ""));
    }

    /// It failed, said why in one line, and nothing else; gives the line.
    fn complaint(&self) -> &str {
        assert_eq!((self.code(), self.out.as_str()), (Some(1), ""), "{self:?}");
        let line = self.err.strip_prefix("kalah: ").and_then(|line| line.strip_suffix('\n'));
        let line = line.unwrap_or_else(|| panic!("{self:?}"));
        assert!(!line.contains('\n'), "{self:?}");
        line
    }
}

impl From<std::process::Output> for Ended {
    fn from(output: std::process::Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended { status: output.status, out: text(output.stdout), err: text(output.stderr) }
    }
}

/// Runs the program to its end.
fn generate(folder: &Path, arguments: &[&str]) -> Ended {
    Ended::of(&mut command(folder, arguments))
}

/// A program under way, which does not outlive a failed test.
struct Running(Option<Child>);

impl Running {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = command(folder, arguments);
        Running(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()))
    }

    fn child(&mut self) -> &mut Child {
        self.0.as_mut().expect("it has not ended")
    }

    /// Waits until there is a file, while the program is under way.
    fn until_there_is(&mut self, file: &Path) {
        self.until_there_is_one_of(&[file.to_owned()]);
    }

    /// Waits for any of the files.
    fn until_there_is_one_of(&mut self, files: &[PathBuf]) {
        while !files.iter().any(|file| file.exists()) {
            if self.child().try_wait().unwrap().is_some() {
                panic!("none of {files:?}: {:?}", self.end());
            }
            sleep(Duration::from_micros(200));
        }
    }

    /// Sends a signal, by its name.
    fn signal(&mut self, signal: &str) {
        let process = self.child().id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &process]).status().unwrap();
        assert!(sent.success());
    }

    /// Ends the program as a crash of the machine would, and makes sure that it was not too late.
    fn kill(mut self) {
        self.child().kill().unwrap();
        let ended = self.end();
        assert_eq!(ended.status.signal(), Some(9), "{ended:?}");
    }

    /// Waits for its end.
    fn end(&mut self) -> Ended {
        self.0.take().expect("it has not ended").wait_with_output().unwrap().into()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The names in a folder but for the lock.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
    names.sort();
    names
}

/// The files in a folder but for the lock.
fn files(folder: &Path) -> Files {
    let read = |name: String| (name.clone(), fs::read(folder.join(name)).unwrap());
    names(folder).into_iter().map(read).collect()
}

/// Writes files into a new folder.
fn folder_of(files: &Files) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// Fails unless a folder holds the same files. Does not print megabytes.
#[track_caller]
fn assert_same(folder: &Path, expected: &Files) {
    let found = files(folder);
    assert!(found.keys().eq(expected.keys()), "{:?}", found.keys());
    for (name, bytes) in expected {
        assert!(found[name] == *bytes, "{name} differs");
    }
}

/// Goes on after a run of [`ENDLESS`] stones that was stopped: every layer, whichever run finished
/// it, is the same as in an undisturbed run, and nothing else is left.
#[track_caller]
fn assert_goes_on(folder: &Path) {
    generate(folder, &["--stones", "13"]).succeeds();
    for name in names(folder) {
        // What is finished of a layer beyond stays for those who go on with that.
        let begun = [".partial", ".journal"].iter().find_map(|ending| name.strip_suffix(ending));
        let layer = begun.map_or(name.as_str(), |layer| layer.trim_start_matches('.'));
        let id = LayerId::from_file_name(layer).unwrap_or_else(|| panic!("{name} was left"));
        if id.stones > STONES {
            fs::remove_file(folder.join(name)).unwrap();
        }
    }
    assert_same(folder, &UNDISTURBED);
}
