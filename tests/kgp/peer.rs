//! A server that reads and writes raw text, and how a client ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;

pub struct Peer {
    reader: Box<dyn BufRead + Send>,
    writer: Box<dyn Write + Send>,
}

/// What became of a client.
#[derive(Debug)]
pub struct Ended {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Peer {
    pub fn new(reader: impl Read + Send + 'static, writer: impl Write + Send + 'static) -> Self {
        Peer { reader: Box::new(BufReader::new(reader)), writer: Box::new(writer) }
    }

    pub fn write(&mut self, text: impl AsRef<[u8]>) {
        self.writer.write_all(text.as_ref()).and_then(|()| self.writer.flush()).unwrap();
    }

    /// The next line; `None` when the client hung up.
    pub fn read(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.strip_suffix("\r\n").expect("lines end in CR LF").to_owned()),
        }
    }

    /// Passes over lines until one ends like this, and gives it.
    pub fn expect(&mut self, end: &str) -> String {
        loop {
            let line = self.read().unwrap_or_else(|| panic!("hung up before {end:?}"));
            if line.ends_with(end) {
                return line;
            }
        }
    }

    /// Asks for a pit on a board, and waits until the client is done: the pits that it named.
    pub fn ask(&mut self, id: u64, board: &str) -> Vec<u8> {
        self.write(format!("{id} state {board}\r\n"));
        let mut moves = Vec::new();
        loop {
            let line = self.read().expect("the client is there");
            let Some((_, answer)) = line.split_once(&format!("@{id} ")) else { continue };
            match answer.split_once(' ') {
                Some(("move", pit)) => moves.push(pit.parse().unwrap()),
                None if answer == "yield" => break,
                _ => panic!("{line}"),
            }
        }
        self.write(format!("{}@{id} stop\r\n", id + 1));
        moves
    }
}

impl Ended {
    /// Waits for the end.
    pub fn of(child: Child) -> Self {
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended {
            status: output.status.code().expect("no signal"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// What it complained of in its only line.
    pub fn complaint(&self) -> &str {
        let line = self.err.strip_prefix("kalah: ").and_then(|line| line.strip_suffix('\n'));
        let line = line.unwrap_or_else(|| panic!("{self:?}"));
        assert!(!line.contains('\n'), "{self:?}");
        line
    }
}
