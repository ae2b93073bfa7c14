//! One thread's part of a search: does the player to move get so many of the stones?

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::busy::Busy;
use super::children::{Child, Children, Knowledge, Source};
use super::evaluation::{Evaluation, SCALE};
use super::transposition::{Entry, Place};
use crate::prefetch::Requests;
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
    pub busy: Busy,
    /// Set when the threads should stop.
    pub stop: AtomicBool,
    /// Asked from time to time by every thread; what it returns is whether to go on.
    pub look_around: &'s (dyn Fn() -> bool + Sync),
    pub nodes: &'s AtomicU64,
    pub probes: &'s AtomicU64,
}

/// Nodes after which a thread adds its count to the others' and looks whether to stop. Few, as the
/// first ones may each touch a large page that the system must clear first: that is milliseconds.
const BATCH: u32 = 64;

/// Lines a thread searches along at once: enough to cover the latency of memory with work, and few
/// enough not to get into each other's way.
const LINES: usize = 4;

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
///
/// Nearly all the time of a search is spent waiting for memory: a look-up in a large table or among
/// the transpositions misses every cache. So a thread searches along several [lines](Line) at once,
/// as if it were several threads: it turns to the next line while the memory for the last one's
/// look-ups is on its way.
pub(super) struct Worker<'s, 't, const P: usize> {
    shared: &'s Shared<'s, 't, P>,
    nodes: u64,
    probes: u64,
    /// Nodes until the next look around.
    left: u32,
    requests: Requests,
}

/// A claim about a position to be searched.
#[derive(Clone, Copy)]
pub(super) struct Claim<const P: usize> {
    pub pits: Pits<P>,
    /// Where it is kept among the transpositions, if it is.
    pub place: Option<Place>,
    pub stones: u8,
    /// What the player to move is to get of the stones, 1 to `stones`.
    pub need: u8,
}

/// A search under way: the positions from the root to where it is.
struct Line<'t, const P: usize> {
    nodes: Vec<Node<'t, P>>,
    /// How many of `nodes` are in use; the others wait to be used again.
    length: usize,
}

/// A position while it is searched.
struct Node<'t, const P: usize> {
    place: Option<Place>,
    stones: u8,
    need: u8,
    depth: Depth,
    /// What was known of the position before.
    known: Entry,
    children: Children<'t, P>,
    /// Which of the children is being searched.
    child: u8,
    /// One bit for each child that another line is at: they wait for a second round.
    waiting: u8,
    second_round: bool,
    /// Whether a move was left unsettled that did not look good.
    unsettled: bool,
    /// The pit that looks good enough for the claim, and was looked up alone.
    first: u8,
    /// Whether the moves after that one are in order, and their look-ups requested.
    sorted: bool,
    /// What is on its way from memory.
    look: Look,
    /// The worker's count of nodes when this one was begun.
    begun: u64,
}

/// Which moves of a position are looked up next.
///
/// A look-up costs as much as all the rest of a move. Where the first move looks good enough it
/// nearly always is, so that it alone is looked up, beside those in tables; the others only when it
/// failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Those that have to be known before any is searched.
    First,
    /// The others.
    Second,
    /// None.
    Done,
}

impl<'s, 't, const P: usize> Worker<'s, 't, P> {
    pub fn new(shared: &'s Shared<'s, 't, P>) -> Self {
        Worker { shared, nodes: 0, probes: 0, left: BATCH, requests: Requests::new() }
    }

    /// Whether the claim holds. Both rows have stones, and the position is beyond the tables.
    ///
    /// # Errors
    ///
    /// [`Halt`].
    pub fn search(&mut self, claim: &Claim<P>, depth: Depth) -> Result<Answer, Halt> {
        let count = if depth == Depth::FULL { LINES } else { 1 };
        let mut lines = Vec::with_capacity(count);
        for _ in 0..count {
            let mut line = Line { nodes: Vec::new(), length: 0 };
            if let Some(answer) = self.enter(&mut line, claim, depth)? {
                return Ok(answer);
            }
            lines.push(line);
        }
        loop {
            for line in &mut lines {
                if let Some(answer) = self.advance(line)? {
                    return Ok(answer);
                }
            }
            // The first line's memory is hardly here when it goes on; the wait for it covers the
            // others.
            self.requests.send();
        }
    }

