//! Probing: the value of any position the tables cover.

use std::num::NonZeroUsize;
use std::path::Path;

#[cfg(doc)]
use super::MAX_TABLE_PITS;
use super::{Encoding, Folder, LayerFile, LayerId, TableError, memory};
use crate::{
    generator::{self, SolveError},
    prefetch::prefetch,
    ranking::{rank_row, row_count},
    rules::{Board, MAX_STONES, Pits, Rules},
    with_table_pits,
};

/// The tables of one rule set and `P` pits a side, mapped for probing. Layers of either
/// [encoding](Encoding) go together.
///
/// ```
/// use kalah::{rules::{Pits, Rules}, tables::Tablebase};
/// # use kalah::tables::{Folder, LayerId, LayerWriter};
/// # let directory = tempfile::tempdir()?;
/// # let folder = Folder::open_for_writing(directory.path(), || ())?;
/// # for (stones, blocks) in [(0, vec![vec![0]]), (1, vec![vec![0], vec![1]])] {
/// #     let id = LayerId { rules: Rules::Standard, pits: 1, stones };
/// #     let writer = LayerWriter::create(&folder, id)?;
/// #     for (mover, bytes) in blocks.iter().enumerate() { writer.write_block(mover, bytes)?; }
/// #     writer.seal()?.commit()?;
/// # }
///
/// let tables = Tablebase::<1>::open(directory.path(), Rules::Standard)?;
/// assert_eq!(tables.stones(), Some(1));
/// assert_eq!(tables.margin(&Pits::new([0], [1])?), Some(-1));
/// assert_eq!(tables.margin(&Pits::new([1], [1])?), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Damaged tables
///
/// Opening checks headers and lengths, and reads no values. The tables end before the first file
/// that is found wrong, and [`Tablebase::obstacle`] says what is wrong with it. A value that no
/// position of its layer can have, or that cannot be decoded, is noticed when it is probed; any
/// other damage inside a block only by its checksum ([`LayerFile::check_block`], [`verify`](mod@super::verify)). What happens
/// when somebody shortens a file while it is mapped, [`LayerFile`] says.
#[derive(Debug)]
pub struct Tablebase<const P: usize> {
    rules: Rules,
    /// One a layer, from no stones up.
    layers: Vec<LayerFile>,
    /// Where the blocks lie: those of layer 0, of layer 1, ..; layer `n` has `n + 1` of them.
    blocks: Vec<Place>,
    obstacle: Option<TableError>,
}

/// The layers of up to `stones` stones, in memory.
fn layers_in_memory<const P: usize>(
    rules: Rules,
    stones: usize,
) -> Result<Vec<LayerFile>, SolveError> {
    let layers = generator::in_memory::<P>(rules, stones)?;
    let layer = |(stones, layer): (usize, &generator::LayerInMemory)| {
        let id = LayerId { rules, pits: P as u8, stones: stones as u8 };
        LayerFile::in_memory(id, &layer.blocks)
    };
    layers.iter().enumerate().map(layer).collect()
}

/// Where the values of a block are.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In the file, a byte each: from where on, and how long the lines are.
    Bytes { offset: usize, columns: NonZeroUsize },
    /// In the tiles of a compact file.
    Compact,
}

/// Where the value of a position is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Location<'a> {
    /// It is this byte: the mover's share.
    Byte(&'a u8),
    /// In a compact file, where it takes some time to look it up: [`Tablebase::decode`].
    Compact,
}

/// A position's value that may not be read yet.
#[derive(Clone, Copy)]
struct Address<'a> {
    location: Location<'a>,
    stones: usize,
    mover: usize,
}

/// How many look-ups are under way at once: enough to hide the memory's latency, and few enough
/// for the core to keep track of.
const GROUP: usize = 32;

