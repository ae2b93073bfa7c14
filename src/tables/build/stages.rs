//! A pair of blocks solved with little of what it is computed from in memory at once.
//!
//! The rows of South with few stones in the first pit are solved first, and what they read of a lower
//! matrix are rows with few more there, or with none: [`stage_needs`]. So rows are read
//! as stages come to need them, in the order in which they lie in the files, and go when no later stage
//! does. At 38 stones a third of what a pair reads is in memory at a time.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

use rayon::prelude::*;

use super::super::Encoding;
use super::layer::{Build, Stop, block_of};
use super::schedule::{PairOf, Step};
use super::sparse::Sparse;
use crate::generator::{
    Buffer, Lines, Rows, Side, SolveError, Solved, rows_with_first, stage_needs,
};
use crate::ranking::row_count;

/// The rows that the stages of a pair read, and when each goes.
pub(super) struct Stages {
    needs: Vec<Vec<Rows>>,
    /// The last stage that reads the rows.
    last: HashMap<Rows, usize>,
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

    /// The most bytes of rows that are in memory at once.
    pub fn most_bytes<const P: usize>(&self) -> u64 {
        let mut held: HashMap<Rows, u64> = HashMap::new();
        let mut most = 0;
        for (stage, needs) in self.needs.iter().enumerate() {
            held.extend(needs.iter().map(|&rows| (rows, bytes::<P>(rows))));
            most = most.max(held.values().sum());
            held.retain(|rows, _| self.last[rows] > stage);
        }
        most
    }
}

/// Bytes of some rows.
fn bytes<const P: usize>((side, first): Rows) -> u64 {
    rows_with_first::<P>(side.south, first).len() as u64 * row_count(P, side.north)
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
        let mut held: Vec<Rows> = Vec::new();
        for (stage, needs) in stages.needs.iter().enumerate() {
            let missing: Vec<Rows> =
                needs.iter().filter(|rows| !held.contains(rows)).copied().collect();
            for &(side, _) in &missing {
                if let std::collections::btree_map::Entry::Vacant(place) = matrices.entry(side) {
                    place.insert(self.begin(side)?);
                }
            }
            // Each matrix is written by one thread, which decodes with the others.
            let mut work: Vec<(Side, &mut Sparse, Vec<usize>)> = Vec::new();
            for (&side, matrix) in &mut matrices {
                if let Matrix::Few(sparse) = matrix {
                    let of_side = missing.iter().filter(|rows| rows.0 == side);
                    work.push((side, sparse, of_side.map(|rows| rows.1).collect()));
                }
            }
            work.into_par_iter().with_max_len(1).try_for_each(|(side, sparse, firsts)| {
                firsts.into_iter().try_for_each(|first| self.read_rows((side, first), sparse))
            })?;
            held.extend(missing);
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
            held.retain(|rows| {
                let stays = stages.last[rows] > stage;
                if !stays && let Some(Matrix::Few(sparse)) = matrices.get_mut(&rows.0) {
                    sparse.release(rows_with_first::<P>(rows.0.south, rows.1));
                }
                stays
            });
            matrices.retain(|side, _| held.iter().any(|rows| rows.0 == *side));
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

    /// Reads rows of a lower matrix.
    fn read_rows(&self, (side, first): Rows, target: &mut [u8]) -> Result<(), Stop> {
        let lines = rows_with_first::<P>(side.south, first);
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
            let most = stages.most_bytes::<6>();
            assert!(most < whole / 2 && most > whole / 10, "{most} of {whole}");
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