    /// Begins to search a claim: its moves' look-ups are then on their way. `Some` when no look-up
    /// is needed to settle it.
    #[inline]
    fn enter(
        &mut self,
        line: &mut Line<'t, P>,
        claim: &Claim<P>,
        depth: Depth,
    ) -> Result<Option<Answer>, Halt> {
        let Claim { pits, place, stones, need } = claim;
        debug_assert!((1..=*stones).contains(need) && !pits.is_over());
        self.count_node()?;
        let knowledge = self.shared.knowledge;
        if line.length == line.nodes.len() {
            line.nodes.push(Node::new());
        }
        let node = &mut line.nodes[line.length];
        node.place = *place;
        (node.stones, node.need, node.depth) = (*stones, *need, depth);
        let known = place.and_then(|place| knowledge.transpositions.get(place));
        node.known = known.unwrap_or(Entry::unknown(*stones));
        (node.child, node.waiting) = (0, 0);
        (node.second_round, node.unsettled, node.sorted) = (false, false, false);
        node.first = Entry::NO_PIT;
        node.begun = self.nodes;
        if let Err(pit) =
            knowledge.expand(pits, *stones, *need, &mut node.children, &mut self.requests)
        {
            return Ok(Some(self.proved(node, pit)));
        }
        let hopeful = self.order(node);
        if depth == Depth::FULL && hopeful {
            node.children.first_first();
            if let Some(child) = node.children.iter_mut().next() {
                node.first = child.pit;
                knowledge.find(child, &mut self.requests);
            }
        } else {
            self.find_all(node, 0);
        }
        node.look = Look::First;
        line.length += 1;
        Ok(None)
    }

    /// Sorts the moves from one on, and requests what is known of them.
    #[inline]
    fn find_all(&mut self, node: &mut Node<'t, P>, from: u8) {
        node.children.sort(from);
        for child in node.children.iter_mut().skip(usize::from(from)) {
            self.shared.knowledge.find(child, &mut self.requests);
        }
        node.sorted = true;
    }

    /// Goes on with a line whose look-ups are here, until the next ones are on their way; `Some`
    /// when its root is settled.
    #[inline]
    fn advance(&mut self, line: &mut Line<'t, P>) -> Result<Option<Answer>, Halt> {
        let shared = self.shared;
        let last = line.length - 1;
        let node = &mut line.nodes[last];
        let mut settled = match node.look {
            Look::First => self.look_up(node)?,
            Look::Second => self.look_again(node),
            Look::Done => None,
        };
        node.look = Look::Done;
        loop {
            if let Some(answer) = settled.take() {
                line.length -= 1;
                if line.length == 0 {
                    return Ok(Some(answer));
                }
                settled = self.back(&mut line.nodes[line.length - 1], answer);
                continue;
            }
            let node = &mut line.nodes[line.length - 1];
            let depth = node.depth;
            let (child, place) = match self.next_child(node) {
                Next::Search(child, place) => (child, place),
                Next::Settled(answer) => {
                    settled = Some(answer);
                    continue;
                }
                Next::Wait => return Ok(None),
            };
            if let Some(place) = place {
                shared.busy.enter(place);
            }
            let depth = depth.after(child.again);
            let Child { pits, stones, need, .. } = *child;
            let claim = Claim { pits, place, stones, need };
            let before = self.requests.len();
            match self.enter(line, &claim, depth)? {
                None if self.requests.len() == before => {
                    let node = &mut line.nodes[line.length - 1];
                    node.look = Look::Done;
                    settled = self.look_up(node)?;
                }
                None => return Ok(None),
                Some(answer) => settled = self.back(&mut line.nodes[line.length - 1], answer),
            }
        }
    }

    /// Takes the answer about the child that was searched; `Some` when it settles the node.
    #[inline]
    fn back(&mut self, node: &mut Node<'t, P>, answer: Answer) -> Option<Answer> {
        let child = node.children.get(node.child);
        if let Source::Transposition(place) = child.source {
            self.shared.busy.leave(place);
        }
        let (pit, answer) = (child.pit, if child.again { answer } else { answer.opposite() });
        node.child += 1;
        match answer {
            Answer::Proved => return Some(self.proved(node, pit)),
            Answer::Likely => return Some(self.likely(node, pit)),
            Answer::Doubtful => node.unsettled = true,
            Answer::Refuted => {}
        }
        None
    }

