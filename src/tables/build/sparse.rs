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

    /// Gives the memory of some lines back, but for parts of pages at the ends: they are zeros, or
    /// what they were.
    pub fn release(&mut self, lines: Range<usize>) {
        let start = (lines.start * self.line).next_multiple_of(PAGE);
        let end = lines.end * self.line;
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
    fn what_is_not_released_stays() {
        let mut sparse = Sparse::new(100, 5000).unwrap();
        sparse.fill(7);
        sparse.release(20..60);
        assert!(sparse[..20 * 5000].iter().chain(&sparse[60 * 5000..]).all(|&byte| byte == 7));
        sparse.release(90..100);
        sparse.release(3..3);
        assert!(sparse[..20 * 5000].iter().all(|&byte| byte == 7));
    }
}
