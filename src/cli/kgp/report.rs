//! What is told of the states that were answered.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kalah::players::{Choice, Opinion};
use kalah::rules::Board;
use serde::Serialize;

use crate::cli::args::OutputArgs;
use crate::cli::failure::Failure;
use crate::cli::output::{print, print_json, seconds, signed};

/// Tells of every answer on standard output, where that is not the way to the server.
pub struct Report {
    form: Form,
    /// Why nothing more can be told.
    failure: Mutex<Option<Failure>>,
    has_failed: AtomicBool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Nothing,
    Text,
    Json,
}

/// An answer, as `--json` prints it.
#[derive(Serialize)]
struct Answer {
    position: String,
    stones: usize,
    pit: u8,
    /// The proved value.
    value: Option<i16>,
    /// About the value, where it is not proved.
    estimate: Option<i16>,
    /// Whether the player would have found out more.
    cut_short: bool,
    seconds: f64,
}

impl Report {
    /// A report of these answers, when there is room for it on standard output.
    pub fn new(has_room: bool, output: &OutputArgs) -> Self {
        let form = match has_room {
            true if output.json => Form::Json,
            true if !output.quiet => Form::Text,
            _ => Form::Nothing,
        };
        Report { form, failure: Mutex::new(None), has_failed: AtomicBool::new(false) }
    }

    /// Tells of an answer.
    pub fn answered<const P: usize>(&self, board: &Board<P>, choice: &Choice<P>, time: Duration) {
        let told = match self.form {
            Form::Nothing => Ok(()),
            Form::Text => print(&line(board, choice, time)),
            Form::Json => print_json(&Answer::new(board, choice, time)),
        };
        if let Err(failure) = told {
            let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(failure);
            self.has_failed.store(true, Ordering::Release);
        }
    }

    /// Whether nothing more can be told.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Why nothing more can be told.
    pub fn failure(&self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Answer {
    fn new<const P: usize>(board: &Board<P>, choice: &Choice<P>, time: Duration) -> Self {
        let (value, estimate) = match choice.opinion {
            Opinion::Proved(bounds) => (bounds.exact(), None),
            Opinion::Estimate(value) => (None, Some(value)),
            Opinion::None => (None, None),
        };
        Answer {
            position: board.to_string(),
            stones: board.pits().stones(),
            pit: choice.pit.number(),
            value,
            estimate,
            cut_short: choice.cut_short,
            seconds: time.as_secs_f64(),
        }
    }
}

/// `4,4,4,0,4,4,4,0: pit 2 (+3 proved, 0.021 s)`
fn line<const P: usize>(board: &Board<P>, choice: &Choice<P>, time: Duration) -> String {
    let mut text = format!("{board}: pit {} (", choice.pit);
    let _ = match choice.opinion {
        Opinion::None => Ok(()),
        Opinion::Estimate(value) => write!(text, "about {}, ", signed(value)),
        Opinion::Proved(bounds) => match bounds.exact() {
            Some(value) => write!(text, "{} proved, ", signed(value)),
            None => {
                let (low, high) = (signed(bounds.low), signed(bounds.high));
                write!(text, "{low} to {high} proved, ")
            }
        },
    };
    let _ = writeln!(text, "{})", seconds(time));
    text
}

#[cfg(test)]
mod tests {
    use kalah::rules::Pit;
    use kalah::search::Bounds;

    use super::*;

    #[test]
    fn an_answer_is_told_in_a_line() {
        let board: Board<2> = "4,4,0,4,0,0".parse().unwrap();
        let told = |opinion| {
            let choice = Choice { opinion, ..Choice::of(Pit::from_number(2).unwrap()) };
            line(&board, &choice, Duration::from_millis(21))
        };
        assert_eq!(told(Opinion::None), "4,4,0,4,0,0: pit 2 (0.021 s)\n");
        assert_eq!(told(Opinion::Estimate(-1)), "4,4,0,4,0,0: pit 2 (about -1, 0.021 s)\n");
        let bounds = Bounds { low: 2, high: 2 };
        assert_eq!(told(Opinion::Proved(bounds)), "4,4,0,4,0,0: pit 2 (+2 proved, 0.021 s)\n");
        let bounds = Bounds { low: -3, high: 2 };
        let expected = "4,4,0,4,0,0: pit 2 (-3 to +2 proved, 0.021 s)\n";
        assert_eq!(told(Opinion::Proved(bounds)), expected);
    }
}
