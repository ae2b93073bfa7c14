//! The file format, as the parent module describes it: headers to bytes, and bytes to headers that
//! are known to be possible.

use std::{fmt, path::Path, str::FromStr};

use serde::{Deserialize, Serialize};

use super::layout::{self, PAGE};
use super::{LayerId, Layout, Statistics, TableError, codec};
use crate::compact::{Directory, Shape};
use crate::files::{self, DIGEST, PREAMBLE, Preamble};
use crate::rules::Rules;

/// What every table file begins with. The line ends show a transfer that took it for a text.
pub(super) const MAGIC: [u8; 8] = *b"KALAH\r\n\x1a";
/// The version of the format that this program writes and reads.
pub(super) const VERSION: u32 = 1;

/// No file has its first block later than this.
pub(super) const MOST_BEFORE_BLOCKS: u64 = (PREAMBLE + codec::LIMIT + DIGEST) as u64;

/// How a block's values are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Encoding {
    /// A byte a position: the mover's share of the stones in the pits.
    Bytes,
    /// Entropy-coded shares: [`compact`](crate::compact).
    Compact,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Encoding; 2] = [Encoding::Bytes, Encoding::Compact];

    /// What it is called: `bytes`, `compact`.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Bytes => "bytes",
            Encoding::Compact => "compact",
        }
    }

    /// The number that stands for it in files.
    pub(super) fn number(self) -> u32 {
        match self {
            Encoding::Bytes => 0,
            Encoding::Compact => 1,
        }
    }

    /// The encoding that a number in a file stands for.
    pub(super) fn numbered(number: u32) -> Option<Self> {
        Encoding::ALL.into_iter().find(|encoding| encoding.number() == number)
    }
}

/// A name that no [`Encoding`] has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no encoding {0:?}; write bytes or compact")]
pub struct UnknownEncoding(String);

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(name: &str) -> Result<Self, UnknownEncoding> {
        let named = Encoding::ALL.into_iter().find(|encoding| encoding.name() == name);
        named.ok_or_else(|| UnknownEncoding(name.to_owned()))
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the header of a layer's file says, checked: all of it is possible for the layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    id: LayerId,
    encoding: Encoding,
    blocks: Vec<BlockEntry>,
}

/// What a header says of one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BlockEntry {
    /// The block's first byte, counted from the beginning of the file; 0 for a block without bytes.
    pub offset: u64,
    /// How many bytes the block has in the file.
    pub length: u64,
    /// The BLAKE3 digest of these bytes.
    pub digest: [u8; DIGEST],
    /// How the block's positions end.
    pub statistics: Statistics,
}

/// A header as it is in the file, where nothing is certain.
#[derive(Serialize, Deserialize)]
struct RawHeader {
    rules: u32,
    pits: u8,
    stones: u8,
    encoding: u32,
    blocks: Vec<BlockEntry>,
}

impl Header {
    /// The header of a layer whose blocks are these, in order of the mover's stones.
    pub(super) fn new(id: LayerId, encoding: Encoding, blocks: Vec<BlockEntry>) -> Self {
        Header { id, encoding, blocks }
    }

    /// The layer.
    pub fn id(&self) -> LayerId {
        self.id
    }

    /// How the values are written.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The blocks, in order of the mover's stones.
    pub fn blocks(&self) -> &[BlockEntry] {
        &self.blocks
    }

    /// How many positions the layer has, those that are over included.
    pub fn positions(&self) -> u64 {
        (0..self.blocks.len()).map(|mover| self.block_positions(mover)).sum()
    }

    /// How many positions the block with `mover` stones in the mover's row has.
    ///
    /// # Panics
    ///
    /// When `mover` exceeds the layer's stones.
    pub fn block_positions(&self, mover: usize) -> u64 {
        layout::positions(self.id, mover).expect("checked when the header was read or made")
    }

