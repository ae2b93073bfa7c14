//! Checking: the plain rules, the tables and the claims, and nothing else.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::claims::{Answer, Claims};
use super::format::{LayerDigest, Proof};
use super::{check_blocks, digests};
use crate::ranking::rank_row;
use crate::rules::plain::{Position, over_margin, successor};
use crate::rules::{Pits, Row, Rules};
use crate::search::numbering::Numbering;
use crate::tables::unpacked::DigestWatch;
use crate::tables::{Folder, LayerFile, LayerId, TableError};

/// Somebody who wants to know how far a check is. Called from several threads.
pub trait Progress: Sync {
    /// So many bytes of tables are held against their digests from now on.
    fn tables(&self, bytes: u64) {
        let _ = bytes;
    }

    /// So many more bytes of tables are read.
    fn read(&self, bytes: u64) {
        let _ = bytes;
    }

    /// So many claims are checked from now on.
    fn claims(&self, claims: u64) {
        let _ = claims;
    }

    /// So many more claims are checked.
    fn checked(&self, claims: u64) {
        let _ = claims;
    }

    /// Whether to stop as soon as possible. Asked often.
    fn stop(&self) -> bool {
        false
    }
}

/// Nobody wants to know.
impl Progress for () {}

/// What a check did that found nothing wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Report {
    /// Claims that hold, all of them.
    pub claims: u64,
    /// Positions looked up in tables.
    pub probes: u64,
    /// Bytes of tables that have the digests they should have.
    pub table_bytes: u64,
}

/// Why a proof is not one, or is not shown to be one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A table that it leans on is not there.
    #[error("the proof leans on {}, which is not there", file.display())]
    MissingTable {
        /// Where the file should be.
        file: PathBuf,
        /// The most stones of a table that it leans on.
        most: u8,
    },
    /// A table is another one than it leans on.
    #[error(
        "{} is another file than the proof leans on, or damaged; find out with kalah verify",
        file.display()
    )]
    OtherTable {
        /// The file.
        file: PathBuf,
    },
    /// Something is wrong with a table or the folder.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A claim does not hold.
    #[error(
        "claim {claim} does not hold, that the player to move in {} gets {share} of the stones by \
         pit {}: {fault}",
        Numbers(position),
        pit + 1
    )]
    Claim {
        /// Its place in the file, from 1. All before it hold.
        claim: u64,
        /// The position.
        position: Position,
        /// What the player to move is said to get.
        share: u8,
        /// The pit that is said to get it, from 0.
        pit: u8,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The claims all hold, and the statement does not follow from them.
    #[error("the statement does not follow from the claims: {0}")]
    Statement(Fault),
    /// [`Progress::stop`] ended the check.
    #[error("the check was stopped before its end")]
    Stopped,
}

/// Why a claim does not hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The pit is empty, or there is none, or the game is over.
    #[error("there is no such move")]
    NoMove,
    /// The game's end or a table gives less.
    #[error("in {} only {share} of the {need} needed are to be had", Numbers(position))]
    TooFew {
        /// The position, by whoever is to move.
        position: Position,
        /// What the player it is proved for gets.
        share: u8,
        /// What that player needs.
        need: i32,
    },
    /// No claim about a position is strong enough.
    #[error("no claim says that the player to move in {} gets {need}", Numbers(position))]
    NotClaimed {
        /// The position.
        position: Position,
        /// What the player to move needs.
        need: i32,
    },
    /// A table is needed whose digest the proof does not give.
    #[error("the table of {0} stones is needed, and the proof has no digest of it")]
    Unlisted(usize),
    /// A table has a share of more stones than there are.
    #[error("the table has an impossible value for {}", Numbers(.0))]
    Impossible(Position),
}

/// Prints a position as the command line reads it.
struct Numbers<'a>(&'a Position);

impl fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> =
            self.0.mover.iter().chain(&self.0.opponent).map(u8::to_string).collect();
        f.write_str(&numbers.join(","))
    }
}

