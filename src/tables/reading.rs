//! Whole blocks, read in the order in which they lie in the file, and held against their checksums.

use std::ops::Range;

use super::{Encoding, LayerFile, TableError};
use crate::compact::{BAND, Damage, Directory, Orientation, Shape};
use crate::generator::transpose_rows;
use crate::ranking::row_count;

/// Bytes read at a time, about: enough for a disk to be at its fastest and for all threads to have
/// something to decode.
pub(super) const PIECE: u64 = 4 << 20;

/// Bytes that are read in the time that it takes to ask for others.
const GAP: usize = 4 << 10;

/// More bytes than any band has, so that a directory that was tampered with is noticed before memory
/// is taken for what it says.
fn most_bytes(shape: &Shape, band: usize) -> u64 {
    let positions = shape.lines_of(band..band + 1).len() * shape.columns();
    // Shares as they are would take a byte each, and a few words a tile.
    (2 * positions + 64 * shape.tiles_of_band()) as u64
}

/// In which order the values of a block are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As in byte files: for each row of the mover's all rows of the opponent's.
    MoverRows,
    /// For each row of the opponent's all rows of the mover's.
    OpponentRows,
}

impl Order {
    /// The order in which the lines of a block of this shape lie.
    pub(super) fn of_lines(shape: &Shape) -> Self {
        match shape.lines_are_movers() {
            true => Order::MoverRows,
            false => Order::OpponentRows,
        }
    }

    /// How a block of this shape is decoded to be in this order.
    fn orientation(self, shape: &Shape) -> Orientation {
        match self == Order::of_lines(shape) {
            true => Orientation::Lines,
            false => Orientation::Columns,
        }
    }
}

impl LayerFile {
    /// The values of the block in which the mover's row holds `mover_stones` stones: the mover's
    /// share of the stones, mover's rows in rank order, within each the opponent's rows in rank
    /// order.
    ///
    /// ```
    /// # use kalah::{rules::Rules, tables::{Folder, LayerId, build::{Options, build}}};
    /// # let directory = tempfile::tempdir()?;
    /// # let options = Options::new(Rules::Standard, 2);
    /// # build::<2>(directory.path(), &options, &())?;
    /// let folder = Folder::open_for_reading(directory.path())?;
    /// let id = LayerId { rules: Rules::Standard, pits: 2, stones: 2 };
    /// let layer = folder.open_layer(&id)?.expect("it was built");
    /// assert_eq!(layer.matrix(1)?, [1, 1, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TableError::BlockChecksum`] or [`TableError::Undecodable`] when the block is damaged;
    /// [`TableError::OutOfMemory`], [`TableError::Io`].
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones.
    pub fn matrix(&self, mover_stones: usize) -> Result<Vec<u8>, TableError> {
        // It fits `usize`: that was checked when the file was opened.
        let bytes = self.header().block_positions(mover_stones) as usize;
        let mut matrix = Vec::new();
        let reserved = matrix.try_reserve_exact(bytes);
        reserved.map_err(|_| TableError::OutOfMemory { file: self.path().to_owned(), bytes })?;
        matrix.resize(bytes, 0);
        self.read_matrix(mover_stones, Order::MoverRows, &mut matrix)?;
        Ok(matrix)
    }

    /// Reads the values of a block into `target`, in the order asked for, with all threads of the
    /// current rayon pool. The bytes of the block are read once and from first to last, a few
    /// megabytes at a time, and those that were read last are hashed and decoded meanwhile.
    ///
    /// # Errors
    ///
    /// [`TableError::BlockChecksum`] or [`TableError::Undecodable`] when the block is damaged;
    /// [`TableError::Io`]. What the target holds then is not said.
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones, or `target` has not as many bytes as the
    /// block positions.
    pub(crate) fn read_matrix(
        &self,
        mover_stones: usize,
        order: Order,
        target: &mut [u8],
    ) -> Result<(), TableError> {
        let positions = self.header().block_positions(mover_stones);
        assert_eq!(target.len() as u64, positions, "a byte for each position of the block");
        match (self.encoding(), order) {
            (Encoding::Bytes, Order::MoverRows) => self.read_as_it_is(mover_stones, target),
            (Encoding::Bytes, Order::OpponentRows) => self.read_transposed(mover_stones, target),
            (Encoding::Compact, _) => self.read_compact(mover_stones, order, target),
        }
    }