    /// How the open positions of the whole layer end.
    pub fn statistics(&self) -> Statistics {
        self.blocks.iter().map(|block| block.statistics).sum()
    }

    /// The lowest and the highest margin of an open position, for the player to move; `None` when
    /// no position is open.
    pub fn margins(&self) -> Option<(i16, i16)> {
        let margin = |share: u8| 2 * i16::from(share) - i16::from(self.id.stones);
        self.statistics().shares().map(|(lowest, highest)| (margin(lowest), margin(highest)))
    }

    /// How many bytes [`Header::encode`] gives.
    pub(super) fn encoded_length(&self) -> usize {
        self.encode().len()
    }

    /// Everything before the zeros that lead to the first block.
    pub(super) fn encode(&self) -> Vec<u8> {
        let header = codec::encode(&RawHeader {
            rules: rules_number(self.id.rules),
            pits: self.id.pits,
            stones: self.id.stones,
            encoding: self.encoding.number(),
            blocks: self.blocks.clone(),
        });
        let mut bytes = files::begin(MAGIC, VERSION, &header);
        files::sign(&mut bytes);
        bytes
    }

    /// The header that `bytes`, the beginning of a file of `file_length` bytes, hold. `file` is
    /// for the errors alone.
    pub(super) fn decode(bytes: &[u8], file_length: u64, file: &Path) -> Result<Self, TableError> {
        let file = || file.to_owned();
        let malformed = |reason: String| TableError::MalformedHeader { file: file(), reason };
        if !bytes.starts_with(&MAGIC[..MAGIC.len().min(bytes.len())]) {
            return Err(TableError::NotATable { file: file() });
        }
        let cut = |needed: usize| TableError::Truncated {
            file: file(),
            expected: needed as u64,
            actual: file_length,
        };
        let preamble = Preamble::read(bytes).ok_or_else(|| cut(PREAMBLE))?;
        let Preamble { version, header: length } = preamble;
        if version != VERSION {
            return Err(TableError::OtherVersion { file: file(), version, known: VERSION });
        }
        if length > codec::LIMIT {
            return Err(malformed(format!("its length is given as {length} bytes")));
        }
        let (header_end, digest_end) = (PREAMBLE + length, PREAMBLE + length + DIGEST);
        let digest = bytes.get(header_end..digest_end).ok_or_else(|| cut(digest_end))?;
        if blake3::hash(&bytes[..header_end]) != *digest {
            return Err(TableError::HeaderChecksum { file: file() });
        }
        let raw: RawHeader = codec::decode(&bytes[PREAMBLE..header_end]).map_err(malformed)?;
        let Some(encoding) = Encoding::numbered(raw.encoding) else {
            return Err(TableError::UnknownEncoding { file: file(), encoding: raw.encoding });
        };
        let rules = numbered_rules(raw.rules)
            .ok_or_else(|| malformed(format!("there are no rules number {}", raw.rules)))?;
        let id = LayerId { rules, pits: raw.pits, stones: raw.stones };
        let layout = Layout::new(id).ok_or_else(|| malformed(format!("no table is of {id}")))?;
        let header = Header { id, encoding, blocks: raw.blocks };
        if usize::try_from(layout.file_length()).is_err() {
            let length = layout.file_length();
            return Err(TableError::TooLargeToMap { file: file(), length });
        }
        let (expected, actual) = (header.check(&layout).map_err(malformed)?, file_length);
        match actual.cmp(&expected) {
            std::cmp::Ordering::Less => {
                Err(TableError::Truncated { file: file(), expected, actual })
            }
            std::cmp::Ordering::Greater => {
                Err(TableError::TrailingBytes { file: file(), expected, actual })
            }
            std::cmp::Ordering::Equal => Ok(header),
        }
    }

