//! What the computer works out: its own pit, a hint, what every pit is worth.

use std::time::{Duration, Instant};

use kalah::players::{self, Choice, Level, Player, PlayerError};
use kalah::rules::{Board, Pit};
use kalah::search::{self, Bounds, Question, Searcher};
use kalah::tables::analysis::Detail;

use crate::cli::answer::{Answer, settle};
use crate::cli::failure::one_line;

/// How long a hint may take.
const HINT: Duration = Duration::from_secs(1);

/// How long the values of all pits may take together.
const EVALUATION: Duration = Duration::from_secs(3);

/// Bytes of memory for hints and values, unless the board needs more.
const HASH: usize = 64 << 20;

/// Until when something is worked out: a time, or when somebody says so.
pub struct Until<'a> {
    /// The time.
    pub deadline: Option<Instant>,
    /// Whether to stop.
    pub stopped: &'a (dyn Fn() -> bool + Sync),
}

impl search::Watch for Until<'_> {
    fn interrupted(&self) -> bool {
        (self.stopped)() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl<const P: usize> players::Watch<P> for Until<'_> {
    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn interrupted(&self) -> bool {
        (self.stopped)()
    }
}

/// What to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hint<const P: usize> {
    /// The best pit when the value is exact, and else what looks best, if anything does.
    pub pit: Option<Pit<P>>,
    /// What is proved of the value.
    pub value: Proved,
}

/// What a pit is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PitValue<const P: usize> {
    /// The pit.
    pub pit: Pit<P>,
    /// What is proved of its value, for whoever sows it.
    pub value: Proved,
}

/// What is proved of a value in the time there was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proved {
    /// All.
    Exact(i16),
    /// Something that the stones alone do not say.
    Within(Bounds),
    /// Nothing.
    Nothing,
}

impl Proved {
    /// What these bounds of a board's value say.
    fn of<const P: usize>(value: Bounds, board: &Board<P>) -> Self {
        let trivial = Bounds::of_stones(board.pits().stones()).with_lead(board.lead());
        match value.exact() {
            Some(value) => Proved::Exact(value),
            None if value == trivial => Proved::Nothing,
            None => Proved::Within(value),
        }
    }

    /// The same seen by the other player.
    fn opposite(self) -> Self {
        match self {
            Proved::Exact(value) => Proved::Exact(-value),
            Proved::Within(bounds) => Proved::Within(bounds.opposite()),
            Proved::Nothing => Proved::Nothing,
        }
    }
}

/// How a pit is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choosing {
    /// How well.
    pub level: Level,
    /// What is random comes from this.
    pub random_seed: u64,
}

/// The computer's part in a game.
pub struct Brain<'t, const P: usize> {
    options: players::Options<'t, P>,
    /// The solver as a player, which keeps what it found out.
    perfect: Option<Box<dyn Player<P> + Send + 't>>,
    /// For hints and values.
    searcher: Option<Searcher<'t, P>>,
}

impl<'t, const P: usize> Brain<'t, P> {
    /// Plays with this. The options' random seed is not used.
    pub fn new(options: players::Options<'t, P>) -> Self {
        Brain { options, perfect: None, searcher: None }
    }