    /// Reads some lines of a block, in the order asked for, to their places in `target`, which has
    /// room for all: those, and perhaps others, right as well. The bytes are not held against their
    /// checksum, as not all of them are read; tiles of compact files have a check of their own.
    ///
    /// # Errors
    ///
    /// [`TableError::Undecodable`] when the block is damaged; [`TableError::Io`].
    ///
    /// # Panics
    ///
    /// As [`LayerFile::read_matrix`], and when there are no such lines.
    pub(crate) fn read_lines(
        &self,
        mover_stones: usize,
        order: Order,
        lines: Range<usize>,
        target: &mut [u8],
    ) -> Result<(), TableError> {
        let positions = self.header().block_positions(mover_stones);
        assert_eq!(target.len() as u64, positions, "a byte for each position of the block");
        let rows = row_count(self.id().pits.into(), mover_stones) as usize;
        let columns = target.len() / rows;
        let offset = self.header().blocks()[mover_stones].offset;
        match (self.encoding(), order) {
            (Encoding::Compact, _) => self.read_compact_lines(mover_stones, order, lines, target),
            (Encoding::Bytes, Order::MoverRows) => {
                let part = lines.start * columns..lines.end * columns;
                self.read_at(&mut target[part.clone()], offset + part.start as u64)
            }
            (Encoding::Bytes, Order::OpponentRows) => {
                let part = lines.start * rows..lines.end * rows;
                self.read_columns(offset, columns, lines, &mut target[part])
            }
        }
    }

    /// Reads some columns of a matrix of a byte file, which become the lines of `target`.
    ///
    /// As many rows at a time as make a piece, so that the lines are written in long parts; and what
    /// lies between their columns is read with them where that takes no longer than asking again.
    fn read_columns(
        &self,
        offset: u64,
        columns: usize,
        lines: Range<usize>,
        target: &mut [u8],
    ) -> Result<(), TableError> {
        let (start, width) = (lines.start, lines.len());
        let gap = columns - width;
        let rows = target.len().checked_div(width).unwrap_or(0);
        let together = gap <= GAP.max(width);
        let many = (PIECE as usize / if together { columns } else { width }).max(1);
        let (mut span, mut part) = (Vec::new(), Vec::new());
        for first in (0..rows).step_by(many) {
            let many = many.min(rows - first);
            let place = |row: usize| offset + (row * columns + start) as u64;
            part.resize(many * width, 0);
            if together {
                span.resize(many * columns - gap, 0);
                self.read_at(&mut span, place(first))?;
                for (part, row) in part.chunks_mut(width).zip(span.chunks(columns)) {
                    part.copy_from_slice(&row[..width]);
                }
            } else {
                for (row, part) in part.chunks_mut(width).enumerate() {
                    self.read_at(part, place(first + row))?;
                }
            }
            transpose_rows(&part, first, target, rows);
        }
        Ok(())
    }

    /// [`LayerFile::read_lines`] of a compact file.
    fn read_compact_lines(
        &self,
        block: usize,
        order: Order,
        lines: Range<usize>,
        target: &mut [u8],
    ) -> Result<(), TableError> {
        let shape = *self.compact_blocks()[block].shape();
        let orientation = order.orientation(&shape);
        if let Some(share) = shape.swept() {
            // The lines of either order: a block of which one side has a single row.
            let line = match orientation {
                Orientation::Lines => shape.columns(),
                Orientation::Columns => shape.lines(),
            };
            target[lines.start * line..lines.end * line].fill(share);
            return Ok(());
        }
        let mut directory = Vec::new();
        let directory = self.read_directory(block, &mut directory)?;
        let undecodable = |damage| self.undecodable(block, damage);
        let offset = self.header().blocks()[block].offset;
        let (bands, places) = match orientation {
            Orientation::Lines => {
                (lines.start / BAND..lines.end.div_ceil(BAND), 0..shape.tiles_of_band())
            }
            Orientation::Columns => (0..shape.bands(), shape.tiles_of_columns(lines)),
        };
        let mut next = bands.start;
        let mut part = Vec::new();
        while next < bands.end {
            let first = next;
            part.clear();
            while next < bands.end && part.len() < PIECE as usize {
                let range = directory.range_of_part(next, places.clone()).map_err(undecodable)?;
                let length = (range.end - range.start) as usize;
                // No band has more than its shares take.
                if length as u64 > most_bytes(&shape, next) {
                    let tile = next * shape.tiles_of_band();
                    return Err(undecodable(Damage::Directory { tile }));
                }
                let at = part.len();
                part.resize(at + length, 0);
                self.read_at(&mut part[at..], offset + range.start)?;
                next += 1;
            }
            let decoded =
                directory.decode_part(first..next, places.clone(), &part, target, orientation);
            decoded.map_err(undecodable)?;
        }
        Ok(())
    }

