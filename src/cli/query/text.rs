//! Answers for people.

use std::fmt::Write;

use kalah::rules::Rules;
use kalah::tables::analysis::{Analysis, Outcome, Source, ValuedMove};

use crate::cli::answer::Stopped;
use crate::cli::drawing::drawing;
use crate::cli::output::signed;
use crate::cli::wording::{bounds, capitalised, is_unproved, line, verdict};

/// Who sits above and below a board.
const PLAYERS: [&str; 2] = ["opponent", "to move"];

/// A page about one position: the board, its value, its moves and how it goes on.
pub fn page<const P: usize>(analysis: &Analysis<P>, rules: Rules) -> String {
    let mut page = drawing(&analysis.board, PLAYERS);
    let stones = analysis.board.pits().stones();
    let _ = match analysis.source {
        Source::Over => writeln!(page, "\nThe game is over: {}.", verdict(analysis.value)),
        Source::Table | Source::Search => writeln!(
            page,
            "\n{} under perfect play ({rules} rules, {stones} stones in the pits{}).",
            capitalised(&verdict(analysis.value)),
            if analysis.source == Source::Search { ", by search" } else { "" },
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
        let _ = writeln!(page, "  {}", line(&analysis.board, &analysis.line, rules));
    }
    page
}

/// A page about a position that time did not suffice for.
pub fn stopped_page<const P: usize>(stopped: &Stopped<P>, rules: Rules) -> String {
    let mut page = drawing(&stopped.board, PLAYERS);
    let stones = stopped.board.pits().stones();
    let _ = writeln!(
        page,
        "\nStopped before all was settled. {} ({rules} rules, {stones} stones in the pits, by \
         search).",
        bounds(&stopped.board, stopped.value),
    );
    if !stopped.moves.is_empty() {
        page.push_str("\n  pit  value, as far as known\n");
    }
    for valued in &stopped.moves {
        let _ = writeln!(page, "{}", move_row(valued).trim_end());
    }
    page
}

/// One line about a position that time did not suffice for.
pub fn stopped_summary<const P: usize>(stopped: &Stopped<P>) -> String {
    let (low, high) = (signed(stopped.value.low), signed(stopped.value.high));
    let known = match stopped.value.exact() {
        Some(value) => format!("{value:+} {}", Outcome::of(value).name()),
        None if is_unproved(&stopped.board, stopped.value) => {
            format!("nothing proved, {low} to {high} by the stones")
        }
        None => format!("bounds {low} to {high}"),
    };
    format!("{}  {known}\n", stopped.board)
}

/// One line about a position.
pub fn summary<const P: usize>(analysis: &Analysis<P>, rules: Rules) -> String {
    let mut text =
        format!("{}  {:+} {}", analysis.board, analysis.value, Outcome::of(analysis.value).name());
    if !analysis.line.is_empty() {
        let _ = write!(text, "  {}", line(&analysis.board, &analysis.line, rules));
    } else if let Some(best) = analysis.moves.first() {
        let _ = write!(text, "  {}", best.pit);
    }
    text.push('\n');
    text
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
