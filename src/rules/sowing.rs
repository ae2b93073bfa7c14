//! Moves on the pits alone, fast.
//!
//! What a sowing adds to every place depends on nothing but the pit and its stones, so it is
//! computed once, by the compiler: a move is the addition of one word to each row, and then perhaps
//! a capture. Any number of laps costs the same.

use super::{LegalPits, MAX_STONES, Pit, Pits, Rules, lanes::Lanes};

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

/// What sowing one pit does to every place, a byte a pit where it is a word.
#[derive(Clone, Copy)]
struct Sowing {
    /// What falls into the mover's pits.
    mover: u64,
    /// What falls into the opponent's pits.
    opponent: u64,
    /// A one in the mover's pit in which the last stone falls; zero when it falls elsewhere.
    last: u64,
    /// What falls into the store.
    store: u8,
    /// Whether the last stone falls into the store.
    extra_move: bool,
    /// Where the pit that faces `last` begins in its word; 0 when there is none.
    facing: u8,
}

/// The sowings of a game of `P` pits a side.
struct Sowings<const P: usize>;

impl<const P: usize> Sowings<P> {
    /// `TABLE[pit][stones]`: 24 KB for 6 pits, of which a game uses the beginnings.
    const TABLE: &'static [[Sowing; MAX_STONES + 1]; P] = &Self::table();

    const fn table() -> [[Sowing; MAX_STONES + 1]; P] {
        let nothing =
            Sowing { mover: 0, opponent: 0, last: 0, store: 0, extra_move: false, facing: 0 };
        let mut table = [[nothing; MAX_STONES + 1]; P];
        let mut pit = 0;
        while pit < P {
            let mut stones = 1;
            while stones <= MAX_STONES {
                // One stone more goes one place further.
                let place = (pit + stones) % (2 * P + 1);
                table[pit][stones] = Self::one_more(table[pit][stones - 1], place);
                stones += 1;
            }
            pit += 1;
        }
        table
    }

    /// The sowing with one more, last, stone in `place`: 0 to `P - 1` own pits, `P` the store, the
    /// opponent's pits after.
    const fn one_more(before: Sowing, place: usize) -> Sowing {
        let mut sowing = Sowing { last: 0, extra_move: place == P, facing: 0, ..before };
        if place < P {
            sowing.last = 1 << (8 * place);
            sowing.facing = 8 * (P - 1 - place) as u8;
            sowing.mover += sowing.last;
        } else if place == P {
            sowing.store += 1;
        } else {
            sowing.opponent += 1 << (8 * (place - P - 1));
        }
        sowing
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
        if self.mover()[pit.index()] == 0 {
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
    pub fn legal_pits(&self) -> LegalPits<P> {
        if self.is_over() { LegalPits::none() } else { LegalPits::occupied(self.mover) }
    }

    /// Sows a pit that is known to be legal.
    #[inline]
    fn sow_legal(&self, pit: Pit<P>, rules: Rules) -> Sown<P> {
        const PIT: u64 = 0xff;
        let stones = self.mover()[pit.index()];
        let sowing = &Sowings::<P>::TABLE[pit.index()][usize::from(stones)];
        let emptied = self.mover.word() & !(PIT << (8 * pit.index()));
        let mut mover = emptied + sowing.mover;
        let mut opponent = self.opponent.word() + sowing.opponent;
        let mut gained = sowing.store;
        let mut captured = 0;

        // A pit in which the last stone lies alone was empty before it fell, the pit that was sown
        // included.
        if sowing.last != 0 && mover & (PIT * sowing.last) == sowing.last {
            let facing = (opponent >> sowing.facing) & PIT;
            if facing > 0 || rules == Rules::EmptyCapture {
                mover -= sowing.last;
                opponent -= facing << sowing.facing;
                captured = facing as u8;
                gained += captured + 1;
            }
        }

        let (mover, opponent) = (Lanes::from_word(mover), Lanes::from_word(opponent));
        let extra_move = sowing.extra_move;
        let pits = if extra_move {
            Pits { mover, opponent }
        } else {
            Pits { mover: opponent, opponent: mover }
        };
        Sown { pits, extra_move, captured, gained }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Row, *};
    use Rules::{EmptyCapture, Standard};

    fn sow<const P: usize>(
        mover: Row<P>,
        opponent: Row<P>,
        number: usize,
        rules: Rules,
    ) -> Sown<P> {
        let pit = Pit::from_number(number).unwrap();
        Pits::new(mover, opponent).unwrap().sow(pit, rules).unwrap()
    }

    /// Both rows after the move, the moving player's first.
    fn rows<const P: usize>(sown: &Sown<P>) -> (Row<P>, Row<P>) {
        if sown.extra_move {
            (*sown.pits.mover(), *sown.pits.opponent())
        } else {
            (*sown.pits.opponent(), *sown.pits.mover())
        }
    }

    #[test]
    fn a_last_stone_in_the_store_moves_again() {
        for rules in Rules::ALL {
            let sown = sow([0, 0, 4, 0, 0, 1], [1; 6], 3, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (true, 0, 1));
            assert_eq!(rows(&sown), ([0, 0, 0, 1, 1, 2], [1; 6]));
            // Once round and on to the store: 13 + 4.
            let sown = sow([0, 0, 17, 0, 0, 1], [1; 6], 3, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (true, 0, 2));
            assert_eq!(rows(&sown), ([1, 1, 1, 2, 2, 3], [2; 6]));
        }
    }

    #[test]
    fn sowing_passes_into_the_other_row_and_the_turn_with_it() {
        let sown = sow([0, 0, 0, 0, 4, 1], [1; 6], 5, Standard);
        assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 0, 1));
        assert_eq!(sown.pits, Pits::new([2, 2, 1, 1, 1, 1], [0, 0, 0, 0, 0, 2]).unwrap());
    }

