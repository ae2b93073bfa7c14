//! Ids that were used.

use std::collections::{HashSet, VecDeque};

/// The ids that a peer used, to find one used twice.
///
/// Only the last [`Ids::REMEMBERED`] are remembered, so that no peer can make it grow without end.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    used: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Ids {
    /// How many ids are remembered.
    pub const REMEMBERED: usize = 65_536;

    /// Takes note of an id. `false` when it was used before.
    pub fn insert(&mut self, id: u64) -> bool {
        if !self.used.insert(id) {
            return false;
        }
        self.order.push_back(id);
        if self.order.len() > Self::REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.used.remove(&oldest);
        }
        true
    }

    /// Whether no id was used.
    pub fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    /// Whether an id was used.
    pub fn contains(&self, id: u64) -> bool {
        self.used.contains(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_ids_are_forgotten() {
        let mut ids = Ids::default();
        for id in 0..Ids::REMEMBERED as u64 {
            assert!(ids.insert(id));
        }
        assert!(!ids.insert(0));
        assert!(ids.insert(u64::MAX));
        assert!(!ids.contains(0), "the oldest went");
        assert!(ids.contains(1) && ids.contains(u64::MAX));
        assert_eq!(ids.used.len(), Ids::REMEMBERED);
    }
}
