//! Memory for whole blocks, used again and again.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use memmap2::{MmapMut, MmapRaw, UncheckedAdvice};

use super::error::SolveError;

/// Where buffers come from and go back to.
///
/// The system clears every page that it hands out, and asking for pages and clearing them took as
/// long as computing what is written there. So buffers are cut from few large regions, lie in huge
/// pages where the system has them, and what one no longer uses the next ones are cut from,
/// whatever their sizes: no more memory is ever touched than is in use at once, but for gaps; and
/// where memory is scarce, these go back to the system when there would be [too much](Buffers::keep_within)
/// of it in all.
#[derive(Clone)]
pub struct Buffers {
    regions: Arc<Mutex<Regions>>,
    /// Bytes of a region, unless more are needed.
    region: usize,
}

struct Regions {
    all: Vec<Region>,
    /// Bytes that are in use.
    used: usize,
    /// Bytes of memory that gaps must not lead beyond.
    limit: usize,
}

impl Regions {
    /// Bytes that take memory and that nobody uses, at most.
    fn touched(&self) -> usize {
        self.all.iter().map(Region::touched).sum()
    }

    /// Makes sure that no more than the limit take memory, as far as bytes are idle.
    fn keep_within_limit(&mut self) {
        if self.used + self.touched() > self.limit {
            self.all.iter_mut().for_each(Region::release);
            self.all.retain(|region| !region.is_idle());
        }
    }
}

/// Some bytes, of any content until they are written.
pub struct Buffer {
    /// The region and the bytes of it, which are the buffer's alone; nothing for an empty one.
    place: Option<(Arc<MmapRaw>, Range<usize>)>,
    home: Buffers,
}

/// Pages of the system's.
struct Region {
    pages: Arc<MmapRaw>,
    /// What nobody uses, by where it begins: no two of these touch.
    idle: BTreeMap<usize, Gap>,
}

/// Bytes that nobody uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Gap {
    end: usize,
    /// From the first to the last of them that take memory, as somebody has used them.
    touched: (usize, usize),
}

impl Gap {
    fn touched(&self) -> usize {
        self.touched.1 - self.touched.0
    }
}

/// What the places of buffers are multiples of: cache lines, which threads then do not share.
const ALIGNMENT: usize = 64;

/// A multiple of the size of the pages that systems have.
const PAGE: usize = 1 << 16;

impl Default for Buffers {
    /// Buffers in regions of few bytes.
    fn default() -> Self {
        Buffers::in_regions_of(4 << 20)
    }
}

impl Buffers {
    /// Buffers that are cut from regions of so many bytes, or of as many as one needs. The larger
    /// regions are, the fewer gaps there will be; what is never used of them takes addresses alone.
    pub fn in_regions_of(bytes: usize) -> Self {
        let regions = Regions { all: Vec::new(), used: 0, limit: usize::MAX };
        Buffers { regions: Arc::new(Mutex::new(regions)), region: bytes }
    }

    /// From now on gives memory that lies idle back to the system where it would be more than so many
    /// bytes with what is in use. What is in use may be more.
    pub fn keep_within(&self, limit: usize) {
        let mut regions = self.regions();
        regions.limit = limit;
        regions.keep_within_limit();
    }

    /// Other buffers, in regions of the same size; the same where there is a limit on both together.
    pub fn alike(&self) -> Self {
        match self.regions().limit {
            usize::MAX => Buffers::in_regions_of(self.region),
            _ => self.clone(),
        }
    }

