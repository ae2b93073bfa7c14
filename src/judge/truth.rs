//! What is true of a position: by table, and beyond the tables by search as far as it gets.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::JudgeError;
use super::verdict::Verdict;
use crate::rules::{Board, Pit, Played};
use crate::search::{self, Bounds, Question, Searcher, Status};
use crate::tables::{TableError, Tablebase};

/// Bytes of the transposition table beyond the tables, at least. A search of the default number of
/// nodes fills a part of it.
const HASH: usize = 16 << 20;

/// A judge of moves.
pub(super) struct Truth<'t, const P: usize> {
    tables: &'t Tablebase<P>,
    /// Nodes that each question beyond the tables may take.
    nodes: u64,
    /// Made when a position beyond the tables comes.
    searcher: Option<Searcher<'t, P>>,
    hash: usize,
}

/// What is found out about a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Judged<const P: usize> {
    pub verdict: Verdict,
    /// When the move gives points away for certain, pits that do not: all of them where a table says
    /// it, otherwise one or none.
    pub right: Vec<Pit<P>>,
    /// Bounds of the position's value and of the worst move's, where a table says them.
    pub worst: Option<Verdict>,
}

/// Values of the legal moves, by a table.
struct Valued<const P: usize> {
    moves: [Option<(Pit<P>, i16)>; P],
}

impl<'t, const P: usize> Truth<'t, P> {
    pub fn new(tables: &'t Tablebase<P>, nodes: u64) -> Self {
        Truth { tables, nodes, searcher: None, hash: HASH }
    }

    /// What is found out from here on does not depend on what was asked before.
    pub fn forget(&mut self) -> Result<(), JudgeError> {
        self.searcher.as_mut().map_or(Ok(()), Searcher::forget).map_err(JudgeError::Search)
    }

