//! Taking a proof out of what a search found.
//!
//! Positions of the favoured player are gone through from the highest down, in the order that the
//! game's moves descend ([Why that is enough](super)): when one's turn comes, all claims that need
//! it are there, and what it must give is the greatest share that any of them needs. So every
//! position has one claim, made once.

use std::collections::{BTreeMap, HashSet};

use super::claims::{Answer, Claims};
use super::format::{LayerDigest, Proof};
use super::statement::Statement;
use super::{check_blocks, digests};
use crate::rules::{Board, Pit, Pits, Sown};
use crate::search::numbering::Numbering;
use crate::search::transposition::Entry;
use crate::search::{Question, SearchError, Searcher, Watch};
use crate::tables::unpacked::DigestWatch;
use crate::tables::{LayerFile, TableError};

/// Claims between two reports of how many there are.
const BATCH: usize = 1024;

/// Why no proof is found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// The statement is about another game than the searcher's.
    #[error("the statement is about other rules or another number of pits than the search")]
    OtherGame,
    /// It is not true.
    #[error("there is no proof, for it is not true that {0}")]
    NotTrue(Box<Statement>),
    /// The watch said to stop.
    #[error("interrupted before the proof was found; nothing was written")]
    Interrupted,
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A table is damaged.
    #[error(transparent)]
    Table(#[from] TableError),
    /// What is known of a position and of those after it does not go together.
    #[error(
        "the tables contradict themselves after {0}; find the damaged file with kalah verify, and \
         remake it with kalah generate"
    )]
    Contradiction(String),
}

impl Proof {
    /// A proof of the statement. What the searcher knows already is used, and what it does not
    /// know or has forgotten is searched.
    ///
    /// # Errors
    ///
    /// [`FindError`].
    pub fn find<const P: usize>(
        searcher: &Searcher<'_, P>,
        statement: &Statement,
        watch: &dyn Watch,
    ) -> Result<Self, FindError> {
        let row = |row: &[u8]| row.try_into().map_err(|_| FindError::OtherGame);
        let root = Board::new(row(statement.mover())?, 0, row(statement.opponent())?, 0)
            .expect("statements are about boards");
        if statement.rules() != searcher.rules() {
            return Err(FindError::OtherGame);
        }
        Finder::new(searcher, root.pits().stones(), watch).run(statement, root.pits())
    }
}

/// Where a position stands in the order that every move descends; the greatest comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Height {
    stones: u8,
    /// The sum over all stones of their distance to their owner's store.
    distance: u16,
    number: u64,
}

/// A position that is claimed, and for what share, but not yet by which pit.
struct Open<const P: usize> {
    pits: Pits<P>,
    share: u8,
}

struct Finder<'a, 't, const P: usize> {
    searcher: &'a Searcher<'t, P>,
    watch: &'a dyn Watch,
    numbering: Numbering<P>,
    /// The most stones of a position that is looked up.
    reach: usize,
    open: BTreeMap<Height, Open<P>>,
    claims: Vec<(u64, Answer)>,
    /// By stones, whether a position of so many was looked up.
    probed: Vec<bool>,
}

/// A search that reports nothing, as it is about no position that was asked for.
struct Silent<'a>(&'a dyn Watch);

impl Watch for Silent<'_> {
    fn interrupted(&self) -> bool {
        self.0.interrupted()
    }
}

impl<'a, 't, const P: usize> Finder<'a, 't, P> {
    fn new(searcher: &'a Searcher<'t, P>, stones: usize, watch: &'a dyn Watch) -> Self {
        let reach = searcher.tables().and_then(|tables| tables.stones()).unwrap_or(0);
        Finder {
            searcher,
            watch,
            numbering: Numbering::new(stones),
            reach,
            open: BTreeMap::new(),
            claims: Vec::new(),
            probed: vec![false; reach + 1],
        }
    }

