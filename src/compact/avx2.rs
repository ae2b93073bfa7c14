//! [`Machine`] with AVX2: two registers of states, and tables for how words are spread over lanes.
//!
//! States lie as 16-bit lanes are unpacked to: the first register has lanes 0 to 3 and 8 to 11, the
//! second the others. So nothing has to cross the halves of a register to get there and back.

use std::arch::x86_64::*;

use super::machine::{self, Machine};
use super::model::{Model, PRECISION, SYMBOLS};
use super::shape::BAND;
use super::tile::{Coded, LEAST, Patch, Size, Steps, Symbols};
#[cfg(doc)]
use crate::generator::kernel::Kernel;

/// Words of half a register.
const HALF: usize = BAND / 2;

/// A byte that shuffles to zero.
const NOTHING: u8 = 0x80;

/// Which byte comes where, for each set of eight lanes.
type Shuffles = [[u8; 2 * HALF]; 1 << HALF];

/// The first words go to the lanes of the set, one to each.
static SPREAD: Shuffles = shuffles(false);

/// The words of the lanes of the set go to the end.
static GATHERED: Shuffles = shuffles(true);

const fn shuffles(gathered: bool) -> Shuffles {
    let mut shuffles = [[NOTHING; 2 * HALF]; 1 << HALF];
    let mut lanes = 0_usize;
    while lanes < 1 << HALF {
        let mut word = if gathered { HALF - lanes.count_ones() as usize } else { 0 };
        let mut lane = 0;
        while lane < HALF {
            if lanes >> lane & 1 == 1 {
                let (from, to) = if gathered { (lane, word) } else { (word, lane) };
                shuffles[lanes][2 * to] = 2 * from as u8;
                shuffles[lanes][2 * to + 1] = 2 * from as u8 + 1;
                word += 1;
            }
            lane += 1;
        }
        lanes += 1;
    }
    shuffles
}

/// The bit of each lane.
const BITS: [u16; BAND] = {
    let mut bits = [0; BAND];
    let mut lane = 0;
    while lane < BAND {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// The instructions of [`Kernel::Avx2`].
struct Avx2;

/// All bits of the lanes whose bits are set.
#[inline(always)]
unsafe fn mask(lanes: u16) -> __m256i {
    // SAFETY: the caller's machine has the instructions, and an array of as many bytes.
    unsafe {
        let bits = _mm256_loadu_si256(BITS.as_ptr().cast());
        _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16(lanes as i16), bits), bits)
    }
}

/// The lanes of states for which all bits are set.
#[inline(always)]
unsafe fn lanes([one, other]: [__m256i; 2]) -> [usize; 2] {
    // SAFETY: the caller's machine has the instructions.
    let [one, other] =
        unsafe { [one, other].map(|mask| _mm256_movemask_ps(_mm256_castsi256_ps(mask)) as usize) };
    [one & 0xF | (other & 0xF) << 4, one >> 4 | other & 0xF0]
}

/// Lanes of 16 bits as the lowest bits of lanes of 32 bits, the others of which are those of `high`.
#[inline(always)]
unsafe fn unpacked(lanes: __m256i, high: __m256i) -> [__m256i; 2] {
    // SAFETY: the caller's machine has the instructions.
    unsafe { [_mm256_unpacklo_epi16(lanes, high), _mm256_unpackhi_epi16(lanes, high)] }
}

/// The same number in all lanes.
#[inline(always)]
unsafe fn word(word: u32) -> __m256i {
    // SAFETY: the caller's machine has the instructions.
    unsafe { _mm256_set1_epi32(word as i32) }
}

impl Machine for Avx2 {
    type States = [__m256i; 2];

    #[inline(always)]
    unsafe fn load(states: &[u32; BAND]) -> [__m256i; 2] {
        // SAFETY: the caller's, and an array of as many bytes.
        unsafe {
            let [first, last] =
                [0, HALF].map(|lane| _mm256_loadu_si256(states.as_ptr().add(lane).cast()));
            [
                _mm256_permute2x128_si256::<0x20>(first, last),
                _mm256_permute2x128_si256::<0x31>(first, last),
            ]
        }
    }

    #[inline(always)]
    unsafe fn equal(one: [__m256i; 2], other: [__m256i; 2]) -> bool {
        // SAFETY: the caller's.
        let same = unsafe {
            lanes([_mm256_cmpeq_epi32(one[0], other[0]), _mm256_cmpeq_epi32(one[1], other[1])])
        };
        same == [0xFF; 2]
    }

    #[inline(always)]
    unsafe fn above(lanes: __m256i) -> __m256i {
        // SAFETY: the caller's.
        unsafe {
            // The first half twice: the second half's first lane comes from there.
            let first = _mm256_permute2x128_si256::<0>(lanes, lanes);
            Avx2::first(lanes, _mm256_alignr_epi8::<14>(lanes, first))
        }
    }

    #[inline(always)]
    unsafe fn first(one: __m256i, other: __m256i) -> __m256i {
        // SAFETY: the caller's.
        unsafe { _mm256_blendv_epi8(other, one, mask(1)) }
    }

