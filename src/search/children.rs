//! The moves of a position, and what is known of them before any is searched.
//!
//! A claim is that the player to move gets at least `need` of the stones in the pits. A move turns
//! it into a claim about the next position, which whoever moves there must meet:
//!
//! - after an extra move, the same claim less what the move gained;
//! - when the turn passes, its opposite: of the `rest` stones left the opponent gets no more than
//!   `stones - need`, so that the claim fails when the opponent gets one more.
//!
//! Both are questions about the share of the player to move, so tables and transpositions answer
//! them whatever the stores hold.

use super::numbering::Numbering;
use super::transposition::{Entry, Place, Transpositions};
use crate::prefetch::Requests;
use crate::rules::{Pits, Rules};
use crate::tables::{Location, Tablebase};

/// What there is to look positions up in.
pub(super) struct Knowledge<'t, const P: usize> {
    pub rules: Rules,
    pub tables: Option<&'t Tablebase<P>>,
    /// The most stones that the tables cover; those without stones are over.
    pub reach: u8,
    /// The most stones of the positions that are not kept among the transpositions.
    pub unkept: u8,
    pub numbering: Numbering<P>,
    pub transpositions: Transpositions,
}

/// Where the next position can be looked up.
#[derive(Clone, Copy)]
pub(super) enum Source<'t> {
    /// The share of its player to move, in a table.
    Table(&'t u8),
    /// In a compact table, where looking it up takes as long as many other things.
    CompactTable,
    /// Its place among the transpositions.
    Transposition(Place),
    /// Among the transpositions, in a place that was not worked out yet.
    Unplaced,
    /// Nowhere: so near the tables that it is sooner searched than kept.
    Nowhere,
}

/// A move that does not settle the claim by itself.
#[derive(Clone, Copy)]
pub(super) struct Child<'t, const P: usize> {
    pub pits: Pits<P>,
    pub source: Source<'t>,
    /// The pit that was sown, from 0.
    pub pit: u8,
    /// Stones left in the pits.
    pub stones: u8,
    /// What whoever moves next is asked to get of them, 1 to `stones`.
    pub need: u8,
    /// Whether it is the same player, who then wants it; else the opponent, who must not get it.
    pub again: bool,
    /// By how much it seems to exceed the claim, in units of the estimate.
    pub excess: i32,
    /// The greater, the sooner it is looked at.
    pub order: i32,
}

impl<const P: usize> Child<'_, P> {
    /// Whether the claim holds by this move, if whoever moves next can get what is asked or not.
    #[inline]
    pub fn holds(&self, reached: bool) -> bool {
        reached == self.again
    }

    /// Whether a table has it.
    #[inline]
    pub fn is_in_table(&self) -> bool {
        matches!(self.source, Source::Table(_) | Source::CompactTable)
    }

    /// Whether the move meets the claim, when what is known of the next position settles that.
    #[inline]
    pub fn settled(&self, known: Entry) -> Option<bool> {
        if known.lower >= self.need {
            Some(self.holds(true))
        } else if known.upper < self.need {
            Some(self.holds(false))
        } else {
            None
        }
    }
}

/// The moves that leave a claim open.
pub(super) struct Children<'t, const P: usize> {
    /// The first `count` are those there are.
    list: [Child<'t, P>; P],
    count: usize,
}

impl<const P: usize> Default for Children<'_, P> {
    fn default() -> Self {
        let pits = Pits::new([0; P], [0; P]).expect("no stones are not too many");
        let source = Source::Nowhere;
        let (pit, stones, need, again, excess, order) = (0, 0, 0, false, 0, 0);
        let blank = Child { pits, source, pit, stones, need, again, excess, order };
        Children { list: [blank; P], count: 0 }
    }
}

impl<'t, const P: usize> Children<'t, P> {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> u8 {
        self.count as u8
    }

