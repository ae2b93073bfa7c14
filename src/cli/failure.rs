//! How a command ends, and how it says what went wrong.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::output;

/// What the exit status says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    /// Done.
    Done = 0,
    /// Something failed, a check found a fault, or the tables do not reach.
    Failed = 1,
    /// The command line or its input was wrong.
    WrongInput = 2,
    /// Interrupted; what was finished is kept.
    Interrupted = 3,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// It cannot go on, for the reason in this line.
    Because(Status, String),
    /// The reader of standard output went away, and with it the reason to go on.
    ReaderGone,
    /// The command line was not understood, or asked for help.
    CommandLine(Box<clap::Error>),
}

impl Failure {
    /// Something that should work did not.
    pub fn failed(reason: impl Into<String>) -> Self {
        Failure::Because(Status::Failed, reason.into())
    }

    /// The command line or its input was wrong.
    pub fn wrong_input(reason: impl Into<String>) -> Self {
        Failure::Because(Status::WrongInput, reason.into())
    }

    /// Standard output could not be written.
    pub fn of_output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::failed(format!("cannot write to standard output: {error}")),
        }
    }

    /// Says on standard error what was wrong, and gives the exit status.
    pub fn report(self) -> Status {
        match self {
            Failure::Because(status, reason) => {
                output::complain(&reason);
                status
            }
            Failure::ReaderGone => Status::Done,
            Failure::CommandLine(error) => report_command_line(*error),
        }
    }
}

/// Errors of the library are failures: what a person typed is judged before it gets there.
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::failed(one_line(&error))
    }
}

/// An error and its causes. A message that tells its cause already is not followed by it.
pub fn one_line(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !line.contains(&text) {
            line = format!("{line}: {text}");
        }
        cause = error.source();
    }
    line.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Help goes to standard output as it is; a mistake becomes one line.
fn report_command_line(mut error: clap::Error) -> Status {
    remove_odd_tips(&mut error);
    let text = error.render().to_string();
    if !error.use_stderr() {
        return match output::print(&text) {
            Ok(()) => Status::Done,
            Err(failure) => failure.report(),
        };
    }
    output::complain(&match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "no command was given; see kalah --help".to_owned()
        }
        _ => mistake(&text),
    });
    Status::WrongInput
}

/// An unknown option is a mistake; nobody means it as a value.
fn remove_odd_tips(error: &mut clap::Error) {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(unknown)) => unknown,
        _ => return,
    };
    if error.kind() == ErrorKind::UnknownArgument && unknown.starts_with("--") {
        error.remove(ContextKind::Suggested);
    }
}

/// What the command line's parser says over several lines, in one: the mistake, its tips, and where
/// to read on when the usage says which command it is about.
fn mistake(text: &str) -> String {
    let text = text.trim_start_matches("error:");
    let (reason, usage) = text.split_once("Usage:").unwrap_or((text, ""));
    let reason = reason.split("For more information").next().unwrap_or_default();
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ").replace(" tip:", "; tip:");
    let command = usage.split_whitespace().take_while(|word| !word.starts_with(['-', '[', '<']));
    match command.collect::<Vec<_>>().join(" ") {
        command if command.is_empty() => reason,
        command => format!("{reason}; see {command} --help"),
    }
}
