//! A pair of blocks solved with little of what it is computed from in memory at once.
//!
//! The rows of South with few stones in the first pit are solved first, and what they read of a lower
//! matrix are rows with few more there, or with none: [`stage_needs`]. So rows are read
//! as stages come to need them, in the order in which they lie in the files, and go when no later stage
//! does. At 38 stones a third of what a pair reads is in memory at a time; addresses it takes for all.
//! Compact files are read in whole tiles: what lies beside the rows goes when the stage is over.
//!
//! # What is trusted
//!
//! Only what is held against a check when it is read: tiles of compact files have one of their own; of
//! byte files a block is read once whole, against its checksum, before the first of its rows in a layer.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, PoisonError};

use super::super::Encoding;
use super::super::few::few_at_a_time;
use super::layer::{Build, Stop, block_of};
use super::schedule::{PairOf, Step, size};
use super::sparse::Sparse;
use crate::compact::{BAND, WIDTH};
use crate::generator::{
    Buffer, Lines, Rows, Side, SolveError, Solved, Turn, rows_with_first, stage_needs,
};
use crate::ranking::row_count;

/// The rows that the stages of a pair read, and when each goes.
pub(super) struct Stages {
    needs: Vec<Vec<Rows>>,
    /// The last stage that reads the rows.
    last: HashMap<Rows, usize>,
}

/// What the stages of a pair take at once, at most.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Most {
    /// Bytes of memory: of the rows, and of those beside them that are read with them.
    pub memory: u64,
    /// Bytes of address space: of the matrices that have such rows.
    pub addresses: u64,
}

impl Most {
    /// The more of each.
    pub fn max(self, other: Self) -> Self {
        Most {
            memory: self.memory.max(other.memory),
            addresses: self.addresses.max(other.addresses),
        }
    }

    /// With what takes so many bytes of both.
    pub fn and(self, bytes: u64) -> Self {
        Most {
            memory: self.memory.saturating_add(bytes),
            addresses: self.addresses.saturating_add(bytes),
        }
    }
}

impl Stages {
    /// The stages of a pair.
    pub fn new<const P: usize>((south, north): PairOf) -> Self {
        let needs: Vec<Vec<Rows>> =
            (0..=south).map(|first| stage_needs::<P>(south, north, first)).collect();
        let mut last = HashMap::new();
        for (stage, needs) in needs.iter().enumerate() {
            last.extend(needs.iter().map(|&rows| (rows, stage)));
        }
        Stages { needs, last }
    }

    /// What they take at once, at most.
    pub fn most<const P: usize>(&self) -> Most {
        let mut held: BTreeSet<Rows> = BTreeSet::new();
        let mut most = Most::default();
        for (stage, needs) in self.needs.iter().enumerate() {
            held.extend(needs);
            let (mut memory, mut addresses) = (0, 0);
            for (side, lines) in lines_by_side::<P>(&held) {
                let line = row_count(P, side.north);
                memory += lines.iter().map(|lines| read_with::<P>(side, lines) * line).sum::<u64>();
                addresses += size::<P>(side.south, side.north);
            }
            most = most.max(Most { memory, addresses });
            held.retain(|rows| self.last[rows] > stage);
        }
        most
    }

    /// Bytes of the rows of each side, each read once.
    pub fn read<const P: usize>(&self) -> BTreeMap<Side, u64> {
        let mut read = BTreeMap::new();
        for &(side, first) in self.last.keys() {
            let lines = rows_with_first::<P>(side.south, first).len() as u64;
            *read.entry(side).or_default() += lines * row_count(P, side.north);
        }
        read
    }
}

/// The lines of each side that some rows are, neighbours together.
fn lines_by_side<'a, const P: usize>(
    rows: impl IntoIterator<Item = &'a Rows>,
) -> BTreeMap<Side, Vec<Range<usize>>> {
    let mut sides: BTreeMap<Side, Vec<Range<usize>>> = BTreeMap::new();
    for &(side, first) in rows {
        let lines = rows_with_first::<P>(side.south, first);
        let of_side = sides.entry(side).or_default();
        match of_side.last_mut() {
            Some(last) if last.end == lines.start => last.end = lines.end,
            _ => of_side.push(lines),
        }
    }
    sides
}

/// How many lines are read to have some, where they are read in whole tiles: those of a compact file.
fn read_with<const P: usize>(side: Side, lines: &Range<usize>) -> u64 {
    let lines_of_tiles =
        side.south < side.north || side.south == side.north && side.turn == Turn::South;
    let tile = if lines_of_tiles { BAND } else { WIDTH };
    let start = lines.start / tile * tile;
    let end = lines.end.next_multiple_of(tile).min(row_count(P, side.south) as usize);
    (end - start) as u64
}

/// A lower matrix while a pair is solved.
enum Matrix {
    /// It was in memory, all of it.
    Whole(Arc<Buffer>),
    /// The rows that are needed.
    Few(Sparse),
}

