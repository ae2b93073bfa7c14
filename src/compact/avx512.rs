//! [`Machine`] with AVX-512: all states in one register, and masks for lanes.

use std::arch::x86_64::*;

use super::machine::{self, Machine};
use super::model::{Model, PRECISION, SYMBOLS};
use super::shape::BAND;
use super::tile::{Coded, LEAST, Patch, Size, Steps, Symbols};
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

/// The instructions of [`Kernel::Avx512`].
struct Avx512;

/// The same number in all lanes.
#[inline(always)]
unsafe fn word(word: u32) -> __m512i {
    // SAFETY: the caller's machine has the instructions.
    unsafe { _mm512_set1_epi32(word as i32) }
}

impl Machine for Avx512 {
    type States = __m512i;

    #[inline(always)]
    unsafe fn load(states: &[u32; BAND]) -> __m512i {
        // SAFETY: an array of as many bytes.
        unsafe { _mm512_loadu_si512(states.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn equal(one: __m512i, other: __m512i) -> bool {
        // SAFETY: the caller's.
        unsafe { _mm512_cmpneq_epi32_mask(one, other) == 0 }
    }

    #[inline(always)]
    unsafe fn above(lanes: __m256i) -> __m256i {
        // SAFETY: the caller's, and an array of as many bytes.
        unsafe { _mm256_permutexvar_epi16(_mm256_loadu_si256(ABOVE.as_ptr().cast()), lanes) }
    }

    #[inline(always)]
    unsafe fn first(one: __m256i, other: __m256i) -> __m256i {
        // SAFETY: the caller's.
        unsafe { _mm256_mask_mov_epi16(one, NOT_FIRST, other) }
    }

    #[inline(always)]
    unsafe fn choose(lanes: u16, one: __m256i, other: __m256i) -> __m256i {
        // SAFETY: the caller's.
        unsafe { _mm256_mask_mov_epi16(other, lanes, one) }
    }

    #[inline(always)]
    unsafe fn bytes(lanes: __m256i) -> __m128i {
        // SAFETY: the caller's.
        unsafe { _mm256_cvtepi16_epi8(lanes) }
    }

    #[inline(always)]
    unsafe fn turn(
        states: &mut __m512i,
        kinds: __m256i,
        active: u16,
        model: &Model,
        words: *const u16,
    ) -> (__m256i, usize) {
        // SAFETY: the caller's: so there are as many words, and slots are below the table's length.
        unsafe {
            let low = _mm512_and_si512(*states, word(LEAST - 1));
            let kinds = _mm512_slli_epi32::<PRECISION>(_mm512_cvtepu16_epi32(kinds));
            let slots = _mm512_or_si512(kinds, low);
            let words = _mm256_loadu_si256(words.cast());
            let slots = _mm512_i32gather_epi32::<4>(slots, model.slots().as_ptr().cast());
            let frequencies =
                _mm512_and_si512(_mm512_srli_epi32::<PRECISION>(slots), word(2 * LEAST - 1));
            let whole = _mm512_srli_epi32::<PRECISION>(*states);
            let next = _mm512_mullo_epi32(frequencies, whole);
            let offsets = _mm512_and_si512(slots, word(LEAST - 1));
            let next = _mm512_mask_add_epi32(*states, active, next, offsets);
            let low = _mm512_cmplt_epu32_mask(next, word(LEAST));
            let words = _mm512_maskz_expand_epi32(low, _mm512_cvtepu16_epi32(words));
            *states = _mm512_mask_or_epi32(next, low, _mm512_slli_epi32::<16>(next), words);
            let residuals = _mm512_cvtepi32_epi16(_mm512_srai_epi32::<24>(slots));
            (residuals, low.count_ones() as usize)
        }
    }

    #[inline(always)]
    unsafe fn symbols(
        residuals: __m256i,
        kinds: __m256i,
        active: u16,
        model: &Model,
        target: &mut [u32; BAND],
    ) -> u16 {
        // SAFETY: the caller's: so places are below the number of symbols; and there is room for a
        // number a lane.
        unsafe {
            let most = _mm256_set1_epi16(SYMBOLS as i16 - 1);
            let within = _mm256_cmple_epu16_mask(residuals, most);
            let places = _mm256_or_si256(
                _mm256_slli_epi16::<{ SYMBOLS.ilog2() as i32 }>(kinds),
                _mm256_and_si256(residuals, most),
            );
            let table = model.symbols().as_ptr().cast();
            let found = _mm512_i32gather_epi32::<4>(_mm512_cvtepu16_epi32(places), table);
            let found = _mm512_maskz_mov_epi32(within & active, found);
            _mm512_storeu_si512(target.as_mut_ptr().cast(), found);
            active & _mm512_testn_epi32_mask(found, found)
        }
    }
}

/// [`machine::decode`] with these instructions.
///
/// # Safety
///
/// The machine has the instructions of [`Kernel::Avx512`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn decode<const N: usize>(
    tiles: [Coded<'_>; N],
    model: &Model,
    targets: [&mut Steps; N],
) -> Option<()> {
    // SAFETY: the caller's.
    unsafe { machine::decode::<Avx512, N>(tiles, model, targets) }
}

/// [`machine::predict`] with these instructions.
///
/// # Safety
///
/// The machine has the instructions of [`Kernel::Avx512`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn predict(
    steps: &Steps,
    size: Size,
    model: &Model,
    stones: u8,
    symbols: &mut Symbols,
    patches: &mut Vec<Patch>,
) {
    // SAFETY: the caller's.
    unsafe { machine::predict::<Avx512>(steps, size, model, stones, symbols, patches) }
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
    // SAFETY: the caller's.
    let word = |number| unsafe { word(number) };
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
