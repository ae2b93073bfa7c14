//! A layer: its pairs of blocks solved and written, one beside the other where memory allows.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rayon::Scope;

use super::super::few::few_at_a_time;
use super::super::new_file::SavePoint;
use super::super::{
    CompactWriter, Encoding, Folder, LayerFile, LayerId, LayerWriter, Layout, Order, TableError,
};
use super::commit::Committer;
use super::matrices::Matrices;
use super::output::{Output, Queue};
use super::schedule::{Step, size};
use super::{BuildError, Progress};
use crate::generator::{
    Buffer, Buffers, Lines, Side, SolveError, Solved, Solver, Turn, transpose, transpose_in_bands,
};
use crate::ranking::row_count;

/// Why no more layers are built.
pub(super) enum Stop {
    Interrupted,
    Error(BuildError),
    /// The committer has given up, and says why.
    Committer,
}

impl From<TableError> for Stop {
    fn from(error: TableError) -> Self {
        Stop::Error(error.into())
    }
}

impl From<SolveError> for Stop {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Stopped => Stop::Interrupted,
            SolveError::OutOfMemory { bytes } => Stop::Error(BuildError::OutOfMemory { bytes }),
        }
    }
}

/// A build under way.
pub(super) struct Build<'a, const P: usize> {
    pub folder: &'a Folder,
    pub progress: &'a dyn Progress,
    pub solver: Solver<P>,
    /// For what is kept, and for what soon is no longer needed.
    pub buffers: Buffers,
    pub passing: Buffers,
    pub matrices: Matrices,
    /// Whether memory is plentiful: layers are read where they are mapped, as far as they are as they
    /// are wanted, and all is kept that is going to be.
    pub plentiful: bool,
    /// Whether pairs are solved in stages, as memory does not hold all that one is computed from.
    pub staged: bool,
    /// How many blocks are read at a time for a pair.
    pub readers: usize,
    /// The blocks of byte files that stages of this layer have read, and found as their checksums say:
    /// stones in all pits, and the mover's.
    pub checked: Mutex<HashSet<(usize, usize)>>,
    /// How new layers are written.
    pub encoding: Encoding,
    pub committer: Committer,
    pub save_every: Duration,
    /// By stones, the layers that are there.
    pub files: Vec<Option<LayerFile>>,
    /// Positions of finished layers that an earlier run had computed.
    pub resumed: u64,
}

/// The block that a side is, by the mover's stones, and the order in which it is read.
pub(super) fn block_of(side: Side) -> (usize, Order) {
    match side.turn {
        Turn::South => (side.south, Order::MoverRows),
        Turn::North => (side.north, Order::OpponentRows),
    }
}

/// Pairs of a layer that are to be solved.
struct Pairs<'a> {
    steps: &'a [&'a Step],
    /// How many were taken.
    next: AtomicUsize,
    /// How many workers went because too many pairs waited.
    away: AtomicUsize,
    /// Why no more are taken.
    stop: Mutex<Option<Stop>>,
}

/// A layer that is being written.
struct Current<'a> {
    output: &'a Output,
    /// All of its pairs.
    steps: &'a [Step],
    /// How many of them are solved at once.
    workers: usize,
    /// When it was last saved, or begun.
    saved: Mutex<Instant>,
}

