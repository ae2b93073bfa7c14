//! Positions beyond the tables: exact margins by search.
//!
//! A [`Searcher`] settles claims of the form "the player to move gets at least so many of the
//! stones in the pits" by depth-first search with a null window: a claim holds when one move meets
//! it, and a move meets it when the claim it turns into, about the next position, holds or fails.
//! Before any move is searched all are looked up, in the tables and among the transpositions. A
//! margin is exact when one claim holds and the next higher one does not.
//!
//! Everything is about shares of the stones in the pits, never about stores, so that a
//! transposition serves every threshold, every way to fill the stores and every question.
//!
//! The search deepens iteratively: a few shallow searches, in which lines end with an estimate, say
//! where the value is; the last one goes to the end of every line and proves. In that one nearly
//! every move tried first holds, so that the nodes it takes are those of the proof it finds, and
//! moves are ordered by how small a proof they promise.
//!
//! Threads share the transposition table and keep out of each other's way; which of them is first
//! changes what is searched, never an answer.
//!
//! A search of hours or days is saved while it goes on, and taken up again by another process, with
//! [checkpoints](checkpoint). What it finds can be written as a [proof], which is checked without a
//! search.

mod busy;
pub mod checkpoint;
mod children;
mod effort;
mod evaluation;
mod neighbours;
mod numbering;
pub mod proof;
mod question;
mod searcher;
mod solution;
mod transposition;
mod watched;
mod worker;

pub use effort::{Effort, Room};
pub use neighbours::neighbours;
pub use question::{Bounds, Question};
pub use searcher::{Options, SearchError, Searcher, Status, Watch};
pub use solution::{FirstMove, Goal, Solution, Task, solve};
pub use watched::Watched;
