//! Proofs that a stranger can check.
//!
//! A search says what a position is worth, and one must believe it. A *proof* is a file that shows
//! it: with the file, the tables it leans on and the rules, anybody can convince himself that the
//! player to move ends with at least, at most or exactly some value, without a search and without
//! this program. [`write()`] makes one from a [`Searcher`](super::Searcher), [`Proof::read`] reads
//! it, and [`Proof::check`] checks it, with the rules of [`plain`](crate::rules::plain) and the
//! tables alone.
//!
//! # What a proof is
//!
//! A set of *claims*. A claim is a position, a share and a pit, and says: *the player to move gets
//! at least this share of the stones in the pits, by sowing this pit first*. To get a share of a
//! position is *covered*
//!
//! - when the share is nothing;
//! - when the game is over and the player's row holds as much;
//! - when the position has no more stones than the tables cover, and its table says so;
//! - when the player is to move and there is a claim of this position and of no smaller share;
//! - when the opponent is to move and after *every* move the rest is covered: the same share of the
//!   position that it leads to, whoever moves there. Extra moves of the opponent are followed in
//!   this way until the turn passes.
//!
//! A claim *holds* when its pit can be sown and what it leaves to get, the share less the stones
//! that the move puts in the store, is covered in the position that follows. The statement of the
//! proof is about its *root*, a position with stones in the stores; it says that the player to move
//! gets a share, or the opponent does, or both, and that must be covered too.
//!
//! # Why that is enough
//!
//! Each claim is held against others, never against their proofs, so they can be checked in any
//! order. There is no circle, because no position of the game comes again: a move either takes
//! stones out of the pits for good, or pushes stones of the own row towards the store and leaves the
//! other row alone. So order positions by the stones in the pits and, among equals, by the sum over
//! all stones of their distance to their owner's store: every move leads to a lower position.
//! If all claims hold and one of them were false, take a false one whose position is lowest; it
//! holds by covering lower positions, with tables and claims that are true, and so it is true.
//! The tables are trusted here; what in turn shows them to be right is
//! [`tables::verify`](mod@crate::tables::verify). Which tables they are the proof says by digests of
//! whole byte files; a packed file stands for the one that it was made from.
//!
//! # The file
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `KALPF`, carriage return, line feed, `0x1a` |
//! | 4 | the format's version, 1 |
//! | 4 | the length `h` of the header |
//! | `h` | the header |
//! | | the claims |
//! | 32 | the BLAKE3 digest of everything before |
//!
//! The header is
//!
//! | bytes | what |
//! | --- | --- |
//! | 4 | the rules: 0 standard, 1 empty capture |
//! | 1 | pits a side, `P`, 1 to 6 |
//! | 8 | `2 P + 2`, the length of the next |
//! | `2 P + 2` | the root: the mover's pits from the mover's left, the mover's store, the opponent's pits from the opponent's left, the opponent's store; at most 127 stones in all |
//! | 4 | the relation: the player to move ends with 0 at least, 1 at most, 2 exactly |
//! | 2 | this value, own store minus opponent's at the end, signed |
//! | 1 | the most stones, `T`, of a position that is looked up in the tables; 0 without tables |
//! | 8 | how many layers are listed |
//! | 33 each | the layers that are looked up: stones in the pits (1), ascending and at most `T`, and the BLAKE3 digest of the whole byte file (32) |
//! | 8 | how many claims there are |
//!
//! Claims are sorted by the number of their position, and no position has two. A claim is
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 to 9 | `8 d + i`, seven bits a byte, the lowest first; all bytes but the last have their highest bit set, and the last is not 0 unless it is the only one. `d` is how many numbers are between this position's and that of the claim before (below it, for the first), and `i` the pit to sow, 0 to `P - 1` from the mover's left |
//! | 1 | the share, 1 to the stones in the pits |
//!
//! Positions of `P` pits a side are numbered from 0 without gaps: by the stones in the pits, then by
//! those in the mover's row, then by the mover's and at last by the opponent's row, rows in
//! lexicographic order ([`rank_row`](crate::ranking::rank_row)). Every claim's position has more
//! than `T` stones and not more than the root.
//!
//! A share `s` of the `n` stones in the pits is a margin of `2 s - n`, and the value of a board is
//! the mover's margin plus the mover's store minus the opponent's, its lead `l`. So at least the value
//! `v` asks for the mover's share `(n + v - l) / 2`, rounded up, at most `v` for the opponent's share
//! `(n - v + l) / 2`, rounded up, and exactly `v` for both. Numbers are little-endian. Nothing in
//! the file depends on when or where it was made.
//!
//! # Example
//!
//! ```
//! use kalah::rules::{Board, Rules};
//! use kalah::search::proof::{Proof, Relation, Statement, write};
//! use kalah::search::{Options, Searcher};
//! use kalah::tables::{Tablebase, build};
//!
//! let folder = tempfile::tempdir()?;
//! let options = build::Options::new(Rules::Standard, 8);
//! build::build::<3>(folder.path(), &options, &())?;
//! let tables = Tablebase::<3>::open(folder.path(), Rules::Standard)?;
//! let searcher = Searcher::<3>::new(Rules::Standard, Some(&tables), Options::default())?;
//!
//! // Four stones in each of three pits a side: the first player wins by two.
//! let opening = Board::<3>::opening(4)?;
//! let statement = Statement::new(Rules::Standard, &opening, Relation::Exactly, 2);
//! let file = folder.path().join("opening.proof");
//! write(&searcher, &statement, &file, &())?;
//!
//! let proof = Proof::read(&file)?;
//! assert_eq!(proof.statement(), &statement);
//! let report = proof.check(folder.path(), &())?;
//! assert_eq!(report.claims, proof.claims());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod claims;
mod find;
mod format;
mod statement;
mod write;

