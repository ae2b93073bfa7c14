//! What a search leaves behind: checkpoints, and the proof of who wins.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kalah::files::Reserved;
use kalah::rules::{Board, Rules};
use kalah::search::checkpoint::{Checkpoint, CheckpointError, Saved, Saver, Spent};
use kalah::search::proof::{self, FindError, Proof, Relation, Statement};
use kalah::search::{Bounds, Searcher, Solution, Task, Watch, solve};

use crate::cli::args::keep_apart;
use crate::cli::failure::{Failure, Status, one_line};
use crate::cli::output::{self, count, seconds, shell_word};
use crate::cli::search::Limits;

/// Files that a search leaves behind.
#[derive(clap::Args)]
pub struct KeepArgs {
    /// Save the search to FILE every few minutes and at the end, and go on from it when it is there
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Write a proof to FILE that a win is at least as high as found, a loss at most, or a draw
    /// exactly one, which kalah verify --proof checks without a search
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
}

/// What a search has cost, earlier runs that it goes on from included.
pub struct Searched<const P: usize> {
    pub solution: Solution<P>,
    pub spent: Spent,
    /// Why the last checkpoint could not be written.
    pub unsaved: Option<CheckpointError>,
}

impl KeepArgs {
    /// Reserves the files for this run, before anything takes time: nobody else is to write them
    /// until they are given back.
    ///
    /// # Errors
    ///
    /// When one of them cannot be written, or is there and something else, or both are one.
    pub fn reserve(&self) -> Result<Vec<Reserved>, Failure> {
        if let (Some(checkpoint), Some(proof)) = (&self.checkpoint, &self.proof) {
            keep_apart(("--checkpoint", checkpoint), ("--proof", proof))?;
        }
        let mut reserved = Vec::new();
        if let Some(path) = &self.checkpoint {
            reserved.push(Reserved::new(path)?);
        }
        if let Some(path) = &self.proof {
            reserved.push(proof::reserve(path)?);
        }
        Ok(reserved)
    }

    /// The checkpoint to go on from, if there is one.
    ///
    /// # Errors
    ///
    /// When it is another search's, or damaged.
    pub fn open<const P: usize>(
        &self,
        rules: Rules,
        board: &Board<P>,
    ) -> Result<Option<Checkpoint<P>>, Failure> {
        match &self.checkpoint {
            Some(path) => Ok(Checkpoint::open(path, rules, board)?),
            None => Ok(None),
        }
    }

    /// Searches, and saves the search meanwhile when it is asked for.
    ///
    /// # Errors
    ///
    /// Those of the search.
    pub fn search<const P: usize>(
        &self,
        searcher: &Searcher<'_, P>,
        board: &Board<P>,
        task: Task,
        before: Spent,
        watch: &dyn Watch,
    ) -> Result<Searched<P>, Failure> {
        let search = || solve(searcher, board, task, watch);
        let Some(path) = &self.checkpoint else {
            let begun = Instant::now();
            let solution = search()?;
            let (nodes, probes) = (searcher.nodes(), searcher.probes());
            let spent = Spent { nodes, probes, time: begun.elapsed() };
            return Ok(Searched { solution, spent, unsaved: None });
        };
        let firsts = board.pits().moves(searcher.rules()).map(|(_, sown)| sown.pits);
        let saver = Saver::new(searcher, *board, path).with_positions(firsts).continuing(before);
        let told = |saved: &Result<Saved, CheckpointError>| {
            // A disk that is full now may have room for the next one.
            if let Err(error) = saved {
                output::complain(&format!("{}; the search goes on", one_line(error)));
            }
        };
        let (solution, saved) = saver.run(&told, search)?;
        Ok(Searched { solution, spent: saver.spent(), unsaved: saved.err() })
    }

    /// How to go on with a search that ended before it was finished.
    pub fn how_to_go_on(&self) -> String {
        match &self.checkpoint {
            Some(path) => format!("the same command goes on from {}", shell_word(path)),
            None => "with --checkpoint FILE a later run could go on from here".to_owned(),
        }
    }

    /// Writes the proof of who wins. What was written, in a line for people; `None` when none was
    /// asked for, or when the time was over before, which is then said on standard error.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or somebody interrupts it.
    pub fn prove<const P: usize>(
        &self,
        searcher: &Searcher<'_, P>,
        solution: &Solution<P>,
        limits: &Limits,
    ) -> Result<Option<String>, Failure> {
        let Some(path) = &self.proof else { return Ok(None) };
        let (relation, value) = match (solution.value.low, solution.value.high) {
            // What is proved says more than who wins, and has the smaller proof, as it leaves less
            // to choose from.
            (low @ 1.., _) => (Relation::AtLeast, low),
            (_, high @ ..=-1) => (Relation::AtMost, high),
            (0, 0) => (Relation::Exactly, 0),
            _ => {
                tell_late("it was known who wins");
                return Ok(None);
            }
        };
        let begun = Instant::now();
        let statement = Statement::new(searcher.rules(), &solution.board, relation, value);
        let found = match Proof::find(searcher, &statement, limits) {
            Err(FindError::Interrupted) if limits.interrupted() => {
                let reason = "interrupted; no proof was written".to_owned();
                return Err(Failure::Because(Status::Interrupted, reason));
            }
            Err(FindError::Interrupted) => {
                tell_late("the proof was found");
                return Ok(None);
            }
            found => found?,
        };
        let bytes = found.write(path)?;
        Ok(Some(format!(
            "Proof that the value is {relation} {value}: {} claims, {} bytes in {}, {}.\n",
            count(found.claims()),
            count(bytes),
            shell_word(path),
            seconds(begun.elapsed()),
        )))
    }
}

/// Says that there is no proof, as the time was over too soon.
fn tell_late(missed: &str) {
    output::complain(&format!("no proof was written: the time was over before {missed}"));
}

/// A line on what earlier runs did.
pub fn resumed<const P: usize>(checkpoint: &Checkpoint<P>, board: &Board<P>) -> String {
    let spent = checkpoint.spent();
    let of_board = checkpoint.bounds().iter().find(|(pits, _)| pits == board.pits());
    let nothing = Bounds::of_stones(board.pits().stones());
    let bounds = of_board.map_or(nothing, |&(_, bounds)| bounds).with_lead(board.lead());
    let time = Duration::from_secs(spent.time.as_secs());
    format!(
        "going on from a search of {} and {} nodes, which proved {} to {}",
        seconds(time),
        output::rounded(spent.nodes as f64),
        output::signed(bounds.low),
        output::signed(bounds.high),
    )
}
