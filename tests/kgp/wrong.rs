//! What can be wrong with a server, and with the command line.

use super::{Ended, connected, dismiss, piped, playing, program, spawn};

#[test]
fn nonsense_is_answered_and_the_game_goes_on() {
    let (mut peer, child) = playing(connected(&["--level", "hard", "--quiet"]));
    peer.write("2 state\n\n\"\n6 state <3,0,0,1,2>\n");
    peer.write(b"\xff\xfe\n");
    peer.write("x".repeat(1_000_000));
    peer.write("\n");
    peer.expect("error \"state is written 'state <board>'\"");
    peer.expect("error \"the line is not UTF-8 text\"");
    peer.expect("error \"the line is too long; 16384 bytes are the most\"");
    assert_eq!(peer.ask(8, "<1,0,0,4,4>"), [1]);
    peer.write("8 state <1,0,0,4,4>\n");
    peer.expect("@8 error \"this id was used before\"");
    assert_eq!(peer.ask(10, "<1,0,0,4,4>"), [1]);
    dismiss(peer, child);
}

#[test]
fn complaints_and_declined_boards_are_told_to_those_who_want_to_know() {
    let (mut peer, child) = playing(piped(&["--level", "easy"]));
    peer.write("error \"odd\"\n2 state <1,0,0,0,3>\n");
    peer.expect("@2 yield");
    let ended = dismiss(peer, child);
    assert_eq!(
        ended.err,
        "kalah: the server says: odd\n\
         kalah: declined a board: the game is over: one side has no stones in its pits\n"
    );
}

#[test]
fn a_server_that_hangs_up_ends_it_in_one_line() {
    for (text, how) in [
        ("", "the other side hung up"),
        ("kgp 1 0", "the other side hung up in the middle of a line"),
        ("kgp 1 0 1\n2 state <8,0,0,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7>\n", "the other side hung up"),
        (
            "GET / HTTP/1.1\n",
            "the other side is no server of the Kalah Game Protocol: it did not begin with kgp",
        ),
        (
            "kgp 2 0 0\n",
            "the server speaks version 2.0.0 of the Kalah Game Protocol, and this client 1.0.1",
        ),
    ] {
        let (mut peer, child) = piped(&["--level", "perfect"]);
        peer.write(text);
        drop(peer);
        let ended = Ended::of(child);
        assert_eq!(ended.status, 1, "{text}");
        let expected =
            format!("the conversation with whoever is at standard input and output is over: {how}");
        assert_eq!(ended.complaint(), expected);
    }
    let (peer, child) = playing(connected(&["--quiet"]));
    drop(peer);
    let ended = Ended::of(child);
    assert_eq!(ended.status, 1);
    assert!(ended.complaint().ends_with(" is over: the other side hung up"), "{ended:?}");
}

#[test]
fn a_server_that_never_says_a_word_is_left() {
    let (mut peer, child) = connected(&[]);
    let ended = Ended::of(child);
    assert_eq!(ended.status, 1);
    assert!(ended.complaint().ends_with("the server said nothing for 10 seconds"), "{ended:?}");
    peer.expect("goodbye");
}

#[test]
fn what_is_wrong_with_the_command_line_is_told_in_one_line() {
    for (arguments, status, expected) in [
        (
            &["--level", "brutal"][..],
            2,
            "invalid value 'brutal' for '--level <NAME>': no level is called 'brutal'; there are \
             easy, medium, hard, insane and perfect",
        ),
        (
            &["--time", "soon"],
            2,
            "invalid value 'soon' for '--time <SECONDS>': write a number of seconds, like 10 or 0.5",
        ),
        (&["--tables", "/nowhere"], 1, "there is no folder /nowhere"),
        (&["--connect", "127.0.0.1:1"], 1, "cannot connect to 127.0.0.1:1: "),
        (&["--connect", "localhost"], 2, "--connect 'localhost': "),
    ] {
        let ended = Ended::of(spawn(program().args(arguments)));
        assert_eq!((ended.status, ended.out.as_str()), (status, ""), "{arguments:?}");
        assert!(ended.complaint().starts_with(expected), "{ended:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_says_goodbye() {
    for signal in ["INT", "TERM"] {
        let (mut peer, child) = playing(connected(&["--level", "perfect"]));
        peer.write("2 state <8,0,0,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7>\r\n");
        assert!(peer.read().unwrap().contains("@2 move "));
        let kill = ["-s", signal, &child.id().to_string()];
        assert!(std::process::Command::new("kill").args(kill).status().unwrap().success());
        peer.expect("goodbye");
        let ended = Ended::of(child);
        assert_eq!(ended.status, 3);
        assert_eq!(ended.complaint(), "interrupted; the server was told goodbye");
    }
}
