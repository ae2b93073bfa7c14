//! Sampled positions with their values and optimal moves, as CSV.
//!
//! The columns are those of the FairKalah data set, in the same order and with the same names
//! (Todd W. Neller and Taylor C. Neller, *Documentation for fairkalah-maia-data.csv*, of
//! [FairKalah](http://modelai.gettysburg.edu/2022/fairkalah/)):
//!
//! | columns | what |
//! | --- | --- |
//! | `pit_6` .. `pit_1` | the mover's pits, from the mover's left |
//! | `score` | the mover's store |
//! | `pit_6o` .. `pit_1o` | the opponent's pits, from the opponent's left |
//! | `score_o` | the opponent's store |
//! | `optimal_6` .. `optimal_1` | 1 when sowing that pit keeps the value, else 0 |
//! | `game_val` | the value: the mover's final store minus the opponent's when both play perfectly |
//!
//! Pits are numbered there from the store outwards, 1 being the one next to it, where everything
//! else here numbers them from their owner's left. So columns go from left to right on the board
//! while their numbers fall.
//!
//! FairKalah plays by the [empty-capture rules](crate::rules::Rules::EmptyCapture) (Neller and Neller,
//! *FairKalah: Towards Fair Mancala Play*, Computers and Games 2022); rows that are to join that data
//! set take tables of these. Here is different:
//!
//! - Positions are [uniform](Sample), of at most as many stones as the tables have. Which ones the data
//!   set has, its documentation does not say.
//! - [Stores](Options::seeds) are empty, or hold what is no longer in the pits, divided at random. They
//!   only add to the value, and never change which pits are optimal.
//! - With `P` pits a side there are the same columns for pits `P` to 1.

mod sample;
mod shuffle;

use std::{
    fmt::Write as _,
    io::{BufWriter, Write},
    path::Path,
};

use super::{ExportError, Progress, check_reach, replace_by};
use crate::{
    rules::{Board, Pit, Pits},
    tables::Tablebase,
};

pub use sample::{Options, OptionsError, Sample};

/// Rows that are looked up together and written at once.
const BATCH: u64 = 1 << 10;

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// How many rows, without the one of names.
    pub rows: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Whether nobody stopped it.
    pub finished: bool,
}

/// The names of the columns, in a line.
///
/// ```
/// assert_eq!(
///     kalah::export::csv::header::<2>(),
///     "pit_2,pit_1,score,pit_2o,pit_1o,score_o,optimal_2,optimal_1,game_val\n"
/// );
/// ```
pub fn header<const P: usize>() -> String {
    let pits = |name: &str, end: &str| -> String {
        (1..=P).rev().map(|pit| format!("{name}_{pit}{end},")).collect()
    };
    format!(
        "{}score,{}score_o,{}game_val\n",
        pits("pit", ""),
        pits("pit", "o"),
        pits("optimal", "")
    )
}

