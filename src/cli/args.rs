//! The options that mean the same in every command.

use std::fmt::{Display, Write};
use std::ops::{Bound, RangeBounds};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use kalah::files::Reserved;
use kalah::rules::{Board, Rules};
use kalah::tables::build::Options;
use kalah::tables::{Encoding, LayerId, MAX_TABLE_PITS, TableError, Tablebase};

use super::failure::Failure;
use super::output::shell_word;

const DEFAULT_PITS: u8 = 6;

/// Where tables are.
#[derive(clap::Args)]
pub struct FolderArgs {
    /// Folder of the tables [default: the variable KALAH_TABLES, else data/tables]
    #[arg(long, value_name = "DIR", default_value_os_t = Self::default_tables(), hide_default_value = true)]
    pub tables: PathBuf,
}

impl FolderArgs {
    /// Where tables are unless somebody chooses another folder.
    pub const DEFAULT: &str = "data/tables";

    /// The folder that the variable `KALAH_TABLES` names, if it names one, or else the usual one.
    fn default_tables() -> PathBuf {
        let named = std::env::var_os("KALAH_TABLES").filter(|folder| !folder.is_empty());
        named.map_or_else(|| Self::DEFAULT.into(), PathBuf::from)
    }

    /// Whether somebody chose the folder, so that it should be there.
    pub fn is_named(&self) -> bool {
        self.tables.as_os_str() != Self::DEFAULT
    }
}

/// Which tables.
#[derive(clap::Args)]
pub struct TableArgs {
    #[command(flatten)]
    pub folder: FolderArgs,

    /// Rule set, standard or empty-capture: whether a last stone in an own empty pit stays there or
    /// goes to the store when the facing pit is empty too [default: standard]
    #[arg(long, value_name = "RULES")]
    pub rules: Option<Rules>,

    /// Pits a side, 1 to 6 [default: 6]
    #[arg(long, value_name = "P", value_parser = table_pits)]
    pub pits: Option<u8>,
}

impl TableArgs {
    /// The rules asked for, or else the standard ones.
    pub fn rules(&self) -> Rules {
        self.rules.unwrap_or_default()
    }

    /// The pits a side asked for, or else six.
    pub fn pits(&self) -> u8 {
        self.pits.unwrap_or(DEFAULT_PITS)
    }

    /// The folder of the tables.
    pub fn tables(&self) -> &Path {
        &self.folder.tables
    }

    /// Whether a layer is among the tables asked for; without rules or pits any are.
    pub fn asks_for(&self, id: &LayerId) -> bool {
        self.rules.is_none_or(|rules| id.rules == rules)
            && self.pits.is_none_or(|pits| id.pits == pits)
    }

    /// Opens the tables asked for; `None` without a folder.
    ///
    /// # Errors
    ///
    /// As [`Tablebase::open`].
    pub fn open<const P: usize>(&self) -> Result<Option<Tablebase<P>>, TableError> {
        match Tablebase::open(self.tables(), self.rules()) {
            Ok(tables) => Ok(Some(tables)),
            Err(TableError::MissingFolder { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The command that builds these tables up to `stones` stones.
    pub fn generate_command(&self, stones: usize) -> String {
        let mut command = format!("kalah generate --stones {stones}");
        if self.rules() != Rules::default() {
            let _ = write!(command, " --rules {}", self.rules());
        }
        if self.pits() != DEFAULT_PITS {
            let _ = write!(command, " --pits {}", self.pits());
        }
        if self.folder.is_named() {
            let folder = shell_word(self.tables());
            // Apart from its option, what begins with a hyphen would be taken for another one.
            let hyphen = folder.trim_start_matches('\'').starts_with('-');
            let _ = write!(command, " --tables{}{folder}", if hyphen { "=" } else { " " });
        }
        command
    }
}

/// Which tables to build, and how.
#[derive(clap::Args)]
pub struct BuildArgs {
    /// Stones in the pits, at most
    #[arg(long, value_name = "N", value_parser = whole_number::<u8>(0..=127), allow_negative_numbers = true)]
    pub stones: u8,

    /// Memory to use at most, like 4G [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    memory: Option<u64>,

    /// How to write the layers that are not there yet: bytes, one a position, or compact, about a
    /// third of that [default: as what was begun of them, or as the largest layer there; else bytes]
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<Encoding>,
}

impl BuildArgs {
    /// What that is, for tables by such rules.
    pub fn options(&self, rules: Rules) -> Options {
        let (memory, encoding) = (self.memory, self.encoding);
        Options { memory, encoding, ..Options::new(rules, usize::from(self.stones)) }
    }
}

/// The opening of `--seeds`.
///
/// # Errors
///
/// When a board cannot hold so many stones.
pub fn opening<const P: usize>(seeds: u8) -> Result<Board<P>, Failure> {
    Board::opening(seeds).map_err(|error| Failure::wrong_input(format!("--seeds {seeds}: {error}")))
}

/// Makes sure that two options name two files, whatever they call them.
///
/// # Errors
///
/// When both name one, or one of them cannot be written.
pub fn keep_apart(one: (&str, &Path), other: (&str, &Path)) -> Result<(), Failure> {
    let target = |path| Reserved::new(path).map(|reserved| reserved.target().to_owned());
    if target(one.1)? == target(other.1)? {
        let (one, other) = (one.0, other.0);
        let reason = format!("{one} and {other} name one file; give each a file of its own");
        return Err(Failure::wrong_input(reason));
    }
    Ok(())
}

/// How much work at once.
#[derive(clap::Args)]
pub struct ThreadArgs {
    /// Threads to work with [default: one a core]
    #[arg(long, value_name = "T", value_parser = whole_number::<u16>(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,
}

impl ThreadArgs {
    /// How many threads that is.
    pub fn count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }

    /// Makes all parallel work from here on use that many threads.
    ///
    /// # Errors
    ///
    /// When the system does not give that many.
    pub fn apply(&self) -> Result<(), Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.count());
        pool.build_global().map_err(|error| {
            Failure::failed(format!(
                "cannot start the threads to work with: {error}; choose fewer with --threads T"
            ))
        })
    }
}

/// What is said, and how.
#[derive(clap::Args)]
pub struct OutputArgs {
    /// Print JSON on standard output, and nothing else there
    #[arg(long)]
    pub json: bool,

