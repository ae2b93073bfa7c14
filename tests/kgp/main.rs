//! `kalah kgp`, with raw protocol text on the other side.

mod engine;
mod peer;
mod play;
mod told;
mod wrong;

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use peer::{Ended, Peer};

/// The program, away from any tables.
fn program() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("kalah"));
    command.env_remove("KALAH_TABLES").env_remove("KALAH_TOKEN");
    command.current_dir(std::env::temp_dir());
    command.arg("kgp");
    command
}

fn spawn(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The program as a client of this test, over TCP.
fn connected(arguments: &[&str]) -> (Peer, Child) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let child = spawn(program().args(["--connect", &address]).args(arguments));
    let (stream, _) = listener.accept().unwrap();
    (Peer::new(stream.try_clone().unwrap(), stream), child)
}

/// The program as a client of this test, over its standard input and output.
fn piped(arguments: &[&str]) -> (Peer, Child) {
    let mut child = spawn(program().args(arguments));
    let (reader, writer) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    (Peer::new(reader, writer), child)
}

/// A client that was greeted and wants to play.
fn playing((mut peer, child): (Peer, Child)) -> (Peer, Child) {
    peer.write("kgp 1 0 1\r\n");
    peer.expect("mode freeplay");
    (peer, child)
}

/// Lets the client go, which must end well.
fn dismiss(mut peer: Peer, child: Child) -> Ended {
    peer.write("goodbye\r\n");
    let ended = Ended::of(child);
    assert_eq!(ended.status, 0, "{ended:?}");
    ended
}
