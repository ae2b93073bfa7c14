//! What a proof is a proof of.

use std::fmt;

use serde::Serialize;

use crate::ranking::MAX_STONES;
use crate::rules::{Board, Rules};
use crate::tables::MAX_TABLE_PITS;

/// How the value of a position compares with a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The player to move can force it, or more.
    AtLeast,
    /// The opponent can hold the player to move to it, or less.
    AtMost,
    /// Both.
    Exactly,
}

impl Relation {
    /// Every relation, in the order of their numbers in files.
    pub const ALL: [Relation; 3] = [Relation::AtLeast, Relation::AtMost, Relation::Exactly];
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::AtLeast => "at least",
            Relation::AtMost => "at most",
            Relation::Exactly => "exactly",
        })
    }
}

/// That by these rules the player to move in a position, the root, ends with at least, at most or
/// exactly a value, own store minus opponent's. It may be wrong.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Statement {
    rules: Rules,
    root: Box<[u8]>,
    relation: Relation,
    value: i16,
}

impl Statement {
    /// States this of a board.
    pub fn new<const P: usize>(
        rules: Rules,
        root: &Board<P>,
        relation: Relation,
        value: i16,
    ) -> Self {
        let pits = root.pits();
        let (mover, opponent) = (pits.mover().iter(), pits.opponent().iter());
        let stores = (root.store(), root.opponent_store());
        let root = mover.chain([&stores.0]).chain(opponent).chain([&stores.1]).copied().collect();
        Statement { rules, root, relation, value }
    }

    /// The statement about the board of these numbers; `None` when they are no board of 1 to 6 pits
    /// a side.
    pub(super) fn from_numbers(
        rules: Rules,
        root: Vec<u8>,
        relation: Relation,
        value: i16,
    ) -> Option<Self> {
        let possible = root.len().is_multiple_of(2)
            && (4..=2 * MAX_TABLE_PITS + 2).contains(&root.len())
            && root.iter().map(|&count| usize::from(count)).sum::<usize>() <= MAX_STONES;
        possible.then(|| Statement { rules, root: root.into(), relation, value })
    }

    /// The rules of the game.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Pits a side.
    pub fn pits(&self) -> usize {
        self.root.len() / 2 - 1
    }

    /// The root, as `2P + 2` numbers: the mover's pits and store, the opponent's pits and store.
    pub fn root(&self) -> &[u8] {
        &self.root
    }

    /// How the value of the root compares with [`Statement::value`].
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// What it is compared with.
    pub fn value(&self) -> i16 {
        self.value
    }

    /// The mover's row.
    pub(super) fn mover(&self) -> &[u8] {
        &self.root[..self.pits()]
    }

    /// The opponent's row.
    pub(super) fn opponent(&self) -> &[u8] {
        &self.root[self.pits() + 1..2 * self.pits() + 1]
    }

    /// Stones in the pits.
    pub(super) fn stones(&self) -> usize {
        self.mover().iter().chain(self.opponent()).map(|&count| usize::from(count)).sum()
    }

    /// The share of the stones in the pits that the player to move must get, when the statement is
    /// about that. Beyond 0 to [`Statement::stones`] when anything will do, or nothing.
    pub(super) fn mover_needs(&self) -> Option<i32> {
        // The least share s with 2 s - stones + lead >= value.
        (self.relation != Relation::AtMost).then(|| (self.excess() + 1).div_euclid(2))
    }

    /// The share that the opponent must get.
    pub(super) fn opponent_needs(&self) -> Option<i32> {
        // All but the greatest share s with 2 s - stones + lead <= value.
        (self.relation != Relation::AtLeast)
            .then(|| self.stones() as i32 - self.excess().div_euclid(2))
    }

    /// Twice the share with which the player to move ends with the value.
    fn excess(&self) -> i32 {
        let [store, opponent_store] = [self.pits(), 2 * self.pits() + 1].map(|at| self.root[at]);
        let lead = i32::from(store) - i32::from(opponent_store);
        self.stones() as i32 + i32::from(self.value) - lead
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statement { rules, root, relation, value } = self;
        let root: Vec<String> = root.iter().map(u8::to_string).collect();
        let root = root.join(",");
        write!(f, "the player to move in {root} ends with {relation} {value} by {rules} rules")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(board: &str, relation: Relation, value: i16) -> [Option<i32>; 2] {
        let board: Board<2> = board.parse().unwrap();
        let statement = Statement::new(Rules::Standard, &board, relation, value);
        [statement.mover_needs(), statement.opponent_needs()]
    }

    #[test]
    fn values_become_shares() {
        use Relation::{AtLeast, AtMost, Exactly};
        assert_eq!(needs("2,2,0,2,2,0", AtLeast, 0), [Some(4), None]);
        // No margin of eight stones is odd.
        assert_eq!(needs("2,2,0,2,2,0", AtLeast, 1), [Some(5), None]);
        assert_eq!(needs("2,2,0,2,2,0", AtMost, 1), [None, Some(4)]);
        assert_eq!(needs("2,2,0,2,2,0", Exactly, 2), [Some(5), Some(3)]);
        assert_eq!(needs("2,2,3,2,2,1", Exactly, 2), [Some(4), Some(4)]);
        assert_eq!(needs("2,2,0,2,2,0", Exactly, 1), [Some(5), Some(4)]);
        assert_eq!(needs("2,1,0,2,2,0", AtLeast, -8), [Some(0), None]);
        assert_eq!(needs("2,2,0,2,2,0", AtMost, 20), [None, Some(-6)]);
        assert_eq!(needs("2,2,0,2,2,0", AtLeast, -20), [Some(-6), None]);
        assert_eq!(needs("2,2,0,2,2,0", AtLeast, i16::MAX), [Some(16388), None]);
    }
}
