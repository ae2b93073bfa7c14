//! A guess at a margin: what stones are worth where they lie.
//!
//! The guess is a sum of one number for each pit and the stones in it: a pit that reaches the store
//! exactly is worth a lot, an empty one is a chance to capture, and so on. Nobody has to know this:
//! the numbers are those that fit the tables best, by least mean squares over positions of random
//! games, and so they suit whatever rules and number of pits the tables are for. With them a search
//! of three stones a pit takes a tenth of the nodes that it takes when only stones are counted.

use crate::rules::{MAX_STONES, Pit, Pits, Rules};
use crate::tables::Tablebase;

/// Estimates are in sixteenths of a stone.
pub(super) const SCALE: i32 = 16;

/// Counts from which on a pit's worth is not learnt but continued in a straight line.
const MOST: usize = 10;

/// How often each position is gone through.
const PASSES: usize = 8;

/// Layers below the largest that are learnt from.
const LAYERS: usize = 6;

/// Tables that reach fewer stones have nothing to teach.
const LEAST_REACH: usize = 4;

/// How much is learnt before a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lessons {
    /// Random games.
    games: usize,
    /// The most stones of the positions that are learnt from.
    stones: usize,
}

impl Lessons {
    /// For a search of milliseconds: from layers so small that hardly a page of them has to be
    /// mapped.
    pub const SHORT: Lessons = Lessons { games: 500, stones: 14 };

    /// For any other: as good as more games make it.
    pub const LONG: Lessons = Lessons { games: 2_000, stones: MAX_STONES };
}

/// What a stone is worth when there is no table to learn from: something, to whose row it is in.
const STONE: f32 = 0.25;

/// The worth of stones by pit and count, seen by the player to move.
pub(super) struct Evaluation<const P: usize> {
    mover: [[i16; MAX_STONES + 1]; P],
    opponent: [[i16; MAX_STONES + 1]; P],
    /// What it is worth to be the one to move.
    turn: i32,
}

impl<const P: usize> Evaluation<P> {
    /// Learns from the tables, in games that begin at `root`.
    pub fn new(
        rules: Rules,
        tables: Option<&Tablebase<P>>,
        root: &Pits<P>,
        lessons: Lessons,
    ) -> Self {
        let mut weights = Weights::<P>::default();
        if let Some(tables) = tables
            && let Some(reach) = tables.stones()
            && reach >= LEAST_REACH
        {
            let lessons = Lessons { stones: lessons.stones.min(reach), ..lessons };
            let samples = samples(rules, tables, root, lessons);
            for pass in 0..PASSES {
                let rate = 0.02 / (pass + 1) as f32;
                samples.iter().for_each(|(pits, margin)| weights.learn(pits, *margin, rate));
            }
        }
        Evaluation {
            mover: std::array::from_fn(|pit| std::array::from_fn(|c| weights.at(pit, c))),
            opponent: std::array::from_fn(|pit| std::array::from_fn(|c| weights.at(P + pit, c))),
            turn: (weights.turn * SCALE as f32) as i32,
        }
    }

    /// About the margin of the player to move, in sixteenths of a stone.
    #[inline]
    pub fn estimate(&self, pits: &Pits<P>) -> i32 {
        let mut sum = self.turn;
        for pit in 0..P {
            sum += i32::from(self.mover[pit][usize::from(pits.mover()[pit])]);
            sum += i32::from(self.opponent[pit][usize::from(pits.opponent()[pit])]);
        }
        sum
    }
}

/// Positions within the largest layers allowed that random games come to, and their margins.
fn samples<const P: usize>(
    rules: Rules,
    tables: &Tablebase<P>,
    root: &Pits<P>,
    lessons: Lessons,
) -> Vec<(Pits<P>, f32)> {
    let mut random = Random(0x853c_49e6_748f_ea9b);
    let mut samples = Vec::new();
    for _ in 0..lessons.games {
        let mut pits = *root;
        loop {
            let legal = pits.legal_pits().len();
            if legal == 0 || pits.stones() + LAYERS < lessons.stones {
                break;
            }
            if pits.stones() <= lessons.stones
                && let Some(margin) = tables.margin(&pits)
            {
                samples.push((pits, f32::from(margin)));
            }
            let pit: Pit<P> = pits.legal_pits().nth(random.below(legal)).expect("one of them");
            pits = pits.sow(pit, rules).expect("the pit is legal").pits;
        }
    }
    samples
}

/// The worths while they are learnt, in stones.
struct Weights<const P: usize> {
    /// By pit, the mover's first, and count.
    worth: [[[f32; MOST + 1]; P]; 2],
    turn: f32,
}

impl<const P: usize> Default for Weights<P> {
    fn default() -> Self {
        let row = |sign: f32| [std::array::from_fn(|count| sign * STONE * count as f32); P];
        Weights { worth: [row(1.0), row(-1.0)], turn: 1.0 }
    }
}

impl<const P: usize> Weights<P> {
    /// Moves the estimate of a position towards its margin.
    fn learn(&mut self, pits: &Pits<P>, margin: f32, rate: f32) {
        let rows = [pits.mover(), pits.opponent()];
        let places = |side: usize, pit: usize| (side, pit, usize::from(rows[side][pit]).min(MOST));
        let all = || (0..2).flat_map(move |side| (0..P).map(move |pit| places(side, pit)));
        let estimate: f32 =
            self.turn + all().map(|(side, pit, count)| self.worth[side][pit][count]).sum::<f32>();
        let step = (margin - estimate) * rate;
        self.turn += step;
        for (side, pit, count) in all() {
            self.worth[side][pit][count] += step;
        }
    }

    /// The worth of a pit, the opponent's after the mover's, in sixteenths of a stone.
    fn at(&self, pit: usize, count: usize) -> i16 {
        let worth = &self.worth[pit / P][pit % P];
        let beyond = count.saturating_sub(MOST) as f32;
        let slope = (worth[MOST - 2] - worth[MOST - 6]) / 4.0;
        ((worth[count.min(MOST)] + slope * beyond) * SCALE as f32) as i16
    }
}

/// Numbers that look random and are the same in every run (xorshift, Marsaglia 2003).
struct Random(u64);

impl Random {
    /// One of the numbers below `bound`, which is below 2^32.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * bound as u64) >> 32) as usize
    }
}
