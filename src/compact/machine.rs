//! A tile's steps spelt out for machines whose registers hold a number a lane, several times as fast
//! as what compilers make of plain code: slots are gathered, and the words that states are filled up
//! from spread over the lanes that need one, all lanes at once.

use std::arch::x86_64::*;

use super::model::{Model, REACH};
use super::prediction::{FIRST_LANE, MOST_SPREAD};
use super::shape::BAND;
use super::tile::{Coded, PATCH_LINE, Patch, Size, Steps, Stream, Symbols, ends};
#[cfg(doc)]
use super::{prediction::History, tile};

/// What differs from one instruction set to another. All of them have AVX2, a register of which holds
/// sixteen bits a lane.
///
/// What is written for any of them is inlined into functions that are compiled for one, and so are
/// these methods.
///
/// # Safety
///
/// Of every method: the machine has the instructions.
pub(super) trait Machine {
    /// The states of all lanes.
    type States: Copy;

    /// States as they are in memory.
    unsafe fn load(states: &[u32; BAND]) -> Self::States;

    /// Whether all states are the same.
    unsafe fn equal(one: Self::States, other: Self::States) -> bool;

    /// What the lane before has; the first lane keeps its own.
    unsafe fn above(lanes: __m256i) -> __m256i;

    /// The first lane of one, and all others of the other.
    unsafe fn first(one: __m256i, other: __m256i) -> __m256i;

    /// Those of `lanes` whose bits are set of one, and all others of the other.
    unsafe fn choose(lanes: u16, one: __m256i, other: __m256i) -> __m256i;

    /// The lowest eight bits of each lane.
    unsafe fn bytes(lanes: __m256i) -> __m128i;

    /// Finds the residuals that the states of the active lanes have in distributions of these kinds,
    /// those of other lanes being of no meaning, and moves on to the next states, which are filled up
    /// from the words. Tells how many words that were.
    ///
    /// # Safety
    ///
    /// There are so many distributions, and as many words as lanes.
    unsafe fn turn(
        states: &mut Self::States,
        kinds: __m256i,
        active: u16,
        model: &Model,
        words: *const u16,
    ) -> (__m256i, usize);

    /// Finds the symbols of residuals, each more than it is by [`REACH`], in distributions of these
    /// kinds: 0 in lanes that are not active. Tells which of those that are have no symbol.
    ///
    /// # Safety
    ///
    /// There are so many distributions.
    unsafe fn symbols(
        residuals: __m256i,
        kinds: __m256i,
        active: u16,
        model: &Model,
        target: &mut [u32; BAND],
    ) -> u16;
}

/// The lanes' neighbours in the step that comes next, as [`History`] has them.
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
    /// # Safety
    ///
    /// The machine has AVX2, and so for the other methods.
    #[inline(always)]
    unsafe fn new(seed: i16) -> Self {
        // SAFETY: the caller's.
        let seed = unsafe { _mm256_set1_epi16(seed) };
        Near { left: seed, left2: seed, up_left: seed, up_left2: seed, up2_left: seed }
    }

    /// A step is done.
    #[inline(always)]
    fn push(&mut self, Above(up, up2): Above, shares: __m256i) {
        let Near { left, up_left, .. } = *self;
        *self = Near { left: shares, left2: left, up_left: up, up_left2: up_left, up2_left: up2 };
    }

    /// What is above, the shares that are expected, and the distributions of what is added to them:
    /// [`History::expected`].
    #[inline(always)]
    unsafe fn expected<M: Machine>(&self, stones: u8) -> (Above, __m256i, __m256i) {
        let Near { left, left2, up_left, up_left2, up2_left } = *self;
        // SAFETY: the caller's.
        unsafe {
            let [one, most_stones] = [_mm256_set1_epi16(1), _mm256_set1_epi16(stones.into())];
            // Without what the last step found.
            let up2 = M::above(up_left);
            let fifths = _mm256_mullo_epi16(_mm256_add_epi16(left2, up2), _mm256_set1_epi16(5));
            let thirds = _mm256_add_epi16(up_left, up_left2);
            let thirds = _mm256_mullo_epi16(thirds, _mm256_set1_epi16(3));
            let fourths = _mm256_slli_epi16::<2>(up2_left);
            let eighths = _mm256_sub_epi16(_mm256_sub_epi16(fifths, thirds), fourths);
            let eighths = _mm256_add_epi16(eighths, _mm256_set1_epi16(4));
            let correction = _mm256_srai_epi16::<3>(eighths);
            let most = _mm256_max_epi16(_mm256_max_epi16(left2, up2), up2_left);
            let most = _mm256_max_epi16(_mm256_max_epi16(up_left, up_left2), most);
            let least = _mm256_min_epi16(_mm256_min_epi16(left2, up2), up2_left);
            let least = _mm256_min_epi16(_mm256_min_epi16(up_left, up_left2), least);

            let up = M::above(left);
            let halves = _mm256_add_epi16(_mm256_sub_epi16(up, left), correction);
            let whole = _mm256_srai_epi16::<1>(halves);
            let base = _mm256_max_epi16(_mm256_add_epi16(left, whole), _mm256_setzero_si256());
            let base = M::first(left, _mm256_min_epi16(base, most_stones));
            let most = _mm256_max_epi16(most, _mm256_max_epi16(left, up));
            let least = _mm256_min_epi16(least, _mm256_min_epi16(left, up));
            let spread = _mm256_sub_epi16(most, least);
            let spread = _mm256_min_epi16(spread, _mm256_set1_epi16(MOST_SPREAD));
            let sign = _mm256_max_epi16(_mm256_min_epi16(whole, one), _mm256_set1_epi16(-1));
            let triple = _mm256_add_epi16(_mm256_slli_epi16::<1>(spread), spread);
            let kind = _mm256_add_epi16(triple, _mm256_add_epi16(sign, one));
            let kind = _mm256_slli_epi16::<1>(kind);
            let kind = _mm256_or_si256(kind, _mm256_and_si256(halves, one));
            let kind = M::first(_mm256_add_epi16(spread, _mm256_set1_epi16(FIRST_LANE)), kind);
            (Above(up, up2), base, kind)
        }
    }
}

