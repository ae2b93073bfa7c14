//! Whole conversations as a client, with raw text from a server.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use kalah::protocol::{
    ClientError, ConnectionError, Identity, NotWanted, Patience, PlayError, State, Thought, play,
};

use super::peer::{Peer, connected};

/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(60);
/// Shorter than anyone waits for it, and too short for someone who never answers.
const SHORT: Duration = Duration::from_millis(50);
const PATIENT: Patience = Patience { greeting: LONG, silence: Some(LONG) };

/// Names every legal pit in turn.
fn every_pit(state: &State, thought: &Thought) {
    for &pit in state.legal_pits() {
        thought.offer(pit);
    }
}

/// Plays against a server that does this.
fn against(server: impl FnOnce(Peer) + Send, patience: Patience) -> Result<(), PlayError> {
    let (connection, peer) = connected();
    thread::scope(|scope| {
        scope.spawn(|| server(peer));
        play(connection, Identity::default(), &every_pit, patience, ())
    })
}

#[test]
fn a_game_is_played_until_the_goodbye() {
    let result = against(
        |mut server| {
            server.write("kgp 1 0 1\r\n");
            assert_eq!(server.read().unwrap(), "1 mode freeplay");
            server.write("4 state <3,0,0,3,0,3,3,3,3>\r\n");
            assert_eq!(server.read().unwrap(), "3@4 move 1");
            assert_eq!(server.read().unwrap(), "5@4 move 3");
            assert_eq!(server.read().unwrap(), "7@4 yield");
            server.write("6@4 stop\n8 ping\n");
            assert_eq!(server.read().unwrap(), "9@8 pong");
            server.write("goodbye\r\n");
            assert_eq!(server.read(), None);
        },
        PATIENT,
    );
    result.unwrap();
}

#[test]
fn bad_and_giant_lines_do_not_end_the_game() {
    let result = against(
        |mut server| {
            server.write("kgp 1 0 1\r\n");
            server.expect("mode freeplay");
            server.write("2 state\n\n\"\n");
            server.write(b"\xff\xff\n");
            server.write("x".repeat(1_000_000));
            server.write("\n4 state <1,0,0,4,4>\n4 state <1,0,0,4,4>\n");
            server.expect("error \"state is written 'state <board>'\"");
            server.expect("error \"the line is not UTF-8 text\"");
            server.expect("error \"the line is too long; 16384 bytes are the most\"");
            // Which of the two comes first is open.
            let mut last: Vec<_> = (0..3).map(|_| server.read().unwrap()).collect();
            last.iter_mut().for_each(|line| *line = line.split_off(line.find('@').unwrap()));
            last.sort();
            let error = r#"@4 error "this id was used before""#;
            assert_eq!(last, [error, "@4 move 1", "@4 yield"]);
            server.write("goodbye\n");
        },
        PATIENT,
    );
    result.unwrap();
}

#[test]
fn two_games_at_once_are_thought_about_and_a_stop_ends_one() {
    let (connection, mut server) = connected();
    let (began, beginnings) = mpsc::channel();
    // Thinks until it is stopped, on every board.
    let stubborn = move |state: &State, thought: &Thought| {
        thought.offer(state.legal_pits()[0]);
        while !thought.is_stopped() {
            thread::yield_now();
        }
        began.send(state.pits()).unwrap();
        // Nobody waits for this any more.
        thought.offer(*state.legal_pits().last().unwrap());
    };
    thread::scope(|scope| {
        scope.spawn(move || {
            server.write("kgp 1 0 1\n2 state <2,0,0,4,4,4,4>\n4 state <3,0,0,4,4,4,4,4,4>\n");
            let mut moves = [server.expect("move 1"), server.expect("move 1")]
                .map(|line| line.split_once('@').unwrap().1.to_owned());
            moves.sort();
            assert_eq!(moves, ["2 move 1", "4 move 1"]);
            server.write("6@4 stop\n");
            assert_eq!(beginnings.recv(), Ok(3));
            server.write("8 ping\n");
            // No move and no yield for the state that was stopped, and the other goes on.
            assert!(server.read().unwrap().ends_with("@8 pong"));
            server.write("goodbye\n");
            assert_eq!(beginnings.recv(), Ok(2));
            assert_eq!(server.read(), None);
        });
        play(connection, Identity::default(), &stubborn, PATIENT, ()).unwrap();
    });
}

#[test]
fn a_server_that_falls_silent_is_told_as_that() {
    let silent = |mut server: Peer| while server.read().is_some() {};
    let patience = Patience { greeting: SHORT, silence: None };
    let error = against(silent, patience).unwrap_err();
    assert_eq!(error.to_string(), "the server said nothing for 0.05 seconds");

    let patience = Patience { greeting: LONG, silence: Some(SHORT) };
    let later = |mut server: Peer| {
        server.write("kgp 1 0 1\n2 state <1,0,0,4,4>\n");
        silent(server);
    };
    assert!(matches!(against(later, patience), Err(PlayError::Silent(SHORT))));
}

#[test]
fn a_server_that_hangs_up_is_told_as_that() {
    for (text, within_line) in [
        ("", false),
        ("kgp 1 0", true),
        ("kgp 1 0 1\n", false),
        ("kgp 1 0 1\n2 state <1,0,0,4,4>\n4 sta", true),
        ("kgp 1 0 1\ngoodbye", true),
    ] {
        let result = against(
            |mut server| {
                server.write(text);
                server.hang_up();
            },
            PATIENT,
        );
        match result {
            Err(PlayError::Connection(ConnectionError::HungUp { within_line: found })) => {
                assert_eq!(found, within_line, "{text:?}");
            }
            other => panic!("{text:?} leads to {other:?}"),
        }
    }
}

#[test]
fn others_than_servers_of_this_protocol_are_told_as_that() {
    let web = |mut server: Peer| {
        server.write("HTTP/1.1 400 Bad Request\r\n\r\n");
        server.expect("goodbye");
    };
    let result = against(web, PATIENT);
    assert!(matches!(result, Err(PlayError::Client(ClientError::NotAServer))), "{result:?}");

    let unwilling = |mut server: Peer| {
        server.write("kgp 1 0 1\n");
        server.expect("mode freeplay");
        server.write("error \"Unsupported activity\"\ngoodbye\n");
    };
    let error = against(unwilling, PATIENT).unwrap_err();
    assert_eq!(error.to_string(), "the server refuses the activity freeplay: Unsupported activity");
}

#[test]
fn a_player_that_breaks_the_rules_is_found_out_here() {
    let (connection, mut server) = connected();
    let wrong = |_: &State, thought: &Thought| thought.offer(2);
    thread::scope(|scope| {
        scope.spawn(move || {
            server.write("kgp 1 0 1\n2 state <2,0,0,4,0,4,4>\n");
            server.expect("goodbye");
        });
        let result = play(connection, Identity::default(), &wrong, PATIENT, ());
        assert!(matches!(result, Err(PlayError::Chosen(NotWanted::Illegal(2)))), "{result:?}");
    });
}
