//! The file of a proof, as the parent module describes it.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::claims::Claims;
use super::statement::{Relation, Statement};
use crate::files::{self, DIGEST, PREAMBLE, Preamble, Refused, refused};
use crate::ranking::row_count;
use crate::tables::{
    codec,
    format::{numbered_rules, rules_number},
};

/// What every proof begins with.
const MAGIC: [u8; 8] = *b"KALPF\r\n\x1a";
/// The version of the format that this program writes and reads.
const VERSION: u32 = 1;

/// A proof as it is in a file: well-formed, and not checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    pub(super) statement: Statement,
    /// The most stones of a position that is looked up in the tables.
    pub(super) table_stones: u8,
    /// The layers that are looked up, from few stones to many.
    pub(super) layers: Vec<LayerDigest>,
    pub(super) claims: Claims,
}

/// A layer and its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct LayerDigest {
    pub stones: u8,
    /// The BLAKE3 digest of the whole file.
    pub digest: [u8; DIGEST],
}

/// A header as it is in the file, where nothing is certain.
#[derive(Serialize, Deserialize)]
struct RawHeader {
    rules: u32,
    pits: u8,
    root: Vec<u8>,
    relation: u32,
    value: i16,
    table_stones: u8,
    layers: Vec<LayerDigest>,
    claims: u64,
}

/// Why a file is not read as a proof. Every message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The system refuses to open or read it.
    #[error(transparent)]
    Io(#[from] Refused),
    /// It does not begin as a proof does.
    #[error("{} is not a proof; kalah solve --proof FILE writes one", file.display())]
    NotAProof {
        /// The file.
        file: PathBuf,
    },
    /// It is of a version of the format that this program does not know.
    #[error(
        "{} is of format version {version} and this program reads version {VERSION}; use a {} \
         program",
        file.display(),
        if *version > VERSION { "newer" } else { "suitable" }
    )]
    OtherVersion {
        /// The file.
        file: PathBuf,
        /// The file's version.
        version: u32,
    },
    /// Its bytes are not those that were written.
    #[error(
        "{} is damaged or cut off: its bytes do not have the digest at its end; copy it anew, or \
         write it again with kalah solve --proof FILE",
        file.display()
    )]
    Damaged {
        /// The file.
        file: PathBuf,
    },
    /// It says what no proof can say.
    #[error("{} is no proof: {reason}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// What it says and should not.
        reason: String,
    },
}

impl Proof {
    /// What it is a proof of.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// How many claims it has.
    pub fn claims(&self) -> u64 {
        self.claims.len() as u64
    }

    /// The most stones of a position that is looked up in the tables; 0 without tables.
    pub fn table_stones(&self) -> u8 {
        self.table_stones
    }