    /// One of them, from 0.
    ///
    /// # Panics
    ///
    /// When there are not so many.
    #[inline]
    pub fn get(&self, index: u8) -> &Child<'t, P> {
        &self.list[..self.count][usize::from(index)]
    }

    /// The moves, in order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Child<'t, P>> {
        self.list[..self.count].iter()
    }

    /// The moves, to be changed.
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Child<'t, P>> {
        self.list[..self.count].iter_mut()
    }

    /// Keeps the moves of which `keep` is true.
    #[inline]
    pub fn retain(&mut self, mut keep: impl FnMut(&Child<'t, P>) -> bool) {
        let mut kept = 0;
        for place in 0..self.count {
            if keep(&self.list[place]) {
                if kept < place {
                    self.list[kept] = self.list[place];
                }
                kept += 1;
            }
        }
        self.count = kept;
    }

    /// Puts the first one by `order` first; the others stay in no order.
    #[inline]
    pub fn first_first(&mut self) {
        let mut first = (0, i32::MIN);
        for (place, child) in self.iter().enumerate() {
            if child.order > first.1 {
                first = (place, child.order);
            }
        }
        self.list.swap(0, first.0);
    }

    /// Sorts those from a place on by `order`, the greatest first; equal ones stay as they were.
    #[inline]
    pub fn sort(&mut self, from: u8) {
        let list = &mut self.list[usize::from(from)..self.count];
        for place in 1..list.len() {
            let mut at = place;
            while at > 0 && list[at - 1].order < list[at].order {
                list.swap(at - 1, at);
                at -= 1;
            }
        }
    }
}

impl<'t, const P: usize> Knowledge<'t, P> {
    /// Plays every move of a position in which the player to move claims `need` of its `stones`,
    /// and puts those that leave the claim open into `children`; requests what tables have of them.
    ///
    /// # Errors
    ///
    /// The pit, from 0, when a move meets the claim at once.
    #[inline]
    pub fn expand(
        &self,
        pits: &Pits<P>,
        stones: u8,
        need: u8,
        children: &mut Children<'t, P>,
        requests: &mut Requests,
    ) -> Result<(), u8> {
        children.count = 0;
        for (pit, sown) in pits.moves(self.rules) {
            let pit = pit.index() as u8;
            let rest = stones - sown.gained;
            let again = sown.extra_move;
            let need = if again {
                match need.checked_sub(sown.gained) {
                    None | Some(0) => return Err(pit),
                    Some(need) if need > rest => continue,
                    Some(need) => need,
                }
            } else {
                let allowed = stones - need;
                if allowed >= rest {
                    return Err(pit);
                }
                allowed + 1
            };
            let mover = sown.pits.mover_stones() as u8;
            if mover == 0 || mover == rest {
                // The game is over, and each player keeps the own row.
                if (mover >= need) == again {
                    return Err(pit);
                }
                continue;
            }
            let child = &mut children.list[children.count];
            children.count += 1;
            let (pits, source, excess, order) = (sown.pits, Source::Unplaced, 0, 0);
            // Written where it stays: what is put together elsewhere and copied stalls.
            *child = Child { pits, source, pit, stones: rest, need, again, excess, order };
            child.source = self.source(&child.pits, rest, mover, requests);
        }
        Ok(())
    }

    /// Where a position of so many stones, `mover` in the mover's row, is looked up.
    #[inline]
    fn source(&self, pits: &Pits<P>, stones: u8, mover: u8, requests: &mut Requests) -> Source<'t> {
        if stones > self.unkept {
            return Source::Unplaced;
        }
        if stones <= self.reach
            && let Some(tables) = self.tables
            && let Some(location) = tables.locate(pits, usize::from(stones), usize::from(mover))
        {
            return match location {
                Location::Byte(share) => {
                    requests.add(std::ptr::from_ref(share));
                    Source::Table(share)
                }
                Location::Compact => Source::CompactTable,
            };
        }
        Source::Nowhere
    }

    /// Works out the place of a child among the transpositions, and asks for its memory.
    #[inline]
    pub fn find(&self, child: &mut Child<'t, P>, requests: &mut Requests) {
        if let Source::Unplaced = child.source {
            let place = self.place(&child.pits, child.stones);
            requests.add(self.transpositions.address(place));
            child.source = Source::Transposition(place);
        }
    }

    /// The share of the player to move in a position that is in a compact table; `None` when the
    /// table is damaged there.
    #[inline]
    pub fn decode(&self, pits: &Pits<P>, stones: u8) -> Option<u8> {
        let tables = self.tables.expect("it was found in the tables");
        tables.decode(pits, usize::from(stones), pits.mover_stones()).ok()
    }

    /// A position's place among the transpositions.
    #[inline]
    pub fn place(&self, pits: &Pits<P>, stones: u8) -> Place {
        self.transpositions.place(self.numbering.number(pits, usize::from(stones)))
    }
}
