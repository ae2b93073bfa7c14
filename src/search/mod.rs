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
//! The search deepens iteratively: a few shallow searches, in which lines end with an
//! estimate, say where the value is and which moves to begin with; the last one goes
//! to the end of every line and proves. In that one nearly every move tried first holds, so that
//! the nodes it takes are those of the proof it finds, and moves are ordered by how small a proof
//! they promise.
//!
//! What it finds can be written as a [proof], which is checked without a search.
//!
//! Threads share the transposition table and keep out of each other's
//! way; which of them is first changes what is searched, never an answer.

mod busy;
mod children;
mod evaluation;
mod numbering;
pub mod proof;
mod question;
mod searcher;
mod transposition;
mod worker;

pub use question::{Bounds, Question};
pub use searcher::{Options, SearchError, Searcher, Status, Watch};

/// Asks for memory, to be read soon, without waiting for it.
#[inline]
fn prefetch<T>(at: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect that a program could see, at any address, and every
        // x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
