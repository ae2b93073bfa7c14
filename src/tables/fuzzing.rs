//! What fuzzing reads, and others only by way of building and packing.

use std::ops::Range;

use super::{LayerFile, Order, TableError};

/// `LayerFile::read_matrix`.
pub fn read_matrix(
    layer: &LayerFile,
    mover_stones: usize,
    order: Order,
    target: &mut [u8],
) -> Result<(), TableError> {
    layer.read_matrix(mover_stones, order, target)
}

/// `LayerFile::read_lines`.
pub fn read_lines(
    layer: &LayerFile,
    mover_stones: usize,
    order: Order,
    lines: Range<usize>,
    target: &mut [u8],
) -> Result<(), TableError> {
    layer.read_lines(mover_stones, order, lines, target)
}