impl Proof {
    /// Checks everything that is to be checked: that the tables in `folder` are those that the
    /// proof leans on, and sound by their own checksums, then that every claim holds, and the statement with them. Uses all threads
    /// of the current rayon pool.
    ///
    /// # Errors
    ///
    /// The first [`CheckError`].
    pub fn check(
        &self,
        folder: impl AsRef<Path>,
        progress: &dyn Progress,
    ) -> Result<Report, CheckError> {
        let folder = folder.as_ref();
        crate::with_table_pits!(self.statement.pits(), check(self, folder, progress))
            .expect("statements are about 1 to 6 pits a side")
    }
}

fn check<const P: usize>(
    proof: &Proof,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Report, CheckError> {
    Check::<P>::open(proof, folder, progress)?.run()
}

struct Check<'a, const P: usize> {
    proof: &'a Proof,
    rules: Rules,
    claims: &'a Claims,
    numbering: Numbering<P>,
    /// By stones; `None` when the proof does not list it.
    layers: Vec<Option<LayerFile>>,
    progress: &'a dyn Progress,
}

impl<'a, const P: usize> Check<'a, P> {
    fn open(
        proof: &'a Proof,
        folder: &Path,
        progress: &'a dyn Progress,
    ) -> Result<Self, CheckError> {
        let rules = proof.statement.rules();
        let mut layers = Vec::new();
        layers.resize_with(usize::from(proof.table_stones) + 1, || None);
        // Without tables there need not be a folder.
        if let Some(&LayerDigest { stones: most, .. }) = proof.layers.last() {
            let opened = match Folder::open_for_reading(folder) {
                Err(TableError::MissingFolder { .. }) => None,
                opened => Some(opened?),
            };
            for &LayerDigest { stones, .. } in &proof.layers {
                let id = LayerId { rules, pits: P as u8, stones };
                let file = folder.join(id.file_name());
                let layer = opened.as_ref().map(|folder| folder.open_layer(&id)).transpose()?;
                let layer = layer.flatten().ok_or(CheckError::MissingTable { file, most })?;
                layers[usize::from(stones)] = Some(layer);
            }
        }
        let numbering = Numbering::new(proof.statement.stones());
        Ok(Check { proof, rules, claims: &proof.claims, numbering, layers, progress })
    }

    fn run(&self) -> Result<Report, CheckError> {
        let table_bytes = self.digests()?;
        let probes = AtomicU64::new(0);
        self.progress.claims(self.claims.len() as u64);
        let first = (0..self.claims.len()).into_par_iter().find_map_first(|place| {
            if self.progress.stop() {
                return Some(CheckError::Stopped);
            }
            let mut probed = 0;
            let checked = self.claim(place, &mut probed);
            probes.fetch_add(probed, Relaxed);
            self.progress.checked(1);
            checked.err()
        });
        // A stop may keep the first bad claim from being found, and hides nothing else.
        if let Some(error) = first {
            return Err(error);
        }
        let mut probed = 0;
        self.statement(&mut probed).map_err(CheckError::Statement)?;
        let probes = probes.into_inner() + probed;
        Ok(Report { claims: self.claims.len() as u64, probes, table_bytes })
    }

    /// Holds the files against the digests in the proof, and then their blocks against the
    /// checksums that each file has of its own: a proof that was made over damaged tables has their
    /// digests. Gives the bytes of the files.
    fn digests(&self) -> Result<u64, CheckError> {
        let listed = || {
            let layers = self.proof.layers.iter();
            layers.filter_map(|l| Some((self.layers[usize::from(l.stones)].as_ref()?, &l.digest)))
        };
        let bytes = listed().map(|(layer, _)| layer.byte_length()).sum();
        self.progress.tables(bytes);
        let layers: Vec<_> = listed().map(|(layer, _)| layer).collect();
        let (stop, advance) = (|| self.progress.stop(), |bytes| self.progress.read(bytes));
        let watch = DigestWatch { stop: &stop, advance: &advance };
        let found = digests(&layers, &watch)?.ok_or(CheckError::Stopped)?;
        let other = listed().zip(found).find(|((_, expected), found)| *expected != found);
        if let Some(((layer, _), _)) = other {
            return Err(CheckError::OtherTable { file: layer.path().to_owned() });
        }
        match check_blocks(&layers, || self.progress.stop())? {
            true => Ok(bytes),
            false => Err(CheckError::Stopped),
        }
    }