pub use check::{CheckError, Fault, Progress, Report};
pub use find::FindError;
pub use format::{Proof, ReadError};
pub use statement::{Relation, Statement};
pub use write::{ReserveError, WriteError, reserve, write};

use rayon::prelude::*;

use crate::tables::unpacked::DigestWatch;
use crate::tables::{Encoding, LayerFile, TableError};

/// The BLAKE3 digests of the whole byte files of layers; `None` when stopped.
fn digests(
    layers: &[&LayerFile],
    watch: &DigestWatch,
) -> Result<Option<Vec<[u8; 32]>>, TableError> {
    let mut digests = vec![[0; 32]; layers.len()];
    let (bytes, compact): (Vec<_>, Vec<_>) =
        layers.iter().zip(&mut digests).partition(|(layer, _)| layer.encoding() == Encoding::Bytes);
    let digest = |(layer, digest): (&&LayerFile, &mut [u8; 32])| {
        let found = layer.byte_digest(watch)?;
        *digest = found.unwrap_or_default();
        Ok::<_, TableError>(found.is_some())
    };
    let one = bytes.into_par_iter().map(digest).try_reduce(|| true, |a, b| Ok(a && b))?;
    // All threads decode a block.
    let other =
        compact.into_iter().map(digest).try_fold(true, |a, b| Ok::<_, TableError>(a && b?))?;
    Ok((one && other).then_some(digests))
}

/// Holds every block of the layers against the checksum that its file has of it; `false` when
/// stopped.
fn check_blocks(layers: &[&LayerFile], stop: impl Fn() -> bool + Sync) -> Result<bool, TableError> {
    let blocks = layers.iter().flat_map(|layer| (0..=layer.id().stones).map(move |a| (layer, a)));
    let blocks: Vec<_> = blocks.collect();
    let checked = blocks.into_par_iter().map(|(layer, block)| {
        if stop() { Ok(false) } else { layer.check_block(block.into()).map(|()| true) }
    });
    checked.try_reduce(|| true, |one, other| Ok(one && other))
}
