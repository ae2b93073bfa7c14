//! How much of the lower layers is read from files, before anything is: the decisions of
//! [`Matrices`](super::matrices::Matrices), one pair at a time and without the matrices.

use std::collections::{HashMap, HashSet};

use super::layer::block_of;
use super::schedule::{Schedule, Step, size};
use super::stages::Stages;
use crate::generator::{Side, Turn};

/// What is read of a lower matrix for a step.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Reading {
    /// Positions that are read and decoded.
    pub decoded: u64,
    /// Those of the block, where it is read before to be held against its checksum: byte files need
    /// that, of which stages read parts.
    pub checked: u64,
}

/// What is read step by step, from the first on.
pub(super) struct Reads<const P: usize> {
    schedule: Schedule,
    sides: HashMap<Side, u64>,
    bytes: u64,
    room: u64,
    /// The blocks that stages of the layer have read: stones in all pits, and the mover's.
    checked: HashSet<(usize, usize)>,
}

impl<const P: usize> Reads<P> {
    /// Before the first step.
    pub fn new(schedule: Schedule) -> Self {
        Reads { schedule, sides: HashMap::new(), bytes: 0, room: 0, checked: HashSet::new() }
    }

    /// The steps that follow are of another layer, and there is so much room for matrices meanwhile.
    pub fn begin_layer(&mut self, room: u64) {
        self.room = room;
        self.checked.clear();
        while self.bytes > room && self.drop_last(|_| true, 0) {}
    }

    /// What is read for a step, of each lower matrix that is not in memory.
    pub fn step(&mut self, step: &Step, staged: bool) -> Vec<(Side, Reading)> {
        let missing = step.sides.iter().filter(|side| !self.sides.contains_key(side));
        let missing: Vec<Side> = missing.copied().collect();
        let whole = |side: Side| size::<P>(side.south, side.north);
        let read: Vec<(Side, Reading)> = if staged {
            let mut rows = Stages::new::<P>((step.south, step.north)).read::<P>();
            rows.retain(|side, _| !self.sides.contains_key(side));
            let reading = |(side, decoded): (Side, u64)| {
                let checked = if self.checked.insert((side.south + side.north, block_of(side).0)) {
                    whole(side)
                } else {
                    0
                };
                (side, Reading { decoded, checked })
            };
            rows.into_iter().map(reading).collect()
        } else {
            missing
                .iter()
                .map(|&side| (side, Reading { decoded: whole(side), checked: 0 }))
                .collect()
        };
        if !staged {
            let bytes: u64 = missing.iter().map(|&side| whole(side)).sum();
            let held = |side: &Side| step.sides.binary_search(side).is_ok();
            while self.bytes + bytes > self.room && self.drop_last(|side| !held(side), 0) {}
            missing.into_iter().for_each(|side| self.keep(side));
        }
        self.schedule.done(step);
        for side in &step.sides {
            if self.schedule.next(*side).is_none() {
                self.remove(*side);
            }
        }
        for turn in [Turn::North, Turn::South] {
            let side = Side { south: step.south, north: step.north, turn };
            let Some(next) = self.schedule.next(side) else { continue };
            let bytes = whole(side);
            while self.bytes + bytes > self.room && self.drop_last(|_| true, next) {}
            if self.bytes + bytes <= self.room {
                self.keep(side);
            }
        }
        read
    }

    /// Drops what is read last, of those that may go and are read after a step.
    fn drop_last(&mut self, may_go: impl Fn(&Side) -> bool, after: usize) -> bool {
        let sides = self.sides.keys().filter(|side| may_go(side));
        let next = |side: &Side| self.schedule.next(*side).unwrap_or(usize::MAX);
        let last = sides.map(|&side| (next(&side), side)).max();
        let last = last.filter(|&(next, _)| next > after);
        last.inspect(|&(_, side)| self.remove(side)).is_some()
    }

    fn keep(&mut self, side: Side) {
        let bytes = size::<P>(side.south, side.north);
        self.bytes += bytes - self.sides.insert(side, bytes).unwrap_or(0);
    }

    fn remove(&mut self, side: Side) {
        self.bytes -= self.sides.remove(&side).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::build::schedule::pairs;

    #[test]
    fn more_room_is_less_to_read() {
        let layers: Vec<usize> = (0..=16).collect();
        let read = |room: u64| -> u64 {
            let (schedule, steps) = Schedule::new::<6>(pairs::<6>(&layers));
            let mut reads = Reads::<6>::new(schedule);
            reads.begin_layer(room);
            let read = steps.iter().flat_map(|step| reads.step(step, false));
            read.map(|(_, Reading { decoded, .. })| decoded).sum()
        };
        let (little, more, plenty) = (read(0), read(13 << 20), read(1 << 40));
        assert!(plenty < more && more < little, "{plenty} {more} {little}");
        // Without any room what the pair before needed too is still there, and nothing else.
        let (_, steps) = Schedule::new::<6>(pairs::<6>(&layers));
        let mut before: &[Side] = &[];
        let mut new = 0;
        for step in &steps {
            let sides = step.sides.iter().filter(|side| !before.contains(side));
            new += sides.map(|side| size::<6>(side.south, side.north)).sum::<u64>();
            before = &step.sides;
        }
        assert_eq!(little, new);
    }

    #[test]
    fn stages_read_again_what_is_not_kept() {
        let read = |room: u64| -> Reading {
            let (schedule, steps) = Schedule::new::<6>(pairs::<6>(&[14]));
            let mut reads = Reads::<6>::new(schedule);
            reads.begin_layer(room);
            let mut sum = Reading::default();
            for (_, reading) in steps.iter().flat_map(|step| reads.step(step, true)) {
                sum.decoded += reading.decoded;
                sum.checked += reading.checked;
            }
            sum
        };
        // Nothing of this layer is read by it, so that room is of no use.
        assert_eq!(read(0), read(1 << 40));
        let (_, steps) = Schedule::new::<6>(pairs::<6>(&[14]));
        let whole = |sides: &[Side]| -> u64 {
            sides.iter().map(|side| size::<6>(side.south, side.north)).sum()
        };
        let every_pair: u64 = steps.iter().map(|step| whole(&step.sides)).sum();
        let mut once: Vec<Side> = steps.iter().flat_map(|step| step.sides.clone()).collect();
        once.sort_unstable();
        once.dedup();
        let Reading { decoded, checked } = read(0);
        assert!(decoded <= every_pair && decoded > whole(&once), "{decoded} of {every_pair}");
        assert!(checked <= whole(&once), "{checked}");
    }
}
