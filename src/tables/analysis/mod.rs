//! What a position is worth, what each of its moves is worth, and how perfect play goes on.
//!
//! Everything here follows from two questions, the exact margin of some pits and whether it reaches
//! a threshold, and whoever answers them is a [`Margins`]: a [`Tablebase`], or a search.

mod claims;

use std::cmp::Reverse;

use super::{TableError, Tablebase};
use crate::rules::{Board, Pit, Pits, Played, Rules};

use claims::lowest_keeping;
pub use claims::{Values, check_line, follow, move_reaches, reaches};

/// Whoever knows exact margins.
pub trait Margins<const P: usize> {
    /// Why no answer can be had, now or at all.
    type Error: std::error::Error;

    /// The rules under which the margins hold.
    fn rules(&self) -> Rules;

    /// What the player to move gets from these pits minus what the opponent gets, under perfect
    /// play by both; `Ok(None)` when the position is beyond what is known.
    ///
    /// # Errors
    ///
    /// When the answer cannot be had, or cannot be right.
    fn margin(&self, pits: &Pits<P>) -> Result<Option<i16>, Self::Error>;

    /// Whether the player to move gets at least this margin; `Ok(None)` when that is not known.
    /// For those who find it out sooner than the margin itself.
    ///
    /// # Errors
    ///
    /// As [`Margins::margin`].
    fn at_least(&self, pits: &Pits<P>, margin: i16) -> Result<Option<bool>, Self::Error> {
        Ok(self.margin(pits)?.map(|known| known >= margin))
    }

    /// Where the margin of these pits, which are not over, comes from.
    fn source(&self, _pits: &Pits<P>) -> Source {
        Source::Table
    }
}

impl<const P: usize> Margins<P> for Tablebase<P> {
    type Error = TableError;

    fn rules(&self) -> Rules {
        self.rules()
    }

    fn margin(&self, pits: &Pits<P>) -> Result<Option<i16>, TableError> {
        self.probe(pits)
    }
}

/// Who wins, seen by the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The player to move ends with more stones.
    Win,
    /// Both end with the same number.
    Draw,
    /// The opponent ends with more stones.
    Loss,
}

impl Outcome {
    /// The outcome of a game whose stores end this far apart.
    pub fn of(value: i16) -> Self {
        match value {
            1.. => Outcome::Win,
            0 => Outcome::Draw,
            ..=-1 => Outcome::Loss,
        }
    }

    /// The name used in JSON: `win`, `draw` or `loss`.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Win => "win",
            Outcome::Draw => "draw",
            Outcome::Loss => "loss",
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The game is over: the ending sweep says it.
    Over,
    /// A table.
    Table,
    /// A search.
    Search,
}

impl Source {
    /// The name used in JSON: `over`, `table` or `search`.
    pub fn name(self) -> &'static str {
        match self {
            Source::Over => "over",
            Source::Table => "table",
            Source::Search => "search",
        }
    }
}

/// A legal move and what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValuedMove<const P: usize> {
    /// The pit that is sown.
    pub pit: Pit<P>,
    /// The mover's final store minus the opponent's when this pit is sown and both play perfectly
    /// from there.
    pub value: i16,
    /// Whether the last stone falls into the mover's store.
    pub extra_move: bool,
    /// The stones taken from the facing pit.
    pub captured: u8,
}

/// How much of a position to work out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Detail {
    /// The value, every move, and a line of perfect play to the end of the game.
    Full,
    /// The value and one best move, which is sooner.
    Best,
}

/// A position and what is known about it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Analysis<const P: usize> {
    /// The position.
    pub board: Board<P>,
    /// The mover's final store minus the opponent's under perfect play by both.
    pub value: i16,
    /// Where the value comes from.
    pub source: Source,
    /// The legal moves, best first and equal ones by pit; only the first with [`Detail::Best`],
    /// none when the game is over.
    pub moves: Vec<ValuedMove<P>>,
    /// The pits sown from here to the end of the game when both play perfectly, each by whoever is
    /// to move: the first of `moves`, and then the lowest best pit each time. Empty with
    /// [`Detail::Best`], and when the game is over.
    pub line: Vec<Pit<P>>,
}

/// Why a position could not be analysed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError<E> {
    /// The margin of the position, or of one that follows from it, is not known, or not in time.
    #[error("the value of a position of {stones} stones is not known")]
    Unknown {
        /// The stones in its pits.
        stones: usize,
    },
    /// A position's value is not the best of its successors' values.
    #[error(
        "the tables contradict themselves at {position}; find the damaged file with kalah verify"
    )]
    Contradiction {
        /// The position, as it is written.
        position: String,
    },
    /// A margin could not be had.
    #[error(transparent)]
    Margins(E),
}