    fn claim(&self, place: usize, probes: &mut u64) -> Result<(), CheckError> {
        let (number, Answer { share, pit }) = self.claims.at(place);
        let (mover, opponent) = self.numbering.rows(number);
        let position = Position { mover: mover.to_vec(), opponent: opponent.to_vec() };
        let checked = match successor(&position, usize::from(pit), self.rules) {
            None => Err(Fault::NoMove),
            Some(after) => {
                let need = i32::from(share) - after.gained as i32;
                if after.same_player {
                    self.covered(&after.next, need, probes)
                } else {
                    self.covered_after_replies(after.next, need, probes)
                }
            }
        };
        let claim = place as u64 + 1;
        checked.map_err(|fault| CheckError::Claim { claim, position, share, pit, fault })
    }

    fn statement(&self, probes: &mut u64) -> Result<(), Fault> {
        let statement = &self.proof.statement;
        let (mover, opponent) = (statement.mover().to_vec(), statement.opponent().to_vec());
        let root = Position { mover, opponent };
        if let Some(need) = statement.mover_needs() {
            self.covered(&root, need, probes)?;
        }
        if let Some(need) = statement.opponent_needs() {
            self.covered_after_replies(root, need, probes)?;
        }
        Ok(())
    }

    /// Whether the player to move is known to get so many stones.
    fn covered(&self, position: &Position, need: i32, probes: &mut u64) -> Result<(), Fault> {
        if need <= 0 {
            return Ok(());
        }
        if let Some(share) = self.share(position, probes)? {
            return enough(position, share, need);
        }
        let number = self.numbering.number(&pits::<P>(position), stones(position));
        match self.claims.get(number) {
            Some(claim) if i32::from(claim.share) >= need => Ok(()),
            _ => Err(Fault::NotClaimed { position: position.clone(), need }),
        }
    }

    /// Whether the player who is not to move is known to get so many stones, whatever the other
    /// does.
    fn covered_after_replies(
        &self,
        position: Position,
        need: i32,
        probes: &mut u64,
    ) -> Result<(), Fault> {
        if need <= 0 {
            return Ok(());
        }
        // Different orders of extra moves lead to the same positions.
        let mut seen = HashSet::new();
        let mut open = vec![position];
        while let Some(position) = open.pop() {
            if let Some(share) = self.share(&position, probes)? {
                enough(&position, stones(&position) as u8 - share, need)?;
                continue;
            }
            for after in (0..P).filter_map(|pit| successor(&position, pit, self.rules)) {
                if !after.same_player {
                    self.covered(&after.next, need, probes)?;
                } else if seen.insert(after.next.clone()) {
                    open.push(after.next);
                }
            }
        }
        Ok(())
    }

    /// What the player to move gets, when the game is over or the position is in a table.
    fn share(&self, position: &Position, probes: &mut u64) -> Result<Option<u8>, Fault> {
        if over_margin(position).is_some() {
            return Ok(Some(row_stones(&position.mover) as u8));
        }
        let stones = stones(position);
        if stones > usize::from(self.proof.table_stones) {
            return Ok(None);
        }
        let layer = self.layers[stones].as_ref().ok_or(Fault::Unlisted(stones))?;
        *probes += 1;
        let pits = pits::<P>(position);
        let block = row_stones(&position.mover);
        let share = layer.share(block, rank_row(pits.mover()), rank_row(pits.opponent()));
        share.map(Some).map_err(|_| Fault::Impossible(position.clone()))
    }
}

fn enough(position: &Position, share: u8, need: i32) -> Result<(), Fault> {
    if i32::from(share) >= need {
        Ok(())
    } else {
        Err(Fault::TooFew { position: position.clone(), share, need })
    }
}

/// The position in the form that has a rank.
fn pits<const P: usize>(position: &Position) -> Pits<P> {
    let row = |row: &[u8]| -> Row<P> { row.try_into().expect("rows have one length") };
    Pits::new(row(&position.mover), row(&position.opponent)).expect("no more stones than the root")
}

fn row_stones(row: &[u8]) -> usize {
    row.iter().map(|&count| usize::from(count)).sum()
}

fn stones(position: &Position) -> usize {
    row_stones(&position.mover) + row_stones(&position.opponent)
}
