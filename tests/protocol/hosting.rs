//! Whole conversations as a server, with raw text from a client.

use std::io::pipe;
use std::process::Command;
use std::thread;
use std::time::Duration;

use kalah::protocol::{
    Chosen, Connection, ConnectionError, Faults, Host, HostError, Identity, Patience, State,
    Thought, play,
};
use kalah::rules::{Board, Pit, Rules};

use super::peer::{Peer, connected};

/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(60);
/// Too short for someone who never answers.
const SHORT: Duration = Duration::from_millis(50);

/// Hosts a client that does this.
fn hosting(client: impl FnOnce(Peer) + Send, judge: impl FnOnce(Host)) {
    let (connection, peer) = connected();
    thread::scope(|scope| {
        scope.spawn(|| client(peer));
        judge(Host::greet(connection, "judge", LONG).unwrap());
    });
}

/// The error of a client that does this instead of asking to play.
fn unwanted(client: impl FnOnce(Peer) + Send, limit: Duration) -> HostError {
    let (connection, peer) = connected();
    thread::scope(|scope| {
        scope.spawn(|| client(peer));
        Host::greet(connection, "judge", limit).err().expect("no client asks to play")
    })
}

fn first(_: usize) -> usize {
    0
}

#[test]
fn a_client_is_asked_and_answers() {
    hosting(
        |mut client| {
            assert_eq!(client.read().unwrap(), "2 kgp 1 0 1");
            assert_eq!(client.read().unwrap(), r#"4 set info:name "judge""#);
            client.write("1 set info:name \"engine\"\r\n3 mode freeplay\r\n");
            assert_eq!(client.read().unwrap(), "6 set time:mode relative");
            assert_eq!(client.read().unwrap(), "8 set time:clock 60");
            assert_eq!(client.read().unwrap(), "10 state <3,0,0,3,3,3,3,3,3>");
            client.write("5@10 move 1\r\n7@10 move 3\r\n9@10 yield\r\n");
            assert_eq!(client.read().unwrap(), "12@10 stop");
            client.expect("ping");
            client.write("pong\n");
            assert_eq!(client.expect("goodbye"), "16 goodbye");
            assert_eq!(client.read(), None);
        },
        |mut host| {
            let decision = host.ask(&Board::<3>::opening(3).unwrap(), LONG, first).unwrap();
            assert_eq!((decision.pit, decision.chosen), (3, Chosen::ByClient));
            assert!(decision.yielded);
            host.ping(LONG).unwrap();
            assert_eq!(host.client().name.as_deref(), Some("engine"));
            assert_eq!(host.faults(), Faults::default());
            host.goodbye(LONG);
        },
    );
}

#[test]
fn for_a_client_that_falls_silent_the_server_sows() {
    hosting(
        |mut client| {
            client.write("mode freeplay\n");
            while client.read().is_some() {}
        },
        |mut host| {
            let board = Board::<3>::opening(3).unwrap();
            let decision = host.ask(&board, SHORT, |count| count - 1).unwrap();
            assert_eq!((decision.pit, decision.chosen), (3, Chosen::AtRandom));
            assert_eq!(host.faults(), Faults { silent: 1, ..Faults::default() });
            let error = host.ping(SHORT).unwrap_err();
            assert_eq!(error.to_string(), "the client did not say pong within 0.05 seconds");
        },
    );
}

#[test]
fn a_client_that_never_stops_talking_gets_no_more_time() {
    hosting(
        |mut client| {
            client.write("mode freeplay\n");
            client.expect("<1,0,0,4,4>");
            // Until the server hangs up.
            while client.write("set x:y 1\n") {}
        },
        |mut host| {
            let board = Board::<1>::opening(4).unwrap();
            assert_eq!(host.ask(&board, SHORT, first).unwrap().chosen, Chosen::AtRandom);
        },
    );
}

#[test]
fn bad_lines_and_repeated_ids_are_counted_and_the_answer_is_heard() {
    hosting(
        |mut client| {
            client.write("1 mode freeplay\n");
            let state = client.expect("<2,0,0,4,4,4,4>");
            let id = state.split(' ').next().unwrap();
            client.write(b"\xff\n\"\n");
            client.write("y".repeat(100_000));
            client.write(format!("\n1@{id} move 2\n3@{id} move 9\n@77 move 1\n@{id} yield\n"));
            while client.read().is_some() {}
        },
        |mut host| {
            let decision = host.ask(&Board::<2>::opening(4).unwrap(), LONG, first).unwrap();
            assert_eq!((decision.pit, decision.illegal), (2, 1));
            let expected =
                Faults { silent: 0, illegal: 1, bad_lines: 3, repeated_ids: 1, unasked: 1 };
            assert_eq!(host.faults(), expected);
        },
    );
}

#[test]
fn a_client_that_hangs_up_in_the_middle_is_told_as_that() {
    for (last, within_line) in [("", false), ("@10 mov", true), ("@10 move 1\n", false)] {
        hosting(
            |mut client| {
                client.write("mode freeplay\n");
                client.expect("<1,0,0,4,4>");
                client.write(last);
                client.hang_up();
            },
            |mut host| {
                let board = Board::<1>::opening(4).unwrap();
                match host.ask(&board, LONG, first) {
                    Err(HostError::Connection(ConnectionError::HungUp { within_line: found })) => {
                        assert_eq!(found, within_line, "{last:?}");
                    }
                    other => panic!("{last:?} leads to {other:?}"),
                }
                // And it stays away.
                let again = host.ask(&board, LONG, first).unwrap_err().to_string();
                assert_eq!(again, "the other side hung up");
            },
        );
    }
}

#[test]
fn whoever_does_not_ask_to_play_is_told_as_what_it_is() {
    let silent = unwanted(|mut client| while client.read().is_some() {}, SHORT).to_string();
    assert_eq!(silent, "the client did not say mode freeplay within 0.05 seconds");

    let other = |mut client: Peer| {
        client.write("mode verify\n");
        client.expect("error \"Unsupported activity\"");
        client.expect("goodbye");
    };
    let other = unwanted(other, LONG).to_string();
    assert_eq!(other, "the client asks for the activity 'verify'; only freeplay is offered");

    let babble = |mut client: Peer| {
        // What the server does not look at any more does not take back what it says last.
        for _ in 0..200 {
            client.write("GET / HTTP/1.1\n");
        }
        client.expect("goodbye");
    };
    let babble = unwanted(babble, LONG).to_string();
    assert_eq!(babble, "more than 100 lines of the client made no sense");

    let goodbye = unwanted(
        |mut client| {
            client.write("goodbye\n");
            // Who closes a connection with something unread takes back what was sent before.
            while client.read().is_some() {}
        },
        LONG,
    );
    assert!(matches!(goodbye, HostError::Goodbye), "{goodbye:?}");
}

#[test]
fn our_client_plays_a_whole_game_with_our_server_over_pipes() {
    let (server_reads, client_writes) = pipe().unwrap();
    let (client_reads, server_writes) = pipe().unwrap();
    // Sows the first legal pit.
    let thinker = |state: &State, thought: &Thought| thought.offer(state.legal_pits()[0]);
    thread::scope(|scope| {
        scope.spawn(|| {
            let connection = Connection::over(client_reads, client_writes);
            play(connection, Identity::default(), &thinker, Patience::default(), ()).unwrap();
        });
        let connection = Connection::over(server_reads, server_writes);
        let mut host = Host::greet(connection, "judge", LONG).unwrap();
        let mut board = Board::<6>::opening(4).unwrap();
        while let Some(expected) = board.legal_pits().next() {
            let decision = host.ask(&board, LONG, first).unwrap();
            assert_eq!((decision.pit, decision.chosen), (expected.number(), Chosen::ByClient));
            let pit = Pit::from_number(decision.pit.into()).unwrap();
            board = board.play(pit, Rules::Standard).unwrap().board;
        }
        assert_eq!(host.faults().total(), 0);
        host.goodbye(LONG);
    });
}

#[cfg(unix)]
#[test]
fn a_program_is_asked_and_its_end_is_told() {
    let shell = |script: &str| {
        let mut command = Command::new("sh");
        Connection::program(command.args(["-c", script])).unwrap()
    };
    let board = Board::<1>::opening(4).unwrap();

    let lives = "echo mode freeplay; while read line; do case $line in \
                 *state*) echo move 1; echo yield;; *goodbye*) exit 7;; esac; done";
    let mut host = Host::greet(shell(lives), "judge", LONG).unwrap();
    assert_eq!(host.ask(&board, LONG, first).unwrap().chosen, Chosen::ByClient);
    assert_eq!(host.goodbye(LONG).and_then(|status| status.code()), Some(7));

    let dies = "echo mode freeplay; while read line; do case $line in *state*) exit 3;; esac; done";
    let mut host = Host::greet(shell(dies), "judge", LONG).unwrap();
    let error = host.ask(&board, LONG, first).unwrap_err();
    assert!(matches!(error, HostError::Connection(ConnectionError::HungUp { .. })), "{error:?}");
    assert_eq!(host.goodbye(LONG).and_then(|status| status.code()), Some(3));

    // One that neither reads nor ends is ended.
    let host = Host::greet(shell("echo mode freeplay; exec sleep 1000"), "judge", LONG).unwrap();
    assert_eq!(host.goodbye(SHORT), None);

    let missing = Connection::program(&mut Command::new("/nowhere/engine")).err().unwrap();
    assert!(missing.to_string().starts_with("cannot start /nowhere/engine: "));
}
