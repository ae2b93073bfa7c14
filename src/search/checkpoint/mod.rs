//! Searches that outlive their process.
//!
//! A checkpoint is a file of facts about one game: the bounds proved of the position that is
//! searched, and of any others, and the most expensive proofs of the transposition table. It does
//! not say what was asked, as a bound is as good for every question, and nothing of the memory that
//! the search had: another run may have more or less of it, other tables and other threads.
//!
//! [`Saver`] writes checkpoints while a search goes on and at its end; [`Checkpoint`] reads one
//! back. A new one is written beside the old one and takes its name when it is safe on the disk, so
//! that whatever happens there is one.
//!
//! Nothing of a file is used unless it is for this game and position and every byte of it is as it
//! was written. What it then says is believed: who can write the file and its digests can make it
//! lie, and tables that were wrong when it was written made it wrong.
//!
//! ```
//! use kalah::rules::{Board, Rules};
//! use kalah::search::checkpoint::{Checkpoint, Saver};
//! use kalah::search::{Options, Question, Searcher};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("three.checkpoint");
//! let board = Board::<3>::opening(3)?;
//! let searcher = || Searcher::<3>::new(Rules::Standard, None, Options::default());
//!
//! let first = searcher()?;
//! let told = |_: &_| ();
//! let (bounds, saved) = Saver::new(&first, board, &path)
//!     .run(&told, || first.solve(board.pits(), Question::Exact, &()))?;
//! assert!(saved?.entries > 0);
//!
//! // Later, perhaps with another transposition table.
//! let checkpoint = Checkpoint::open(&path, Rules::Standard, &board)?.expect("it was saved");
//! let second = checkpoint.resume(searcher()?)?;
//! assert_eq!(second.solve(board.pits(), Question::Exact, &())?, bounds);
//! assert_eq!(second.nodes(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Format
//!
//! Version 1; all numbers little-endian.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `KALAHC\r\n` |
//! | 4 | the version |
//! | 4 | the bytes of the header |
//! | | the header |
//! | 32 | the BLAKE3 digest of everything before |
//! | | the entries |
//!
//! The header: rules (1 byte, 0 standard, 1 empty-capture), pits a side (1), the position as
//! `m1..mP`, the mover's store, `o1..oP`, the opponent's store (a byte each), nodes, probes and
//! milliseconds spent so far (8 each), how many entries there are (8), their BLAKE3 digest (32), and
//! of how many positions there are bounds (2); then for each of these `m1..mP`, `o1..oP`, the least
//! and the greatest share of the stones that the mover can force (a byte each).
//!
//! An entry is one number of as many bytes as are needed for the position's number and 23 bits: from
//! the lowest, the least and the greatest share (7 bits each), the pit to try first (3, from 0; 7
//! for none), the logarithm of the nodes it cost (6), and the position's number: positions are
//! counted by stones, then by the mover's stones, then by the [ranks](crate::ranking) of the
//! mover's row and the opponent's.

mod error;
mod format;
mod record;
mod resume;
mod saver;

pub use error::CheckpointError;
pub use resume::Checkpoint;
pub use saver::{Pace, Saved, Saver};

use std::ops::Add;
use std::time::Duration;

/// What a search has cost, over all the processes it took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// Positions whose moves were generated.
    pub nodes: u64,
    /// Positions looked up in tables.
    pub probes: u64,
    /// How long it took, to the millisecond.
    pub time: Duration,
}

impl Add for Spent {
    type Output = Spent;

    fn add(self, other: Spent) -> Spent {
        Spent {
            nodes: self.nodes.saturating_add(other.nodes),
            probes: self.probes.saturating_add(other.probes),
            time: self.time.saturating_add(other.time),
        }
    }
}
