//! The rules once more, stone by stone, as a rule book tells them.
//!
//! Slow and simple, for any number of pits chosen at run time. It shares no code with the boards
//! of the parent module, so that each can be held against the other, and so that tables can be
//! checked by something that did not build them.
//!
//! ```
//! use kalah::rules::{Rules, plain::{Position, over_margin, successor}};
//!
//! let position = Position { mover: vec![0, 1], opponent: vec![3, 1] };
//! let after = successor(&position, 1, Rules::Standard).unwrap();
//! assert!(after.same_player);
//! assert_eq!(after.gained, 1);
//! // The mover has no stones left: the game is over, and the opponent sweeps four.
//! assert_eq!(over_margin(&after.next), Some(-4));
//! ```

use super::Rules;

/// The pits of a position, each row from its owner's left; the rows are equally long.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Position {
    /// The row of the player to move.
    pub mover: Vec<u8>,
    /// The other player's row.
    pub opponent: Vec<u8>,
}

/// What came of a move.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Successor {
    /// The pits after the move, seen by whoever moves next.
    pub next: Position,
    /// Whether the player who moved moves again, unless the game is over.
    pub same_player: bool,
    /// The stones that went to the mover's store, captures included, the ending sweep not.
    pub gained: u32,
    /// The stones taken from the facing pit.
    pub captured: u32,
}

/// A place a stone can fall into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Mover(usize),
    Store,
    Opponent(usize),
}

impl Place {
    /// The place after this one on a board of `pits` pits a side.
    fn next(self, pits: usize) -> Place {
        match self {
            Place::Mover(pit) if pit + 1 < pits => Place::Mover(pit + 1),
            Place::Mover(_) => Place::Store,
            Place::Store => Place::Opponent(0),
            Place::Opponent(pit) if pit + 1 < pits => Place::Opponent(pit + 1),
            Place::Opponent(_) => Place::Mover(0),
        }
    }
}

/// Sows the mover's `pit`, counted from 0. `None` when there is no such pit, it is empty, or the
/// game is over.
///
/// # Panics
///
/// When the rows differ in length, or a pit would come to hold more than 255 stones (which at
/// most 255 on the board never do).
pub fn successor(position: &Position, pit: usize, rules: Rules) -> Option<Successor> {
    let mut successor = Successor::default();
    sow_into(&mut successor, position, pit, rules).then_some(successor)
}

/// [`successor`] for those who look at very many: what came of the move replaces what is in
/// `successor`, whose rows are used again, so that no memory is taken. `false`, and nothing to be
/// relied on in `successor`, where [`successor`] gives `None`.
///
/// # Panics
///
/// As [`successor`].
pub fn sow_into(successor: &mut Successor, position: &Position, pit: usize, rules: Rules) -> bool {
    let pits = position.mover.len();
    assert_eq!(pits, position.opponent.len(), "the rows differ in length");
    if over_margin(position).is_some() {
        return false;
    }
    let mut in_hand = match position.mover.get(pit) {
        None | Some(0) => return false,
        Some(&stones) => stones,
    };

    let Successor { next: Position { mover, opponent }, same_player, gained, captured } = successor;
    mover.clone_from(&position.mover);
    opponent.clone_from(&position.opponent);
    *gained = 0;
    *captured = 0;
    let mut place = Place::Mover(pit);
    mover[pit] = 0;
    while in_hand > 0 {
        place = place.next(pits);
        in_hand -= 1;
        match place {
            Place::Mover(pit) => mover[pit] = one_more(mover[pit]),
            Place::Store => *gained += 1,
            Place::Opponent(pit) => opponent[pit] = one_more(opponent[pit]),
        }
    }

    if let Place::Mover(last) = place {
        let facing = pits - 1 - last;
        let was_empty = mover[last] == 1;
        let takes = match rules {
            Rules::Standard => opponent[facing] > 0,
            Rules::EmptyCapture => true,
        };
        if was_empty && takes {
            *captured = u32::from(opponent[facing]);
            *gained += *captured + 1;
            mover[last] = 0;
            opponent[facing] = 0;
        }
    }

    *same_player = place == Place::Store;
    if !*same_player {
        std::mem::swap(mover, opponent);
    }
    true
}

/// When one row is empty, what the ending sweep gives the mover minus what it gives the opponent.
pub fn over_margin(position: &Position) -> Option<i32> {
    let mover: i32 = position.mover.iter().map(|&stones| i32::from(stones)).sum();
    let opponent: i32 = position.opponent.iter().map(|&stones| i32::from(stones)).sum();
    (mover == 0 || opponent == 0).then_some(mover - opponent)
}

fn one_more(stones: u8) -> u8 {
    stones.checked_add(1).expect("a pit holds at most 255 stones")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_before_a_move_does_not_matter() {
        let mut used = Successor::default();
        for (mover, opponent) in [
            (vec![0, 1], vec![3, 1]),
            (vec![9, 0, 0, 1], vec![1, 2, 3, 4]),
            (vec![1, 0], vec![2, 2]),
            (vec![0, 0], vec![2, 2]),
        ] {
            let position = Position { mover, opponent };
            for (pit, rules) in (0..5).flat_map(|pit| Rules::ALL.map(|rules| (pit, rules))) {
                let expected = successor(&position, pit, rules);
                let sown = sow_into(&mut used, &position, pit, rules);
                assert_eq!(sown.then_some(&used), expected.as_ref());
            }
        }
    }
}
