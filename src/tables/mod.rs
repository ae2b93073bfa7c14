//! Endgame tables on disk.
//!
//! A layer is one file: a header that says what it holds, and one byte a position. A [`Folder`]
//! holds the files of any number of layers, rule sets and pits. [`LayerWriter`] makes a file that
//! is either whole under its final name or not there; [`LayerFile`] maps one and trusts nothing in
//! it but what it has checked.

pub mod analysis;
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
pub use writer::{LayerWriter, SealedLayer};
