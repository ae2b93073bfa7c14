//! The levels of play.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use super::Player;
use super::alpha_beta::{MOST_TURNS, ROW};
use super::perfect::Perfect;
use super::reckoner::{Reckoner, Style};
use crate::generator::SolveError;
use crate::rules::Rules;
use crate::search;
use crate::tables::{TableError, Tablebase};

/// How well a player plays.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Takes what its own turn brings most of, without a thought for the answer; a third of the
    /// time sows a random pit.
    Easy,
    /// Looks three turns ahead, and counts the stones in the stores; one time in ten sows a random
    /// pit.
    Medium,
    /// Looks seven turns ahead, and counts the stones in the stores and, for less, in the rows.
    Hard,
    /// Looks ahead as far as time allows, to where the tables begin, and from there on plays
    /// perfectly.
    Insane,
    /// Never gives away a point, however long it takes. With a time limit it plays what it thinks
    /// best where it cannot prove it in time, and says so.
    Perfect,
}

/// A name that is no level's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no level is called '{name}'; there are easy, medium, hard, insane and perfect",
    name = .0.escape_debug()
)]
pub struct UnknownLevel(String);

/// What a level plays with.
#[derive(Clone, Copy, Debug)]
pub struct Options<'t, const P: usize> {
    /// The tables, which also say by which rules to play. [`tables`] has them for every board.
    pub tables: &'t Tablebase<P>,
    /// Decides what is random. The same seed makes the same moves again, unless time decides.
    pub random_seed: u64,
    /// The most time for a choice. Without it [`Level::Insane`] looks at a fixed number of
    /// positions, and [`Level::Perfect`] takes what it takes.
    pub time: Option<Duration>,
    /// What the solver of [`Level::Perfect`] may take.
    pub search: search::Options,
}

impl<'t, const P: usize> Options<'t, P> {
    /// Random seed 0, no time limit, one thread.
    pub fn new(tables: &'t Tablebase<P>) -> Self {
        Options { tables, random_seed: 0, time: None, search: search::Options::default() }
    }
}

/// The most stones of tables that are made in memory where no others are.
pub const SMALL_TABLES: usize = 12;

/// The tables that levels play with: those in the folder, when there is one and they reach
/// [`SMALL_TABLES`] stones or more; else tables of so many stones, built in memory within a tenth of
/// a second. For more than [`MAX_TABLE_PITS`](crate::tables::MAX_TABLE_PITS) pits a side there are
/// no layers in either, and levels do without.
///
/// # Errors
///
/// [`TablesError`].
pub fn tables<const P: usize>(
    folder: Option<&Path>,
    rules: Rules,
) -> Result<Tablebase<P>, TablesError> {
    if let Some(folder) = folder {
        let there = Tablebase::open(folder, rules)?;
        if there.stones() >= Some(SMALL_TABLES) {
            return Ok(there);
        }
    }
    Ok(Tablebase::in_memory(rules, SMALL_TABLES)?)
}

/// Why there are no tables to play with.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] TableError),
    /// They could not be built in memory.
    #[error("cannot build tables of {SMALL_TABLES} stones: {0}")]
    Building(#[from] SolveError),
}

/// Positions that [`Level::Insane`] looks at where there is no time limit: about a second.
const INSANE_NODES: u64 = 4_000_000;

impl Level {
    /// Every level, from the lowest.
    pub const ALL: [Level; 5] =
        [Level::Easy, Level::Medium, Level::Hard, Level::Insane, Level::Perfect];

    /// The name used on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Level::Easy => "easy",
            Level::Medium => "medium",
            Level::Hard => "hard",
            Level::Insane => "insane",
            Level::Perfect => "perfect",
        }
    }

    /// A player of this level.
    pub fn player<'t, const P: usize>(
        self,
        options: &Options<'t, P>,
    ) -> Box<dyn Player<P> + Send + 't> {
        match self.style() {
            Some(style) => Box::new(Reckoner::new(style, options)),
            None => Box::new(Perfect::new(options)),
        }
    }

    /// How the levels below [`Level::Perfect`] think.
    pub(super) fn style(self) -> Option<Style> {
        let ahead = Style { random: None, turns: 1, row: 0, tables: false, nodes: u64::MAX };
        Some(match self {
            Level::Easy => Style { random: Some(3), ..ahead },
            Level::Medium => Style { random: Some(10), turns: 3, ..ahead },
            Level::Hard => Style { turns: 7, row: ROW, ..ahead },
            Level::Insane => {
                Style { turns: MOST_TURNS, row: ROW, tables: true, nodes: INSANE_NODES, ..ahead }
            }
            Level::Perfect => return None,
        })
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Self, UnknownLevel> {
        let level = Level::ALL.into_iter().find(|level| level.name() == name);
        level.ok_or_else(|| UnknownLevel(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert!(Level::ALL.is_sorted());
        assert_eq!(
            "Hard\u{7}".parse::<Level>().unwrap_err().to_string(),
            "no level is called 'Hard\\u{7}'; there are easy, medium, hard, insane and perfect"
        );
    }

    #[test]
    fn tables_of_a_folder_are_taken_when_they_reach_far_enough() {
        use crate::tables::build::{self, build};

        let folder = tempfile::tempdir().unwrap();
        let mut options = build::Options::new(Rules::Standard, 4);
        for (stones, expected) in [(4, 12), (13, 13)] {
            options.stones = stones;
            build::<3>(folder.path(), &options, &()).unwrap();
            let tables = tables::<3>(Some(folder.path()), Rules::Standard).unwrap();
            assert_eq!(tables.stones(), Some(expected));
        }
        assert_eq!(tables::<7>(Some(folder.path()), Rules::Standard).unwrap().stones(), None);
        let missing = folder.path().join("missing");
        assert!(tables::<3>(Some(&missing), Rules::Standard).is_err());
    }
}