/// Works out what a position is worth.
///
/// Each value met is held against the values of its successors, so that an answer is never put
/// together from values that contradict each other.
///
/// ```
/// use std::convert::Infallible;
///
/// use kalah::rules::{Board, Pits, Rules};
/// use kalah::tables::analysis::{Detail, Margins, Outcome, analyse};
///
/// /// Looks at everything that can follow. Enough for a handful of stones.
/// struct Exhaustive;
///
/// impl Margins<2> for Exhaustive {
///     type Error = Infallible;
///
///     fn rules(&self) -> Rules {
///         Rules::Standard
///     }
///
///     fn margin(&self, pits: &Pits<2>) -> Result<Option<i16>, Infallible> {
///         let board = Board::from_pits(*pits);
///         let values = board.legal_pits().filter_map(|pit| {
///             let played = board.play(pit, self.rules()).ok()?;
///             let Ok(margin) = self.margin(played.board.pits());
///             let value = played.board.lead() + margin?;
///             Some(if played.extra_move { value } else { -value })
///         });
///         Ok(board.final_value().or(values.max()))
///     }
/// }
///
/// // The second pit earns another move, in which the first pit's stone captures two.
/// let analysis = analyse(&"1,1,3,2,0,4".parse()?, &Exhaustive, Detail::Full)?;
/// assert_eq!(analysis.value, 3);
/// assert_eq!(Outcome::of(analysis.value), Outcome::Win);
/// let moves: Vec<_> = analysis.moves.iter().map(|m| (m.pit.number(), m.value)).collect();
/// assert_eq!(moves, [(2, 3), (1, -1)]);
/// let line: Vec<_> = analysis.line.iter().map(|pit| pit.number()).collect();
/// assert_eq!(line, [2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`AnalysisError`].
pub fn analyse<const P: usize, M: Margins<P>>(
    board: &Board<P>,
    margins: &M,
    detail: Detail,
) -> Result<Analysis<P>, AnalysisError<M::Error>> {
    if let Some(analysis) = finished(board) {
        return Ok(analysis);
    }
    let value = value(board, margins)?;
    let values = value..=value;
    let (moves, line) = match detail {
        Detail::Best => {
            let (pit, Played { extra_move, captured, .. }) =
                lowest_keeping(board, &values, margins)?;
            (vec![ValuedMove { pit, value, extra_move, captured }], Vec::new())
        }
        Detail::Full => {
            let mut moves = valued_moves(board, margins)?;
            moves.sort_by_key(|valued| Reverse(valued.value));
            let mut line = Vec::new();
            follow(board, &values, margins, &mut line)?;
            (moves, line)
        }
    };
    let source = margins.source(board.pits());
    Ok(Analysis { board: *board, value, source, moves, line })
}

/// The analysis of a game that is over, which takes no table; `None` when it goes on.
pub fn finished<const P: usize>(board: &Board<P>) -> Option<Analysis<P>> {
    let value = board.final_value()?;
    let (moves, line) = (Vec::new(), Vec::new());
    Some(Analysis { board: *board, value, source: Source::Over, moves, line })
}

fn value<const P: usize, M: Margins<P>>(
    board: &Board<P>,
    margins: &M,
) -> Result<i16, AnalysisError<M::Error>> {
    let pits = board.pits();
    let margin = match pits.final_margin() {
        Some(margin) => Some(margin),
        None => margins.margin(pits).map_err(AnalysisError::Margins)?,
    };
    let margin = margin.ok_or_else(|| AnalysisError::Unknown { stones: pits.stones() })?;
    Ok(board.lead() + margin)
}

/// Every legal move by pit.
fn valued_moves<const P: usize, M: Margins<P>>(
    board: &Board<P>,
    margins: &M,
) -> Result<Vec<ValuedMove<P>>, AnalysisError<M::Error>> {
    let valued = |pit| {
        let played = board.play(pit, margins.rules()).expect("the pit is one of the legal ones");
        let next = value(&played.board, margins)?;
        let value = if played.extra_move { next } else { -next };
        let (extra_move, captured) = (played.extra_move, played.captured);
        Ok(ValuedMove { pit, value, extra_move, captured })
    };
    board.legal_pits().map(valued).collect()
}

