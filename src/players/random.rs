//! Chance that comes again.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::Rng;

/// Random numbers that are the same for the same seed, in every version and on every machine:
/// PCG-XSH-RR 64/32 (O'Neill 2014), brought below a bound by a multiplication (Lemire 2019) here
/// and not by a library that may find a better way one day.
#[derive(Clone, Debug)]
pub(crate) struct Random(Pcg32);

impl Random {
    pub fn new(seed: u64) -> Self {
        // One of the generator's 2^63 streams.
        Random(Pcg32::new(seed, 0))
    }

    /// The random numbers of one of many pieces of work, whichever is done first.
    pub fn of_piece(seed: u64, piece: u64) -> Self {
        Random::new(seed_of(seed, piece))
    }

    /// One of the numbers below `bound`, which must not be 0.
    pub fn below_wide(&mut self, bound: u64) -> u64 {
        // The highest numbers would come up too often.
        let unfair = u64::MAX - (u64::MAX % bound + 1) % bound;
        loop {
            let number = u64::from(self.0.next_u32()) << 32 | u64::from(self.0.next_u32());
            if number <= unfair {
                return number % bound;
            }
        }
    }

    /// One of the numbers below `bound`, which must not be 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        let bound = u64::from(bound);
        // The lowest products would come up once too often.
        let unfair = (1u64 << 32) % bound;
        loop {
            let product = u64::from(self.0.next_u32()) * bound;
            if product & 0xffff_ffff >= unfair {
                return (product >> 32) as u32;
            }
        }
    }

    /// One of these, if there is any.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        let count = u32::try_from(choices.len()).ok().filter(|&count| count > 0)?;
        choices.get(self.below(count) as usize).copied()
    }
}

/// A seed for each of many pieces of work: SplitMix64 (Steele, Lea, Flood 2014), whose numbers are
/// well apart for seeds that are not.
pub(crate) fn seed_of(seed: u64, piece: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    mixed(mixed(seed.wrapping_add(GOLDEN)).wrapping_add(piece.wrapping_add(1).wrapping_mul(GOLDEN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_seed_stay_what_they_are() {
        let mut random = Random::new(42);
        let numbers: Vec<_> = (0..12).map(|_| random.below(6)).collect();
        assert_eq!(numbers, [0, 4, 3, 1, 5, 3, 4, 0, 1, 0, 1, 3]);
    }

    #[test]
    fn every_number_has_its_chance() {
        let mut random = Random::new(1);
        let mut counts = [0; 5];
        (0..5_000).for_each(|_| counts[random.below(5) as usize] += 1);
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
        assert_eq!(random.one_of::<u8>(&[]), None);
        let mut counts = [0; 3];
        (0..3_000).for_each(|_| counts[random.below_wide(3) as usize] += 1);
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
        assert!((0..100).all(|_| random.below_wide(1 << 63) < 1 << 63));
        assert_eq!(random.below_wide(1), 0);
    }

    #[test]
    fn pieces_of_work_have_seeds_of_their_own() {
        let seeds: std::collections::HashSet<_> =
            (0..30).flat_map(|seed| (0..30).map(move |piece| seed_of(seed, piece))).collect();
        assert_eq!(seeds.len(), 900);
    }
}
