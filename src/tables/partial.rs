//! Layers that are not finished: a file with some of the blocks, and a journal of those that are
//! known to be right, for the next run to go on from.
//!
//! [`build`](super::build) says what there is and why. A journal
//! has the beginning of all files of this program, `KALAHJNL`, a version and the length of the
//! header; then as header the rules, pits, stones and encoding as those of tables, and of each
//! block the mover's stones and what the table's header will say of it; and the digest of all that.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{BlockEntry, Folder, LayerId, Layout, TableError, codec, format, format::Encoding};
use crate::files::{self, DIGEST, PREAMBLE, Preamble, Temporary, refused};
use crate::ranking::{MAX_STONES, row_count};

const MAGIC: [u8; 8] = *b"KALAHJNL";
const VERSION: u32 = 1;

/// Which blocks of a layer are whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Journal {
    pub id: LayerId,
    pub encoding: Encoding,
    /// The mover's stones, and the block.
    pub blocks: Vec<(usize, BlockEntry)>,
}

#[derive(Serialize, Deserialize)]
struct RawJournal {
    rules: u32,
    pits: u8,
    stones: u8,
    encoding: u32,
    blocks: Vec<(u8, BlockEntry)>,
}

impl Journal {
    /// The journal in a file; `None` when that is not there, or no journal that this program knows.
    pub fn read(path: &Path) -> Result<Option<Self>, TableError> {
        const MOST: usize = PREAMBLE + codec::LIMIT + DIGEST;
        let read = || -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            if fs::metadata(path)?.is_file() {
                File::open(path)?.take(MOST as u64 + 1).read_to_end(&mut bytes)?;
            }
            Ok(bytes)
        };
        match read() {
            Ok(bytes) => Ok(Journal::decode(&bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(refused("read", path)(error).into()),
        }
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let Preamble { version, header } = Preamble::read(bytes)?;
        let (before, digest) = bytes.split_last_chunk::<DIGEST>()?;
        let whole = bytes.starts_with(&MAGIC)
            && version == VERSION
            && before.len() == PREAMBLE + header
            && blake3::hash(before) == *digest;
        if !whole {
            return None;
        }
        let raw: RawJournal = codec::decode(&before[PREAMBLE..]).ok()?;
        let rules = format::numbered_rules(raw.rules)?;
        let id = LayerId { rules, pits: raw.pits, stones: raw.stones };
        Layout::new(id)?;
        let mut listed = [false; MAX_STONES + 1];
        let mut blocks = Vec::with_capacity(raw.blocks.len());
        for (mover, entry) in raw.blocks {
            let possible = mover <= id.stones;
            if !possible || std::mem::replace(&mut listed[usize::from(mover)], true) {
                return None;
            }
            blocks.push((usize::from(mover), entry));
        }
        Some(Journal { id, encoding: Encoding::numbered(raw.encoding)?, blocks })
    }

    pub fn encode(&self) -> Vec<u8> {
        let header = codec::encode(&RawJournal {
            rules: format::rules_number(self.id.rules),
            pits: self.id.pits,
            stones: self.id.stones,
            encoding: self.encoding.number(),
            blocks: self.blocks.iter().map(|&(mover, entry)| (mover as u8, entry)).collect(),
        });
        let mut bytes = files::begin(MAGIC, VERSION, &header);
        files::sign(&mut bytes);
        bytes
    }

    /// Replaces the journal at `path`, by way of a temporary file.
    pub fn write(&self, path: &Path, temporary: PathBuf) -> Result<(), TableError> {
        let made = File::create(&temporary).map_err(refused("write", path))?;
        let file = Temporary::new(made, temporary);
        let mut written = &**file.file();
        written.write_all(&self.encode()).map_err(refused("write", path))?;
        Ok(file.publish(path)?)
    }
}

/// A layer that was begun and not finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartialLayer {
    /// The layer.
    pub id: LayerId,
    /// How its values are written.
    pub encoding: Encoding,
    /// How many of its blocks are whole.
    pub blocks: usize,
    /// How many positions these have.
    pub positions: u64,
    /// Bytes of its file so far.
    pub bytes: u64,
}

impl PartialLayer {
    /// The layer of which there is a part in a folder; `None` when nothing of use is there.
    pub(super) fn find(folder: &Folder, id: &LayerId) -> Result<Option<Self>, TableError> {
        let Some(journal) = Journal::read(&folder.journal_path(id))? else { return Ok(None) };
        let file = fs::metadata(folder.partial_path(id)).ok().filter(fs::Metadata::is_file);
        let Some(file) = file.filter(|_| journal.id == *id) else { return Ok(None) };
        let (pits, stones) = (usize::from(id.pits), usize::from(id.stones));
        let positions = journal.blocks.iter().map(|&(mover, _)| {
            row_count(pits, mover).saturating_mul(row_count(pits, stones.saturating_sub(mover)))
        });
        Ok(Some(PartialLayer {
            id: *id,
            encoding: journal.encoding,
            blocks: journal.blocks.len(),
            positions: positions.fold(0, u64::saturating_add),
            bytes: allocated(&file),
        }))
    }
}

/// Bytes that a file takes on its disk, holes not counted.
fn allocated(file: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    file.blocks().saturating_mul(512)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn journal() -> Journal {
        let id = LayerId { rules: Rules::EmptyCapture, pits: 6, stones: 38 };
        let entry = BlockEntry { offset: 1, length: 2, ..BlockEntry::default() };
        Journal { id, encoding: Encoding::Bytes, blocks: vec![(19, entry), (0, entry)] }
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        assert_eq!(Journal::read(&path).unwrap(), None);
        journal().write(&path, folder.path().join("temporary")).unwrap();
        assert_eq!(Journal::read(&path).unwrap(), Some(journal()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(Journal::read(folder.path()).unwrap(), None);
    }

    #[test]
    fn what_no_layer_has_is_no_journal() {
        let id = journal().id;
        let entry = BlockEntry::default();
        for (id, blocks) in [
            (LayerId { pits: 255, ..id }, vec![]),
            (LayerId { stones: 200, ..id }, vec![]),
            (id, vec![(39, entry)]),
            (id, vec![(200, entry)]),
            (id, vec![(3, entry), (3, entry)]),
        ] {
            let journal = Journal { id, encoding: Encoding::Compact, blocks };
            assert_eq!(Journal::decode(&journal.encode()), None);
        }
    }

    #[test]
    fn what_is_damaged_is_no_journal() {
        let bytes = journal().encode();
        assert_eq!(Journal::decode(&bytes), Some(journal()));
        for length in 0..bytes.len() {
            assert_eq!(Journal::decode(&bytes[..length]), None);
        }
        for place in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[place] ^= 4;
            assert_eq!(Journal::decode(&bytes), None);
        }
        assert_eq!(Journal::decode(&[bytes, vec![0]].concat()), None);
    }
}
