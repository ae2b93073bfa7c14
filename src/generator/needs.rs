//! Which lower blocks a pair of blocks is computed from.

use super::lines::{Side, Turn};
use super::sowing::{Effect, Sowings};

/// The sides that [`Solver::solve`](super::Solver::solve) reads for the pair of `south` against
/// `north` stones, in order.
pub fn needs<const P: usize>(south: usize, north: usize) -> Vec<Side> {
    // Both turns of all sides in order: most are told many times.
    let stones = south + north;
    let mut needed = vec![[false; 2]; stones * stones];
    if south > 0 && north > 0 {
        let sowings = Sowings::<P>::new(south.max(north));
        successors(&sowings, south, north, |own, other, again| {
            needed[own * stones + other][usize::from(!again)] = true;
        });
        successors(&sowings, north, south, |own, other, again| {
            needed[other * stones + own][usize::from(again)] = true;
        });
    }
    let sides = needed.iter().enumerate().flat_map(|(place, turns)| {
        let (south, north) = (place / stones, place % stones);
        let turns = [Turn::South, Turn::North].into_iter().zip(turns);
        turns.filter(|&(_, &needed)| needed).map(move |(turn, _)| Side { south, north, turn })
    });
    sides.collect()
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
