//! What the commands with levels of play have in common: how a level plays, and with what tables.

use std::time::Duration;

use kalah::players::{Level, Options, TablesError, tables};
use kalah::rules::Rules;
use kalah::search;
use kalah::tables::{TableError, Tablebase};

use super::args::{FolderArgs, OutputArgs, size, whole_number};
use super::failure::{Failure, one_line};
use super::output::complain;
use super::search::time;

/// Which level plays, and how.
#[derive(clap::Args)]
pub struct LevelArgs {
    /// Level of play: easy, medium, hard, insane or perfect
    #[arg(long, value_name = "NAME")]
    pub level: Option<Level>,

    /// Where the random numbers begin; the same number brings the same again [default: 0]
    #[arg(long, value_name = "N", value_parser = whole_number::<u64>(0..), allow_negative_numbers = true)]
    pub random_seed: Option<u64>,

    /// Time for each move at most [default: about a second for insane, what it takes for perfect]
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    pub time: Option<Duration>,

    /// Memory for what perfect finds out, like 512M [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    hash: Option<u64>,
}

impl LevelArgs {
    /// What a level plays with: these tables, and so many threads for the solver.
    pub fn options<'t, const P: usize>(
        &self,
        tables: &'t Tablebase<P>,
        threads: usize,
    ) -> Options<'t, P> {
        let standard = search::Options::default();
        let hash = self.hash.map(|hash| usize::try_from(hash).unwrap_or(usize::MAX));
        Options {
            tables,
            random_seed: self.random_seed.unwrap_or_default(),
            time: self.time,
            search: search::Options { hash: hash.unwrap_or(standard.hash), threads },
        }
    }
}

/// The tables that levels play with: those of the folder, or small ones in memory where it has
/// none or was not named and is not there. Why larger ones of the folder are not used is said.
///
/// # Errors
///
/// When a folder that somebody chose is not there, or cannot be read.
pub fn open<const P: usize>(
    folder: &FolderArgs,
    rules: Rules,
    output: &OutputArgs,
) -> Result<Tablebase<P>, Failure> {
    let tables = match tables(Some(&folder.tables), rules) {
        Err(TablesError::Folder(TableError::MissingFolder { .. })) if !folder.is_named() => {
            tables(None, rules)
        }
        tables => tables,
    }?;
    if let (Some(obstacle), false) = (tables.obstacle(), output.quiet) {
        let stones = tables.stones().unwrap_or_default();
        complain(&format!("{}; until then tables of {stones} stones are used", one_line(obstacle)));
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        levels: LevelArgs,
        #[command(flatten)]
        folder: FolderArgs,
    }

    fn parse(arguments: &[&str]) -> Result<Cli, String> {
        let cli = Cli::try_parse_from([&["kalah"], arguments].concat());
        cli.map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
    }

    fn standard<const P: usize>(folder: FolderArgs) -> Result<Tablebase<P>, Failure> {
        open(&folder, Rules::Standard, &OutputArgs { json: false, quiet: true })
    }

    #[test]
    fn options_are_what_the_command_line_says() {
        let tables = tables::<2>(None, Rules::Standard).unwrap();
        let levels = parse(&[]).unwrap().levels;
        assert_eq!(levels.level, None);
        let options = levels.options(&tables, 1);
        assert_eq!((options.random_seed, options.time), (0, None));
        assert_eq!(options.search, search::Options::default());

        let line = ["--level", "insane", "--random-seed", "7", "--time", "0.5", "--hash", "1M"];
        let levels = parse(&line).unwrap().levels;
        assert_eq!(levels.level, Some(Level::Insane));
        let options = levels.options(&tables, 3);
        assert_eq!((options.random_seed, options.time), (7, Some(Duration::from_millis(500))));
        assert_eq!(options.search, search::Options { hash: 1 << 20, threads: 3 });
    }

    #[test]
    fn an_unknown_level_is_told_with_those_there_are() {
        assert_eq!(
            parse(&["--level", "brutal"]).err().unwrap(),
            "error: invalid value 'brutal' for '--level <NAME>': no level is called 'brutal'; \
             there are easy, medium, hard, insane and perfect"
        );
    }

    #[test]
    fn small_tables_take_the_place_of_a_folder_that_nobody_named() {
        let unnamed = FolderArgs { tables: PathBuf::from(FolderArgs::DEFAULT) };
        assert!(!unnamed.is_named());
        assert_eq!(standard::<3>(unnamed).unwrap().stones(), Some(12));

        let empty = tempfile::tempdir().unwrap();
        let named = || FolderArgs { tables: empty.path().join("missing") };
        assert!(matches!(standard::<3>(named()), Err(Failure::Because(..))));
        std::fs::create_dir(empty.path().join("missing")).unwrap();
        assert_eq!(standard::<3>(named()).unwrap().stones(), Some(12));
    }
}
