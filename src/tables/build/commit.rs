//! Makes finished layers durable while the next ones are computed, and what is finished of a layer
//! that takes long.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::super::new_file::SavePoint;
use super::super::{SealedLayer, Syncer, TableError};

/// How long after the last thing that happened what was written so far is sent to the disk.
const PAUSE: Duration = Duration::from_millis(100);

enum Work {
    /// A layer's file is being written.
    Begun(Syncer),
    /// So much of it is to be there after whatever happens.
    Save(SavePoint),
    /// It is complete.
    Commit(SealedLayer, usize),
}

/// A thread that syncs and renames, layer after layer.
pub(super) struct Committer {
    work: Option<Sender<Work>>,
    thread: Option<JoinHandle<Result<(), TableError>>>,
}

impl Committer {
    /// Starts the thread; `done` is told each layer that has its final name.
    ///
    /// # Errors
    ///
    /// When the system gives no thread.
    pub fn start(done: Sender<usize>) -> io::Result<Self> {
        let (work, queue) = channel();
        let thread = thread::Builder::new().spawn(move || run(&queue, &done))?;
        Ok(Committer { work: Some(work), thread: Some(thread) })
    }

    /// A layer's file is written from now on.
    pub fn begun(&self, syncer: Syncer) {
        self.send(Work::Begun(syncer));
    }

    /// What is written of a layer is to be saved.
    pub fn save(&self, save_point: SavePoint) {
        self.send(Work::Save(save_point));
    }

    /// A layer is to be committed.
    pub fn commit(&self, layer: SealedLayer, stones: usize) {
        self.send(Work::Commit(layer, stones));
    }

    /// When the thread has ended after an error, [`Committer::finish`] tells it.
    fn send(&self, work: Work) {
        let _ = self.work.as_ref().expect("until it is finished").send(work);
    }

    /// Whether the thread has given up.
    pub fn failed(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until every layer is committed.
    pub fn finish(mut self) -> Result<(), TableError> {
        self.work = None;
        let thread = self.thread.take().expect("it is finished once");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn run(queue: &Receiver<Work>, done: &Sender<usize>) -> Result<(), TableError> {
    let mut current = None;
    loop {
        match queue.recv_timeout(PAUSE) {
            Ok(Work::Begun(syncer)) => current = Some(syncer),
            Ok(Work::Save(save_point)) => save_point.save()?,
            Ok(Work::Commit(layer, stones)) => {
                layer.commit()?;
                // Nobody listens any more when the build was given up.
                let _ = done.send(stones);
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some(syncer) = &current {
                    syncer.sync_data()?;
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
