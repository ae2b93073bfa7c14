//! Answers for programs: one object a position, on one line.

use kalah::rules::Rules;
use kalah::tables::analysis::{Analysis, Outcome, Source, ValuedMove};
use serde::Serialize;

use crate::cli::answer::Stopped;

/// An analysed position. The fields are printed in this order.
#[derive(Serialize)]
pub struct Answer {
    position: String,
    rules: Rules,
    stones: usize,
    value: Option<i16>,
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[i16; 2]>,
    source: &'static str,
    moves: Vec<Move>,
    line: Vec<u8>,
}

#[derive(Serialize)]
struct Move {
    pit: u8,
    value: i16,
    outcome: &'static str,
    extra_move: bool,
    captured: u8,
}

/// A line of the input that has no answer.
#[derive(Serialize)]
pub struct BadLine<'a> {
    /// Which line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub error: &'a str,
}

impl Answer {
    /// What is known about a position.
    pub fn new<const P: usize>(analysis: &Analysis<P>, rules: Rules) -> Self {
        Answer {
            position: analysis.board.to_string(),
            rules,
            stones: analysis.board.pits().stones(),
            value: Some(analysis.value),
            outcome: Some(Outcome::of(analysis.value).name()),
            bounds: None,
            source: analysis.source.name(),
            moves: analysis.moves.iter().map(Move::new).collect(),
            line: analysis.line.iter().map(|pit| pit.number()).collect(),
        }
    }

    /// What was proved about a position before the time was over.
    pub fn stopped<const P: usize>(stopped: &Stopped<P>, rules: Rules) -> Self {
        Answer {
            position: stopped.board.to_string(),
            rules,
            stones: stopped.board.pits().stones(),
            value: stopped.value.exact(),
            outcome: stopped.value.outcome().map(Outcome::name),
            bounds: Some([stopped.value.low, stopped.value.high]),
            source: Source::Search.name(),
            moves: stopped.moves.iter().map(Move::new).collect(),
            line: Vec::new(),
        }
    }
}

impl Move {
    fn new<const P: usize>(valued: &ValuedMove<P>) -> Self {
        Move {
            pit: valued.pit.number(),
            value: valued.value,
            outcome: Outcome::of(valued.value).name(),
            extra_move: valued.extra_move,
            captured: valued.captured,
        }
    }
}
