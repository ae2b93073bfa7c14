//! Iterative deepening, one claim after the other, by all threads.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use super::busy::Busy;
use super::children::Knowledge;
use super::evaluation::{Evaluation, Lessons};
use super::numbering::Numbering;
use super::question::{Bounds, Question};
use super::transposition::{Entry, Place, Transpositions};
use super::worker::{Answer, Claim, Depth, Halt, Shared, Worker};
use crate::rules::{Board, MAX_STONES, Pit, Pits, Rules};
use crate::tables::{TableError, Tablebase};

/// The depths of deepening, in turns, before the search that settles everything. They find the
/// neighbourhood of the value, and cost little beside it.
const DEPTHS: [u8; 5] = [2, 4, 6, 8, 10];

/// Stones beyond the tables up to which a search takes milliseconds.
const SHORT: usize = 15;

/// Stones beyond the tables up to which a position is not kept among the transpositions. Few of
/// those are met again, and to search one takes less than to look it up: of 8.4 million nodes for
/// four stones a pit over 24, 6.7 million are there, and 4 % of their look-ups settle anything.
const NEAR: u8 = 3;

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bytes of the transposition table.
    pub hash: usize,
    /// Threads. With one of them every run takes the same nodes.
    pub threads: usize,
}

impl Default for Options {
    /// 64 MiB, one thread.
    fn default() -> Self {
        Options { hash: 64 << 20, threads: 1 }
    }
}

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    /// What is proved of the position's margin.
    pub bounds: Bounds,
    /// The margin that is being asked for.
    pub asked: i16,
    /// How many turns ahead the search looks; `None` when it goes to the end of every line.
    pub depth: Option<u8>,
    /// Positions whose moves were generated, since the searcher was made.
    pub nodes: u64,
    /// Positions looked up in tables.
    pub probes: u64,
}

/// Who follows a search. Every method may be called from any thread, thousands of times a second.
pub trait Watch: Sync {
    /// Whether to stop, with what is proved so far.
    fn interrupted(&self) -> bool {
        false
    }
    /// How far the search is.
    fn status(&self, _status: &Status) {}
    /// So many claims of a [proof](super::proof) are found.
    fn claims(&self, _found: u64) {}
}

/// Follows nothing, and lets the search go on to its end.
impl Watch for () {}

/// Why a search fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The system gives no memory for the transposition table.
    #[error("the system gives no {bytes} bytes for the transposition table: {source}; allow less")]
    NoMemory {
        /// Bytes asked for.
        bytes: usize,
        /// What the system says.
        source: io::Error,
    },
    /// The entries of so small a transposition table cannot tell such large positions apart.
    #[error(
        "a transposition table of {hash} bytes is too small for positions of {stones} stones; \
         {needed} bytes are enough"
    )]
    HashTooSmall {
        /// Stones in the pits.
        stones: usize,
        /// Bytes of the table.
        hash: usize,
        /// Bytes with which it works.
        needed: usize,
    },
    /// The system gives no thread.
    #[error("cannot start another thread: {0}; allow more, or end other programs")]
    NoThread(io::Error),
    /// A table is damaged where the search looked.
    #[error(
        "a table has a value that is impossible; find the damaged file with kalah verify, and \
         remake it with kalah generate"
    )]
    DamagedTable,
    /// A table is damaged at the position that was asked for.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Finds margins of positions beyond the tables.
///
/// What is found out about positions stays in the transposition table for the next question.
///
/// ```
/// use kalah::rules::{Board, Rules};
/// use kalah::search::{Options, Question, Searcher};
///
/// // Four stones in each of three pits a side, without any table.
/// let board = Board::<3>::opening(4)?;
/// let searcher = Searcher::<3>::new(Rules::Standard, None, Options::default())?;
/// let bounds = searcher.solve(board.pits(), Question::Exact, &())?;
/// assert_eq!(bounds.exact(), Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Searcher<'t, const P: usize> {
    knowledge: Knowledge<'t, P>,
    /// For short searches, and for others.
    evaluations: [OnceLock<Evaluation<P>>; 2],
    options: Options,
    nodes: AtomicU64,
    probes: AtomicU64,
}

impl<'t, const P: usize> Searcher<'t, P> {
    /// A searcher that looks positions up in `tables`, which are of the same rules.
    ///
    /// # Errors
    ///
    /// [`SearchError::NoMemory`].
    pub fn new(
        rules: Rules,
        tables: Option<&'t Tablebase<P>>,
        options: Options,
    ) -> Result<Self, SearchError> {
        // The positions that entries can tell apart.
        let stones =
            Numbering::<P>::most_stones(|count| Transpositions::holds(options.hash, count));
        let numbering = Numbering::new(stones);
        let transpositions = transpositions_of(options.hash, &numbering)?;
        let reach = tables.and_then(Tablebase::stones).unwrap_or(0) as u8;
        Ok(Searcher {
            knowledge: Knowledge {
                rules,
                tables,
                reach,
                unkept: reach.saturating_add(NEAR),
                numbering,
                transpositions,
            },
            evaluations: [const { OnceLock::new() }; 2],
            options,
            nodes: AtomicU64::new(0),
            probes: AtomicU64::new(0),
        })
    }

