//! Answers out of the tables, or why there is none.

use std::fmt::Write;

use indicatif::DecimalBytes;
use kalah::rules::Board;
use kalah::tables::analysis::{self, Analysis, AnalysisError, analyse};
use kalah::tables::{LayerId, Layout, TableError, Tablebase};

use super::Args;
use crate::cli::failure::{Status, one_line};
use crate::cli::output::{pits_a_side, shell_word};

/// The tables, and what was asked of them.
pub struct Answers<'a, const P: usize> {
    args: &'a Args,
    /// `None` without a folder. What is wrong with the tables matters only once a position needs
    /// them.
    tables: Result<Option<Tablebase<P>>, String>,
}

impl<'a, const P: usize> Answers<'a, P> {
    /// Opens the tables that the command line names.
    pub fn open(args: &'a Args) -> Self {
        let tables = match Tablebase::open(&args.tables.tables, args.tables.rules()) {
            Ok(tables) => Ok(Some(tables)),
            Err(TableError::MissingFolder { .. }) => Ok(None),
            Err(error) => Err(one_line(&error)),
        };
        Answers { args, tables }
    }

    /// What a position is worth.
    ///
    /// # Errors
    ///
    /// The tables do not reach it, or are damaged.
    pub fn answer(&self, board: &Board<P>) -> Result<Analysis<P>, (Status, String)> {
        if let Some(analysis) = analysis::finished(board) {
            return Ok(analysis);
        }
        let tables = self.tables.as_ref().map_err(|reason| (Status::Failed, reason.clone()))?;
        let answer = match tables {
            Some(tables) => analyse(board, tables, self.args.detail()),
            None => Err(AnalysisError::Unknown { stones: board.pits().stones() }),
        };
        answer.map_err(|error| match error {
            AnalysisError::Unknown { stones } => (Status::Failed, self.out_of_reach(stones)),
            damage => (Status::Failed, one_line(&damage)),
        })
    }

    /// Which stones the tables reach, and the command that makes them reach more.
    fn out_of_reach(&self, stones: usize) -> String {
        let tables = &self.args.tables;
        let (rules, pits, folder) = (tables.rules(), tables.pits(), shell_word(&tables.tables));
        let opened = self.tables.as_ref().ok().and_then(Option::as_ref);
        let mut have = match opened.and_then(Tablebase::stones) {
            Some(reach) => format!("the tables in {folder} reach {reach}"),
            None => format!(
                "there are no tables for {rules} rules and {} in {folder}",
                pits_a_side(pits)
            ),
        };
        if let Some(obstacle) = opened.and_then(Tablebase::obstacle) {
            // The command that is named makes damaged files anew; others are for a person to move.
            let _ = match obstacle.is_damage() {
                true => write!(have, ", as {}", obstacle.without_advice()),
                false => write!(have, ", as {}", one_line(obstacle)),
            };
        }
        let command = tables.generate_command(stones);
        let bytes = (0..=stones)
            .try_fold(0u64, |sum, stones| {
                let id = LayerId { rules, pits, stones: stones as u8 };
                sum.checked_add(Layout::new(id)?.file_length())
            })
            .map_or(String::new(), |bytes| format!(", {} in all", DecimalBytes(bytes)));
        format!("{stones} stones are in the pits and {have}; to cover it{bytes}, run: {command}")
    }
}
