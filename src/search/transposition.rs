//! The transposition table: what the search found out about positions beyond the tables.
//!
//! An entry is one 64-bit word that threads read and write without locks. A position's
//! [number](super::numbering) is mixed by a bijection `m` of the numbers below `2^b`, and with `B`
//! buckets
//!
//! ```text
//! bucket = floor(m B / 2^b)        tag = floor((m B mod 2^b) / 2^floor(log2 B))
//! ```
//!
//! The numbers of one bucket differ in `m B mod 2^b` by multiples of `B`, so their tags differ:
//! bucket and tag together *are* the position, and no entry is ever taken for another position's.

mod contents;

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use memmap2::MmapMut;

use crate::prefetch::prefetch;

/// Entries of a bucket, which is a line of the cache.
const WIDTH: usize = 8;
const BUCKET_BYTES: usize = WIDTH * size_of::<AtomicU64>();
const TAG_BITS: u32 = 32;

/// What numbers are multiplied by to mix them: odd, so that nothing is lost.
const FACTORS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03, 0x8cb9_2ba7_2f3d_8dd7];

/// What is known of a position, all of it seen by the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The least share of the stones the mover can force.
    pub lower: u8,
    /// The greatest share the mover can force.
    pub upper: u8,
    /// The pit by which the last claim that held did, or seemed to, 0 to `P - 1`; else
    /// [`Entry::NO_PIT`].
    pub pit: u8,
    /// What the entry cost, which decides what gives way to what: below [`Entry::PROVED`] the depth
    /// to which `asked` was looked at, from there on the logarithm of a proof's nodes.
    pub cost: u8,
    /// The share that was asked for and not settled within that depth, or 0, and whether it seemed
    /// within reach.
    pub asked: u8,
    pub promising: bool,
}

impl Entry {
    pub const NO_PIT: u8 = 7;
    /// The least cost of a proof.
    pub const PROVED: u8 = 64;
    /// The greatest cost, more than any proof's.
    pub const MOST: u8 = 127;

    /// Nothing is known of a position of so many stones.
    pub fn unknown(stones: u8) -> Self {
        Entry { lower: 0, upper: stones, pit: Entry::NO_PIT, cost: 0, asked: 0, promising: false }
    }

    #[inline]
    fn pack(self) -> u32 {
        u32::from(self.lower)
            | u32::from(self.upper) << 7
            | u32::from(self.asked) << 14
            | u32::from(self.pit) << 21
            | u32::from(self.promising) << 24
            | u32::from(self.cost) << 25
    }

    #[inline]
    fn unpack(word: u32) -> Self {
        Entry {
            lower: (word & 127) as u8,
            upper: (word >> 7 & 127) as u8,
            asked: (word >> 14 & 127) as u8,
            pit: (word >> 21 & 7) as u8,
            promising: word >> 24 & 1 == 1,
            cost: (word >> 25) as u8,
        }
    }
}

/// Where a position's entry can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    bucket: usize,
    tag: u32,
}

impl Place {
    /// A number that few positions share.
    #[inline]
    pub fn hash(self) -> u64 {
        (self.bucket as u64 ^ u64::from(self.tag) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// A table of fixed size, shared by all threads.
pub(super) struct Transpositions {
    memory: MmapMut,
    buckets: u64,
    bits: u32,
    /// Bits of `m B mod 2^b` that are left out of the tag.
    spare: u32,
}

impl Transpositions {
    /// A table of at most `bytes` bytes for positions numbered below `count`.
    ///
    /// # Errors
    ///
    /// When the system gives no memory.
    pub fn new(bytes: usize, count: u64) -> io::Result<Self> {
        let buckets = (bytes / BUCKET_BYTES).max(1);
        let memory = MmapMut::map_anon(buckets * BUCKET_BYTES)?;
        // Without large pages every access misses the page tables' cache too; they are no must.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        let bits = count.max(2).next_power_of_two().trailing_zeros().max(8);
        let spare = buckets.ilog2();
        let buckets = buckets as u64;
        Ok(Transpositions { memory, buckets, bits, spare })
    }

    /// Whether tags tell all positions numbered below `count` apart in a table of so many bytes.
    pub fn holds(bytes: usize, count: u64) -> bool {
        let buckets = (bytes / BUCKET_BYTES).max(1);
        // 64 bits have no power of two for the largest counts.
        let bits = count.max(2).checked_next_power_of_two().map_or(64, u64::trailing_zeros);
        bits <= 63.min(TAG_BITS + buckets.ilog2())
    }

    fn entries(&self, bucket: usize) -> &[AtomicU64; WIDTH] {
        debug_assert!((bucket as u64) < self.buckets);
        // SAFETY: the mapping begins at a page, holds `buckets` buckets, lives as long as `self`,
        // and is accessed through atomics alone.
        unsafe { &*self.memory.as_ptr().add(bucket * BUCKET_BYTES).cast() }
    }

    /// Where the position of this number is.
    #[inline]
    pub fn place(&self, number: u64) -> Place {
        let mask = (1u64 << self.bits) - 1;
        let half = self.bits / 2;
        let mut mixed = number;
        // Each step is undone by a like one, so that all together are a bijection.
        for factor in &FACTORS[..2] {
            mixed = mixed.wrapping_mul(*factor) & mask;
            mixed ^= mixed >> half;
        }
        mixed = mixed.wrapping_mul(FACTORS[2]) & mask;
        let product = u128::from(mixed) * u128::from(self.buckets);
        let bucket = (product >> self.bits) as usize;
        let tag = ((product as u64 & mask) >> self.spare.min(self.bits)) as u32;
        Place { bucket, tag }
    }

    /// Where a place's memory is.
    #[inline]
    pub fn address(&self, place: Place) -> *const u8 {
        std::ptr::from_ref(self.entries(place.bucket)).cast()
    }

    /// Asks for a place's memory, to be read soon.
    #[inline]
    pub fn prefetch(&self, place: Place) {
        prefetch(self.address(place));
    }

    /// What is known of a position.
    #[inline]
    pub fn get(&self, place: Place) -> Option<Entry> {
        for entry in self.entries(place.bucket) {
            let word = entry.load(Relaxed);
            if (word >> 32) as u32 == place.tag && word as u32 != 0 {
                return Some(Entry::unpack(word as u32));
            }
        }
        None
    }

    /// Keeps what was found out about a position, in place of what cost least.
    #[inline]
    pub fn put(&self, place: Place, entry: Entry) {
        let bucket = self.entries(place.bucket);
        let mut slot = &bucket[0];
        let mut least = u32::MAX;
        for candidate in bucket {
            let word = candidate.load(Relaxed);
            if word as u32 == 0 || (word >> 32) as u32 == place.tag {
                slot = candidate;
                break;
            }
            let cost = word as u32 >> 25;
            if cost < least {
                (slot, least) = (candidate, cost);
            }
        }
        slot.store(u64::from(place.tag) << 32 | u64::from(entry.pack()), Relaxed);
    }
}
