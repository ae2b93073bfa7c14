//! Which positions are drawn.

use super::shuffle::Shuffle;
use crate::{
    players::Random,
    ranking::{Layer, row_count},
    rules::{Board, MAX_STONES},
};

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
    #[error("a game with fewer than 2 stones in the pits is over; ask for at least 2")]
    NoPositions,
    /// A position could have more stones than the game.
    #[error(
        "a game that begins with {seeds} in every pit has {total} stones, and positions of {stones} \
         are asked for; ask for at most {total}"
    )]
    FewerInGame {
        /// Stones in every pit of the opening.
        seeds: u8,
        /// Stones of the game.
        total: usize,
        /// The most stones asked for.
        stones: usize,
    },
    /// More stones than a board takes, or than leave positions that can be counted.
    #[error("{stones} stones are too many for {pits} pits a side; ask for fewer")]
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
            return Err(OptionsError::NoPositions);
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
        // The keys of the order are the seed's first pieces, and these its last.
        let mut random = Random::of_piece(self.options.random_seed, u64::MAX - open);
        let store = random.below(u32::from(stored) + 1) as u8;
        board(store, stored - store)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn options(stones: usize) -> Options {
        Options { stones, rows: u64::MAX, random_seed: 1, seeds: None }
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
        assert_eq!(error(options(1)), OptionsError::NoPositions);
        let fewer = OptionsError::FewerInGame { seeds: 1, total: 12, stones: 13 };
        assert_eq!(error(Options { seeds: Some(1), ..options(13) }), fewer);
        let many = OptionsError::TooMany { stones: 132, pits: 6 };
        assert_eq!(error(Options { seeds: Some(11), ..options(2) }), many);
        let many = OptionsError::TooMany { stones: 128, pits: 6 };
        assert_eq!(error(options(128)), many);
    }
}
