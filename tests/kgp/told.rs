//! What a client tells a server about itself.

use super::spawn;
use super::{connected, dismiss, piped, program};

#[test]
fn a_client_says_who_it_is() {
    let (mut peer, child) =
        piped(&["--level", "easy", "--name", "Ada", "--author", "Eva", "--token", "a secret"]);
    peer.write("kgp 1 0 1\n");
    let version = env!("CARGO_PKG_VERSION");
    for expected in [
        r#"1 set info:name "Ada""#,
        r#"3 set info:authors "Eva""#,
        &format!(r#"5 set info:description "level easy of kalah {version}""#),
        r#"7 set auth:token "a secret""#,
        "9 mode freeplay",
    ] {
        assert_eq!(peer.read().unwrap(), expected);
    }
    dismiss(peer, child);
}

#[test]
fn the_level_is_insane_and_the_name_says_so_unless_another_is_chosen() {
    let (mut peer, child) = connected(&[]);
    peer.write("kgp 1 0 1\n");
    assert_eq!(peer.read().unwrap(), r#"1 set info:name "kalah insane""#);
    peer.expect("mode freeplay");
    dismiss(peer, child);
}

#[test]
fn a_token_may_come_from_a_variable() {
    let mut child = spawn(program().env("KALAH_TOKEN", "hidden"));
    let streams = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let mut peer = super::Peer::new(streams.0, streams.1);
    peer.write("kgp 1 0 1\n");
    peer.expect(r#"set auth:token "hidden""#);
    dismiss(peer, child);
}
