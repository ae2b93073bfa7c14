//! The client's side, without input or output.

use kalah::protocol::{
    Client, ClientError, ClientEvent, Identity, MAX_BAD_LINES, NotWanted, RequestId, State,
    TimeMode, Unplayable, Version,
};

/// Gives the client a line; what it sends then.
fn hear(client: &mut Client, line: &str) -> Vec<String> {
    client.receive(line.parse().map_err(Into::into));
    said(client)
}

fn said(client: &mut Client) -> Vec<String> {
    std::iter::from_fn(|| client.next_message()).map(|message| message.to_string()).collect()
}

/// A client that was greeted.
fn playing() -> Client {
    let mut client = Client::new(Identity::default());
    assert_eq!(hear(&mut client, "kgp 1 0 1"), ["1 mode freeplay"]);
    client
}

fn asked(client: &mut Client, line: &str) -> (RequestId, State) {
    assert_eq!(hear(client, line), [""; 0]);
    match client.next_event() {
        Some(ClientEvent::Think(request, state)) => (request, state),
        other => panic!("{line:?} leads to {other:?}"),
    }
}

#[test]
fn a_client_introduces_itself() {
    let mut client = Client::new(Identity {
        name: Some("a \"b\"".to_owned()),
        authors: Some("C, D".to_owned()),
        description: None,
        token: Some("secret".to_owned()),
    });
    assert!(!client.is_playing());
    assert_eq!(
        hear(&mut client, "0 kgp 1 7 3"),
        [
            r#"1 set info:name "a \"b\"""#,
            r#"3 set info:authors "C, D""#,
            r#"5 set auth:token "secret""#,
            "7 mode freeplay"
        ]
    );
    assert!(client.is_playing());
}

#[test]
fn a_state_is_answered_by_moves_and_a_yield() {
    let mut client = playing();
    for line in ["set time:mode relative", "set time:clock 5"] {
        assert_eq!(hear(&mut client, line), [""; 0]);
        assert!(matches!(client.next_event(), Some(ClientEvent::Set(_))));
    }
    let (request, state) = asked(&mut client, "8@2 state <3,1,3,0,4,4,4,3,3>");
    assert_eq!(state.board::<3>().unwrap().to_string(), "0,4,4,1,4,3,3,3");
    assert_eq!(state.legal_pits(), [2, 3]);
    assert_eq!(state.clock().mode, TimeMode::Relative);
    assert_eq!(state.clock().left.map(|left| left.as_secs()), Some(5));

    assert_eq!(client.offer(request, 1), Err(NotWanted::Illegal(1)));
    assert_eq!(client.offer(request, 4), Err(NotWanted::Illegal(4)));
    assert_eq!(client.offer(request, 0), Err(NotWanted::Illegal(0)));
    for pit in [3, 3, 2] {
        client.offer(request, pit).unwrap();
    }
    client.finish(request);
    assert_eq!(said(&mut client), ["3@8 move 3", "5@8 move 2", "7@8 yield"]);

    assert_eq!(client.offer(request, 3), Err(NotWanted::Closed));
    client.finish(request);
    // The server's stop comes late, as it always does after a yield.
    assert_eq!(hear(&mut client, "10@8 stop"), [""; 0]);
    assert_eq!(client.next_event(), None);
}

