//! Perfect-play endgame tables of Kalah.
//!
//! Data flows one way: [`rules`], [`ranking`], [`generator`], [`tables`].

#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod generator;
pub mod ranking;
pub mod rules;
pub mod tables;
