//! Transposing a block: the two orders in which lines are read.

use rayon::prelude::*;

use super::buffer::{Buffer, Buffers};
use super::kernels::{CACHE_LINE, LANES, Square, prefetch, transposed};

/// A tile's side: as many bytes as a cache line, so that each line of the target is written whole.
const TILE: usize = CACHE_LINE;

/// The transpose of a matrix of `rows` lines, in a buffer of `buffers`.
///
/// # Panics
///
/// When the length of `source` is not a multiple of `rows`.
pub fn transpose(source: &[u8], rows: usize, buffers: &Buffers) -> Buffer {
    assert!(source.len().is_multiple_of(rows), "a matrix of {rows} lines");
    let columns = source.len() / rows;
    let mut target = buffers.take(source.len());
    target.par_chunks_mut(TILE * rows).enumerate().for_each(|(band, target)| {
        let first = band * TILE;
        let width = TILE.min(columns - first);
        for row in (0..rows).step_by(TILE) {
            tile(source, columns, (row, TILE.min(rows - row)), first, target, (rows, width));
        }
    });
    target
}

/// Transposes `height` rows from `row` on by `width` columns from `column` on into `target`, whose
/// first line is that of `column`.
fn tile(
    source: &[u8],
    columns: usize,
    (row, height): (usize, usize),
    column: usize,
    target: &mut [u8],
    (rows, width): (usize, usize),
) {
    // A row of a tile is a cache line of its own, which no hardware sees coming.
    for r in row + height..(row + height + TILE).min(source.len() / columns) {
        prefetch(source, r * columns + column);
    }
    for r in (0..height).step_by(LANES) {
        for c in (0..width).step_by(LANES) {
            if r + LANES <= height && c + LANES <= width {
                let mut square: Square = [[0; LANES]; LANES];
                for (i, line) in square.iter_mut().enumerate() {
                    let from = (row + r + i) * columns + column + c;
                    line.copy_from_slice(&source[from..from + LANES]);
                }
                for (i, line) in transposed(square).iter().enumerate() {
                    target[(c + i) * rows + row + r..][..LANES].copy_from_slice(line);
                }
            } else {
                for r in r..height.min(r + LANES) {
                    for c in c..width.min(c + LANES) {
                        target[c * rows + row + r] = source[(row + r) * columns + column + c];
                    }
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
        for (rows, columns) in [(1, 1), (1, 70), (70, 1), (16, 16), (64, 128), (130, 77), (15, 200)]
        {
            let source: Vec<u8> = (0..rows * columns).map(|i| (i * 37 + i / 256) as u8).collect();
            let target = transpose(&source, rows, &Buffers::default());
            for row in 0..rows {
                for column in 0..columns {
                    assert_eq!(target[column * rows + row], source[row * columns + column]);
                }
            }
        }
    }
}
