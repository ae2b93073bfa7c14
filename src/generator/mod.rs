//! Retrograde analysis: the values of every position of a layer, from the layers below.
//!
//! ```
//! use kalah::{generator, ranking::Layer, rules::Rules};
//!
//! // What the player who begins gets of one stone in each pit: seven of the twelve.
//! let layers = generator::in_memory::<6>(Rules::Standard, 12)?;
//! let layer = Layer::<6>::new(12).unwrap();
//! let index = layer.index(&[1; 6], &[1; 6]) - layer.block(6).start;
//! assert_eq!(layers[12].blocks[6][index as usize], 7);
//! # Ok::<(), generator::SolveError>(())
//! ```
//!
//! # One ordered pass
//!
//! A move that puts a stone in the store leads to a layer of fewer stones. One that does not stays
//! in the mover's own row: it takes stones out of one pit and drops them nearer to the store, the
//! stones on each side stay what they were, and the turn passes. Two things follow.
//!
//! - The layer of `n` stones falls into *pairs of blocks* that do not depend on each other: `a`
//!   stones in the mover's row against `b`, and `b` against `a`, with `a + b = n`.
//! - Within a pair no position comes again. Call a row's *potential* the sum over its stones of the
//!   places to the store: each move within the row lowers it.
//!
//! So fix the players of a pair as **South**, with `a` stones, and **North**, with `b`, and write
//! `S(s, x)` and `N(s, x)` for the value of South's row `s` against North's row `x` with South and
//! with North to move. Within the layer
//!
//! - `S(s, x)` depends on `N(s', x)` alone, with `s'` of lower potential than `s`;
//! - `N(s, x)` depends on `S(s, x')` alone.
//!
//! A [`Solver`] goes through South's rows by ascending potential, and for each computes the whole
//! *line* `S(s, ·)` and then the whole line `N(s, ·)`. The elements of a line do not depend on each
//! other, and neither do rows of equal potential: these are shared among threads, in groups of
//! eight.
//! Where a class of rows has fewer groups than there are threads, parts of a group's lines are shared
//! too. Everything is final when it is computed, and computed once, but for the blocks of as many
//! stones on both sides, which are pairs with themselves.
//!
//! # Shares
//!
//! A value is a byte: the mover's *share* of the layer's stones, from 0 to `n`. What the mover gains
//! in a move then needs no adding, since it is what the opponent does not get. Where the turn
//! passes, the mover gets `n` minus the opponent's share of what follows; where the mover moves
//! again with `m` stones left, the opponent gets `m` minus the mover's share. The best move is the
//! one that leaves the opponent least: a minimum of bytes, which processors take many at a time.
//! The blocks in which a row is empty are filled with what the ending sweep gives, so that no
//! reader has to ask whether a game is over.
//!
//! # Lines in which South moves
//!
//! For a whole line `S(s, ·)` each of South's at most `P` moves is one sowing with one new row and
//! one gain, so it contributes one finished line, and the new line is the minimum of these,
//! element by element. What varies is where in the other line an element stands. Stones that fall
//! into North's pits turn `x` into another row, and a capture clears a pit of it, out of a line that
//! depends on what that pit held. Either maps the ranks of North's rows to other ranks, the same way
//! for all `s`; rows that are neighbours in lexicographic order mostly stay neighbours, so such a
//! map is kept as a list of *runs*, which are copied whole. Sowings that come round to South's row
//! again add to every pit of North's and need nothing more than another map.
//!
//! # Lines in which North moves
//!
//! Along `N(s, ·)` the sower's row is the element, and each element has moves of its own. But
//! which lines their results stand in depends on `s` and the kind of move alone: `S(s, ·)` itself
//! for a move within North's row, `S` of `s` with stones added for one that passes into South's
//! pits, `S` of `s` with the facing pit cleared for a capture, `N(s, ·)` of a lower layer for an
//! extra move. These lines are laid side by side in a buffer, small enough for the core's second level cache
//! where most positions are, and then an
//! element is the minimum of at most `P` bytes at places that depend on `x` alone. The table of
//! places serves every `s` of every layer with as many stones on North's side. For a group of rows
//! `s` the buffer holds their lines interleaved, so that a place is looked up once for the group
//! and its values are one vector.
//!
//! # Two orders
//!
//! All lines run over North's rows. With South to move that is the order of the tables, mover's rows
//! by opponent's rows; with North to move it is the transpose. So of each finished block both
//! orders are wanted: [`transpose`] makes one from the other, a [`Side`] says which one is meant,
//! and [`needs`](fn@needs) which of them a pair reads.
//!
//! # Machine code
//!
//! The loops are plain ones over bytes that compilers turn into vector code, but for a minimum and
//! a shuffle that they do not find. They are compiled for several instruction sets, and the best that the machine has is chosen when it runs.

mod buffer;
mod error;
pub(crate) mod kernel;
pub(crate) mod kernels;
mod lines;
mod matrix;
mod memory;
mod moves;
mod needs;
mod north;
mod pair;
mod runs;
mod scratch;
mod solver;
mod south;
mod sowing;
mod transpose;

pub use buffer::{Buffer, Buffers};
pub use error::SolveError;
pub use lines::{Lines, Side, Turn};
pub use memory::{LayerInMemory, in_memory};
pub use needs::{Rows, needs, rows_with_first, stage_needs};
pub use pair::work_units;
pub use solver::{Solved, Solver, class_sizes};
pub use transpose::{transpose, transpose_in_bands, transpose_rows};
