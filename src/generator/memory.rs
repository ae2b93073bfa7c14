//! Small tables that are never written: all layers in memory.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::buffer::{Buffer, Buffers};
use super::error::SolveError;
use super::lines::{Lines, Side, Turn};
use super::solver::Solver;
use super::transpose::transpose;
use crate::ranking::row_count;
use crate::rules::Rules;

/// One layer's blocks in memory.
pub struct LayerInMemory {
    /// By the mover's stones: mover's rows by opponent's rows, a byte the mover's share.
    pub blocks: Vec<Buffer>,
    /// The same transposed: by the mover's stones, opponent's rows by mover's rows.
    pub transposed: Vec<Buffer>,
}

impl LayerInMemory {
    /// Stones in the pits of each position.
    pub fn stones(&self) -> usize {
        self.blocks.len() - 1
    }

    /// One of the matrices.
    ///
    /// # Panics
    ///
    /// When the side does not have as many stones as the layer.
    pub fn matrix(&self, side: Side) -> &[u8] {
        assert_eq!(side.south + side.north, self.stones());
        match side.turn {
            Turn::South => &self.blocks[side.south],
            Turn::North => &self.transposed[side.north],
        }
    }

    /// Adds every matrix to the lines that higher layers are computed from.
    pub fn insert_into<'a, const P: usize>(&'a self, lines: &mut Lines<'a, P>) {
        for south in 0..=self.stones() {
            for turn in [Turn::South, Turn::North] {
                let side = Side { south, north: self.stones() - south, turn };
                lines.insert(side, self.matrix(side));
            }
        }
    }
}

/// All layers of up to `stones` stones.
///
/// ```
/// use kalah::{generator, ranking::Layer, rules::Rules};
///
/// let layers = generator::in_memory::<6>(Rules::Standard, 4)?;
/// // Three stones of the mover's against one: by the mover's stones, then by rows.
/// let block = Layer::<6>::new(4).unwrap().block(3);
/// let index = Layer::<6>::new(4).unwrap().index(&[0, 0, 0, 0, 2, 1], &[0, 1, 0, 0, 0, 0]);
/// let share = layers[4].blocks[3][(index - block.start) as usize];
/// assert_eq!(share, 3); // a margin of 2 * 3 - 4 = 2
/// # Ok::<(), generator::SolveError>(())
/// ```
///
/// # Errors
///
/// [`SolveError::OutOfMemory`].
pub fn in_memory<const P: usize>(
    rules: Rules,
    stones: usize,
) -> Result<Vec<LayerInMemory>, SolveError> {
    let buffers = Buffers::default();
    let solver = Solver::<P>::new(rules, stones, buffers.clone());
    let mut layers: Vec<LayerInMemory> = Vec::new();
    for stones in 0..=stones {
        let mut lower = Lines::new(stones);
        for layer in &layers {
            layer.insert_into(&mut lower);
        }
        let pairs: Vec<(usize, usize)> = Solver::<P>::pairs(stones).collect();
        let solved: Vec<_> = pairs
            .into_par_iter()
            .map(|(south, north)| {
                let go_on = |_| ControlFlow::Continue(());
                let solved = solver.solve(south, north, &lower, &go_on)?;
                let rows = row_count(P, south) as usize;
                let north_block = transpose(&solved.north, rows, &buffers)?;
                let south_transposed = transpose(&solved.south, rows, &buffers)?;
                Ok((south, north, north_block, south_transposed, solved))
            })
            .collect::<Result<_, SolveError>>()?;
        let mut layer = LayerInMemory {
            blocks: (0..=stones).map(|_| buffers.take(0)).collect::<Result<_, _>>()?,
            transposed: (0..=stones).map(|_| buffers.take(0)).collect::<Result<_, _>>()?,
        };
        for (south, north, north_block, south_transposed, solved) in solved {
            layer.blocks[north] = north_block;
            layer.transposed[north] = solved.north;
            layer.blocks[south] = solved.south;
            layer.transposed[south] = south_transposed;
        }
        layers.push(layer);
    }
    Ok(layers)
}