    fn run(mut self, statement: &Statement, root: &Pits<P>) -> Result<Proof, FindError> {
        let stones = root.stones() as i32;
        let not_true = || FindError::NotTrue(Box::new(statement.clone()));
        let margin = |share: i32| (2 * share - stones) as i16;
        if let Some(need) = statement.mover_needs().filter(|&need| need > 0) {
            if need > stones || !self.settle(root, margin(need))? {
                return Err(not_true());
            }
            self.cover(root, need)?;
        }
        if let Some(need) = statement.opponent_needs().filter(|&need| need > 0) {
            // The opponent gets it unless the player to move gets one more than the rest.
            if need > stones || self.settle(root, margin(stones - need + 1))? {
                return Err(not_true());
            }
            self.cover_replies(*root, need)?;
        }
        while let Some((Height { number, .. }, Open { pits, share })) = self.open.pop_last() {
            if self.claims.len().is_multiple_of(BATCH) {
                self.watch.claims(self.claims.len() as u64);
            }
            let (pit, sown) = self.choose(&pits, share)?;
            self.claims.push((number, Answer { share, pit: pit.index() as u8 }));
            let need = i32::from(share) - i32::from(sown.gained);
            match sown.extra_move {
                true => self.cover(&sown.pits, need)?,
                false => self.cover_replies(sown.pits, need)?,
            }
        }
        self.watch.claims(self.claims.len() as u64);
        let layers = self.digests()?;
        let table_stones = self.reach as u8;
        let claims = Claims::of(self.claims);
        Ok(Proof { statement: statement.clone(), table_stones, layers, claims })
    }

    /// Whether the player to move gets this margin.
    fn settle(&self, pits: &Pits<P>, margin: i16) -> Result<bool, FindError> {
        let question = Question::AtLeast(margin);
        let bounds = self.searcher.solve(pits, question, self.watch)?;
        if question.is_settled(bounds) { Ok(bounds.low >= margin) } else { Err(interrupted()) }
    }

    /// A move that gets the share: of those that are known to, one with a small proof.
    fn choose(&self, pits: &Pits<P>, share: u8) -> Result<(Pit<P>, Sown<P>), FindError> {
        loop {
            if self.watch.interrupted() {
                return Err(interrupted());
            }
            let first = self.searcher.entry(pits)?.map(|entry| entry.pit);
            let mut best: Option<(u8, bool, Pit<P>, Sown<P>)> = None;
            for (pit, sown) in pits.moves(self.searcher.rules()) {
                let Some(cost) = self.cost(&sown, share)? else { continue };
                let other = first != Some(pit.index() as u8);
                if best.as_ref().is_none_or(|best| (cost, other) < (best.0, best.1)) {
                    best = Some((cost, other, pit, sown));
                }
            }
            if let Some((.., pit, sown)) = best {
                return Ok((pit, sown));
            }
            match self.searcher.prove(pits, share, &Silent(self.watch))? {
                Some(true) => {
                    // In a small transposition table the moves' own entries may be gone already.
                    let first = self.searcher.entry(pits)?.map(|entry| entry.pit);
                    let mut moves = pits.moves(self.searcher.rules());
                    if let Some(found) = moves.find(|(pit, _)| first == Some(pit.index() as u8)) {
                        return Ok(found);
                    }
                }
                Some(false) => return Err(contradiction(pits)),
                None => return Err(interrupted()),
            }
        }
    }

    /// About how large the proof is that a move gets the share, when it is known to.
    fn cost(&self, sown: &Sown<P>, share: u8) -> Result<Option<u8>, FindError> {
        let Some(need) = share.checked_sub(sown.gained).filter(|&need| need > 0) else {
            return Ok(Some(0));
        };
        let pits = &sown.pits;
        if let Some(reached) = self.look_up(pits)? {
            let reached = if sown.extra_move { reached } else { pits.stones() as u8 - reached };
            return Ok((reached >= need).then_some(0));
        }
        if sown.extra_move && self.open.get(&self.height(pits)).is_some_and(|o| o.share >= need) {
            return Ok(Some(0));
        }
        let Some(Entry { lower, upper, cost, .. }) = self.searcher.entry(pits)? else {
            return Ok(None);
        };
        let known = match sown.extra_move {
            true => lower >= need,
            false => usize::from(upper) + usize::from(need) <= pits.stones(),
        };
        Ok(known.then_some(cost))
    }

