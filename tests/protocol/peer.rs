//! A peer on the other end of a TCP connection, that reads and writes raw text.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};

use kalah::protocol::Connection;

pub struct Peer {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
}

/// Our end of a connection, and the peer's.
pub fn connected() -> (Connection, Peer) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let peer = Peer::new(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
    let (ours, _) = listener.accept().unwrap();
    (Connection::tcp(ours).unwrap(), peer)
}

impl Peer {
    pub fn new(writer: TcpStream) -> Self {
        Peer { reader: BufReader::new(writer.try_clone().unwrap()), writer }
    }

    /// Writes text as it is. Whether the other side is still there.
    pub fn write(&mut self, text: impl AsRef<[u8]>) -> bool {
        self.writer.write_all(text.as_ref()).is_ok()
    }

    /// Says nothing more, and reads on: unread text would make the system drop what was written.
    pub fn hang_up(mut self) {
        self.writer.shutdown(Shutdown::Write).unwrap();
        while self.read().is_some() {}
    }

    /// The next line; `None` when the other side hung up.
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
}
