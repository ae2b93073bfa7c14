//! All there is to say about a position: its value, the best moves, how perfect play goes on.

use super::{Bounds, Question, SearchError, Searcher, Status, Watch, Watched};
use crate::rules::{Board, Pit};
use crate::tables::analysis::{
    AnalysisError, Margins, Outcome, Values, check_line, follow, move_reaches,
};

/// What to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// What of the value.
    pub goal: Goal,
    /// Whether to find it out for each first move too.
    pub all_moves: bool,
}

/// What to find out of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The value itself.
    Value,
    /// Only whether it is above, at or below 0, which takes less.
    Winner,
}

/// What was found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution<const P: usize> {
    /// The position.
    pub board: Board<P>,
    /// What is proved of its value: the final store of the player to move minus the opponent's.
    pub value: Bounds,
    /// The first pits that keep the value, or with [`Goal::Winner`] the outcome, in order. None
    /// while that is not known.
    pub best: Vec<Pit<P>>,
    /// The legal first pits, in order, and what is proved of them; empty unless asked for.
    pub moves: Vec<FirstMove<P>>,
    /// The pits sown from here to the end of the game, each the lowest that keeps the value or the
    /// outcome; the claim was checked again for every position of it.
    pub line: Vec<Pit<P>>,
    /// Whether everything asked for was found out; not so when the watch said to stop before.
    pub finished: bool,
}

/// A first move and what is proved of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstMove<const P: usize> {
    /// The pit that is sown.
    pub pit: Pit<P>,
    /// The value, seen by whoever sows it.
    pub value: Bounds,
    /// Where it earns an extra move, the pits that can follow; empty when the game is over.
    pub then: Vec<FirstMove<P>>,
}

impl Goal {
    /// The question about the margin of a position with these stores.
    pub fn question<const P: usize>(self, board: &Board<P>) -> Question {
        match self {
            Goal::Value => Question::Exact,
            Goal::Winner => Question::Against(-board.lead()),
        }
    }

    /// The values that perfect play keeps to; `None` while the bounds do not say.
    fn values(self, value: Bounds) -> Option<Values> {
        const MOST: i16 = crate::rules::MAX_STONES as i16;
        match self {
            Goal::Value => value.exact().map(|value| value..=value),
            Goal::Winner => value.outcome().map(|outcome| match outcome {
                Outcome::Win => 1..=MOST,
                Outcome::Draw => 0..=0,
                Outcome::Loss => -MOST..=-1,
            }),
        }
    }
}

/// Solves a position, and checks what it found.
///
/// Everything that was proved when the watch says to stop is in the solution; its `finished` is
/// then false. The watch is told the bounds of this position's margin throughout.
///
/// ```
/// use kalah::rules::{Board, Rules};
/// use kalah::search::{Goal, Options, Searcher, Task, solve};
///
/// let searcher = Searcher::<3>::new(Rules::Standard, None, Options::default())?;
/// let task = Task { goal: Goal::Value, all_moves: true };
/// let solution = solve(&searcher, &Board::opening(3)?, task, &())?;
/// assert_eq!(solution.value.exact(), Some(2));
/// let best: Vec<_> = solution.best.iter().map(|pit| pit.number()).collect();
/// assert_eq!(best, [1, 2]);
/// // The first pit's last stone falls into the store, and then there are two pits to choose from.
/// let [first, second, third] = &solution.moves[..] else { panic!("three legal pits") };
/// assert_eq!((first.value.exact(), first.then.len()), (Some(2), 2));
/// assert_eq!((second.value.exact(), third.value.exact()), (Some(2), Some(-4)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`AnalysisError::Contradiction`] and [`AnalysisError::Margins`].
pub fn solve<const P: usize>(
    searcher: &Searcher<'_, P>,
    board: &Board<P>,
    task: Task,
    watch: &dyn Watch,
) -> Result<Solution<P>, AnalysisError<SearchError>> {
    let mut run = Run { searcher, watch, goal: task.goal, stopped: false };
    let value = run.bounds(board)?;
    let mut solution = Solution {
        board: *board,
        value,
        best: Vec::new(),
        moves: Vec::new(),
        line: Vec::new(),
        finished: false,
    };
    // What follows are questions about other positions.
    let root = value.with_lead(-board.lead());
    let at_root = AtRoot { watch, bounds: root };
    run.watch = &at_root;
    if let Some(values) = task.goal.values(value)
        && !board.is_over()
        && !run.stopped
    {
        let margins = Watched::new(searcher, &at_root);
        let found = follow(board, &values, &margins, &mut solution.line)
            .and_then(|()| check_line(board, &values, &solution.line, &margins))
            .and_then(|()| best(board, &values, &margins, &mut solution.best));
        run.unless_stopped(found)?;
    }
    if task.all_moves {
        solution.moves = run.moves(board, value)?;
    }
    solution.finished = !run.stopped;
    Ok(solution)
}

/// Finds the pits that keep the values.
fn best<const P: usize, M: Margins<P>>(
    board: &Board<P>,
    values: &Values,
    margins: &M,
    best: &mut Vec<Pit<P>>,
) -> Result<(), AnalysisError<M::Error>> {
    for pit in board.legal_pits() {
        let played = board.play(pit, margins.rules()).expect("the pit is one of the legal ones");
        if move_reaches(&played, *values.start(), margins)? {
            best.push(pit);
        }
    }
    Ok(())
}

