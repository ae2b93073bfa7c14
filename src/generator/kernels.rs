//! Loops over bytes, written so that the compiler turns them into vector code.
//!
//! They are inlined into each [`Work`](super::kernel::Work), which is compiled for each instruction
//! set.

/// How many of South's rows are solved together when North moves.
pub(super) const LANES: usize = 16;

/// One element of a line for each of a group's rows.
pub(super) type Lane = [u8; LANES];

/// The lesser of two lanes, value by value.
#[inline(always)]
pub(super) fn lesser(one: Lane, other: Lane) -> Lane {
    // Spelt out, because the compiler does not find the one instruction that does it.
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_min_epu8, _mm_storeu_si128};
        let mut lesser = one;
        // SAFETY: SSE2 is part of x86-64, and what is read and written are the 16 bytes of lanes.
        unsafe {
            let one = _mm_loadu_si128(one.as_ptr().cast());
            let other = _mm_loadu_si128(other.as_ptr().cast());
            _mm_storeu_si128(lesser.as_mut_ptr().cast(), _mm_min_epu8(one, other));
        }
        lesser
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        std::array::from_fn(|lane| one[lane].min(other[lane]))
    }
}

/// `other` where `mask` has ones, `one` where it has zeros.
#[inline(always)]
pub(super) fn blended(one: Lane, other: Lane, mask: Lane) -> Lane {
    let [one, other, mask] = [one, other, mask].map(u128::from_ne_bytes);
    ((one & !mask) | (other & mask)).to_ne_bytes()
}

/// Asks for the cache line of an element that will be read soon.
///
/// Lines are short, and which comes next is known only to us.
#[inline(always)]
pub(super) fn prefetch(line: &[u8], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: any address will do, as nothing is read from it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (line, at);
}

/// Asks for the beginning of a line; the processor sees by itself where it goes on.
#[inline(always)]
pub(super) fn prefetch_line(line: &[u8]) {
    for at in (0..line.len().min(4 * CACHE_LINE)).step_by(CACHE_LINE) {
        prefetch(line, at);
    }
}

/// Bytes that come into the cache together.
pub(super) const CACHE_LINE: usize = 64;

/// `target = min(target, source)`.
#[inline(always)]
pub(super) fn lower(target: &mut [u8], source: &[u8]) {
    for (target, &source) in target.iter_mut().zip(source) {
        *target = (*target).min(source);
    }
}

/// `target = min(target, from - source)`.
#[inline(always)]
pub(super) fn lower_by_rest(target: &mut [u8], from: u8, source: &[u8]) {
    for (target, &source) in target.iter_mut().zip(source) {
        *target = (*target).min(from.wrapping_sub(source));
    }
}

/// `target = from - target`.
#[inline(always)]
pub(super) fn rest(target: &mut [u8], from: u8) {
    for target in target {
        *target = from.wrapping_sub(*target);
    }
}

/// Turns squares of a group's lines into lanes: for a square that begins at `x`,
/// `target[i][lane] = lines[lane][x + i]`, and so on for all squares one after the other.
///
/// A line shorter than a square fills one in part.
#[inline(always)]
pub(super) fn interleave(lines: &[&[u8]; LANES], squares: &[u32], target: &mut [Lane]) {
    let length = lines[0].len();
    for line in lines {
        assert!(line.len() == length, "lines of one length");
    }
    if length < LANES {
        for (x, target) in target.iter_mut().enumerate().take(length) {
            for (value, line) in target.iter_mut().zip(lines) {
                *value = line[x];
            }
        }
        return;
    }
    for (&at, target) in squares.iter().zip(target.as_chunks_mut().0) {
        let at = at as usize;
        let mut square = [[0; LANES]; LANES];
        for (row, line) in square.iter_mut().zip(lines) {
            row.copy_from_slice(&line[at..at + LANES]);
        }
        *target = transposed(square);
    }
}

/// Where squares begin that cover `length` elements, at least [`LANES`]: the last one reaches to the
/// end, and does again some of what the one before it did.
#[inline(always)]
pub(super) fn squares(length: usize) -> impl Iterator<Item = usize> {
    (0..length.div_ceil(LANES)).map(move |block| (block * LANES).min(length - LANES))
}

/// A square of bytes.
pub(super) type Square = [[u8; LANES]; LANES];

/// The transpose of a square.
///
/// Four rounds of perfect shuffles: each interleaves the bytes of row `i` with those of row
/// `i + 8`, which rotates the eight bits of an element's address (row, column) by one.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn transposed(square: Square) -> Square {
    use std::arch::x86_64::{__m128i, _mm_unpackhi_epi8, _mm_unpacklo_epi8};
    // SAFETY: SSE2 is part of x86-64, and both types are 256 bytes without padding or bad values.
    unsafe {
        let mut rows: [__m128i; LANES] = std::mem::transmute(square);
        for _ in 0..LANES.ilog2() {
            let mut next = rows;
            for pair in 0..LANES / 2 {
                next[2 * pair] = _mm_unpacklo_epi8(rows[pair], rows[pair + LANES / 2]);
                next[2 * pair + 1] = _mm_unpackhi_epi8(rows[pair], rows[pair + LANES / 2]);
            }
            rows = next;
        }
        std::mem::transmute(rows)
    }
}

/// The transpose of a square.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn transposed(square: Square) -> Square {
    std::array::from_fn(|row| std::array::from_fn(|column| square[column][row]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_transposed() {
        let square: Square =
            std::array::from_fn(|row| std::array::from_fn(|column| (row * LANES + column) as u8));
        let turned = transposed(square);
        for row in 0..LANES {
            for column in 0..LANES {
                assert_eq!(turned[row][column], square[column][row]);
            }
        }
    }

    #[test]
    fn squares_of_lines_of_any_length_are_interleaved() {
        for length in [1, 15, 16, 17, 100] {
            let lines: Vec<Vec<u8>> = (0..LANES)
                .map(|lane| (0..length).map(|x| (lane * 31 + x * 7) as u8).collect())
                .collect();
            let begins: Vec<u32> = match length < LANES {
                true => vec![0],
                false => squares(length).map(|at| at as u32).collect(),
            };
            let mut lanes = vec![[0; LANES]; LANES * begins.len()];
            interleave(&std::array::from_fn(|lane| &lines[lane][..]), &begins, &mut lanes);
            for (square, &begin) in lanes.chunks(LANES).zip(&begins) {
                for (x, lane) in (begin as usize..length).zip(square) {
                    assert!(lane.iter().zip(&lines).all(|(&value, line)| value == line[x]));
                }
            }
        }
    }
}