    #[inline(always)]
    unsafe fn choose(lanes: u16, one: __m256i, other: __m256i) -> __m256i {
        match lanes {
            u16::MAX => one,
            // SAFETY: the caller's.
            _ => unsafe { _mm256_blendv_epi8(other, one, mask(lanes)) },
        }
    }

    #[inline(always)]
    unsafe fn bytes(lanes: __m256i) -> __m128i {
        // SAFETY: the caller's.
        unsafe {
            let low = _mm256_and_si256(lanes, _mm256_set1_epi16(0xFF));
            _mm_packus_epi16(_mm256_castsi256_si128(low), _mm256_extracti128_si256::<1>(low))
        }
    }

    #[inline(always)]
    unsafe fn turn(
        states: &mut [__m256i; 2],
        kinds: __m256i,
        active: u16,
        model: &Model,
        words: *const u16,
    ) -> (__m256i, usize) {
        // SAFETY: the caller's: so there are as many words, and slots are below the table's length.
        unsafe {
            let table = model.slots().as_ptr().cast();
            let kinds = unpacked(kinds, _mm256_setzero_si256());
            let mut slots = *states;
            for (slots, kinds) in slots.iter_mut().zip(kinds) {
                let low = _mm256_and_si256(*slots, word(LEAST - 1));
                let kinds = _mm256_slli_epi32::<{ PRECISION as i32 }>(kinds);
                *slots = _mm256_i32gather_epi32::<4>(table, _mm256_or_si256(kinds, low));
            }
            let before = *states;
            for (states, slots) in states.iter_mut().zip(slots) {
                let frequencies = _mm256_srli_epi32::<{ PRECISION as i32 }>(slots);
                let frequencies = _mm256_and_si256(frequencies, word(2 * LEAST - 1));
                let whole = _mm256_srli_epi32::<{ PRECISION as i32 }>(*states);
                let offsets = _mm256_and_si256(slots, word(LEAST - 1));
                *states = _mm256_add_epi32(_mm256_mullo_epi32(frequencies, whole), offsets);
            }
            if active != u16::MAX {
                let mask = mask(active);
                let masks = unpacked(mask, mask);
                for ((states, before), mask) in states.iter_mut().zip(before).zip(masks) {
                    *states = _mm256_blendv_epi8(before, *states, mask);
                }
            }
            // They have less than 31 bits.
            let low = [
                _mm256_cmpgt_epi32(word(LEAST), states[0]),
                _mm256_cmpgt_epi32(word(LEAST), states[1]),
            ];
            let [first, last] = lanes(low);
            let taken = first.count_ones() as usize;
            let words = _mm256_set_m128i(
                spread(words.add(taken), &SPREAD[last]),
                spread(words, &SPREAD[first]),
            );
            let words = unpacked(words, _mm256_setzero_si256());
            for ((states, low), words) in states.iter_mut().zip(low).zip(words) {
                let shifted = _mm256_sllv_epi32(*states, _mm256_and_si256(low, word(16)));
                *states = _mm256_or_si256(shifted, words);
            }
            let residuals = _mm256_packs_epi32(
                _mm256_srai_epi32::<24>(slots[0]),
                _mm256_srai_epi32::<24>(slots[1]),
            );
            (residuals, taken + last.count_ones() as usize)
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
            let zero = _mm256_setzero_si256();
            let most = _mm256_set1_epi16(SYMBOLS as i16 - 1);
            let within = _mm256_cmpeq_epi16(_mm256_min_epu16(residuals, most), residuals);
            let active = mask(active);
            let coded = _mm256_and_si256(within, active);
            let places = _mm256_or_si256(
                _mm256_slli_epi16::<{ SYMBOLS.ilog2() as i32 }>(kinds),
                _mm256_and_si256(residuals, most),
            );
            let table = model.symbols().as_ptr().cast();
            let [places, coded] = [unpacked(places, zero), unpacked(coded, coded)];
            let mut found = places;
            for (found, coded) in found.iter_mut().zip(coded) {
                *found = _mm256_and_si256(_mm256_i32gather_epi32::<4>(table, *found), coded);
            }
            let [one, other] = found;
            let target: *mut __m256i = target.as_mut_ptr().cast();
            _mm256_storeu_si256(target, _mm256_permute2x128_si256::<0x20>(one, other));
            _mm256_storeu_si256(target.add(1), _mm256_permute2x128_si256::<0x31>(one, other));
            let active = unpacked(active, active);
            let [first, last] = lanes([
                _mm256_and_si256(_mm256_cmpeq_epi32(one, zero), active[0]),
                _mm256_and_si256(_mm256_cmpeq_epi32(other, zero), active[1]),
            ]);
            (first | last << HALF) as u16
        }
    }
}

/// Words shuffled.
///
/// # Safety
///
/// The machine has the instructions, and there are as many words as a shuffle has.
#[inline(always)]
unsafe fn spread(words: *const u16, shuffle: &[u8; 2 * HALF]) -> __m128i {
    // SAFETY: the caller's, and an array of as many bytes.
    unsafe {
        _mm_shuffle_epi8(_mm_loadu_si128(words.cast()), _mm_loadu_si128(shuffle.as_ptr().cast()))
    }
}

