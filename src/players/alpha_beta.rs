//! Alpha-beta: the value of a position as far as one looks ahead.
//!
//! Values are margins, seen by the player to move, in [`STONE`]ths of a stone: what is still to be
//! gained of the stones in the pits, whatever the stores hold. After an extra move the same player
//! maximises again; how far one looks ahead is counted in turns, of which extra moves are part.

use super::transposition::{Kind, Known, Transpositions};
use crate::rules::{Pit, Pits, Rules, Sown};
use crate::tables::Tablebase;

/// What a stone counts.
pub(super) const STONE: i16 = 16;

/// What a stone more in the own row than in the other is worth where it is counted. Between a
/// sixteenth and half a stone, matches of a few hundred games do not tell weights apart.
pub(super) const ROW: i16 = 2;

/// Turns that stand for "to the end of every line".
const PROVED: u8 = u8::MAX;

/// The most turns that can be looked ahead.
pub(super) const MOST_TURNS: u8 = PROVED - 1;

/// Beyond every value.
const INFINITE: i16 = 128 * STONE;

/// Nodes between two looks at whether to stop.
const BATCH: u64 = 1 << 10;

/// What the order of moves weighs beside what they gain and how they look: whoever moves again
/// has something to choose from.
const AGAIN: i16 = STONE;

/// Why a search ends without a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// It was told to stop.
    Stopped,
    /// A table has a share that no position of its layer can have.
    Damaged,
}

/// What a search goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judgement<'t, const P: usize> {
    pub rules: Rules,
    /// Where lines end with what is true.
    pub tables: Option<&'t Tablebase<P>>,
    /// What a stone more in the own row than in the other is worth where a line ends for lack of
    /// turns.
    pub row: i16,
}

/// A search from one position.
pub(super) struct AlphaBeta<'a, 't, const P: usize> {
    judgement: &'a Judgement<'t, P>,
    known: &'a mut Transpositions<P>,
    /// Whether to stop, given the nodes so far.
    stop: &'a dyn Fn(u64) -> bool,
    nodes: u64,
    /// Whether a value was a matter of judgement since this was last set to false.
    judged: bool,
}

/// A move at the root and what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Valued<const P: usize> {
    pub pit: Pit<P>,
    /// Right for the best moves; of the others at least so much less.
    pub value: i16,
}

impl<'a, 't, const P: usize> AlphaBeta<'a, 't, P> {
    pub fn new(
        judgement: &'a Judgement<'t, P>,
        known: &'a mut Transpositions<P>,
        stop: &'a dyn Fn(u64) -> bool,
    ) -> Self {
        AlphaBeta { judgement, known, stop, nodes: 0, judged: false }
    }

    /// The legal moves by what they look like, best first.
    pub fn by_looks(&self, pits: &Pits<P>) -> Vec<Valued<P>> {
        let moves = self.moves(pits);
        let valued = moves.iter().map(|&(looks, pit, _)| Valued { pit, value: looks });
        valued.collect()
    }

    /// Values moves by looking so many turns ahead, 1 to [`MOST_TURNS`], and sorts them, best first
    /// and equal ones as they were. Whether the best value is proved.
    ///
    /// # Errors
    ///
    /// [`Halt`]; the moves then are in some order.
    pub fn rank(
        &mut self,
        pits: &Pits<P>,
        turns: u8,
        moves: &mut [Valued<P>],
    ) -> Result<bool, Halt> {
        if (self.stop)(self.nodes) {
            return Err(Halt::Stopped);
        }
        self.judged = false;
        let mut best = -INFINITE;
        for valued in moves.iter_mut() {
            let sown = pits.sow(valued.pit, self.judgement.rules).expect("the moves are legal");
            // As much as the best is found out exactly, so that equals are known.
            valued.value = self.after(&sown, turns, best.saturating_sub(1), INFINITE)?;
            best = best.max(valued.value);
        }
        moves.sort_by_key(|valued| std::cmp::Reverse(valued.value));
        Ok(!self.judged)
    }

    /// The value of a move.
    fn after(&mut self, sown: &Sown<P>, turns: u8, alpha: i16, beta: i16) -> Result<i16, Halt> {
        let gained = i16::from(sown.gained) * STONE;
        Ok(gained
            + if sown.extra_move {
                self.value(&sown.pits, turns, alpha - gained, beta - gained)?
            } else {
                -self.value(&sown.pits, turns - 1, gained - beta, gained - alpha)?
            })
    }

