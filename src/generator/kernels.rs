//! Loops over bytes, written so that the compiler turns them into vector code, and the two
//! instructions that it does not find by itself.
//!
//! They are inlined into each [`Work`](super::kernel::Work), which is compiled for each instruction
//! set.

/// How many of South's rows are solved together when North moves.
pub(super) const LANES: usize = 8;

/// One element of a line for each of a group's rows.
pub(super) type Lane = [u8; LANES];

/// How many bytes of a line, or of a row of a matrix, are turned at once.
pub(crate) const SPAN: usize = 16;

/// A span of each of a group's lines.
pub(super) type Spans = [[u8; SPAN]; LANES];

/// The same, element by element.
pub(super) type Lanes = [Lane; SPAN];

/// A square of bytes.
pub(crate) type Square = [[u8; SPAN]; SPAN];

/// Two elements of a group's lines, one after the other: what one instruction works on.
pub(super) type Couple = [u8; 2 * LANES];

/// Two of a buffer's elements.
///
/// # Safety
///
/// Both are below the buffer's length.
#[inline(always)]
pub(super) unsafe fn couple(buffer: &[Lane], one: usize, other: usize) -> Couple {
    // SAFETY: the caller's.
    let (one, other) = unsafe { (buffer.get_unchecked(one), buffer.get_unchecked(other)) };
    let mut couple = [0; 2 * LANES];
    // Spelt out, because the compiler makes more of it.
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{
            _mm_castpd_si128, _mm_castsi128_pd, _mm_loadh_pd, _mm_loadl_epi64, _mm_storeu_si128,
        };
        const { assert!(LANES == 8) };
        // SAFETY: SSE2 is part of x86-64, what is read are the 8 bytes of lanes, and what is
        // written the 16 of a couple.
        unsafe {
            let low = _mm_castsi128_pd(_mm_loadl_epi64(one.as_ptr().cast()));
            let both = _mm_loadh_pd(low, other.as_ptr().cast());
            _mm_storeu_si128(couple.as_mut_ptr().cast(), _mm_castpd_si128(both));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        couple[..LANES].copy_from_slice(one);
        couple[LANES..].copy_from_slice(other);
    }
    couple
}

/// The lesser of two couples, value by value.
#[inline(always)]
pub(super) fn lesser(one: Couple, other: Couple) -> Couple {
    // Spelt out, because the compiler does not find the one instruction that does it.
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_min_epu8, _mm_storeu_si128};
        let mut lesser = one;
        // SAFETY: SSE2 is part of x86-64, and what is read and written are the 16 bytes of couples.
        unsafe {
            let one = _mm_loadu_si128(one.as_ptr().cast());
            let other = _mm_loadu_si128(other.as_ptr().cast());
            _mm_storeu_si128(lesser.as_mut_ptr().cast(), _mm_min_epu8(one, other));
        }
        lesser
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        std::array::from_fn(|value| one[value].min(other[value]))
    }
}

/// `other` where `mask` has ones, `one` where it has zeros.
#[inline(always)]
pub(super) fn blended(one: Lane, other: Lane, mask: Lane) -> Lane {
    let [one, other, mask] = [one, other, mask].map(u64::from_ne_bytes);
    ((one & !mask) | (other & mask)).to_ne_bytes()
}

