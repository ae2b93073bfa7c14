//! A matrix whose lines are computed by several threads, in an order that makes each line final
//! before it is read.

use std::marker::PhantomData;

use super::buffer::Buffer;

/// Lines of bytes, of which some are still to be computed.
///
/// This is the one place where threads share memory that they write. Which lines may be read when
/// is known to the caller alone: a pair of blocks goes through its lines by ascending potential,
/// and a line is computed from lines of lower potential.
pub(super) struct Matrix<'a> {
    start: *mut u8,
    lines: usize,
    length: usize,
    buffer: PhantomData<&'a mut Buffer>,
}

// SAFETY: threads reach the bytes only through `line`, `line_mut` and `part_mut`, whose callers keep
// what is written apart from what others read or write.
unsafe impl Sync for Matrix<'_> {}

impl<'a> Matrix<'a> {
    /// A matrix of `lines` lines in a buffer of that size.
    ///
    /// # Panics
    ///
    /// When the buffer's length is not a multiple of `lines`.
    pub fn new(buffer: &'a mut Buffer, lines: usize) -> Self {
        assert!(buffer.len().is_multiple_of(lines), "a buffer of {lines} lines");
        let length = buffer.len() / lines;
        Matrix { start: buffer.as_mut_ptr(), lines, length, buffer: PhantomData }
    }

    /// A line that is final.
    ///
    /// # Safety
    ///
    /// Nobody holds the line or a part of it to write, as long as the result lives.
    #[inline(always)]
    pub unsafe fn line(&self, line: usize) -> &[u8] {
        assert!(line < self.lines);
        // SAFETY: the line is within the buffer, which is borrowed as long as the matrix lives, and
        // nobody writes it, says the caller.
        unsafe { std::slice::from_raw_parts(self.start.add(line * self.length), self.length) }
    }

    /// A line to compute.
    ///
    /// # Safety
    ///
    /// Nothing else holds the line, to read or to write, as long as the result lives.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "lines are handed out one by one, see the contract")]
    pub unsafe fn line_mut(&self, line: usize) -> &mut [u8] {
        assert!(line < self.lines);
        // SAFETY: the line is within the buffer, which is borrowed as long as the matrix lives, and
        // nobody else holds it, says the caller.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(line * self.length), self.length) }
    }

    /// A part of a line to compute: `length` elements from `at` on.
    ///
    /// # Safety
    ///
    /// Nothing else holds this part, to read or to write, as long as the result lives.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "parts are handed out one by one, see the contract")]
    pub unsafe fn part_mut(&self, line: usize, at: usize, length: usize) -> &mut [u8] {
        assert!(line < self.lines && at <= self.length && length <= self.length - at);
        // SAFETY: the part is within the buffer, which is borrowed as long as the matrix lives, and
        // nobody else holds it, says the caller.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(line * self.length + at), length) }
    }
}