/// A solution in the making.
struct Run<'a, 't, const P: usize> {
    searcher: &'a Searcher<'t, P>,
    watch: &'a dyn Watch,
    goal: Goal,
    /// Whether the watch said to stop: from then on only what is known counts.
    stopped: bool,
}

impl<const P: usize> Run<'_, '_, P> {
    /// What can be proved of a position's value.
    fn bounds(&mut self, board: &Board<P>) -> Result<Bounds, AnalysisError<SearchError>> {
        let (pits, question) = (board.pits(), self.goal.question(board));
        let bounds = match self.stopped {
            true => self.searcher.known(pits),
            false => self.searcher.solve(pits, question, self.watch),
        };
        let bounds = bounds.map_err(AnalysisError::Margins)?;
        self.stopped |= !question.is_settled(bounds);
        Ok(bounds.with_lead(board.lead()))
    }

    /// What can be proved of every move of a position, of whose value something is proved already.
    fn moves(
        &mut self,
        board: &Board<P>,
        value: Bounds,
    ) -> Result<Vec<FirstMove<P>>, AnalysisError<SearchError>> {
        let mut moves = Vec::new();
        for pit in board.legal_pits() {
            let rules = self.searcher.rules();
            let played = board.play(pit, rules).expect("the pit is one of the legal ones");
            let next = self.bounds(&played.board)?;
            moves.push(match played.extra_move {
                true => FirstMove { pit, value: next, then: self.moves(&played.board, next)? },
                false => FirstMove { pit, value: next.opposite(), then: Vec::new() },
            });
        }
        // The value is that of the best move: both proofs cannot be right when they rule it out.
        let low = moves.iter().map(|first| first.value.low).max();
        let high = moves.iter().map(|first| first.value.high).max();
        if low.is_some_and(|low| low > value.high) || high.is_some_and(|high| high < value.low) {
            return Err(AnalysisError::Contradiction { position: board.to_string() });
        }
        Ok(moves)
    }

    /// Takes note when something was not found out because the watch said to stop.
    fn unless_stopped(
        &mut self,
        found: Result<(), AnalysisError<SearchError>>,
    ) -> Result<(), AnalysisError<SearchError>> {
        match found {
            Err(AnalysisError::Unknown { .. }) => {
                self.stopped = true;
                Ok(())
            }
            found => found,
        }
    }
}

/// Tells a watch that follows one position about searches of others.
struct AtRoot<'a> {
    watch: &'a dyn Watch,
    bounds: Bounds,
}

impl Watch for AtRoot<'_> {
    fn interrupted(&self) -> bool {
        self.watch.interrupted()
    }

    fn status(&self, status: &Status) {
        self.watch.status(&Status { bounds: self.bounds, asked: self.bounds.low, ..*status });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::*;
    use crate::rules::Rules;
    use crate::search::Options;

    /// Says to stop after so many looks.
    struct After(AtomicU32);

    impl Watch for After {
        fn interrupted(&self) -> bool {
            self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
        }
    }

    fn searcher() -> Searcher<'static, 4> {
        let options = Options { hash: 1 << 20, threads: 1 };
        Searcher::new(Rules::Standard, None, options).unwrap()
    }

    #[test]
    fn what_was_proved_before_a_stop_is_true() {
        let board = Board::opening(3).unwrap();
        let task = Task { goal: Goal::Value, all_moves: true };
        let whole = solve(&searcher(), &board, task, &()).unwrap();
        assert!(whole.finished);
        let value = whole.value.exact().unwrap();
        for looks in [0, 1, 3, 10, 30, 100] {
            let part = solve(&searcher(), &board, task, &After(looks.into())).unwrap();
            assert!(part.value.low <= value && value <= part.value.high);
            assert!(whole.best.starts_with(&part.best) && whole.line.starts_with(&part.line));
            assert_eq!(part.finished, part == whole);
            for (part, whole) in part.moves.iter().zip(&whole.moves) {
                let value = whole.value.exact().unwrap();
                assert!(part.value.low <= value && value <= part.value.high);
            }
        }
    }

    #[test]
    fn the_winner_keeps_to_winning_moves() {
        let board = Board::opening(3).unwrap();
        let exact = solve(&searcher(), &board, Task { goal: Goal::Value, all_moves: true }, &());
        let exact = exact.unwrap();
        let winner = solve(&searcher(), &board, Task { goal: Goal::Winner, all_moves: true }, &());
        let winner = winner.unwrap();
        assert_eq!(winner.value.outcome(), exact.value.outcome());
        for (winner, exact) in winner.moves.iter().zip(&exact.moves) {
            assert_eq!(winner.value.outcome(), exact.value.outcome());
        }
        let outcome = exact.value.outcome();
        let keeping = exact.moves.iter().filter(|first| first.value.outcome() == outcome);
        assert!(winner.best.iter().eq(keeping.map(|first| &first.pit)));
    }

    #[test]
    fn a_finished_game_has_no_moves() {
        let board: Board<4> = "0,0,0,0,3,1,0,2,0,9".parse().unwrap();
        let task = Task { goal: Goal::Value, all_moves: true };
        let solution = solve(&searcher(), &board, task, &()).unwrap();
        assert_eq!(solution.value.exact(), Some(3 - 12));
        assert!(solution.finished && solution.best.is_empty() && solution.moves.is_empty());
    }
}
