//! A layer: its pairs of blocks solved and written, one beside the other where memory allows.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::super::layer_file::Order;
use super::super::{Folder, LayerFile, LayerId, LayerWriter, Layout, TableError};
use super::commit::Committer;
use super::matrices::Matrices;
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
    /// Whether lower layers are read where they are mapped, as far as their order is the right one.
    pub mapped: bool,
    pub committer: Committer,
    pub save_every: Duration,
    /// By stones, the layers that are there.
    pub files: Vec<Option<LayerFile>>,
}

/// A layer that is being written.
struct Current<'a> {
    writer: &'a LayerWriter,
    /// When it was last saved, or begun.
    saved: Mutex<Instant>,
}

impl<const P: usize> Build<'_, P> {
    /// Computes and writes a layer, so many pairs of blocks at once.
    pub fn layer(&mut self, id: LayerId, steps: &[Step], workers: usize) -> Result<(), Stop> {
        let stones = usize::from(id.stones);
        let writer = LayerWriter::take_up(self.folder, id, |damage| {
            self.progress.layer_damaged(stones, damage);
        })?;
        let positions = Layout::new(id).map_or(0, |layout| layout.positions());
        self.progress.layer_started(stones, positions);
        self.committer.begun(writer.syncer());

        let (done, left): (Vec<&Step>, Vec<&Step>) =
            steps.iter().partition(|step| writer.has(step.south) && writer.has(step.north));
        if !done.is_empty() {
            self.progress
                .layer_resumed(stones, done.iter().map(|step| step.positions::<P>()).sum());
            done.iter().for_each(|step| self.matrices.done(step));
        }
        let current = Current { writer: &writer, saved: Mutex::new(Instant::now()) };
        if let Err(stop) = self.pairs(&left, workers, &current) {
            writer.save_point().into_iter().for_each(|point| self.committer.save(point));
            return Err(stop);
        }
        let sealed = writer.seal()?;
        self.files[stones] = Some(sealed.map()?);
        self.committer.commit(sealed, stones);
        self.progress.layer_finished(stones);
        Ok(())
    }

    /// Computes and writes pairs of blocks. Each worker takes one after the other, so that no more
    /// are in memory than there are workers; threads without a pair help with lines of others.
    fn pairs(&self, steps: &[&Step], workers: usize, current: &Current<'_>) -> Result<(), Stop> {
        let next = AtomicUsize::new(0);
        let stop = Mutex::new(None);
        let stopped = || stop.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        rayon::scope(|scope| {
            for _ in 0..workers.min(steps.len()) {
                scope.spawn(|_| {
                    while !stopped()
                        && let Some(step) = steps.get(next.fetch_add(1, Relaxed))
                    {
                        if let Err(reason) = self.pair(step, current) {
                            let mut stop = stop.lock().unwrap_or_else(PoisonError::into_inner);
                            stop.get_or_insert(reason);
                        }
                    }
                });
            }
        });
        stop.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Computes and writes a pair of blocks.
    fn pair(&self, step: &Step, current: &Current<'_>) -> Result<(), Stop> {
        let solved = self.solve(step)?;
        self.matrices.done(step);
        self.write(step, &solved, current.writer)?;
        self.offer(step, solved);
        self.save_sometimes(current);
        Ok(())
    }

    /// Computes a pair of blocks.
    fn solve(&self, step: &Step) -> Result<Solved, Stop> {
        let (south, north) = (step.south, step.north);
        let held = self.held(step)?;
        let mut lower = Lines::new(south + north);
        for (&side, held) in step.sides.iter().zip(&held) {
            let matrix = held.as_ref().map(|held| &held[..]);
            lower.insert(side, matrix.unwrap_or_else(|| self.block(side.south, side.north)));
        }
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
        let solved = match self.solver.solve(south, north, &lower, &watch) {
            Err(SolveError::Stopped) if self.committer.failed() => return Err(Stop::Committer),
            other => other?,
        };
        // Blocks that are filled by the sweep are not watched, and halves are rounded.
        self.progress.positions_done(step.positions::<P>().saturating_sub(told.into_inner()));
        Ok(solved)
    }

    /// What a pair is computed from and cannot be read where files are mapped, in order of the
    /// step's sides.
    fn held(&self, step: &Step) -> Result<Vec<Option<Arc<Buffer>>>, Stop> {
        let is_mapped = |side: &Side| self.mapped && side.turn == Turn::South;
        // All that is there is held before anything is read, which could take its place.
        let found = step
            .sides
            .iter()
            .map(|side| if is_mapped(side) { None } else { self.matrices.find(*side) });
        let found: Vec<Option<Arc<Buffer>>> = found.collect();
        let held = step.sides.par_iter().zip(found).map(|(side, found)| match found {
            None if !is_mapped(side) => self.read(*side).map(Some),
            found => Ok(found),
        });
        held.collect()
    }

    /// Reads a lower matrix.
    fn read(&self, side: Side) -> Result<Arc<Buffer>, Stop> {
        let bytes = size::<P>(side.south, side.north);
        self.matrices.read(side, bytes, || {
            let (mover, order) = match side.turn {
                Turn::South => (side.south, Order::MoverRows),
                Turn::North => (side.north, Order::OpponentRows),
            };
            if self.mapped && side.turn == Turn::North {
                let block = self.block(side.north, side.south);
                let rows = row_count(P, side.north) as usize;
                return Ok(transpose(block, rows, &self.buffers)?);
            }
            let mut matrix = self.buffers.take(bytes as usize)?;
            self.file(side.south + side.north).read_matrix(mover, order, &mut matrix)?;
            Ok(matrix)
        })
    }

    /// Writes a pair of blocks.
    fn write(&self, step: &Step, solved: &Solved, writer: &LayerWriter) -> Result<(), Stop> {
        let (south, north) = (step.south, step.north);
        let rows = row_count(P, south) as usize;
        let (one, other) = rayon::join(
            || -> Result<(), Stop> {
                writer.write_block(south, &solved.south)?;
                // Soon it will not be in the core's cache any more.
                let side = Side { south: north, north: south, turn: Turn::North };
                if south != north && self.mapped && self.matrices.has_room(side, step.size::<P>()) {
                    self.matrices.offer(side, transpose(&solved.south, rows, &self.buffers)?);
                }
                Ok(())
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
    fn offer(&self, step: &Step, solved: Solved) {
        let (south, north) = (step.south, step.north);
        self.matrices.offer(Side { south, north, turn: Turn::North }, solved.north);
        if !self.mapped {
            self.matrices.offer(Side { south, north, turn: Turn::South }, solved.south);
        }
    }

    /// Saves what is finished of the layer, if that has not been done for long.
    fn save_sometimes(&self, current: &Current<'_>) {
        let mut saved = current.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if saved.elapsed() >= self.save_every
            && let Some(point) = current.writer.save_point()
        {
            *saved = Instant::now();
            self.committer.save(point);
        }
    }

    fn file(&self, stones: usize) -> &LayerFile {
        self.files[stones].as_ref().expect("lower layers come first")
    }

    /// A block of a layer that is there.
    fn block(&self, mover: usize, opponent: usize) -> &[u8] {
        self.file(mover + opponent).block(mover)
    }
}
