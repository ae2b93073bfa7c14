//! Players that look ahead: all levels but the highest.

use std::time::{Duration, Instant};

use super::alpha_beta::{AlphaBeta, Halt, Judgement, MOST_TURNS, STONE, Valued};
use super::random::Random;
use super::transposition::Transpositions;
use super::{Choice, Opinion, Options, Player, PlayerError, Watch};
use crate::rules::{Board, Pit};
use crate::search::{Bounds, SearchError};

/// Positions that a player remembers while it looks ahead, as a power of two.
pub(super) const REMEMBERED: u32 = 18;

/// How a player thinks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Style {
    /// One time in so many a pit is sown at random, or never.
    pub random: Option<u32>,
    /// How many turns are looked ahead at most.
    pub turns: u8,
    /// What a stone more in the own row than in the other is worth.
    pub row: i16,
    /// Whether lines end in tables.
    pub tables: bool,
    /// How many positions are looked at when there is no time limit.
    pub nodes: u64,
}

/// A player that looks ahead, deeper and deeper, until it has looked as far as it does.
pub(super) struct Reckoner<'t, const P: usize> {
    pub style: Style,
    pub judgement: Judgement<'t, P>,
    pub time: Option<Duration>,
    pub random: Random,
    pub known: Transpositions<P>,
}

impl<'t, const P: usize> Reckoner<'t, P> {
    pub fn new(style: Style, options: &Options<'t, P>) -> Self {
        let rules = options.tables.rules();
        let tables = style.tables.then_some(options.tables);
        Reckoner {
            style,
            judgement: Judgement { rules, tables, row: style.row },
            time: options.time,
            random: Random::new(options.random_seed),
            known: Transpositions::new(REMEMBERED),
        }
    }
}

/// When to stop.
#[derive(Clone, Copy)]
pub(super) struct Limit<'a, const P: usize> {
    pub due: Option<Instant>,
    /// The most nodes.
    pub nodes: u64,
    pub watch: &'a dyn Watch<P>,
}

impl<'a, const P: usize> Limit<'a, P> {
    /// The watch's, and no more than so much time from now on.
    pub fn new(watch: &'a dyn Watch<P>, time: Option<Duration>) -> Self {
        let own = time.and_then(|time| Instant::now().checked_add(time));
        let due = own.into_iter().chain(watch.deadline()).min();
        Limit { due, nodes: u64::MAX, watch }
    }

    /// Whether the time is over, or somebody said to stop.
    pub fn reached(&self) -> bool {
        self.watch.interrupted() || self.due.is_some_and(|due| Instant::now() >= due)
    }
}

/// What came of looking ahead.
pub(super) struct Thought<const P: usize> {
    /// The best pits, as good as each other, best looking first; at least one.
    pub best: Vec<Pit<P>>,
    pub opinion: Opinion,
}

impl<const P: usize> Thought<P> {
    /// Whether there is nothing more to find out.
    pub fn is_proved(&self) -> bool {
        matches!(self.opinion, Opinion::Proved(bounds) if bounds.exact().is_some())
    }
}

/// Looks ahead from a board on which the game goes on, by one turn more each time, up to so many
/// turns or until the value is proved or the limit reached. How it comes out first is a matter of
/// looks.
pub(super) fn deepen<const P: usize>(
    board: &Board<P>,
    judgement: &Judgement<'_, P>,
    known: &mut Transpositions<P>,
    turns: u8,
    limit: &Limit<'_, P>,
) -> Result<Thought<P>, PlayerError> {
    let stop = |nodes| nodes >= limit.nodes || limit.reached();
    let mut search = AlphaBeta::new(judgement, known, &stop);
    let mut moves = search.by_looks(board.pits());
    let mut thought = Thought { best: vec![moves[0].pit], opinion: Opinion::None };
    for turns in 1..=turns.min(MOST_TURNS) {
        let proved = match search.rank(board.pits(), turns, &mut moves) {
            Ok(proved) => proved,
            Err(Halt::Stopped) => break,
            Err(Halt::Damaged) => return Err(SearchError::DamagedTable.into()),
        };
        let best = moves[0].value;
        let value = board.lead() + best.div_euclid(STONE);
        let equal = moves.iter().take_while(|valued| valued.value == best);
        thought.best = equal.map(|&Valued { pit, .. }| pit).collect();
        thought.opinion = match proved {
            true => Opinion::Proved(Bounds { low: value, high: value }),
            false => Opinion::Estimate(value),
        };
        let (pit, opinion) = (thought.best[0], thought.opinion);
        limit.watch.leaning(&Choice { pit, opinion, cut_short: false });
        if proved {
            break;
        }
    }
    Ok(thought)
}

/// The pit to sow when there is no other.
///
/// # Errors
///
/// [`PlayerError::GameOver`].
pub(super) fn only_pit<const P: usize>(board: &Board<P>) -> Result<Option<Pit<P>>, PlayerError> {
    let mut legal = board.legal_pits();
    let first = legal.next().ok_or(PlayerError::GameOver)?;
    Ok(legal.next().is_none().then_some(first))
}

impl<const P: usize> Player<P> for Reckoner<'_, P> {
    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.known.clear();
        Ok(())
    }

    fn begin_anew(&mut self, random_seed: u64) -> Result<(), PlayerError> {
        self.random = Random::new(random_seed);
        self.new_game()
    }

    fn choose(&mut self, board: &Board<P>, watch: &dyn Watch<P>) -> Result<Choice<P>, PlayerError> {
        if let Some(pit) = only_pit(board)? {
            return Ok(Choice::of(pit));
        }
        let Style { random, turns, nodes, .. } = self.style;
        if random.is_some_and(|times| self.random.below(times) == 0) {
            let legal: Vec<_> = board.legal_pits().collect();
            return self.random.one_of(&legal).map(Choice::of).ok_or(PlayerError::GameOver);
        }
        let mut limit = Limit::new(watch, self.time);
        if limit.due.is_none() {
            limit.nodes = nodes;
        }
        // What it looked at for earlier moves would let a level of few turns see further.
        if nodes == u64::MAX {
            self.known.clear();
        }
        let thought = deepen(board, &self.judgement, &mut self.known, turns, &limit)?;
        let pit = self.random.one_of(&thought.best).unwrap_or(thought.best[0]);
        let cut_short = !thought.is_proved() && limit.reached();
        Ok(Choice { pit, opinion: thought.opinion, cut_short })
    }
}
