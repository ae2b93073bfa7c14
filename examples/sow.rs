//! Sows a pit a line, for other programs to compare with.
//!
//! Reads lines of `rules pits position pit` from standard input, such as
//! `standard 6 4,4,4,4,4,4,0,4,4,4,4,4,4,0 3`, and prints an object a line: the position after the
//! move, seen by whoever moves next and not swept, the pits that player may sow, and what the move
//! did. A bad line gives an object with `line` and `error`; the rest goes on, and the exit status
//! at the end is 2.

use std::{
    error::Error,
    io::{self, BufRead, Write},
    process::ExitCode,
};

use kalah::{
    rules::{Pit, Rules, notation},
    with_pits,
};
use serde::Serialize;

#[derive(Serialize)]
struct Answer {
    position: String,
    legal_pits: Vec<u8>,
    extra_move: bool,
    captured: u8,
    /// The difference of the stores after the ending sweep; null when the game goes on.
    final_value: Option<i16>,
}

#[derive(Serialize)]
struct Fault {
    line: usize,
    error: String,
}

fn answer(line: &str) -> Result<Answer, Box<dyn Error>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [rules, pits, position @ .., pit] = &words[..] else {
        return Err("a line is: rules pits position pit".into());
    };
    let (rules, position, pit) = (rules.parse()?, position.join(" "), pit.parse()?);
    with_pits!(pits.parse().unwrap_or(0), sow(rules, &position, pit))
        .ok_or_else(|| format!("{pits:?} pits a side; there are 1 to 8"))?
}

fn sow<const P: usize>(rules: Rules, position: &str, pit: usize) -> Result<Answer, Box<dyn Error>> {
    let board = notation::parse::<P>(position)?;
    let played = board.play(Pit::from_number(pit)?, rules)?;
    Ok(Answer {
        position: played.board.to_string(),
        legal_pits: played.board.legal_pits().map(Pit::number).collect(),
        extra_move: played.extra_move,
        captured: played.captured,
        final_value: played.board.final_value(),
    })
}

fn main() -> io::Result<ExitCode> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut faults = 0;
    for (index, line) in io::stdin().lock().lines().enumerate() {
        let json = match answer(&line?) {
            Ok(answer) => serde_json::to_string(&answer)?,
            Err(error) => {
                faults += 1;
                serde_json::to_string(&Fault { line: index + 1, error: error.to_string() })?
            }
        };
        writeln!(out, "{json}")?;
    }
    out.flush()?;
    Ok(if faults == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) })
}
