//! A block in a third of its bytes: entropy coding that reads fast, in any order.
//!
//! ```
//! use kalah::compact::{BlockEncoder, Directory, Identity, Orientation, Shape};
//! use kalah::generator;
//! use kalah::rules::Rules;
//!
//! // The positions of 5 stones against 6, with the 5 to move.
//! let layers = generator::in_memory::<6>(Rules::Standard, 11)?;
//! let matrix = &layers[11].blocks[5][..];
//! let shape = Shape::new(6, 11, 5);
//! let mut encoder = BlockEncoder::new(shape);
//! let mut block = encoder.encode(matrix);
//! block.extend(encoder.finish());
//! assert!(block.len() < matrix.len() * 3 / 8);
//!
//! // A directory ends the block.
//! let at = block.len() - Directory::length(&shape);
//! let directory = Directory::new(shape, &block[at..], block.len() as u64)?;
//! let identity = Identity::new();
//! assert_eq!(directory.share(identity, &block, 100, 200)?, matrix[100 * shape.columns() + 200]);
//! let mut decoded = vec![0; matrix.len()];
//! directory.decode(0..shape.bands(), &block[..at], &mut decoded, Orientation::Lines)?;
//! assert_eq!(decoded, matrix);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is known beforehand
//!
//! A byte has a mover's share of the stones, which has the parity of the margin in it already. On
//! its own it has 3.9 bits of entropy, in the layer of 24 stones. But a matrix of shares is like a
//! picture: rows that are neighbours in rank order differ by a stone that lies a pit further, and
//! mostly their shares do not differ much. Given the left neighbour there are 2.9 bits, given the
//! upper two as well 2.45. What serves best is a weighted sum of seven neighbours as a prediction,
//! and the distribution of what it is off by, chosen by how far the seven differ: 2.45 bits with a
//! few distributions, which are the same in all tables. They are part of the program and not of the
//! files (`examples/residuals.rs` counts them).
//!
//! # How it is coded
//!
//! By asymmetric numeral systems, the coding that zstd and others use too, which gets within a
//! hundredth of the entropy where Huffman's would lose a tenth. A [`Shape`] cuts the block in tiles
//! of 16 lines by up to 192 columns, each of which is read by itself. The 16 lines are decoded side
//! by side, each one column behind the line above it, so that what is above is known and all lanes
//! of a register have work. Lanes that begin and end, and lines without one above them, cost 0.13 bits a
//! position; larger tiles would cost less and take longer for a single position.
//!
//! Three blocks of the layer of 24 stones (12, 8 and 17 in the mover's row), all of whose bytes have
//! 3.9 bits of entropy; a single position of a tile or block that nothing is known of, the whole
//! decoded, and encoded, by one core (2-core AMD EPYC with AVX-512, 2026-11-30; zstd 1.5.7 and lz4
//! 1.10, blocks of so many bytes compressed by themselves):
//!
//! | coding | bits | one position | decoded | encoded |
//! | --- | --- | --- | --- | --- |
//! | this | 2.58 | 3.9 µs | 670 M/s | 270 M/s |
//! | zstd -3, 4 KiB | 3.41 | 7.3 µs | 565 M/s | 116 M/s |
//! | zstd -19, 4 KiB | 3.17 | 10.5 µs | 390 M/s | 6 M/s |
//! | zstd -12, 16 KiB | 3.03 | 35 µs | 466 M/s | 10 M/s |
//! | zstd -19, 64 KiB | 2.88 | 91 µs | 718 M/s | 4 M/s |
//! | lz4 -9, 4 KiB | 5.60 | 2.2 µs | 1851 M/s | 59 M/s |
//! | lz4 -9, 64 KiB | 4.25 | 23 µs | 2905 M/s | 25 M/s |
//!
//! General compressors look for what comes again; here little does, and what helps is to know which
//! neighbours a position has. Tiles of 16 lines by 256 columns would take 0.03 bits less and 1 µs more
//! for a position.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod desk;
mod directory;
mod distributions;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(target_arch = "x86_64")]
mod machine;
mod model;
mod prediction;
mod recent;
mod residuals;
mod shape;
mod tile;

pub use block::{BlockEncoder, Orientation};
pub use directory::Directory;
pub use recent::Identity;
pub use residuals::Residuals;
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

#[cfg(test)]
mod tests;
