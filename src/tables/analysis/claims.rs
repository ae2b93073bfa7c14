//! Which moves keep a value, and whole lines of them. Nothing here asks for a value: that a move
//! reaches one is a claim, which a search settles much sooner.

use std::ops::RangeInclusive;

use super::{AnalysisError, Margins, contradiction};
use crate::rules::{Board, Pit, Played};

/// Values between which play is to stay, seen by the player to move: `8..=8` for perfect play of a
/// value of 8, `1..=127` for play that only has to win.
pub type Values = RangeInclusive<i16>;

/// Whether the player to move gets at least `value`.
///
/// # Errors
///
/// [`AnalysisError::Unknown`], [`AnalysisError::Margins`].
pub fn reaches<const P: usize, M: Margins<P>>(
    board: &Board<P>,
    value: i16,
    margins: &M,
) -> Result<bool, AnalysisError<M::Error>> {
    if let Some(end) = board.final_value() {
        return Ok(end >= value);
    }
    let pits = board.pits();
    let answer = margins.at_least(pits, value - board.lead()).map_err(AnalysisError::Margins)?;
    answer.ok_or_else(|| AnalysisError::Unknown { stones: pits.stones() })
}

/// Whether whoever made a move gets at least `value` by it.
///
/// # Errors
///
/// As [`reaches`].
pub fn move_reaches<const P: usize, M: Margins<P>>(
    played: &Played<P>,
    value: i16,
    margins: &M,
) -> Result<bool, AnalysisError<M::Error>> {
    match played.extra_move {
        true => reaches(&played.board, value, margins),
        false => Ok(!reaches(&played.board, 1 - value, margins)?),
    }
}

/// The lowest pit that keeps the values, and what comes of it; the game is not over.
///
/// # Errors
///
/// [`AnalysisError::Contradiction`] when no pit does, or one gets more; and as [`reaches`].
pub(super) fn lowest_keeping<const P: usize, M: Margins<P>>(
    board: &Board<P>,
    values: &Values,
    margins: &M,
) -> Result<(Pit<P>, Played<P>), AnalysisError<M::Error>> {
    let mut lowest = None;
    for pit in board.legal_pits() {
        let played = board.play(pit, margins.rules()).expect("the pit is one of the legal ones");
        if lowest.is_none() && move_reaches(&played, *values.start(), margins)? {
            lowest = Some((pit, played));
        }
        if move_reaches(&played, values.end() + 1, margins)? {
            return Err(contradiction(board));
        }
    }
    lowest.ok_or_else(|| contradiction(board))
}

/// Adds to `line` the pits sown from the board to the end of the game, each the lowest that keeps
/// the values. What was found before an error stays there.
///
/// # Errors
///
/// [`AnalysisError`].
pub fn follow<const P: usize, M: Margins<P>>(
    board: &Board<P>,
    values: &Values,
    margins: &M,
    line: &mut Vec<Pit<P>>,
) -> Result<(), AnalysisError<M::Error>> {
    let (mut board, mut values) = (*board, values.clone());
    while !board.is_over() {
        let (pit, played) = lowest_keeping(&board, &values, margins)?;
        line.push(pit);
        board = played.board;
        values = after(&played, &values);
    }
    match board.final_value() {
        Some(end) if values.contains(&end) => Ok(()),
        _ => Err(contradiction(&board)),
    }
}

/// Plays a line again and asks of every position of it whether its value is among the values, the
/// end of the game included.
///
/// # Errors
///
/// [`AnalysisError::Contradiction`] when one is not, or the line is no game to its end; and as
/// [`reaches`].
pub fn check_line<const P: usize, M: Margins<P>>(
    board: &Board<P>,
    values: &Values,
    line: &[Pit<P>],
    margins: &M,
) -> Result<(), AnalysisError<M::Error>> {
    let (mut board, mut values) = (*board, values.clone());
    let mut line = line.iter();
    loop {
        if !reaches(&board, *values.start(), margins)?
            || reaches(&board, values.end() + 1, margins)?
        {
            return Err(contradiction(&board));
        }
        let Some(&pit) = line.next() else { break };
        let played = board.play(pit, margins.rules()).map_err(|_| contradiction(&board))?;
        board = played.board;
        values = after(&played, &values);
    }
    if board.is_over() { Ok(()) } else { Err(contradiction(&board)) }
}

/// The same values seen by whoever is to move after a move.
fn after<const P: usize>(played: &Played<P>, values: &Values) -> Values {
    match played.extra_move {
        true => values.clone(),
        false => -values.end()..=-values.start(),
    }
}
