//! What a transposition table holds, taken out and put back as facts about numbered positions, so
//! that a table of another size can hold them too.

use std::sync::atomic::Ordering::Relaxed;

use super::{Entry, FACTORS, Place, Transpositions};

/// Costs that an entry can have.
const COSTS: usize = Entry::MOST as usize + 1;

/// What undoes the multiplications by [`FACTORS`], modulo every power of two up to 2^64.
const INVERSES: [u64; 3] = [inverse(FACTORS[0]), inverse(FACTORS[1]), inverse(FACTORS[2])];

/// The inverse of an odd number modulo 2^64, by Newton's iteration: `f f = 1` modulo 8, and each
/// step doubles the bits that are right, of which there are 3, 6, 12, 24, 48, 96.
const fn inverse(factor: u64) -> u64 {
    let mut inverse = factor;
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

impl Transpositions {
    /// How many entries are proofs of each cost. Threads that search meanwhile change it.
    pub fn proofs_by_cost(&self) -> [u64; COSTS] {
        let mut counts = [0; COSTS];
        for word in self.words() {
            counts[word as u32 as usize >> 25] += 1;
        }
        counts[..usize::from(Entry::PROVED)].fill(0);
        counts
    }

    /// The proofs whose cost is `wanted`, by the position's number, without the opinions that came
    /// after them. While threads search, each proof is one that was there at some time.
    pub fn proofs(&self, mut wanted: impl FnMut(u8) -> bool) -> impl Iterator<Item = (u64, Entry)> {
        let buckets = 0..self.buckets as usize;
        let slots =
            buckets.flat_map(|bucket| self.entries(bucket).iter().map(move |e| (bucket, e)));
        slots.filter_map(move |(bucket, entry)| {
            let word = entry.load(Relaxed);
            let entry = Entry::unpack(word as u32);
            if entry.cost < Entry::PROVED || !wanted(entry.cost) {
                return None;
            }
            let place = Place { bucket, tag: (word >> 32) as u32 };
            Some((self.number(place), Entry { asked: 0, promising: false, ..entry }))
        })
    }

    /// Adds what was found out about a position to what is known of it; unlike
    /// [`put`](Transpositions::put), never in place of what cost as much. `false`, and nothing is
    /// added, when both cannot be true. Not for when threads search.
    #[must_use]
    pub fn add(&self, place: Place, mut entry: Entry) -> bool {
        let mut slot = None;
        let mut least = entry.cost;
        for candidate in self.entries(place.bucket) {
            let word = candidate.load(Relaxed);
            let known = Entry::unpack(word as u32);
            if word as u32 == 0 {
                slot = Some(candidate);
                break;
            }
            if (word >> 32) as u32 == place.tag {
                entry.lower = entry.lower.max(known.lower);
                entry.upper = entry.upper.min(known.upper);
                if entry.lower > entry.upper {
                    return false;
                }
                entry.cost = entry.cost.max(known.cost);
                if entry.pit == Entry::NO_PIT {
                    entry.pit = known.pit;
                }
                slot = Some(candidate);
                break;
            }
            if known.cost < least {
                (slot, least) = (Some(candidate), known.cost);
            }
        }
        if let Some(slot) = slot {
            slot.store(u64::from(place.tag) << 32 | u64::from(entry.pack()), Relaxed);
        }
        true
    }

    /// The number of the position that is at a place: the inverse of
    /// [`place`](Transpositions::place).
    ///
    /// With `s = min(floor(log2 B), b)`, bucket and tag say that `m B` is at least
    /// `x = bucket 2^b + tag 2^s` and less than `x + 2^s`. As `2^s <= B`, one multiple of `B` at
    /// most is there, and as the place is some position's, one is: the least that is not below `x`.
    ///
    /// In `m` the steps of the mixing are undone, the last one first. Modulo `2^b`, an odd factor
    /// is undone by its inverse. From `y = x ^ (x >> h)` of `b` bits follows `x = y ^ (y >> h) ^
    /// (y >> 2h) ^ ..`, in which everything cancels but `x` itself; from `3h` on nothing is left of
    /// `y`, as `h = floor(b / 2)` and `b >= 8` make `3h >= b`.
    pub fn number(&self, place: Place) -> u64 {
        let mask = (1u64 << self.bits) - 1;
        let half = self.bits / 2;
        let low = u64::from(place.tag) << self.spare.min(self.bits);
        let least = (place.bucket as u128) << self.bits | u128::from(low);
        let mixed = least.div_ceil(u128::from(self.buckets)) as u64;
        let mut number = mixed.wrapping_mul(INVERSES[2]) & mask;
        for inverse in INVERSES[..2].iter().rev() {
            number ^= number >> half ^ number >> (2 * half);
            number = number.wrapping_mul(*inverse) & mask;
        }
        number
    }

    /// The words of all entries.
    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.buckets as usize)
            .flat_map(|bucket| self.entries(bucket).iter().map(|entry| entry.load(Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BUCKET: usize = super::super::BUCKET_BYTES;

    fn proof(lower: u8, upper: u8, cost: u8) -> Entry {
        Entry { lower, upper, cost, ..Entry::unknown(upper) }
    }

    fn table() -> Transpositions {
        Transpositions::new(100 * BUCKET, 1 << 30).unwrap()
    }

    proptest! {
        #[test]
        fn a_place_has_its_number(
            buckets in 1..5_000usize, bits in 0..57u32, odd in any::<u64>(), numbers in any::<[u64; 32]>()
        ) {
            let count = (1 << bits) + odd % (1 << bits);
            let bytes = buckets * BUCKET;
            prop_assume!(Transpositions::holds(bytes, count));
            let table = Transpositions::new(bytes, count).unwrap();
            for number in numbers.map(|number| number % count).into_iter().chain([0, count - 1]) {
                prop_assert_eq!(table.number(table.place(number)), number);
            }
        }
    }

    #[test]
    fn a_place_has_its_number_in_a_large_table() {
        // Nothing is written, so nothing is taken.
        for buckets in [1 << 25, (1 << 25) + 1, (1 << 26) - 1] {
            let table = Transpositions::new(buckets * BUCKET, 1 << 57).unwrap();
            for number in (0..1 << 57).step_by((1 << 47) - 1) {
                assert_eq!(table.number(table.place(number)), number);
            }
        }
    }

    #[test]
    fn every_proof_comes_out_without_its_opinion() {
        let table = table();
        for number in 0..100 {
            let entry = proof(1, 9, 64 + number as u8 % 3);
            table.put(table.place(number), Entry { asked: 5, promising: true, ..entry });
            table.put(table.place(number + 100), Entry { asked: 5, cost: 7, ..Entry::unknown(9) });
        }
        let mut proofs: Vec<_> = table.proofs(|_| true).collect();
        proofs.sort_by_key(|(number, _)| *number);
        let expected: Vec<_> = (0..100).map(|n| (n, proof(1, 9, 64 + n as u8 % 3))).collect();
        assert_eq!(proofs, expected);
        assert_eq!(table.proofs(|cost| cost == 65).count(), 33);
        let by_cost = table.proofs_by_cost();
        assert_eq!((by_cost[64], by_cost[65], by_cost[66]), (34, 33, 33));
        assert_eq!(by_cost.iter().sum::<u64>(), 100);
    }

    #[test]
    fn what_is_added_completes_what_is_known() {
        let table = table();
        let place = table.place(12_345);
        assert!(table.add(place, Entry { pit: 3, ..proof(2, 9, 80) }));
        assert!(table.add(place, proof(1, 5, 70)));
        assert_eq!(table.get(place), Some(Entry { pit: 3, ..proof(2, 5, 80) }));
        assert!(!table.add(place, proof(6, 9, 90)) && !table.add(place, proof(0, 1, 60)));
        assert_eq!(table.get(place), Some(Entry { pit: 3, ..proof(2, 5, 80) }));
    }

    #[test]
    fn what_is_added_gives_way_to_what_cost_more() {
        let table = Transpositions::new(BUCKET, 1 << 30).unwrap();
        for number in 0..8 {
            assert!(table.add(table.place(number), proof(1, 9, 70 + number as u8)));
        }
        assert!(table.add(table.place(8), proof(2, 9, 70)));
        assert_eq!(table.get(table.place(8)), None);
        assert!(table.add(table.place(9), proof(2, 9, 71)));
        assert_eq!(table.get(table.place(9)), Some(proof(2, 9, 71)));
        assert_eq!(table.get(table.place(0)), None);
        assert_eq!(table.proofs(|_| true).count(), 8);
    }
}