    /// Compares the bytes of a block with its checksum.
    ///
    /// # Errors
    ///
    /// [`TableError::BlockChecksum`], [`TableError::Io`].
    ///
    /// # Panics
    ///
    /// When `mover_stones` exceeds the layer's stones.
    pub fn check_block(&self, mover_stones: usize) -> Result<(), TableError> {
        let length = self.header().blocks()[mover_stones].length;
        let mut hasher = blake3::Hasher::new();
        self.read_pieces(mover_stones, pieces_of(length, PIECE), |_, bytes| {
            hasher.update(bytes);
            Ok(())
        })?;
        self.compare_digest(mover_stones, &hasher)
    }

    pub(super) fn compare_digest(
        &self,
        block: usize,
        hasher: &blake3::Hasher,
    ) -> Result<(), TableError> {
        match hasher.finalize() == self.header().blocks()[block].digest {
            true => Ok(()),
            false => Err(TableError::BlockChecksum { file: self.path().to_owned(), block }),
        }
    }

    /// Reads a block of a byte file.
    fn read_as_it_is(&self, block: usize, target: &mut [u8]) -> Result<(), TableError> {
        let mut hasher = blake3::Hasher::new();
        let mut offset = self.header().blocks()[block].offset;
        let mut last: &[u8] = &[];
        for piece in target.chunks_mut(PIECE as usize) {
            let (read, ()) = rayon::join(
                || self.read_at(piece, offset),
                || {
                    hasher.update(last);
                },
            );
            read?;
            offset += piece.len() as u64;
            last = piece;
        }
        hasher.update(last);
        self.compare_digest(block, &hasher)
    }

    /// Reads a block of a byte file by the opponent's rows.
    fn read_transposed(&self, block: usize, target: &mut [u8]) -> Result<(), TableError> {
        let rows = row_count(self.id().pits.into(), block) as usize;
        let columns = target.len() / rows;
        let lines = (PIECE as usize / columns).max(1);
        let mut hasher = blake3::Hasher::new();
        let pieces = pieces_of(target.len() as u64, (lines * columns) as u64);
        self.read_pieces(block, pieces, |piece, bytes| {
            rayon::join(
                || {
                    hasher.update(bytes);
                },
                || transpose_rows(bytes, piece * lines, target, rows),
            );
            Ok(())
        })?;
        self.compare_digest(block, &hasher)
    }

    /// Reads a block of a compact file.
    fn read_compact(
        &self,
        block: usize,
        order: Order,
        target: &mut [u8],
    ) -> Result<(), TableError> {
        let shape = *self.compact_blocks()[block].shape();
        let mut hasher = blake3::Hasher::new();
        if let Some(share) = shape.swept() {
            target.fill(share);
            return self.compare_digest(block, &hasher);
        }
        let mut bytes = Vec::new();
        let directory = self.read_directory(block, &mut bytes)?;
        let undecodable = |damage| self.undecodable(block, damage);
        let orientation = order.orientation(&shape);
        let pieces = bands_of(&directory).map(|piece| piece.map_err(undecodable));
        self.read_pieces(block, pieces, |bands, bytes| {
            let (_, decoded) = rayon::join(
                || {
                    hasher.update(bytes);
                },
                || directory.decode(bands, bytes, target, orientation),
            );
            decoded.map_err(undecodable)
        })?;
        hasher.update(&bytes);
        self.compare_digest(block, &hasher)
    }

