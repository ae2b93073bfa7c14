//! Writing to a person or a program that may be gone, and numbers as people read them.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use indicatif::HumanCount;

use super::failure::Failure;

/// Writes to standard output, at once.
///
/// # Errors
///
/// [`Failure::ReaderGone`] when nobody reads any more, another failure when the disk is full.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(Failure::of_output)
}

/// Writes one object on one line.
///
/// # Errors
///
/// As [`print`].
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(&json_line(value))
}

/// One object on one line.
pub fn json_line(value: &impl serde::Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("what is printed has no maps and no errors");
    line.push('\n');
    line
}

/// Says on standard error what was wrong, in one line. When nobody listens there, nobody is told.
pub fn complain(reason: &str) {
    complain_to_reader(reason);
}

/// The text with what would break a line, or do things to a terminal, escaped.
pub fn printable(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character.is_control() {
            true => line.extend(character.escape_default()),
            false => line.push(character),
        }
    }
    line
}

/// [`complain`], and whether anybody reads it still. What would break the line, or do things to a
/// terminal, is escaped.
pub fn complain_to_reader(reason: &str) -> bool {
    let written = writeln!(io::stderr().lock(), "kalah: {}", printable(reason));
    !written.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// `+8`, `0`, `-3`.
pub fn signed(number: i16) -> String {
    if number == 0 { "0".to_owned() } else { format!("{number:+}") }
}

/// `1,352,078`.
pub fn count(number: u64) -> String {
    HumanCount(number).to_string()
}

/// `391 million`, `1.25 billion`, `4,821`: three figures are as many as anyone reads.
pub fn rounded(number: f64) -> String {
    let (scaled, unit) = match number {
        1e12.. => (number / 1e12, " trillion"),
        1e9.. => (number / 1e9, " billion"),
        1e6.. => (number / 1e6, " million"),
        _ => return count(number as u64),
    };
    let decimals = match scaled {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{scaled:.decimals$}{unit}")
}

/// `0.02 s`, `3.1 s`, `2 min 40 s`, `3 h 5 min`.
pub fn seconds(duration: Duration) -> String {
    match duration.as_secs() {
        0 => format!("{:.3} s", duration.as_secs_f64()),
        s @ 1..60 if s < 10 => format!("{:.2} s", duration.as_secs_f64()),
        1..60 => format!("{:.1} s", duration.as_secs_f64()),
        s @ 60..3600 => format!("{} min {} s", s / 60, s % 60),
        s => format!("{} h {} min", s / 3600, s / 60 % 60),
    }
}

/// `0 to 4, 7, 9 to 12`, of numbers in ascending order.
pub fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let runs = runs.map(|run| match run {
        [.., last] if run.len() > 1 => format!("{} to {last}", run[0]),
        _ => run[0].to_string(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

/// A path as a shell takes it.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// A number of pits in words.
pub fn pits_a_side(pits: u8) -> String {
    format!("{pits} {}", if pits == 1 { "pit" } else { "pits" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_three_figures() {
        assert_eq!(rounded(4821.0), "4,821");
        assert_eq!(rounded(1_251_677_700.0), "1.25 billion");
        assert_eq!(rounded(391e6), "391 million");
        assert_eq!(rounded(39.1e6), "39.1 million");
    }

    #[test]
    fn durations_have_the_unit_that_fits() {
        assert_eq!(seconds(Duration::from_millis(21)), "0.021 s");
        assert_eq!(seconds(Duration::from_millis(3149)), "3.15 s");
        assert_eq!(seconds(Duration::from_secs(160)), "2 min 40 s");
        assert_eq!(seconds(Duration::from_secs(11_100)), "3 h 5 min");
    }

    #[test]
    fn runs_of_numbers_are_told_by_their_ends() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[3]), "3");
        assert_eq!(ranges(&[0, 1, 2, 3, 4, 7, 9, 10]), "0 to 4, 7, 9 to 10");
    }

    #[test]
    fn paths_are_quoted_when_a_shell_would_split_them() {
        assert_eq!(shell_word(Path::new("data/tables")), "data/tables");
        assert_eq!(shell_word(Path::new("my tables")), "'my tables'");
        assert_eq!(shell_word(Path::new("it's")), r"'it'\''s'");
    }
}