    /// Chooses a pit for the computer.
    ///
    /// # Errors
    ///
    /// As [`Player::choose`].
    pub fn choose(
        &mut self,
        board: &Board<P>,
        Choosing { level, random_seed }: Choosing,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Choice<P>, PlayerError> {
        let until = Until { deadline: None, stopped };
        let player = || level.player(&players::Options { random_seed, ..self.options });
        match level {
            // What it found out is true in any game, and took long.
            Level::Perfect => self.perfect.get_or_insert_with(player).choose(board, &until),
            // A new one each time, so that nothing but the position and the seed decides.
            _ => player().choose(board, &until),
        }
    }

    /// Says what to play, with the exact value where it is found in time.
    ///
    /// # Errors
    ///
    /// Says in one line what is wrong with the tables, or why there is no memory.
    pub fn hint(
        &mut self,
        board: &Board<P>,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Hint<P>, String> {
        let until = Until { deadline: Instant::now().checked_add(HINT), stopped };
        let searcher = self.searcher(board)?;
        Ok(match settle(searcher, board, Detail::Best, &until)? {
            Answer::Known(analysis) => Hint {
                pit: analysis.moves.first().map(|best| best.pit),
                value: Proved::Exact(analysis.value),
            },
            Answer::Stopped(stopped) => Hint {
                pit: searcher.line_so_far(board.pits()).first().copied(),
                value: Proved::of(stopped.value, board),
            },
        })
    }

    /// Says what every legal pit is worth, as far as that is found in time.
    ///
    /// # Errors
    ///
    /// As [`Brain::hint`].
    pub fn evaluate(
        &mut self,
        board: &Board<P>,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<PitValue<P>>, String> {
        let end = Instant::now() + EVALUATION;
        let searcher = self.searcher(board)?;
        let legal = board.legal_pits();
        let mut left = legal.len() as u32;
        let mut values = Vec::new();
        for pit in legal {
            let now = Instant::now();
            let share = end.saturating_duration_since(now) / left;
            left -= 1;
            let until = Until { deadline: Some(now + share), stopped };
            let played = board.play(pit, searcher.rules()).expect("the pit is legal");
            let next = &played.board;
            let margin = searcher.solve(next.pits(), Question::Exact, &until);
            let value = margin.map_err(|error| one_line(&error))?.with_lead(next.lead());
            let value = Proved::of(value, next);
            let value = if played.extra_move { value } else { value.opposite() };
            values.push(PitValue { pit, value });
        }
        Ok(values)
    }

    fn searcher(&mut self, board: &Board<P>) -> Result<&Searcher<'t, P>, String> {
        if self.searcher.is_none() {
            // No position to come has more stones in its pits than the board.
            let hash = Searcher::<P>::least_hash(board.stones()).max(HASH);
            let tables = self.options.tables;
            let options = search::Options { hash, threads: 1 };
            let searcher = Searcher::new(tables.rules(), Some(tables), options);
            self.searcher = Some(searcher.map_err(|error| one_line(&error))?);
        }
        Ok(self.searcher.as_ref().expect("it was just made"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::rules::Rules;
    use kalah::tables::Tablebase;

    const NEVER: &(dyn Fn() -> bool + Sync) = &|| false;

    fn pit<const P: usize>(number: usize) -> Pit<P> {
        Pit::from_number(number).unwrap()
    }

    #[test]
    fn what_the_tables_know_is_told_exactly() {
        let tables = Tablebase::<3>::in_memory(Rules::Standard, 12).unwrap();
        let mut brain = Brain::new(players::Options::new(&tables));
        let board: Board<3> = "1,0,1,3,1,2,0,1".parse().unwrap();
        let values = brain.evaluate(&board, NEVER).unwrap();
        let told: Vec<_> = values.iter().map(|v| (v.pit.number(), v.value)).collect();
        for &(number, value) in &told {
            let played = board.play(pit(number.into()), Rules::Standard).unwrap();
            let next = tables.value(&played.board).or(played.board.final_value()).unwrap();
            let expected = if played.extra_move { next } else { -next };
            assert_eq!(value, Proved::Exact(expected), "pit {number}");
        }
        assert_eq!(told.len(), 2);
        let hint = brain.hint(&board, NEVER).unwrap();
        assert_eq!(hint.value, Proved::Exact(tables.value(&board).unwrap()));
        assert!(told.contains(&(hint.pit.unwrap().number(), hint.value)));
    }

    #[test]
    fn what_is_not_found_in_time_is_not_told() {
        let tables = Tablebase::<6>::in_memory(Rules::Standard, 4).unwrap();
        let mut brain = Brain::new(players::Options::new(&tables));
        let board = Board::<6>::opening(6).unwrap();
        let hint = brain.hint(&board, &|| true).unwrap();
        assert_eq!(hint.value, Proved::Nothing);
        let values = brain.evaluate(&board, &|| true).unwrap();
        assert!(values.iter().all(|value| value.value == Proved::Nothing));
        assert_eq!(values.len(), 6);
    }

    #[test]
    fn the_same_seed_makes_the_same_choice() {
        let tables = Tablebase::<6>::in_memory(Rules::Standard, 4).unwrap();
        let mut brain = Brain::new(players::Options::new(&tables));
        let board = Board::<6>::opening(4).unwrap();
        let mut choose = |random_seed| {
            let choosing = Choosing { level: Level::Easy, random_seed };
            brain.choose(&board, choosing, NEVER).unwrap().pit.number()
        };
        let pits: Vec<_> = (0..30).map(&mut choose).collect();
        assert_eq!((0..30).map(&mut choose).collect::<Vec<_>>(), pits);
        assert!(pits.iter().any(|&pit| pit != pits[0]), "{pits:?}");
    }
}
