//! A tile's steps spelt out for AVX-512, several times as fast as what compilers make of
//! [`super::tile::decode`]: all lanes of a step in few registers, gathered slots, and the words
//! that states are filled up from spread over the lanes that need one by one instruction.

use std::arch::x86_64::*;

use super::model::{Model, PRECISION, REACH, SYMBOLS};
use super::prediction::{FIRST_LANE, MOST_SPREAD};
use super::shape::BAND;
use super::tile::{Coded, LEAST, PATCH_LINE, Patch, Size, Steps, Stream, Symbols, ends};
#[cfg(doc)]
use crate::generator::kernel::Kernel;

/// Each lane's place is that of the lane before, and the first lane's its own.
const ABOVE: [i16; BAND] = {
    let mut above = [0; BAND];
    let mut lane = 1;
    while lane < BAND {
        above[lane] = lane as i16 - 1;
        lane += 1;
    }
    above
};

/// All lanes but the first.
const NOT_FIRST: u16 = !1;

/// The lanes' neighbours in the step that comes next, as
/// [`History`](super::prediction::History) has them.
#[derive(Clone, Copy)]
struct Near {
    left: __m256i,
    left2: __m256i,
    up_left: __m256i,
    up_left2: __m256i,
    up2_left: __m256i,
}

/// What is above in the step that comes next: the line before, and the one before that.
struct Above(__m256i, __m256i);

impl Near {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    fn new(seed: i16) -> Self {
        let seed = _mm256_set1_epi16(seed);
        Near { left: seed, left2: seed, up_left: seed, up_left2: seed, up2_left: seed }
    }

    /// A step is done.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    fn push(&mut self, Above(up, up2): Above, shares: __m256i) {
        let Near { left, up_left, .. } = *self;
        *self = Near { left: shares, left2: left, up_left: up, up_left2: up_left, up2_left: up2 };
    }

    /// What is above, the shares that are expected, and the distributions of what is added to them:
    /// [`History::expected`](super::prediction::History::expected).
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    fn expected(&self, stones: u8) -> (Above, __m256i, __m256i) {
        let Near { left, left2, up_left, up_left2, up2_left } = *self;
        let number = |number: i16| _mm256_set1_epi16(number);
        let add = |one, other| _mm256_add_epi16(one, other);
        let less = |one, other| _mm256_sub_epi16(one, other);
        let times = |share, factor| _mm256_mullo_epi16(share, number(factor));
        let max = |one, other| _mm256_max_epi16(one, other);
        let min = |one, other| _mm256_min_epi16(one, other);
        let most_stones = number(stones.into());
        // SAFETY: an array of as many bytes.
        let above = unsafe { _mm256_loadu_si256(ABOVE.as_ptr().cast()) };

        // Without what the last step found.
        let up2 = _mm256_permutexvar_epi16(above, up_left);
        let fifths = times(add(left2, up2), 5);
        let thirds = times(add(up_left, up_left2), 3);
        let fourths = _mm256_slli_epi16::<2>(up2_left);
        let eighths = less(less(fifths, thirds), fourths);
        let correction = _mm256_srai_epi16::<3>(add(eighths, number(4)));
        let most = max(max(up_left, up_left2), max(max(left2, up2), up2_left));
        let least = min(min(up_left, up_left2), min(min(left2, up2), up2_left));

        let up = _mm256_permutexvar_epi16(above, left);
        let halves = add(less(up, left), correction);
        let whole = _mm256_srai_epi16::<1>(halves);
        let base = min(max(add(left, whole), number(0)), most_stones);
        let base = _mm256_mask_mov_epi16(left, NOT_FIRST, base);
        let spread = less(max(most, max(left, up)), min(least, min(left, up)));
        let spread = min(spread, number(MOST_SPREAD));
        let sign = add(min(max(whole, number(-1)), number(1)), number(1));
        let double = add(_mm256_slli_epi16::<1>(spread), spread);
        let kind = _mm256_slli_epi16::<1>(add(double, sign));
        let kind = _mm256_or_si256(kind, _mm256_and_si256(halves, number(1)));
        let kind = _mm256_mask_add_epi16(kind, !NOT_FIRST, spread, number(FIRST_LANE));

        (Above(up, up2), base, kind)
    }
}

/// A tile under way.
struct Lanes<'a> {
    stream: &'a Stream,
    size: Size,
    stones: u8,
    /// Words that were read.
    place: usize,
    states: __m512i,
    near: Near,
}