impl<const P: usize> Build<'_, P> {
    /// Computes and writes a layer, so many pairs of blocks at once.
    pub fn layer(&mut self, id: LayerId, steps: &[Step], workers: usize) -> Result<(), Stop> {
        let stones = usize::from(id.stones);
        self.checked.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        let output = Output::take_up(self.folder, id, self.encoding, |damage| {
            self.progress.layer_damaged(stones, damage);
        })?;
        let positions = Layout::new(id).map_or(0, |layout| layout.positions());
        self.progress.layer_started(stones, positions);
        self.committer.begun(output.syncer());

        let (done, left): (Vec<&Step>, Vec<&Step>) =
            steps.iter().partition(|step| output.has(step.south, step.north));
        let resumed = done.iter().map(|step| step.positions::<P>()).sum();
        if !done.is_empty() {
            self.progress.layer_resumed(stones, resumed);
            done.iter().for_each(|step| self.matrices.done(step));
        }
        if let Output::Compact(queue) = &output {
            queue.begin_at(done.len());
        }
        let saved = Mutex::new(Instant::now());
        let current = Current { output: &output, steps, workers, saved };
        if let Err(stop) = self.pairs(&left, &current) {
            // Why it stopped is what is told.
            if let Ok(Some(point)) = output.save_point() {
                self.committer.save(point);
            }
            return Err(stop);
        }
        let sealed = output.seal()?;
        self.files[stones] = Some(sealed.map()?);
        self.committer.commit(sealed, stones);
        self.resumed += resumed;
        self.progress.layer_finished(stones);
        Ok(())
    }

    /// Computes and writes pairs of blocks. Each worker takes one after the other, so that no more
    /// are in memory than there are workers, and as many that wait to be written; threads without a
    /// pair help with lines of others.
    fn pairs(&self, steps: &[&Step], current: &Current<'_>) -> Result<(), Stop> {
        let (next, away, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
        let queue = Pairs { steps, next, away, stop };
        rayon::scope(|scope| {
            for _ in 0..current.workers.min(steps.len()) {
                scope.spawn(|scope| self.work(scope, &queue, current));
            }
        });
        queue.stop.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// What a worker does: pair after pair, until none is left. It goes when too many wait to be
    /// written: it may be in the middle of the pair that all wait for, helping itself. Whoever has
    /// written calls those back that went.
    fn work<'s>(&'s self, scope: &Scope<'s>, pairs: &'s Pairs<'s>, current: &'s Current<'s>) {
        while !pairs.stopped() {
            if !current.may_go_on() {
                pairs.away.fetch_add(1, Relaxed);
                return;
            }
            let Some(step) = pairs.steps.get(pairs.next.fetch_add(1, Relaxed)) else { return };
            if let Err(reason) = self.pair(step, current) {
                pairs.lock().get_or_insert(reason);
            }
            while current.may_go_on() && pairs.call_back() {
                scope.spawn(|scope| self.work(scope, pairs, current));
            }
        }
    }

    /// Computes and writes a pair of blocks.
    fn pair(&self, step: &Step, current: &Current<'_>) -> Result<(), Stop> {
        let solved = self.solve(step)?;
        self.matrices.done(step);
        match current.output {
            Output::Bytes(writer) => {
                self.write_bytes(step, &solved, writer)?;
                self.offer(step, solved)?;
                self.save_sometimes(current, || Ok(writer.save_point()))
            }
            Output::Compact(queue) => {
                queue.put(step.number - current.steps[0].number, solved);
                self.write_compact(queue, current)
            }
        }
    }

    /// Writes the pairs whose turn it is.
    fn write_compact(&self, queue: &Queue, current: &Current<'_>) -> Result<(), Stop> {
        while let Some(turn) = queue.turn() {
            let (mut writer, solved, step) = (turn.writer, turn.solved, &current.steps[turn.place]);
            // A run before this one may have finished the first of both, and of equals there is one.
            let write = |writer: &mut CompactWriter| {
                let blocks = [(step.south, &solved.south), (step.north, &solved.north)];
                blocks.into_iter().try_for_each(|(mover, lines)| match writer.has(mover) {
                    true => Ok(()),
                    false => writer.write_block(lines),
                })
            };
            let written = write(&mut writer).map_err(Stop::from);
            let written =
                written.and_then(|()| self.save_sometimes(current, || writer.save_point()));
            queue.written(writer, written.is_ok());
            written?;
            self.offer(step, solved)?;
        }
        Ok(())
    }

    /// Computes a pair of blocks.
    fn solve(&self, step: &Step) -> Result<Solved, Stop> {
        let (south, north) = (step.south, step.north);
        let told = AtomicU64::new(0);
        let watch = |positions| {
            // The two blocks of a pair of equals are one, solved twice.
            let positions = if south == north { positions / 2 } else { positions };
            told.fetch_add(positions, Relaxed);
            self.progress.positions_done(positions);
            match self.progress.interrupted() || self.committer.failed() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let solved = if self.staged && south > 0 {
            self.solve_in_stages(step, &watch)?
        } else {
            self.solve_whole(step, &watch)?
        };
        // Blocks that are filled by the sweep are not watched, and halves are rounded.
        self.progress.positions_done(step.positions::<P>().saturating_sub(told.into_inner()));
        Ok(solved)
    }

    /// [`Build::solve`] with all in memory that the pair is computed from.
    fn solve_whole(
        &self,
        step: &Step,
        watch: &(dyn Fn(u64) -> ControlFlow<()> + Sync),
    ) -> Result<Solved, Stop> {
        let (south, north) = (step.south, step.north);
        let held = self.held(step)?;
        let mut lower = Lines::new(south + north);
        for (&side, held) in step.sides.iter().zip(&held) {
            let matrix = held.as_ref().map(|held| &held[..]);
            lower.insert(side, matrix.unwrap_or_else(|| self.block(side.south, side.north)));
        }
        match self.solver.solve(south, north, &lower, watch) {
            Err(SolveError::Stopped) if self.committer.failed() => Err(Stop::Committer),
            other => Ok(other?),
        }
    }

    /// What a pair is computed from and cannot be read where files are mapped, in order of the
    /// step's sides.
    fn held(&self, step: &Step) -> Result<Vec<Option<Arc<Buffer>>>, Stop> {
        // All that is there is held before anything is read, which could take its place.
        let found = step.sides.iter().map(|&side| match self.is_mapped(side) {
            true => None,
            false => self.matrices.find(side),
        });
        let found: Vec<Option<Arc<Buffer>>> = found.collect();
        let held = step.sides.iter().zip(found);
        few_at_a_time(self.readers, held, |(&side, found)| match found {
            None if !self.is_mapped(side) => self.read(side).map(Some),
            found => Ok(found),
        })
    }

    /// Whether a lower matrix is read where it is mapped.
    fn is_mapped(&self, side: Side) -> bool {
        let as_wanted = |file: &LayerFile| file.encoding() == Encoding::Bytes;
        self.plentiful && side.turn == Turn::South && as_wanted(self.file(side.south + side.north))
    }

    /// Reads a lower matrix.
    fn read(&self, side: Side) -> Result<Arc<Buffer>, Stop> {
        let bytes = size::<P>(side.south, side.north);
        self.matrices.read(side, bytes, || {
            let (mover, order) = block_of(side);
            let file = self.file(side.south + side.north);
            if self.plentiful && file.encoding() == Encoding::Bytes && side.turn == Turn::North {
                let rows = row_count(P, side.north) as usize;
                return Ok(transpose(file.block(mover), rows, &self.buffers)?);
            }
            let mut matrix = self.buffers.take(bytes as usize)?;
            file.read_matrix(mover, order, &mut matrix)?;
            Ok(matrix)
        })
    }

    /// Writes a pair of blocks to a byte file.
    fn write_bytes(&self, step: &Step, solved: &Solved, writer: &LayerWriter) -> Result<(), Stop> {
        let (south, north) = (step.south, step.north);
        let rows = row_count(P, south) as usize;
        let (one, other) = rayon::join(
            || -> Result<(), Stop> {
                writer.write_block(south, &solved.south)?;
                // Soon it will not be in the core's cache any more.
                self.offer_transpose(step, &solved.south, Turn::North)
            },
            || -> Result<(), Stop> {
                if south != north {
                    let mut block = writer.begin_block(north);
                    transpose_in_bands(&solved.north, rows, &self.passing, |band| {
                        block.append(band).map_err(Stop::from)
                    })?;
                    block.finish()?;
                }
                Ok(())
            },
        );
        one.and(other)
    }

    /// Keeps what later pairs read soon.
    fn offer(&self, step: &Step, solved: Solved) -> Result<(), Stop> {
        let (south, north) = (step.south, step.north);
        if self.encoding == Encoding::Compact {
            self.offer_transpose(step, &solved.south, Turn::North)?;
            self.offer_transpose(step, &solved.north, Turn::South)?;
        }
        self.matrices.offer(Side { south, north, turn: Turn::North }, solved.north);
        if !self.plentiful || self.encoding == Encoding::Compact {
            self.matrices.offer(Side { south, north, turn: Turn::South }, solved.south);
        }
        Ok(())
    }

    /// Keeps the transpose of a matrix, in which `turn` is to move, where memory is plentiful.
    fn offer_transpose(&self, step: &Step, matrix: &[u8], turn: Turn) -> Result<(), Stop> {
        let side = Side { south: step.north, north: step.south, turn };
        let differs = step.south != step.north;
        if differs && self.plentiful && self.matrices.has_room(side, step.size::<P>()) {
            let rows = row_count(P, step.south) as usize;
            self.matrices.offer(side, transpose(matrix, rows, &self.buffers)?);
        }
        Ok(())
    }

    /// Saves what is finished of the layer, if that has not been done for long.
    fn save_sometimes(
        &self,
        current: &Current<'_>,
        point: impl FnOnce() -> Result<Option<SavePoint>, TableError>,
    ) -> Result<(), Stop> {
        let mut saved = current.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if saved.elapsed() >= self.save_every
            && let Some(point) = point()?
        {
            *saved = Instant::now();
            self.committer.save(point);
        }
        Ok(())
    }

    pub(super) fn file(&self, stones: usize) -> &LayerFile {
        self.files[stones].as_ref().expect("lower layers come first")
    }

    /// A block of a layer that is there.
    fn block(&self, mover: usize, opponent: usize) -> &[u8] {
        self.file(mover + opponent).block(mover)
    }
}

impl Pairs<'_> {
    fn lock(&self) -> MutexGuard<'_, Option<Stop>> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> bool {
        self.lock().is_some()
    }

    /// Whether there is a worker that went, who is then no longer away.
    fn call_back(&self) -> bool {
        self.away.fetch_update(Relaxed, Relaxed, |away| away.checked_sub(1)).is_ok()
    }
}

impl Current<'_> {
    /// Whether another pair may be begun: not when too many wait for one before them.
    fn may_go_on(&self) -> bool {
        match self.output {
            Output::Bytes(_) => true,
            Output::Compact(queue) => queue.waiting() < self.workers,
        }
    }
}
