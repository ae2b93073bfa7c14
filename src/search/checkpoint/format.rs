//! The bytes before the entries.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use super::{CheckpointError, Spent};
use crate::files::{self, DIGEST, PREAMBLE, Preamble, refused};
use crate::rules::{Board, Pits, Row, Rules};
use crate::search::question::Bounds;
use crate::tables::format::{numbered_rules, rules_number};

/// What every checkpoint begins with. The line end shows a transfer that took it for a text.
const MAGIC: [u8; 8] = *b"KALAHC\r\n";
/// The version of the format that this program writes and reads.
pub(super) const VERSION: u32 = 1;
/// The most bytes of a header: more than bounds of 65,535 positions take.
const MOST_HEADER: usize = 1 << 20;

/// The most positions of which a checkpoint has bounds.
pub(super) const MOST_POSITIONS: usize = u16::MAX as usize;

/// What a checkpoint says before its entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header<const P: usize> {
    pub rules: Rules,
    pub board: Board<P>,
    pub spent: Spent,
    pub entries: u64,
    /// Of all entries.
    pub digest: [u8; DIGEST],
    pub bounds: Vec<(Pits<P>, Bounds)>,
}

impl<const P: usize> Header<P> {
    /// Everything before the entries. How many bytes that is depends on how many bounds there are,
    /// and on nothing else.
    pub fn encode(&self) -> Vec<u8> {
        let mut header = vec![rules_number(self.rules) as u8, P as u8];
        header.extend(self.board.pits().mover());
        header.push(self.board.store());
        header.extend(self.board.pits().opponent());
        header.push(self.board.opponent_store());
        header.extend(self.spent.nodes.to_le_bytes());
        header.extend(self.spent.probes.to_le_bytes());
        let milliseconds = u64::try_from(self.spent.time.as_millis()).unwrap_or(u64::MAX);
        header.extend(milliseconds.to_le_bytes());
        header.extend(self.entries.to_le_bytes());
        header.extend(self.digest);
        header.extend((self.bounds.len() as u16).to_le_bytes());
        for (pits, bounds) in &self.bounds {
            let share = |margin: i16| ((margin + pits.stones() as i16) / 2) as u8;
            header.extend(pits.mover());
            header.extend(pits.opponent());
            header.extend([share(bounds.low), share(bounds.high)]);
        }
        let mut bytes = files::begin(MAGIC, VERSION, &header);
        files::sign(&mut bytes);
        bytes
    }

    /// Reads everything up to the first entry, and checks that it is of this game and position.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`], but for those of writing.
    pub fn read(
        source: &mut impl Read,
        length: u64,
        path: &Path,
        rules: Rules,
        board: &Board<P>,
    ) -> Result<Self, CheckpointError> {
        let bytes = read_checked(source, length, path)?;
        let impossible = || {
            let reason = "its header says what cannot be";
            CheckpointError::Damaged { file: path.to_owned(), reason }
        };
        let other = |found| {
            let wanted = format!("{rules} rules, {}, position {board}", pits_a_side(P));
            CheckpointError::OtherProblem { file: path.to_owned(), found, wanted }
        };
        let (pits, found) = identity(&bytes).ok_or_else(impossible)?;
        if pits != P {
            return Err(other(found));
        }
        let header = Self::decode(&bytes).ok_or_else(impossible)?;
        if header.rules != rules || header.board != *board {
            return Err(other(found));
        }
        Ok(header)
    }

    /// What the bytes of a header say, when that can be.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        let rules = numbered_rules(bytes.byte()?.into())?;
        let _pits = bytes.byte()?;
        let (mover, store) = (bytes.row::<P>()?, bytes.byte()?);
        let (opponent, opponent_store) = (bytes.row::<P>()?, bytes.byte()?);
        let board = Board::new(mover, store, opponent, opponent_store).ok()?;
        let (nodes, probes) = (bytes.number(8)?, bytes.number(8)?);
        let time = Duration::from_millis(bytes.number(8)?);
        let entries = bytes.number(8)?;
        let digest = bytes.take(DIGEST)?.try_into().ok()?;
        let positions = bytes.number(2)?;
        let bounds = (0..positions)
            .map(|_| {
                let pits = Pits::new(bytes.row()?, bytes.row()?).ok()?;
                let (lower, upper) = (bytes.byte()?, bytes.byte()?);
                let stones = pits.stones();
                let possible = lower <= upper
                    && usize::from(upper) <= stones
                    && stones <= board.pits().stones();
                let margin = |share: u8| 2 * i16::from(share) - stones as i16;
                let bounds = Bounds { low: margin(lower), high: margin(upper) };
                possible.then_some((pits, bounds))
            })
            .collect::<Option<Vec<_>>>()?;
        let spent = Spent { nodes, probes, time };
        let header = Header { rules, board, spent, entries, digest, bounds };
        bytes.0.is_empty().then_some(header)
    }
}

/// Reads everything up to the first entry: the bytes of the header, which are those that were
/// written.
fn read_checked(
    source: &mut impl Read,
    length: u64,
    path: &Path,
) -> Result<Vec<u8>, CheckpointError> {
    let file = || path.to_owned();
    let mut read = |bytes: &mut Vec<u8>, expected: usize| {
        let missing = (expected - bytes.len()) as u64;
        source.by_ref().take(missing).read_to_end(bytes).map(drop).map_err(refused("read", path))
    };
    let short = |expected: usize| {
        let expected = expected as u64;
        CheckpointError::WrongLength { file: file(), expected, actual: length }
    };
    let damaged = |reason| CheckpointError::Damaged { file: file(), reason };

    let mut bytes = Vec::new();
    read(&mut bytes, PREAMBLE)?;
    let begins = bytes.len().min(MAGIC.len());
    if bytes.is_empty() || bytes[..begins] != MAGIC[..begins] {
        return Err(CheckpointError::NotACheckpoint { file: file() });
    }
    let Preamble { version, header } = Preamble::read(&bytes).ok_or_else(|| short(PREAMBLE))?;
    if version != VERSION {
        return Err(CheckpointError::OtherVersion { file: file(), version, known: VERSION });
    }
    if header > MOST_HEADER {
        return Err(damaged("its header is too long"));
    }
    let end = PREAMBLE + header;
    read(&mut bytes, end + DIGEST)?;
    if bytes.len() < end + DIGEST {
        return Err(short(end + DIGEST));
    }
    if bytes[end..] != *blake3::hash(&bytes[..end]).as_bytes() {
        return Err(damaged("its header is not as it was written"));
    }
    Ok(bytes[PREAMBLE..end].to_vec())
}

/// The pits a side of a header, whatever they are, and whose checkpoint it is.
fn identity(header: &[u8]) -> Option<(usize, String)> {
    let mut bytes = Bytes(header);
    let rules = numbered_rules(bytes.byte()?.into())?;
    let pits = usize::from(bytes.byte()?);
    let position: Vec<String> = bytes.take(2 * pits + 2)?.iter().map(u8::to_string).collect();
    let position = position.join(",");
    Some((pits, format!("{rules} rules, {}, position {position}", pits_a_side(pits))))
}

fn pits_a_side(pits: usize) -> String {
    format!("{pits} pit{} a side", if pits == 1 { "" } else { "s" })
}

/// Bytes that are read from the front; `None` when there are too few.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn row<const P: usize>(&mut self) -> Option<Row<P>> {
        self.take(P)?.try_into().ok()
    }

    /// A number of at most 8 bytes.
    fn number(&mut self, bytes: usize) -> Option<u64> {
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(self.take(bytes)?);
        Some(u64::from_le_bytes(number))
    }
}
