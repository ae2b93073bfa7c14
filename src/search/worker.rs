//! One thread's part of a search: does the player to move get so many of the stones?

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::busy::Busy;
use super::children::{Child, Children, Knowledge, Source};
use super::evaluation::{Evaluation, SCALE};
use super::transposition::{Entry, Place};
use crate::rules::Pits;

/// What a search says of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// It does not hold.
    Refuted,
    /// It was not settled, and does not look as if it held.
    Doubtful,
    /// It was not settled, and looks as if it held.
    Likely,
    /// It holds.
    Proved,
}

impl Answer {
    /// What it says of the opposite claim.
    fn opposite(self) -> Self {
        match self {
            Answer::Refuted => Answer::Proved,
            Answer::Doubtful => Answer::Likely,
            Answer::Likely => Answer::Doubtful,
            Answer::Proved => Answer::Refuted,
        }
    }
}

/// Why a search ends without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// It was told to stop.
    Stopped,
    /// A table has a share that no position of its layer can have.
    Damaged,
}

/// How deep to search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Depth(u8);

impl Depth {
    /// Until every line is settled.
    pub const FULL: Depth = Depth(u8::MAX);

    /// So many turns; extra moves are part of a turn. At most [`Entry::PROVED`] - 1.
    pub fn turns(turns: u8) -> Self {
        assert!(turns < Entry::PROVED);
        Depth(turns)
    }

    /// After a move that the same player follows up or not.
    #[inline]
    fn after(self, again: bool) -> Self {
        match self {
            Depth::FULL => Depth::FULL,
            Depth(turns) => Depth(turns.saturating_sub(u8::from(!again))),
        }
    }
}

/// What the threads of a search share.
pub(super) struct Shared<'s, 't, const P: usize> {
    pub knowledge: &'s Knowledge<'t, P>,
    pub evaluation: &'s Evaluation<P>,
    /// `None` when there is one thread.
    pub busy: Option<Busy>,
    /// Set when the threads should stop.
    pub stop: AtomicBool,
    /// Asked from time to time by every thread; what it returns is whether to go on.
    pub look_around: &'s (dyn Fn() -> bool + Sync),
    pub nodes: &'s AtomicU64,
    pub probes: &'s AtomicU64,
}

/// Nodes after which a thread adds its count to the others' and looks whether to stop.
const BATCH: u32 = 1024;

/// Stones above the tables from which on a position is worth telling other threads about.
const WORTH_TELLING: u8 = 3;

/// What the order of moves weighs beside the estimate, in sixteenths of a stone. Almost every move
/// tried first holds, so that what counts is not which is best but whose proof is small: measured
/// on four stones a pit, moves that leave fewer stones, and those after which the same player
/// chooses again, or the opponent has fewer choices, have the smaller proofs.
mod weight {
    /// For each stone that leaves the pits.
    pub const STONE: i32 = 130;
    /// For an extra move.
    pub const AGAIN: i32 = 160;
    /// Against each pit that the opponent can sow next.
    pub const CHOICE: i32 = 16;
}

/// A thread that searches.
pub(super) struct Worker<'s, 't, const P: usize> {
    shared: &'s Shared<'s, 't, P>,
    nodes: u64,
    probes: u64,
    /// Nodes until the next look around.
    left: u32,
}

impl<'s, 't, const P: usize> Worker<'s, 't, P> {
    pub fn new(shared: &'s Shared<'s, 't, P>) -> Self {
        Worker { shared, nodes: 0, probes: 0, left: BATCH }
    }

