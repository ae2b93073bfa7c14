//! Transposing a block: the two orders in which lines are read.

use rayon::prelude::*;

use super::buffer::{Buffer, Buffers};
use super::error::SolveError;
use super::kernels::{CACHE_LINE, SPAN, Square, prefetch, spans, transposed};

/// The columns of a tile: what is read of a row at once, long enough to be worth its page.
const WIDTH: usize = 512;

/// The rows of a tile: what is written of a line at once. With more of them, the lines that a tile
/// writes in part no longer stay in the cache until they are written whole.
const HEIGHT: usize = 16;

/// The transpose of a matrix of `rows` lines, in a buffer of `buffers`.
///
/// # Errors
///
/// [`SolveError::OutOfMemory`].
///
/// # Panics
///
/// When the length of `source` is not a multiple of `rows`.
pub fn transpose(source: &[u8], rows: usize, buffers: &Buffers) -> Result<Buffer, SolveError> {
    assert!(source.len().is_multiple_of(rows), "a matrix of {rows} lines");
    let columns = source.len() / rows;
    let mut target = buffers.take(source.len())?;
    target.par_chunks_mut(WIDTH * rows).enumerate().for_each(|(band, target)| {
        transpose_band(Lines { bytes: source, columns, first: 0 }, band * WIDTH, target, rows);
    });
    Ok(target)
}

/// Puts some lines of a matrix of `rows` lines, from line `first` on, where they belong in its
/// transpose.
///
/// # Panics
///
/// When the matrix does not have these lines, or `target` is not as large as it.
pub fn transpose_rows(lines: &[u8], first: usize, target: &mut [u8], rows: usize) {
    assert!(target.len().is_multiple_of(rows), "a matrix of {rows} lines");
    let columns = target.len() / rows;
    assert!(lines.len().is_multiple_of(columns), "lines of {columns} elements");
    assert!(first + lines.len() / columns <= rows, "lines of the matrix");
    target.par_chunks_mut(WIDTH * rows).enumerate().for_each(|(band, target)| {
        transpose_band(Lines { bytes: lines, columns, first }, band * WIDTH, target, rows);
    });
}

/// Hands on the transpose of a matrix of `rows` lines, band by band: as many whole lines of it at a
/// time as stay in the core's cache, for who needs each of them once.
///
/// # Errors
///
/// What `sink` says, and [`SolveError::OutOfMemory`].
///
/// # Panics
///
/// When the length of `source` is not a multiple of `rows`.
pub fn transpose_in_bands<E: From<SolveError>>(
    source: &[u8],
    rows: usize,
    buffers: &Buffers,
    mut sink: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    assert!(source.len().is_multiple_of(rows), "a matrix of {rows} lines");
    let columns = source.len() / rows;
    let width = (BAND / rows).next_multiple_of(CACHE_LINE).min(WIDTH);
    let mut band = buffers.take(rows * width.min(columns))?;
    for column in (0..columns).step_by(width) {
        let band = &mut band[..rows * width.min(columns - column)];
        transpose_band(Lines { bytes: source, columns, first: 0 }, column, band, rows);
        sink(band)?;
    }
    Ok(())
}

/// Bytes of a band that is handed on, about.
const BAND: usize = 1 << 18;

/// Lines of a matrix, one after the other.
#[derive(Clone, Copy)]
struct Lines<'a> {
    bytes: &'a [u8],
    columns: usize,
    /// The number of the first of them in the matrix.
    first: usize,
}

/// Transposes the columns from `column` on, as many as `target` has lines of `rows` elements.
fn transpose_band(source: Lines, column: usize, target: &mut [u8], rows: usize) {
    let width = target.len() / rows;
    let Lines { bytes, columns, .. } = source;
    let lines = bytes.len() / columns;
    for row in (0..lines).step_by(HEIGHT) {
        // Rows are too far apart for the processor to see by itself where it goes on.
        for next in row + HEIGHT..lines.min(row + 2 * HEIGHT) {
            let part = &bytes[next * columns + column..][..width];
            for at in (0..width + CACHE_LINE - 1).step_by(CACHE_LINE) {
                prefetch(part, at.min(width - 1));
            }
        }
        let tile = Tile { row, height: HEIGHT.min(lines - row), column };
        tile.transpose(source, target, rows);
    }
}

/// A part of a matrix, as wide as the band of the target it goes to is high.
struct Tile {
    row: usize,
    height: usize,
    column: usize,
}

impl Tile {
    /// Transposes the tile into the band of target lines that begins with that of its column.
    fn transpose(&self, source: Lines, target: &mut [u8], rows: usize) {
        let Tile { row, height, column } = *self;
        let Lines { bytes: source, columns, first } = source;
        let width = target.len() / rows;
        if height < SPAN || width < SPAN {
            for r in row..row + height {
                for c in 0..width {
                    target[c * rows + first + r] = source[r * columns + column + c];
                }
            }
            return;
        }
        for c in spans(width) {
            for r in spans(height) {
                let mut square: Square = [[0; SPAN]; SPAN];
                for (i, line) in square.iter_mut().enumerate() {
                    let from = (row + r + i) * columns + column + c;
                    line.copy_from_slice(&source[from..from + SPAN]);
                }
                for (i, line) in transposed(square).iter().enumerate() {
                    target[(c + i) * rows + first + row + r..][..SPAN].copy_from_slice(line);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_any_shape_are_transposed() {
        for (rows, columns) in [
            (1, 1),
            (1, 70),
            (70, 1),
            (16, 16),
            (64, 128),
            (130, 77),
            (15, 200),
            (40, 1100),
            (1100, 40),
            (7000, 150),
        ] {
            let source: Vec<u8> = (0..rows * columns).map(|i| (i * 37 + i / 256) as u8).collect();
            let target = transpose(&source, rows, &Buffers::default()).unwrap();
            let mut bands = Vec::new();
            let sink = |band: &[u8]| {
                bands.extend_from_slice(band);
                Ok::<(), SolveError>(())
            };
            transpose_in_bands(&source, rows, &Buffers::default(), sink).unwrap();
            assert!(bands == target[..]);
            let mut parts = vec![0; source.len()];
            for (part, lines) in source.chunks(50 * columns).enumerate() {
                transpose_rows(lines, 50 * part, &mut parts, rows);
            }
            assert!(parts == target[..]);
            for row in 0..rows {
                for column in 0..columns {
                    assert_eq!(target[column * rows + row], source[row * columns + column]);
                }
            }
        }
    }
}