/// Writes a sample, the names of the columns first, as it is drawn.
///
/// The value of every row is held against those of its moves, so that no row contradicts itself.
///
/// # Errors
///
/// [`ExportError`]; what was written before is whole rows.
pub fn write<const P: usize>(
    tables: &Tablebase<P>,
    options: &Options,
    out: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<Written, ExportError> {
    let sample = Sample::new(options)?;
    check_reach(tables, options.stones)?;
    let mut batch = Batch::default();
    let header = header::<P>();
    out.write_all(header.as_bytes())?;
    let mut written = Written { rows: 0, bytes: header.len() as u64, finished: true };
    while written.rows < sample.len() {
        if progress.stop() {
            written.finished = false;
            break;
        }
        let end = sample.len().min(written.rows + BATCH);
        batch.look_up(tables, (written.rows..end).map(|number| sample.board(number)));
        let text = batch.rows(tables)?;
        out.write_all(text.as_bytes())?;
        progress.advance(end - written.rows);
        written.rows = end;
        written.bytes += text.len() as u64;
    }
    out.flush()?;
    Ok(written)
}

/// [`write()`] to a file, which is replaced as a whole; when it is stopped, it is as it was.
///
/// # Errors
///
/// [`ExportError`]; the file is as it was.
pub fn write_file<const P: usize>(
    tables: &Tablebase<P>,
    options: &Options,
    file: &Path,
    progress: &dyn Progress,
) -> Result<Option<Written>, ExportError> {
    replace_by(file, |file| {
        let written = write(tables, options, &mut BufWriter::new(file), progress)?;
        Ok(written.finished.then_some(written))
    })
}

/// Some positions, and those that follow: a look-up waits for memory, many wait at once.
#[derive(Default)]
struct Batch<const P: usize> {
    boards: Vec<Board<P>>,
    /// Of each board the pits, and then those that each move leads to.
    asked: Vec<Pits<P>>,
    margins: Vec<Option<i16>>,
}

impl<const P: usize> Batch<P> {
    fn look_up(&mut self, tables: &Tablebase<P>, boards: impl Iterator<Item = Board<P>>) {
        self.boards.clear();
        self.boards.extend(boards);
        self.asked.clear();
        for board in &self.boards {
            self.asked.push(*board.pits());
            self.asked.extend(board.pits().moves(tables.rules()).map(|(_, sown)| sown.pits));
        }
        self.margins.clear();
        self.margins.resize(self.asked.len(), None);
        tables.margins(&self.asked, &mut self.margins);
    }

    /// The rows of what was looked up.
    fn rows(&self, tables: &Tablebase<P>) -> Result<String, ExportError> {
        let mut text = String::new();
        let mut found = self.asked.iter().zip(&self.margins);
        let mut next = || {
            let (pits, margin) = found.next().expect("as many were asked for as are told");
            match margin {
                Some(margin) => Ok(*margin),
                // All are within reach, so that this is damage; a look-up by itself names it.
                None => tables.probe(pits)?.ok_or_else(|| ExportError::TooSmall {
                    stones: pits.stones(),
                    reach: tables.stones(),
                }),
            }
        };
        for board in &self.boards {
            let margin = next()?;
            let mut moves = Vec::with_capacity(P);
            for (pit, sown) in board.pits().moves(tables.rules()) {
                let follows = next()?;
                let follows = if sown.extra_move { follows } else { -follows };
                moves.push((pit, i16::from(sown.gained) + follows));
            }
            if moves.iter().map(|&(_, margin)| margin).max() != Some(margin) {
                return Err(ExportError::Contradiction { position: board.to_string() });
            }
            let optimal = |pit| moves.contains(&(pit, margin));
            push_row(&mut text, board, optimal, board.lead() + margin);
        }
        Ok(text)
    }
}

fn push_row<const P: usize>(
    text: &mut String,
    board: &Board<P>,
    optimal: impl Fn(Pit<P>) -> bool,
    value: i16,
) {
    let (mover, opponent) = (board.pits().mover(), board.pits().opponent());
    let sides = [(mover, board.store()), (opponent, board.opponent_store())];
    let stones = sides.iter().flat_map(|&(row, store)| row.iter().copied().chain([store]));
    let flags = Pit::all().map(|pit| u8::from(optimal(pit)));
    for number in stones.chain(flags) {
        let _ = write!(text, "{number},");
    }
    let _ = writeln!(text, "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn options(stones: usize) -> Options {
        Options { stones, rows: u64::MAX, random_seed: 1, seeds: None }
    }

    #[test]
    fn the_columns_are_those_of_the_data_set() {
        assert_eq!(
            header::<6>(),
            "pit_6,pit_5,pit_4,pit_3,pit_2,pit_1,score,\
             pit_6o,pit_5o,pit_4o,pit_3o,pit_2o,pit_1o,score_o,\
             optimal_6,optimal_5,optimal_4,optimal_3,optimal_2,optimal_1,game_val\n"
        );
    }

    #[test]
    fn a_board_beyond_the_tables_is_refused() {
        let tables = Tablebase::<2>::in_memory(Rules::Standard, 3).unwrap();
        let mut text = Vec::new();
        let error = write(&tables, &options(4), &mut text, &()).unwrap_err();
        assert!(matches!(error, ExportError::TooSmall { stones: 4, reach: Some(3) }), "{error}");
        assert_eq!(text, b"");
    }
}
