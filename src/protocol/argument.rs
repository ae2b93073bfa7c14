//! The arguments of a command.

use std::fmt::{self, Write as _};

use super::board::BoardLiteral;
use super::excerpt;
use super::message::MessageError;

/// One argument. Its kind can be told from how it is written.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// `32`, `+0`, `-100`.
    Integer(i64),
    /// `0.0`, `+3.141`, `-.123`.
    Real(Real),
    /// `single-word`, `time:clock`.
    Word(Word),
    /// `"with double quotes"`.
    Text(Text),
    /// `<1,0,0,4,4>`.
    Board(BoardLiteral),
}

/// A number with a decimal point. Always finite.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Real(f64);

/// Letters, digits, hyphens and colons, at least one of them, that are no integer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Word(String);

/// Any text without line breaks and NUL.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Text(String);

impl Real {
    /// The real, if it is finite.
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Real(value))
    }

    /// Its value.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl Word {
    /// The word, if it is one: `None` for an integer, too.
    pub fn new(word: &str) -> Option<Self> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b':';
        let is_word = !word.is_empty() && word.bytes().all(allowed) && !is_integer(word);
        is_word.then(|| Word(word.to_owned()))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Text {
    /// The text; line breaks and NUL, which no line could carry, become spaces.
    pub fn new(text: &str) -> Self {
        Text(text.replace(['\r', '\n', '\0'], " "))
    }

    /// What it says.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Digits, perhaps with a sign before them.
fn is_integer(word: &str) -> bool {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits after a point, perhaps some before it, perhaps a sign.
fn is_real(word: &str) -> bool {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let Some((whole, part)) = digits.split_once('.') else { return false };
    let only_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    only_digits(whole) && !part.is_empty() && only_digits(part)
}

impl Argument {
    /// The argument as a string, for the many places where the protocol wants one and people write
    /// a single word or a number: without quotes.
    pub fn to_text(&self) -> String {
        match self {
            Argument::Text(text) => text.as_str().to_owned(),
            other => other.to_string(),
        }
    }

    /// Reads the argument that a text starts with, and gives what follows it.
    pub(super) fn take(text: &str) -> Result<(Self, &str), MessageError> {
        if let Some(inside) = text.strip_prefix('"') {
            return take_text(inside);
        }
        let end = text.find([' ', '\t']).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        Ok((Argument::of_word(word)?, rest))
    }

    /// The argument written without blanks.
    fn of_word(word: &str) -> Result<Self, MessageError> {
        let too_large = || MessageError::TooLarge(excerpt(word));
        if let Some(inside) = word.strip_prefix('<') {
            let inside = inside.strip_suffix('>').ok_or(MessageError::BoardBracket)?;
            return BoardLiteral::parse_inside(inside).map(Argument::Board);
        }
        if is_integer(word) {
            return word.parse().map(Argument::Integer).map_err(|_| too_large());
        }
        if is_real(word) {
            let real = word.parse().ok().and_then(Real::new).ok_or_else(too_large)?;
            return Ok(Argument::Real(real));
        }
        let word = Word::new(word).ok_or_else(|| MessageError::Argument(excerpt(word)))?;
        Ok(Argument::Word(word))
    }
}

/// Reads a string from behind its first quote.
fn take_text(inside: &str) -> Result<(Argument, &str), MessageError> {
    let mut text = String::new();
    let mut characters = inside.char_indices();
    while let Some((place, character)) = characters.next() {
        let character = match character {
            '"' => {
                let rest = &inside[place + 1..];
                let is_apart = rest.is_empty() || rest.starts_with([' ', '\t']);
                let argument = Argument::Text(Text(text));
                return if is_apart { Ok((argument, rest)) } else { Err(MessageError::Glued) };
            }
            '\\' => characters.next().ok_or(MessageError::OpenText)?.1,
            plain => plain,
        };
        if matches!(character, '\r' | '\n' | '\0') {
            return Err(MessageError::Control);
        }
        text.push(character);
    }
    Err(MessageError::OpenText)
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Integer(value) => value.fmt(f),
            Argument::Real(real) => real.fmt(f),
            Argument::Word(word) => f.write_str(&word.0),
            Argument::Text(text) => text.fmt(f),
            Argument::Board(board) => board.fmt(f),
        }
    }
}

/// With a decimal point, and never with an exponent.
impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        f.write_str(&digits)?;
        if digits.contains('.') { Ok(()) } else { f.write_str(".0") }
    }
}

/// In double quotes.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            if matches!(character, '"' | '\\') {
                f.write_char('\\')?;
            }
            f.write_char(character)?;
        }
        f.write_char('"')
    }
}
