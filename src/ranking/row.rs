//! Rows of stones in lexicographic order.

use crate::rules::{MAX_PITS, MAX_STONES};

/// `COUNTS[p][s]`: how many rows of `p` pits hold `s` stones, `C(s + p - 1, p - 1)`.
static COUNTS: [[u64; MAX_STONES + 1]; MAX_PITS + 1] = counts();

const fn counts() -> [[u64; MAX_STONES + 1]; MAX_PITS + 1] {
    let mut table = [[0; MAX_STONES + 1]; MAX_PITS + 1];
    table[0][0] = 1;
    let mut pits = 1;
    while pits <= MAX_PITS {
        table[pits][0] = 1;
        let mut stones = 1;
        while stones <= MAX_STONES {
            // The last pit is empty, or one stone can be taken out of it.
            table[pits][stones] = table[pits - 1][stones] + table[pits][stones - 1];
            stones += 1;
        }
        pits += 1;
    }
    table
}

/// The number of rows of `pits` pits that hold `stones` stones together.
///
/// # Panics
///
/// When `pits` exceeds [`MAX_PITS`] or `stones` exceeds [`MAX_STONES`].
#[inline]
pub const fn row_count(pits: usize, stones: usize) -> u64 {
    COUNTS[pits][stones]
}

/// The rank of `row` among the rows of as many stones, from 0.
///
/// With `t_j` the stones to the right of pit `j`, the rows before this one that first differ from
/// it at pit `j` number `R(t_{j-1}) - R(t_j)`, where `R` counts the rows of pits `j..=P`; the sum
/// telescopes to one look-up a pit.
///
/// # Panics
///
/// When the row holds more than [`MAX_STONES`] stones, or `P` exceeds [`MAX_PITS`].
#[inline(always)]
pub fn rank_row<const P: usize>(row: &[u8; P]) -> u64 {
    // From the right: `after` is t_j. The rows that come after this one and first differ from it
    // at pit j have at least one stone more there, and so any row of t_j - 1 stones in pits j..=P.
    let mut after = 0;
    let mut behind = 0;
    for pit in (0..P.saturating_sub(1)).rev() {
        after += usize::from(row[pit + 1]);
        if after > 0 {
            behind += COUNTS[P - pit][after - 1];
        }
    }
    let stones = after + row.first().map_or(0, |&first| usize::from(first));
    COUNTS[P][stones] - 1 - behind
}

/// The row of `stones` stones that has this rank: the inverse of [`rank_row`].
///
/// # Panics
///
/// When `rank` is not below [`row_count`]`(P, stones)`.
pub fn unrank_row<const P: usize>(stones: usize, rank: u64) -> [u8; P] {
    assert!(rank < row_count(P, stones), "no row of {stones} stones has rank {rank}");
    let mut row = [0; P];
    let mut left = stones;
    let mut rank = rank;
    for (pit, count) in row.iter_mut().enumerate() {
        let rest = P - 1 - pit;
        if rest == 0 {
            *count = left as u8;
            break;
        }
        while rank >= COUNTS[rest][left] {
            rank -= COUNTS[rest][left];
            *count += 1;
            left -= 1;
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn every_row_in_order<const P: usize>(stones: usize) {
        let mut last: Option<[u8; P]> = None;
        for rank in 0..row_count(P, stones) {
            let row = unrank_row::<P>(stones, rank);
            assert_eq!(row.iter().map(|&c| usize::from(c)).sum::<usize>(), stones);
            assert_eq!(rank_row(&row), rank);
            assert!(last.is_none_or(|last| last < row), "{last:?} before {row:?}");
            last = Some(row);
        }
    }

    #[test]
    fn small_rows_are_ranked_in_order() {
        for stones in 0..=12 {
            every_row_in_order::<1>(stones);
            every_row_in_order::<2>(stones);
            every_row_in_order::<3>(stones);
            every_row_in_order::<4>(stones);
            every_row_in_order::<5>(stones);
            every_row_in_order::<6>(stones);
            every_row_in_order::<7>(stones);
            every_row_in_order::<8>(stones);
        }
    }

    proptest! {
        #[test]
        fn large_rows_come_back(stones in 0usize..=MAX_STONES, seed: u64) {
            fn back<const P: usize>(stones: usize, seed: u64) {
                let rank = seed % row_count(P, stones);
                assert_eq!(rank_row(&unrank_row::<P>(stones, rank)), rank);
            }
            back::<1>(stones, seed);
            back::<2>(stones, seed);
            back::<3>(stones, seed);
            back::<4>(stones, seed);
            back::<5>(stones, seed);
            back::<6>(stones, seed);
            back::<7>(stones, seed);
            back::<8>(stones, seed);
        }
    }
}
