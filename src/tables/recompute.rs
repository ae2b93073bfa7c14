//! Values computed again from their successors, by the plain rules.

use rayon::prelude::*;

use super::{
    LayerFile, LayerId, TableError,
    verify::{Depth, Fault, Faults, Progress},
};
use crate::{
    ranking::{Layer, rank_row},
    rules::plain::{Position, Successor, over_margin, sow_into},
    with_table_pits,
};

/// Sampled positions between two looks at whether to stop.
const BATCH: u64 = 1 << 12;

/// Computes values of the last of the layers again, which are those of 0, 1, .. stones. Returns
/// how many.
pub(super) fn layer(
    layers: &[LayerFile],
    depth: Depth,
    faults: &Faults,
    progress: &dyn Progress,
) -> u64 {
    let Some(pits) = layers.last().map(|layer| layer.id().pits) else { return 0 };
    // No file of other pits can be opened.
    with_table_pits!(pits, check(layers, depth, faults, progress)).unwrap_or(0)
}

fn check<const P: usize>(
    layers: &[LayerFile],
    depth: Depth,
    faults: &Faults,
    progress: &dyn Progress,
) -> u64 {
    Check::<P>::new(layers, faults, progress).run(depth)
}

struct Check<'a, const P: usize> {
    layers: &'a [LayerFile],
    /// The layer to check: the last.
    id: LayerId,
    stones: usize,
    faults: &'a Faults,
    progress: &'a dyn Progress,
}

impl<'a, const P: usize> Check<'a, P> {
    fn new(layers: &'a [LayerFile], faults: &'a Faults, progress: &'a dyn Progress) -> Self {
        let stones = layers.len() - 1;
        Check { layers, id: layers[stones].id(), stones, faults, progress }
    }

    fn run(&self, depth: Depth) -> u64 {
        let all = self.layers[self.stones].header().positions();
        match depth {
            Depth::Checksums => 0,
            Depth::Sample { positions, seed } if positions < all => self.sample(positions, seed),
            Depth::Sample { .. } | Depth::Full => self.full(all),
        }
    }

    fn full(&self, all: u64) -> u64 {
        self.progress.values(self.id, all);
        (0..=self.stones).map(|mover| self.block(mover)).sum()
    }

    /// Checks one block, a line of the mover's row a task.
    fn block(&self, mover: usize) -> u64 {
        let movers = Rows::<P>::of(mover);
        let opponents = Rows::<P>::of(self.stones - mover);
        let columns = opponents.0.len() as u64;
        let lines = movers.0.par_iter().enumerate();
        lines
            .map_init(Desk::default, |desk, (line, row)| {
                if self.progress.stop() {
                    return 0;
                }
                for (column, opponent) in opponents.0.iter().enumerate() {
                    desk.lay_out(row, opponent);
                    self.position(desk, mover, (line as u64, column as u64));
                }
                self.progress.advance(columns);
                columns
            })
            .sum()
    }

    fn sample(&self, positions: u64, seed: u64) -> u64 {
        self.progress.values(self.id, positions);
        let layer = Layer::<P>::new(self.stones).expect("a layer with a file can be counted");
        // Each layer draws numbers of its own, whichever layers there are.
        let seed = mix(seed ^ mix(self.stones as u64));
        (0..positions.div_ceil(BATCH))
            .into_par_iter()
            .map_init(Desk::default, |desk, batch| {
                if self.progress.stop() {
                    return 0;
                }
                let drawn = batch * BATCH..positions.min((batch + 1) * BATCH);
                let count = drawn.end - drawn.start;
                for draw in drawn {
                    let random = u128::from(mix(seed.wrapping_add(draw)));
                    let index = (random * u128::from(layer.positions())) >> 64;
                    let (mover, opponent) = layer.position(index as u64);
                    desk.lay_out(&mover, &opponent);
                    let ranks = (rank_row(&mover), rank_row(&opponent));
                    self.position(desk, stones(&mover), ranks);
                }
                self.progress.advance(count);
                count
            })
            .sum()
    }

