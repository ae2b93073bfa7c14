//! The positions of an exam.

use std::collections::HashSet;

use rayon::prelude::*;

use super::JudgeError;
use crate::players::Random;
use crate::players::{Level, Options, Player};
use crate::ranking::Layer;
use crate::rules::{Board, Pits};
use crate::tables::Tablebase;

/// Which positions are asked.
///
/// # How a sample is drawn
///
/// Only positions with two legal pits or more are drawn: where there is no choice, nothing can be
/// done wrong. None is drawn twice, and where there are not as many as asked for the sample is
/// smaller. Half of it comes from games and half is uniform, one in turn.
///
/// - *From games*: up to four positions of each game that are left when few enough stones are in the
///   pits, with the stores as they were in the game. Games begin with 3 to 6 stones a pit. Half of
///   them are random from beginning to end; the others are played by easy, medium and hard against
///   each other, after up to four random moves.
/// - *Uniform*: every position of 1 to so many stones has the same chance, so that most have about
///   as many stones as are allowed. The stores are empty.
///
/// The same random seed draws the same positions again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Selection {
    /// Every position in which a pit can be sown, with empty stores.
    Full,
    /// A sample of so many.
    Sample(u64),
}

/// The most positions that one game gives.
const OF_A_GAME: usize = 4;

/// Random moves before two levels begin to play, at most.
const MOST_RANDOM_MOVES: u32 = 4;

/// Who plays whom in one game after the other. Hard takes far longer than the others.
const PAIRS: [[Level; 2]; 4] = [
    [Level::Easy, Level::Easy],
    [Level::Medium, Level::Easy],
    [Level::Medium, Level::Medium],
    [Level::Hard, Level::Medium],
];

/// Draws for each position that is wanted, before it is taken that there are no more.
const TRIES: u64 = 200;

/// Positions, numbered.
pub(super) enum Positions<const P: usize> {
    /// All of these layers, which begin with one stone.
    Full(Layers<P>),
    /// These.
    Listed(Vec<Board<P>>),
}

/// The layers of 1 to some number of stones, and the positions of all.
pub(super) struct Layers<const P: usize> {
    layers: Vec<Layer<P>>,
    positions: u64,
}

impl<const P: usize> Positions<P> {
    /// Those of at most so many stones. `stop` ends the drawing with those that were drawn.
    pub fn select(
        selection: Selection,
        stones: usize,
        random_seed: u64,
        tables: &Tablebase<P>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, JudgeError> {
        let layers = Layers::new(stones).ok_or(JudgeError::TooManyPositions { stones, pits: P })?;
        let count = match selection {
            Selection::Full => return Ok(Positions::Full(layers)),
            Selection::Sample(count) => count,
        };
        let mut drawn = Drawn { seen: HashSet::new() };
        let of_games = drawn.of_games(count / 2, stones, random_seed, tables, stop)?;
        let missing = count.saturating_sub(of_games.len() as u64);
        let uniform = drawn.uniform(missing, &layers, random_seed, stop);
        Ok(Positions::Listed(in_turn(of_games, uniform)))
    }

    /// Numbers of positions, some of which may be over.
    pub fn numbers(&self) -> u64 {
        match self {
            Positions::Full(layers) => layers.positions,
            Positions::Listed(boards) => boards.len() as u64,
        }
    }

    /// How many of them go on.
    pub fn count(&self) -> u64 {
        match self {
            Positions::Full(Layers { layers, .. }) => {
                layers.iter().map(Layer::open_positions).sum()
            }
            Positions::Listed(boards) => boards.len() as u64,
        }
    }

    /// The position of this number, unless it is over.
    pub fn get(&self, number: u64) -> Option<Board<P>> {
        let board = match self {
            Positions::Full(layers) => layers.board(number),
            Positions::Listed(boards) => boards[number as usize],
        };
        (!board.is_over()).then_some(board)
    }
}

impl<const P: usize> Layers<P> {
    /// `None` when they are too many to be counted.
    fn new(stones: usize) -> Option<Self> {
        let layers: Vec<_> = (1..=stones).map(Layer::new).collect::<Option<_>>()?;
        let positions =
            layers.iter().try_fold(0u64, |sum, layer| sum.checked_add(layer.positions()))?;
        Some(Layers { layers, positions })
    }

