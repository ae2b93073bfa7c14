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
//! FairKalah plays by the [empty-capture rules](crate::rules::Rules::EmptyCapture); rows that are to
//! join that data set take tables of these. Its boards are from games, while here they are
//! uniform ([`Sample`]), with [stores](Options::seeds) that are empty or divided by chance. With
//! `P` pits a side other than 6 there are the same columns for pits `P` to 1.

use std::{
    fmt::Write as _,
    io::{BufWriter, Write},
    path::Path,
};

use super::{ExportError, Progress, check_reach, replace_by, shuffle::Shuffle};
use crate::{
    players::Random,
    ranking::{Layer, row_count},
    rules::{Board, MAX_STONES, Pit, Pits},
    tables::Tablebase,
};

/// Rows that are looked up together and written at once.
const BATCH: u64 = 1 << 10;

/// Which positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The most stones in the pits.
    pub stones: usize,
    /// How many rows; all positions when there are fewer.
    pub rows: u64,
    /// Where the random numbers begin; the same number draws the same again.
    pub random_seed: u64,
    /// The stones in every pit of the opening that the boards are from: those that are no longer in
    /// the pits lie in the stores, every division with the same chance. Without it stores are empty.
    pub seeds: Option<u8>,
}

/// Why there is no such sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// With fewer than two stones in the pits every game is over.
    #[error("with {stones} stones in the pits every game is over; ask for at least 2")]
    NoPositions {
        /// The most stones asked for.
        stones: usize,
    },
    /// A position could have more stones than the game.
    #[error(
        "a game of {seeds} stones a pit has {total}, and positions of {stones} are asked for; \
         ask for at most {total}"
    )]
    FewerInGame {
        /// Stones in every pit of the opening.
        seeds: u8,
        /// Stones of the game.
        total: usize,
        /// The most stones asked for.
        stones: usize,
    },
    /// More stones than a board or a count takes.
    #[error("with {pits} pits a side no positions of {stones} stones are counted; ask for fewer")]
    TooMany {
        /// The stones asked for, in the pits or in the game.
        stones: usize,
        /// The pits a side.
        pits: usize,
    },
}

/// Positions drawn by a seed: of all positions of up to so many stones in which the game goes on,
/// each has the same chance, and comes at most once. Most positions have about as many stones as
/// are allowed, and so do most drawn.
///
/// Each is found by its number alone, in any order, without memory for the others.
///
/// ```
/// use kalah::export::csv::{Options, Sample};
///
/// let options = Options { stones: 2, rows: 1_000, random_seed: 1, seeds: Some(4) };
/// let sample = Sample::<6>::new(&options)?;
/// assert_eq!(sample.len(), 36); // a stone in one pit of each row
/// assert_eq!(sample.board(0).stones(), 48);
/// assert_eq!(sample.board(0).pits().stones(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sample<const P: usize> {
    /// The layers that have open positions, each after how many there are before.
    layers: Vec<(u64, Layer<P>)>,
    order: Shuffle,
    options: Options,
}

impl<const P: usize> Sample<P> {
    /// The sample of these options.
    ///
    /// # Errors
    ///
    /// [`OptionsError`].
    pub fn new(options: &Options) -> Result<Self, OptionsError> {
        let Options { stones, seeds, random_seed, .. } = *options;
        let too_many = |stones| OptionsError::TooMany { stones, pits: P };
        if let Some(seeds) = seeds {
            let total = usize::from(seeds) * 2 * P;
            if total > MAX_STONES {
                return Err(too_many(total));
            }
            if total < stones {
                return Err(OptionsError::FewerInGame { seeds, total, stones });
            }
        }
        let mut count = 0u64;
        let mut layers = Vec::new();
        for stones in 2..=stones {
            let layer = Layer::new(stones).ok_or_else(|| too_many(stones))?;
            let open = layer.open_positions();
            layers.push((count, layer));
            count = count.checked_add(open).ok_or_else(|| too_many(stones))?;
        }
        if count == 0 {
            return Err(OptionsError::NoPositions { stones });
        }
        Ok(Sample { layers, order: Shuffle::new(count, random_seed), options: *options })
    }

    /// How many positions there are to draw from.
    pub fn positions(&self) -> u64 {
        self.order.count()
    }