impl<const P: usize> Tablebase<P> {
    /// Opens the layers of `rules` in a folder, from no stones up to the last before the first
    /// that is missing or whose file cannot be used. Reads only headers. Of more pits a side than
    /// [`MAX_TABLE_PITS`] there is no layer.
    ///
    /// # Errors
    ///
    /// [`TableError::MissingFolder`], [`TableError::NotAFolder`] and [`TableError::Io`], of the
    /// folder. What is wrong with a file is no error here: [`Tablebase::obstacle`] tells it.
    pub fn open(folder: impl AsRef<Path>, rules: Rules) -> Result<Self, TableError> {
        let folder = Folder::open_for_reading(folder.as_ref())?;
        let mut layers = Vec::new();
        let mut obstacle = None;
        for stones in 0..=MAX_STONES as u8 {
            match folder.open_layer(&LayerId { rules, pits: P as u8, stones }) {
                Ok(Some(layer)) => layers.push(layer),
                Ok(None) => break,
                Err(error) => {
                    obstacle = Some(error);
                    break;
                }
            }
        }
        // Layers that memory cannot hold all together would push each other out in large pieces.
        let mut room = memory::free();
        for layer in &layers {
            let Some(left) = room.checked_sub(layer.bytes().len() as u64) else { break };
            room = left;
            layer.expect_probes();
        }
        Ok(Tablebase::of_layers(rules, layers, obstacle))
    }

    /// The layers of up to `stones` stones, built in memory: what [`Tablebase::open`] has after they
    /// were built in a folder. Of more pits a side than [`MAX_TABLE_PITS`] there is no layer.
    ///
    /// ```
    /// use kalah::{rules::{Pits, Rules}, tables::Tablebase};
    ///
    /// let tables = Tablebase::<3>::in_memory(Rules::Standard, 8)?;
    /// assert_eq!(tables.stones(), Some(8));
    /// assert_eq!(tables.margin(&Pits::new([2, 1, 0], [1, 1, 1])?), Some(2));
    /// assert_eq!(Tablebase::<8>::in_memory(Rules::Standard, 8)?.stones(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SolveError::OutOfMemory`].
    pub fn in_memory(rules: Rules, stones: usize) -> Result<Self, SolveError> {
        let layers = with_table_pits!(P, layers_in_memory(rules, stones));
        Ok(Tablebase::of_layers(rules, layers.transpose()?.unwrap_or_default(), None))
    }

    /// Forgets the layers of more than `stones` stones.
    #[must_use]
    pub fn up_to(mut self, stones: usize) -> Self {
        if stones < self.layers.len() {
            self.layers.truncate(stones + 1);
            self.obstacle = None;
        }
        self
    }

    /// The layers are those of 0, 1, .. stones.
    fn of_layers(rules: Rules, layers: Vec<LayerFile>, obstacle: Option<TableError>) -> Self {
        let mut blocks = Vec::new();
        for (stones, layer) in layers.iter().enumerate() {
            for (mover, entry) in layer.header().blocks().iter().enumerate() {
                blocks.push(match layer.encoding() {
                    Encoding::Bytes => {
                        // Both fit `usize`: the file is mapped.
                        let columns = row_count(P, stones - mover) as usize;
                        let columns = NonZeroUsize::new(columns).expect("stones lie in some way");
                        Place::Bytes { offset: entry.offset as usize, columns }
                    }
                    Encoding::Compact => Place::Compact,
                });
            }
        }
        Tablebase { rules, layers, blocks, obstacle }
    }

    /// The rules the values are computed by.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The most stones in the pits that the tables cover; `None` when there is no table at all.
    pub fn stones(&self) -> Option<usize> {
        self.layers.len().checked_sub(1)
    }

    /// How the largest layer is written; the others may be otherwise. `None` when there is no table.
    pub fn encoding(&self) -> Option<Encoding> {
        self.layers.last().map(LayerFile::encoding)
    }

    /// Why the tables do not reach further although the next layer has a file: what is wrong with
    /// that file, which may be damaged ([`TableError::is_damage`]), not ours, or unreadable. `None`
    /// when there is no such file.
    pub fn obstacle(&self) -> Option<&TableError> {
        self.obstacle.as_ref()
    }

    /// The files, from no stones up.
    pub fn layers(&self) -> &[LayerFile] {
        &self.layers
    }

    /// What the mover still gets minus what the opponent still gets, in stones, when both play
    /// perfectly. `Ok(None)` when the position has too many stones for the tables; a game that is
    /// over needs no table.
    ///
    /// # Errors
    ///
    /// [`TableError::ImpossibleShare`] or [`TableError::Undecodable`] when the table is damaged
    /// there.
    #[inline]
    pub fn probe(&self, pits: &Pits<P>) -> Result<Option<i16>, TableError> {
        let Some(address) = self.address(pits) else { return Ok(pits.final_margin()) };
        match self.read(pits, address) {
            Some(margin) => Ok(Some(margin)),
            None => Err(self.damage(pits, address)),
        }
    }

