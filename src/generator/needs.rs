//! Which lower blocks a pair of blocks is computed from.

use std::collections::BTreeSet;

use super::lines::{Side, Turn};
use super::sowing::{Effect, Sowings};

/// The sides that [`Solver::solve`](super::Solver::solve) reads for the pair of `south` against
/// `north` stones, in order.
pub fn needs<const P: usize>(south: usize, north: usize) -> Vec<Side> {
    let mut sides = BTreeSet::new();
    if south > 0 && north > 0 {
        let sowings = Sowings::<P>::new(south.max(north));
        successors(&sowings, south, north, |own, other, again| {
            let turn = if again { Turn::South } else { Turn::North };
            sides.insert(Side { south: own, north: other, turn });
        });
        successors(&sowings, north, south, |own, other, again| {
            let turn = if again { Turn::North } else { Turn::South };
            sides.insert(Side { south: other, north: own, turn });
        });
    }
    sides.into_iter().collect()
}

/// Tells, for each way in which a move can leave the layer, the stones left in the sower's and in
/// the other row, and whether the sower moves again.
fn successors<const P: usize>(
    sowings: &Sowings<P>,
    own: usize,
    other: usize,
    mut tell: impl FnMut(usize, usize, bool),
) {
    for effect in (1..=own).flat_map(|stones| (0..P).map(move |pit| sowings.effect(pit, stones))) {
        let Effect { gain, adds, .. } = effect;
        let added = adds.stones(P);
        let left = own - gain - added;
        if gain > 0 {
            tell(left, other + added, effect.ends_in_store());
        }
        if effect.ends_in_own_row() {
            for held in 0..=other {
                tell(left - 1, other + added - held - usize::from(adds.laps), false);
            }
        }
    }
}