    /// Whether the player to move gets at least `need` of the position's `stones`: `need` is 1 to
    /// `stones`, both rows have stones, and the position is beyond the tables.
    ///
    /// # Errors
    ///
    /// [`Halt`].
    pub fn search(
        &mut self,
        pits: &Pits<P>,
        place: Place,
        stones: u8,
        need: u8,
        depth: Depth,
    ) -> Result<Answer, Halt> {
        debug_assert!((1..=stones).contains(&need) && !pits.is_over());
        self.count_node()?;
        let before = self.nodes;
        let knowledge = self.shared.knowledge;
        let known = knowledge.transpositions.get(place);
        let mut node = Node { place, stones, need, depth, known, seems: false };
        let mut children = match knowledge.expand(pits, stones, need) {
            Ok(children) => children,
            Err(pit) => return Ok(self.proved(&node, pit, before)),
        };
        if let Some(answer) = self.look_up(&mut node, &mut children, before)? {
            return Ok(answer);
        }
        self.order(&node, &mut children);
        if depth == Depth(0) {
            let seems = children.iter().max_by_key(|child| child.order);
            // The order of children at depth 0 is the estimate alone.
            return Ok(match seems {
                Some(child) if child.order >= 0 => self.likely(&node, child.pit),
                Some(_) => self.doubtful(&node),
                None => self.refuted_unless(&node, before),
            });
        }
        children.sort();

        // Those that another thread is at wait for a second round.
        let mut waiting = 0u8;
        for round in 0..2 {
            for (index, child) in children.iter().enumerate() {
                let Source::Transposition(at) = child.source else { continue };
                let told = child.stones > knowledge.reach.saturating_add(WORTH_TELLING);
                let busy = self.shared.busy.as_ref().filter(|_| told);
                if round == 0 {
                    if index > 0 && busy.is_some_and(|busy| busy.contains(at)) {
                        waiting |= 1 << index;
                        continue;
                    }
                } else if waiting & 1 << index == 0 {
                    continue;
                }
                let settled = match knowledge.transpositions.get(at) {
                    // A sibling's search, or another thread's, may have found it out.
                    Some(entry) if index > 0 => settled(child, entry),
                    _ => None,
                };
                let answer = match settled {
                    Some(true) => Answer::Proved,
                    Some(false) => Answer::Refuted,
                    None => {
                        if let Some(busy) = busy {
                            busy.enter(at);
                        }
                        let depth = depth.after(child.again);
                        let answer = self.search(&child.pits, at, child.stones, child.need, depth);
                        if let Some(busy) = busy {
                            busy.leave(at);
                        }
                        let answer = answer?;
                        if child.again { answer } else { answer.opposite() }
                    }
                };
                match answer {
                    Answer::Proved => return Ok(self.proved(&node, child.pit, before)),
                    Answer::Likely => return Ok(self.likely(&node, child.pit)),
                    Answer::Doubtful => node.seems = true,
                    Answer::Refuted => {}
                }
            }
            if waiting == 0 {
                break;
            }
        }
        Ok(self.refuted_unless(&node, before))
    }

    #[inline]
    fn count_node(&mut self) -> Result<(), Halt> {
        self.nodes += 1;
        self.left -= 1;
        if self.left == 0 {
            self.left = BATCH;
            self.shared.nodes.fetch_add(u64::from(BATCH), Relaxed);
            self.shared.probes.fetch_add(std::mem::take(&mut self.probes), Relaxed);
            if self.shared.stop.load(Relaxed) || !(self.shared.look_around)() {
                return Err(Halt::Stopped);
            }
        }
        Ok(())
    }

    /// Looks every move up, and keeps those that must be searched. `Some` when one is enough.
    #[inline]
    fn look_up(
        &mut self,
        node: &mut Node,
        children: &mut Children<'t, P>,
        before: u64,
    ) -> Result<Option<Answer>, Halt> {
        let knowledge = self.shared.knowledge;
        let mut found = None;
        let mut likely = None;
        let mut damaged = false;
        children.retain(|child| {
            let settled = match child.source {
                Source::Table(share) => {
                    self.probes += 1;
                    damaged |= *share > child.stones;
                    Some(child.holds(*share >= child.need))
                }
                Source::Transposition(at) => match knowledge.transpositions.get(at) {
                    None => None,
                    Some(entry) => settled(child, entry).or_else(|| {
                        let deep = Depth(entry.cost) >= node.depth.after(child.again);
                        if entry.asked == child.need && deep {
                            node.seems |= !child.holds(entry.promising);
                            likely = likely.or(child.holds(entry.promising).then_some(child.pit));
                            // Nothing more is to be learnt of it at this depth.
                            return Some(false);
                        }
                        None
                    }),
                },
            };
            if settled == Some(true) {
                found = found.or(Some(child.pit));
            }
            settled.is_none()
        });
        if damaged {
            return Err(Halt::Damaged);
        }
        Ok(match (found, likely) {
            (Some(pit), _) => Some(self.proved(node, pit, before)),
            (None, Some(pit)) => Some(self.likely(node, pit)),
            (None, None) => None,
        })
    }