    /// Makes sure that the blocks can be those of the layer, and tells the length that the file has
    /// with them.
    fn check(&self, layout: &Layout) -> Result<u64, String> {
        let stones = layout.stones();
        if self.blocks.len() != stones + 1 {
            let blocks = self.blocks.len();
            return Err(format!("it lists {blocks} blocks instead of {}", stones + 1));
        }
        let length = match self.encoding {
            Encoding::Bytes => self.check_extents(layout)?,
            Encoding::Compact => self.check_stream(layout)?,
        };
        for (mover, (entry, extent)) in self.blocks.iter().zip(layout.blocks()).enumerate() {
            let open = if is_open_block(stones, mover) { extent.length } else { 0 };
            if !entry.statistics.are_plausible(open, stones) {
                return Err(format!("the statistics of block {mover} are impossible"));
            }
        }
        Ok(length)
    }

    /// The blocks of a byte file lie where the layer says.
    fn check_extents(&self, layout: &Layout) -> Result<u64, String> {
        for (mover, (entry, extent)) in self.blocks.iter().zip(layout.blocks()).enumerate() {
            if (entry.offset, entry.length) != (extent.offset, extent.length) {
                return Err(format!(
                    "block {mover} is given as {} bytes at {}, and has {} at {}",
                    entry.length, entry.offset, extent.length, extent.offset
                ));
            }
        }
        Ok(layout.file_length())
    }

    /// The blocks of a compact file come one after the other, each of a length that it can have.
    fn check_stream(&self, layout: &Layout) -> Result<u64, String> {
        let stones = layout.stones();
        let (pits, mut end) = (usize::from(self.id.pits), header_region(stones));
        for mover in layout::stream_order(stones) {
            let entry = &self.blocks[mover];
            end = end_in_stream(&Shape::new(pits, stones, mover), entry, end).map_err(|right| {
                let BlockEntry { offset, length, .. } = entry;
                format!("block {mover} is given as {length} bytes at {offset}, {right}")
            })?;
        }
        Ok(end)
    }
}

/// Where a compact file ends after a block of this shape, when it ended at `end` before it.
///
/// # Errors
///
/// What is wrong with the block's place or length.
pub(super) fn end_in_stream(shape: &Shape, entry: &BlockEntry, end: u64) -> Result<u64, String> {
    let &BlockEntry { offset, length, .. } = entry;
    if shape.swept().is_some() {
        return if (offset, length) == (0, 0) { Ok(end) } else { Err("and has none".to_owned()) };
    }
    let begins = end.checked_next_multiple_of(layout::ALIGNMENT).unwrap_or(u64::MAX);
    if offset != begins {
        return Err(format!("and begins at {begins}"));
    }
    let directory = Directory::length(shape) as u64;
    if length.checked_sub(directory).is_none_or(|tiles| !tiles.is_multiple_of(2)) {
        return Err(format!("of which {directory} are its directory"));
    }
    offset.checked_add(length).ok_or_else(|| "and ends where no file does".to_owned())
}

/// Whether the positions with `mover` of the layer's `stones` in the mover's row are open.
pub(super) fn is_open_block(stones: usize, mover: usize) -> bool {
    mover != 0 && mover != stones
}

/// Bytes from the beginning of a file to its first block.
pub(super) fn header_region(stones: usize) -> u64 {
    // Numbers are of fixed width, so a header of empty entries is as long as any other.
    let id = LayerId { rules: Rules::Standard, pits: 1, stones: stones as u8 };
    let header = Header::new(id, Encoding::Bytes, vec![BlockEntry::default(); stones + 1]);
    (header.encode().len() as u64).next_multiple_of(PAGE)
}

/// The number that stands for the rules in files.
pub(crate) fn rules_number(rules: Rules) -> u32 {
    match rules {
        Rules::Standard => 0,
        Rules::EmptyCapture => 1,
    }
}

/// The rules that a number in a file stands for.
pub(crate) fn numbered_rules(number: u32) -> Option<Rules> {
    Rules::ALL.into_iter().find(|&rules| rules_number(rules) == number)
}