    /// Say nothing but results asked for and errors
    #[arg(long)]
    pub quiet: bool,
}

fn table_pits(text: &str) -> Result<u8, String> {
    let pits = text.parse().ok().filter(|&pits| (1..=MAX_TABLE_PITS).contains(&usize::from(pits)));
    pits.ok_or_else(|| format!("tables have 1 to {MAX_TABLE_PITS} pits a side"))
}

/// Reads whole numbers of a range with a beginning, and says what it reads when it is given another.
pub fn whole_number<T: FromStr + PartialOrd + Display>(
    range: impl RangeBounds<T> + Clone,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
            match (range.start_bound(), range.end_bound()) {
                (Bound::Included(least), Bound::Included(most)) => {
                    format!("write a whole number from {least} to {most}")
                }
                (Bound::Included(least), _) => format!("write a whole number from {least} up"),
                _ => "write a whole number".to_owned(),
            }
        })
    }
}

/// A size in bytes: `512M`, `4G`, `4GiB` in powers of 1024, `4GB` in powers of 1000.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || "write a number and a unit, like 512M, 4G or 4GB".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let (base, power) = match unit.trim().to_ascii_uppercase().as_str() {
        "" | "B" => (1000.0_f64, 0),
        "K" | "KIB" => (1024.0, 1),
        "M" | "MIB" => (1024.0, 2),
        "G" | "GIB" => (1024.0, 3),
        "T" | "TIB" => (1024.0, 4),
        "KB" => (1000.0, 1),
        "MB" => (1000.0, 2),
        "GB" => (1000.0, 3),
        "TB" => (1000.0, 4),
        _ => return Err(wrong()),
    };
    Ok((number * base.powi(power)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_commands_can_be_pasted() {
        let command = |folder: &str| {
            let folder = FolderArgs { tables: folder.into() };
            let (rules, pits) = (Some(Rules::EmptyCapture), Some(3));
            TableArgs { folder, rules, pits }.generate_command(4)
        };
        let begin = "kalah generate --stones 4 --rules empty-capture --pits 3";
        assert_eq!(command(FolderArgs::DEFAULT), begin);
        assert_eq!(command("x"), format!("{begin} --tables x"));
        assert_eq!(command("-x"), format!("{begin} --tables=-x"));
        assert_eq!(command("-x y"), format!("{begin} --tables='-x y'"));
    }

    #[test]
    fn whole_numbers_of_a_range_are_read() {
        let stones = whole_number::<u8>(0..=127);
        assert_eq!((stones("0"), stones("127")), (Ok(0), Ok(127)));
        for wrong in ["128", "300", "-1", "x", "", "1.5"] {
            assert_eq!(stones(wrong), Err("write a whole number from 0 to 127".to_owned()));
        }
        let sample = whole_number::<u64>(1..);
        assert_eq!(sample("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(sample("0"), Err("write a whole number from 1 up".to_owned()));
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("4gb"), Ok(4_000_000_000));
        for wrong in ["", "G", "4X", "-1", "1.2.3G", "4 G G"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
