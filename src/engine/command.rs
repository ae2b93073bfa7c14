//! The command that starts an engine.

use std::process::Command;

/// Why a line is no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CommandLineError {
    /// It has no word.
    #[error("the command is empty; write a program and its arguments, like 'engine --fast'")]
    Empty,
    /// A quote is not closed, or a backslash is the last character.
    #[error("the command ends within a quotation; close it, or write \\\" for a quotation mark")]
    Open,
}

/// The command that a person writes in one line. Words are quoted as for a shell, but no shell
/// looks at them: there are no variables, pipes and the like.
///
/// # Errors
///
/// [`CommandLineError`].
///
/// ```
/// use kalah::engine::command;
///
/// let command = command("python3 'my engine.py' --depth 4")?;
/// assert_eq!(command.get_program(), "python3");
/// assert!(command.get_args().eq(["my engine.py", "--depth", "4"]));
/// # Ok::<(), kalah::engine::CommandLineError>(())
/// ```
pub fn command(line: &str) -> Result<Command, CommandLineError> {
    let words = shlex::split(line).ok_or(CommandLineError::Open)?;
    let (program, arguments) = words.split_first().ok_or(CommandLineError::Empty)?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_command_is_told_as_that() {
        let error = |line| command(line).unwrap_err();
        assert_eq!([error(""), error(" \t")], [CommandLineError::Empty; 2]);
        assert_eq!([error("a 'b"), error("a \"b"), error("a\\")], [CommandLineError::Open; 3]);
    }
}
