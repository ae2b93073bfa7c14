//! Which positions other threads are searching.
//!
//! Threads that search one tree from the same root would do the same work. Each says here what it
//! is searching, and one that comes to a position another is searching turns to its siblings first:
//! by the time it comes back the answer is often in the transposition table (ABDADA, Weill 1996, in
//! Kerrigan's simplified form). Nothing but the order of the work depends on it.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::transposition::Place;

/// Slots; more than positions are ever under search at once.
const SLOTS: usize = 1 << 12;

/// The positions under search, by a hash.
pub(super) struct Busy {
    slots: Box<[AtomicU32]>,
}

impl Busy {
    pub fn new() -> Self {
        Busy { slots: (0..SLOTS).map(|_| AtomicU32::new(0)).collect() }
    }

    #[inline]
    fn slot(&self, place: Place) -> (&AtomicU32, u32) {
        let hash = place.hash();
        (&self.slots[hash as usize % SLOTS], (hash >> 32) as u32 | 1)
    }

    /// Whether another thread is, as far as is known, searching the position.
    #[inline]
    pub fn contains(&self, place: Place) -> bool {
        let (slot, key) = self.slot(place);
        slot.load(Relaxed) == key
    }

    /// A thread begins to search the position.
    #[inline]
    pub fn enter(&self, place: Place) {
        let (slot, key) = self.slot(place);
        slot.store(key, Relaxed);
    }

    /// A thread has searched the position.
    #[inline]
    pub fn leave(&self, place: Place) {
        let (slot, key) = self.slot(place);
        if slot.load(Relaxed) == key {
            slot.store(0, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::transposition::Transpositions;
    use super::*;

    #[test]
    fn what_is_entered_is_busy_until_it_is_left() {
        let table = Transpositions::new(1 << 12, 1 << 20).unwrap();
        let (one, other) = (table.place(12_345), table.place(54_321));
        let busy = Busy::new();
        assert!(!busy.contains(one));
        busy.enter(one);
        assert!(busy.contains(one) && !busy.contains(other));
        busy.leave(other);
        assert!(busy.contains(one));
        busy.leave(one);
        assert!(!busy.contains(one));
    }
}
