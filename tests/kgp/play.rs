//! Games, one and many, over TCP and over pipes.

use std::process::Child;

use kalah::protocol::{BoardLiteral, Message};
use kalah::rules::{Board, Pit, Rules};

use super::peer::Peer;
use super::{connected, dismiss, piped, playing};

/// Plays a whole game by both sides, with ids from this one on; the pits that were sown.
fn game<const P: usize>(peer: &mut Peer, seeds: u8, first_id: u64) -> Vec<u8> {
    let mut board = Board::<P>::opening(seeds).unwrap();
    let mut sown = Vec::new();
    while !board.is_over() {
        let id = first_id + 2 * sown.len() as u64;
        let moves = peer.ask(id, &BoardLiteral::from(&board).to_string());
        let last = *moves.last().expect("it names a pit");
        board = board.play(Pit::from_number(last.into()).unwrap(), Rules::Standard).unwrap().board;
        sown.push(last);
    }
    sown
}

#[test]
fn a_whole_game_is_played_over_tcp_and_every_answer_is_told() {
    let (mut peer, child) = playing(connected(&["--level", "hard"]));
    let sown = game::<6>(&mut peer, 3, 2);
    let ended = dismiss(peer, child);
    assert_eq!(ended.err, "");
    let lines: Vec<_> = ended.out.lines().collect();
    assert_eq!(lines.len(), sown.len());
    for (line, pit) in lines.iter().zip(&sown) {
        let (board, told) = line.split_once(": ").unwrap();
        board.parse::<Board<6>>().unwrap();
        assert!(told.starts_with(&format!("pit {pit} (")), "{line}");
    }
}

#[test]
fn over_pipes_nothing_but_the_protocol_is_said() {
    for more in [&[][..], &["--json"]] {
        let (mut peer, child) = piped(&[&["--level", "easy"], more].concat());
        peer.write("kgp 1 0 1\r\n");
        let mut said = String::new();
        while !said.ends_with("mode freeplay") {
            said = peer.read().unwrap();
            said.parse::<Message>().unwrap();
        }
        peer.write("2 state <3,0,0,3,3,3,3,3,3>\r\n4 ping\r\n");
        for line in [peer.read(), peer.read(), peer.read()] {
            let line = line.unwrap();
            assert!(["move", "yield", "pong"].iter().any(|word| line.contains(word)), "{line}");
        }
        peer.write("goodbye\r\n");
        assert_eq!(peer.read(), None);
        let ended = super::Ended::of(child);
        assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    }
}

#[test]
fn the_same_random_seed_plays_the_same_again() {
    let games = |seed: &str| {
        let arguments = ["--level", "easy", "--random-seed", seed];
        let (mut peer, child): (Peer, Child) = playing(piped(&arguments));
        let games = [game::<4>(&mut peer, 3, 2), game::<4>(&mut peer, 3, 1_002)];
        dismiss(peer, child);
        games
    };
    let seven = games("7");
    assert_eq!(seven, games("7"));
    assert_ne!(seven, games("8"));
}

#[test]
fn boards_of_one_to_eight_pits_are_played_and_larger_ones_declined() {
    let (mut peer, child) = playing(connected(&["--level", "medium", "--quiet"]));
    for pits in 1..=8 {
        let row = ["2"; 8][..pits].join(",");
        let moves = peer.ask(10 * pits as u64, &format!("<{pits},0,0,{row},{row}>"));
        assert!((1..=pits as u8).contains(moves.last().unwrap()));
    }
    let row = ["2"; 9].join(",");
    peer.write(format!("100 state <9,0,0,{row},{row}>\r\n"));
    let declined = peer.expect("\"");
    let reason = r#"@100 error "boards of 1 to 8 pits a side are played here, not of 9""#;
    assert!(declined.ends_with(reason), "{declined}");
    assert!(peer.read().unwrap().ends_with("@100 yield"));
    let ended = dismiss(peer, child);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("", ""));
}

#[test]
fn boards_without_tables_are_played_to_the_end() {
    let (mut peer, child) = playing(piped(&["--level", "insane", "--time", "0.02"]));
    assert!(game::<7>(&mut peer, 1, 2).len() > 4);
    assert!(game::<8>(&mut peer, 1, 1_002).len() > 4);
    dismiss(peer, child);
}

#[test]
fn several_states_at_once_are_answered_each_by_its_own_id() {
    let (mut peer, child) = playing(piped(&["--level", "hard"]));
    // One legal pit each, and another each time.
    let states = [(2, "1,0,0"), (4, "0,1,0"), (6, "0,0,1")];
    for (id, row) in states {
        peer.write(format!("{id} state <3,0,0,{row},5,5,5>\n"));
    }
    let mut answers: Vec<_> = (0..6)
        .map(|_| peer.read().unwrap().split_once('@').expect("an answer").1.to_owned())
        .collect();
    answers.sort();
    let expected = ["2 move 1", "2 yield", "4 move 2", "4 yield", "6 move 3", "6 yield"];
    assert_eq!(answers, expected);
    dismiss(peer, child);
}

/// A board that nobody settles while a test runs.
const ENDLESS: &str = "<8,0,0,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7>";

#[test]
fn a_stop_ends_a_thought_and_a_ping_is_answered_meanwhile() {
    let (mut peer, child) = playing(connected(&["--level", "perfect", "--json"]));
    peer.write(format!("2 state {ENDLESS}\r\n4 state {ENDLESS}\r\n6 ping\r\n"));
    peer.expect("@6 pong");
    peer.write("8@2 stop\r\n10@4 stop\r\n12 state <1,0,0,1,1>\r\n");
    // Neither is spoken of any more.
    loop {
        let line = peer.read().unwrap();
        if line.ends_with("@12 yield") {
            break;
        }
        assert!(!line.ends_with("@2 yield") && !line.ends_with("@4 yield"), "{line}");
    }
    let ended = dismiss(peer, child);
    // What was thought until then is told.
    let told: Vec<serde_json::Value> =
        ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told.len(), 3, "{ended:?}");
    let stopped = told.iter().find(|told| told["stones"] == 112).unwrap();
    assert_eq!(stopped["cut_short"], true);
    assert_eq!(stopped["value"], serde_json::Value::Null);
    let done = told.iter().find(|told| told["stones"] == 2).unwrap();
    assert_eq!((&done["pit"], &done["cut_short"]), (&1.into(), &false.into()));
    assert_eq!(done["position"], "1,0,1,0");
}

#[test]
fn a_clock_ends_a_thought() {
    let (mut peer, child) = playing(connected(&["--level", "perfect"]));
    // Nobody says stop, and it is over all the same.
    peer.write("set time:mode relative\r\nset time:clock 1\r\n");
    assert!(!peer.ask(2, ENDLESS).is_empty());
    peer.write("set time:mode absolute\r\n");
    assert!(!peer.ask(4, ENDLESS).is_empty());
    // A clock that ran out is one too.
    peer.write("set time:clock -3\r\n");
    assert!(!peer.ask(6, ENDLESS).is_empty());
    dismiss(peer, child);

    let (mut peer, child) = playing(connected(&["--level", "insane", "--time", "0.05"]));
    peer.write("set time:mode relative\r\nset time:clock 3600\r\n");
    assert!(!peer.ask(2, ENDLESS).is_empty());
    dismiss(peer, child);
}