    /// What the player to move gets, when the game is over or the position is in a table.
    fn look_up(&self, pits: &Pits<P>) -> Result<Option<u8>, FindError> {
        let stones = pits.stones();
        let margin = match self.searcher.tables() {
            Some(tables) => tables.probe(pits)?,
            None => pits.final_margin(),
        };
        Ok(margin.map(|margin| ((margin + stones as i16) / 2) as u8))
    }

    /// [`Finder::look_up`] for the proof itself, which from then on leans on the layer.
    fn share(&mut self, pits: &Pits<P>) -> Result<Option<u8>, FindError> {
        let share = self.look_up(pits)?;
        if share.is_some() && !pits.is_over() {
            self.probed[pits.stones()] = true;
        }
        Ok(share)
    }

    /// Sees to it that the player to move is shown to get so many stones.
    fn cover(&mut self, pits: &Pits<P>, need: i32) -> Result<(), FindError> {
        if need <= 0 {
            return Ok(());
        }
        match self.share(pits)? {
            Some(share) if i32::from(share) >= need => return Ok(()),
            Some(_) => return Err(contradiction(pits)),
            None => {}
        }
        let height = self.height(pits);
        let open = self.open.entry(height).or_insert(Open { pits: *pits, share: 0 });
        open.share = open.share.max(need as u8);
        Ok(())
    }

    /// Sees to it that the player who is not to move is shown to get so many stones.
    fn cover_replies(&mut self, pits: Pits<P>, need: i32) -> Result<(), FindError> {
        if need <= 0 {
            return Ok(());
        }
        let mut seen = HashSet::new();
        let mut waiting = vec![pits];
        while let Some(pits) = waiting.pop() {
            if let Some(share) = self.share(&pits)? {
                if pits.stones() as i32 - i32::from(share) < need {
                    return Err(contradiction(&pits));
                }
                continue;
            }
            for (_, sown) in pits.moves(self.searcher.rules()) {
                if !sown.extra_move {
                    self.cover(&sown.pits, need)?;
                } else if seen.insert(sown.pits) {
                    waiting.push(sown.pits);
                }
            }
        }
        Ok(())
    }

    fn height(&self, pits: &Pits<P>) -> Height {
        let stones = pits.stones();
        let distance = |row: &[u8; P]| -> u16 {
            let pits = row.iter().enumerate();
            pits.map(|(pit, &count)| (P - pit) as u16 * u16::from(count)).sum()
        };
        Height {
            stones: stones as u8,
            distance: distance(pits.mover()) + distance(pits.opponent()),
            number: self.numbering.number(pits, stones),
        }
    }

    /// The files of the layers that were looked up, which must be sound: a proof that leans on
    /// damaged ones is worth nothing.
    fn digests(&self) -> Result<Vec<LayerDigest>, FindError> {
        let tables = self.searcher.tables().map_or(&[][..], |tables| tables.layers());
        let probed = tables.iter().zip(&self.probed).filter(|&(_, &probed)| probed);
        let probed: Vec<&LayerFile> = probed.map(|(layer, _)| layer).collect();
        let stop = || self.watch.interrupted();
        if !check_blocks(&probed, stop)? {
            return Err(FindError::Interrupted);
        }
        let watch = DigestWatch { stop: &stop, advance: &|_| () };
        let digests = digests(&probed, &watch)?.ok_or_else(interrupted)?;
        let layers = probed.iter().zip(digests);
        Ok(layers
            .map(|(layer, digest)| LayerDigest { stones: layer.id().stones, digest })
            .collect())
    }
}

fn interrupted() -> FindError {
    FindError::Interrupted
}

fn contradiction<const P: usize>(pits: &Pits<P>) -> FindError {
    FindError::Contradiction(Board::from_pits(*pits).to_string())
}
