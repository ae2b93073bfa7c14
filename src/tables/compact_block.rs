//! Looking values up in the blocks of a compact file.

use super::{BlockEntry, Header, Order};
use crate::compact::{Damage, Directory, Identity, Shape};

/// A block of a compact file: where it lies, and how its positions do.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompactBlock {
    shape: Shape,
    offset: usize,
    length: usize,
    identity: Identity,
}

impl CompactBlock {
    /// The blocks of a mapped file with this header, by the mover's stones.
    pub fn all(header: &Header) -> Vec<Self> {
        let id = header.id();
        let block = |(mover, entry): (usize, &BlockEntry)| CompactBlock {
            shape: Shape::new(id.pits.into(), id.stones.into(), mover),
            // Both fit `usize`: the file is mapped.
            offset: entry.offset as usize,
            length: entry.length as usize,
            identity: Identity::new(),
        };
        header.blocks().iter().enumerate().map(block).collect()
    }

    /// How the block's positions are laid out.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Bytes of the block's tiles, which its directory follows.
    pub fn tiles_length(&self) -> usize {
        // The header was checked.
        self.length - Directory::length(&self.shape)
    }

    /// The mover's share in the position whose rows have these ranks; `file` are all bytes of the
    /// file. It may be more than there are stones, when the file is damaged.
    pub fn share(&self, file: &[u8], mover: usize, opponent: usize) -> Result<u8, Damage> {
        if let Some(share) = self.shape.swept() {
            return Ok(share);
        }
        let block = &file[self.offset..][..self.length];
        let directory = &block[self.tiles_length()..];
        let directory = Directory::new(self.shape, directory, self.length as u64)?;
        let (line, column) = match Order::of_lines(&self.shape) {
            Order::MoverRows => (mover, opponent),
            Order::OpponentRows => (opponent, mover),
        };
        directory.share(self.identity, block, line, column)
    }
}