/// A tile under way.
struct Lanes<'a, M: Machine> {
    stream: &'a Stream,
    size: Size,
    stones: u8,
    /// Words that were read.
    place: usize,
    states: M::States,
    near: Near,
}

/// [`tile::decode`] of some tiles at once: while one waits for its slots, the next one's are asked
/// for.
///
/// # Safety
///
/// The machine has the instructions of `M`.
#[inline(always)]
pub(super) unsafe fn decode<M: Machine, const N: usize>(
    tiles: [Coded<'_>; N],
    model: &Model,
    mut targets: [&mut Steps; N],
) -> Option<()> {
    // SAFETY: the caller's.
    let mut lanes = tiles.map(|tile| unsafe { Lanes::<M>::new(tile) });
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
        // SAFETY: the caller's.
        if all && !unsafe { lanes.ended(&ends(tile.parts.seed)) } {
            return None;
        }
    }
    Some(())
}

impl<'a, M: Machine> Lanes<'a, M> {
    /// # Safety
    ///
    /// The machine has the instructions of `M`, and so for the other methods.
    #[inline(always)]
    unsafe fn new(Coded { parts, stream, size, stones, .. }: Coded<'a>) -> Self {
        // SAFETY: the caller's.
        let (states, near) =
            unsafe { (M::load(&parts.states), Near::new(parts.seed.min(stones).into())) };
        Lanes { stream, size, stones, place: 0, states, near }
    }

    /// `None` when more was read of the stream than there is.
    #[inline(always)]
    fn check(&self) -> Option<()> {
        (self.place <= self.stream.length()).then_some(())
    }

    /// Whether all of the stream was read, and the states are these.
    #[inline(always)]
    unsafe fn ended(&self, ends: &[u32; BAND]) -> bool {
        // SAFETY: the caller's.
        unsafe { M::equal(self.states, M::load(ends)) && self.place == self.stream.length() }
    }

    /// Decodes a step.
    ///
    /// # Safety
    ///
    /// And no more was read of the stream than there is.
    #[inline(always)]
    unsafe fn step(&mut self, step: usize, model: &Model, target: &mut [u8; BAND]) {
        let active = self.size.active(step);
        let stream = self.stream.words();
        // SAFETY: the caller's; kinds are below the number of distributions; beyond its length a
        // stream has as many words as a step may read; and a step has a byte a lane.
        unsafe {
            let (above, base, kinds) = self.near.expected::<M>(self.stones);
            let words = stream.as_ptr().add(self.place);
            let (residuals, read) = M::turn(&mut self.states, kinds, active, model, words);
            self.place += read;
            let share = _mm256_add_epi16(base, residuals);
            let share = _mm256_max_epi16(share, _mm256_setzero_si256());
            let share = _mm256_min_epi16(share, _mm256_set1_epi16(self.stones.into()));
            let share = M::choose(active, share, self.near.left);
            _mm_storeu_si128(target.as_mut_ptr().cast(), M::bytes(share));
            self.near.push(above, share);
        }
    }
}

