//! How a change of the other row moves a line's elements: lists of runs.
//!
//! Adding stones to the other row, or clearing a pit of it, maps its rank to another rank.
//! In lexicographic order neighbours mostly stay neighbours, so the map is a list of runs: so many
//! elements from here go there, and all runs together tile the line.

use super::kernels::{CACHE_LINE, prefetch};
use super::sowing::{Adds, rows};
use crate::ranking::{MAX_STONES, row_count};

/// The next elements of a line, and where their values stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    /// Where in the source the run begins.
    from: u32,
    /// How many elements, at most [`CHUNK`].
    length: u8,
    /// Which source, or [`NOTHING`].
    source: u8,
}

/// An element that is copied alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Single {
    at: u32,
    from: u32,
    source: u8,
}

/// A line's elements as runs of other lines' elements.
///
/// A run is copied as a whole chunk, without a branch on its length, and what was copied too much
/// is overwritten by the next one. Where a whole chunk would reach beyond the end of its source,
/// the run stands in the list with a source of nothing, and its elements are copied afterwards.
#[derive(Clone, Debug, Default)]
pub(super) struct RunMap {
    runs: Vec<Run>,
    singles: Vec<Single>,
    /// What is read, as sources and places in them, a cache line apart at least.
    touched: Vec<(u8, u32)>,
    /// How many elements the line has.
    length: usize,
    /// Where the line begins in its source, when it lies there in one piece.
    shift: Option<usize>,
}

impl RunMap {
    /// For each row of `stones` stones, the rank of that row after `adds`, in the one source after
    /// [`FILLER`].
    pub fn adding<const P: usize>(stones: usize, adds: Adds) -> Self {
        let length = row_count(P, stones + adds.stones(P));
        let added = adds.packed::<P>();
        let elements = rows::<P>(stones).map(|row| (row.plus(added).rank::<P>(), 1));
        RunMap::new(elements, |_| length)
    }

    /// For each row of `stones` stones, the rank of that row after `laps` stones more in every pit
    /// and pit `facing` cleared. The sources are, after [`FILLER`], by what pit `facing` held before,
    /// laps not counted.
    pub fn capturing<const P: usize>(stones: usize, laps: u8, facing: usize) -> Self {
        let adds = Adds { laps, first: 0 };
        let added = adds.packed::<P>();
        let elements = rows::<P>(stones).map(|row| {
            (row.plus(added).cleared::<P>(facing).rank::<P>(), row.pit::<P>(facing) as u8 + 1)
        });
        let most = stones + adds.stones(P) - usize::from(laps);
        RunMap::new(elements, |source| row_count(P, most + 1 - usize::from(source)))
    }

    /// The map of a line's elements, each given by its place in a source, and the source; `length`
    /// tells how long a source is.
    fn new(elements: impl Iterator<Item = (usize, u8)>, length: impl Fn(u8) -> u64) -> Self {
        let mut map = RunMap::default();
        // Places within one source only ascend.
        let mut last_touched = [None; MAX_STONES + 2];
        for (at, (from, source)) in elements.enumerate() {
            if at == 0 {
                map.shift = Some(from);
            }
            map.shift = map.shift.filter(|shift| source == 1 && shift + at == from);
            map.length = at + 1;
            let from = from as u32;
            let line = from / CACHE_LINE as u32;
            if last_touched[usize::from(source)].replace(line) != Some(line) {
                map.touched.push((source, line * CACHE_LINE as u32));
            }
            if u64::from(from) + CHUNK as u64 > length(source) {
                map.singles.push(Single { at: at as u32, from, source });
                match map.runs.last_mut() {
                    Some(run) if run.source == NOTHING && usize::from(run.length) < CHUNK => {
                        run.length += 1;
                    }
                    _ => map.runs.push(Run { from: 0, length: 1, source: NOTHING }),
                }
                continue;
            }
            match map.runs.last_mut() {
                Some(run)
                    if run.source == source
                        && run.from + u32::from(run.length) == from
                        && usize::from(run.length) < CHUNK =>
                {
                    run.length += 1;
                }
                _ => map.runs.push(Run { from, length: 1, source }),
            }
        }
        map.touched.sort_unstable();
        map
    }

    /// Asks for the memory that [`RunMap::gather`] will read.
    #[inline(always)]
    pub fn prefetch(&self, sources: &[&[u8]]) {
        for &(source, at) in &self.touched {
            prefetch(sources[usize::from(source)], at as usize);
        }
    }

    /// The line as it stands in its one source, if it does.
    #[inline(always)]
    pub fn shifted<'a>(&self, source: &'a [u8]) -> Option<&'a [u8]> {
        self.shift.map(|shift| &source[shift..shift + self.length])
    }

    /// Copies a line element by element from its sources, the first of which is [`FILLER`].
    ///
    /// `target` is longer by [`SLACK`] than the line.
    ///
    /// # Panics
    ///
    /// When a source is missing or too short.
    #[inline(always)]
    pub fn gather(&self, sources: &[&[u8]], target: &mut [u8]) {
        let mut at = 0;
        debug_assert!(self.length > 0, "a map that was built");
        for run in &self.runs {
            let from = run.from as usize;
            let source = &sources[usize::from(run.source)][from..from + CHUNK];
            target[at..at + CHUNK].copy_from_slice(source);
            at += usize::from(run.length);
        }
        for single in &self.singles {
            target[single.at as usize] = sources[usize::from(single.source)][single.from as usize];
        }
    }
}

/// What stands in for the sources of elements that are copied one by one.
pub(super) const FILLER: &[u8] = &[0; CHUNK];

/// The source of runs whose elements are copied one by one: [`FILLER`].
const NOTHING: u8 = 0;

/// Bytes copied at once.
const CHUNK: usize = 16;

/// How much longer than its line a target of [`RunMap::gather`] must be.
pub(super) const SLACK: usize = CHUNK;

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
                    (laps, first) != (0, 0)
                        && laps * (P + 1) + first + usize::from(first > 0) <= sower
                };
                (0..P)
                    .map(|first| match need(first) {
                        true => RunMap::adding::<P>(
                            stones,
                            Adds { laps: laps as u8, first: first as u8 },
                        ),
                        false => RunMap::default(),
                    })
                    .collect()
            })
            .collect();
        // A sowing of fewer stones than a lap ends in an empty pit after the one it begins in; one
        // that came round begins in the last pit at best, and ends in any.
        let captures = |laps: usize, facing: usize| match laps {
            0 => facing + 1 < P,
            _ => laps * (2 * P + 1) <= sower + facing,
        };
        let capturing = (0..=most_laps)
            .map(|laps| {
                (0..P)
                    .map(|facing| match captures(laps, facing) {
                        true => RunMap::capturing::<P>(stones, laps as u8, facing),
                        false => RunMap::default(),
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn gathering_follows_the_ranks() {
        let adds = Adds { laps: 1, first: 2 };
        let map = RunMap::adding::<4>(5, adds);
        let source: Vec<u8> = (0..row_count(4, 11)).map(|rank| rank as u8).collect();
        let mut target = vec![0; row_count(4, 5) as usize + SLACK];
        map.gather(&[FILLER, &source], &mut target);
        for (row, value) in rows::<4>(5).zip(target) {
            assert_eq!(value, row.plus(adds.packed::<4>()).rank::<4>() as u8);
        }
    }
}