    /// The next child to search, or what the node comes to when none is left.
    #[inline]
    fn next_child<'n>(&mut self, node: &'n mut Node<'t, P>) -> Next<'n, 't, P> {
        let Shared { knowledge, busy, .. } = self.shared;
        loop {
            if node.child >= node.children.len() {
                if node.second_round || node.waiting == 0 {
                    return Next::Settled(self.refuted_unless(node));
                }
                (node.second_round, node.child) = (true, 0);
            }
            let index = node.child;
            let is_first = node.children.get(index).pit == node.first;
            if !is_first && !node.sorted {
                let before = self.requests.len();
                self.find_all(node, index);
                if self.requests.len() > before {
                    node.look = Look::Second;
                    return Next::Wait;
                }
            }
            if node.second_round && node.waiting & 1 << index == 0 {
                node.child += 1;
                continue;
            }
            let child = node.children.get(index);
            let Source::Transposition(place) = child.source else {
                return Next::Search(node.children.get(index), None);
            };
            if !node.second_round && !is_first && busy.contains(place) {
                node.waiting |= 1 << index;
                node.child += 1;
                continue;
            }
            // A sibling's search, or another line's, may have settled it meanwhile.
            if index > 0 || node.second_round {
                match knowledge.transpositions.get(place).and_then(|entry| child.settled(entry)) {
                    Some(true) => return Next::Settled(self.proved(node, child.pit)),
                    Some(false) => {
                        node.child += 1;
                        continue;
                    }
                    None => {}
                }
            }
            return Next::Search(node.children.get(index), Some(place));
        }
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

    /// Looks every move up, keeps those that must be searched, and sorts them. `Some` when the node
    /// is settled by that.
    #[inline]
    fn look_up(&mut self, node: &mut Node<'t, P>) -> Result<Option<Answer>, Halt> {
        let knowledge = self.shared.knowledge;
        let (mut found, mut likely) = (None, None);
        let (mut damaged, mut unsettled, mut compact) = (false, false, false);
        let depth = node.depth;
        node.children.retain(|child| {
            let settled = match child.source {
                Source::Table(share) => {
                    self.probes += 1;
                    damaged |= *share > child.stones;
                    Some(child.holds(*share >= child.need))
                }
                Source::CompactTable => {
                    compact = true;
                    return true;
                }
                Source::Transposition(place) => {
                    let Some(entry) = knowledge.transpositions.get(place) else { return true };
                    let settled = child.settled(entry);
                    let deep = Depth(entry.cost) >= depth.after(child.again);
                    if settled.is_none() && entry.asked == child.need && deep {
                        // Nothing more is to be learnt of it at this depth.
                        match child.holds(entry.promising) {
                            true => likely = likely.or(Some(child.pit)),
                            false => unsettled = true,
                        }
                        return false;
                    }
                    settled
                }
                Source::Unplaced | Source::Nowhere => None,
            };
            if settled == Some(true) {
                found = found.or(Some(child.pit));
            }
            settled.is_none()
        });
        // What takes long is looked up when nothing else settles the node, and until something does.
        if compact {
            node.children.retain(|child| {
                if !matches!(child.source, Source::CompactTable) {
                    return true;
                }
                if found.is_none() {
                    self.probes += 1;
                    let share = knowledge.decode(&child.pits, child.stones);
                    damaged |= share.is_none();
                    if child.holds(share >= Some(child.need)) {
                        found = Some(child.pit);
                    }
                }
                false
            });
        }
        node.unsettled = unsettled;
        if damaged {
            return Err(Halt::Damaged);
        }
        if let Some(pit) = found {
            return Ok(Some(self.proved(node, pit)));
        }
        if let Some(pit) = likely {
            return Ok(Some(self.likely(node, pit)));
        }
        if depth != Depth(0) {
            return Ok(None);
        }
        // What is left is judged by its looks.
        Ok(Some(match node.children.iter().max_by_key(|child| child.excess) {
            Some(child) if child.excess >= 0 => self.likely(node, child.pit),
            Some(_) => self.doubtful(node),
            None => self.refuted_unless(node),
        }))
    }