    /// Reads the directory of a compact file's block, one that has tiles, into `bytes`.
    fn read_directory<'b>(
        &self,
        block: usize,
        bytes: &'b mut Vec<u8>,
    ) -> Result<Directory<'b>, TableError> {
        let (compact, entry) = (&self.compact_blocks()[block], &self.header().blocks()[block]);
        bytes.resize(Directory::length(compact.shape()), 0);
        self.read_at(bytes, entry.offset + compact.tiles_length() as u64)?;
        Directory::new(*compact.shape(), bytes, entry.length)
            .map_err(|damage| self.undecodable(block, damage))
    }

    /// Reads pieces of a block and hands each on, with what it is, while the next is read.
    fn read_pieces<T: Send>(
        &self,
        block: usize,
        pieces: impl Iterator<Item = Result<(T, Range<u64>), TableError>> + Send,
        mut hand_on: impl FnMut(T, &[u8]) -> Result<(), TableError> + Send,
    ) -> Result<(), TableError> {
        let offset = self.header().blocks()[block].offset;
        let mut pieces = pieces.map(|piece| {
            let (what, Range { start, end }) = piece?;
            Ok::<_, TableError>((what, offset + start, (end - start) as usize))
        });
        let (mut bytes, mut next) = (Vec::new(), Vec::new());
        let mut read = |bytes: &mut Vec<u8>| -> Result<Option<T>, TableError> {
            let Some(piece) = pieces.next() else { return Ok(None) };
            let (what, offset, length) = piece?;
            bytes.resize(length, 0);
            self.read_at(bytes, offset)?;
            Ok(Some(what))
        };
        let mut piece = read(&mut bytes)?;
        while let Some(what) = piece {
            let (following, done) = rayon::join(|| read(&mut next), || hand_on(what, &bytes));
            done?;
            piece = following?;
            std::mem::swap(&mut bytes, &mut next);
        }
        Ok(())
    }
}

/// So many bytes in pieces of a size, numbered from 0.
fn pieces_of(
    length: u64,
    size: u64,
) -> impl Iterator<Item = Result<(usize, Range<u64>), TableError>> {
    let starts = (0..length).step_by(size as usize);
    starts.enumerate().map(move |(piece, start)| Ok((piece, start..length.min(start + size))))
}

/// The bands of a block, as many at a time as make a piece, and their bytes: all of them from the
/// block's beginning on, without gaps.
fn bands_of(
    directory: &Directory,
) -> impl Iterator<Item = Result<(Range<usize>, Range<u64>), Damage>> {
    let (mut band, mut end) = (0, 0);
    std::iter::from_fn(move || {
        let shape = directory.shape();
        (band < shape.bands()).then(|| {
            let (first, start) = (band, end);
            while band < shape.bands() && end - start < PIECE {
                let bytes = directory.range(band..band + 1)?;
                let most = most_bytes(shape, band);
                if bytes.start != end || bytes.end - bytes.start > most {
                    return Err(Damage::Directory { tile: band * shape.tiles_of_band() });
                }
                (band, end) = (band + 1, bytes.end);
            }
            Ok((first..band, start..end))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tables::build::{Options, build};
    use crate::tables::{Folder, LayerId};

    #[test]
    fn some_lines_are_those_of_the_whole_matrix() {
        for encoding in [Encoding::Bytes, Encoding::Compact] {
            let folder = tempfile::tempdir().unwrap();
            let options = Options { encoding: Some(encoding), ..Options::new(Rules::Standard, 12) };
            build::<6>(folder.path(), &options, &()).unwrap();
            let folder = Folder::open_for_reading(folder.path()).unwrap();
            let id = LayerId { rules: Rules::Standard, pits: 6, stones: 12 };
            let layer = folder.open_layer(&id).unwrap().unwrap();
            // What lies between is more than is worth reading, less, or nothing.
            for (mover, lines) in
                [(1, 100..103), (1, 0..4368), (1, 4000..4368), (6, 7..300), (6, 9..9)]
            {
                let mut whole = vec![0; layer.header().block_positions(mover) as usize];
                layer.read_matrix(mover, Order::OpponentRows, &mut whole).unwrap();
                let mut few = vec![0; whole.len()];
                layer.read_lines(mover, Order::OpponentRows, lines.clone(), &mut few).unwrap();
                let line = row_count(6, mover) as usize;
                let part = lines.start * line..lines.end * line;
                assert!(few[part.clone()] == whole[part], "{encoding} {mover} {lines:?}");
            }
        }
    }
}