#[test]
fn two_games_at_once_do_not_mix() {
    let mut client = playing();
    let (first, _) = asked(&mut client, "2 state <1,0,0,4,4>");
    let (second, _) = asked(&mut client, "4 state <8,0,0,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4>");
    client.offer(second, 8).unwrap();
    client.offer(first, 1).unwrap();
    assert_eq!(said(&mut client), ["3@4 move 8", "5@2 move 1"]);
    // A stop without reference could mean either.
    assert_eq!(
        hear(&mut client, "6 stop"),
        [r#"7@6 error "several states are open; say which one to stop""#]
    );
    assert_eq!(hear(&mut client, "8@2 stop"), [""; 0]);
    assert_eq!(client.next_event(), Some(ClientEvent::Stop(first)));
    assert_eq!(client.offer(first, 1), Err(NotWanted::Closed));
    client.offer(second, 7).unwrap();
    // Now it can mean only one.
    assert_eq!(hear(&mut client, "stop"), ["9@4 move 7"]);
    assert_eq!(client.next_event(), Some(ClientEvent::Stop(second)));
}

#[test]
fn a_server_without_ids_is_understood() {
    let mut client = playing();
    let (first, _) = asked(&mut client, "state <1,0,0,4,4>");
    client.offer(first, 1).unwrap();
    assert_eq!(said(&mut client), ["3 move 1"]);
    // The next state takes the place of the last.
    assert_eq!(hear(&mut client, "state <2,0,0,4,4,4,4>"), [""; 0]);
    assert_eq!(client.next_event(), Some(ClientEvent::Stop(first)));
    let Some(ClientEvent::Think(second, _)) = client.next_event() else { panic!() };
    assert_eq!(client.offer(first, 1), Err(NotWanted::Closed));
    client.offer(second, 2).unwrap();
    assert_eq!(hear(&mut client, "stop"), ["5 move 2"]);
    assert_eq!(client.next_event(), Some(ClientEvent::Stop(second)));
    assert_eq!(hear(&mut client, "stop"), [""; 0]);
}

#[test]
fn what_is_not_played_is_declined_and_the_rest_goes_on() {
    let mut client = playing();
    let large = format!("2 state <9,0,0{}>", ",4".repeat(18));
    assert_eq!(
        hear(&mut client, &large),
        [r#"3@2 error "boards of 1 to 8 pits a side are played here, not of 9""#, "5@2 yield"]
    );
    assert_eq!(client.next_event(), Some(ClientEvent::Declined(Unplayable::TooManyPits(9))));
    assert_eq!(
        hear(&mut client, "4 state <1,7,1,0,4>"),
        [r#"7@4 error "the game is over: one side has no stones in its pits""#, "9@4 yield"]
    );
    assert_eq!(client.next_event(), Some(ClientEvent::Declined(Unplayable::Over)));
    asked(&mut client, "6 state <1,0,0,4,4>");
}

#[test]
fn more_states_than_can_be_thought_about_are_declined() {
    let mut client = playing();
    for id in 0..Client::MOST_REQUESTS {
        asked(&mut client, &format!("{id} state <1,0,0,4,4>"));
    }
    assert_eq!(
        hear(&mut client, "99 state <1,0,0,4,4>"),
        [r#"3@99 error "16 states are thought about already, which is the most""#, "5@99 yield"]
    );
    assert_eq!(client.next_event(), None);
}

#[test]
fn ids_that_repeat_are_errors() {
    let mut client = playing();
    let (request, _) = asked(&mut client, "4 state <1,0,0,4,4>");
    let error = r#"3@4 error "this id was used before""#;
    assert_eq!(hear(&mut client, "4 state <2,0,0,4,4,4,4>"), [error]);
    assert_eq!(client.next_event(), None);
    // The first is still open.
    client.offer(request, 1).unwrap();
    assert_eq!(said(&mut client), ["5@4 move 1"]);
}

#[test]
fn bad_lines_are_answered_and_borne_for_a_while() {
    let mut client = playing();
    assert_eq!(hear(&mut client, "state 3"), [r#"3 error "state is written 'state <board>'""#]);
    assert_eq!(hear(&mut client, "2@77 stop"), [r#"5@2 error "there was no state 77 to stop""#]);
    assert_eq!(hear(&mut client, "4 move 1"), [r#"7@4 error "only a client says that""#]);
    assert_eq!(hear(&mut client, "6 kgp 1 0 0"), [r#"9@6 error "kgp was said before""#]);
    for _ in 4..MAX_BAD_LINES {
        assert_eq!(hear(&mut client, "\"").len(), 1);
        assert_eq!(client.next_event(), None);
    }
    assert!(hear(&mut client, "\"").last().unwrap().ends_with("goodbye"));
    assert_eq!(client.next_event(), Some(ClientEvent::Failed(ClientError::Babble)));
    // Nothing follows.
    assert_eq!(hear(&mut client, "2 state <1,0,0,4,4>"), [""; 0]);
    assert_eq!(client.next_event(), None);
}

#[test]
fn what_a_later_version_adds_is_passed_over() {
    let mut client = playing();
    for line in ["2 problem <1,0,0,4,4> 1", "4 ok \"fine\"", "6 pong", "set x:y 1 2 3"] {
        assert_eq!(hear(&mut client, line), [""; 0]);
    }
    assert!(matches!(client.next_event(), Some(ClientEvent::Set(_))));
    assert_eq!(client.next_event(), None);
}

#[test]
fn a_ping_is_answered_with_what_came() {
    let mut client = playing();
    assert_eq!(hear(&mut client, "2 ping"), ["3@2 pong"]);
    assert_eq!(hear(&mut client, "ping \"a b\" c"), [r#"5 pong "a b""#]);
}

#[test]
fn only_a_server_of_this_protocol_is_played_with() {
    for first in ["HTTP 400 Bad Request", "mode freeplay", "\"", "2 state <1,0,0,4,4>", "kgp 1"] {
        let mut client = Client::new(Identity::default());
        let sent = hear(&mut client, first);
        assert!(sent[0].starts_with("1 error ") && sent[1] == "3 goodbye", "{sent:?}");
        assert_eq!(client.next_event(), Some(ClientEvent::Failed(ClientError::NotAServer)));
    }
    let mut client = Client::new(Identity::default());
    hear(&mut client, "kgp 2 1 0");
    let version = Version { major: 2, minor: 1, patch: 0 };
    assert_eq!(client.next_event(), Some(ClientEvent::Failed(ClientError::OtherVersion(version))));
}

#[test]
fn a_refused_activity_is_told_from_a_goodbye() {
    let refused = |text: &str| Some(ClientEvent::Failed(ClientError::Refused(text.to_owned())));
    let mut client = playing();
    hear(&mut client, "2@1 error \"no games today\"");
    assert_eq!(client.next_event(), refused("no games today"));

    // Without a reference it is one when goodbye follows.
    let mut client = playing();
    hear(&mut client, "error \"Unsupported activity\"");
    assert!(matches!(client.next_event(), Some(ClientEvent::Complaint(_))));
    hear(&mut client, "goodbye");
    assert_eq!(client.next_event(), refused("Unsupported activity"));

    let mut client = playing();
    asked(&mut client, "2 state <1,0,0,4,4>");
    hear(&mut client, "4@2 error \"too slow\"");
    assert_eq!(client.next_event(), Some(ClientEvent::Complaint("too slow".to_owned())));
    hear(&mut client, "goodbye");
    assert_eq!(client.next_event(), Some(ClientEvent::Goodbye));
}

#[test]
fn what_a_server_was_not_ready_for_is_said_again() {
    let mut client = playing();
    let error = |about: u64| format!("@{about} error \"No state associated with id\"");
    let (request, _) = asked(&mut client, "8 state <3,1,3,0,4,4,4,3,3>");
    client.offer(request, 2).unwrap();
    assert_eq!(said(&mut client), ["3@8 move 2"]);
    assert_eq!(hear(&mut client, &error(3)), ["5@8 move 2"]);
    // A pit that is no longer its choice is not.
    client.offer(request, 3).unwrap();
    assert_eq!(said(&mut client), ["7@8 move 3"]);
    assert_eq!(hear(&mut client, &error(5)), [""; 0]);
    assert_eq!(
        client.next_event(),
        Some(ClientEvent::Complaint("No state associated with id".to_owned()))
    );
    client.finish(request);
    assert_eq!(said(&mut client), ["9@8 yield"]);
    for id in [11, 15, 19] {
        let again = [format!("{id}@8 move 3"), format!("{}@8 yield", id + 2)];
        assert_eq!(hear(&mut client, &error(if id == 11 { 7 } else { id - 4 })), again);
        assert_eq!(client.next_event(), None);
    }
    assert_eq!(hear(&mut client, &error(19)), [""; 0]);
    assert!(matches!(client.next_event(), Some(ClientEvent::Complaint(_))));

    // After a stop there is nothing to say.
    let (request, _) = asked(&mut client, "10 state <1,0,0,4,4>");
    client.offer(request, 1).unwrap();
    client.finish(request);
    assert_eq!(said(&mut client), ["23@10 move 1", "25@10 yield"]);
    hear(&mut client, "12@10 stop");
    assert_eq!(hear(&mut client, &error(23)), [""; 0]);
}
