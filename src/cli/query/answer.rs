//! Answers out of the tables, or else by search.

use std::sync::{Once, OnceLock};

use kalah::rules::Board;
use kalah::search::{Effort, Options, SearchError, Searcher};
use kalah::tables::analysis::{self, analyse};
use kalah::tables::build::free_memory;
use kalah::tables::{Encoding, Tablebase};

use super::Args;
use crate::cli::answer::{Answer, settle};
use crate::cli::args::TableArgs;
use crate::cli::failure::{Status, one_line};
use crate::cli::output;
use crate::cli::search::Limits;

/// Seconds of expected search below which more threads take longer to start than they save.
const WORTH_THREADS: f64 = 0.02;

/// Bytes of the transposition table for one position, at least.
const LEAST_HASH: usize = 1 << 20;

/// Bytes of the transposition table when the positions to come are not known.
const HASH_OF_MANY: usize = 256 << 20;

/// The tables that there are.
pub struct Tables<const P: usize> {
    /// `None` without a folder.
    tables: Option<Tablebase<P>>,
    /// Why there are not more tables, if there should be: what is wrong with the folder or with the
    /// layer after the last that is sound. It matters only once a position would need it.
    lack: Option<String>,
    told: Once,
}

impl<const P: usize> Tables<P> {
    /// Opens the tables that the command line names.
    pub fn open(args: &TableArgs) -> Self {
        let (tables, lack) = match args.open() {
            Ok(Some(tables)) => {
                let obstacle = tables.obstacle().map(|obstacle| one_line(obstacle));
                (Some(tables), obstacle.map(|obstacle| format!("{obstacle}; until then")))
            }
            Ok(None) if args.folder.is_named() => {
                let folder = args.tables().display();
                (None, Some(format!("there is no folder {folder} with tables;")))
            }
            Ok(None) => (None, None),
            Err(error) => (None, Some(format!("{}; until then", one_line(&error)))),
        };
        Tables { tables, lack, told: Once::new() }
    }

    fn stones(&self) -> Option<usize> {
        self.tables.as_ref().and_then(Tablebase::stones)
    }

    /// Says, once, why there are not more tables, if there should be.
    fn tell_lack(&self) {
        if let Some(lack) = &self.lack {
            self.told.call_once(|| output::complain(&format!("{lack} positions are searched")));
        }
    }
}

/// The tables, and what was asked of them.
pub struct Answers<'a, const P: usize> {
    args: &'a Args,
    tables: &'a Tables<P>,
    options: Box<dyn Fn() -> Options + Sync + 'a>,
    /// Made when the first position needs it, and shared by all that do.
    searcher: OnceLock<Result<Searcher<'a, P>, SearchError>>,
}

impl<'a, const P: usize> Answers<'a, P> {
    /// Answers about one position, by all threads.
    pub fn to_one(args: &'a Args, tables: &'a Tables<P>, board: &Board<P>) -> Self {
        let (pits, stones, threads) = (P, board.pits().stones(), args.threads.count());
        let options = move || {
            let encoding = tables.tables.as_ref().and_then(Tablebase::encoding);
            let encoding = encoding.unwrap_or(Encoding::Bytes);
            let effort = Effort { pits, stones, all_moves: !args.best, threads, encoding };
            let least = Searcher::<P>::least_hash(stones).max(LEAST_HASH);
            let hash = args.search.hash(&effort, tables.stones(), least, free_memory());
            let short = effort.searching(tables.stones()) < WORTH_THREADS;
            let threads = if short { 1 } else { threads };
            Options { hash, threads }
        };
        Answers { args, tables, options: Box::new(options), searcher: OnceLock::new() }
    }

    /// Answers about many positions, each by one thread.
    pub fn to_many(args: &'a Args, tables: &'a Tables<P>) -> Self {
        let options = || Options { hash: args.search.hash_or(HASH_OF_MANY), threads: 1 };
        Answers { args, tables, options: Box::new(options), searcher: OnceLock::new() }
    }

    /// Whether a position takes a search.
    pub fn searches(&self, board: &Board<P>) -> bool {
        !board.is_over() && self.tables.stones().is_none_or(|reach| board.pits().stones() > reach)
    }

    /// What a position is worth.
    ///
    /// # Errors
    ///
    /// The tables contradict themselves, or there is no memory to search with.
    pub fn answer(&self, board: &Board<P>, limits: &Limits) -> Result<Answer<P>, (Status, String)> {
        if let Some(analysis) = analysis::finished(board) {
            return Ok(Answer::Known(analysis));
        }
        let answer = match &self.tables.tables {
            Some(tables) if !self.searches(board) => analyse(board, tables, self.args.detail())
                .map(Answer::Known)
                .map_err(|e| one_line(&e)),
            _ => {
                self.tables.tell_lack();
                self.search(board, limits)
            }
        };
        answer.map_err(|reason| (Status::Failed, reason))
    }

    fn search(&self, board: &Board<P>, limits: &Limits) -> Result<Answer<P>, String> {
        let searcher = self.searcher.get_or_init(|| {
            Searcher::new(self.args.tables.rules(), self.tables.tables.as_ref(), (self.options)())
        });
        let searcher = searcher.as_ref().map_err(|error| one_line(error))?;
        settle(searcher, board, self.args.detail(), limits)
    }
}
