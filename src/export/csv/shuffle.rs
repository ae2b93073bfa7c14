//! A random order of more numbers than there is memory for.

use crate::players::seed_of;

/// Fewer would do for large counts. With few numbers a half of a number has so few values that
/// their order needs more to look random.
const ROUNDS: usize = 8;

/// The numbers below a count in random order, each found on its own: where a list would take
/// memory for every number, this takes none, and every number comes exactly once.
///
/// A Feistel network (Luby and Rackoff 1988) permutes the numbers of an even number of bits. Those
/// that are no less than the count are permuted again until one below it comes (Black and Rogaway
/// 2002), which is sooner or later the case, as a permutation leads back to where it began. At most
/// three of four numbers are too large.
#[derive(Clone, Debug)]
pub(super) struct Shuffle {
    count: u64,
    /// Bits of a half.
    bits: u32,
    keys: [u64; ROUNDS],
}

impl Shuffle {
    /// The order of a seed, the same in every version and on every machine.
    pub fn new(count: u64, seed: u64) -> Self {
        let bits = (u64::BITS - count.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
        Shuffle { count, bits, keys: std::array::from_fn(|round| seed_of(seed, round as u64)) }
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number in this place.
    ///
    /// # Panics
    ///
    /// When `place` is not below the count.
    pub fn at(&self, place: u64) -> u64 {
        assert!(place < self.count, "there are {} places", self.count);
        let mut number = self.permuted(place);
        while number >= self.count {
            number = self.permuted(number);
        }
        number
    }

    fn permuted(&self, number: u64) -> u64 {
        let mask = u64::MAX >> (u64::BITS - self.bits);
        let (mut left, mut right) = (number >> self.bits, number & mask);
        for &key in &self.keys {
            (left, right) = (right, left ^ (seed_of(key, right) & mask));
        }
        left << self.bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for count in [1, 2, 3, 4, 5, 15, 16, 17, 36, 1000] {
            let shuffle = Shuffle::new(count, 3);
            let mut numbers: Vec<_> = (0..count).map(|place| shuffle.at(place)).collect();
            numbers.sort_unstable();
            assert!(numbers.iter().copied().eq(0..count), "{count}: {numbers:?}");
        }
    }

    #[test]
    fn the_order_of_a_seed_stays_what_it_is() {
        let shuffle = Shuffle::new(1 << 40, 42);
        let numbers: Vec<_> = (0..3).map(|place| shuffle.at(place)).collect();
        assert_eq!(numbers, [130_840_799_294, 950_268_251_497, 610_690_671_503]);
        assert!(Shuffle::new(u64::MAX, 0).at(u64::MAX - 1) < u64::MAX);
    }

    #[test]
    fn every_number_has_the_same_chance_in_every_place() {
        // Chi-squared with 35 degrees of freedom, which exceeds 66.6 one time in a thousand.
        const COUNT: u64 = 36;
        const SEEDS: u64 = 36_000;
        for place in [0, 1, 17, 35] {
            let mut seen = [0u64; COUNT as usize];
            (0..SEEDS).for_each(|seed| seen[Shuffle::new(COUNT, seed).at(place) as usize] += 1);
            let expected = (SEEDS / COUNT) as f64;
            let chi: f64 = seen.iter().map(|&n| (n as f64 - expected).powi(2) / expected).sum();
            assert!(chi < 66.6, "place {place}: {chi}");
        }
    }

    #[test]
    fn neighbours_in_place_are_none_in_number() {
        // The mean of |a - b| of two random numbers below n is n / 3.
        let shuffle = Shuffle::new(1_000_000, 5);
        let apart: u64 = (0..10_000).map(|i| shuffle.at(i).abs_diff(shuffle.at(i + 1))).sum();
        assert!((323_000..343_000).contains(&(apart / 10_000)), "{}", apart / 10_000);
    }
}