    /// Says how soon each move is to be looked at. At depth 0 that is how far its estimate is above
    /// the claim.
    #[inline]
    fn order(&self, node: &Node, children: &mut Children<'t, P>) {
        let claimed = SCALE * (2 * i32::from(node.need) - i32::from(node.stones));
        let first = node.known.map_or(Entry::NO_PIT, |entry| entry.pit);
        for child in children.iter_mut() {
            let gained = node.stones - child.stones;
            let estimate = self.shared.evaluation.estimate(&child.pits);
            let estimate = if child.again { estimate } else { -estimate };
            child.order = SCALE * i32::from(gained) + estimate - claimed;
            if node.depth == Depth(0) {
                continue;
            }
            child.order += weight::STONE * i32::from(gained);
            child.order += match child.again {
                true => weight::AGAIN,
                false => -weight::CHOICE * child.pits.legal_pits().len() as i32,
            };
            if child.pit == first {
                child.order = i32::MAX;
            }
        }
    }

    /// Keeps that the claim holds by a pit.
    #[inline]
    fn proved(&self, node: &Node, pit: u8, before: u64) -> Answer {
        let mut entry = node.entry();
        entry.lower = entry.lower.max(node.need);
        entry.pit = pit;
        self.keep_proof(node, entry, before);
        Answer::Proved
    }

    /// Keeps that the claim does not hold, unless a move was left unsettled.
    #[inline]
    fn refuted_unless(&self, node: &Node, before: u64) -> Answer {
        if node.seems {
            return self.doubtful(node);
        }
        let mut entry = node.entry();
        entry.upper = entry.upper.min(node.need - 1);
        self.keep_proof(node, entry, before);
        Answer::Refuted
    }

    #[inline]
    fn keep_proof(&self, node: &Node, mut entry: Entry, before: u64) {
        entry.asked = 0;
        let nodes = self.nodes - before + 1;
        entry.cost = entry.cost.max(Entry::PROVED + nodes.ilog2() as u8);
        self.shared.knowledge.transpositions.put(node.place, entry);
    }

    #[inline]
    fn likely(&self, node: &Node, pit: u8) -> Answer {
        let mut entry = node.entry();
        entry.pit = pit;
        self.keep_opinion(node, entry, true);
        Answer::Likely
    }

    #[inline]
    fn doubtful(&self, node: &Node) -> Answer {
        self.keep_opinion(node, node.entry(), false);
        Answer::Doubtful
    }

    #[inline]
    fn keep_opinion(&self, node: &Node, mut entry: Entry, promising: bool) {
        (entry.asked, entry.promising) = (node.need, promising);
        if entry.cost < Entry::PROVED {
            entry.cost = node.depth.0;
        }
        self.shared.knowledge.transpositions.put(node.place, entry);
    }
}

impl<const P: usize> Drop for Worker<'_, '_, P> {
    fn drop(&mut self) {
        self.shared.nodes.fetch_add(u64::from(BATCH - self.left), Relaxed);
        self.shared.probes.fetch_add(self.probes, Relaxed);
    }
}

/// A position while it is searched.
struct Node {
    place: Place,
    stones: u8,
    need: u8,
    depth: Depth,
    known: Option<Entry>,
    /// Whether a move was left unsettled that did not look good.
    seems: bool,
}

impl Node {
    /// What was known of the position before, to be added to.
    #[inline]
    fn entry(&self) -> Entry {
        self.known.unwrap_or(Entry::unknown(self.stones))
    }
}

/// Whether the move meets the claim, when its entry settles that.
#[inline]
fn settled<const P: usize>(child: &Child<'_, P>, entry: Entry) -> Option<bool> {
    if entry.lower >= child.need {
        Some(child.holds(true))
    } else if entry.upper < child.need {
        Some(child.holds(false))
    } else {
        None
    }
}
