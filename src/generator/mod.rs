//! Retrograde analysis: every position of a layer from the layers below.

mod buffer;
mod error;
mod group;
mod kernels;
mod lines;
mod matrix;
mod memory;
mod needs;
mod north;
mod pair;
mod runs;
mod sowing;
mod transpose;

pub use buffer::{Buffer, Buffers};
pub use error::SolveError;
pub use lines::{Lines, Side, Turn};
pub use memory::{LayerInMemory, in_memory};
pub use needs::needs;
pub use pair::{Solved, Solver};
pub use transpose::transpose;
