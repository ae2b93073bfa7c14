//! How much of the lower layers is read from files, before anything is: the decisions of
//! [`Matrices`](super::matrices::Matrices), one pair at a time and without the matrices.

use std::collections::HashMap;

use super::schedule::{Schedule, Step, size};
use crate::generator::{Side, Turn};

/// Bytes of matrices that are read for some steps, given the room that there is at each.
pub(super) fn reads<'a, const P: usize>(
    schedule: Schedule,
    steps: impl IntoIterator<Item = (&'a Step, u64)>,
) -> Vec<u64> {
    let mut kept = Kept::<P> { schedule, sides: HashMap::new(), bytes: 0 };
    steps.into_iter().map(|(step, room)| kept.step(step, room)).collect()
}

struct Kept<const P: usize> {
    schedule: Schedule,
    sides: HashMap<Side, u64>,
    bytes: u64,
}

impl<const P: usize> Kept<P> {
    /// Bytes that are read for a step.
    fn step(&mut self, step: &Step, room: u64) -> u64 {
        let missing = step.sides.iter().filter(|side| !self.sides.contains_key(side));
        let missing: Vec<Side> = missing.copied().collect();
        let read = missing.iter().map(|side| size::<P>(side.south, side.north)).sum();
        let held = |side: &Side| step.sides.binary_search(side).is_ok();
        while self.bytes + read > room && self.drop_last(|side| !held(side), 0) {}
        missing.into_iter().for_each(|side| self.keep(side));
        self.schedule.done(step);
        for side in &step.sides {
            if self.schedule.next(*side).is_none() {
                self.remove(*side);
            }
        }
        for turn in [Turn::North, Turn::South] {
            let side = Side { south: step.south, north: step.north, turn };
            let Some(next) = self.schedule.next(side) else { continue };
            let bytes = size::<P>(side.south, side.north);
            while self.bytes + bytes > room && self.drop_last(|_| true, next) {}
            if self.bytes + bytes <= room {
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
            reads::<6>(schedule, steps.iter().map(|step| (step, room))).iter().sum()
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
}
