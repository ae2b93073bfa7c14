//! The bytes of an entry.

use super::super::numbering::Numbering;
use super::super::transposition::Entry;

/// Bits beside the position's number.
const FACT_BITS: u32 = 23;
/// More bytes than any entry has.
const MOST_BYTES: usize = 16;

/// How the entries of one checkpoint are written.
pub(super) struct Records<const P: usize> {
    /// How many positions there are of up to 0, 1, 2, .. stones.
    up_to: Box<[u64]>,
    width: usize,
}

impl<const P: usize> Records<P> {
    /// For positions of up to so many stones: all that a game from such a position can come to.
    pub fn new(stones: usize) -> Self {
        let up_to: Box<[u64]> = (0..=stones).map(Numbering::<P>::count_up_to).collect();
        let bits = u64::BITS - (up_to[stones] - 1).leading_zeros() + FACT_BITS;
        Records { up_to, width: bits.div_ceil(8) as usize }
    }

    /// Bytes of an entry.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Numbers from here on are not for this checkpoint.
    pub fn count(&self) -> u64 {
        self.up_to[self.up_to.len() - 1]
    }

    /// Appends the bytes of a proof about a position numbered below [`Records::count`].
    #[inline]
    pub fn write(&self, number: u64, entry: Entry, bytes: &mut Vec<u8>) {
        let fact = u64::from(entry.lower)
            | u64::from(entry.upper) << 7
            | u64::from(entry.pit) << 14
            | u64::from(entry.cost - Entry::PROVED) << 17;
        let record = u128::from(number) << FACT_BITS | u128::from(fact);
        bytes.extend(&record.to_le_bytes()[..self.width]);
    }

    /// The position's number and the proof; `None` when no position can have such bytes.
    #[inline]
    pub fn read(&self, bytes: &[u8]) -> Option<(u64, Entry)> {
        let mut record = [0; MOST_BYTES];
        record[..self.width].copy_from_slice(bytes);
        let record = u128::from_le_bytes(record);
        let number = u64::try_from(record >> FACT_BITS).ok()?;
        let fact = record as u32;
        let entry = Entry {
            lower: (fact & 127) as u8,
            upper: (fact >> 7 & 127) as u8,
            pit: (fact >> 14 & 7) as u8,
            cost: Entry::PROVED + (fact >> 17 & 63) as u8,
            asked: 0,
            promising: false,
        };
        let stones = self.up_to.partition_point(|&count| count <= number);
        let possible = stones < self.up_to.len()
            && entry.lower <= entry.upper
            && usize::from(entry.upper) <= stones
            && (usize::from(entry.pit) < P || entry.pit == Entry::NO_PIT);
        possible.then_some((number, entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Entry =
        Entry { lower: 1, upper: 3, pit: 5, cost: 127, asked: 0, promising: false };

    fn bytes<const P: usize>(records: &Records<P>, number: u64, entry: Entry) -> Vec<u8> {
        let mut bytes = Vec::new();
        records.write(number, entry, &mut bytes);
        bytes
    }

    #[test]
    fn an_entry_of_the_common_opening_takes_eight_bytes() {
        assert_eq!(Records::<6>::new(48).width(), 8);
        assert_eq!(Records::<6>::new(72).width(), 9);
        assert_eq!(Records::<6>::new(127).width(), 10);
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        for stones in [3, 48, 127] {
            let records = Records::<6>::new(stones);
            let last = records.count() - 1;
            let most = stones as u8;
            for entry in [ENTRY, Entry { lower: most, upper: most, pit: 7, cost: 64, ..ENTRY }] {
                let read = records.read(&bytes(&records, last, entry));
                assert_eq!(read, Some((last, entry)));
            }
        }
    }

    #[test]
    fn what_cannot_be_is_not_read() {
        let records = Records::<6>::new(3);
        let last = records.count() - 1;
        let wrong = |number, entry| records.read(&bytes(&records, number, entry)).is_none();
        assert!(!wrong(last, ENTRY));
        assert!(wrong(last + 1, ENTRY), "a number beyond the last position's");
        assert!(wrong(Numbering::<6>::count_up_to(2) - 1, ENTRY), "3 of 2 stones");
        assert!(wrong(last, Entry { lower: 3, upper: 2, ..ENTRY }), "bounds that cross");
        assert!(wrong(last, Entry { pit: 6, ..ENTRY }), "a seventh pit");
        let records = Records::<6>::new(127);
        assert_eq!(records.read(&[0xff; 10]), None);
    }
}
