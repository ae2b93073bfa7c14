//! Endgame tables on disk.
//!
//! A layer is one file: a header that says what it holds, and one byte a position. A [`Folder`]
//! holds the files of any number of layers, rule sets and pits. [`LayerWriter`] makes a file that
//! is either whole under its final name or not there; [`LayerFile`] maps one and trusts nothing in
//! it but what it has checked. A [`Tablebase`] answers positions from all layers of a folder,
//! [`verify`](mod@verify) checks them, and [`checksums`] compares them with those of others.
//!
//! # The format
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `KALAH`, carriage return, line feed, `0x1a` |
//! | 4 | the format's version, 1 |
//! | 4 | the length `h` of the header |
//! | `h` | the header |
//! | 32 | the BLAKE3 digest of everything before |
//! | | zeros up to a multiple of 4096 |
//! | | the blocks, one for each number of stones in the mover's row, from 0; after each but the last zeros up to a multiple of 4096 |
//!
//! The header is
//!
//! | bytes | what |
//! | --- | --- |
//! | 4 | the rules: 0 standard, 1 empty capture |
//! | 1 | pits a side, 1 to 6 |
//! | 1 | stones in the pits, `n`, 0 to 127 |
//! | 4 | the encoding of the values: 0, a byte a position |
//! | 8 | how many blocks there are, `n + 1` |
//! | 74 each | the blocks: offset in the file (8), length (8), BLAKE3 digest (32), open positions won, drawn and lost (8 each), their lowest and highest share (1 each; both 0 when no position is open) |
//!
//! A byte of a block is the mover's *share* of the stones, 0 to `n`, when both play perfectly: the
//! margin is twice the share minus `n`. A block is a matrix of the mover's rows by the opponent's
//! rows, both in the order of their [ranks](crate::ranking), row by row.
//!
//! Numbers are little-endian. Offsets and lengths follow from rules, pits and stones ([`Layout`]),
//! and a header that gives others is refused. Nothing in a file depends on when, where or with how
//! many threads it was made.

pub mod analysis;
pub mod build;
pub mod checksums;
mod codec;
mod error;
mod folder;
mod format;
mod layer_file;
mod layer_id;
mod layout;
mod recompute;
mod statistics;
mod tablebase;
pub mod verify;
mod writer;

pub use error::TableError;
pub use folder::Folder;
pub use format::{BlockEntry, Encoding, Header};
pub use layer_file::LayerFile;
pub use layer_id::LayerId;
pub use layout::{Extent, Layout, MAX_TABLE_PITS};
pub use statistics::Statistics;
pub use tablebase::Tablebase;
pub use writer::{LayerWriter, SealedLayer, Syncer};