/// Asks for the cache line of an element that will be read soon.
///
/// Lines are short, and which comes next is known only to us.
#[inline(always)]
pub(super) fn prefetch(line: &[u8], at: usize) {
    crate::prefetch::prefetch(line.as_ptr().wrapping_add(at));
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

/// Turns spans of a group's lines into lanes: for a span that begins at `x`,
/// `target[i][lane] = lines[lane][x + i]`, and so on for all spans one after the other.
///
/// A line shorter than a span fills one in part.
#[inline(always)]
pub(super) fn interleave(lines: &[&[u8]; LANES], spans: &[u32], target: &mut [Lane]) {
    let length = lines[0].len();
    for line in lines {
        assert!(line.len() == length, "lines of one length");
    }
    if length < SPAN {
        for (x, target) in target.iter_mut().enumerate().take(length) {
            for (value, line) in target.iter_mut().zip(lines) {
                *value = line[x];
            }
        }
        return;
    }
    for (&at, target) in spans.iter().zip(target.as_chunks_mut().0) {
        let at = at as usize;
        let mut rows = [[0; SPAN]; LANES];
        for (row, line) in rows.iter_mut().zip(lines) {
            row.copy_from_slice(&line[at..at + SPAN]);
        }
        *target = interleaved(rows);
    }
}

/// Where spans begin that cover `length` elements, at least [`SPAN`]: the last one reaches to the
/// end, and does again some of what the one before it did.
#[inline(always)]
pub(super) fn spans(length: usize) -> impl Iterator<Item = usize> {
    (0..length.div_ceil(SPAN)).map(move |span| (span * SPAN).min(length - SPAN))
}

/// The spans of a group's lines, element by element.
#[inline(always)]
pub(super) fn interleaved(rows: Spans) -> Lanes {
    let rows = shuffled(rows, LANES.ilog2());
    // SAFETY: both are arrays of as many bytes.
    unsafe { std::mem::transmute::<Spans, Lanes>(rows) }
}

/// The inverse of [`interleaved`]: the elements are given as couples.
#[inline(always)]
pub(super) fn separated(elements: [Couple; SPAN / 2]) -> Spans {
    const { assert!(SPAN == 2 * LANES, "as many couples as lanes, and as long as spans") };
    shuffled(elements, SPAN.ilog2())
}

/// The transpose of a square.
#[inline(always)]
pub(crate) fn transposed(square: Square) -> Square {
    shuffled(square, SPAN.ilog2())
}

/// So many rounds of perfect shuffles, each of which interleaves the bytes of row `i` with those of
/// row `i + R / 2`.
///
/// Number the bytes row by row: a round rotates the bits of each byte's number by one to the left.
/// As many rounds as a row's number has bits so bring the rows' bits behind those of the columns.
#[inline(always)]
fn shuffled<const R: usize>(rows: [[u8; SPAN]; R], rounds: u32) -> [[u8; SPAN]; R] {
    let mut rows = rows;
    for _ in 0..rounds {
        let mut next = rows;
        for pair in 0..R / 2 {
            (next[2 * pair], next[2 * pair + 1]) = zipped(rows[pair], rows[pair + R / 2]);
        }
        rows = next;
    }
    rows
}

/// The bytes of two rows in turn, as two rows.
#[inline(always)]
fn zipped(one: [u8; SPAN], other: [u8; SPAN]) -> ([u8; SPAN], [u8; SPAN]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{
            _mm_loadu_si128, _mm_storeu_si128, _mm_unpackhi_epi8, _mm_unpacklo_epi8,
        };
        let (mut low, mut high) = (one, other);
        // SAFETY: SSE2 is part of x86-64, and what is read and written are the 16 bytes of rows.
        unsafe {
            let one = _mm_loadu_si128(one.as_ptr().cast());
            let other = _mm_loadu_si128(other.as_ptr().cast());
            _mm_storeu_si128(low.as_mut_ptr().cast(), _mm_unpacklo_epi8(one, other));
            _mm_storeu_si128(high.as_mut_ptr().cast(), _mm_unpackhi_epi8(one, other));
        }
        (low, high)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let byte = |i: usize| if i % 2 == 0 { one[i / 2] } else { other[i / 2] };
        (std::array::from_fn(byte), std::array::from_fn(|i| byte(i + SPAN)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_transposed() {
        let square: Square =
            std::array::from_fn(|row| std::array::from_fn(|column| (row * SPAN + column) as u8));
        let turned = transposed(square);
        for row in 0..SPAN {
            for column in 0..SPAN {
                assert_eq!(turned[row][column], square[column][row]);
            }
        }
    }

    #[test]
    fn spans_of_lines_of_any_length_are_interleaved() {
        for length in [1, 15, 16, 17, 100] {
            let lines: Vec<Vec<u8>> = (0..LANES)
                .map(|lane| (0..length).map(|x| (lane * 31 + x * 7) as u8).collect())
                .collect();
            let begins: Vec<u32> = match length < SPAN {
                true => vec![0],
                false => spans(length).map(|at| at as u32).collect(),
            };
            let mut lanes = vec![[0; LANES]; SPAN * begins.len()];
            interleave(&std::array::from_fn(|lane| &lines[lane][..]), &begins, &mut lanes);
            for (span, &begin) in lanes.chunks(SPAN).zip(&begins) {
                for (x, lane) in (begin as usize..length).zip(span) {
                    assert!(lane.iter().zip(&lines).all(|(&value, line)| value == line[x]));
                }
            }
        }
    }

    #[test]
    fn what_is_interleaved_is_separated_again() {
        let rows: Spans =
            std::array::from_fn(|row| std::array::from_fn(|x| (row * SPAN + x) as u8));
        let lanes = interleaved(rows);
        // SAFETY: the elements are those of a span.
        let couples = std::array::from_fn(|i| unsafe { couple(&lanes, 2 * i, 2 * i + 1) });
        assert_eq!(separated(couples), rows);
    }
}