fn contradiction<const P: usize, E>(board: &Board<P>) -> AnalysisError<E> {
    AnalysisError::Contradiction { position: board.to_string() }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use proptest::prelude::*;

    /// Looks at everything that can follow, in positions of at most `known` stones, and adds 2 to
    /// the margins of those with `damaged`.
    struct Exhaustive {
        rules: Rules,
        known: usize,
        damaged: Option<usize>,
    }

    impl Exhaustive {
        fn up_to(known: usize, rules: Rules) -> Self {
            Exhaustive { rules, known, damaged: None }
        }

        fn true_margin(&self, pits: &Pits<3>) -> i16 {
            let board = Board::from_pits(*pits);
            let values = board.legal_pits().map(|pit| {
                let played = board.play(pit, self.rules).unwrap();
                let value = played.board.lead() + self.true_margin(played.board.pits());
                if played.extra_move { value } else { -value }
            });
            board.final_value().or(values.max()).unwrap()
        }
    }

    impl Margins<3> for Exhaustive {
        type Error = Infallible;

        fn rules(&self) -> Rules {
            self.rules
        }

        fn margin(&self, pits: &Pits<3>) -> Result<Option<i16>, Infallible> {
            let damage = if self.damaged == Some(pits.stones()) { 2 } else { 0 };
            Ok((pits.stones() <= self.known).then(|| self.true_margin(pits) + damage))
        }
    }

    #[test]
    fn a_finished_game_takes_no_table() {
        let board = "0,0,0,5,1,0,2,3".parse().unwrap();
        let analysis = analyse(&board, &Exhaustive::up_to(0, Rules::Standard), Detail::Full);
        let analysis = analysis.unwrap();
        assert_eq!((analysis.value, analysis.source), (5 - 6, Source::Over));
        assert_eq!((analysis.moves, analysis.line), (vec![], vec![]));
    }

    #[test]
    fn a_position_beyond_the_tables_is_an_error() {
        let board = "1,1,1,0,1,1,1,0".parse().unwrap();
        let analysis = analyse(&board, &Exhaustive::up_to(5, Rules::Standard), Detail::Full);
        assert_eq!(analysis, Err(AnalysisError::Unknown { stones: 6 }));
    }

    #[test]
    fn a_capture_and_an_extra_move_are_told() {
        // Pit 1 takes the two stones facing pit 2; pit 3 earns an extra move.
        let board = "1,0,1,0,1,2,0,0".parse().unwrap();
        let analysis = analyse(&board, &Exhaustive::up_to(9, Rules::Standard), Detail::Full);
        let mut moves = analysis.unwrap().moves;
        moves.sort_by_key(|valued| valued.pit);
        let told: Vec<_> = moves.iter().map(|m| (m.extra_move, m.captured)).collect();
        assert_eq!(told, [(false, 2), (true, 0)]);
    }

    #[test]
    fn damaged_values_are_not_put_together() {
        let board: Board<3> = "1,0,2,4,1,1,1,3".parse().unwrap();
        for damaged in [6, 4] {
            let margins =
                Exhaustive { damaged: Some(damaged), ..Exhaustive::up_to(6, Rules::Standard) };
            let analysis = analyse(&board, &margins, Detail::Full);
            assert!(
                matches!(analysis, Err(AnalysisError::Contradiction { .. })),
                "{damaged}: {analysis:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_line_reaches_the_value(
            mover in prop::array::uniform3(0u8..3),
            opponent in prop::array::uniform3(0u8..3),
            store in 0u8..20,
            opponent_store in 0u8..20,
            empty_capture: bool,
        ) {
            let rules = if empty_capture { Rules::EmptyCapture } else { Rules::Standard };
            let margins = Exhaustive::up_to(12, rules);
            let board = Board::new(mover, store, opponent, opponent_store).unwrap();
            let full = analyse(&board, &margins, Detail::Full).unwrap();
            prop_assert_eq!(full.value, board.lead() + margins.true_margin(board.pits()));

            let mut end = board;
            let mut sign = 1;
            for &pit in &full.line {
                let played = end.play(pit, rules).unwrap();
                sign = if played.extra_move { sign } else { -sign };
                end = played.board;
            }
            prop_assert_eq!(end.final_value().map(|value| sign * value), Some(full.value));

            prop_assert_eq!(full.moves.len(), board.legal_pits().count());
            prop_assert!(full.moves.is_sorted_by_key(|m| (Reverse(m.value), m.pit)));
            prop_assert_eq!(full.line.first(), full.moves.first().map(|m| &m.pit));

            let best = analyse(&board, &margins, Detail::Best).unwrap();
            prop_assert_eq!(best.value, full.value);
            prop_assert_eq!(best.moves.first(), full.moves.first());
            prop_assert_eq!(best.moves.len(), full.moves.len().min(1));
            prop_assert!(best.line.is_empty());
        }
    }
}