    /// A buffer of `length` bytes; what it holds is what its last user left, or zeros.
    ///
    /// # Errors
    ///
    /// [`SolveError::OutOfMemory`].
    pub fn take(&self, length: usize) -> Result<Buffer, SolveError> {
        if length == 0 {
            return Ok(Buffer { place: None, home: self.clone() });
        }
        let mut regions = self.regions();
        // The first that fits, so that what was never used stays so as long as possible.
        let place = regions.all.iter_mut().find_map(|region| region.cut(length));
        let place = match place {
            Some(place) => place,
            None => {
                // What is idle and too small would be idle for long.
                regions.all.retain(|region| !region.is_idle());
                let mut region = Region::new(length.max(self.region))
                    .or_else(|_| Region::new(length))
                    .map_err(|_| SolveError::OutOfMemory { bytes: length })?;
                let place = region.cut(length).expect("large enough");
                regions.all.push(region);
                place
            }
        };
        regions.used += length.next_multiple_of(ALIGNMENT);
        regions.keep_within_limit();
        drop(regions);
        Ok(Buffer { place: Some(place), home: self.clone() })
    }

    fn regions(&self) -> MutexGuard<'_, Regions> {
        // Never left half changed.
        self.regions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Region {
    fn new(length: usize) -> std::io::Result<Self> {
        let pages = MmapRaw::from(MmapMut::map_anon(length.next_multiple_of(ALIGNMENT))?);
        // Only advice: without huge pages it is slower and no less right.
        #[cfg(target_os = "linux")]
        let _ = pages.advise(memmap2::Advice::HugePage);
        let idle = BTreeMap::from([(0, Gap { end: pages.len(), touched: (0, 0) })]);
        Ok(Region { pages: Arc::new(pages), idle })
    }

    /// Whether nobody uses any of it.
    fn is_idle(&self) -> bool {
        self.idle.get(&0).is_some_and(|gap| gap.end == self.pages.len())
    }

    /// Bytes that take memory and that nobody uses, at most.
    fn touched(&self) -> usize {
        self.idle.values().map(Gap::touched).sum()
    }

    /// Takes `length` bytes from the first gap that has room for them.
    fn cut(&mut self, length: usize) -> Option<(Arc<MmapRaw>, Range<usize>)> {
        let room = length.next_multiple_of(ALIGNMENT);
        let (start, gap) =
            self.idle.iter().map(|(&s, &gap)| (s, gap)).find(|(s, gap)| gap.end - s >= room)?;
        self.idle.remove(&start);
        let rest = start + room;
        if rest < gap.end {
            let (first, last) = gap.touched;
            let touched = if last > rest { (first.max(rest), last) } else { (rest, rest) };
            self.idle.insert(rest, Gap { touched, ..gap });
        }
        Some((Arc::clone(&self.pages), start..start + length))
    }

    /// Takes bytes back that were cut, and joins them with the gaps before and after them.
    fn give_back(&mut self, place: Range<usize>) {
        let (mut start, mut end) = (place.start, place.end.next_multiple_of(ALIGNMENT));
        let mut touched = (start, end);
        let mut join = |gap: Gap| {
            if gap.touched() > 0 {
                touched = (touched.0.min(gap.touched.0), touched.1.max(gap.touched.1));
            }
        };
        if let Some(after) = self.idle.remove(&end) {
            join(after);
            end = after.end;
        }
        if let Some((&before, &gap)) = self.idle.range(..start).next_back()
            && gap.end == start
        {
            join(gap);
            start = before;
        }
        self.idle.insert(start, Gap { end, touched });
    }

    /// Gives the memory of what nobody uses back to the system, which hands it out again, cleared,
    /// when it is next used.
    fn release(&mut self) {
        for (&start, gap) in &mut self.idle {
            // Only whole pages can be given back; what lies beside them may be in use.
            let first = gap.touched.0.next_multiple_of(PAGE).max(start.next_multiple_of(PAGE));
            let last = gap.touched.1 / PAGE * PAGE;
            if first < last {
                // SAFETY: nobody uses these bytes, and what they hold is of no meaning.
                let released = unsafe {
                    self.pages.unchecked_advise_range(
                        UncheckedAdvice::DontNeed,
                        first,
                        last - first,
                    )
                };
                // Otherwise the memory stays ours, as it would without a limit on gaps.
                if released.is_ok() {
                    gap.touched = (start, start);
                }
            }
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let Some((pages, place)) = self.place.take() else { return };
        let mut regions = self.home.regions();
        regions.used -= place.len().next_multiple_of(ALIGNMENT);
        let region = regions.all.iter_mut().find(|region| Arc::ptr_eq(&region.pages, &pages));
        region.expect("regions that are used are not removed").give_back(place);
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let Some((pages, place)) = &self.place else { return &[] };
        // SAFETY: the place is within the region, which lives as long as the buffer and is
        // initialised, as the system clears it; and it belongs to no other buffer.
        unsafe { std::slice::from_raw_parts(pages.as_ptr().add(place.start), place.len()) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        let Some((pages, place)) = &self.place else { return &mut [] };
        // SAFETY: as above, and the buffer is borrowed to write.
        unsafe { std::slice::from_raw_parts_mut(pages.as_mut_ptr().add(place.start), place.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_back_is_used_again_whatever_its_size() {
        let buffers = Buffers::in_regions_of(1 << 20);
        let take = |length: usize| {
            let mut buffer = buffers.take(length).unwrap();
            buffer.fill(length as u8);
            buffer
        };
        let [one, two, three] = [100_001, 50_002, 70_003].map(take);
        let start = one.as_ptr();
        assert!(take(0).is_empty());
        // In either order, neighbours become one gap.
        drop(one);
        drop(two);
        let both = take(150_003);
        assert_eq!((both.as_ptr(), both.len()), (start, 150_003));
        assert!(three.iter().all(|&byte| byte == 70_003_u32 as u8));
        drop(three);
        drop(both);
        let regions = buffers.regions();
        assert_eq!((regions.all.len(), regions.used), (1, 0));
        let gap = Gap { end: 1 << 20, touched: (0, 220_096) };
        assert_eq!(regions.all[0].idle, BTreeMap::from([(0, gap)]));
    }

    #[test]
    fn memory_that_lies_idle_is_given_back_when_there_is_too_much() {
        let buffers = Buffers::in_regions_of(32 << 20);
        buffers.keep_within(10 << 20);
        let take = |length: usize| {
            let mut buffer = buffers.alike().take(length).unwrap();
            buffer.fill(1);
            buffer
        };
        let touched = || buffers.regions().touched();
        let [one, two, three] = [2 << 20, 7 << 20, 100].map(take);
        drop(two);
        // What is idle is used first, and stays otherwise.
        let two = take(6 << 20);
        assert_eq!(touched(), 1 << 20);
        drop(take(1 << 20));
        drop(one);
        assert_eq!(touched(), 3 << 20);
        // With three more where nothing was there would be too much.
        let four = take(3 << 20);
        assert_eq!(touched(), 0);
        assert!([two, three].iter().all(|buffer| buffer.iter().all(|&byte| byte == 1)));
        // What comes next is cleared.
        assert!(buffers.take(2 << 20).unwrap().iter().all(|&byte| byte == 0));
        drop(four);
        assert_eq!(buffers.regions().used, 0);
        // Nor does what is idle wait for that when something else wants the memory.
        assert!(touched() > 1 << 20);
        buffers.keep_within(1 << 20);
        assert_eq!(touched(), 0);
    }

    #[test]
    fn what_does_not_fit_has_a_region_of_its_own() {
        let buffers = Buffers::in_regions_of(4096);
        let (small, large) = (buffers.take(1).unwrap(), buffers.take(4096).unwrap());
        assert_eq!((small.len(), large.len(), large[4095]), (1, 4096, 0));
        drop(small);
        drop(large);
        assert_eq!(buffers.regions().all.len(), 2);
        // And where there is no room, what is idle goes.
        assert_eq!(buffers.take(10_000).unwrap().len(), 10_000);
        assert_eq!(buffers.regions().all.len(), 1);
    }
}
