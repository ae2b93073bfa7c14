//! A position a line, answered as the lines come.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use kalah::rules::notation;
use rayon::prelude::*;

use super::answer::{Answers, Tables};
use super::{Args, json, text};
use crate::cli::answer::Answer;
use crate::cli::failure::{Failure, Status};
use crate::cli::interrupt::Interrupt;
use crate::cli::output;
use crate::cli::search::Limits;

/// How much of the input is read at once, when there is as much.
const CHUNK: usize = 1 << 16;

/// The longest line that is looked at. A position takes 60 bytes or so; what is longer is no
/// position, and a file without line ends does not fill the memory.
const LONGEST_LINE: usize = 4096;

/// Lines that are answered by all threads together before the answers are printed.
const GROUP: usize = 64;

/// Answers every line of the input, `-` being standard input, until somebody asks to stop: then what
/// was found out so far is printed, bounds where a search was stopped.
pub fn run<const P: usize>(args: &Args, input: &Path) -> Result<Status, Failure> {
    args.threads.apply()?;
    let cannot_read = |error: io::Error| {
        Failure::wrong_input(format!("cannot read {}: {error}", input.display()))
    };
    let source: Box<dyn Read> = match input.to_str() {
        Some("-") => Box::new(io::stdin().lock()),
        _ => Box::new(File::open(input).map_err(cannot_read)?),
    };
    let mut lines = Lines::new(source);
    let tables = Tables::open(&args.tables);
    let answers = Answers::<P>::to_many(args, &tables);
    let interrupt = Interrupt::listen()?;
    let mut status = Status::Done;
    loop {
        let Some(batch) = interrupt.waiting(|| lines.next_batch()) else {
            return Ok(Status::Interrupted);
        };
        let Some((first, batch)) = batch.map_err(cannot_read)? else { return Ok(status) };
        let numbered = (first..).zip(batch.split(|&b| b == b'\n'));
        let numbered: Vec<_> = numbered.filter(|(_, line)| !is_blank(line)).collect();
        let answer = |&(number, line): &(u64, &[u8])| {
            let limits =
                Limits { deadline: args.search.deadline(), interrupt: Some(interrupt.clone()) };
            (!limits.interrupted()).then(|| Answered::new(args, &answers, &limits, number, line))
        };
        for group in numbered.chunks(GROUP) {
            let answered: Vec<Answered> = match group {
                // One alone need not wake the threads.
                [only] => answer(only).into_iter().collect(),
                // A line may take long, and then the thread keeps no others waiting.
                group => group.par_iter().with_max_len(1).filter_map(answer).collect(),
            };
            status = answered.iter().map(|answered| answered.status).fold(status, Ord::max);
            let text: String = answered.iter().map(|answered| answered.text.as_str()).collect();
            match output::print(&text) {
                Err(Failure::ReaderGone) => return Ok(status),
                printed => printed?,
            }
            let mut complaints =
                answered.iter().filter_map(|answered| answered.complaint.as_deref());
            if !complaints.all(output::complain_to_reader) {
                return Ok(status);
            }
            if interrupt.requested() {
                return Ok(Status::Interrupted);
            }
        }
    }
}

/// What came of a line.
struct Answered {
    text: String,
    complaint: Option<String>,
    status: Status,
}

impl Answered {
    fn new<const P: usize>(
        args: &Args,
        answers: &Answers<'_, P>,
        limits: &Limits,
        number: u64,
        line: &[u8],
    ) -> Self {
        let (rules, as_json) = (args.tables.rules(), args.output.json);
        match answer(answers, limits, line) {
            Ok(Answer::Known(analysis)) if as_json => {
                Answered::of(output::json_line(&json::Answer::new(&analysis, rules)))
            }
            Ok(Answer::Known(analysis)) => Answered::of(text::summary(&analysis, rules)),
            Ok(Answer::Stopped(stopped)) if as_json => {
                Answered::of(output::json_line(&json::Answer::stopped(&stopped, rules)))
            }
            Ok(Answer::Stopped(stopped)) => Answered::of(text::stopped_summary(&stopped)),
            Err((status, error)) if as_json => {
                let text = output::json_line(&json::BadLine { line: number, error: &error });
                Answered { text, complaint: None, status }
            }
            Err((status, error)) => {
                let complaint = Some(format!("line {number}: {error}"));
                Answered { text: String::new(), complaint, status }
            }
        }
    }