impl<const P: usize> Build<'_, P> {
    /// Computes a pair of blocks, neither of them with an empty row, stage by stage.
    pub(super) fn solve_in_stages(
        &self,
        step: &Step,
        watch: &(dyn Fn(u64) -> ControlFlow<()> + Sync),
    ) -> Result<Solved, Stop> {
        let (south, north) = (step.south, step.north);
        let stages = Stages::new::<P>((south, north));
        let mut solved = self.solver.room(south, north)?;
        let mut matrices: BTreeMap<Side, Matrix> = BTreeMap::new();
        let mut held: BTreeSet<Rows> = BTreeSet::new();
        for (stage, needs) in stages.needs.iter().enumerate() {
            let missing = needs.iter().filter(|rows| !held.contains(rows));
            let mut missing = lines_by_side::<P>(missing);
            for &side in missing.keys() {
                if let Entry::Vacant(place) = matrices.entry(side) {
                    place.insert(self.begin(side)?);
                }
            }
            // Each matrix is written by one thread, which decodes with the others.
            let mut work: Vec<(Side, &mut Sparse, Vec<Range<usize>>)> = Vec::new();
            for (&side, matrix) in &mut matrices {
                if let (Matrix::Few(sparse), Some(lines)) = (matrix, missing.remove(&side)) {
                    work.push((side, sparse, lines));
                }
            }
            few_at_a_time(self.readers, work.into_iter(), |(side, sparse, lines)| {
                lines.into_iter().try_for_each(|lines| self.read_lines(side, lines, sparse))
            })?;
            held.extend(needs);
            let mut lower = Lines::new(south + north);
            for (&side, matrix) in &matrices {
                lower.insert(
                    side,
                    match matrix {
                        Matrix::Whole(whole) => whole,
                        Matrix::Few(sparse) => sparse,
                    },
                );
            }
            let pair = (south, north);
            match self.solver.solve_stage(pair, stage, &mut solved, &lower, watch) {
                Err(SolveError::Stopped) if self.committer.failed() => {
                    return Err(Stop::Committer);
                }
                other => other?,
            }
            drop(lower);
            held.retain(|rows| stages.last[rows] > stage);
            // What was read beside the rows goes too: later stages would not come back for it.
            let stays = lines_by_side::<P>(&held);
            matrices.retain(|side, matrix| {
                let Some(lines) = stays.get(side) else { return false };
                if let Matrix::Few(sparse) = matrix {
                    sparse.keep_only(lines);
                }
                true
            });
        }
        Ok(solved)
    }

    /// A lower matrix of which nothing is read yet, or all is there.
    fn begin(&self, side: Side) -> Result<Matrix, Stop> {
        if let Some(whole) = self.matrices.find(side) {
            return Ok(Matrix::Whole(whole));
        }
        let (mover, _) = block_of(side);
        let (stones, file) = (side.south + side.north, self.file(side.south + side.north));
        // Tiles of compact blocks have checks of their own; of other blocks, all bytes have to be read.
        if file.encoding() == Encoding::Bytes {
            let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
            if checked.insert((stones, mover)) {
                file.check_block(mover)?;
            }
        }
        let [lines, line] = [side.south, side.north].map(|stones| row_count(P, stones) as usize);
        Ok(Matrix::Few(Sparse::new(lines, line)?))
    }

    /// Reads lines of a lower matrix.
    fn read_lines(&self, side: Side, lines: Range<usize>, target: &mut [u8]) -> Result<(), Stop> {
        let (mover, order) = block_of(side);
        Ok(self.file(side.south + side.north).read_lines(mover, order, lines, target)?)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::generator::needs;
    use crate::rules::Rules;
    use crate::tables::LayerId;
    use crate::tables::build::{Options, build, plan};

    #[test]
    fn stages_take_less_than_the_whole() {
        for pair in [(9, 9), (6, 15), (12, 12)] {
            let stages = Stages::new::<6>(pair);
            let whole: u64 = needs::<6>(pair.0, pair.1)
                .into_iter()
                .map(|side| row_count(6, side.south) * row_count(6, side.north))
                .sum();
            let Most { memory, addresses } = stages.most::<6>();
            assert!(memory < whole * 2 / 3 && memory > whole / 10, "{memory} of {whole}");
            assert!(memory < addresses && addresses <= whole, "{addresses} of {whole}");
            let read: u64 = stages.read::<6>().values().sum();
            assert!(memory < read && read <= whole, "{read} of {whole}");
        }
    }

    #[test]
    fn what_is_built_in_stages_is_the_same() {
        for rules in Rules::ALL {
            for encoding in [Encoding::Bytes, Encoding::Compact] {
                let options = Options { encoding: Some(encoding), ..Options::new(rules, 15) };
                let [whole, staged] = [(); 2].map(|()| tempfile::tempdir().unwrap());
                build::<5>(whole.path(), &options, &()).unwrap();
                let least = |folder: &Path| {
                    let nothing = Options { memory: Some(0), ..options };
                    plan::<5>(folder, &nothing).unwrap().memory_needed
                };
                let options = Options { memory: Some(least(staged.path())), ..options };
                build::<5>(staged.path(), &options, &()).unwrap();
                for stones in 0..=15 {
                    let name = LayerId { rules, pits: 5, stones }.file_name();
                    let [one, other] =
                        [&whole, &staged].map(|folder| std::fs::read(folder.path().join(&name)));
                    assert!(one.unwrap() == other.unwrap(), "{name}");
                }
            }
        }
    }
}
