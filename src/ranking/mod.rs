//! Positions as numbers: row <-> rank, position <-> index within its layer.
//!
//! A *row* is the stones in one player's pits. The rows of `s` stones in `P` pits are ranked
//! lexicographically by count, pit 1 most significant: for two stones in two pits `[0, 2]`,
//! `[1, 1]`, `[2, 0]` have the ranks 0, 1, 2. There are `C(s + P - 1, P - 1)` of them
//! ([`row_count`]), and a rank is a sum of such counts (the combinatorial number system), a look-up
//! a pit: [`rank_row`].
//!
//! A *layer* is all positions with `n` stones in the pits. It is made of *blocks*, one for each
//! number `a` of stones in the mover's row, `a` from 0 to `n`; a block is a matrix of the mover's
//! rows by the opponent's rows (of `n - a` stones), row by row. The index of a position within its
//! layer counts through the blocks in that order.
//!
//! ```
//! use kalah::ranking::{Layer, rank_row, unrank_row};
//!
//! assert_eq!(rank_row(&[1, 0, 2]), 4);
//! assert_eq!(unrank_row::<3>(3, 4), [1, 0, 2]);
//!
//! let layer = Layer::<6>::new(24).unwrap();
//! assert_eq!(layer.positions(), 417_225_900);
//! let index = layer.index(&[0, 1, 2, 3, 4, 5], &[4, 0, 0, 3, 0, 2]);
//! assert_eq!(layer.position(index), ([0, 1, 2, 3, 4, 5], [4, 0, 0, 3, 0, 2]));
//! ```

mod layer;
mod row;

pub use crate::rules::{MAX_PITS, MAX_STONES};
pub use layer::{Block, Layer};
pub use row::{rank_row, row_count, unrank_row};