    /// Judges a legal move.
    ///
    /// # Errors
    ///
    /// When a table is damaged, or the search fails.
    pub fn judge(
        &mut self,
        board: &Board<P>,
        pit: Pit<P>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Judged<P>, JudgeError> {
        match self.valued(board)? {
            Some(valued) => Ok(valued.judge(pit)),
            None if board.legal_pits().len() < 2 => {
                let verdict = Verdict::of_only_move();
                Ok(Judged { verdict, right: Vec::new(), worst: Some(verdict) })
            }
            None => self.search(board, pit, stop),
        }
    }

    /// The pits that keep every point, where a table says them.
    pub fn right(&self, board: &Board<P>) -> Result<Vec<Pit<P>>, JudgeError> {
        let valued = self.valued(board)?;
        Ok(valued.map_or_else(Vec::new, |valued| valued.right()))
    }

    /// The values of all moves, where tables have them; the position's own must be the best.
    fn valued(&self, board: &Board<P>) -> Result<Option<Valued<P>>, JudgeError> {
        if self.tables.stones() < Some(board.pits().stones()) {
            return Ok(None);
        }
        let mut moves = [None; P];
        for (pit, slot) in board.legal_pits().zip(&mut moves) {
            let played = board.play(pit, self.tables.rules()).expect("the pit is legal");
            *slot = Some((pit, self.value_after(&played)?));
        }
        let valued = Valued { moves };
        if self.tables.probe(board.pits())? != Some(valued.best() - board.lead()) {
            return Err(JudgeError::Contradiction { position: board.to_string() });
        }
        Ok(Some(valued))
    }

    fn value_after(&self, played: &Played<P>) -> Result<i16, TableError> {
        // A move never adds stones to the pits.
        let margin = self.tables.probe(played.board.pits())?.unwrap_or_default();
        let value = played.board.lead() + margin;
        Ok(if played.extra_move { value } else { -value })
    }

    fn search(
        &mut self,
        board: &Board<P>,
        pit: Pit<P>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Judged<P>, JudgeError> {
        let (tables, nodes) = (self.tables, self.nodes);
        let least = Searcher::<P>::least_hash(board.pits().stones());
        if self.searcher.is_none() || least > self.hash {
            self.hash = self.hash.max(least);
            let options = search::Options { hash: self.hash, threads: 1 };
            self.searcher = Some(Searcher::new(tables.rules(), Some(tables), options)?);
        }
        let searcher = self.searcher.as_ref().expect("it was just made");
        let asked = Asked { searcher, nodes, stop };
        let best = asked.solve(board, Question::Exact)?;
        let played = asked.after(board, pit, best)?;
        let verdict = Verdict::new(best, played);
        let right = match verdict.keeps_points() {
            Some(false) => asked.proved_right(board, verdict.best())?.into_iter().collect(),
            _ => Vec::new(),
        };
        Ok(Judged { verdict, right, worst: None })
    }
}

impl<const P: usize> Valued<P> {
    fn all(&self) -> impl Iterator<Item = (Pit<P>, i16)> + '_ {
        self.moves.iter().flatten().copied()
    }

    fn best(&self) -> i16 {
        self.all().map(|(_, value)| value).max().unwrap_or_default()
    }

    fn right(&self) -> Vec<Pit<P>> {
        let best = self.best();
        self.all().filter(|&(_, value)| value == best).map(|(pit, _)| pit).collect()
    }

    fn judge(&self, pit: Pit<P>) -> Judged<P> {
        let exactly = |value| Bounds { low: value, high: value };
        let best = exactly(self.best());
        let played = self.all().find(|&(other, _)| other == pit).map_or(best.low, |(_, v)| v);
        let worst = self.all().map(|(_, value)| value).min().unwrap_or(best.low);
        Judged {
            verdict: Verdict::new(best, exactly(played)),
            right: if played == best.low { Vec::new() } else { self.right() },
            worst: Some(Verdict::new(best, exactly(worst))),
        }
    }
}

/// Questions to a searcher, each of which may take so many nodes.
struct Asked<'a, 't, const P: usize> {
    searcher: &'a Searcher<'t, P>,
    nodes: u64,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl<const P: usize> Asked<'_, '_, P> {
    /// Bounds of a board's value.
    fn solve(&self, board: &Board<P>, question: Question) -> Result<Bounds, JudgeError> {
        if let Some(value) = board.final_value() {
            return Ok(Bounds { low: value, high: value });
        }
        let most = self.searcher.nodes().saturating_add(self.nodes);
        let budget = Budget { most, taken: AtomicU64::new(0), stop: self.stop };
        Ok(self.searcher.solve(board.pits(), question, &budget)?.with_lead(board.lead()))
    }

    /// Bounds of a move's value. Whether it reaches the best one is found out first: that is the
    /// quicker question, and mostly all there is to know.
    fn after(&self, board: &Board<P>, pit: Pit<P>, best: Bounds) -> Result<Bounds, JudgeError> {
        let played = board.play(pit, self.searcher.rules()).expect("the pit is legal");
        let next = &played.board;
        let seen = |bounds: Bounds| if played.extra_move { bounds } else { bounds.opposite() };
        if let Some(best) = best.exact() {
            let threshold = if played.extra_move { best } else { 1 - best };
            let bounds = seen(self.solve(next, Question::AtLeast(threshold - next.lead()))?);
            if bounds.low >= best {
                return Ok(bounds);
            }
        }
        Ok(seen(self.solve(next, Question::Exact)?))
    }

    /// A pit that keeps this value for certain, if one is found.
    fn proved_right(&self, board: &Board<P>, best: Bounds) -> Result<Option<Pit<P>>, JudgeError> {
        let Some(value) = best.exact() else { return Ok(None) };
        let seeming = self.searcher.line_so_far(board.pits()).first().copied();
        for pit in seeming.into_iter().chain(board.legal_pits()) {
            if self.after(board, pit, best)?.low >= value {
                return Ok(Some(pit));
            }
        }
        Ok(None)
    }
}

/// Stops a search after some nodes. Unlike a time limit that stops it at the same place every time.
struct Budget<'a> {
    most: u64,
    taken: AtomicU64,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl search::Watch for Budget<'_> {
    fn interrupted(&self) -> bool {
        self.taken.load(Relaxed) >= self.most || (self.stop)()
    }

