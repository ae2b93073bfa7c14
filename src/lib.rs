//! Perfect play of Kalah: endgame tables to build, check and ask, and a search over them.
//!
//! ```
//! use kalah::rules::{Board, Rules};
//! use kalah::tables::Tablebase;
//! use kalah::tables::analysis::{Detail, Outcome, analyse};
//! use kalah::tables::build::{Options, build};
//!
//! // Tables of all positions with up to 8 stones in the pits, 6 pits a side.
//! let folder = tempfile::tempdir()?;
//! let options = Options::new(Rules::Standard, 8);
//! build::<6>(folder.path(), &options, &())?;
//! let tables = Tablebase::<6>::open(folder.path(), Rules::Standard)?;
//!
//! // The mover's pits and store, then the opponent's, each row from its owner's left.
//! let board: Board<6> = "0,1,0,0,2,1,17, 2,0,0,1,1,0,23".parse()?;
//! assert_eq!(tables.margin(board.pits()), Some(2)); // of the 8 stones the mover gets 5
//! assert_eq!(tables.value(&board), Some(17 - 23 + 2));
//!
//! // Every move's value, best first, and how perfect play goes on.
//! let analysis = analyse(&board, &tables, Detail::Full)?;
//! assert_eq!(Outcome::of(analysis.value), Outcome::Loss);
//! let moves: Vec<_> = analysis.moves.iter().map(|m| (m.pit.number(), m.value)).collect();
//! assert_eq!(moves, [(2, -4), (6, -4), (5, -6)]);
//! let line: Vec<_> = analysis.line.iter().map(|pit| pit.number()).collect();
//! assert_eq!(line, [2, 1, 6, 5, 6]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A position's *value* is the mover's final store minus the opponent's when both play perfectly.
//! It is what the stores hold now plus the *margin* that is still to be played for, which depends
//! on the pits alone: tables hold margins, one for each way in which stones can lie in the pits.
//!
//! # The modules
//!
//! Each depends only on those before it.
//!
//! | module | what |
//! | --- | --- |
//! | [`rules`] | boards that cannot be illegal, moves, two rule sets, notation; and everything once more in plain, for checking |
//! | [`ranking`] | rows and positions as numbers, and back |
//! | [`generator`] | the values of a layer of positions from those of the layers below, in memory: **the mathematics is there** |
//! | [`compact`] | blocks of values in a third of their bytes, read in any order: **what is known of a value beforehand is there** |
//! | [`files`] | what files of all formats have in common: they are there whole or not at all |
//! | [`tables`] | layers as files, **whose format is there**: writing, building, mapping, probing, analysing, verifying |
//! | [`web`] | small tables for web pages, with a reader in JavaScript: written, read, exported |
//! | [`search`] | the margins of positions beyond the tables, and all there is to say about them |
//! | [`players`] | who chooses a pit: the levels of play, and the trait that other engines share with them |
//! | [`judge`] | how well somebody plays: exams held against tables and search, games, scores |
//! | [`protocol`] | the Kalah Game Protocol, which programs that play talk with a server of games in |
//! | [`engine`] | other programs as players, by way of that protocol |
//! | [`export`] | tables for other programs: arrays for numpy, samples as CSV |
//!
//! Data flows the same way. [`tables::build`](tables::build::build) maps the finished layers of a
//! folder, hands their blocks to a [`generator::Solver`], and writes what it returns with a
//! [`tables::LayerWriter`]; a [`tables::Tablebase`] maps the files and turns a position's
//! [rank](ranking::rank_row) into the place of its byte; [`tables::analysis`] puts together from
//! margins what a person asks; [`verify`](tables::verify::verify) recomputes values with
//! [`rules::plain`], past the fast rules and the generator. The program `kalah` is a command line
//! over all this.
//!
//! The number of pits a side is a constant parameter `P`, so that rows are arrays of a known
//! length; rules hold for 1 to 8 pits, tables for 1 to 6. [`with_pits!`] and [`with_table_pits!`]
//! choose it at run time.

#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod compact;
mod dispatch;
pub mod engine;
pub mod export;
pub mod files;
pub mod generator;
pub mod judge;
pub mod players;
mod prefetch;
pub mod protocol;
pub mod ranking;
pub mod rules;
pub mod search;
pub mod tables;
pub mod web;

/// The README's example, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