    /// [`Tablebase::probe`] for those who go on in the same way when the tables are too small and
    /// when they are damaged: `None` in either case.
    #[inline]
    pub fn margin(&self, pits: &Pits<P>) -> Option<i16> {
        match self.address(pits) {
            Some(address) => self.read(pits, address),
            None => pits.final_margin(),
        }
    }

    /// The mover's final store minus the opponent's when both play perfectly; `None` as for
    /// [`Tablebase::margin`].
    #[inline]
    pub fn value(&self, board: &Board<P>) -> Option<i16> {
        self.margin(board.pits()).map(|margin| board.lead() + margin)
    }

    /// [`Tablebase::margin`] of many positions, several times as fast as one after the other: the
    /// look-ups of a group are under way in memory at once.
    ///
    /// # Panics
    ///
    /// When the slices differ in length.
    pub fn margins(&self, positions: &[Pits<P>], margins: &mut [Option<i16>]) {
        assert_eq!(positions.len(), margins.len(), "a margin for each position");
        let mut addresses = [None; GROUP];
        for (positions, margins) in positions.chunks(GROUP).zip(margins.chunks_mut(GROUP)) {
            for (address, pits) in addresses.iter_mut().zip(positions) {
                *address = self.address(pits);
                if let Some(Address { location: Location::Byte(byte), .. }) = address {
                    prefetch(std::ptr::from_ref(*byte));
                }
            }
            for ((margin, pits), address) in margins.iter_mut().zip(positions).zip(&addresses) {
                *margin = match address {
                    Some(address) => self.read(pits, *address),
                    None => pits.final_margin(),
                };
            }
        }
    }

    /// Where the position's value is; `None` when it has more stones than the tables.
    #[inline]
    fn address(&self, pits: &Pits<P>) -> Option<Address<'_>> {
        let mover = row_stones(pits.mover());
        let stones = mover + row_stones(pits.opponent());
        let location = self.locate(pits, stones, mover)?;
        Some(Address { location, stones, mover })
    }

    /// Where the share of a position with so many stones is, `mover` of them in the mover's row.
    /// `None` when the position has more stones than the tables.
    #[inline]
    pub(crate) fn locate(
        &self,
        pits: &Pits<P>,
        stones: usize,
        mover: usize,
    ) -> Option<Location<'_>> {
        let layer = self.layers.get(stones)?;
        let Place::Bytes { offset, columns } = self.blocks[stones * (stones + 1) / 2 + mover]
        else {
            return Some(Location::Compact);
        };
        // Below the block's length, which fits `usize`.
        let line = rank_row(pits.mover()) as usize;
        let index = line * columns.get() + rank_row(pits.opponent()) as usize;
        Some(Location::Byte(&layer.bytes()[offset + index]))
    }

    /// The mover's share in a position that is [located](Tablebase::locate) in a compact file.
    ///
    /// # Errors
    ///
    /// [`TableError::ImpossibleShare`], [`TableError::Undecodable`].
    pub(crate) fn decode(
        &self,
        pits: &Pits<P>,
        stones: usize,
        mover: usize,
    ) -> Result<u8, TableError> {
        self.layers[stones].share(mover, rank_row(pits.mover()), rank_row(pits.opponent()))
    }

    /// The margin; `None` when the table is damaged there.
    #[inline]
    fn read(&self, pits: &Pits<P>, address: Address) -> Option<i16> {
        let Address { location, stones, mover } = address;
        let share = match location {
            Location::Byte(share) => *share,
            Location::Compact => self.decode(pits, stones, mover).ok()?,
        };
        let (share, stones) = (i16::from(share), stones as i16);
        (share <= stones).then_some(2 * share - stones)
    }

    /// What is wrong with the table where the position's value should be.
    #[cold]
    fn damage(&self, pits: &Pits<P>, address: Address) -> TableError {
        let Address { location, stones, mover } = address;
        match location {
            Location::Byte(share) => self.layers[stones].impossible(mover, *share),
            // What was damaged when it was read may be so no longer.
            Location::Compact => match self.decode(pits, stones, mover) {
                Err(damage) => damage,
                Ok(share) => self.layers[stones].impossible(mover, share),
            },
        }
    }
}

#[inline]
fn row_stones<const P: usize>(row: &[u8; P]) -> usize {
    // Pits hold at most 127 stones together.
    usize::from(row.iter().sum::<u8>())
}