    /// Checks the position on the desk, whose rows have these ranks.
    fn position(&self, desk: &mut Desk, block: usize, ranks: (u64, u64)) {
        let checked = self.in_file(self.stones, block, ranks).and_then(|stored| {
            let recomputed = self.recompute(desk)?;
            if stored != recomputed {
                let file = self.layers[self.stones].path().to_owned();
                let position = desk.position.clone();
                let fault = Fault::Value { file, block, position, stored, recomputed };
                self.faults.push(block, ranks, fault);
            }
            Ok(())
        });
        if let Err(error) = checked {
            self.faults.push(block, ranks, Fault::File(error));
        }
    }

    /// The margin that follows from the stored values of the successors.
    fn recompute(&self, Desk { position, successor }: &mut Desk) -> Result<i32, TableError> {
        if let Some(margin) = over_margin(position) {
            return Ok(margin);
        }
        let mut best = None;
        for pit in 0..P {
            if sow_into(successor, position, pit, self.id.rules) {
                let rest = self.stored(&successor.next)?;
                let rest = if successor.same_player { rest } else { -rest };
                best = best.max(Some(successor.gained as i32 + rest));
            }
        }
        Ok(best.expect("whoever has stones in a game that is not over can move"))
    }

    /// The margin of a position, from its layer's file unless the game is over.
    fn stored(&self, position: &Position) -> Result<i32, TableError> {
        if let Some(margin) = over_margin(position) {
            return Ok(margin);
        }
        let row = |row: &[u8]| -> [u8; P] { row.try_into().expect("rows have one length") };
        let (mover, opponent) = (row(&position.mover), row(&position.opponent));
        let block = stones(&mover);
        self.in_file(block + stones(&opponent), block, (rank_row(&mover), rank_row(&opponent)))
    }

    /// The margin of the position of a layer's block whose rows have these ranks, from the file.
    fn in_file(&self, layer: usize, block: usize, ranks: (u64, u64)) -> Result<i32, TableError> {
        let share = self.layers[layer].share(block, ranks.0, ranks.1)?;
        Ok(2 * i32::from(share) - layer as i32)
    }
}

/// Where a thread works on one position after the other. The rows' memory is used again: where
/// address space is short, taking memory for each position would take most of the time.
#[derive(Default)]
struct Desk {
    position: Position,
    successor: Successor,
}

impl Desk {
    /// Replaces the position.
    fn lay_out<const P: usize>(&mut self, mover: &[u8; P], opponent: &[u8; P]) {
        for (row, stones) in
            [(&mut self.position.mover, mover), (&mut self.position.opponent, opponent)]
        {
            row.clear();
            row.extend_from_slice(stones);
        }
    }
}

/// All rows of a number of stones, in lexicographic order.
struct Rows<const P: usize>(Vec<[u8; P]>);

impl<const P: usize> Rows<P> {
    fn of(stones: usize) -> Self {
        let mut row = [0; P];
        row[P - 1] = stones as u8;
        let mut rows = vec![row];
        // The next row has one stone more in the last pit that can have one, and all the stones to
        // the right of it in the last pit.
        while let Some(filled) = (1..P).rev().find(|&pit| row[pit] > 0) {
            let rest = row[filled] - 1;
            row[filled] = 0;
            row[filled - 1] += 1;
            row[P - 1] = rest;
            rows.push(row);
        }
        Rows(rows)
    }
}

fn stones(row: &[u8]) -> usize {
    row.iter().map(|&stones| usize::from(stones)).sum()
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): numbers in a row become random ones.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::row_count;

    fn rows_are_ranked_by_their_place<const P: usize>() {
        for stones in 0..=9 {
            let rows = Rows::<P>::of(stones).0;
            assert_eq!(rows.len() as u64, row_count(P, stones));
            for (place, row) in rows.iter().enumerate() {
                assert_eq!(super::stones(row), stones);
                assert_eq!(rank_row(row), place as u64);
            }
        }
    }

    #[test]
    fn rows_come_in_the_order_of_the_files() {
        rows_are_ranked_by_their_place::<1>();
        rows_are_ranked_by_their_place::<2>();
        rows_are_ranked_by_their_place::<3>();
        rows_are_ranked_by_their_place::<6>();
    }
}
