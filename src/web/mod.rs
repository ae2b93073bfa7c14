//! Tables for web pages: all positions of up to a dozen stones in a file that a page loads, with a
//! reader in JavaScript, and the same in Rust.
//!
//! | to | there is |
//! | --- | --- |
//! | write a table, its reader and an example page for a web server | [`export`] |
//! | write a table alone | [`encode`] |
//! | read one | [`WebTable`], [`Contents`] |
//!
//! The values are those of the [tables](crate::tables) they are made from; what makes them small is
//! a prediction of each from values before it, and an arithmetic coder. Of 6 pits and 12 stones a
//! position takes half a bit under standard rules and a third under empty-capture rules. What is in
//! the exported folder as `FORMAT.md` says how, byte by byte:
//!
#![doc = include_str!("assets/FORMAT.md")]

mod blocks;
mod bounds;
mod coder;
mod error;
mod file;
mod pages;
mod table;
mod walk;

pub use blocks::{MAX_POSITIONS, most_stones};
pub use error::{DecodeError, EncodeError};
pub use file::Contents;
pub use pages::{ExportError, Exported, export};
pub use table::{WebTable, encode};