/// [`tile::predict`] of the same.
///
/// # Safety
///
/// The machine has the instructions of `M`.
#[inline(always)]
pub(super) unsafe fn predict<M: Machine>(
    steps: &Steps,
    size: Size,
    model: &Model,
    stones: u8,
    symbols: &mut Symbols,
    patches: &mut Vec<Patch>,
) {
    // SAFETY: the caller's.
    let mut near = unsafe { Near::new(steps[0][0].into()) };
    for (step, (given, symbols)) in steps.iter().zip(symbols).enumerate().take(size.steps()) {
        let active = size.active(step);
        // SAFETY: the caller's; a step has a byte a lane; and kinds are below the number of
        // distributions.
        let (above, [shares, base, kinds], mut missing) = unsafe {
            let (above, base, kinds) = near.expected::<M>(stones);
            let given = _mm256_cvtepu8_epi16(_mm_loadu_si128(given.as_ptr().cast()));
            let shares = M::choose(active, given, near.left);
            let residuals = _mm256_sub_epi16(shares, base);
            let residuals = _mm256_add_epi16(residuals, _mm256_set1_epi16(REACH));
            let missing = M::symbols(residuals, kinds, active, model, symbols);
            (above, [shares, base, kinds], missing)
        };
        let mut decoded = shares;
        if missing != 0 {
            let mut all = [[0_i16; BAND]; 3];
            // SAFETY: the caller's, and each has a number a lane.
            unsafe {
                for (all, lanes) in all.iter_mut().zip([shares, base, kinds]) {
                    _mm256_storeu_si256(all.as_mut_ptr().cast(), lanes);
                }
            }
            let [shares, base, kinds] = &mut all;
            while missing != 0 {
                let lane = missing.trailing_zeros() as usize;
                missing &= missing - 1;
                let share = shares[lane];
                (symbols[lane], shares[lane]) =
                    model.symbol(kinds[lane] as usize, share, base[lane], stones);
                if shares[lane] != share {
                    patches.push(((lane * PATCH_LINE + step - lane) as u16, share as u8));
                }
            }
            // SAFETY: a number a lane.
            decoded = unsafe { _mm256_loadu_si256(shares.as_ptr().cast()) };
        }
        near.push(above, decoded);
    }
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::compact::model::MODEL;
    use crate::compact::shape::WIDTH;
    use crate::compact::tile::{self, Content, LEAST, STEPS, Sheet};
    use crate::compact::{avx2, avx512};
    use crate::generator::kernel::Kernel;

    /// What a machine makes of symbols: their words from a place on, and the states.
    type Written = (Vec<u16>, [u32; BAND]);

    /// [`tile::predict`] and [`tile::write`] as a machine does them.
    fn encoded(
        kernel: Kernel,
        steps: &Steps,
        size: Size,
        stones: u8,
    ) -> (Vec<[u32; BAND]>, Vec<Patch>, Written) {
        let model = &*MODEL;
        let (mut symbols, mut patches) = ([[0; BAND]; STEPS], Vec::new());
        let mut states = [LEAST; BAND];
        let mut words = vec![0; BAND * (STEPS + 1)];
        let place;
        let (all, first) = (&mut symbols, size.steps());
        // SAFETY: the machine has the instructions, and there is a word for each number.
        unsafe {
            match kernel {
                Kernel::Baseline => {
                    tile::predict(steps, size, model, stones, all, &mut patches);
                    place = tile::write(&all[..first], &mut states, &mut words);
                }
                Kernel::Avx2 => {
                    avx2::predict(steps, size, model, stones, all, &mut patches);
                    place = avx2::write(&all[..first], &mut states, &mut words);
                }
                Kernel::Avx512 => {
                    avx512::predict(steps, size, model, stones, all, &mut patches);
                    place = avx512::write(&all[..first], &mut states, &mut words);
                }
            }
        }
        (symbols[..first].to_vec(), patches, (words.split_off(place), states))
    }

    /// A tile as a machine decodes it, alone and beside itself.
    fn decoded(kernel: Kernel, tile: Coded<'_>) -> Option<[Vec<[u8; BAND]>; 2]> {
        let model = &*MODEL;
        let [mut alone, mut one, mut other] = [[[0; BAND]; STEPS]; 3];
        let both = [&mut one, &mut other];
        // SAFETY: the machine has the instructions.
        unsafe {
            match kernel {
                Kernel::Baseline => {
                    tile.decode(model, &mut alone)?;
                    (one, other) = (alone, alone);
                }
                Kernel::Avx2 => {
                    avx2::decode([tile], model, [&mut alone])?;
                    avx2::decode([tile; 2], model, both)?;
                }
                Kernel::Avx512 => {
                    avx512::decode([tile], model, [&mut alone])?;
                    avx512::decode([tile; 2], model, both)?;
                }
            }
        }
        assert!(one == other);
        Some([alone, other].map(|steps| steps[..tile.steps].to_vec()))
    }

    #[test]
    fn all_machines_write_and_read_what_plain_code_does() {
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
            for kernel in Kernel::available() {
                let [plain, fast] =
                    [Kernel::Baseline, kernel].map(|kernel| encoded(kernel, &steps, size, stones));
                assert!(plain == fast, "{kernel:?}");
            }

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
                for kernel in Kernel::available() {
                    let [plain, fast] = [Kernel::Baseline, kernel].map(|k| decoded(k, tile));
                    assert!(plain == fast, "{kernel:?}");
                }
            }
        }
    }
}
