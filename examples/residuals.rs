//! Counts the residuals that the compact encoding's tables are made from, in some layers of tables
//! in bytes, and prints what `src/compact/distributions.rs` has.
//!
//! ```text
//! cargo run --release --example residuals TABLES..
//! ```
//!
//! The tables that are there were counted in the layers of 14, 20, 24, 26 and 28 stones by standard
//! rules and of 24 by those with empty captures, six pits a side, all with the same weight.

use std::error::Error;
use std::path::Path;

use kalah::compact::{Residuals, Shape};
use kalah::generator::{Buffers, transpose};
use kalah::ranking::row_count;
use kalah::tables::LayerFile;

/// Tiles that are counted of a block, about.
const TILES: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let mut all = Residuals::default();
    for file in std::env::args_os().skip(1) {
        let layer = LayerFile::open(Path::new(&file))?;
        let (pits, stones) = (usize::from(layer.id().pits), usize::from(layer.id().stones));
        let mut residuals = Residuals::default();
        for mover in 1..stones {
            layer.check_block(mover)?;
            let shape = Shape::new(pits, stones, mover);
            let every = (shape.tiles() / TILES).max(1) | 1;
            let weight = shape.tiles() as f64 / shape.tiles().div_ceil(every) as f64;
            let weight = weight / layer.header().positions() as f64;
            let matrix = layer.block(mover);
            let transposed;
            let lines = if shape.lines_are_movers() {
                matrix
            } else {
                let rows = row_count(pits, mover) as usize;
                transposed = transpose(matrix, rows, &Buffers::default())?;
                &transposed
            };
            residuals.count(&shape, lines, every, weight);
            all.count(&shape, lines, every, weight);
        }
        eprintln!("{}: {:.3} bits", layer.id().file_name(), residuals.entropy());
    }
    eprintln!("all: {:.3} bits", all.entropy());
    print!("{all}");
    Ok(())
}