    /// The layers that it leans on, by stones, and the BLAKE3 digests of their files.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = (u8, &[u8; 32])> {
        self.layers.iter().map(|layer| (layer.stones, &layer.digest))
    }

    /// Whether a file begins as a proof does, or is empty.
    pub(super) fn may_be_replaced(file: &Path) -> Result<bool, ReadError> {
        let Some(source) = files::open(file)? else { return Ok(false) };
        let mut bytes = Vec::new();
        let begun = source.take(MAGIC.len() as u64).read_to_end(&mut bytes);
        begun.map_err(refused("read", file))?;
        Ok(bytes.is_empty() || bytes == MAGIC)
    }

    /// Reads a file. No more memory is used than some times its length.
    ///
    /// # Errors
    ///
    /// [`ReadError`].
    pub fn read(file: &Path) -> Result<Self, ReadError> {
        let Some(mut source) = files::open(file)? else {
            return Err(ReadError::NotAProof { file: file.to_owned() });
        };
        let mut read = || {
            let mut bytes = Vec::new();
            // What is no proof at all need not be read to its end.
            source.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
            if bytes == MAGIC {
                let length = source.metadata()?.len();
                // One more, so that the end is seen without asking for more room.
                let room = usize::try_from(length).ok().and_then(|room| room.checked_add(1));
                let room = room.ok_or(io::ErrorKind::OutOfMemory)?;
                bytes.try_reserve_exact(room).map_err(|_| io::ErrorKind::OutOfMemory)?;
                source.read_to_end(&mut bytes)?;
            }
            Ok(bytes)
        };
        Proof::decode(&read().map_err(refused("read", file))?, file)
    }

    /// The bytes of the file.
    pub(super) fn encode(&self) -> Vec<u8> {
        let statement = &self.statement;
        let relation = Relation::ALL.iter().position(|&r| r == statement.relation());
        let header = codec::encode(&RawHeader {
            rules: rules_number(statement.rules()),
            pits: statement.pits() as u8,
            root: statement.root().to_vec(),
            relation: relation.expect("every relation is listed") as u32,
            value: statement.value(),
            table_stones: self.table_stones,
            layers: self.layers.clone(),
            claims: self.claims.len() as u64,
        });
        let mut bytes = files::begin(MAGIC, VERSION, &header);
        self.claims.encode(&mut bytes);
        files::sign(&mut bytes);
        bytes
    }

    /// The proof of which these are the bytes; `file` is for the errors alone.
    pub(super) fn decode(bytes: &[u8], file: &Path) -> Result<Self, ReadError> {
        let file = || file.to_owned();
        if !bytes.starts_with(&MAGIC) {
            return Err(ReadError::NotAProof { file: file() });
        }
        let damaged = || ReadError::Damaged { file: file() };
        let Preamble { version, header: length } = Preamble::read(bytes).ok_or_else(damaged)?;
        if version != VERSION {
            return Err(ReadError::OtherVersion { file: file(), version });
        }
        let (body, digest) = bytes.split_last_chunk::<DIGEST>().ok_or_else(damaged)?;
        if blake3::hash(body) != *digest {
            return Err(damaged());
        }
        let malformed = |reason: String| ReadError::Malformed { file: file(), reason };
        let (header, claims) = (body.get(PREAMBLE..))
            .and_then(|rest| rest.split_at_checked(length))
            .filter(|_| length <= codec::LIMIT)
            .ok_or_else(|| malformed(format!("its header is given as {length} bytes")))?;
        let header: RawHeader = codec::decode(header).map_err(malformed)?;
        header.into_proof(claims).map_err(malformed)
    }
}

impl RawHeader {
    /// Checks that all is possible.
    fn into_proof(self, claims: &[u8]) -> Result<Proof, String> {
        let rules = numbered_rules(self.rules)
            .ok_or_else(|| format!("there are no rules number {}", self.rules))?;
        let relation = (Relation::ALL.get(self.relation as usize))
            .ok_or_else(|| format!("there is no relation number {}", self.relation))?;
        let statement = Statement::from_numbers(rules, self.root, *relation, self.value)
            .filter(|statement| statement.pits() == usize::from(self.pits))
            .ok_or_else(|| format!("its root is no board of {} pits a side", self.pits))?;
        let table_stones = self.table_stones;
        let mut listed = self.layers.iter().map(|layer| layer.stones);
        let ascend = self.layers.is_sorted_by(|a, b| a.stones < b.stones);
        if !ascend || listed.any(|stones| stones > table_stones) {
            return Err("its layers are not listed in order".to_owned());
        }
        let (pits, stones) = (statement.pits(), statement.stones());
        let [first, end] =
            [usize::from(table_stones), stones].map(|stones| positions_up_to(pits, stones));
        let claims = Claims::decode(claims, self.claims, first..end)?;
        Ok(Proof { statement, table_stones, layers: self.layers, claims })
    }
}

/// How many positions of so many pits a side there are of up to so many stones.
fn positions_up_to(pits: usize, stones: usize) -> u64 {
    let stones = stones.min(crate::ranking::MAX_STONES);
    let blocks = (0..=stones).flat_map(|n| (0..=n).map(move |mover| (mover, n - mover)));
    blocks.map(|(mover, opponent)| row_count(pits, mover) * row_count(pits, opponent)).sum()
}