    #[test]
    fn a_last_stone_in_an_own_empty_pit_captures_the_facing_one() {
        for rules in Rules::ALL {
            // Pit 4 faces the opponent's pit 3.
            let sown = sow([0, 2, 1, 0, 0, 0], [1, 2, 9, 4, 5, 6], 2, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 9, 10));
            assert_eq!(rows(&sown), ([0, 0, 2, 0, 0, 0], [1, 2, 0, 4, 5, 6]));
        }
    }

    #[test]
    fn a_last_stone_in_an_own_pit_that_held_stones_captures_nothing() {
        for rules in Rules::ALL {
            let sown = sow([0, 2, 1, 1, 0, 0], [1, 2, 9, 4, 5, 6], 2, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 0, 0));
            assert_eq!(rows(&sown), ([0, 0, 2, 2, 0, 0], [1, 2, 9, 4, 5, 6]));
        }
    }

    #[test]
    fn a_last_stone_in_an_empty_pit_of_the_opponent_captures_nothing() {
        for rules in Rules::ALL {
            let sown = sow([1, 0, 0, 0, 0, 2], [0, 2, 9, 4, 5, 6], 6, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 0, 1));
            assert_eq!(rows(&sown), ([1, 0, 0, 0, 0, 0], [1, 2, 9, 4, 5, 6]));
        }
    }

    #[test]
    fn facing_an_empty_pit_the_stone_stays_or_goes_to_the_store() {
        let sown = sow([0, 2, 1, 0, 0, 0], [1, 2, 0, 4, 5, 6], 2, Standard);
        assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 0, 0));
        assert_eq!(rows(&sown), ([0, 0, 2, 1, 0, 0], [1, 2, 0, 4, 5, 6]));

        let sown = sow([0, 2, 1, 0, 0, 0], [1, 2, 0, 4, 5, 6], 2, EmptyCapture);
        assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 0, 1));
        assert_eq!(rows(&sown), ([0, 0, 2, 0, 0, 0], [1, 2, 0, 4, 5, 6]));
    }

    #[test]
    fn a_full_lap_ends_in_its_own_pit_and_captures() {
        for rules in Rules::ALL {
            // Every facing pit got a stone on the way, the empty ones too.
            let sown = sow([0, 13, 0, 0, 0, 0], [1; 6], 2, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 2, 4));
            assert_eq!(rows(&sown), ([1, 0, 1, 1, 1, 1], [2, 2, 2, 2, 0, 2]));
            let sown = sow([0, 13, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], 2, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 1, 3));
            assert_eq!(rows(&sown), ([1, 0, 1, 1, 1, 1], [2, 1, 1, 1, 0, 1]));
        }
    }

    #[test]
    fn sowing_round_captures_in_an_earlier_pit_that_was_empty() {
        for rules in Rules::ALL {
            // 3 + 1 + 6 + 1 stones: pit 4 to pit 1.
            let sown = sow([0, 0, 0, 10, 0, 0], [0, 0, 0, 0, 0, 7], 4, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 8, 10));
            assert_eq!(rows(&sown), ([0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 1, 0]));
        }
    }

    #[test]
    fn two_full_laps_leave_two_stones_and_capture_nothing() {
        for rules in Rules::ALL {
            let sown = sow([0, 26, 0, 0, 0, 0], [3; 6], 2, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 0, 2));
            assert_eq!(rows(&sown), ([2; 6], [5; 6]));
        }
    }

    #[test]
    fn the_most_stones_are_sown() {
        for rules in Rules::ALL {
            // 126 = 9 * 13 + 9; with 127 in one pit the game would be over.
            let sown = sow([126, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], 1, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 0, 10));
            assert_eq!(rows(&sown), ([9, 10, 10, 10, 10, 10], [11, 10, 10, 9, 9, 9]));
        }
    }

    #[test]
    fn an_emptied_row_ends_the_game_in_spite_of_an_extra_move() {
        for rules in Rules::ALL {
            let sown = sow([0, 0, 0, 0, 0, 1], [0, 3, 0, 0, 0, 1], 6, rules);
            assert_eq!((sown.extra_move, sown.gained), (true, 1));
            assert!(sown.pits.is_over());
            assert_eq!(sown.pits.final_margin(), Some(-4));
            assert_eq!(sown.pits.legal_pits().count(), 0);
            for pit in Pit::all() {
                assert_eq!(sown.pits.sow(pit, rules), Err(IllegalMove::GameOver));
            }
        }
    }

    #[test]
    fn a_capture_that_empties_the_other_row_ends_the_game() {
        let sown = sow([1, 0, 4], [0, 2, 0], 1, Standard);
        assert_eq!((sown.captured, sown.gained), (2, 3));
        // Seen by the player whose row is empty.
        assert_eq!(sown.pits.final_margin(), Some(-4));
    }

    #[test]
    fn empty_pits_are_no_moves() {
        let pits = Pits::new([0, 3, 0], [0, 0, 1]).unwrap();
        let legal: Vec<u8> = pits.legal_pits().map(Pit::number).collect();
        assert_eq!(legal, [2]);
        let pit = Pit::from_number(3).unwrap();
        assert_eq!(pits.sow(pit, Standard), Err(IllegalMove::EmptyPit(3)));
    }

    #[test]
    fn one_pit_a_side() {
        for rules in Rules::ALL {
            // One stone: the store, and the row is empty.
            let sown = sow([1], [5], 1, rules);
            assert_eq!((sown.extra_move, sown.gained), (true, 1));
            assert_eq!(sown.pits.final_margin(), Some(-5));
            // Two: one across.
            let sown = sow([2], [5], 1, rules);
            assert_eq!((sown.extra_move, sown.gained), (false, 1));
            assert_eq!(sown.pits.final_margin(), Some(6));
            // Three: a full lap takes everything.
            let sown = sow([3], [5], 1, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 6, 8));
            assert_eq!(sown.pits.final_margin(), Some(0));
            // Four: a lap and the store.
            let sown = sow([4], [5], 1, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (true, 0, 2));
            assert_eq!(rows(&sown), ([1], [6]));
            // Six: two laps, two stones at home.
            let sown = sow([6], [5], 1, rules);
            assert_eq!((sown.extra_move, sown.captured, sown.gained), (false, 0, 2));
            assert_eq!(rows(&sown), ([2], [7]));
        }
    }
}
