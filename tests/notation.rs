//! Positions as people and programs write them.

use kalah::rules::{
    Board, BoardError, Pits,
    notation::{self, NotationError},
};
use proptest::prelude::*;

/// The error of a text that is no board of six pits a side, as a person reads it.
fn wrong(text: &str) -> String {
    let error = notation::parse::<6>(text).unwrap_err().to_string();
    assert!(!error.contains(['\n', '\r']), "{error:?} is not one line");
    error
}

#[test]
fn every_form_is_read() {
    let board = Board::new([1, 2, 3, 4, 5, 6], 20, [7, 8, 9, 10, 11, 12], 21).unwrap();
    for text in [
        "1,2,3,4,5,6,20,7,8,9,10,11,12,21",
        "1 2 3 4 5 6 20 7 8 9 10 11 12 21",
        "  1, 2,3 ,4 , 5,6,\t20 7,8 9,10  11,12,021\r\n",
        "<6,20,21,1,2,3,4,5,6,7,8,9,10,11,12>",
        " < 6 20 21, 1 2 3 4 5 6, 7 8 9 10 11 12 > ",
    ] {
        assert_eq!(notation::parse(text), Ok(board), "{text:?}");
        assert_eq!(text.parse(), Ok(board), "{text:?}");
    }
    let pits = Board::from_pits(*board.pits());
    assert_eq!(notation::parse("1,2,3,4,5,6,7,8,9,10,11,12"), Ok(pits));
    assert_eq!(notation::parse("3 0 2 1"), Ok(Board::<1>::new([3], 0, [2], 1).unwrap()));
    assert_eq!(notation::parse("3 2"), Ok(Board::<1>::new([3], 0, [2], 0).unwrap()));
}

#[test]
fn every_form_is_printed() {
    let board = Board::new([1, 2, 3], 20, [7, 8, 9], 21).unwrap();
    assert_eq!(board.to_string(), "1,2,3,20,7,8,9,21");
    assert_eq!(board.pits().to_string(), "1,2,3,7,8,9");
    assert_eq!(notation::kgp(&board), "<3,20,21,1,2,3,7,8,9>");
}

#[test]
fn a_wrong_count_is_never_a_guess() {
    // Right for four and for five pits a side.
    assert_eq!(
        wrong("0 0 0 0 0 0 0 0 0 1"),
        "the position has 10 numbers; with 6 pits a side it has 14, or 12 when both stores are empty"
    );
    assert_eq!(
        wrong("4,4,4,4,4,4,0,4,4,4,4,4,4"),
        "the position has 13 numbers; with 6 pits a side it has 14, or 12 when both stores are empty"
    );
    assert_eq!(
        notation::parse::<1>("1 2 3").unwrap_err().to_string(),
        "the position has 3 numbers; with 1 pit a side it has 4, or 2 when both stores are empty"
    );
    assert_eq!(
        wrong(""),
        "the position has no numbers; with 6 pits a side it has 14, or 12 when both stores are empty"
    );
    assert_eq!(wrong(" \t\r\n"), wrong(""));
}

#[test]
fn what_is_no_count_of_stones_is_shown() {
    let with = |last: &str| wrong(&format!("4,4,4,4,4,4,0,4,4,4,4,4,4,{last}"));
    for last in ["-1", "+1", "300", "128", "99999999999999999999", "4.0", "x", "0x4", "٣", "'"] {
        let error = with(last);
        let shown = if last == "'" { "\\'" } else { last };
        assert_eq!(
            error,
            format!("number 14 of the position is '{shown}'; write a whole number from 0 to 127")
        );
    }
    assert_eq!(
        with(&"9".repeat(1000)),
        "number 14 of the position is '999999999999999999999999..'; \
         write a whole number from 0 to 127"
    );
    assert_eq!(
        with("\u{1b}[2J\u{7}\0"),
        "number 14 of the position is '\\u{1b}[2J\\u{7}\\0'; write a whole number from 0 to 127"
    );
}

#[test]
fn a_missing_number_is_no_zero() {
    for (text, place) in [("4,,4", 2), ("4, ,4", 2), (",4", 1), ("4 4,", 3), (",", 1), ("<6,>", 2)]
    {
        assert_eq!(
            wrong(text),
            format!("number {place} of the position is missing; write 0 for an empty pit or store")
        );
    }
    assert_eq!(
        wrong("<>"),
        "number 1 of the position is missing; write 0 for an empty pit or store"
    );
}

#[test]
fn too_many_stones_are_refused() {
    assert_eq!(
        notation::parse::<6>("60 60 8 0 0 0 0 0 0 0 0 0"),
        Err(NotationError::Board(BoardError::TooManyStones(128)))
    );
    assert_eq!(
        wrong("1 0 0 0 0 0 60 0 0 0 0 0 0 67"),
        "the board holds 128 stones; 127 is the most"
    );
    assert_eq!(
        wrong("<6,127,127,127,127,127,127,127,127,127,127,127,127,127,127>"),
        "the board holds 1778 stones; 127 is the most"
    );
    assert!(notation::parse::<6>("60 60 7 0 0 0 0 0 0 0 0 0").is_ok());
}

#[test]
fn a_game_protocol_board_must_have_as_many_pits_as_are_played() {
    let four = "<4,0,0,4,4,4,4,4,4,4,4>";
    assert!(notation::parse::<4>(four).is_ok());
    assert_eq!(
        wrong(four),
        "the board in angle brackets starts with <4, but the game has 6 pits a side: \
         it must start with <6,"
    );
    for (text, found) in
        [("<6>", "1 number"), ("<6,4,4>", "3 numbers"), ("<6,0,0,4,4,4,4,4,4,4,4>", "11 numbers")]
    {
        assert_eq!(
            wrong(text),
            format!(
                "the board in angle brackets has {found}; with 6 pits a side it has 15: \
                 <6,store,opponent's store,the 12 pits>"
            )
        );
    }
    for text in ["<6,0,0", "6,0,0>", "<", ">"] {
        assert_eq!(
            wrong(text),
            "a board in angle brackets starts with < and ends with >, and one of them is missing"
        );
    }
    assert!(matches!(notation::parse::<6>("<<6>>"), Err(NotationError::Number { place: 1, .. })));
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(
        mover: [u8; 6], opponent: [u8; 6], stores: [u8; 2], divisor in 16u8..=255,
    ) {
        let row = |row: [u8; 6]| row.map(|count| count / divisor);
        let [store, opponent_store] = row([stores[0], stores[1], 0, 0, 0, 0])[..2] else {
            unreachable!()
        };
        let Ok(board) = Board::new(row(mover), store, row(opponent), opponent_store) else {
            return Err(TestCaseError::reject("too many stones"));
        };
        prop_assert_eq!(notation::parse(&board.to_string()), Ok(board));
        prop_assert_eq!(notation::parse(&board.to_string().replace(',', " ")), Ok(board));
        prop_assert_eq!(notation::parse(&notation::kgp(&board)), Ok(board));
        let pits: Pits<6> = *board.pits();
        prop_assert_eq!(notation::parse(&pits.to_string()), Ok(Board::from_pits(pits)));
    }

    #[test]
    fn no_text_panics(text in "[-+<>, 0-9a\n]{0,60}|\\PC{0,40}") {
        if let Err(error) = notation::parse::<2>(&text) {
            prop_assert!(!error.to_string().contains('\n'), "{}", error);
        }
    }
}
