//! Rows of stones in lexicographic order.

/// The most pits a side that can be ranked.
pub const MAX_PITS: usize = 8;

/// The most stones in a row, and on a board.
pub const MAX_STONES: usize = 127;

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

/// `BEHIND[k][t]`: how many rows come after a row, the first to differ from it being the pit before
/// the last `k + 1` pits, when these hold `t` stones: that pit holds at least one stone more, so
/// they are the rows of `t - 1` stones in `k + 2` pits.
static BEHIND: [[u64; MAX_STONES + 1]; MAX_PITS - 1] = behind();

const fn behind() -> [[u64; MAX_STONES + 1]; MAX_PITS - 1] {
    let mut table = [[0; MAX_STONES + 1]; MAX_PITS - 1];
    let mut last = 0;
    while last < MAX_PITS - 1 {
        let mut stones = 1;
        while stones <= MAX_STONES {
            table[last][stones] = COUNTS[last + 2][stones - 1];
            stones += 1;
        }
        last += 1;
    }
    table
}

/// The rank of `row` among the rows of as many stones, from 0.
///
/// The rows that come after it are counted by the first pit in which they differ from it: one
/// look-up a pit, by the stones in the pits to its right.
///
/// # Panics
///
/// When the row holds more than [`MAX_STONES`] stones.
#[inline]
pub fn rank_row<const P: usize>(row: &[u8; P]) -> u64 {
    let stones: usize = row.iter().map(|&count| usize::from(count)).sum();
    assert!(stones <= MAX_STONES, "a row of {stones} stones is not ranked");
    rank_word::<P>(row_word(row)).1
}

/// A row as a word, the last pit in the lowest byte.
#[inline(always)]
pub(crate) fn row_word<const P: usize>(row: &[u8; P]) -> u64 {
    const { assert!(1 <= P && P <= MAX_PITS, "rows have 1 to 8 pits") };
    row.iter().fold(0, |word, &count| word << 8 | u64::from(count))
}

/// The stones of a row and its rank; the row is given by [`row_word`], and holds at most
/// [`MAX_STONES`] stones.
#[inline(always)]
pub(crate) fn rank_word<const P: usize>(word: u64) -> (usize, u64) {
    // Byte k of the product holds the stones of the last k + 1 pits.
    let sums = word.wrapping_mul(0x0101_0101_0101_0101).to_le_bytes();
    let stones = usize::from(sums[P - 1]);
    let mut rank = COUNTS[P][stones] - 1;
    for (&stones, behind) in sums[..P - 1].iter().zip(&BEHIND) {
        rank -= behind[usize::from(stones)];
    }
    (stones, rank)
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
