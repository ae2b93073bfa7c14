//! A block in a third of its bytes: entropy coding that reads fast, in any order.

mod block;
mod directory;
mod shape;
mod tile;

pub use block::{BlockEncoder, Orientation};
pub use directory::Directory;
pub use shape::{BAND, Shape, WIDTH};

/// Why bytes are not those of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// No block of this shape has so many bytes.
    #[error("it has a length that is impossible")]
    Length,
    /// The directory gives a tile a place that cannot be.
    #[error("its directory is wrong about tile {tile}")]
    Directory {
        /// The tile's number.
        tile: usize,
    },
    /// A tile does not end as it must.
    #[error("tile {tile} is not what was written")]
    Tile {
        /// The tile's number.
        tile: usize,
    },
}
