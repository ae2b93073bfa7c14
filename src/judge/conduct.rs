//! What a player does that it must not do.

use std::ops::AddAssign;

use crate::players::PlayerError;

/// Why there is no answer to be judged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// It chose a pit that is empty or does not exist.
    Illegal,
    /// It did not answer in time.
    Silent,
    /// It gave up.
    Resigned,
    /// It ended or hung up.
    Gone,
    /// It said something that means nothing there.
    Unintelligible,
    /// It does not play such boards.
    Declined,
}

impl Fault {
    /// Every kind.
    pub const ALL: [Fault; 6] = [
        Fault::Illegal,
        Fault::Silent,
        Fault::Resigned,
        Fault::Gone,
        Fault::Unintelligible,
        Fault::Declined,
    ];

    /// The fault that an error is; `None` when it is not the player's.
    pub fn of(error: &PlayerError) -> Option<Self> {
        match error {
            PlayerError::IllegalPit { .. } => Some(Fault::Illegal),
            PlayerError::Silent { .. } | PlayerError::Undecided => Some(Fault::Silent),
            PlayerError::Resigned => Some(Fault::Resigned),
            PlayerError::Gone { .. } => Some(Fault::Gone),
            PlayerError::Unintelligible { .. } => Some(Fault::Unintelligible),
            PlayerError::Declined { .. } => Some(Fault::Declined),
            PlayerError::GameOver | PlayerError::Line { .. } | PlayerError::Search(_) => None,
        }
    }

    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Illegal => "illegal",
            Fault::Silent => "silent",
            Fault::Resigned => "resigned",
            Fault::Gone => "gone",
            Fault::Unintelligible => "unintelligible",
            Fault::Declined => "declined",
        }
    }
}

/// How often a player did what it must not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Conduct {
    counts: [u64; Fault::ALL.len()],
}

impl Conduct {
    /// Counts a fault.
    pub fn add(&mut self, fault: Fault) {
        self.counts[fault as usize] += 1;
    }

    /// How many faults of this kind.
    pub fn count(&self, fault: Fault) -> u64 {
        self.counts[fault as usize]
    }

    /// How many faults in all.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

impl AddAssign for Conduct {
    fn add_assign(&mut self, other: Self) {
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, count)| *sum += count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_counted_by_kind() {
        let mut conduct = Conduct::default();
        for (place, fault) in Fault::ALL.into_iter().enumerate() {
            assert_eq!(fault as usize, place);
            conduct.add(fault);
        }
        conduct.add(Fault::Gone);
        assert_eq!((conduct.count(Fault::Gone), conduct.count(Fault::Illegal)), (2, 1));
        assert_eq!(conduct.total(), 7);
        assert_eq!(Fault::of(&PlayerError::GameOver), None);
        assert_eq!(Fault::of(&PlayerError::Resigned), Some(Fault::Resigned));
    }
}