/// [`decode`](super::tile::decode) of some tiles at once: while one waits for its slots, the
/// next one's are asked for.
///
/// # Safety
///
/// The machine has the instructions of [`Kernel::Avx512`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
pub(super) unsafe fn decode<const N: usize>(
    tiles: [Coded<'_>; N],
    model: &Model,
    mut targets: [&mut Steps; N],
) -> Option<()> {
    let mut lanes = tiles.map(|Coded { parts, stream, size, stones, .. }| {
        // SAFETY: an array of as many bytes.
        let states = unsafe { _mm512_loadu_si512(parts.states.as_ptr().cast()) };
        let near = Near::new(parts.seed.min(stones).into());
        Lanes { stream, size, stones, place: 0, states, near }
    });
    let common = tiles.iter().map(|tile| tile.steps).min().unwrap_or(0);
    for step in 0..common {
        for (lanes, target) in lanes.iter_mut().zip(&mut targets) {
            lanes.check()?;
            // SAFETY: the caller's, and the tile has not read beyond its stream.
            unsafe { lanes.step(step, model, &mut target[step]) };
        }
    }
    for ((tile, lanes), target) in tiles.iter().zip(&mut lanes).zip(targets) {
        for (step, target) in target.iter_mut().enumerate().take(tile.steps).skip(common) {
            lanes.check()?;
            // SAFETY: as above.
            unsafe { lanes.step(step, model, target) };
        }
        lanes.check()?;
        let all = tile.steps >= tile.size.steps();
        if all && !lanes.ended(&ends(tile.parts.seed)) {
            return None;
        }
    }
    Some(())
}

impl Lanes<'_> {
    /// `None` when more was read of the stream than there is.
    #[inline(always)]
    fn check(&self) -> Option<()> {
        (self.place <= self.stream.length()).then_some(())
    }

    /// Whether all of the stream was read, and the states are these.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    fn ended(&self, ends: &[u32; BAND]) -> bool {
        // SAFETY: an array of as many bytes.
        let ends = unsafe { _mm512_loadu_si512(ends.as_ptr().cast()) };
        _mm512_cmpneq_epi32_mask(self.states, ends) == 0 && self.place == self.stream.length()
    }

    /// Decodes a step.
    ///
    /// # Safety
    ///
    /// The machine has the instructions, and no more was read of the stream than there is.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    unsafe fn step(&mut self, step: usize, model: &Model, target: &mut [u8; BAND]) {
        let number = |number: i16| _mm256_set1_epi16(number);
        let word = |word: u32| _mm512_set1_epi32(word as i32);
        let active = self.size.active(step);
        let stones = self.stones;
        let (above, base, kind) = self.near.expected(stones);
        let stream = self.stream.words();
        // SAFETY: slots are below the table's length, as kinds are below the number of distributions;
        // and beyond its length a stream has as many words as a step may read.
        let (slots, words) = unsafe {
            let low = _mm512_and_si512(self.states, word(LEAST - 1));
            let kinds = _mm512_slli_epi32::<PRECISION>(_mm512_cvtepu16_epi32(kind));
            let slots = _mm512_or_si512(kinds, low);
            let words = _mm256_loadu_si256(stream.as_ptr().add(self.place).cast());
            (_mm512_i32gather_epi32::<4>(slots, model.slots().as_ptr().cast()), words)
        };
        let frequencies =
            _mm512_and_si512(_mm512_srli_epi32::<PRECISION>(slots), word(2 * LEAST - 1));
        let whole = _mm512_srli_epi32::<PRECISION>(self.states);
        let next = _mm512_mullo_epi32(frequencies, whole);
        let offsets = _mm512_and_si512(slots, word(LEAST - 1));
        let next = _mm512_mask_add_epi32(self.states, active, next, offsets);
        let low = _mm512_cmplt_epu32_mask(next, word(LEAST));
        let words = _mm512_maskz_expand_epi32(low, _mm512_cvtepu16_epi32(words));
        self.states = _mm512_mask_or_epi32(next, low, _mm512_slli_epi32::<16>(next), words);
        self.place += low.count_ones() as usize;

        let residuals = _mm512_cvtepi32_epi16(_mm512_srai_epi32::<24>(slots));
        let share = _mm256_max_epi16(_mm256_add_epi16(base, residuals), number(0));
        let share = _mm256_min_epi16(share, number(stones.into()));
        let share = _mm256_mask_mov_epi16(self.near.left, active, share);
        // SAFETY: a step has a byte a lane.
        unsafe { _mm_storeu_si128(target.as_mut_ptr().cast(), _mm256_cvtepi16_epi8(share)) };
        self.near.push(above, share);
    }
}

