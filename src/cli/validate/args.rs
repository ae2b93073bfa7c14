//! What `kalah validate` is told.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ArgGroup;
use kalah::judge::{ExamOptions, GamesOptions, NODES, Selection};
use kalah::players::{Level, SMALL_TABLES};

use crate::cli::args::{OutputArgs, TableArgs, ThreadArgs, whole_number};
use crate::cli::levels::LevelArgs;
use crate::cli::progress::ProgressArgs;
use crate::cli::search::time;

/// Judge how well a level or an engine plays
///
/// The endgame exam asks about positions with few stones in the pits and holds each answer against
/// the tables: whether it keeps who wins, and whether it keeps every point. It is passed when no
/// answer loses anything. The sample is half from games, random ones and ones between levels, and
/// half uniform, and only of positions with a choice.
///
/// The game exam plays whole games, two from each opening with sides changed, and judges every move
/// by the tables, and beyond them by a search that claims only what it proves. It is passed without a
/// fault, like an illegal pit or silence, and without a point given away once --stones or fewer
/// stones are in the pits.
///
/// An engine that dies is started again. One that gives no answer ten times one after the other is
/// asked no more. Exit status 0 says passed, 1 not passed.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = EXAMPLES)]
#[command(mut_arg("time", |time| time.help(TIME)))]
#[command(group = ArgGroup::new("judged").required(true).args(["level", "engine", "listen"]))]
pub struct Args {
    /// Judge this program, which speaks the Kalah Game Protocol on its standard input and output
    #[arg(long, value_name = "COMMAND")]
    pub engine: Option<String>,

    /// Start K of these programs, to be asked at the same time
    #[arg(long, value_name = "K", default_value_t = 1, requires = "engine", value_parser = whole_number::<u8>(1..=64), allow_negative_numbers = true)]
    pub engines: u8,

    /// Judge an engine that connects over TCP to this address, like 127.0.0.1:2671; port 0 takes one
    /// that is free, and says which
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,

    /// Most stones in the pits of the endgame exam's positions, and of those that decide the game
    /// exam; the endgame exam is held when this is given, or there are no --games [default: 12]
    #[arg(long, value_name = "N", value_parser = whole_number::<u8>(1..=127), allow_negative_numbers = true)]
    stones: Option<u8>,

    /// Ask about K positions, drawn by the random seed [default: 1000]
    #[arg(long, value_name = "K", value_parser = whole_number::<u64>(1..=10_000_000), allow_negative_numbers = true)]
    sample: Option<u64>,

    /// Ask about all positions that have a move
    #[arg(long, conflicts_with = "sample")]
    full: bool,

    /// Hold the game exam with N games
    #[arg(long, value_name = "N", value_parser = whole_number::<u64>(1..=1_000_000), allow_negative_numbers = true)]
    games: Option<u64>,

    /// Stones in every pit of the openings, like 4 or 3..6 for each of 3, 4, 5 and 6 in turn
    #[arg(long, value_name = "S", default_value = "3..6", requires = "games")]
    pub seeds: Seeds,

    /// Play the games against this level [default: against itself]
    #[arg(long, value_name = "NAME", requires = "games")]
    pub against: Option<Level>,

    /// Time for each move of the level played against at most [default: that of --time]
    #[arg(long, value_name = "SECONDS", requires = "against", value_parser = time, allow_negative_numbers = true)]
    pub against_time: Option<Duration>,

    /// Positions that the judge may search for a move beyond the tables; what is not settled by then
    /// is left open
    #[arg(long, value_name = "N", default_value_t = NODES, value_parser = whole_number::<u64>(0..), allow_negative_numbers = true)]
    pub judge_nodes: u64,

    /// Write every position at which something was wrong to this file, a line each, as kalah query
    /// --input reads it
    #[arg(long, value_name = "FILE")]
    pub failures: Option<PathBuf>,

    /// Write the report with charts to this file, which any browser shows
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    #[command(flatten)]
    pub levels: LevelArgs,

    #[command(flatten)]
    pub tables: TableArgs,

    #[command(flatten)]
    pub threads: ThreadArgs,

    #[command(flatten)]
    pub output: OutputArgs,

    #[command(flatten)]
    pub progress: ProgressArgs,
}

const TIME: &str = "Time for each move at most; an engine hears of it, in whole seconds, from 2 on \
                    [default: 5 for an engine, about a second for insane, what it takes for perfect]";

const EXAMPLES: &str = "\
Examples:
  kalah validate --level insane --stones 12 --full
  kalah validate --engine \"./engine --depth 8\" --sample 5000 --failures failures.txt
  kalah validate --listen 127.0.0.1:2671 --games 20 --against insane --html report.html
  kalah validate --level hard --against medium --games 400";

/// Positions that are asked about unless told otherwise.
const SAMPLE: u64 = 1_000;

impl Args {
    /// The stones up to which nothing may be lost.
    pub fn stones(&self) -> usize {
        self.stones.map_or(SMALL_TABLES, usize::from)
    }

    /// What the endgame exam asks, if it is held.
    pub fn exam(&self) -> Option<ExamOptions> {
        let asked = self.stones.is_some() || self.sample.is_some() || self.full;
        let selection = match self.full {
            true => Selection::Full,
            false => Selection::Sample(self.sample.unwrap_or(SAMPLE)),
        };
        (asked || self.games.is_none()).then(|| ExamOptions {
            stones: self.stones(),
            selection,
            random_seed: self.random_seed(),
            time: self.levels.time,
            nodes: self.judge_nodes,
        })
    }

    /// What the game exam plays, if it is held.
    pub fn games(&self) -> Option<GamesOptions> {
        self.games.map(|games| GamesOptions {
            games,
            seeds: self.seeds.0.clone(),
            random_seed: self.random_seed(),
            time: self.levels.time,
            opponent_time: self.against_time.or(self.levels.time),
            nodes: self.judge_nodes,
        })
    }

    /// Decides what is random.
    pub fn random_seed(&self) -> u64 {
        self.levels.random_seed.unwrap_or_default()
    }
}

/// Stones in every pit of openings: `4`, or `3..6` with both ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seeds(pub RangeInclusive<u8>);

/// The most stones in a pit of an opening that any board holds.
const MOST_SEEDS: u8 = 63;

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number =
            |text: &str| text.parse().ok().filter(|seeds| (1..=MOST_SEEDS).contains(seeds));
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let range = number(first).zip(number(last)).filter(|(first, last)| first <= last);
        range.map(|(first, last)| Seeds(first..=last)).ok_or_else(|| {
            format!("write a number from 1 to {MOST_SEEDS}, or two of them, like 3..6")
        })
    }
}

impl std::fmt::Display for Seeds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, last) = (self.0.start(), self.0.end());
        if first == last { first.fmt(f) } else { write!(f, "{first} to {last}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_one_number_or_two() {
        assert_eq!("3..6".parse(), Ok(Seeds(3..=6)));
        assert_eq!("4".parse(), Ok(Seeds(4..=4)));
        for wrong in ["", "..", "3..", "6..3", "0", "64", "3..6..9", "3-6", "-1", "3...6"] {
            assert!(wrong.parse::<Seeds>().is_err(), "{wrong}");
        }
        assert_eq!(Seeds(3..=6).to_string(), "3 to 6");
        assert_eq!(Seeds(4..=4).to_string(), "4");
    }
}
