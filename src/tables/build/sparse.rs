//! A matrix of which few lines are in memory.

use std::ops::{Deref, DerefMut, Range};

use memmap2::{MmapMut, MmapOptions, UncheckedAdvice};

use crate::generator::SolveError;

/// A multiple of the size of the pages that systems have.
const PAGE: usize = 1 << 16;

/// Bytes of a matrix from which on it lies in huge pages.
const LARGE: usize = 64 << 20;

/// Addresses for a whole matrix, zeros at first, which take memory where they are written.
pub(super) struct Sparse {
    bytes: MmapMut,
    /// Bytes of a line.
    line: usize,
}

impl Sparse {
    /// Addresses for so many lines of so many bytes.
    ///
    /// # Errors
    ///
    /// [`SolveError::OutOfMemory`] when there are not as many addresses.
    pub fn new(lines: usize, line: usize) -> Result<Self, SolveError> {
        let bytes = lines * line;
        let map = MmapOptions::new().len(bytes).no_reserve_swap().map_anon();
        let map = map.map_err(|_| SolveError::OutOfMemory { bytes })?;
        // Only advice: without huge pages it is slower and no less right. Where the parts that are
        // written are not much larger than such pages, these would take more than the parts.
        #[cfg(target_os = "linux")]
        if bytes >= LARGE {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Sparse { bytes: map, line })
    }

    /// Gives the memory of all lines back but for some, given in order, and for parts of pages at their
    /// ends: what is given back is zeros, or what it was.
    pub fn keep_only(&mut self, kept: &[Range<usize>]) {
        let mut start = 0;
        for kept in kept {
            self.release(start, kept.start * self.line);
            start = kept.end * self.line;
        }
        self.release(start, self.bytes.len());
    }

    fn release(&mut self, start: usize, end: usize) {
        let start = start.next_multiple_of(PAGE);
        let end = if end == self.bytes.len() { end } else { end / PAGE * PAGE };
        if start < end {
            // SAFETY: the bytes are borrowed to write, and of memory that belongs to nothing else
            // it is said that it becomes zeros.
            let given = unsafe {
                self.bytes.unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start)
            };
            // Without, it only takes memory for longer.
            let _ = given;
        }
    }
}

impl Deref for Sparse {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for Sparse {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_stays_and_the_rest_goes() {
        let mut sparse = Sparse::new(100, 5000).unwrap();
        sparse.fill(7);
        sparse.keep_only(&[0..20, 60..61, 61..80]);
        let lines = |lines: Range<usize>| lines.start * 5000..lines.end * 5000;
        let stays = [lines(0..20), lines(60..80)];
        assert!(stays.iter().all(|bytes| sparse[bytes.clone()].iter().all(|&byte| byte == 7)));
        // Whole pages of what lies between and behind.
        let goes = [lines(20..60), lines(80..100)].map(|bytes| {
            bytes.start.next_multiple_of(PAGE)..if bytes.end == 500_000 {
                bytes.end
            } else {
                bytes.end / PAGE * PAGE
            }
        });
        #[cfg(target_os = "linux")]
        assert!(goes.iter().all(|bytes| sparse[bytes.clone()].iter().all(|&byte| byte == 0)));
        sparse.keep_only(&[0..50, 50..100]);
        assert!(sparse[lines(0..20)].iter().all(|&byte| byte == 7));
        sparse.keep_only(&[]);
        assert!(goes.iter().all(|bytes| !bytes.is_empty()));
    }
}
