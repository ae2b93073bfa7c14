//! Answers for people.

use std::fmt::Write;

use kalah::rules::{Board, Rules};
use kalah::tables::analysis::{Analysis, Outcome, Source, ValuedMove};

use crate::cli::output::signed;

/// A page about one position: the board, its value, its moves and how it goes on.
pub fn page<const P: usize>(analysis: &Analysis<P>, rules: Rules) -> String {
    let mut page = drawing(&analysis.board);
    let stones = analysis.board.pits().stones();
    let _ = match analysis.source {
        Source::Over => writeln!(page, "\nThe game is over: {}.", verdict(analysis.value)),
        Source::Table => writeln!(
            page,
            "\n{} under perfect play ({rules} rules, {stones} stones in the pits).",
            capitalised(&verdict(analysis.value))
        ),
    };
    if !analysis.moves.is_empty() {
        page.push_str("\n  pit  value\n");
    }
    for valued in &analysis.moves {
        let _ = writeln!(page, "{}", move_row(valued).trim_end());
    }
    if !analysis.line.is_empty() {
        let _ = writeln!(page, "\nPerfect play, a slash where the turn passes:");
        let _ = writeln!(page, "  {}", line(analysis, rules));
    }
    page
}

/// One line about a position.
pub fn summary<const P: usize>(analysis: &Analysis<P>, rules: Rules) -> String {
    let mut text =
        format!("{}  {:+} {}", analysis.board, analysis.value, Outcome::of(analysis.value).name());
    if !analysis.line.is_empty() {
        let _ = write!(text, "  {}", line(analysis, rules));
    } else if let Some(best) = analysis.moves.first() {
        let _ = write!(text, "  {}", best.pit);
    }
    text.push('\n');
    text
}

fn verdict(value: i16) -> String {
    match Outcome::of(value) {
        Outcome::Win => format!("the player to move wins by {value}"),
        Outcome::Draw => "a draw".to_owned(),
        Outcome::Loss => format!("the player to move loses by {}", -value),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn move_row<const P: usize>(valued: &ValuedMove<P>) -> String {
    let outcome = Outcome::of(valued.value).name();
    let mut row = format!("{:>5}  {:>5}  {outcome:<5}", valued.pit.number(), signed(valued.value));
    if valued.extra_move {
        row.push_str(" moves again");
    }
    if valued.captured > 0 {
        let _ = write!(row, " captures {}", valued.captured);
    }
    row
}

/// `3 6 / 2 / 5`: pits in a row are one player's.
fn line<const P: usize>(analysis: &Analysis<P>, rules: Rules) -> String {
    let mut text = String::new();
    let mut board = analysis.board;
    let mut passed = false;
    for &pit in &analysis.line {
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

/// The board as it lies between the players, the player to move below.
fn drawing<const P: usize>(board: &Board<P>) -> String {
    let row = |ends: [&str; 3], cell: &dyn Fn(usize) -> String| {
        let cells: Vec<_> = (0..P).map(cell).collect();
        format!("{}{}{}", ends[0], cells.join(ends[1]), ends[2])
    };
    let bar = |_| "─────".to_owned();
    let pits = board.pits();
    let numbers = |number: &dyn Fn(usize) -> usize| {
        row(["         ", " ", ""], &|pit| format!("{:^5}", number(pit)))
    };
    let (store, opponent_store) = (board.store(), board.opponent_store());
    [
        format!("{}   opponent", numbers(&|pit| P - pit)),
        row(["        ┌", "┬", "┐"], &bar),
        row([" ┌─────┤", "│", "├─────┐"], &|pit| {
            format!("{:^5}", pits.opponent()[P - 1 - pit])
        }),
        row([&format!(" │{opponent_store:^5}├"), "┼", &format!("┤{store:^5}│")], &bar),
        row([" └─────┤", "│", "├─────┘"], &|pit| {
            format!("{:^5}", pits.mover()[pit])
        }),
        row(["        └", "┴", "┘"], &bar),
        format!("{}   to move", numbers(&|pit| pit + 1)),
    ]
    .join("\n")
        + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facing_pits_stand_above_each_other() {
        let board: Board<2> = "1,12,30,3,4,0".parse().unwrap();
        assert_eq!(
            drawing(&board),
            "
           2     1     opponent
        ┌─────┬─────┐
 ┌─────┤  4  │  3  ├─────┐
 │  0  ├─────┼─────┤ 30  │
 └─────┤  1  │ 12  ├─────┘
        └─────┴─────┘
           1     2     to move
"
            .trim_start_matches('\n')
        );
    }
}