    fn status(&self, status: &Status) {
        self.taken.store(status.nodes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn never() -> bool {
        false
    }

    /// Boards of a game in which the pits are sown in turn.
    fn game<const P: usize>(seeds: u8, rules: Rules) -> Vec<Board<P>> {
        let mut boards = vec![Board::<P>::opening(seeds).unwrap()];
        let mut turn = 0;
        loop {
            let board = boards[boards.len() - 1];
            let legal: Vec<_> = board.legal_pits().collect();
            if legal.is_empty() {
                boards.pop();
                return boards;
            }
            turn += 1;
            boards.push(board.play(legal[turn * 7 % legal.len()], rules).unwrap().board);
        }
    }

    #[test]
    fn a_search_says_the_same_as_tables_or_less() {
        for rules in Rules::ALL {
            let large = Tablebase::<3>::in_memory(rules, 24).unwrap();
            let small = Tablebase::<3>::in_memory(rules, 6).unwrap();
            let mut exact = Truth::new(&large, 0);
            let mut plenty = Truth::new(&small, u64::MAX);
            let mut few = Truth::new(&small, 100);
            let (mut lost, mut open) = (0, 0);
            for board in game::<3>(4, rules) {
                for pit in board.legal_pits() {
                    let truth = exact.judge(&board, pit, &never).unwrap().verdict;
                    let found = plenty.judge(&board, pit, &never).unwrap();
                    assert_eq!(found.verdict.points(), truth.points(), "{board} {pit}");
                    assert_eq!(found.verdict.blunder(), truth.blunder(), "{board} {pit}");
                    let right = exact.right(&board).unwrap();
                    assert!(found.right.iter().all(|pit| right.contains(pit)), "{board} {pit}");
                    lost += i32::from(truth.points() > Some(0));
                    assert!(truth.points() == Some(0) || !found.right.is_empty());
                    let guess = few.judge(&board, pit, &never).unwrap().verdict;
                    let (low, high) = (guess.lost().low, guess.lost().high);
                    assert!((low..=high).contains(&truth.points().unwrap()), "{board} {pit}");
                    open += i32::from(low < high);
                    few.forget().unwrap();
                }
            }
            assert!(lost > 3 && open > 0, "{lost} {open}");
        }
    }

    #[test]
    fn what_is_right_is_told_where_something_was_wrong() {
        let tables = Tablebase::<2>::in_memory(Rules::Standard, 8).unwrap();
        let mut truth = Truth::new(&tables, 0);
        let board = "1,1,3,2,0,4".parse().unwrap();
        let [wrong, right] = [1, 2].map(|number| Pit::from_number(number).unwrap());
        let judged = truth.judge(&board, wrong, &never).unwrap();
        assert_eq!((judged.verdict.points(), judged.right), (Some(4), vec![right]));
        let judged = truth.judge(&board, right, &never).unwrap();
        assert_eq!((judged.verdict.points(), judged.right), (Some(0), vec![]));
        assert_eq!(judged.worst.unwrap().points(), Some(4));
    }

    #[test]
    fn a_stopped_search_claims_only_what_it_proved() {
        let tables = Tablebase::<6>::in_memory(Rules::Standard, 4).unwrap();
        let board = Board::<6>::opening(4).unwrap();
        let pit = Pit::from_number(1).unwrap();
        let verdict = Truth::new(&tables, u64::MAX).judge(&board, pit, &|| true).unwrap().verdict;
        assert_eq!((verdict.points(), verdict.keeps_points()), (None, None));
    }
}
