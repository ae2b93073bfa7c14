//! The lower matrices that pairs of blocks are computed from: read when a pair needs them, and kept
//! as long as there is room.
//!
//! The order in which pairs are solved is known, so it is known too when a matrix is read next. What
//! has to make room is what will be read latest, which is the best choice there is: with two fifths
//! of what pairs read in memory at once, reading the files again costs 0.8 bytes a position.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::schedule::{Schedule, Step};
use crate::generator::{Buffer, Side};

/// Matrices in memory, those that are in use among them.
pub(super) struct Matrices {
    state: Mutex<State>,
}

struct State {
    /// Bytes that they may have all together.
    room: u64,
    schedule: Schedule,
    kept: HashMap<Side, Arc<Buffer>>,
    /// Bytes of those that are kept, and that are being read.
    bytes: u64,
}

impl State {
    /// Makes room for so many bytes by dropping what nobody holds and is read latest, so long as
    /// `later` agrees with when it is read. Tells whether there is room.
    fn make_room(&mut self, bytes: u64, later: impl Fn(Option<usize>) -> bool) -> bool {
        while self.bytes.saturating_add(bytes) > self.room {
            let idle = self.kept.iter().filter(|(_, matrix)| Arc::strong_count(matrix) == 1);
            let idle = idle.map(|(&side, _)| (self.schedule.next(side), side));
            // What is never read again, `None`, comes first.
            let last =
                idle.max_by_key(|&(next, side)| (next.map_or(usize::MAX, |next| next), side));
            match last {
                Some((next, side)) if later(next) => self.remove(side),
                _ => return false,
            }
        }
        true
    }

    fn remove(&mut self, side: Side) {
        if let Some(matrix) = self.kept.remove(&side) {
            self.bytes -= matrix.len() as u64;
        }
    }
}

impl Matrices {
    /// No matrices, and no room for any yet.
    pub fn new(schedule: Schedule) -> Self {
        let state = State { room: 0, schedule, kept: HashMap::new(), bytes: 0 };
        Matrices { state: Mutex::new(state) }
    }

