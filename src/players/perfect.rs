//! The player that never gives away a point.

use std::time::Duration;

use super::alpha_beta::{Judgement, MOST_TURNS, ROW};
use super::reckoner::{Limit, REMEMBERED, deepen, only_pit};
use super::transposition::Transpositions;
use super::{Choice, Opinion, Options, Player, PlayerError, Watch};
use crate::rules::{Board, Pit};
use crate::search::{self, Question, SearchError, Searcher, Watched};
use crate::tables::analysis::{AnalysisError, move_reaches};

/// Positions that are looked at by alpha-beta before anything is proved: that takes a moment, and
/// gives a pit to play should there be no time for more.
const FIRST_NODES: u64 = 1 << 18;

/// The solver as a player.
pub(super) struct Perfect<'t, const P: usize> {
    judgement: Judgement<'t, P>,
    time: Option<Duration>,
    known: Transpositions<P>,
    options: search::Options,
    /// Made when it is first needed; it keeps what it found out, which is true in every game.
    searcher: Option<Searcher<'t, P>>,
}

impl<'t, const P: usize> Perfect<'t, P> {
    pub fn new(options: &Options<'t, P>) -> Self {
        let tables = options.tables;
        Perfect {
            judgement: Judgement { rules: tables.rules(), tables: Some(tables), row: ROW },
            time: options.time,
            known: Transpositions::new(REMEMBERED),
            options: options.search,
            searcher: None,
        }
    }

    fn searcher(&mut self) -> Result<&Searcher<'t, P>, SearchError> {
        if self.searcher.is_none() {
            let Judgement { rules, tables, .. } = self.judgement;
            self.searcher = Some(Searcher::new(rules, tables, self.options)?);
        }
        Ok(self.searcher.as_ref().expect("it was just made"))
    }

    /// Proves a value and a pit that keeps it; when the limit is reached before, the pit is
    /// what seems best, `guess` where nothing does.
    fn prove(
        &mut self,
        board: &Board<P>,
        guess: Pit<P>,
        limit: &Limit<'_, P>,
    ) -> Result<Choice<P>, SearchError> {
        let searcher = self.searcher()?;
        let margins = Watched::new(searcher, limit);
        let bounds = searcher.solve(board.pits(), Question::Exact, limit)?;
        let opinion = Opinion::Proved(bounds.with_lead(board.lead()));
        // The pit by which the greatest margin so far was proved or seemed within reach.
        let seeming = searcher.line_so_far(board.pits()).first().copied();
        let legal = board.legal_pits();
        if let Some(margin) = bounds.exact() {
            for pit in seeming.into_iter().chain(legal) {
                let played = board.play(pit, searcher.rules()).expect("the pit is legal");
                match move_reaches(&played, board.lead() + margin, &margins) {
                    Ok(true) => return Ok(Choice { pit, opinion, cut_short: false }),
                    Ok(false) => {}
                    Err(AnalysisError::Unknown { .. }) => break,
                    Err(AnalysisError::Margins(error)) => return Err(error),
                    Err(AnalysisError::Contradiction { .. }) => {
                        return Err(SearchError::DamagedTable);
                    }
                }
            }
            if !limit.reached() {
                return Err(SearchError::DamagedTable);
            }
        }
        Ok(Choice { pit: seeming.unwrap_or(guess), opinion, cut_short: true })
    }
}

impl<const P: usize> search::Watch for Limit<'_, P> {
    fn interrupted(&self) -> bool {
        self.reached()
    }
}

impl<const P: usize> Player<P> for Perfect<'_, P> {
    fn begin_anew(&mut self, _random_seed: u64) -> Result<(), PlayerError> {
        self.known.clear();
        self.searcher = None;
        Ok(())
    }

    fn choose(&mut self, board: &Board<P>, watch: &dyn Watch<P>) -> Result<Choice<P>, PlayerError> {
        if let Some(pit) = only_pit(board)? {
            return Ok(Choice::of(pit));
        }
        let limit = Limit::new(watch, self.time);
        let first = Limit { nodes: FIRST_NODES, ..limit };
        let Perfect { judgement, known, .. } = self;
        let mut thought = deepen(board, judgement, known, MOST_TURNS, &first)?;
        if !thought.is_proved() && !limit.reached() {
            match self.prove(board, thought.best[0], &limit) {
                // Positions that the solver cannot tell apart, on the largest of boards.
                Err(SearchError::HashTooSmall { .. }) => {
                    let Perfect { judgement, known, .. } = self;
                    thought = deepen(board, judgement, known, MOST_TURNS, &limit)?;
                }
                choice => return Ok(choice?),
            }
        }
        let (pit, opinion) = (thought.best[0], thought.opinion);
        Ok(Choice { pit, opinion, cut_short: !thought.is_proved() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tables::Tablebase;

    #[test]
    fn what_the_solver_proves_keeps_the_value() {
        for rules in Rules::ALL {
            let truth = Tablebase::<3>::in_memory(rules, 30).unwrap();
            let few = Tablebase::<3>::in_memory(rules, 3).unwrap();
            let search = search::Options { hash: 1 << 20, threads: 1 };
            let mut player = Perfect::new(&Options { search, ..Options::new(&few) });
            let mut board = Board::<3>::opening(5).unwrap();
            while !board.is_over() {
                let guess = board.legal_pits().next().expect("the game goes on");
                let choice = player.prove(&board, guess, &Limit::new(&(), None)).unwrap();
                let played = board.play(choice.pit, rules).unwrap();
                let next = truth.value(&played.board).unwrap();
                let kept = if played.extra_move { next } else { -next };
                assert_eq!(Some(kept), truth.value(&board), "{board}");
                let value = crate::search::Bounds { low: kept, high: kept };
                assert_eq!(choice.opinion, Opinion::Proved(value));
                assert!(!choice.cut_short);
                board = played.board;
            }
        }
    }
}
