//! Endgame tables on disk.
//!
//! A layer is one file: a header that says what it holds, and its values, in one of two
//! [encodings](Encoding): a byte a position, or [entropy-coded](crate::compact) in a third of that. A
//! [`Folder`] holds the files of any number of layers, rule sets and pits, each layer in either
//! encoding and under the same name.
//!
//! | to | there is |
//! | --- | --- |
//! | compute the layers that a folder lacks | [`build`](mod@build) |
//! | look up positions in all layers of a folder | [`Tablebase`] |
//! | value every move, and follow perfect play | [`analysis`] |
//! | make files a third as large, and back | [`pack`] |
//! | check files, and recompute what is in them | [`verify`](mod@verify) |
//! | compare files with those of others | [`checksums`] |
//! | read one layer's file | [`LayerFile`], [`Header`], [`Statistics`] |
//! | write one | [`LayerWriter`] or [`CompactWriter`], [`SealedLayer`] |
//!
//! ```
//! use kalah::rules::{Pits, Rules};
//! use kalah::tables::Tablebase;
//! use kalah::tables::build::{Options, build};
//!
//! let folder = tempfile::tempdir()?;
//! let options = Options::new(Rules::EmptyCapture, 10);
//! build::<3>(folder.path(), &options, &())?;
//!
//! let tables = Tablebase::<3>::open(folder.path(), Rules::EmptyCapture)?;
//! assert_eq!(tables.stones(), Some(10));
//! assert_eq!(tables.margin(&Pits::new([2, 1, 0], [1, 1, 1])?), Some(2));
//! assert_eq!(tables.margin(&Pits::new([2, 2, 2], [2, 2, 2])?), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is trusted
//!
//! As little as can be. Opening a file checks its length and its header, in time that does not
//! depend on its size; whatever is wrong is a [`TableError`] that names the file. Bytes of blocks are held against
//! their checksums when whole blocks are read: before other layers are built from them, before they
//! are packed, and by [`verify`](mod@verify). Probing does not read whole blocks, and so notices only
//! values that no position of the layer can have, and what cannot be decoded.
//! A file appears under its name when it is whole and durable, never before, and is not written to
//! again; what happens when somebody else cuts it short while it is mapped, [`LayerFile`] says.
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
//! | | the blocks, one for each number of stones in the mover's row |
//!
//! The header is
//!
//! | bytes | what |
//! | --- | --- |
//! | 4 | the rules: 0 standard, 1 empty capture |
//! | 1 | pits a side, 1 to 6 |
//! | 1 | stones in the pits, `n`, 0 to 127 |
//! | 4 | the encoding of the values: 0, a byte a position; 1, compact |
//! | 8 | how many blocks there are, `n + 1` |
//! | 74 each | the blocks: offset in the file (8), length (8), BLAKE3 digest (32), open positions won, drawn and lost (8 each), their lowest and highest share (1 each; both 0 when no position is open) |
//!
//! Numbers are little-endian. Nothing in a file depends on when, where or with how many threads it
//! was made.
//!
//! # Byte files
//!
//! Blocks come in order of the mover's stones; after each but the last there are zeros up to a
//! multiple of 4096. Offsets and lengths follow from rules, pits and stones ([`Layout`]), and a
//! header that gives others is refused.
//!
//! A byte of a block is the mover's *share* of the stones, 0 to `n`, when both play perfectly: the
//! margin is twice the share minus `n`. A block is a matrix of the mover's rows by the opponent's
//! rows, both in the order of their [ranks](crate::ranking), row by row: with `a` stones in the
//! mover's row and `R(s)` for the [number of rows](crate::ranking::row_count) of `s` stones, the
//! byte of a position is the one at `rank(mover) * R(n - a) + rank(opponent)` of block `a`.
//!
//! # Compact files
//!
//! Blocks are those of [`compact`](crate::compact): tiles of entropy-coded shares and then a
//! directory of the tiles, which the digest covers in this order. How many positions a block has
//! follows from its [`Shape`](crate::compact::Shape) and not from its length. A block in which a row
//! is empty takes no bytes, and has 0 for its offset and its length.
//!
//! Blocks come in the order in which they are computed, which does not need them twice: with `a` and
//! `n - a` stones in the rows, `a` from `n / 2` down to 0, first the block in which the mover has
//! `a`, then the other one. Lengths are known only when blocks are encoded, and the header has room
//! at the beginning whatever they are, so the file is written from front to back, and then the
//! header. Each block begins at the next multiple of 64 after the one before, with zeros between
//! them: a cache line, so that words and directories lie in as few of them as they can, where a page
//! would be more than many a block. The file ends with the last block that has bytes. A header that
//! gives other offsets, or a length that is odd or shorter than the block's directory, is refused.
//!
//! The digest that stands for a layer in lists of [`checksums`] and in
//! [proofs](crate::search::proof) is that of its byte file, whichever of the two there is.

pub mod analysis;
pub mod build;
pub mod checksums;
pub(crate) mod codec;
mod compact_block;
mod compact_writer;
mod error;
mod few;
mod folder;
pub(crate) mod format;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod layer_file;
mod layer_id;
mod layout;
mod lock_file;
mod memory;
mod new_file;
pub mod pack;
mod partial;
mod reading;
mod recompute;
mod statistics;
mod streaming;
mod tablebase;
pub(crate) mod unpacked;
pub mod verify;
mod writer;

pub use compact_writer::CompactWriter;
pub use error::TableError;
pub use folder::Folder;
pub use format::{BlockEntry, Encoding, Header, UnknownEncoding};
pub use layer_file::LayerFile;
pub use layer_id::LayerId;
pub use layout::{Extent, Layout, MAX_TABLE_PITS};
pub use new_file::{SealedLayer, Syncer};
pub use partial::PartialLayer;
pub use reading::Order;
pub use statistics::Statistics;
pub(crate) use tablebase::Location;
pub use tablebase::Tablebase;
pub use writer::LayerWriter;