    fn board(&self, mut number: u64) -> Board<P> {
        for layer in &self.layers {
            if number < layer.positions() {
                let (mover, opponent) = layer.position(number);
                let pits = Pits::new(mover, opponent).expect("a layer has no more than the most");
                return Board::from_pits(pits);
            }
            number -= layer.positions();
        }
        unreachable!("numbers are below the number of positions")
    }
}

/// What was drawn so far.
struct Drawn<const P: usize> {
    seen: HashSet<Board<P>>,
}

impl<const P: usize> Drawn<P> {
    fn of_games(
        &mut self,
        count: u64,
        stones: usize,
        seed: u64,
        tables: &Tablebase<P>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Board<P>>, JudgeError> {
        let (mut found, mut first) = (Vec::new(), 0u64);
        // Games are played in rounds, by all threads. One in which nothing new comes is the last.
        while (found.len() as u64) < count && !stop() {
            let missing = count - found.len() as u64;
            let last = first.saturating_add(missing.div_ceil(OF_A_GAME as u64).clamp(8, 512));
            let games = (first..last).into_par_iter().map_init(
                || Players::new(tables),
                |players, number| match stop() {
                    true => Ok(Vec::new()),
                    false => players.draw(number, stones, seed),
                },
            );
            let games: Vec<Vec<Board<P>>> = games.collect::<Result<_, JudgeError>>()?;
            let before = found.len();
            let new = games.into_iter().flatten().filter(|&board| self.seen.insert(board));
            found.extend(new.take((count as usize).saturating_sub(before)));
            if found.len() == before {
                break;
            }
            first = last;
        }
        Ok(found)
    }

    fn uniform(
        &mut self,
        count: u64,
        layers: &Layers<P>,
        seed: u64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Board<P>> {
        let mut random = Random::of_piece(seed, u64::MAX);
        let mut found = Vec::new();
        let mut tries = 0;
        while (found.len() as u64) < count && tries < TRIES && layers.positions > 0 && !stop() {
            let board = layers.board(random.below_wide(layers.positions));
            if is_asked(&board) && self.seen.insert(board) {
                found.push(board);
                tries = 0;
            } else {
                tries += 1;
            }
        }
        found
    }
}

/// Whether there is something to choose.
fn is_asked<const P: usize>(board: &Board<P>) -> bool {
    board.legal_pits().len() >= 2
}

/// Who plays the games that positions come from.
struct Players<'t, const P: usize> {
    tables: &'t Tablebase<P>,
    levels: [Box<dyn Player<P> + Send + 't>; 3],
}

impl<'t, const P: usize> Players<'t, P> {
    fn new(tables: &'t Tablebase<P>) -> Self {
        let options = Options::new(tables);
        let levels = [Level::Easy, Level::Medium, Level::Hard].map(|level| level.player(&options));
        Players { tables, levels }
    }

    /// Plays the game of this number, and draws positions of it.
    fn draw(&mut self, number: u64, stones: usize, seed: u64) -> Result<Vec<Board<P>>, JudgeError> {
        let mut random = Random::of_piece(seed, number);
        // Every second game is random.
        let pair = (number % 2 == 1).then(|| PAIRS[(number / 2) as usize % PAIRS.len()]);
        for level in &mut self.levels {
            level.begin_anew(u64::from(random.below(u32::MAX)))?;
        }
        let opening = Board::opening(3 + random.below(4) as u8);
        let mut board = opening.expect("every board holds 6 stones a pit");
        let mut random_moves = match pair {
            Some(_) => random.below(MOST_RANDOM_MOVES + 1),
            None => u32::MAX,
        };
        let (mut turn, mut candidates) = (0, Vec::new());
        while !board.is_over() {
            if board.pits().stones() <= stones && is_asked(&board) {
                candidates.push(board);
            }
            let pit = match pair {
                Some(pair) if random_moves == 0 => {
                    self.levels[pair[turn] as usize].choose(&board, &())?.pit
                }
                _ => {
                    let legal: Vec<_> = board.legal_pits().collect();
                    random.one_of(&legal).expect("the game goes on")
                }
            };
            random_moves = random_moves.saturating_sub(1);
            let played = board.play(pit, self.tables.rules()).expect("the pit is legal");
            turn = if played.extra_move { turn } else { 1 - turn };
            board = played.board;
        }
        // Any of them, but each once.
        let mut drawn = Vec::new();
        while drawn.len() < OF_A_GAME && !candidates.is_empty() {
            drawn.push(candidates.swap_remove(random.below(candidates.len() as u32) as usize));
        }
        Ok(drawn)
    }
}

/// One of each in turn, and then the rest of the longer.
fn in_turn<T>(one: Vec<T>, other: Vec<T>) -> Vec<T> {
    let mut both = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    loop {
        let pair = [one.next(), other.next()];
        if pair.iter().all(Option::is_none) {
            return both;
        }
        both.extend(pair.into_iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn sample<const P: usize>(count: u64, stones: usize, seed: u64) -> Vec<Board<P>> {
        let tables = Tablebase::<P>::in_memory(Rules::Standard, 4).unwrap();
        let selection = Selection::Sample(count);
        let positions = Positions::select(selection, stones, seed, &tables, &|| false).unwrap();
        (0..positions.numbers()).map(|number| positions.get(number).unwrap()).collect()
    }

    #[test]
    fn all_positions_with_a_move_are_those_published() {
        let tables = Tablebase::<6>::in_memory(Rules::Standard, 4).unwrap();
        let never = || false;
        let all = Positions::<6>::select(Selection::Full, 12, 0, &tables, &never).unwrap();
        assert_eq!(all.count(), 2_667_029);
        let few = Positions::<6>::select(Selection::Full, 3, 0, &tables, &never).unwrap();
        let boards: HashSet<_> = (0..few.numbers()).filter_map(|number| few.get(number)).collect();
        assert_eq!(boards.len() as u64, few.count());
        assert!(boards.iter().all(|board| board.legal_pits().len() >= 1 && board.stones() <= 3));
    }

    #[test]
    fn a_sample_is_half_from_games_and_comes_again() {
        let boards = sample::<6>(200, 12, 7);
        assert_eq!(boards.len(), 200);
        assert_eq!(boards.iter().collect::<HashSet<_>>().len(), 200);
        for board in &boards {
            assert!(board.pits().stones() <= 12 && board.legal_pits().len() >= 2, "{board}");
        }
        // Uniform ones have empty stores, those of games have not.
        let with_stores = boards.iter().filter(|board| board.stones() > board.pits().stones());
        assert_eq!(with_stores.count(), 100);
        assert_eq!(boards, sample::<6>(200, 12, 7));
        assert_ne!(boards, sample::<6>(200, 12, 8));
    }

    #[test]
    fn a_sample_ends_where_there_are_no_more_positions() {
        // With two pits and two stones, two rows have a choice only in (1,1) against nothing: none.
        assert!(sample::<2>(100, 2, 0).is_empty());
        let all = sample::<2>(100, 3, 0);
        let empty = all.iter().filter(|board| board.stones() == 3);
        assert_eq!(empty.count(), 2, "one stone each, and one on either side");
        assert!(all.len() <= 100);
        assert!(sample::<1>(100, 9, 0).is_empty());
    }

    #[test]
    fn two_lists_alternate() {
        assert_eq!(in_turn(vec![1, 3], vec![2, 4, 5]), [1, 2, 3, 4, 5]);
    }
}
