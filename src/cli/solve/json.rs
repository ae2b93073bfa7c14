//! The solution for programs: one object on one line.

use kalah::rules::Rules;
use kalah::search::{Bounds, FirstMove, Goal, Solution};
use kalah::tables::analysis::Outcome;
use serde::Serialize;

use super::{Args, Cost};

/// A solution. The fields are printed in this order.
#[derive(Serialize)]
pub struct Report {
    rules: Rules,
    pits: u8,
    seeds: Option<u8>,
    /// What was asked for, when it is no opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(flatten)]
    value: Value,
    best: Vec<u8>,
    moves: Vec<Move>,
    line: Vec<u8>,
    table_stones: Option<usize>,
    nodes: u64,
    probes: u64,
    seconds: Seconds,
    finished: bool,
}

/// What is proved of a value.
#[derive(Serialize)]
struct Value {
    /// `None` as well when only the winner was asked for.
    value: Option<i16>,
    outcome: Option<&'static str>,
    /// When what was asked for is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[i16; 2]>,
}

#[derive(Serialize)]
struct Move {
    pit: u8,
    #[serde(flatten)]
    value: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    then: Vec<Move>,
}

#[derive(Serialize)]
struct Seconds {
    tables: f64,
    search: f64,
}

impl Report {
    /// What was found, and what it took.
    pub(super) fn new<const P: usize>(
        args: &Args,
        solution: &Solution<P>,
        goal: Goal,
        cost: &Cost,
    ) -> Self {
        Report {
            rules: args.tables.rules(),
            pits: args.tables.pits(),
            seeds: args.seeds,
            position: args.seeds.is_none().then(|| solution.board.to_string()),
            value: Value::new(solution.value, goal),
            best: solution.best.iter().map(|pit| pit.number()).collect(),
            moves: solution.moves.iter().map(|first| Move::new(first, goal)).collect(),
            line: solution.line.iter().map(|pit| pit.number()).collect(),
            table_stones: cost.table_stones,
            nodes: cost.nodes,
            probes: cost.probes,
            seconds: Seconds {
                tables: cost.tables.as_secs_f64(),
                search: cost.search.as_secs_f64(),
            },
            finished: solution.finished,
        }
    }
}

impl Value {
    fn new(bounds: Bounds, goal: Goal) -> Self {
        let outcome = bounds.outcome();
        let value = bounds.exact().filter(|_| goal == Goal::Value);
        let settled = match goal {
            Goal::Value => value.is_some(),
            Goal::Winner => outcome.is_some(),
        };
        Value {
            value,
            outcome: outcome.map(Outcome::name),
            bounds: (!settled).then_some([bounds.low, bounds.high]),
        }
    }
}

impl Move {
    fn new<const P: usize>(first: &FirstMove<P>, goal: Goal) -> Self {
        Move {
            pit: first.pit.number(),
            value: Value::new(first.value, goal),
            then: first.then.iter().map(|next| Move::new(next, goal)).collect(),
        }
    }
}
