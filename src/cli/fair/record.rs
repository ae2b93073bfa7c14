//! The outcomes found so far, and the file that keeps them.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kalah::rules::{Board, Rules};
use kalah::tables::analysis::Outcome;
use serde::{Deserialize, Serialize};

use crate::cli::failure::Failure;
use crate::cli::output;

/// Bytes of a line of the file at most: twice what the largest board takes, and more.
const LONGEST_LINE: u64 = 1024;

/// A board and who wins it, the player to move or the other; a line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finding {
    position: String,
    rules: Rules,
    outcome: String,
}

const OUTCOMES: [Outcome; 3] = [Outcome::Win, Outcome::Draw, Outcome::Loss];

impl Finding {
    fn outcome(&self) -> Option<Outcome> {
        OUTCOMES.into_iter().find(|outcome| outcome.name() == self.outcome)
    }
}

/// The outcomes found, in this run and in earlier ones.
pub struct Record {
    rules: Rules,
    found: Mutex<Found>,
}

struct Found {
    /// By the board in words.
    outcomes: HashMap<String, Outcome>,
    /// Ends after the last outcome.
    file: Option<(File, PathBuf)>,
}

impl Record {
    /// Reads what an earlier run wrote, if there is a file for it; a last line that it did not
    /// finish is written anew.
    ///
    /// # Errors
    ///
    /// When the file cannot be read and written, is written by another process, or holds something
    /// else, which is left alone.
    pub fn open(path: Option<&Path>, rules: Rules) -> Result<Self, Failure> {
        let Some(path) = path else {
            let found = Found { outcomes: HashMap::new(), file: None };
            return Ok(Record { rules, found: Mutex::new(found) });
        };
        // To open a pipe may wait for ever, and a device may have no end.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            let reason = "is not a file; name a file, or one to be made";
            return Err(Failure::failed(format!("{} {reason}", path.display())));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(refused("open", path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Failure::failed(format!(
                "another process is writing {}; give each a file of its own",
                path.display()
            )),
            TryLockError::Error(error) => refused("lock", path)(error),
        })?;
        let (outcomes, end) = read(&file, path, rules)?;
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::Start(end)))
            .map_err(refused("write", path))?;
        let file = Some((file, path.to_owned()));
        Ok(Record { rules, found: Mutex::new(Found { outcomes, file }) })
    }

    /// What was found out about a board.
    pub fn outcome<const P: usize>(&self, board: &Board<P>) -> Option<Outcome> {
        self.found().outcomes.get(&board.to_string()).copied()
    }

    /// Keeps what was found out about a board.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn add<const P: usize>(&self, board: &Board<P>, outcome: Outcome) -> Result<(), Failure> {
        let (rules, name) = (self.rules, outcome.name().to_owned());
        let finding = Finding { position: board.to_string(), rules, outcome: name };
        let mut found = self.found();
        if let Some((file, path)) = &mut found.file {
            let line = output::json_line(&finding);
            file.write_all(line.as_bytes()).map_err(refused("write", path))?;
        }
        found.outcomes.insert(finding.position, outcome);
        Ok(())
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads all whole lines of a file: the outcomes, and how many bytes that is.
fn read(
    file: &File,
    path: &Path,
    rules: Rules,
) -> Result<(HashMap<String, Outcome>, u64), Failure> {
    let mut outcomes = HashMap::new();
    let mut end = 0;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1_u64.. {
        let other = |what: &str| {
            let file = path.display();
            Failure::failed(format!("line {number} of {file} {what}; name another file"))
        };
        line.clear();
        let mut bounded = reader.by_ref().take(LONGEST_LINE);
        bounded.read_until(b'\n', &mut line).map_err(refused("read", path))?;
        if (line.len() as u64) < LONGEST_LINE && is_begun(&line, rules) {
            break;
        }
        let finding = serde_json::from_slice::<Finding>(&line).ok();
        let finding = finding.filter(|_| line.ends_with(b"\n"));
        let Some((finding, outcome)) = finding.and_then(|f| f.outcome().map(|o| (f, o))) else {
            return Err(other("is no outcome"));
        };
        if finding.rules != rules {
            return Err(other(&format!("is for {} rules", finding.rules)));
        }
        if outcomes.insert(finding.position, outcome).is_some_and(|before| before != outcome) {
            return Err(other("contradicts one before it"));
        }
        end += line.len() as u64;
    }
    Ok((outcomes, end))
}

/// Whether these bytes, which may be none, can be all that was written of an outcome before its
/// line's end.
fn is_begun(line: &[u8], rules: Rules) -> bool {
    const BEGIN: &str = "{\"position\":\"";
    let Ok(line) = str::from_utf8(line) else { return false };
    let Some(rest) = line.strip_prefix(BEGIN) else { return BEGIN.starts_with(line) };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
    OUTCOMES.iter().any(|outcome| {
        let outcome = outcome.name();
        format!("\",\"rules\":\"{rules}\",\"outcome\":\"{outcome}\"}}").starts_with(rest)
    })
}

/// For `map_err`: the system refused to `action` the file.
fn refused(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
    move |error| Failure::failed(format!("cannot {action} {}: {error}", path.display()))
}
