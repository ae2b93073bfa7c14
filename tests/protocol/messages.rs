//! Lines that are read and printed.

use std::io::{BufReader, Cursor};

use kalah::protocol::{
    Argument, BoardLiteral, Clock, Command, Line, LineError, Lines, MAX_LINE, Message,
    MessageError, Name, Real, Setting, Text, TimeMode, Unplayable, Word,
};
use proptest::prelude::*;

fn parsed(line: &str) -> Message {
    line.parse().unwrap_or_else(|error| panic!("{line:?}: {error}"))
}

/// The error of a line that is no message, as its sender reads it.
fn wrong(line: &str) -> String {
    let error = line.parse::<Message>().unwrap_err().to_string();
    assert!(!error.contains(['\n', '\r']), "{error:?} is not one line");
    assert!(error.len() < 200, "{error:?} is too long");
    error
}

#[test]
fn every_part_of_a_line_is_read() {
    let message = parsed("  12@34 \t set   +3 -.5 info:name \"a \\\"b\\\\ \\c\" <1,2,3,4,05> \r\n");
    assert_eq!((message.id, message.reference), (Some(12), Some(34)));
    assert_eq!(message.name.as_str(), "set");
    assert_eq!(
        message.arguments,
        [
            Argument::Integer(3),
            Argument::Real(Real::new(-0.5).unwrap()),
            Argument::Word(Word::new("info:name").unwrap()),
            Argument::Text(Text::new("a \"b\\ c")),
            Argument::Board(BoardLiteral::new(2, 3, vec![4], vec![5]).unwrap()),
        ]
    );
    assert_eq!(message.to_string(), r#"12@34 set 3 -0.5 info:name "a \"b\\ c" <1,2,3,4,5>"#);
}

#[test]
fn ids_and_references_may_be_missing() {
    let numbers = |line| (parsed(line).id, parsed(line).reference);
    assert_eq!(numbers("yield"), (None, None));
    assert_eq!(numbers("4 stop"), (Some(4), None));
    assert_eq!(numbers("@4 stop"), (None, Some(4)));
    assert_eq!(numbers("0@18446744073709551615 stop"), (Some(0), Some(u64::MAX)));
    // A name may begin with a digit.
    assert_eq!(parsed("4th 1").name.as_str(), "4th");
}

#[test]
fn bad_lines_say_what_would_be_right() {
    for line in ["", "   ", "\r\n"] {
        assert_eq!(line.parse::<Message>(), Err(MessageError::Empty));
    }
    assert_eq!(wrong("7"), "the command has an id and no name");
    assert_eq!(wrong("7@3"), "the command has an id and no name");
    assert_eq!(wrong("7 8"), "'8' is no command; a name has letters and digits only");
    assert_eq!(
        wrong("7@ stop"),
        "'7@' is no id; write a number, @ and a number, or both, as in 6@4"
    );
    assert_eq!(wrong("18446744073709551616 stop"), "the number 18446744073709551616 is too large");
    assert_eq!(wrong("mo-ve 1"), "'mo-ve' is no command; a name has letters and digits only");
    assert_eq!(wrong("move 9223372036854775808"), "the number 9223372036854775808 is too large");
    assert_eq!(
        wrong(&format!("eval {}.0", "9".repeat(400))),
        format!("the number {}.. is too large", "9".repeat(32))
    );
    assert_eq!(wrong("set \"a"), "a string has no closing double quote");
    assert_eq!(wrong(r#"set "a\"#), "a string has no closing double quote");
    assert_eq!(wrong(r#"set "a"b"#), "a blank is missing after a string's closing double quote");
    assert_eq!(
        wrong("set a_b"),
        "'a_b' is no argument; write a number, a word, a \"string\" or a <board>"
    );
    assert_eq!(wrong("a\nb"), "the line has a line break or NUL in it");
    assert_eq!(wrong("a \"\0\""), "the line has a line break or NUL in it");
    assert_eq!(
        wrong("state <1,0, 0,4,4>"),
        "a board has no closing angle bracket; write it without blanks"
    );
    assert_eq!(wrong("state <1,0,x,4,4>"), "'x' in a board is no number of stones");
    assert_eq!(wrong("state <1,0,-1,4,4>"), "'-1' in a board is no number of stones");
    assert_eq!(wrong("state <>"), "'' in a board is no number of stones");
    for (board, pits, found) in [
        ("<0,0,0>", "0", 3),
        ("<2,0,0,4,4>", "2", 5),
        ("<1,0,0,4>", "1", 4),
        ("<18446744073709551615,0,0>", "18446744073709551615", 3),
        ("<4>", "4", 1),
    ] {
        assert_eq!(
            wrong(&format!("state {board}")),
            format!(
                "a board that says it has {pits} pits a side has {found} numbers; \
                 it needs 2 * {pits} + 3, and a pit at least"
            )
        );
    }
    assert_eq!(wrong(&"x".repeat(MAX_LINE + 1)), "the line is too long; 16384 bytes are the most");
}

#[test]
fn boards_of_other_sizes_are_read_and_not_played() {
    let literal = |line: &str| match parsed(line).arguments.swap_remove(0) {
        Argument::Board(board) => board,
        other => panic!("{other} is no board"),
    };
    let played = literal("state <3,10,2,1,2,3,4,2,0>");
    assert_eq!(played.legal_pits(), Ok(vec![1, 2, 3]));
    assert_eq!(played.board::<3>().unwrap().to_string(), "1,2,3,10,4,2,0,2");
    assert_eq!(played.board::<4>(), Err(Unplayable::OtherPits { found: 3, wanted: 4 }));
    let large = literal(&format!("state <12,0,0{}>", ",4".repeat(24)));
    assert_eq!(large.legal_pits(), Err(Unplayable::TooManyPits(12)));
    assert_eq!(literal("state <1,0,0,256,1>").legal_pits(), Err(Unplayable::TooManyInOne(256)));
    assert_eq!(
        literal("state <1,0,0,127,1>").legal_pits().unwrap_err().to_string(),
        "the board holds 128 stones; 127 is the most"
    );
    assert_eq!(literal("state <2,0,0,0,0,1,1>").legal_pits(), Err(Unplayable::Over));
}

#[test]
fn known_commands_want_their_arguments() {
    let wrong = |line: &str| Command::of(&parsed(line)).unwrap_err().to_string();
    assert_eq!(wrong("kgp 1 0"), "kgp is written 'kgp major minor patch'");
    assert_eq!(wrong("kgp 1 0 -1"), "kgp is written 'kgp major minor patch'");
    assert_eq!(wrong("mode"), "mode is written 'mode activity'");
    assert_eq!(wrong("state 3"), "state is written 'state <board>'");
    assert_eq!(wrong("move 1.0"), "move is written 'move pit'");
    assert_eq!(wrong("set"), "set is written 'set option value'");
    assert_eq!(wrong("set info:name"), "the option info:name wants a string");
    assert_eq!(
        wrong("set time:mode fast"),
        "the option time:mode wants none, absolute or relative"
    );
    assert_eq!(
        wrong("set time:clock soon"),
        "the option time:clock wants a whole number of seconds"
    );
}

#[test]
fn settings_are_understood() {
    let setting = |line: &str| match Command::of(&parsed(line)).unwrap() {
        Command::Set(setting) => setting,
        other => panic!("{other:?} is no setting"),
    };
    assert_eq!(setting("set info:name \"A b\""), Setting::Name("A b".to_owned()));
    assert_eq!(setting("set info:authors ab"), Setting::Authors("ab".to_owned()));
    assert_eq!(setting("set game:id 17"), Setting::GameId("17".to_owned()));
    let mut clock = Clock::default();
    clock.set(&setting("set time:mode absolute"));
    clock.set(&setting("set time:clock 90"));
    clock.set(&setting("set time:opclock -3"));
    assert_eq!(clock.mode, TimeMode::Absolute);
    assert_eq!(clock.left.map(|left| left.as_secs()), Some(90));
    assert_eq!(clock.opponent.map(|left| left.as_secs()), Some(0));
    let Setting::Other(option, values) = setting("set search:depth 3 4") else { panic!() };
    assert_eq!((option.as_str(), values.len()), ("search:depth", 2));
}

#[test]
fn giant_lines_are_passed_over_and_the_next_is_read() {
    let mut text = b"4 ping\r\n\r\n".to_vec();
    text.extend(b"set ".iter().chain(&[b'x'; 1_000_000]).chain(b"\n"));
    text.extend(b"\xff\xfe\n");
    text.extend(format!("{:>MAX_LINE$}\r\n{:>2$}\r\n", "stop", "stop", MAX_LINE + 1).bytes());
    text.extend(b"yield\ngood");
    // A small buffer, so that lines come in pieces.
    let mut lines = Lines::new(BufReader::with_capacity(7, Cursor::new(text)));
    let mut next = || match lines.next_line().unwrap() {
        Line::Whole(Ok(message)) => message.to_string(),
        Line::Whole(Err(error)) => error.to_string(),
        Line::End { within_line } => format!("end {within_line}"),
    };
    let too_long = LineError::Message(MessageError::TooLong).to_string();
    assert_eq!(next(), "4 ping");
    assert_eq!(next(), too_long);
    assert_eq!(next(), "the line is not UTF-8 text");
    assert_eq!(next(), "stop");
    assert_eq!(next(), too_long);
    assert_eq!(next(), "yield");
    assert_eq!(next(), "end true");
}

fn argument() -> impl Strategy<Value = Argument> {
    let board = (1..12_usize).prop_flat_map(|pits| {
        let row = || prop::collection::vec(any::<u64>(), pits);
        (any::<u64>(), any::<u64>(), row(), row())
    });
    prop_oneof![
        any::<i64>().prop_map(Argument::Integer),
        any::<f64>().prop_filter_map("finite", Real::new).prop_map(Argument::Real),
        "[0-9A-Za-z:-]{1,9}"
            .prop_filter_map("a word", |text| Word::new(&text))
            .prop_map(Argument::Word),
        any::<String>().prop_map(|text| Argument::Text(Text::new(&text))),
        board.prop_map(|(south, north, s, n)| {
            Argument::Board(BoardLiteral::new(south, north, s, n).unwrap())
        }),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let name = "[0-9A-Za-z]{1,9}".prop_filter_map("a name", |name| Name::new(&name));
    let arguments = prop::collection::vec(argument(), 0..6);
    (any::<Option<u64>>(), any::<Option<u64>>(), name, arguments)
        .prop_map(|(id, reference, name, arguments)| Message { id, reference, name, arguments })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_again(message in message()) {
        prop_assert_eq!(message.to_string().parse::<Message>(), Ok(message));
    }

    #[test]
    fn what_is_meant_is_said_again(message in message()) {
        if let Ok(command) = Command::of(&message) {
            prop_assert_eq!(Command::of(&command.answering(None)), Ok(command));
        }
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        if let Ok(message) = text.parse::<Message>() {
            prop_assert_eq!(message.to_string().parse::<Message>(), Ok(message));
        }
    }

    #[test]
    fn nearly_right_text_does_not_panic(
        text in r#"[0-9]{0,3}@?[0-9]{0,2} ?(set|move|state|kgp|x)( |"|<|\\|[a-z:0-9,.+-]|>){0,40}"#
    ) {
        if let Ok(message) = text.parse::<Message>() {
            prop_assert_eq!(message.to_string().parse::<Message>(), Ok(message.clone()));
            let _ = Command::of(&message);
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut lines = Lines::new(Cursor::new(bytes));
        while let Line::Whole(_) = lines.next_line().unwrap() {}
    }
}
