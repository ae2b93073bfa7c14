//! Where the pairs of a layer go when they are solved.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::new_file::SavePoint;
use super::super::{
    CompactWriter, Encoding, Folder, LayerId, LayerWriter, SealedLayer, Syncer, TableError,
};
use crate::generator::Solved;

/// The file of a layer that is being written.
pub(super) enum Output {
    /// Blocks have their places, and come in any order.
    Bytes(LayerWriter),
    /// Blocks come one after the other.
    Compact(Queue),
}

impl Output {
    /// Goes on with a layer or begins it.
    pub fn take_up(
        folder: &Folder,
        id: LayerId,
        encoding: Encoding,
        damaged: impl FnOnce(&TableError),
    ) -> Result<Self, TableError> {
        Ok(match encoding {
            Encoding::Bytes => Output::Bytes(LayerWriter::take_up(folder, id, damaged)?),
            Encoding::Compact => {
                Output::Compact(Queue::new(CompactWriter::take_up(folder, id, damaged)?))
            }
        })
    }

    /// What makes the file's data durable.
    pub fn syncer(&self) -> Syncer {
        match self {
            Output::Bytes(writer) => writer.syncer(),
            Output::Compact(queue) => queue.with_writer(|writer| writer.syncer()),
        }
    }

    /// Whether both blocks of a pair are written.
    pub fn has(&self, south: usize, north: usize) -> bool {
        match self {
            Output::Bytes(writer) => writer.has(south) && writer.has(north),
            Output::Compact(queue) => {
                queue.with_writer(|writer| writer.has(south) && writer.has(north))
            }
        }
    }

    /// What is finished, to be saved; `None` when that is nothing. No pair is being written.
    pub fn save_point(&self) -> Result<Option<SavePoint>, TableError> {
        match self {
            Output::Bytes(writer) => Ok(writer.save_point()),
            Output::Compact(queue) => queue.with_writer(CompactWriter::save_point),
        }
    }

    /// All is written.
    pub fn seal(self) -> Result<SealedLayer, TableError> {
        match self {
            Output::Bytes(writer) => writer.seal(),
            Output::Compact(queue) => queue.into_writer().seal(),
        }
    }
}

/// Pairs that wait for those before them to be written, and who writes.
///
/// Nobody waits for a turn: a thread that waits may be the one on which the writer goes on. Who has
/// solved a pair leaves it here, and writes whatever is next if nobody else does.
pub(super) struct Queue(Mutex<State>);

struct State {
    /// None while somebody writes.
    writer: Option<CompactWriter>,
    /// The pairs that are solved, by their places in the layer.
    solved: BTreeMap<usize, Solved>,
    /// The place of the next one to be written.
    next: usize,
}

/// The turn to write a pair.
pub(super) struct Turn {
    pub writer: CompactWriter,
    pub solved: Solved,
    /// The pair's place in the layer.
    pub place: usize,
}

impl Queue {
    fn new(writer: CompactWriter) -> Self {
        Queue(Mutex::new(State { writer: Some(writer), solved: BTreeMap::new(), next: 0 }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Never left half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_writer<T>(&self, with: impl FnOnce(&mut CompactWriter) -> T) -> T {
        with(self.lock().writer.as_mut().expect("nobody writes"))
    }

    fn into_writer(self) -> CompactWriter {
        let state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.writer.expect("nobody writes")
    }

    /// So many pairs are written already.
    pub fn begin_at(&self, place: usize) {
        self.lock().next = place;
    }

    /// How many pairs wait.
    pub fn waiting(&self) -> usize {
        self.lock().solved.len()
    }

    /// A pair is solved.
    pub fn put(&self, place: usize, solved: Solved) {
        self.lock().solved.insert(place, solved);
    }

    /// The next pair to write; `None` when it is not solved yet or somebody is writing.
    pub fn turn(&self) -> Option<Turn> {
        let mut state = self.lock();
        let place = state.next;
        let solved = state.writer.is_some().then(|| state.solved.remove(&place))??;
        let writer = state.writer.take()?;
        Some(Turn { writer, solved, place })
    }

    /// A pair is written, or could not be: then nothing after it is either.
    pub fn written(&self, writer: CompactWriter, whole: bool) {
        let mut state = self.lock();
        state.writer = Some(writer);
        state.next = if whole { state.next + 1 } else { usize::MAX };
    }
}
