//! Why tables cannot be built.

use std::path::PathBuf;

use indicatif::{BinaryBytes, DecimalBytes};

use super::super::{Encoding, TableError};

/// Why a build cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A file or the folder cannot be read or written, or is not what it should be.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There are no tables of so many stones, or of so many pits.
    #[error(
        "there are no tables of {stones} stones in {pits} pits a side: a file would be larger than \
         the system can count"
    )]
    TooLarge {
        /// Stones in the pits.
        stones: usize,
        /// Pits a side.
        pits: usize,
    },
    /// A layer to build was begun in another encoding, and would have to be begun anew.
    #[error(
        "{} holds {blocks} blocks ({positions} positions, {}) of a layer that was begun with \
         --encoding {encoding}; go on with that, or remove the file to begin anew with --encoding \
         {asked}",
        file.display(), DecimalBytes(*bytes)
    )]
    BegunOtherwise {
        /// What there is of the layer.
        file: PathBuf,
        /// How it is written.
        encoding: Encoding,
        /// How many of its blocks are finished.
        blocks: usize,
        /// How many positions these have.
        positions: u64,
        /// Bytes that they take.
        bytes: u64,
        /// How it was asked for.
        asked: Encoding,
    },
    /// The folder's file system cannot hold the files.
    #[error(
        "the tables to build take {needed} bytes ({}), and {} has {free} free ({}); free some, \
         choose another folder, or fewer stones",
        BinaryBytes(*needed), folder.display(), BinaryBytes(*free)
    )]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// Bytes of all files to build.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The system does not give the thread that makes finished layers durable.
    #[error("cannot start another thread: {0}; allow more, or end other programs")]
    NoThread(std::io::Error),
    /// The memory that is free, or allowed, is too little.
    #[error(
        "building these tables takes at least {needed} bytes of memory ({}), and {free} are free \
         or allowed ({}); free or allow more, or build fewer stones",
        BinaryBytes(*needed), BinaryBytes(*free)
    )]
    NoMemory {
        /// Bytes needed.
        needed: u64,
        /// Bytes there are.
        free: u64,
    },
    /// The memory that was free was taken by others meanwhile, or is limited in another way.
    #[error(
        "the system gave no {bytes} bytes of memory; free some, or use less with --memory; the \
         layers that were finished are kept"
    )]
    OutOfMemory {
        /// Bytes of the block that there was no room for.
        bytes: usize,
    },
}