    /// Forgets what was found out about positions, so that the next search takes the nodes that it
    /// takes in a new searcher.
    ///
    /// # Errors
    ///
    /// [`SearchError::NoMemory`].
    pub fn forget(&mut self) -> Result<(), SearchError> {
        let Knowledge { numbering, transpositions, .. } = &mut self.knowledge;
        *transpositions = transpositions_of(self.options.hash, numbering)?;
        Ok(())
    }

    /// The rules of the game.
    pub fn rules(&self) -> Rules {
        self.knowledge.rules
    }

    /// The tables it looks positions up in.
    pub fn tables(&self) -> Option<&'t Tablebase<P>> {
        self.knowledge.tables
    }

    /// Positions whose moves were generated since the searcher was made.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    /// Positions looked up in tables since the searcher was made.
    pub fn probes(&self) -> u64 {
        self.probes.load(Relaxed)
    }

    /// What it looks positions up in.
    pub(super) fn knowledge(&self) -> &Knowledge<'t, P> {
        &self.knowledge
    }

    /// What tables and earlier searches know of a position's margin.
    ///
    /// # Errors
    ///
    /// [`SearchError::Table`], [`SearchError::HashTooSmall`].
    pub fn known(&self, pits: &Pits<P>) -> Result<Bounds, SearchError> {
        let stones = pits.stones();
        let from_table = match self.knowledge.tables {
            _ if pits.is_over() => pits.final_margin(),
            Some(tables) => tables.probe(pits)?,
            None => None,
        };
        if let Some(margin) = from_table {
            return Ok(Bounds { low: margin, high: margin });
        }
        let place = self.place(pits)?;
        Ok(self
            .knowledge
            .transpositions
            .get(place)
            .map_or(Bounds::of_stones(stones), |entry| bounds(entry.lower, entry.upper, stones)))
    }

    /// Searches until the question is settled, or until the watch says to stop; the bounds that are
    /// proved then say which.
    ///
    /// # Errors
    ///
    /// [`SearchError`].
    pub fn solve(
        &self,
        pits: &Pits<P>,
        question: Question,
        watch: &dyn Watch,
    ) -> Result<Bounds, SearchError> {
        let mut bounds = self.known(pits)?;
        if question.is_settled(bounds) {
            return Ok(bounds);
        }
        let place = self.place(pits)?;
        let stones = pits.stones();
        let evaluation = self.evaluation(stones);
        let mut guess = (evaluation.estimate(pits) / super::evaluation::SCALE) as i16;
        let depths = DEPTHS.iter().map(|&turns| Some(turns)).chain([None]);
        for depth in depths {
            // What this depth takes for the margin's bounds, narrower than what is proved.
            let mut seeming = bounds;
            while !question.is_settled(seeming) {
                let asked = question.threshold(seeming, guess);
                let status =
                    || Status { bounds, asked, depth, nodes: self.nodes(), probes: self.probes() };
                let need = ((asked + stones as i16) / 2) as u8;
                let claim = Claim { pits: *pits, place: Some(place), stones: stones as u8, need };
                let look_around = || {
                    watch.status(&status());
                    !watch.interrupted()
                };
                let answer = match self.settle(&claim, depth, &look_around) {
                    Ok(answer) => answer,
                    Err(Failure::Stopped) => return Ok(bounds),
                    Err(Failure::Error(error)) => return Err(error),
                };
                match answer {
                    Answer::Proved => {
                        bounds.low = asked;
                        (seeming.low, guess) = (asked, asked + 2);
                    }
                    Answer::Likely => (seeming.low, guess) = (asked, asked + 2),
                    Answer::Doubtful => (seeming.high, guess) = (asked - 2, asked - 2),
                    Answer::Refuted => {
                        bounds.high = asked - 2;
                        (seeming.high, guess) = (asked - 2, asked - 2);
                    }
                }
            }
            // The next depth begins by asking for what seems right.
            guess = if seeming.low > bounds.low { seeming.low } else { seeming.high };
            if question.is_settled(bounds) {
                break;
            }
        }
        watch.status(&Status {
            bounds,
            asked: bounds.low,
            depth: None,
            nodes: self.nodes(),
            probes: self.probes(),
        });
        Ok(bounds)
    }

    /// The moves that the search thinks best, from the position on, as far as it remembers.
    pub fn line_so_far(&self, pits: &Pits<P>) -> Vec<Pit<P>> {
        let mut pits = *pits;
        let mut line = Vec::new();
        while let Ok(place) = self.place(&pits)
            && let Some(entry) = self.knowledge.transpositions.get(place)
            && let Some(pit) = Pit::all().nth(usize::from(entry.pit))
            && let Ok(sown) = pits.sow(pit, self.rules())
        {
            line.push(pit);
            pits = sown.pits;
        }
        line
    }

    /// Bytes of the smallest transposition table that tells positions of so many stones apart.
    pub fn least_hash(stones: usize) -> usize {
        let count = Numbering::<P>::count_up_to(stones);
        (0..usize::BITS)
            .map(|bit| 1 << bit)
            .find(|&bytes| Transpositions::holds(bytes, count))
            .unwrap_or(usize::MAX)
    }

    /// What the transposition table has of a position, which has stones in both rows.
    pub(super) fn entry(&self, pits: &Pits<P>) -> Result<Option<Entry>, SearchError> {
        Ok(self.knowledge.transpositions.get(self.place(pits)?))
    }

    /// Searches for a move by which the player to move gets `share` of the stones, from 1 to all of
    /// them, whatever is known of the position itself, which is beyond the tables. Whether there is
    /// one; `None` when the watch said to stop. Right afterwards the position's entry has its pit,
    /// unless another thread needed the room.
    pub(super) fn prove(
        &self,
        pits: &Pits<P>,
        share: u8,
        watch: &dyn Watch,
    ) -> Result<Option<bool>, SearchError> {
        let (place, stones) = (self.place(pits)?, pits.stones() as u8);
        let claim = Claim { pits: *pits, place: Some(place), stones, need: share };
        match self.settle(&claim, None, &|| !watch.interrupted()) {
            Ok(answer) => Ok(Some(answer == Answer::Proved)),
            Err(Failure::Stopped) => Ok(None),
            Err(Failure::Error(error)) => Err(error),
        }
    }

    fn place(&self, pits: &Pits<P>) -> Result<Place, SearchError> {
        let stones = pits.stones();
        if stones > self.knowledge.numbering.stones() {
            let needed = Self::least_hash(stones);
            return Err(SearchError::HashTooSmall { stones, hash: self.options.hash, needed });
        }
        Ok(self.knowledge.place(pits, stones as u8))
    }

    /// The estimates for a search from a position of so many stones.
    fn evaluation(&self, stones: usize) -> &Evaluation<P> {
        let short = stones <= usize::from(self.knowledge.reach) + SHORT;
        let lessons = if short { Lessons::SHORT } else { Lessons::LONG };
        self.evaluations[usize::from(short)].get_or_init(|| {
            let reach = usize::from(self.knowledge.reach);
            let seeds = ((reach + 2 * P) / (2 * P) + 1).clamp(4, MAX_STONES / (2 * P));
            let opening = Board::opening(seeds as u8).expect("not more than the most stones");
            Evaluation::new(self.knowledge.rules, self.knowledge.tables, opening.pits(), lessons)
        })
    }

    /// Searches one claim to one depth.
    fn settle(
        &self,
        claim: &Claim<P>,
        depth: Option<u8>,
        look_around: &(dyn Fn() -> bool + Sync),
    ) -> Result<Answer, Failure> {
        // Shallow searches are over before another thread has begun.
        let threads = if depth.is_some() { 1 } else { self.options.threads.max(1) };
        let depth = depth.map_or(Depth::FULL, Depth::turns);
        let shared = Shared {
            knowledge: &self.knowledge,
            evaluation: self.evaluation(usize::from(claim.stones)),
            busy: Busy::new(),
            stop: AtomicBool::new(false),
            look_around,
            nodes: &self.nodes,
            probes: &self.probes,
        };
        let first = Mutex::new(None);
        let work = || {
            let answer = Worker::new(&shared).search(claim, depth);
            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
            // The first answer counts; the others are told to stop.
            if first.is_none_or(|first| first == Err(Halt::Stopped)) {
                *first = Some(answer);
            }
            shared.stop.store(true, Relaxed);
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                    shared.stop.store(true, Relaxed);
                    return Err(Failure::Error(SearchError::NoThread(error)));
                }
            }
            work();
            Ok(())
        })?;
        match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(Halt::Damaged)) => Err(Failure::Error(SearchError::DamagedTable)),
            Some(Err(Halt::Stopped)) | None => Err(Failure::Stopped),
        }
    }
}

/// An empty transposition table of so many bytes.
fn transpositions_of<const P: usize>(
    hash: usize,
    numbering: &Numbering<P>,
) -> Result<Transpositions, SearchError> {
    Transpositions::new(hash, numbering.count())
        .map_err(|source| SearchError::NoMemory { bytes: hash, source })
}

enum Failure {
    Stopped,
    Error(SearchError),
}

/// Margins from shares.
fn bounds(lower: u8, upper: u8, stones: usize) -> Bounds {
    let margin = |share: u8| 2 * i16::from(share) - stones as i16;
    Bounds { low: margin(lower), high: margin(upper) }
}
