//! Moves on the pits alone, fast.
//!
//! What a sowing adds to every place depends on nothing but the pit and its stones, so it is
//! computed once, by the compiler: a move is the addition of one small vector, and then perhaps a
//! capture. Any number of laps costs the same.

use super::{Pit, Pits, Row, Rules};

/// The most stones a pit can hold.
const MAX_STONES: usize = Pits::<1>::MAX_STONES;

/// What came of a move, seen from the pits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sown<const P: usize> {
    /// The pits after the move, seen by whoever moves next: by the same player when
    /// [`Sown::extra_move`] is set.
    pub pits: Pits<P>,
    /// Whether the last stone fell into the mover's store. When the game is over there is no
    /// further move all the same.
    pub extra_move: bool,
    /// The stones taken from the facing pit.
    pub captured: u8,
    /// The stones that went to the mover's store, captures included, the ending sweep not.
    pub gained: u8,
}

/// Why a pit cannot be sown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// There are no stones in that pit (number 1 to `P`).
    #[error("pit {0} is empty; choose one that holds stones")]
    EmptyPit(u8),
    /// One row is empty, so nobody moves any more.
    #[error("the game is over: one side's pits are all empty, no move is left")]
    GameOver,
}

/// What sowing one pit adds to each place.
#[derive(Clone, Copy)]
struct Sowing<const P: usize> {
    mover: Row<P>,
    opponent: Row<P>,
    store: u8,
    /// Where the last stone falls: 0 to `P - 1` own pits, `P` the store, the opponent's pits after.
    last: u8,
}

impl<const P: usize> Sowing<P> {
    /// `TABLE[pit][stones]`: 12 KB for 6 pits.
    const TABLE: &'static [[Sowing<P>; MAX_STONES + 1]; P] = &Self::table();

    const fn table() -> [[Sowing<P>; MAX_STONES + 1]; P] {
        let nothing = Sowing { mover: [0; P], opponent: [0; P], store: 0, last: 0 };
        let mut table = [[nothing; MAX_STONES + 1]; P];
        let mut pit = 0;
        while pit < P {
            let mut stones = 1;
            while stones <= MAX_STONES {
                // One stone more goes one place further.
                let before = table[pit][stones - 1];
                let last = (pit + stones) % (2 * P + 1);
                table[pit][stones] = before.and_a_stone_in(last);
                stones += 1;
            }
            pit += 1;
        }
        table
    }

    const fn and_a_stone_in(mut self, place: usize) -> Self {
        if place < P {
            self.mover[place] += 1;
        } else if place == P {
            self.store += 1;
        } else {
            self.opponent[place - P - 1] += 1;
        }
        self.last = place as u8;
        self
    }
}

impl<const P: usize> Pits<P> {
    /// Sows a pit of the mover.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] when the pit is empty or the game is over.
    #[inline]
    pub fn sow(&self, pit: Pit<P>, rules: Rules) -> Result<Sown<P>, IllegalMove> {
        if self.is_over() {
            return Err(IllegalMove::GameOver);
        }
        if self.mover[pit.index()] == 0 {
            return Err(IllegalMove::EmptyPit(pit.number()));
        }
        Ok(self.sow_legal(pit, rules))
    }

    /// Every legal move, by pit, and what comes of it; none when the game is over.
    ///
    /// ```
    /// use kalah::rules::{Pits, Rules};
    ///
    /// let pits = Pits::<3>::new([1, 0, 2], [0, 1, 1])?;
    /// let moves: Vec<_> = pits.moves(Rules::Standard).collect();
    /// assert_eq!(moves.len(), 2);
    /// assert_eq!(moves[0].0.number(), 1);
    /// assert_eq!(moves[0].1.captured, 1);
    /// # Ok::<(), kalah::rules::BoardError>(())
    /// ```
    #[inline]
    pub fn moves(&self, rules: Rules) -> impl Iterator<Item = (Pit<P>, Sown<P>)> + '_ {
        self.legal_pits().map(move |pit| (pit, self.sow_legal(pit, rules)))
    }

    /// The pits the mover may sow, from the mover's left; none when the game is over.
    #[inline]
    pub fn legal_pits(&self) -> impl DoubleEndedIterator<Item = Pit<P>> + use<P> {
        let mover = if self.is_over() { [0; P] } else { self.mover };
        Pit::all().filter(move |pit| mover[pit.index()] > 0)
    }

    /// Sows a pit that is known to be legal.
    #[inline]
    pub(super) fn sow_legal(&self, pit: Pit<P>, rules: Rules) -> Sown<P> {
        let start = pit.index();
        let Pits { mut mover, mut opponent } = *self;
        let sowing = &Sowing::<P>::TABLE[start][usize::from(mover[start])];
        mover[start] = 0;
        for place in 0..P {
            mover[place] += sowing.mover[place];
            opponent[place] += sowing.opponent[place];
        }
        let mut gained = sowing.store;
        let mut captured = 0;
        let last = usize::from(sowing.last);
        // A pit in which the last stone lies alone was empty before it fell, the pit that was sown
        // included.
        if last < P && mover[last] == 1 {
            let facing = &mut opponent[P - 1 - last];
            if *facing > 0 || rules == Rules::EmptyCapture {
                captured = *facing;
                gained += captured + 1;
                *facing = 0;
                mover[last] = 0;
            }
        }
        let extra_move = last == P;
        let pits = if extra_move {
            Pits { mover, opponent }
        } else {
            Pits { mover: opponent, opponent: mover }
        };
        Sown { pits, extra_move, captured, gained }
    }
}
