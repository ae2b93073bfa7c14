//! How a change of the other row moves a line's elements: lists of runs.
//!
//! Adding stones to the other row, or clearing a pit of it, maps its rank to another rank.
//! In lexicographic order neighbours mostly stay neighbours, so the map is a list of runs: so many
//! elements from here go there, and all runs together tile the line.

use super::sowing::{Adds, Rows};
use crate::ranking::rank_row;

/// The next elements of a line, and where their values stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    /// Where in the source the run begins.
    pub from: u32,
    /// How many elements.
    pub length: u16,
    /// Which of several sources: the stones in the captured pit. 0 where there is one source.
    pub source: u8,
}

/// A line's elements as runs of other lines' elements.
#[derive(Clone, Debug)]
pub(super) struct RunMap {
    pub runs: Vec<Run>,
}

impl RunMap {
    /// For each row of `stones` stones, the rank of that row after `adds`.
    pub fn adding<const P: usize>(stones: usize, adds: Adds) -> Self {
        let mut map = RunMap { runs: Vec::new() };
        for row in Rows::<P>::new(stones) {
            map.push(rank_row(&adds.apply(&row)) as u32, 0);
        }
        map
    }

    /// For each row of `stones` stones, the rank of that row after `laps` stones more in every pit
    /// and pit `facing` cleared; the source is what pit `facing` held before, laps not counted.
    pub fn capturing<const P: usize>(stones: usize, laps: u8, facing: usize) -> Self {
        let mut map = RunMap { runs: Vec::new() };
        for row in Rows::<P>::new(stones) {
            let mut after = Adds { laps, first: 0 }.apply(&row);
            after[facing] = 0;
            map.push(rank_row(&after) as u32, row[facing]);
        }
        map
    }

    /// Adds an element, to the last run when it continues that.
    fn push(&mut self, from: u32, source: u8) {
        match self.runs.last_mut() {
            Some(run)
                if run.source == source
                    && run.from + u32::from(run.length) == from
                    && run.length < u16::MAX =>
            {
                run.length += 1;
            }
            _ => self.runs.push(Run { from, length: 1, source }),
        }
    }
}

/// All maps that lines of the rows of `stones` stones use, built when the block of lines is begun.
pub(super) struct RunMaps {
    /// By laps, then by first pits.
    adding: Vec<Vec<RunMap>>,
    /// By laps, then by the pit captured from.
    capturing: Vec<Vec<RunMap>>,
}

impl RunMaps {
    /// The maps over the rows of `stones` stones that a row of `sower` stones can need.
    pub fn new<const P: usize>(sower: usize, stones: usize) -> Self {
        let most_laps = sower.div_ceil(2 * P + 1);
        let adding = (0..=most_laps)
            .map(|laps| {
                let need = |first: usize| {
                    (laps, first) != (0, 0) && laps * (P + 1) + first + usize::from(first > 0) <= sower
                };
                (0..P)
                    .map(|first| match need(first) {
                        true => RunMap::adding::<P>(
                            stones,
                            Adds { laps: laps as u8, first: first as u8 },
                        ),
                        false => RunMap { runs: Vec::new() },
                    })
                    .collect()
            })
            .collect();
        let capturing = (0..=most_laps)
            .map(|laps| {
                (0..P)
                    .map(|facing| match laps * (P + 1) < sower {
                        true => RunMap::capturing::<P>(stones, laps as u8, facing),
                        false => RunMap { runs: Vec::new() },
                    })
                    .collect()
            })
            .collect();
        RunMaps { adding, capturing }
    }

    pub fn adding(&self, adds: Adds) -> &RunMap {
        &self.adding[usize::from(adds.laps)][usize::from(adds.first)]
    }

    pub fn capturing(&self, laps: u8, facing: usize) -> &RunMap {
        &self.capturing[usize::from(laps)][facing]
    }
}

/// Copies a line element by element from its runs' sources.
///
/// `target` is as long as the map's runs together, rounded up to [`SLACK`] more at least: each run
/// is copied in whole chunks where the source allows, and what was copied too much is overwritten
/// by the next run.
#[inline(always)]
pub(super) fn gather(map: &RunMap, sources: &[&[u8]], target: &mut [u8]) {
    let mut at = 0;
    for run in &map.runs {
        let (from, length) = (run.from as usize, usize::from(run.length));
        let source = sources[usize::from(run.source)];
        if length <= CHUNK && from + CHUNK <= source.len() {
            target[at..at + CHUNK].copy_from_slice(&source[from..from + CHUNK]);
        } else {
            target[at..at + length].copy_from_slice(&source[from..from + length]);
        }
        at += length;
    }
}

/// Bytes copied at once for a short run.
const CHUNK: usize = 16;

/// How much longer than its line a target of [`gather`] must be.
pub(super) const SLACK: usize = CHUNK;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::row_count;

    #[test]
    fn runs_tile_the_line() {
        for stones in 0..9 {
            for facing in 0..4 {
                let map = RunMap::capturing::<4>(stones, 0, facing);
                let elements: u64 = map.runs.iter().map(|run| u64::from(run.length)).sum();
                assert_eq!(elements, row_count(4, stones));
            }
        }
    }

    #[test]
    fn one_stone_in_the_first_pit_is_one_shift() {
        let map = RunMap::adding::<4>(6, Adds { laps: 0, first: 1 });
        assert_eq!(map.runs.len(), 1);
        assert_eq!(u64::from(map.runs[0].from), row_count(3, 7));
    }

    #[test]
    fn gathering_follows_the_ranks() {
        let adds = Adds { laps: 1, first: 2 };
        let map = RunMap::adding::<4>(5, adds);
        let source: Vec<u8> = (0..row_count(4, 11)).map(|rank| rank as u8).collect();
        let mut target = vec![0; row_count(4, 5) as usize + SLACK];
        gather(&map, &[&source], &mut target);
        for (row, value) in Rows::<4>::new(5).zip(target) {
            assert_eq!(value, rank_row(&adds.apply(&row)) as u8);
        }
    }
}
