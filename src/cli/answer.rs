//! What a searcher answers about a position.

use kalah::rules::Board;
use kalah::search::{Bounds, Question, SearchError, Searcher, Watch, Watched};
use kalah::tables::analysis::{Analysis, AnalysisError, Detail, ValuedMove, analyse};

use super::failure::one_line;

/// What is known about a position.
pub enum Answer<const P: usize> {
    /// All that was asked.
    Known(Analysis<P>),
    /// What was proved before the time was over, or somebody asked to stop.
    Stopped(Stopped<P>),
}

/// What was proved in time.
pub struct Stopped<const P: usize> {
    pub board: Board<P>,
    /// Bounds of the value.
    pub value: Bounds,
    /// The moves whose values were found, best first and equal ones by pit; none when the value was
    /// not.
    pub moves: Vec<ValuedMove<P>>,
}

/// What a position is worth, as far as that is found before the watch says to stop.
///
/// # Errors
///
/// Says in one line that the tables contradict themselves, or that a search fails.
pub fn settle<const P: usize>(
    searcher: &Searcher<'_, P>,
    board: &Board<P>,
    detail: Detail,
    watch: &dyn Watch,
) -> Result<Answer<P>, String> {
    let margin = searcher.solve(board.pits(), Question::Exact, watch);
    let value = margin.map_err(|error| one_line(&error))?.with_lead(board.lead());
    if value.exact().is_none() {
        return Ok(Answer::Stopped(Stopped { board: *board, value, moves: Vec::new() }));
    }
    match analyse(board, &Watched::new(searcher, watch), detail) {
        Ok(analysis) => Ok(Answer::Known(analysis)),
        Err(AnalysisError::Unknown { .. }) => {
            let moves = known_moves(searcher, board).map_err(|error| one_line(&error))?;
            Ok(Answer::Stopped(Stopped { board: *board, value, moves }))
        }
        Err(error) => Err(one_line(&error)),
    }
}

/// The moves whose values a searcher knows without further search, best first.
fn known_moves<const P: usize>(
    searcher: &Searcher<'_, P>,
    board: &Board<P>,
) -> Result<Vec<ValuedMove<P>>, SearchError> {
    let mut moves = Vec::new();
    for pit in board.legal_pits() {
        let Ok(played) = board.play(pit, searcher.rules()) else { continue };
        let next = searcher.known(played.board.pits())?.with_lead(played.board.lead());
        if let Some(value) = next.exact() {
            let value = if played.extra_move { value } else { -value };
            let (extra_move, captured) = (played.extra_move, played.captured);
            moves.push(ValuedMove { pit, value, extra_move, captured });
        }
    }
    moves.sort_by_key(|valued| std::cmp::Reverse(valued.value));
    Ok(moves)
}
