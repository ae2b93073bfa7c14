//! Tables for web pages.

mod blocks;
mod bounds;
mod coder;
mod error;
mod file;
mod table;
mod walk;

pub use blocks::{MAX_POSITIONS, most_stones};
pub use error::{DecodeError, EncodeError};
pub use file::Contents;
pub use table::{WebTable, encode};
