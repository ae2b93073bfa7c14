//! The command line of `kalah play`.

use kalah::players::Level;

use super::game::Side;
use super::session::random;
use super::setup::Setup;
use crate::cli::args::{TableArgs, whole_number};
use crate::cli::levels::LevelArgs;

/// Play against the computer
///
/// The level is medium unless --level names another one, with four stones in every pit unless --seeds
/// says. Your row is the lower one, your store is at its right. In a terminal the game takes the whole
/// screen, and ? tells what the keys mean; with --plain, and where standard input or output is no
/// terminal, it goes line by line, and help tells the commands.
///
/// The game is saved after every move, from your first one on, and --resume goes on with it. How
/// games ended is counted by level and opening, and --stats shows it. Both are kept where the system
/// keeps users' data, or in the folder that the variable KALAH_DATA_DIR names.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = EXAMPLES)]
#[command(mut_arg("level", |level| level.help("Level of play: easy, medium, hard, insane or perfect [default: medium]")))]
#[command(mut_arg("random_seed", |seed| seed.help("Where the random numbers begin; the same number brings the same again [default: another one each time]")))]
pub struct Args {
    /// Stones in every pit at the beginning [default: 4]
    #[arg(long, value_name = "S", value_parser = whole_number::<u8>(1..=63), allow_negative_numbers = true)]
    seeds: Option<u8>,

    /// Who begins [default: person]
    #[arg(long, value_name = "WHO")]
    first: Option<Side>,

    #[command(flatten)]
    pub levels: LevelArgs,

    #[command(flatten)]
    pub tables: TableArgs,

    /// Go on with the game that is saved
    #[arg(long, conflicts_with_all = ["seeds", "first", "level", "random_seed", "rules", "pits"])]
    pub resume: bool,

    /// Line by line, for scripts, and for terminals that can do no more
    #[arg(long)]
    pub plain: bool,

    /// Show sowings at once, and not stone by stone
    #[arg(long)]
    pub no_animation: bool,

    /// Show how games have ended so far, and play none
    #[arg(long, conflicts_with_all = ["seeds", "first", "level", "random_seed", "time", "hash", "tables", "rules", "pits", "resume", "plain", "no_animation"])]
    pub stats: bool,

    /// Print the statistics as JSON on standard output, and nothing else there
    #[arg(long, requires = "stats")]
    pub json: bool,
}

const EXAMPLES: &str = "\
Examples:
  kalah play --level hard --seeds 6 --first computer
  kalah play --resume
  echo 3 | kalah play --plain --level easy --random-seed 1
  kalah play --stats";

/// How well the computer plays unless somebody says.
const LEVEL: Level = Level::Medium;

/// Stones in every pit unless somebody says.
const SEEDS: u8 = 4;

impl Args {
    /// What a new game is about.
    pub fn setup(&self) -> Setup {
        Setup {
            pits: self.tables.pits(),
            seeds: self.seeds.unwrap_or(SEEDS),
            rules: self.tables.rules(),
            level: self.levels.level.unwrap_or(LEVEL),
            first: self.first.unwrap_or(Side::Person),
            time: self.levels.time,
            // Short enough to be typed again.
            random_seed: self.levels.random_seed.unwrap_or_else(|| random() % 1_000_000),
        }
    }
}
