//! The solution for people.

use std::fmt::Write;

use kalah::rules::Board;
use kalah::search::{Bounds, FirstMove, Goal, Solution};
use kalah::tables::analysis::Outcome;

use super::{Args, Cost};
use crate::cli::output::{count, pits_a_side, rounded, seconds, signed};
use crate::cli::wording::{bounds, capitalised, line};

/// A page about a solution.
pub(super) fn page<const P: usize>(
    args: &Args,
    solution: &Solution<P>,
    goal: Goal,
    cost: &Cost,
) -> String {
    let rules = args.tables.rules();
    let position = match args.seeds {
        Some(1) => "1 stone in every pit".to_owned(),
        Some(seeds) => format!("{seeds} stones in every pit"),
        None => solution.board.to_string(),
    };
    let mut page = format!("{}.\n", result(&solution.board, solution.value, goal));
    let _ = writeln!(page, "({rules} rules, {} a side, {position})", pits_a_side(P as u8));
    if !solution.best.is_empty() {
        let pits: Vec<_> = solution.best.iter().map(ToString::to_string).collect();
        let _ = writeln!(page, "\nFirst pits that keep this: {}", pits.join(", "));
    }
    if !solution.moves.is_empty() {
        page.push_str("\nFirst pits, and those after an extra move:\n");
        moves(&mut page, &solution.moves, goal, "");
    }
    if !solution.line.is_empty() {
        let rest = if solution.finished { "" } else { " .." };
        let title = match goal {
            Goal::Value => "Perfect play",
            Goal::Winner => "Play that keeps the outcome",
        };
        let _ = writeln!(page, "\n{title}, a slash where the turn passes:");
        let _ = writeln!(page, "  {}{rest}", line(&solution.board, &solution.line, rules));
    }
    if !solution.finished {
        page.push_str("\nStopped before all was found out.\n");
    }
    if !args.output.quiet {
        let _ = writeln!(page, "\n{}", what_it_took(cost));
    }
    page
}

fn result<const P: usize>(board: &Board<P>, value: Bounds, goal: Goal) -> String {
    match (goal, value.outcome()) {
        (Goal::Winner, Some(outcome)) => {
            format!("{} under perfect play", capitalised(winner(outcome)))
        }
        _ => bounds(board, value),
    }
}

fn winner(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "the player to move wins",
        Outcome::Draw => "a draw",
        Outcome::Loss => "the player to move loses",
    }
}

/// A row for each move, `3-1` after the extra move that 3 earns.
fn moves<const P: usize>(page: &mut String, list: &[FirstMove<P>], goal: Goal, before: &str) {
    for first in list {
        let pits = format!("{before}{}", first.pit);
        let value = match (goal, first.value.exact(), first.value.outcome()) {
            (Goal::Value, Some(value), _) => {
                format!("{:>5}  {}", signed(value), Outcome::of(value).name())
            }
            (Goal::Winner, _, Some(outcome)) => format!("  {}", outcome.name()),
            _ => format!("  {} to {}", signed(first.value.low), signed(first.value.high)),
        };
        let again = if first.then.is_empty() { "" } else { "  moves again" };
        let _ = writeln!(page, "  {pits:<12}{value}{again}");
        moves(page, &first.then, goal, &format!("{pits}-"));
    }
}

fn what_it_took(cost: &Cost) -> String {
    let over = match cost.table_stones {
        Some(stones) => format!("over tables of {stones} stones"),
        None => "without tables".to_owned(),
    };
    let speed = cost.nodes as f64 / cost.search.as_secs_f64().max(1e-9);
    format!(
        "Searched {} positions in {}, {} a second, {over}: {} look-ups there.",
        count(cost.nodes),
        seconds(cost.search),
        rounded(speed),
        count(cost.probes),
    )
}
