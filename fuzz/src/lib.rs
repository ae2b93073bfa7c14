//! What must hold whatever the bytes are that this program reads: an error, or what is possible.
//!
//! Each module has a `check`, which panics when something does not hold, and tells whether the input
//! was right all through; and `seeds`, inputs made from real tables that are. Inputs are files
//! without what would stop every change at the door: checksums and lengths are put in here, where
//! the input's flags ask for that.

pub mod block;
pub mod checkpoint;
mod input;
pub mod interrupted;
pub mod layer;
pub mod proof;
mod tables;
pub mod text;
pub mod web;

/// An input, and the name of its file.
pub type Seed = (&'static str, Vec<u8>);

/// A target: its name, its check, its seeds.
pub type Target = (&'static str, fn(&[u8]) -> bool, fn() -> Vec<Seed>);

/// All targets.
pub const TARGETS: [Target; 7] = [
    ("block", block::check, block::seeds),
    ("checkpoint", checkpoint::check, checkpoint::seeds),
    ("interrupted", interrupted::check, interrupted::seeds),
    ("layer", layer::check, layer::seeds),
    ("proof", proof::check, proof::seeds),
    ("text", text::check, text::seeds),
    ("web", web::check, web::seeds),
];
