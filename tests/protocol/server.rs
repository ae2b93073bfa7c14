//! The server's side, without input or output.

use kalah::protocol::{
    Chosen, Decision, Faults, MAX_BAD_LINES, NotAsked, QuestionId, Server, ServerEvent, Unplayable,
};
use kalah::rules::Board;

fn hear(server: &mut Server, line: &str) -> Vec<String> {
    server.receive(line.parse().map_err(Into::into));
    said(server)
}

fn said(server: &mut Server) -> Vec<String> {
    std::iter::from_fn(|| server.next_message()).map(|message| message.to_string()).collect()
}

/// A server whose client asked for freeplay.
fn playing() -> Server {
    let mut server = Server::new("judge");
    assert_eq!(said(&mut server), ["2 kgp 1 0 1", r#"4 set info:name "judge""#]);
    // As some clients write it.
    assert_eq!(hear(&mut server, "1 mode \"freeplay\""), [""; 0]);
    assert_eq!(server.next_event(), Some(ServerEvent::Ready));
    server
}

/// A board on which pits 1 and 3 are legal.
fn ask(server: &mut Server) -> QuestionId {
    let board: Board<3> = "1,0,2,5,1,1,1,6".parse().unwrap();
    server.ask(&board).unwrap()
}

fn first(_: usize) -> usize {
    0
}

#[test]
fn the_last_legal_move_counts() {
    let mut server = playing();
    let question = ask(&mut server);
    assert_eq!(said(&mut server), ["6 state <3,5,6,1,0,2,1,1,1>"]);
    assert_eq!(hear(&mut server, "3@6 move 1"), [""; 0]);
    assert_eq!(hear(&mut server, "5@6 move 3"), [""; 0]);
    let error = r#"8@7 error "pit 2 is empty or does not exist""#;
    assert_eq!(hear(&mut server, "7@6 move 2"), [error]);
    hear(&mut server, "9@6 yield");
    // After its yield a client has nothing more to say.
    assert_eq!(hear(&mut server, "11@6 move 1"), [""; 0]);
    let events: Vec<_> = std::iter::from_fn(|| server.next_event()).collect();
    assert_eq!(
        events,
        [
            ServerEvent::Moved(question, 1),
            ServerEvent::Moved(question, 3),
            ServerEvent::Illegal(question, 2),
            ServerEvent::Yielded(question),
        ]
    );
    let decision = server.decide(question, first).unwrap();
    let expected = Decision {
        pit: 3,
        chosen: Chosen::ByClient,
        moves: 2,
        illegal: 1,
        last_illegal: Some(2),
        complaint: None,
        yielded: true,
    };
    assert_eq!(decision, expected);
    assert_eq!(said(&mut server), ["10@6 stop"]);
    assert_eq!(server.faults(), Faults { illegal: 1, ..Faults::default() });
    assert_eq!(server.decide(question, first), None);
}

#[test]
fn for_a_silent_client_a_random_legal_pit_is_sown() {
    let mut server = playing();
    for (choice, pit) in [(0, 1), (1, 3), (2, 1)] {
        let question = ask(&mut server);
        let pick = |count| {
            assert_eq!(count, 2);
            choice
        };
        let decision = server.decide(question, pick).unwrap();
        assert_eq!((decision.pit, decision.chosen), (pit, Chosen::AtRandom));
    }
    // A yield without a move is silence too, and an illegal move is not.
    let question = ask(&mut server);
    hear(&mut server, "yield");
    assert_eq!(server.decide(question, first).unwrap().chosen, Chosen::AtRandom);
    let question = ask(&mut server);
    hear(&mut server, "move -1");
    assert_eq!(server.decide(question, first).unwrap().chosen, Chosen::AtRandom);
    assert_eq!(server.faults(), Faults { silent: 4, illegal: 1, ..Faults::default() });
    assert_eq!(server.faults().total(), 5);
}

#[test]
fn moves_after_the_stop_are_passed_over() {
    let mut server = playing();
    let early = ask(&mut server);
    server.decide(early, first);
    said(&mut server);
    for line in ["3@6 move 1", "5 move 1", "7@6 yield"] {
        assert_eq!(hear(&mut server, line), [""; 0]);
    }
    // Nor do they count for the next question.
    let late = ask(&mut server);
    hear(&mut server, "9@6 move 1");
    assert_eq!(server.decide(late, |_| 1).unwrap().chosen, Chosen::AtRandom);
    assert_eq!(server.faults(), Faults { silent: 2, ..Faults::default() });
}

#[test]
fn two_questions_at_once_do_not_mix() {
    let mut server = playing();
    let (first, second) = (ask(&mut server), ask(&mut server));
    said(&mut server);
    hear(&mut server, "@8 move 3");
    assert_eq!(server.next_event(), Some(ServerEvent::Moved(second, 3)));
    hear(&mut server, "@6 move 1");
    assert_eq!(server.next_event(), Some(ServerEvent::Moved(first, 1)));
    assert_eq!(hear(&mut server, "9 move 1"), [r#"10@9 error "there was no such state""#]);
    assert_eq!(server.faults().unasked, 1);
    assert_eq!(server.decide(first, |_| 0).unwrap().pit, 1);
    assert_eq!(server.decide(second, |_| 0).unwrap().pit, 3);
}

#[test]
fn faults_are_told_and_counted() {
    let mut server = playing();
    assert_eq!(hear(&mut server, "3@4 move 1"), [r#"6@3 error "there was no such state""#]);
    assert_eq!(hear(&mut server, "5 move 1"), [r#"8@5 error "there was no such state""#]);
    let question = ask(&mut server);
    said(&mut server);
    // An id used twice is a fault, but it can be told what is meant.
    assert_eq!(hear(&mut server, "5 move 1"), [r#"12@5 error "this id was used before""#]);
    assert_eq!(server.next_event(), Some(ServerEvent::Moved(question, 1)));
    assert_eq!(hear(&mut server, "7 move one"), [r#"14@7 error "move is written 'move pit'""#]);
    assert_eq!(
        hear(&mut server, "9 mode verify"),
        [r#"16@9 error "the activity cannot be changed""#]
    );
    assert_eq!(hear(&mut server, "11 stop"), [r#"18@11 error "only a server says that""#]);
    assert_eq!(hear(&mut server, "13 dance"), [""; 0]);
    let faults = Faults { bad_lines: 3, repeated_ids: 1, unasked: 2, ..Faults::default() };
    assert_eq!(server.faults(), faults);

    hear(&mut server, "@10 error \"I cannot\"");
    let complaint = ServerEvent::Complaint(Some(question), "I cannot".to_owned());
    assert_eq!(server.next_event(), Some(complaint));
    for _ in 3..=MAX_BAD_LINES {
        hear(&mut server, "<");
    }
    assert_eq!(server.next_event(), Some(ServerEvent::Babble));
    assert_eq!(hear(&mut server, "@10 move 3"), [""; 0]);
    assert_eq!(server.next_event(), None);
}

#[test]
fn only_freeplay_is_offered_and_only_while_it_is_played_is_asked() {
    let opening = Board::<6>::opening(4).unwrap();
    let mut server = Server::new("judge");
    said(&mut server);
    assert_eq!(server.ask(&opening), Err(NotAsked::NotPlaying));
    assert_eq!(
        hear(&mut server, "1 mode verify"),
        [r#"6@1 error "Unsupported activity""#, "8 goodbye"]
    );
    assert_eq!(server.next_event(), Some(ServerEvent::OtherMode("verify".to_owned())));

    let mut server = playing();
    let over: Board<2> = "0,0,3,1,1,3".parse().unwrap();
    assert_eq!(server.ask(&over), Err(NotAsked::Unplayable(Unplayable::Over)));
    hear(&mut server, "goodbye");
    assert_eq!(server.next_event(), Some(ServerEvent::Goodbye));
    assert_eq!(server.ask(&opening), Err(NotAsked::NotPlaying));
}