/// [`Predict`](super::tile::Predict) of the same.
///
/// # Safety
///
/// The machine has the instructions of [`Kernel::Avx512`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
pub(super) unsafe fn predict(
    steps: &Steps,
    size: Size,
    model: &Model,
    stones: u8,
    symbols: &mut Symbols,
    patches: &mut Vec<Patch>,
) {
    let number = |number: i16| _mm256_set1_epi16(number);
    let mut near = Near::new(steps[0][0].into());
    for (step, (given, symbols)) in steps.iter().zip(symbols).enumerate().take(size.steps()) {
        let active = size.active(step);
        let (expected, base, kind) = near.expected(stones);
        // SAFETY: a step has a byte a lane.
        let given_shares = unsafe { _mm_loadu_si128(given.as_ptr().cast()) };
        let shares = _mm256_mask_mov_epi16(near.left, active, _mm256_cvtepu8_epi16(given_shares));
        let residuals = _mm256_sub_epi16(shares, base);
        let places = _mm256_add_epi16(residuals, number(REACH));
        let within = _mm256_cmplt_epu16_mask(places, number(SYMBOLS as i16));
        let places = _mm256_or_si256(
            _mm256_slli_epi16::<5>(kind),
            _mm256_and_si256(places, number(SYMBOLS as i16 - 1)),
        );
        // SAFETY: kinds are below the number of distributions, and so places below that of symbols.
        let found = unsafe {
            let table = model.symbols().as_ptr().cast();
            _mm512_i32gather_epi32::<4>(_mm512_cvtepu16_epi32(places), table)
        };
        let found = _mm512_maskz_mov_epi32(within & active, found);
        // SAFETY: a step has a number a lane.
        unsafe { _mm512_storeu_si512(symbols.as_mut_ptr().cast(), found) };
        let mut missing = active & _mm512_testn_epi32_mask(found, found);
        let mut decoded = shares;
        if missing != 0 {
            let mut all = [[0_i16; BAND]; 3];
            // SAFETY: each has a number a lane.
            unsafe {
                for (all, lanes) in all.iter_mut().zip([shares, base, kind]) {
                    _mm256_storeu_si256(all.as_mut_ptr().cast(), lanes);
                }
            }
            let [shares, base, kind] = &mut all;
            while missing != 0 {
                let lane = missing.trailing_zeros() as usize;
                missing &= missing - 1;
                let share = shares[lane];
                (symbols[lane], shares[lane]) =
                    model.symbol(kind[lane] as usize, share, base[lane], stones);
                if shares[lane] != share {
                    patches.push(((lane * PATCH_LINE + step - lane) as u16, share as u8));
                }
            }
            // SAFETY: a number a lane.
            decoded = unsafe { _mm256_loadu_si256(shares.as_ptr().cast()) };
        }
        near.push(expected, decoded);
    }
}