    /// Takes up what was looked up later; `Some` when that settles the node.
    #[inline]
    fn look_again(&self, node: &Node<'t, P>) -> Option<Answer> {
        let transpositions = &self.shared.knowledge.transpositions;
        let found = node.children.iter().skip(usize::from(node.child)).find(|child| {
            matches!(child.source, Source::Transposition(place)
                if transpositions.get(place).and_then(|entry| child.settled(entry)) == Some(true))
        });
        found.map(|child| self.proved(node, child.pit))
    }

    /// Says how good each move looks, and how soon it is to be looked at. Whether one looks good
    /// enough.
    #[inline]
    fn order(&self, node: &mut Node<'t, P>) -> bool {
        let mut hopeful = false;
        let claimed = SCALE * (2 * i32::from(node.need) - i32::from(node.stones));
        for child in node.children.iter_mut() {
            if child.is_in_table() {
                // It will be known before any is chosen.
                child.order = i32::MIN;
                continue;
            }
            let gained = i32::from(node.stones - child.stones);
            let estimate = self.shared.evaluation.estimate(&child.pits);
            let estimate = if child.again { estimate } else { -estimate };
            child.excess = SCALE * gained + estimate - claimed;
            hopeful |= child.excess >= 0;
            child.order = child.excess
                + weight::STONE * gained
                + match child.again {
                    true => weight::AGAIN,
                    false => -weight::CHOICE * child.pits.legal_pits().len() as i32,
                };
        }
        hopeful
    }

    /// Keeps that the claim holds by a pit.
    #[inline]
    fn proved(&self, node: &Node<'t, P>, pit: u8) -> Answer {
        let lower = node.known.lower.max(node.need);
        self.keep_proof(node, Entry { lower, pit, ..node.known });
        Answer::Proved
    }

    /// Keeps that the claim does not hold, unless a move was left unsettled.
    #[inline]
    fn refuted_unless(&self, node: &Node<'t, P>) -> Answer {
        if node.unsettled {
            return self.doubtful(node);
        }
        let upper = node.known.upper.min(node.need - 1);
        self.keep_proof(node, Entry { upper, ..node.known });
        Answer::Refuted
    }

    #[inline]
    fn keep_proof(&self, node: &Node<'t, P>, mut entry: Entry) {
        entry.asked = 0;
        let nodes = self.nodes - node.begun + 1;
        entry.cost = entry.cost.max(Entry::PROVED + nodes.ilog2() as u8);
        self.keep(node, entry);
    }

    /// Keeps an entry, unless the position is so near the tables that none is kept of it.
    #[inline]
    fn keep(&self, node: &Node<'t, P>, entry: Entry) {
        if let Some(place) = node.place {
            self.shared.knowledge.transpositions.put(place, entry);
        }
    }

    #[inline]
    fn likely(&self, node: &Node<'t, P>, pit: u8) -> Answer {
        self.keep_opinion(node, Entry { pit, promising: true, ..node.known });
        Answer::Likely
    }

    #[inline]
    fn doubtful(&self, node: &Node<'t, P>) -> Answer {
        self.keep_opinion(node, Entry { promising: false, ..node.known });
        Answer::Doubtful
    }

    #[inline]
    fn keep_opinion(&self, node: &Node<'t, P>, mut entry: Entry) {
        entry.asked = node.need;
        if entry.cost < Entry::PROVED {
            entry.cost = node.depth.0;
        }
        self.keep(node, entry);
    }
}

impl<const P: usize> Drop for Worker<'_, '_, P> {
    fn drop(&mut self) {
        self.shared.nodes.fetch_add(u64::from(BATCH - self.left), Relaxed);
        self.shared.probes.fetch_add(self.probes, Relaxed);
    }
}

impl<const P: usize> Node<'_, P> {
    fn new() -> Self {
        Node {
            place: None,
            stones: 0,
            need: 0,
            depth: Depth::FULL,
            known: Entry::unknown(0),
            children: Children::default(),
            child: 0,
            waiting: 0,
            second_round: false,
            unsettled: false,
            first: Entry::NO_PIT,
            sorted: false,
            look: Look::Done,
            begun: 0,
        }
    }
}

/// What is to be done next at a node.
enum Next<'n, 't, const P: usize> {
    /// Search a child, whose place this is.
    Search(&'n Child<'t, P>, Option<Place>),
    /// Nothing: it is settled.
    Settled(Answer),
    /// Wait for what is looked up.
    Wait,
}
