//! Values, bounds and lines of play in words.

use std::fmt::Write;

use kalah::rules::{Board, Pit, Rules};
use kalah::search::Bounds;
use kalah::tables::analysis::Outcome;

use super::output::signed;

/// Who wins, and by how much.
pub fn verdict(value: i16) -> String {
    match Outcome::of(value) {
        Outcome::Win => format!("the player to move wins by {value}"),
        Outcome::Draw => "a draw".to_owned(),
        Outcome::Loss => format!("the player to move loses by {}", -value),
    }
}

/// The text as a sentence begins.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// What is proved of a board's value, in a sentence without its full stop.
pub fn bounds<const P: usize>(board: &Board<P>, value: Bounds) -> String {
    let (low, high) = (signed(value.low), signed(value.high));
    match value.exact() {
        Some(value) => format!("{} under perfect play", capitalised(&verdict(value))),
        None if is_unproved(board, value) => {
            format!("Nothing is proved yet of the value, which the stones bound by {low} to {high}")
        }
        None => format!("The value is within the bounds {low} to {high}, which are proved"),
    }
}

/// Whether bounds say no more of a board's value than its stones do.
pub fn is_unproved<const P: usize>(board: &Board<P>, value: Bounds) -> bool {
    value == Bounds::of_stones(board.pits().stones()).with_lead(board.lead())
}

/// `3 6 / 2 / 5`: pits in a row are one player's.
pub fn line<const P: usize>(board: &Board<P>, line: &[Pit<P>], rules: Rules) -> String {
    let mut text = String::new();
    let mut board = *board;
    let mut passed = false;
    for &pit in line {
        if !text.is_empty() {
            text.push_str(if passed { " / " } else { " " });
        }
        let _ = write!(text, "{pit}");
        let played = board.play(pit, rules).expect("a line is made of legal moves");
        passed = !played.extra_move;
        board = played.board;
    }
    text
}