/// [`machine::decode`] with these instructions.
///
/// # Safety
///
/// The machine has the instructions of [`Kernel::Avx2`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn decode<const N: usize>(
    tiles: [Coded<'_>; N],
    model: &Model,
    targets: [&mut Steps; N],
) -> Option<()> {
    // SAFETY: the caller's.
    unsafe { machine::decode::<Avx2, N>(tiles, model, targets) }
}

/// [`machine::predict`] with these instructions.
///
/// # Safety
///
/// The machine has the instructions of [`Kernel::Avx2`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn predict(
    steps: &Steps,
    size: Size,
    model: &Model,
    stones: u8,
    symbols: &mut Symbols,
    patches: &mut Vec<Patch>,
) {
    // SAFETY: the caller's.
    unsafe { machine::predict::<Avx2>(steps, size, model, stones, symbols, patches) }
}

/// [`write`](super::tile::write) with these instructions.
///
/// # Safety
///
/// The machine has the instructions of [`Kernel::Avx2`].
///
/// # Panics
///
/// When there are fewer words than numbers of symbols and as many as lanes.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn write(
    symbols: &[[u32; BAND]],
    states: &mut [u32; BAND],
    words: &mut [u16],
) -> usize {
    assert!(words.len() >= BAND * (symbols.len() + 1), "room for all words, and a store");
    let mut place = words.len();
    // SAFETY: the caller's, and an array of as many bytes.
    let mut state = unsafe { Avx2::load(states) };
    for symbols in symbols.iter().rev() {
        // SAFETY: as above.
        let symbols = unsafe { Avx2::load(symbols) };
        let mut full = symbols;
        let zero = _mm256_setzero_si256();
        for (full, state) in full.iter_mut().zip(state) {
            let active = _mm256_cmpgt_epi32(*full, zero);
            let most = _mm256_slli_epi32::<16>(_mm256_srli_epi32::<{ PRECISION as i32 }>(*full));
            *full = _mm256_andnot_si256(_mm256_cmpgt_epi32(most, state), active);
        }
        // SAFETY: the machine has the instructions.
        let [first, last] = unsafe { lanes(full) };
        let low = state.map(|state| _mm256_and_si256(state, _mm256_set1_epi32(0xFFFF)));
        let low = _mm256_packus_epi32(low[0], low[1]);
        let halves =
            [(last, _mm256_extracti128_si256::<1>(low)), (first, _mm256_castsi256_si128(low))];
        for (lanes, half) in halves {
            // SAFETY: an array of as many bytes; and there are at least as many words before the
            // place as a store has, as no step has more than a word a lane, and there are words for a
            // step more than there are.
            unsafe {
                let shuffle = _mm_loadu_si128(GATHERED[lanes].as_ptr().cast());
                let target = words.as_mut_ptr().add(place - HALF);
                _mm_storeu_si128(target.cast(), _mm_shuffle_epi8(half, shuffle));
            }
            place -= lanes.count_ones() as usize;
        }
        for ((state, symbols), full) in state.iter_mut().zip(symbols).zip(full) {
            let frequency = _mm256_srli_epi32::<{ PRECISION as i32 }>(symbols);
            let start = _mm256_and_si256(symbols, _mm256_set1_epi32(LEAST as i32 - 1));
            let now = _mm256_srlv_epi32(*state, _mm256_and_si256(full, _mm256_set1_epi32(16)));
            // States of more bits than floats have are rounded, and so is the quotient, which has at most
            // 16 bits: it is right, or off by one.
            let quotient = _mm256_div_ps(_mm256_cvtepi32_ps(now), _mm256_cvtepi32_ps(frequency));
            let quotient = _mm256_cvttps_epi32(quotient);
            let rest = _mm256_sub_epi32(now, _mm256_mullo_epi32(quotient, frequency));
            let less = _mm256_cmpgt_epi32(zero, rest);
            let quotient = _mm256_add_epi32(quotient, less);
            let rest = _mm256_add_epi32(rest, _mm256_and_si256(less, frequency));
            let fits = _mm256_cmpgt_epi32(frequency, rest);
            let more = _mm256_andnot_si256(fits, _mm256_set1_epi32(-1));
            let quotient = _mm256_sub_epi32(quotient, more);
            let rest = _mm256_sub_epi32(rest, _mm256_and_si256(more, frequency));
            let next = _mm256_slli_epi32::<{ PRECISION as i32 }>(quotient);
            let next = _mm256_add_epi32(next, _mm256_add_epi32(rest, start));
            *state = _mm256_blendv_epi8(now, next, _mm256_cmpgt_epi32(symbols, zero));
        }
    }
    let [one, other] = state;
    let target: *mut __m256i = states.as_mut_ptr().cast();
    // SAFETY: an array of as many bytes.
    unsafe {
        _mm256_storeu_si256(target, _mm256_permute2x128_si256::<0x20>(one, other));
        _mm256_storeu_si256(target.add(1), _mm256_permute2x128_si256::<0x31>(one, other));
    }
    place
}
