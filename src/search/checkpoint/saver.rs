//! Writing checkpoints while a search goes on.

use std::io::{self, Seek, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::format::{Header, MOST_POSITIONS};
use super::record::Records;
use super::{CheckpointError, Spent};
use crate::files::{DIGEST, replace};
use crate::rules::{Board, Pits};
use crate::search::question::Bounds;
use crate::search::searcher::Searcher;
use crate::search::transposition::{Entry, Transpositions};

/// Bytes of entries that are written at a time.
const CHUNK: usize = 1 << 20;

/// The most work that is lost when a process is killed.
const MOST_LOST: Duration = Duration::from_secs(5 * 60);

/// The part of the time that saving may take is one in so many.
const SHARE: u32 = 20;

/// How often to save, and how much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// The least time between the end of a save and the beginning of the next one. Where saving is
    /// slow it becomes longer, so that a twentieth of the time goes into it, but never so long that
    /// more than five minutes of work could be lost.
    pub interval: Duration,
    /// The most bytes of entries.
    pub bytes: u64,
}

impl Default for Pace {
    /// Two minutes, 1 GiB.
    fn default() -> Self {
        Pace { interval: Duration::from_secs(2 * 60), bytes: 1 << 30 }
    }
}

impl Pace {
    /// How long to wait when the last save took so long.
    fn pause(&self, save: Duration) -> Duration {
        // A process killed at the end of the next save loses what was done since the beginning of
        // this one.
        let longest = MOST_LOST.saturating_sub(save * 2);
        self.interval.max(save * (SHARE - 1)).min(longest).max(save)
    }
}

/// What was saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Saved {
    /// Entries of the transposition table.
    pub entries: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// How long it took.
    pub time: Duration,
    /// What the search has cost up to then, over all the processes it took.
    pub spent: Spent,
}

/// Saves what a searcher finds out about a position.
pub struct Saver<'s, 't, const P: usize> {
    searcher: &'s Searcher<'t, P>,
    board: Board<P>,
    path: PathBuf,
    /// The position itself, and others.
    positions: Vec<Pits<P>>,
    pace: Pace,
    before: Spent,
    begun: Instant,
    /// Held while a checkpoint is written.
    writing: Mutex<()>,
}

impl<'s, 't, const P: usize> Saver<'s, 't, P> {
    /// Saves to `path` what is found out about a position and those that it leads to.
    pub fn new(searcher: &'s Searcher<'t, P>, board: Board<P>, path: impl Into<PathBuf>) -> Self {
        Saver {
            searcher,
            board,
            path: path.into(),
            positions: vec![*board.pits()],
            pace: Pace::default(),
            before: Spent::default(),
            begun: Instant::now(),
            writing: Mutex::new(()),
        }
    }

    /// Keeps the bounds of further positions, whatever their entries cost.
    ///
    /// # Panics
    ///
    /// When one of them has more stones than the first position, or they are more than 65,534.
    pub fn with_positions(mut self, positions: impl IntoIterator<Item = Pits<P>>) -> Self {
        self.positions.extend(positions);
        let most = self.board.pits().stones();
        assert!(self.positions.iter().all(|pits| pits.stones() <= most), "stones never come back");
        assert!(self.positions.len() <= MOST_POSITIONS, "bounds are kept of few positions");
        self
    }

    /// Counts what the search had cost before it was taken up again.
    pub fn continuing(mut self, before: Spent) -> Self {
        self.before = before;
        self
    }

    /// Saves more often, or less.
    pub fn with_pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// What the search has cost, over all the processes it took.
    pub fn spent(&self) -> Spent {
        let (nodes, probes) = (self.searcher.nodes(), self.searcher.probes());
        self.before + Spent { nodes, probes, time: self.begun.elapsed() }
    }

    /// Searches, saving again and again meanwhile and once more at the end, interrupted or not.
    /// After an error of the search nothing more is saved; when it says that a table is damaged, what
    /// was saved before may rest on that table, and is not to be used.
    ///
    /// `told` gets to know of every save but the last one, whose outcome is returned. No save that
    /// fails ends the search.
    ///
    /// # Errors
    ///
    /// Those of `search`.
    pub fn run<R, E>(
        &self,
        told: &(dyn Fn(&Result<Saved, CheckpointError>) + Sync),
        search: impl FnOnce() -> Result<R, E>,
    ) -> Result<(R, Result<Saved, CheckpointError>), E> {
        let ended = AtomicBool::new(false);
        let found = thread::scope(|scope| {
            // Dropped when the search is over, also by a panic; the thread then ends.
            let (over, wait) = mpsc::channel::<()>();
            let ended = &ended;
            let again_and_again = move || self.save_until(&wait, ended, told);
            let thread = thread::Builder::new().name("checkpoints".to_owned());
            if let Err(error) = thread.spawn_scoped(scope, again_and_again) {
                told(&Err(CheckpointError::NoThread { file: self.path.clone(), error }));
            }
            let found = search();
            ended.store(true, Relaxed);
            drop(over);
            found
        })?;
        Ok((found, self.save()))
    }

    /// Saves once. Any thread may do it while others search.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Replace`].
    pub fn save(&self) -> Result<Saved, CheckpointError> {
        let saved = self.save_unless(&AtomicBool::new(false))?;
        Ok(saved.expect("nobody says that it has ended"))
    }

