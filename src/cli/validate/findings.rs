//! What was found out about a player.

use std::time::Duration;

use kalah::judge::{ExamOptions, ExamReport, Failure, GamesOptions, GamesReport, Selection};
use kalah::players::Level;
use kalah::protocol;
use kalah::rules::Rules;

use super::who::Who;
use crate::cli::output::seconds;

/// All that a report tells.
pub struct Findings<const P: usize> {
    pub who: Subject,
    pub rules: Rules,
    /// The stones that the judge's tables reach.
    pub table_stones: usize,
    pub exam: Option<Examined<P>>,
    pub games: Option<Played<P>>,
    pub took: Duration,
}

/// Who was judged.
pub struct Subject {
    /// `level` or `engine`.
    pub kind: &'static str,
    pub name: String,
    /// How an engine was reached.
    pub way: Option<String>,
    /// What an engine did that the protocol forbids.
    pub faults: Option<protocol::Faults>,
}

/// The endgame exam.
pub struct Examined<const P: usize> {
    pub options: ExamOptions,
    pub report: ExamReport<P>,
}

/// The game exam.
pub struct Played<const P: usize> {
    pub options: GamesOptions,
    /// `None` for itself.
    pub against: Option<Level>,
    /// The stones up to which nothing may be lost.
    pub stones: usize,
    pub report: GamesReport<P>,
}

/// Of a name the letters that can be shown, and not too many.
fn shortened(name: &str) -> String {
    const MOST: usize = 80;
    let mut shown: String = name.chars().filter(|letter| !letter.is_control()).take(MOST).collect();
    if name.chars().nth(MOST).is_some() {
        shown.push_str("..");
    }
    shown
}

impl From<&Who> for Subject {
    fn from(who: &Who) -> Self {
        let way = who.way().map(str::to_owned);
        Subject { kind: who.kind(), name: shortened(&who.name()), way, faults: who.faults() }
    }
}

impl<const P: usize> Examined<P> {
    /// What was asked, in words.
    pub fn asked(&self) -> String {
        let stones = self.options.stones;
        match self.options.selection {
            Selection::Full => format!("all positions of up to {stones} stones that have a move"),
            Selection::Sample(_) => format!("a sample of positions of up to {stones} stones"),
        }
    }
}

impl<const P: usize> Played<P> {
    /// Who the opponent was, in words.
    pub fn opponent(&self) -> String {
        let Some(level) = self.against else { return "itself".to_owned() };
        match self.options.opponent_time {
            Some(time) if self.options.time != Some(time) => {
                format!("level {level} with {} a move", seconds(time))
            }
            _ => format!("level {level}"),
        }
    }

    pub fn passed(&self) -> bool {
        self.report.passed(self.stones)
    }
}

impl<const P: usize> Findings<P> {
    pub fn passed(&self) -> bool {
        self.exam.as_ref().is_none_or(|exam| exam.report.passed())
            && self.games.as_ref().is_none_or(Played::passed)
    }

    /// Whether all was asked and played, unless the player gave up.
    pub fn finished(&self) -> bool {
        self.exam.as_ref().is_none_or(|exam| exam.report.finished)
            && self.games.as_ref().is_none_or(|games| games.report.finished)
    }

    /// Everything that was wrong, of the exam first.
    pub fn failures(&self) -> impl Iterator<Item = &Failure<P>> {
        let exam = self.exam.iter().flat_map(|exam| &exam.report.failures);
        exam.chain(self.games.iter().flat_map(|games| &games.report.failures))
    }
}
