//! Lines of limited length.

use std::io::{self, BufRead};

use super::{MAX_LINE, Message, MessageError};

/// Why a line that arrived is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It is not UTF-8.
    #[error("the line is not UTF-8 text")]
    NotText,
    /// It is too long, or no command.
    #[error(transparent)]
    Message(#[from] MessageError),
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// A whole line, and what it says.
    Whole(Result<Message, LineError>),
    /// The end, in the middle of a line or between two.
    End {
        /// Whether a line had begun.
        within_line: bool,
    },
}

/// Reads messages, however long the lines are, in memory that does not grow.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// Lines of this reader.
    pub fn new(reader: R) -> Self {
        Lines { reader, line: Vec::new() }
    }

    /// Waits for the next line. Empty lines are passed over.
    ///
    /// # Errors
    ///
    /// The reader's.
    pub fn next_line(&mut self) -> io::Result<Line> {
        loop {
            match self.read()? {
                Line::Whole(Err(LineError::Message(MessageError::Empty))) => {}
                line => return Ok(line),
            }
        }
    }

    fn read(&mut self) -> io::Result<Line> {
        self.line.clear();
        let mut length = 0_usize;
        loop {
            let part = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                part => part?,
            };
            if part.is_empty() {
                return Ok(Line::End { within_line: length > 0 });
            }
            let end = part.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(part.len());
            length = length.saturating_add(taken);
            // One byte more than a line has leaves room for the CR of its end.
            let room = (MAX_LINE + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..taken.min(room)]);
            self.reader.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                return Ok(Line::Whole(self.message(length)));
            }
        }
    }

    /// What the line says that has so many bytes.
    fn message(&self, length: usize) -> Result<Message, LineError> {
        if length > self.line.len() {
            return Err(MessageError::TooLong.into());
        }
        let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        let line = std::str::from_utf8(line).map_err(|_| LineError::NotText)?;
        Ok(line.parse()?)
    }
}