    fn of(text: String) -> Self {
        Answered { text, complaint: None, status: Status::Done }
    }
}

fn answer<const P: usize>(
    answers: &Answers<'_, P>,
    limits: &Limits,
    line: &[u8],
) -> Result<Answer<P>, (Status, String)> {
    if line.len() > LONGEST_LINE {
        let error =
            format!("the line is longer than {LONGEST_LINE} bytes; write one position a line");
        return Err((Status::WrongInput, error));
    }
    let board = notation::parse(&String::from_utf8_lossy(line.trim_ascii()))
        .map_err(|error| (Status::WrongInput, error.to_string()))?;
    answers.answer(&board, limits)
}

/// Whether a line is skipped. One that is too long never is: what follows its blanks may be gone.
fn is_blank(line: &[u8]) -> bool {
    line.len() <= LONGEST_LINE && line.trim_ascii().is_empty()
}

/// The complete lines that came since they were last asked for.
struct Lines<R: Read> {
    input: BufReader<R>,
    /// The beginning of a line whose end has not come yet.
    pending: Vec<u8>,
    /// The number of the line that is pending, from 1.
    number: u64,
}

impl<R: Read> Lines<R> {
    fn new(input: R) -> Self {
        Lines { input: BufReader::with_capacity(CHUNK, input), pending: Vec::new(), number: 1 }
    }

    /// Waits for at least one line, and gives all that are there and the number of the first;
    /// `None` at the end of the input.
    fn next_batch(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        loop {
            let chunk = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                chunk => chunk?,
            };
            let length = chunk.len();
            if length == 0 {
                let last = std::mem::take(&mut self.pending);
                return Ok((!last.is_empty()).then_some((self.number, last)));
            }
            let complete = chunk.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
            let (complete, rest) = chunk.split_at(complete);
            let batch = (!complete.is_empty()).then(|| {
                let mut batch = std::mem::take(&mut self.pending);
                batch.extend_from_slice(complete);
                batch
            });
            // What exceeds the longest line need not be kept to know that it does.
            let room = (LONGEST_LINE + 1).saturating_sub(self.pending.len());
            self.pending.extend_from_slice(&rest[..rest.len().min(room)]);
            self.input.consume(length);
            if let Some(batch) = batch {
                let first = self.number;
                self.number += batch.iter().filter(|&&b| b == b'\n').count() as u64;
                return Ok(Some((first, batch)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its pieces one by one, as a pipe does.
    struct Pieces(Vec<Vec<u8>>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    fn batches(pieces: &[&str]) -> Vec<(u64, String)> {
        let pieces = pieces.iter().map(|piece| piece.as_bytes().to_vec()).collect();
        let mut lines = Lines::new(Pieces(pieces));
        std::iter::from_fn(|| lines.next_batch().unwrap())
            .map(|(first, batch)| (first, String::from_utf8(batch).unwrap()))
            .collect()
    }

    #[test]
    fn lines_are_given_as_soon_as_they_are_complete() {
        assert_eq!(
            batches(&["a\n", "b", "c\nd\ne", "f\n", "g"]),
            [(1, "a\n"), (2, "bc\nd\n"), (4, "ef\n"), (5, "g")].map(|(n, s)| (n, s.to_owned()))
        );
        assert_eq!(batches(&[]), []);
    }

    #[test]
    fn a_line_too_long_is_never_blank_however_it_comes() {
        let blanks = " ".repeat(LONGEST_LINE);
        assert!(is_blank(blanks.as_bytes()));
        for pieces in [&[&blanks, " 1,2\n"][..], &[&blanks, " 1,2", "\n"], &[&blanks, "  "]] {
            for (_, batch) in batches(pieces) {
                let line = batch.trim_end_matches('\n');
                assert!(line.len() > LONGEST_LINE && !is_blank(line.as_bytes()));
            }
        }
    }

    #[test]
    fn a_line_without_end_does_not_fill_the_memory() {
        let piece = "x".repeat(1000);
        let mut pieces = vec![piece.as_str(); 50];
        pieces.extend(["y\nz\n"]);
        let batches = batches(&pieces);
        assert_eq!(batches.len(), 1);
        assert_eq!(batches[0].1.len(), LONGEST_LINE + 1 + "y\nz\n".len());
    }
}