    /// How many are drawn.
    #[expect(clippy::len_without_is_empty, reason = "there may be no rows, but nobody asks")]
    pub fn len(&self) -> u64 {
        self.options.rows.min(self.positions())
    }

    /// The position with this number.
    ///
    /// # Panics
    ///
    /// When `number` is not below [`Sample::len`].
    pub fn board(&self, number: u64) -> Board<P> {
        assert!(number < self.len(), "the sample has {} positions", self.len());
        let open = self.order.at(number);
        let after = self.layers.partition_point(|&(before, _)| before <= open);
        let (before, layer) = &self.layers[after - 1];
        // Those in which the mover's row is empty come first, those in which the other is last.
        let (mover, opponent) = layer.position(row_count(P, layer.stones()) + open - before);
        let board = |store, opponent_store| {
            let board = Board::new(mover, store, opponent, opponent_store);
            board.expect("there are no more stones than a board takes")
        };
        let Some(seeds) = self.options.seeds else { return board(0, 0) };
        // No more than a board takes.
        let stored = (usize::from(seeds) * 2 * P - layer.stones()) as u8;
        // Numbers of the order's rounds are far below.
        let mut random = Random::of_piece(self.options.random_seed, u64::MAX - open);
        let store = random.below(u32::from(stored) + 1) as u8;
        board(store, stored - store)
    }
}

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

/// [`write`] to a file, which is replaced as a whole; when it is stopped, it is as it was.
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
    use std::collections::HashSet;

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
    fn a_sample_as_large_as_all_is_every_open_position_once() {
        for stones in 2..=5 {
            let sample = Sample::<3>::new(&options(stones)).unwrap();
            let boards: HashSet<_> = (0..sample.len()).map(|n| sample.board(n)).collect();
            assert_eq!(boards.len() as u64, sample.len());
            let open: u64 =
                (0..=stones).map(|n| Layer::<3>::new(n).unwrap().open_positions()).sum();
            assert_eq!(sample.len(), open);
            assert!(boards.iter().all(|b| !b.is_over() && (2..=stones).contains(&b.stones())));
        }
    }

    #[test]
    fn layers_are_drawn_from_as_often_as_they_have_positions() {
        let sample = Sample::<6>::new(&Options { rows: 20_000, ..options(12) }).unwrap();
        let mut drawn = [0u64; 13];
        (0..sample.len()).for_each(|n| drawn[sample.board(n).stones()] += 1);
        for (stones, &drawn) in drawn.iter().enumerate() {
            let layer = Layer::<6>::new(stones).unwrap();
            let share = layer.open_positions() as f64 / sample.positions() as f64;
            let expected = share * sample.len() as f64;
            // Four standard deviations.
            let apart = (drawn as f64 - expected).abs();
            assert!(apart <= 4.0 * expected.sqrt() + 0.5, "{stones}: {drawn}, not {expected}");
        }
    }

    #[test]
    fn stones_that_are_not_in_the_pits_are_divided_between_the_stores() {
        let sample = Sample::<6>::new(&Options { seeds: Some(4), ..options(3) }).unwrap();
        let boards: Vec<_> = (0..sample.len()).map(|n| sample.board(n)).collect();
        assert!(boards.iter().all(|board| board.stones() == 48));
        let stores: HashSet<_> = boards.iter().map(Board::store).collect();
        assert!(stores.len() > 40, "{stores:?}");
        // The same pits are drawn in the same order.
        let empty = Sample::<6>::new(&options(3)).unwrap();
        assert!(boards.iter().zip(0..).all(|(board, n)| board.pits() == empty.board(n).pits()));
    }

    #[test]
    fn samples_that_cannot_be_are_refused() {
        let error = |options| Sample::<6>::new(&options).unwrap_err();
        assert_eq!(error(options(1)), OptionsError::NoPositions { stones: 1 });
        let fewer = OptionsError::FewerInGame { seeds: 1, total: 12, stones: 13 };
        assert_eq!(error(Options { seeds: Some(1), ..options(13) }), fewer);
        let many = OptionsError::TooMany { stones: 132, pits: 6 };
        assert_eq!(error(Options { seeds: Some(11), ..options(2) }), many);
        let many = OptionsError::TooMany { stones: 128, pits: 6 };
        assert_eq!(error(options(128)), many);
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
