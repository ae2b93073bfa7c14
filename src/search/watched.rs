//! A search as a source of margins, for [analysis](crate::tables::analysis).

use super::{Question, SearchError, Searcher, Watch};
use crate::rules::{Pits, Rules};
use crate::tables::analysis::{Margins, Source};

/// A searcher and who follows it. Margins are found as they are asked for, in the tables or by
/// search; those that were not when the watch said to stop are not known.
#[derive(Clone, Copy)]
pub struct Watched<'a, 't, const P: usize> {
    searcher: &'a Searcher<'t, P>,
    watch: &'a dyn Watch,
}

impl<'a, 't, const P: usize> Watched<'a, 't, P> {
    /// Margins by this searcher until the watch says to stop.
    pub fn new(searcher: &'a Searcher<'t, P>, watch: &'a dyn Watch) -> Self {
        Watched { searcher, watch }
    }
}

impl<const P: usize> Margins<P> for Watched<'_, '_, P> {
    type Error = SearchError;

    fn rules(&self) -> Rules {
        self.searcher.rules()
    }

    fn margin(&self, pits: &Pits<P>) -> Result<Option<i16>, SearchError> {
        Ok(self.searcher.solve(pits, Question::Exact, self.watch)?.exact())
    }

    fn at_least(&self, pits: &Pits<P>, margin: i16) -> Result<Option<bool>, SearchError> {
        let question = Question::AtLeast(margin);
        let bounds = self.searcher.solve(pits, question, self.watch)?;
        Ok(question.is_settled(bounds).then_some(bounds.low >= margin))
    }

    fn source(&self, pits: &Pits<P>) -> Source {
        let covered = self.searcher.tables().and_then(|tables| tables.margin(pits));
        if covered.is_some() { Source::Table } else { Source::Search }
    }
}
