//! Where the blocks of a layer lie in its file.

use super::{LayerId, format};
use crate::{ranking::row_count, rules::MAX_STONES};

/// The most pits a side that tables are made for.
pub const MAX_TABLE_PITS: usize = 6;

/// Blocks begin at multiples of this many bytes, so that each can be mapped and checked by itself.
pub(super) const PAGE: u64 = 4096;

/// Blocks of compact files begin at multiples of this many bytes, a cache line's, so that words of
/// tiles and directories are never split between two. Pages would take more room than many blocks.
pub(super) const ALIGNMENT: u64 = 64;

/// How many positions a block has; `None` when they cannot be counted.
pub(super) fn positions(id: LayerId, mover: usize) -> Option<u64> {
    let (pits, stones) = (usize::from(id.pits), usize::from(id.stones));
    row_count(pits, mover).checked_mul(row_count(pits, stones.checked_sub(mover)?))
}

/// The blocks of a layer, by the mover's stones, in the order in which compact files have them: that
/// in which they are computed. Blocks of the same two numbers of stones come together, the largest
/// first; of the two the one in which the mover has fewer stones.
pub(super) fn stream_order(stones: usize) -> impl Iterator<Item = usize> {
    (0..=stones / 2).rev().flat_map(move |fewer| {
        let more = stones - fewer;
        [Some(fewer), (more != fewer).then_some(more)].into_iter().flatten()
    })
}

/// The bytes of one block in a byte file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The first byte, counted from the beginning of the file.
    pub offset: u64,
    /// How many bytes: one a position.
    pub length: u64,
}

impl Extent {
    /// The byte after the last.
    pub fn end(&self) -> u64 {
        self.offset + self.length
    }
}

/// Where everything lies in the byte file of one layer. Rules, pits and stones decide it alone, so
/// two such files of one layer differ in nothing but values.
///
/// ```
/// use kalah::{rules::Rules, tables::{LayerId, Layout}};
///
/// let layout = Layout::new(LayerId { rules: Rules::Standard, pits: 6, stones: 2 }).unwrap();
/// assert_eq!(layout.block(1).length, 36);
/// assert_eq!(layout.file_length(), 3 * 4096 + 21);
/// ```
#[derive(Clone, Debug)]
pub struct Layout {
    id: LayerId,
    blocks: Vec<Extent>,
}

impl Layout {
    /// The layout of a layer; `None` when there are no tables of so many pits or stones.
    pub fn new(id: LayerId) -> Option<Self> {
        let (pits, stones) = (usize::from(id.pits), usize::from(id.stones));
        if !(1..=MAX_TABLE_PITS).contains(&pits) || stones > MAX_STONES {
            return None;
        }
        let mut offset = format::header_region(stones);
        let mut blocks = Vec::with_capacity(stones + 1);
        for mover in 0..=stones {
            let length = positions(id, mover)?;
            blocks.push(Extent { offset, length });
            offset = offset.checked_add(length)?.checked_next_multiple_of(PAGE)?;
        }
        // The system counts bytes of a file in signed numbers.
        i64::try_from(offset).ok()?;
        Some(Layout { id, blocks })
    }

    /// The layer.
    pub fn id(&self) -> LayerId {
        self.id
    }

    /// Stones in the pits of each position.
    pub fn stones(&self) -> usize {
        self.blocks.len() - 1
    }

    /// The block in which the mover's row holds `mover` stones.
    ///
    /// # Panics
    ///
    /// When `mover` exceeds the layer's stones.
    pub fn block(&self, mover: usize) -> Extent {
        self.blocks[mover]
    }

    /// All blocks, in order of the mover's stones and of their offsets.
    pub fn blocks(&self) -> &[Extent] {
        &self.blocks
    }

    /// The exact length of the file: it ends with the last byte of the last block.
    pub fn file_length(&self) -> u64 {
        self.block(self.stones()).end()
    }

    /// How many positions the layer has.
    pub fn positions(&self) -> u64 {
        self.blocks.iter().map(|block| block.length).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_has_every_block_once() {
        let order = |stones| stream_order(stones).collect::<Vec<_>>();
        assert_eq!(order(0), [0]);
        assert_eq!(order(1), [0, 1]);
        assert_eq!(order(4), [2, 1, 3, 0, 4]);
        assert_eq!(order(5), [2, 3, 1, 4, 0, 5]);
    }

    #[test]
    fn the_stream_has_the_order_of_the_generator() {
        for stones in 0..=30 {
            let pairs = crate::generator::Solver::<6>::pairs(stones);
            let pairs = pairs.flat_map(|(south, north)| match south == north {
                true => vec![south],
                false => vec![south, north],
            });
            assert!(pairs.eq(stream_order(stones)));
        }
    }
}