    /// The value of a position: exact within the window, a bound outside.
    fn value(&mut self, pits: &Pits<P>, turns: u8, mut alpha: i16, beta: i16) -> Result<i16, Halt> {
        if let Some(margin) = self.certain(pits)? {
            return Ok(margin * STONE);
        }
        let stones = pits.stones() as i16 * STONE;
        // Nobody gets more than there is.
        if alpha >= stones {
            return Ok(stones);
        }
        if beta <= -stones {
            return Ok(-stones);
        }
        if turns == 0 {
            self.judged = true;
            return Ok(self.looks(pits));
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(BATCH) && (self.stop)(self.nodes) {
            return Err(Halt::Stopped);
        }
        let mut first = None;
        if let Some(known) = self.known.get(pits) {
            first = Some(known.pit);
            let suffices = match known.kind {
                Kind::Exactly => true,
                Kind::AtLeast => known.value >= beta,
                Kind::AtMost => known.value <= alpha,
            };
            if suffices && known.turns >= turns {
                self.judged |= known.turns != PROVED;
                return Ok(known.value);
            }
        }
        let judged = std::mem::replace(&mut self.judged, false);
        let mut moves = self.moves(pits);
        if let Some(pit) = first {
            moves.first(pit);
        }
        let lowest = alpha;
        let (mut best, mut best_pit) = (-INFINITE, None);
        for (_, pit, sown) in moves.iter() {
            let value = self.after(sown, turns, alpha, beta)?;
            if value > best {
                (best, best_pit) = (value, Some(*pit));
                alpha = alpha.max(value);
                if alpha >= beta {
                    break;
                }
            }
        }
        if let Some(pit) = best_pit {
            let kind = match best {
                value if value >= beta => Kind::AtLeast,
                value if value <= lowest => Kind::AtMost,
                _ => Kind::Exactly,
            };
            let turns = if self.judged { turns } else { PROVED };
            self.known.put(Known { pits: *pits, value: best, kind, turns, pit });
        }
        self.judged |= judged;
        Ok(best)
    }

    /// The margin, where the game is over or a table has it.
    fn certain(&self, pits: &Pits<P>) -> Result<Option<i16>, Halt> {
        if let Some(tables) = self.judgement.tables
            && tables.stones() >= Some(pits.stones())
        {
            return tables.margin(pits).map(Some).ok_or(Halt::Damaged);
        }
        Ok(pits.final_margin())
    }

    /// What a position looks like without looking ahead.
    fn looks(&self, pits: &Pits<P>) -> i16 {
        let mover = pits.mover_stones() as i16;
        let opponent = pits.stones() as i16 - mover;
        (mover - opponent) * self.judgement.row
    }
}

/// The moves of a position, best looking first.
struct Moves<const P: usize> {
    /// The first `count` are those there are.
    list: [Move<P>; P],
    count: usize,
}

/// How a move looks, its pit, and what comes of it.
type Move<const P: usize> = (i16, Pit<P>, Sown<P>);

impl<const P: usize> Moves<P> {
    fn iter(&self) -> impl Iterator<Item = &Move<P>> {
        self.list[..self.count].iter()
    }

    /// Adds a move behind those that look as good.
    fn add(&mut self, added: Move<P>) {
        let mut place = self.count;
        while place > 0 && self.list[place - 1].0 < added.0 {
            self.list[place] = self.list[place - 1];
            place -= 1;
        }
        self.list[place] = added;
        self.count += 1;
    }

    /// Puts the move by this pit first, if there is one.
    fn first(&mut self, pit: Pit<P>) {
        let place = self.iter().position(|&(_, other, _)| other == pit);
        if let Some(place) = place {
            self.list[..=place].rotate_right(1);
        }
    }
}

impl<const P: usize> AlphaBeta<'_, '_, P> {
    /// The legal moves. Those nearest to the store come first among equals: they change least.
    #[inline]
    fn moves(&self, pits: &Pits<P>) -> Moves<P> {
        let blank = Sown { pits: *pits, extra_move: false, captured: 0, gained: 0 };
        let no_pit = Pit::from_number(1).expect("there is a first pit");
        let mut moves = Moves { list: [(0, no_pit, blank); P], count: 0 };
        for pit in pits.legal_pits().rev() {
            let sown = pits.sow(pit, self.judgement.rules).expect("the pit is legal");
            let next =
                sown.pits.final_margin().map_or_else(|| self.looks(&sown.pits), |m| m * STONE);
            let gained = i16::from(sown.gained) * STONE;
            let looks = gained + if sown.extra_move { next + AGAIN } else { -next };
            moves.add((looks, pit, sown));
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value by looking at everything, with the leaves judged as the search does.
    fn minimax<const P: usize>(judgement: &Judgement<'_, P>, pits: &Pits<P>, turns: u8) -> i16 {
        if let Some(margin) = pits.final_margin() {
            return margin * STONE;
        }
        if turns == 0 {
            let mover = pits.mover_stones() as i16;
            return (2 * mover - pits.stones() as i16) * judgement.row;
        }
        let values = pits.moves(judgement.rules).map(|(_, sown)| {
            let gained = i16::from(sown.gained) * STONE;
            match sown.extra_move {
                true => gained + minimax(judgement, &sown.pits, turns),
                false => gained - minimax(judgement, &sown.pits, turns - 1),
            }
        });
        values.max().expect("the game goes on")
    }

    fn is_minimax<const P: usize>(pits: Pits<P>, turns: u8) {
        for rules in Rules::ALL {
            for (row, bits) in [(0, 0), (0, 12), (5, 12)] {
                let judgement = Judgement { rules, tables: None, row };
                let mut known = Transpositions::new(bits.max(1));
                let mut search = AlphaBeta::new(&judgement, &mut known, &|_| false);
                let mut moves = search.by_looks(&pits);
                for turns in 1..=turns {
                    search.rank(&pits, turns, &mut moves).unwrap();
                    let value = minimax(&judgement, &pits, turns);
                    assert_eq!(moves[0].value, value, "{pits:?} {rules} {turns} {row}");
                    for valued in &moves {
                        let sown = pits.sow(valued.pit, rules).unwrap();
                        let gained = i16::from(sown.gained) * STONE;
                        let true_value = gained
                            + match sown.extra_move {
                                true => minimax(&judgement, &sown.pits, turns),
                                false => -minimax(&judgement, &sown.pits, turns - 1),
                            };
                        assert!(true_value <= valued.value || valued.value == value);
                        assert_eq!(true_value == value, valued.value == value);
                    }
                }
            }
        }
    }

    #[test]
    fn values_are_those_of_minimax() {
        is_minimax(Pits::new([2, 1, 3], [0, 2, 2]).unwrap(), 6);
        is_minimax(Pits::new([3; 4], [3; 4]).unwrap(), 4);
        is_minimax(Pits::new([1, 0, 2, 0, 3, 1], [0, 0, 2, 1, 0, 4]).unwrap(), 5);
        is_minimax(Pits::new([4; 8], [4; 8]).unwrap(), 2);
    }
}
