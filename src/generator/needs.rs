//! Which lower blocks a pair of blocks is computed from, and which rows of them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::lines::{Side, Turn};
use super::sowing::{Effect, Sowings, facing};
use crate::ranking::row_count;

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

/// The ranks of the rows of `stones` stones in `P` pits that have `first` of them in the first pit.
///
/// Rows are ranked lexicographically, so these are neighbours.
pub fn rows_with_first<const P: usize>(stones: usize, first: usize) -> Range<usize> {
    if first > stones {
        return 0..0;
    }
    // A row comes before them if it has more behind the first pit, and after them if it has less.
    let rows = |most_behind: usize| row_count(P, most_behind) as usize;
    let start = rows(stones) - rows(stones - first);
    let end = if first == stones { rows(stones) } else { rows(stones) - rows(stones - first - 1) };
    start..end
}

/// Rows of a side that a stage reads: those of South with so many stones in the first pit.
pub type Rows = (Side, usize);

/// What [`Solver::solve_stage`](super::Solver::solve_stage) reads for South's rows with `first`
/// stones in the first pit, in order: all rows of a side with some number of stones there.
///
/// Whatever is sown, South's first pit keeps its stones, or is emptied, or gets those that go round:
/// so a stage reads few of a side's rows, and the stages read them in order.
pub fn stage_needs<const P: usize>(south: usize, north: usize, first: usize) -> Vec<Rows> {
    if south == 0 || north == 0 {
        return Vec::new();
    }
    let mut rows = BTreeSet::new();
    let mut add = |south: usize, north: usize, turn, first: usize| {
        if first <= south {
            rows.insert((Side { south, north, turn }, first));
        }
    };
    let sowings = Sowings::<P>::new(south.max(north));
    let behind = south - first;
    for (pit, stones) in (0..P).flat_map(|pit| (1..=south).map(move |stones| (pit, stones))) {
        if if pit == 0 { stones != first } else { stones > behind } {
            continue;
        }
        let effect = sowings.effect(pit, stones);
        let kept = if pit == 0 { 0 } else { first };
        let then = kept + effect.own_first::<P>();
        let added = effect.adds.stones(P);
        let left = south - effect.gain - added;
        if effect.gain > 0 {
            let turn = if effect.ends_in_store() { Turn::South } else { Turn::North };
            add(left, north + added, turn, then);
        }
        if let Some(last) = effect.last_own_pit() {
            // The stone that captures leaves its pit empty.
            let then = if last == 0 { 0 } else { then };
            for held in 0..=north {
                let captured = held + usize::from(effect.adds.laps);
                add(left - 1, north + added - captured, Turn::North, then);
            }
        }
    }
    for (pit, stones) in (0..P).flat_map(|pit| (1..=north).map(move |stones| (pit, stones))) {
        let effect = sowings.effect(pit, stones);
        let laps = usize::from(effect.adds.laps);
        let added = effect.adds.stones(P);
        let left = north - effect.gain - added;
        if effect.gain > 0 {
            let turn = if effect.ends_in_store() { Turn::North } else { Turn::South };
            add(south + added, left, turn, first + laps + usize::from(effect.adds.first > 0));
        }
        if let Some(last) = effect.last_own_pit() {
            let cleared = facing::<P>(last);
            for held in 0..=south {
                let then = match cleared {
                    0 if held == first => 0,
                    0 => continue,
                    _ if held > behind => continue,
                    _ => first + laps,
                };
                add(south + added - held - laps, left - 1, Turn::South, then);
            }
        }
    }
    rows.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::unrank_row;

    #[test]
    fn rows_are_found_by_their_first_pit() {
        for stones in 0..9 {
            for first in 0..=stones + 1 {
                let rows = rows_with_first::<4>(stones, first);
                for rank in 0..row_count(4, stones) {
                    let row = unrank_row::<4>(stones, rank);
                    assert_eq!(rows.contains(&(rank as usize)), usize::from(row[0]) == first);
                }
            }
        }
        assert_eq!(rows_with_first::<1>(5, 5), 0..1);
        assert!(rows_with_first::<1>(5, 4).is_empty());
    }

    #[test]
    fn stages_need_what_the_pair_needs() {
        for (south, north) in [(1, 1), (7, 9), (3, 20), (15, 16)] {
            let sides: BTreeSet<Side> = needs::<4>(south, north).into_iter().collect();
            let stages = (0..=south).flat_map(|first| stage_needs::<4>(south, north, first));
            let staged: BTreeSet<Side> = stages.map(|(side, _)| side).collect();
            assert!(staged.is_subset(&sides));
        }
    }
}