    /// Saves at the pace until the search is over.
    fn save_until(
        &self,
        over: &Receiver<()>,
        ended: &AtomicBool,
        told: &(dyn Fn(&Result<Saved, CheckpointError>) + Sync),
    ) {
        let mut pause = self.pace.pause(Duration::ZERO);
        while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(pause) {
            let begun = Instant::now();
            // One that is not finished when the search ends gives way to the last one.
            if let Some(saved) = self.save_unless(ended).transpose() {
                told(&saved);
            }
            pause = self.pace.pause(begun.elapsed());
        }
    }

    /// Saves, or gives up once `ended` is set.
    fn save_unless(&self, ended: &AtomicBool) -> Result<Option<Saved>, CheckpointError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        let records = Records::<P>::new(self.board.pits().stones());
        let transpositions = &self.searcher.knowledge().transpositions;
        let written = replace(&self.path, |mut file| {
            let mut header = self.header();
            file.write_all(&vec![0; header.encode().len()])?;
            let most = self.pace.bytes / records.width() as u64;
            let written = write_entries(transpositions, &records, most, &mut file, ended)?;
            let Some((entries, digest)) = written else { return Ok(None) };
            // The bounds that are proved by now.
            header = Header { entries, digest, ..self.header() };
            let bytes = file.stream_position()?;
            file.rewind()?;
            file.write_all(&header.encode())?;
            Ok(Some((header, bytes)))
        })?;
        Ok(written.map(|(header, bytes)| {
            let (entries, spent) = (header.entries, header.spent);
            Saved { entries, bytes, time: begun.elapsed(), spent }
        }))
    }

    /// The header without entries.
    fn header(&self) -> Header<P> {
        let bounds = self.positions.iter().map(|pits| {
            // What is not known, because a table is damaged or the position too large, is not kept.
            let known = self.searcher.known(pits);
            (*pits, known.unwrap_or_else(|_| Bounds::of_stones(pits.stones())))
        });
        Header {
            rules: self.searcher.rules(),
            board: self.board,
            spent: self.spent(),
            entries: 0,
            digest: [0; DIGEST],
            bounds: bounds.collect(),
        }
    }
}

/// Writes at most so many proofs, those that cost most: how many, and their digest. `None` when
/// `ended` was set meanwhile.
fn write_entries<const P: usize>(
    transpositions: &Transpositions,
    records: &Records<P>,
    most: u64,
    file: &mut impl Write,
    ended: &AtomicBool,
) -> io::Result<Option<(u64, [u8; DIGEST])>> {
    let (least, mut of_least) = least_cost(&transpositions.proofs_by_cost(), most);
    let mut digest = blake3::Hasher::new();
    let mut chunk = Vec::with_capacity(CHUNK + records.width());
    let mut entries = 0;
    let wanted = |cost| {
        let wanted = cost > least || (cost == least && of_least > 0);
        of_least -= u64::from(wanted && cost == least);
        wanted
    };
    for (number, entry) in transpositions.proofs(wanted) {
        if chunk.len() >= CHUNK {
            if ended.load(Relaxed) {
                return Ok(None);
            }
            digest.update(&chunk);
            file.write_all(&chunk)?;
            chunk.clear();
        }
        // What is about positions that the game cannot come to is of no use for it. Others of great
        // cost may have come since they were counted.
        if number < records.count() && entries < most {
            records.write(number, entry, &mut chunk);
            entries += 1;
        }
    }
    digest.update(&chunk);
    file.write_all(&chunk)?;
    Ok(Some((entries, *digest.finalize().as_bytes())))
}

/// The least cost of entries to keep when at most so many are kept, and how many that cost no more
/// than that.
fn least_cost(by_cost: &[u64], most: u64) -> (u8, u64) {
    let mut left = most;
    for cost in (Entry::PROVED..=Entry::MOST).rev() {
        let count = by_cost[usize::from(cost)];
        if count > left {
            return (cost, left);
        }
        left -= count;
    }
    // There may be more by now, and there is room for them.
    (Entry::PROVED, u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saving_takes_little_of_the_time_and_loses_little_work() {
        let pace = Pace::default();
        let seconds = Duration::from_secs;
        assert_eq!(pace.pause(seconds(0)), seconds(120));
        assert_eq!(pace.pause(seconds(6)), seconds(120));
        assert_eq!(pace.pause(seconds(10)), seconds(190));
        // Whoever is that slow saves more often than it would like.
        assert_eq!(pace.pause(seconds(30)), seconds(240));
        assert_eq!(pace.pause(seconds(200)), seconds(200));
        let rare = Pace { interval: seconds(3600), ..pace };
        assert_eq!(rare.pause(seconds(1)), seconds(298));
        let often = Pace { interval: Duration::ZERO, ..pace };
        assert_eq!(often.pause(Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn what_cost_most_is_kept() {
        let mut by_cost = [0; 128];
        (by_cost[64], by_cost[70], by_cost[80]) = (100, 10, 5);
        assert_eq!(least_cost(&by_cost, 1000), (64, u64::MAX));
        assert_eq!(least_cost(&by_cost, 115), (64, u64::MAX));
        assert_eq!(least_cost(&by_cost, 114), (64, 99));
        assert_eq!(least_cost(&by_cost, 15), (64, 0));
        assert_eq!(least_cost(&by_cost, 12), (70, 7));
        assert_eq!(least_cost(&by_cost, 3), (80, 3));
        assert_eq!(least_cost(&by_cost, 0), (80, 0));
    }
}
