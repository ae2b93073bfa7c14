//! One line of the protocol.

use std::{fmt, str::FromStr};

use super::{Argument, MAX_LINE, excerpt};

/// A command as it travels: `id@reference name arguments`, where all but the name can be missing.
///
/// It prints as the line without its end, and parses from one.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// The number its sender gave it, so that others can refer to it.
    pub id: Option<u64>,
    /// The id of the command, of the other side, that it is about.
    pub reference: Option<u64>,
    /// Which command.
    pub name: Name,
    /// What it is said with.
    pub arguments: Vec<Argument>,
}

/// A command's name: letters and digits, at least one of them a letter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name(String);

/// Why a line is no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// The line is longer than the protocol allows.
    #[error("the line is too long; {max} bytes are the most", max = MAX_LINE)]
    TooLong,
    /// There is nothing but blanks.
    #[error("the line is empty; a command has a name")]
    Empty,
    /// What stands before the name is neither an id nor a reference.
    #[error("'{0}' is no id; write a number, @ and a number, or both, as in 6@4")]
    Id(String),
    /// There is an id and nothing else.
    #[error("the command has an id and no name")]
    NoName,
    /// The name has other characters than letters and digits.
    #[error("'{0}' is no command; a name has letters and digits only")]
    Name(String),
    /// An argument is of no kind that there is.
    #[error("'{0}' is no argument; write a number, a word, a \"string\" or a <board>")]
    Argument(String),
    /// A number does not fit 64 bits, or a real is infinite.
    #[error("the number {0} is too large")]
    TooLarge(String),
    /// A string does not end.
    #[error("a string has no closing double quote")]
    OpenText,
    /// Something follows a string's closing quote at once.
    #[error("a blank is missing after a string's closing double quote")]
    Glued,
    /// A line break or NUL is inside a line.
    #[error("the line has a line break or NUL in it")]
    Control,
    /// A board does not end.
    #[error("a board has no closing angle bracket; write it without blanks")]
    BoardBracket,
    /// Something in a board is no number.
    #[error("'{0}' in a board is no number of stones")]
    BoardNumber(String),
    /// A board has more or fewer numbers than its size asks for.
    #[error(
        "a board that says it has {pits} pits a side has {found} numbers; it needs 2 * {pits} + 3, and a pit at least"
    )]
    BoardCount {
        /// The pits a side that it says it has.
        pits: u64,
        /// How many numbers there are.
        found: usize,
    },
}

impl Name {
    /// The name, if it is one.
    pub fn new(name: &str) -> Option<Self> {
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && name.bytes().any(|byte| byte.is_ascii_alphabetic());
        is_name.then(|| Name(name.to_owned()))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Message {
    /// The same with this id.
    #[must_use]
    pub fn with_id(self, id: u64) -> Self {
        Message { id: Some(id), ..self }
    }
}

impl FromStr for Message {
    type Err = MessageError;

    fn from_str(line: &str) -> Result<Self, MessageError> {
        if line.len() > MAX_LINE {
            return Err(MessageError::TooLong);
        }
        let line = line.trim_matches([' ', '\t', '\r', '\n']);
        if line.is_empty() {
            return Err(MessageError::Empty);
        }
        if line.contains(['\r', '\n', '\0']) {
            return Err(MessageError::Control);
        }
        let (first, rest) = word(line);
        let is_numbered = first.starts_with(|first: char| first == '@' || first.is_ascii_digit())
            && Name::new(first).is_none();
        let (id, reference) = if is_numbered { numbers(first)? } else { (None, None) };
        let (name, mut rest) = if is_numbered { word(rest) } else { (first, rest) };
        if name.is_empty() {
            return Err(MessageError::NoName);
        }
        let name = Name::new(name).ok_or_else(|| MessageError::Name(excerpt(name)))?;
        let mut arguments = Vec::new();
        while !rest.is_empty() {
            let (argument, left) = Argument::take(rest)?;
            arguments.push(argument);
            rest = left.trim_start_matches([' ', '\t']);
        }
        Ok(Message { id, reference, name, arguments })
    }
}

/// The first word, and what follows the blanks after it.
fn word(text: &str) -> (&str, &str) {
    let end = text.find([' ', '\t']).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start_matches([' ', '\t']))
}

/// Reads `id`, `@reference` or `id@reference`.
fn numbers(text: &str) -> Result<(Option<u64>, Option<u64>), MessageError> {
    let wrong = || MessageError::Id(excerpt(text));
    let number = |digits: &str| {
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        digits.parse().map(Some).map_err(|_| MessageError::TooLarge(excerpt(digits)))
    };
    match text.split_once('@') {
        None => Ok((number(text)?, None)),
        Some(("", reference)) => Ok((None, number(reference)?)),
        Some((id, reference)) => Ok((number(id)?, number(reference)?)),
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.id {
            write!(f, "{id}")?;
        }
        if let Some(reference) = self.reference {
            write!(f, "@{reference}")?;
        }
        if self.id.or(self.reference).is_some() {
            f.write_str(" ")?;
        }
        f.write_str(&self.name.0)?;
        for argument in &self.arguments {
            write!(f, " {argument}")?;
        }
        Ok(())
    }
}
