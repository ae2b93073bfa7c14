//! Reading a checkpoint back.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::format::Header;
use super::record::Records;
use super::{CheckpointError, Spent};
use crate::files::{self, refused};
use crate::rules::{Board, Pits, Rules};
use crate::search::question::Bounds;
use crate::search::searcher::Searcher;
use crate::search::transposition::Entry;

/// Entries that are read at a time.
const BATCH: usize = 1 << 15;

/// A checkpoint whose header was read and is of the game and position that are searched.
#[derive(Debug)]
pub struct Checkpoint<const P: usize> {
    path: PathBuf,
    /// Read up to the first entry. A new checkpoint of the same name is another file.
    file: File,
    header: Header<P>,
}

impl<const P: usize> Checkpoint<P> {
    /// Opens a checkpoint of a game from a position; `None` when there is none of that name.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`], but for those of writing.
    pub fn open(
        path: impl Into<PathBuf>,
        rules: Rules,
        board: &Board<P>,
    ) -> Result<Option<Self>, CheckpointError> {
        let path = path.into();
        let mut file = match files::open(&path) {
            Ok(Some(file)) => file,
            Ok(None) => return Err(CheckpointError::NotAFile { file: path }),
            Err(refused) if refused.error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(refused) => return Err(refused.into()),
        };
        let length = file.metadata().map_err(refused("look at", &path))?.len();
        let header = Header::<P>::read(&mut file, length, &path, rules, board)?;
        let width = Records::<P>::new(board.pits().stones()).width() as u64;
        let before = header.encode().len() as u64;
        let expected = header.entries.saturating_mul(width).saturating_add(before);
        if length != expected {
            return Err(CheckpointError::WrongLength { file: path, expected, actual: length });
        }
        Ok(Some(Checkpoint { path, file, header }))
    }

    /// What is proved of the position, and then of others.
    pub fn bounds(&self) -> &[(Pits<P>, Bounds)] {
        &self.header.bounds
    }

    /// What the search has cost so far.
    pub fn spent(&self) -> Spent {
        self.header.spent
    }

    /// How many entries there are.
    pub fn entries(&self) -> u64 {
        self.header.entries
    }

    /// Gives all that was proved to a searcher, which may have less room for it: it then keeps what
    /// cost most.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::OtherProblem`] when the searcher is of other rules,
    /// [`CheckpointError::Damaged`], [`CheckpointError::WrongLength`], [`CheckpointError::Io`]. The
    /// searcher, which may have got something wrong by then, is gone.
    pub fn resume<'t>(self, searcher: Searcher<'t, P>) -> Result<Searcher<'t, P>, CheckpointError> {
        let Checkpoint { path, mut file, header } = self;
        if searcher.rules() != header.rules {
            let text = |rules| format!("{rules} rules");
            let (found, wanted) = (text(header.rules), text(searcher.rules()));
            return Err(CheckpointError::OtherProblem { file: path, found, wanted });
        }
        let records = Records::<P>::new(header.board.pits().stones());
        let mut digest = blake3::Hasher::new();
        let mut buffer = vec![0; BATCH * records.width()];
        let mut left = header.entries;
        while left > 0 {
            let count = left.min(BATCH as u64);
            let bytes = &mut buffer[..count as usize * records.width()];
            file.read_exact(bytes).map_err(refused("read", &path))?;
            digest.update(bytes);
            add(&records, bytes, &searcher, &path)?;
            left -= count;
        }
        if *digest.finalize().as_bytes() != header.digest {
            let reason = "its entries are not as they were written";
            return Err(CheckpointError::Damaged { file: path, reason });
        }
        for (pits, bounds) in &header.bounds {
            if !add_bounds(pits, *bounds, &searcher) {
                return Err(contradiction(&path));
            }
        }
        Ok(searcher)
    }
}

/// Adds the entries of these bytes to the transposition table.
fn add<const P: usize>(
    records: &Records<P>,
    bytes: &[u8],
    searcher: &Searcher<'_, P>,
    path: &Path,
) -> Result<(), CheckpointError> {
    /// Entries whose memory is asked for at a time.
    const AHEAD: usize = 32;

    let knowledge = searcher.knowledge();
    let mut placed = Vec::with_capacity(AHEAD);
    for group in bytes.chunks(AHEAD * records.width()) {
        for record in group.chunks_exact(records.width()) {
            let Some((number, entry)) = records.read(record) else {
                let reason = "an entry says what cannot be";
                return Err(CheckpointError::Damaged { file: path.to_owned(), reason });
            };
            // A smaller table may have no place for positions of so many stones.
            if number < knowledge.numbering.count() {
                let place = knowledge.transpositions.place(number);
                knowledge.transpositions.prefetch(place);
                placed.push((place, entry));
            }
        }
        for (place, entry) in placed.drain(..) {
            if !knowledge.transpositions.add(place, entry) {
                return Err(contradiction(path));
            }
        }
    }
    Ok(())
}

/// The error that two facts about a position are when they cannot both be true.
fn contradiction(path: &Path) -> CheckpointError {
    let reason = "what it says of a position contradicts itself";
    CheckpointError::Damaged { file: path.to_owned(), reason }
}

/// Adds the bounds of a position, to be kept whatever else comes to its place: they are few. `false`
/// when an entry says otherwise.
fn add_bounds<const P: usize>(pits: &Pits<P>, bounds: Bounds, searcher: &Searcher<'_, P>) -> bool {
    let knowledge = searcher.knowledge();
    let stones = pits.stones();
    if stones > knowledge.numbering.stones() || bounds == Bounds::of_stones(stones) {
        return true;
    }
    let share = |margin: i16| ((margin + stones as i16) / 2) as u8;
    let entry = Entry {
        lower: share(bounds.low),
        upper: share(bounds.high),
        cost: Entry::MOST,
        ..Entry::unknown(stones as u8)
    };
    knowledge.transpositions.add(knowledge.place(pits, stones as u8), entry)
}