/// [`write`](super::tile::write) of the same.
///
/// # Safety
///
/// The machine has the instructions of [`Kernel::Avx512`], and there are at least as many words as numbers
/// of symbols.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
pub(super) unsafe fn write(
    symbols: &[[u32; BAND]],
    states: &mut [u32; BAND],
    words: &mut [u16],
) -> usize {
    let word = |word: u32| _mm512_set1_epi32(word as i32);
    let mut place = words.len();
    // SAFETY: an array of as many bytes.
    let mut state = unsafe { _mm512_loadu_si512(states.as_ptr().cast()) };
    for symbols in symbols.iter().rev() {
        // SAFETY: as above.
        let symbols = unsafe { _mm512_loadu_si512(symbols.as_ptr().cast()) };
        let frequency = _mm512_srli_epi32::<PRECISION>(symbols);
        let start = _mm512_and_si512(symbols, word(LEAST - 1));
        let active = _mm512_test_epi32_mask(frequency, frequency);
        let most = _mm512_slli_epi32::<16>(frequency);
        let full = _mm512_mask_cmpge_epu32_mask(active, state, most);
        place -= full.count_ones() as usize;
        let given_off = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(full, state));
        let mut lanes = [0_u16; BAND];
        // SAFETY: an array of as many bytes.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), given_off) };
        let count = full.count_ones() as usize;
        words[place..place + count].copy_from_slice(&lanes[..count]);
        let state_now = _mm512_mask_srli_epi32::<16>(state, full, state);
        // States of more bits than floats have are rounded, and so is the quotient, which has at most
        // 16 bits: it is right, or off by one.
        let quotient = _mm512_div_ps(_mm512_cvtepi32_ps(state_now), _mm512_cvtepi32_ps(frequency));
        let quotient = _mm512_cvttps_epi32(quotient);
        let rest = _mm512_sub_epi32(state_now, _mm512_mullo_epi32(quotient, frequency));
        let less = _mm512_cmplt_epi32_mask(rest, word(0));
        let quotient = _mm512_mask_sub_epi32(quotient, less, quotient, word(1));
        let rest = _mm512_mask_add_epi32(rest, less, rest, frequency);
        let more = _mm512_cmpge_epi32_mask(rest, frequency);
        let quotient = _mm512_mask_add_epi32(quotient, more, quotient, word(1));
        let rest = _mm512_mask_sub_epi32(rest, more, rest, frequency);
        let next = _mm512_add_epi32(
            _mm512_slli_epi32::<PRECISION>(quotient),
            _mm512_add_epi32(rest, start),
        );
        state = _mm512_mask_mov_epi32(state_now, active, next);
    }
    // SAFETY: an array of as many bytes.
    unsafe { _mm512_storeu_si512(states.as_mut_ptr().cast(), state) };
    place
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::compact::model::MODEL;
    use crate::compact::shape::WIDTH;
    use crate::compact::tile::{self, Content, Decode, Predict, STEPS, Sheet};
    use crate::generator::kernel::{Kernel, Work};

    #[test]
    fn it_writes_and_reads_what_plain_code_does() {
        if *Kernel::available().last().unwrap() != Kernel::Avx512 {
            return;
        }
        let model = &*MODEL;
        let mut random = Pcg64::seed_from_u64(3);
        let sizes = [(16, WIDTH), (16, 1), (1, 1), (5, 30), (13, WIDTH - 1), (1, WIDTH), (16, 16)];
        for round in 0..300 {
            let (height, width) = sizes[round % sizes.len()];
            let (size, stones) = (Size { height, width }, [1, 24, 38, 127][round % 4]);
            // From nothing to noise, with leaps.
            let noise = 1 + random.next_u32() % 6;
            let mut steps = [[0; BAND]; STEPS];
            for (step, shares) in steps.iter_mut().enumerate() {
                for (lane, share) in shares.iter_mut().enumerate() {
                    let leap = if random.next_u32() % 200 == 0 { u32::from(stones) } else { 0 };
                    let slope = (step * round / 900 + lane * round / 200) as u32;
                    *share = ((slope + random.next_u32() % noise + leap) % (u32::from(stones) + 1))
                        as u8;
                }
            }
            let mut plain = ([[0; BAND]; STEPS], Vec::new());
            let mut fast = plain.clone();
            let (symbols, patches) = (&mut plain.0, &mut plain.1);
            let work = Predict { steps: &steps, size, model, stones, symbols, patches };
            // SAFETY: the machine has the instructions, as was found above.
            unsafe {
                work.run();
                predict(&steps, size, model, stones, &mut fast.0, &mut fast.1);
            }
            assert!(plain == fast);

            let mut written = [LEAST; BAND];
            let mut words = vec![0; BAND * STEPS];
            let symbols = &plain.0[..size.steps()];
            let place = tile::write(symbols, &mut written, &mut words);
            let mut fast = ([LEAST; BAND], vec![0; BAND * STEPS]);
            // SAFETY: as above, and there is a word for each number.
            let fast_place = unsafe { write(symbols, &mut fast.0, &mut fast.1) };
            assert!((place, written, &words) == (fast_place, fast.0, &fast.1));

            let Some(bytes) = Sheet::new().encode(&steps, size, stones) else { continue };
            let half = size.steps().div_ceil(2);
            for (steps, cut) in
                [(size.steps(), 0), (half, 0), (size.steps(), 2), (half, bytes.len() / 4 * 2)]
            {
                let mut stream = Stream::new();
                let bytes = &bytes[..bytes.len() - cut];
                let Some(Content::Coded(parts, _)) = Content::of(bytes, size, &mut stream) else {
                    continue;
                };
                let tile = Coded { parts, stream: &stream, size, stones, steps };
                let mut plain = ([[0; BAND]; STEPS], None);
                let mut fast = plain;
                let (target, right) = (&mut plain.0, &mut plain.1);
                // SAFETY: as above.
                unsafe {
                    Decode { tile: &tile, model, target, right }.run();
                    fast.1 = decode([tile], model, [&mut fast.0]);
                }
                assert_eq!(plain.1, fast.1);
                assert!(plain.1.is_none() || plain.0 == fast.0);
            }
        }
    }
}