    /// From now on there is room for so many bytes.
    pub fn set_room(&self, room: u64) {
        let mut state = self.lock();
        state.room = room;
        state.make_room(0, |_| true);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Never left half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The matrix, if it is in memory. As long as it is held it stays.
    pub fn find(&self, side: Side) -> Option<Arc<Buffer>> {
        self.lock().kept.get(&side).cloned()
    }

    /// A matrix of so many bytes, which `read` gives, and which is kept from then on.
    ///
    /// What is held may have more bytes than there is room for: it is the caller's to hold no more
    /// at once.
    pub fn read<E>(
        &self,
        side: Side,
        bytes: u64,
        read: impl FnOnce() -> Result<Buffer, E>,
    ) -> Result<Arc<Buffer>, E> {
        if let Some(matrix) = self.find(side) {
            return Ok(matrix);
        }
        let mut state = self.lock();
        state.make_room(bytes, |_| true);
        state.bytes += bytes;
        drop(state);
        let matrix = read();
        let mut state = self.lock();
        state.bytes -= bytes;
        let matrix = Arc::new(matrix?);
        // Another pair may have read it at the same time.
        if let Some(kept) = state.kept.get(&side) {
            return Ok(Arc::clone(kept));
        }
        state.bytes += bytes;
        state.kept.insert(side, Arc::clone(&matrix));
        Ok(matrix)
    }

    /// Keeps a matrix that was just made, if it is read before what would have to go.
    pub fn offer(&self, side: Side, matrix: Buffer) {
        let mut state = self.lock();
        let (bytes, next) = (matrix.len() as u64, state.schedule.next(side));
        let Some(next) = next.filter(|_| !state.kept.contains_key(&side)) else { return };
        if state.make_room(bytes, |other| other.is_none_or(|other| other > next)) {
            state.bytes += bytes;
            state.kept.insert(side, Arc::new(matrix));
        }
    }

    /// Whether a matrix would be kept, and nothing would have to go for it.
    pub fn has_room(&self, side: Side, bytes: u64) -> bool {
        let state = self.lock();
        state.schedule.next(side).is_some()
            && !state.kept.contains_key(&side)
            && state.bytes.saturating_add(bytes) <= state.room
    }

    /// A step is over; what no other reads goes.
    pub fn done(&self, step: &Step) {
        let mut state = self.lock();
        state.schedule.done(step);
        for &side in &step.sides {
            if state.schedule.next(side).is_none() {
                state.remove(side);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Buffers, Turn};
    use std::convert::Infallible;

    fn side(number: usize) -> Side {
        Side { south: number, north: 0, turn: Turn::South }
    }

    /// Steps that read these matrices.
    fn steps(reads: &[&[usize]]) -> Vec<Step> {
        let step = |(number, sides): (usize, &&[usize])| {
            let sides = sides.iter().map(|&number| side(number)).collect();
            Step { number, south: 0, north: 0, sides }
        };
        reads.iter().enumerate().map(step).collect()
    }

    /// Matrices of 10 bytes each.
    fn matrix(number: usize) -> Buffer {
        let mut buffer = Buffers::default().take(10).unwrap();
        buffer.fill(number as u8);
        buffer
    }

    fn matrices_in(room: u64, steps: &[Step]) -> Matrices {
        let matrices = Matrices::new(Schedule::of(steps));
        matrices.set_room(room);
        matrices
    }

    fn get(matrices: &Matrices, number: usize) -> (Arc<Buffer>, bool) {
        let mut was_read = false;
        let read = || {
            was_read = true;
            Ok::<_, Infallible>(matrix(number))
        };
        let found = matrices.read(side(number), 10, read).unwrap();
        assert_eq!(found[..], [number as u8; 10]);
        (found, was_read)
    }

    fn kept(matrices: &Matrices) -> Vec<usize> {
        let state = matrices.lock();
        let mut kept: Vec<usize> = state.kept.keys().map(|side| side.south).collect();
        assert_eq!(state.bytes, 10 * kept.len() as u64);
        kept.sort_unstable();
        kept
    }

    #[test]
    fn what_is_read_latest_makes_room() {
        let steps = steps(&[&[1, 2, 3], &[4], &[2], &[1], &[3]]);
        let matrices = matrices_in(30, &steps);
        let held = [1, 2, 3].map(|number| get(&matrices, number));
        assert!(held.iter().all(|&(_, was_read)| was_read));
        drop(held);
        matrices.done(&steps[0]);
        assert!(get(&matrices, 4).1);
        assert_eq!(kept(&matrices), [1, 2, 4]);
        matrices.done(&steps[1]);
        assert_eq!(kept(&matrices), [1, 2]);
        assert!(!get(&matrices, 2).1);
        matrices.done(&steps[2]);
        assert!(get(&matrices, 3).1);
        assert_eq!(kept(&matrices), [1, 3]);
    }

    #[test]
    fn what_is_held_stays_and_counts() {
        let steps = steps(&[&[1, 2, 3], &[1, 2, 3]]);
        let matrices = matrices_in(20, &steps);
        let held = [1, 2, 3].map(|number| get(&matrices, number).0);
        assert_eq!(kept(&matrices), [1, 2, 3]);
        drop(held);
        // The next one that needs room takes back what was too much.
        assert!(get(&matrices, 4).1);
        assert_eq!(kept(&matrices).len(), 2);
    }

    #[test]
    fn what_is_offered_replaces_only_what_is_read_later() {
        let steps = steps(&[&[1], &[2], &[3], &[1]]);
        let matrices = matrices_in(20, &steps);
        get(&matrices, 1);
        matrices.done(&steps[0]);
        matrices.offer(side(9), matrix(9));
        assert_eq!(kept(&matrices), [1], "nobody reads it");
        assert!(matrices.has_room(side(3), 10) && !matrices.has_room(side(9), 10));
        matrices.offer(side(3), matrix(3));
        assert!(!matrices.has_room(side(2), 10));
        matrices.offer(side(2), matrix(2));
        assert_eq!(kept(&matrices), [2, 3]);
        matrices.offer(side(1), matrix(1));
        assert_eq!(kept(&matrices), [2, 3]);
    }

    #[test]
    fn a_failure_to_read_takes_no_room() {
        let steps = steps(&[&[1]]);
        let matrices = matrices_in(20, &steps);
        assert_eq!(matrices.read(side(1), 10, || Err("gone")).err(), Some("gone"));
        assert!(kept(&matrices).is_empty());
        assert!(matrices.find(side(1)).is_none());
    }
}
