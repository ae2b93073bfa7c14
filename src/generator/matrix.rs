//! A matrix whose lines are computed by several threads, in an order that makes each line final
//! before it is read.

use std::cell::UnsafeCell;

/// Lines of bytes, of which some are still to be computed.
///
/// This is the one place where threads share memory that they write. Which lines may be read when
/// is known to the caller alone: a pair of blocks goes through its lines by ascending potential,
/// and a line is computed from lines of lower potential.
pub(super) struct Matrix {
    bytes: Vec<UnsafeCell<u8>>,
    length: usize,
}

// SAFETY: threads reach the bytes only through `line` and `line_mut`, whose callers keep lines that
// are written apart from lines that others read or write.
unsafe impl Sync for Matrix {}

impl Matrix {
    /// `lines` lines of `length` bytes, all zero.
    pub fn new(lines: usize, length: usize) -> Self {
        let bytes = std::mem::ManuallyDrop::new(vec![0u8; lines * length]);
        // SAFETY: UnsafeCell<u8> has the layout of u8, so the vector's allocation fits the new type.
        let bytes = unsafe {
            Vec::from_raw_parts(bytes.as_ptr() as *mut UnsafeCell<u8>, bytes.len(), bytes.capacity())
        };
        Matrix { bytes, length }
    }

    /// A line that is final.
    ///
    /// # Safety
    ///
    /// No thread holds the line from [`Matrix::line_mut`].
    #[inline(always)]
    pub unsafe fn line(&self, line: usize) -> &[u8] {
        let cells = &self.bytes[line * self.length..][..self.length];
        // SAFETY: nobody writes the line, says the caller; the layout is that of bytes.
        unsafe { std::slice::from_raw_parts(cells.as_ptr().cast(), cells.len()) }
    }

    /// A line to compute.
    ///
    /// # Safety
    ///
    /// Nothing else holds the line, to read or to write, as long as the result lives.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "lines are handed out one by one, see the contract")]
    pub unsafe fn line_mut(&self, line: usize) -> &mut [u8] {
        let cells = &self.bytes[line * self.length..][..self.length];
        // SAFETY: nobody else holds the line, says the caller; the cells allow writing.
        unsafe { std::slice::from_raw_parts_mut(cells.as_ptr() as *mut u8, cells.len()) }
    }

    /// The finished bytes, line after line.
    pub fn into_bytes(self) -> Vec<u8> {
        let bytes = std::mem::ManuallyDrop::new(self.bytes);
        // SAFETY: as in `new`, the other way round.
        unsafe { Vec::from_raw_parts(bytes.as_ptr() as *mut u8, bytes.len(), bytes.capacity()) }
    }
}
