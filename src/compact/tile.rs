//! Tiles: a prediction for each share, and what it was off by as a number of a fraction of bits.
//!
//! # The bytes
//!
//! A tile is a sequence of words, 16 bits each:
//!
//! | words | what |
//! | --- | --- |
//! | 1 | the seed (lowest 7 bits), and how many patches there are (the rest) |
//! | 1 a line | the state that the line's lane begins with, less its lowest word if it is too large |
//! | | the words that states are filled up from, in the order in which they are read, and before these the lowest words of those states that are less than [`LEAST`] without, from the first line's on |
//! | 2 a patch | the place in the tile, 256 times its line plus its column, ascending; the share there |
//! | 1 | where there are patches, their check: the first two bytes of their BLAKE3 digest |
//!
//! Each line is a lane with a state of its own, and all lanes take a step at once, the first line's
//! lane one column ahead of the second's, and so on: see [`prediction`](super::prediction). In a
//! step a lane's state `x` gives its residual, by the tables of asymmetric numeral systems (Duda
//! 2013; interleaved as Giesen 2014 does): with `f` the frequency of the residual that the slot
//! `x mod 1024` belongs to and `b` the first slot of it, the next state is
//! `f * (x / 1024) + x mod 1024 - b`, and if that is below [`LEAST`] it is shifted up by a word.
//! After its last column each lane's state is exactly `LEAST`, where the writer began, but for the first
//! lane's, which is more by the seed: damage before the patches is noticed by that, with a chance of one
//! in a thousand a line to miss it.
//!
//! A residual that is too rare to have slots is written as the nearest one that has, and a patch says
//! what the share is; those that come later are predicted from what is decoded, not from patches. A
//! tile that would be longer than its shares has no states, and after its first word, in which there
//! is then the number [`PLAIN`] for that of patches, the shares as they are and their check.

use super::model::{MODEL, Model, PRECISION};
use super::prediction::{History, Lanes};
use super::shape::{BAND, WIDTH};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::generator::kernel::Kernel;

/// States are at least this when a step begins, and less than 2^16 times as much.
pub(super) const LEAST: u32 = 1 << PRECISION;

/// What stands for the number of patches in a tile that is written plain.
pub(super) const PLAIN: u16 = 511;

/// Places of patches count so many for a line.
pub(super) const PATCH_LINE: usize = 256;

/// Bits of a seed.
pub(super) const SEED: u32 = 7;

/// The most steps of a tile.
pub(super) const STEPS: usize = WIDTH + BAND - 1;

/// The shares of a tile by steps: what lane `l` has in step `t` is that of line `l`, column `t - l`.
pub(super) type Steps = [[u8; BAND]; STEPS];

/// What a lane writes in a step: below the lowest ten bits, of which are the slots before those of its
/// symbol, the symbol's frequency; 0 in a lane that has no column.
pub(super) type Symbols = [[u32; BAND]; STEPS];

/// A share that no symbol stands for, and its place: 256 times its line plus its column.
pub(super) type Patch = (u16, u8);

/// Room for a tile while it is encoded.
pub(super) struct Sheet {
    symbols: Symbols,
    patches: Vec<Patch>,
    /// Words, from the end.
    words: [u16; Sheet::MOST],
}

impl Sheet {
    /// A state gives off at most a word a step, and one at the end.
    const MOST: usize = BAND * (STEPS + 1) + 1;

    /// An empty one.
    pub fn new() -> Self {
        Sheet { symbols: [[0; _]; _], patches: Vec::new(), words: [0; _] }
    }

    /// Encodes a tile, given by its steps, whose lanes without a column may have any shares. `None`
    /// when it would be no shorter than its shares.
    pub fn encode(&mut self, steps: &Steps, size: Size, stones: u8) -> Option<Vec<u8>> {
        let model = &*MODEL;
        let seed = steps[0][0];
        self.patches.clear();
        let mut states = ends(seed);
        let mut place;
        let Sheet { symbols, patches, words } = self;
        match model.kernel() {
            Kernel::Baseline => {
                predict(steps, size, model, stones, symbols, patches);
                place = write(&symbols[..size.steps()], &mut states, words);
            }
            // SAFETY: the machine has it.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe {
                avx2::predict(steps, size, model, stones, symbols, patches);
                place = avx2::write(&symbols[..size.steps()], &mut states, words);
            },
            // SAFETY: the machine has it, and there is room for all words.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => unsafe {
                avx512::predict(steps, size, model, stones, symbols, patches);
                place = avx512::write(&symbols[..size.steps()], &mut states, words);
            },
        }
        let mut put = |word: u16| {
            place -= 1;
            self.words[place] = word;
        };
        for state in states[..size.height].iter_mut().rev() {
            if *state > u16::MAX.into() {
                put(*state as u16);
                *state >>= 16;
            }
        }
        states[..size.height].iter().rev().for_each(|&state| put(state as u16));
        let count = u16::try_from(self.patches.len()).ok().filter(|&count| count < PLAIN)?;
        put(count << SEED | u16::from(seed));
        let words = &self.words[place..];
        if words.len() + 2 * self.patches.len() > (size.height * size.width).div_ceil(2) {
            return None;
        }
        self.patches.sort_unstable();
        let patches = self.patches.iter().flat_map(|&(place, share)| [place, share.into()]);
        let patches: Vec<u8> = patches.flat_map(u16::to_le_bytes).collect();
        let check = if patches.is_empty() { Vec::new() } else { check(&patches).to_vec() };
        let words = words.iter().copied().flat_map(u16::to_le_bytes);
        Some(words.chain(patches).chain(check).collect())
    }
}

/// Finds the symbols of a tile, and what no symbol stands for.
pub(super) fn predict(
    steps: &Steps,
    size: Size,
    model: &Model,
    stones: u8,
    symbols: &mut Symbols,
    patches: &mut Vec<Patch>,
) {
    let mut history = History::new(steps[0][0]);
    for (step, (given, symbols)) in steps.iter().zip(symbols).enumerate().take(size.steps()) {
        let expected = history.expected(stones);
        let mut shares = *history.last();
        let active = size.active(step);
        for lane in 0..BAND {
            symbols[lane] = 0;
            if active >> lane & 1 == 1 {
                let (base, distribution) = (expected.base[lane], expected.distribution[lane]);
                let symbol = model.symbol(distribution as usize, given[lane].into(), base, stones);
                (symbols[lane], shares[lane]) = symbol;
                if shares[lane] != i16::from(given[lane]) {
                    patches.push(((lane * PATCH_LINE + step - lane) as u16, given[lane]));
                }
            }
        }
        history.push(&expected, shares);
    }
}

/// Writes symbols, the last first, from the end of `words` on; the place of the first word.
pub(super) fn write(symbols: &[[u32; BAND]], states: &mut [u32; BAND], words: &mut [u16]) -> usize {
    let mut place = words.len();
    for symbols in symbols.iter().rev() {
        for (state, &symbol) in states.iter_mut().zip(symbols).rev() {
            let (frequency, start) = (symbol >> PRECISION, symbol & (LEAST - 1));
            if frequency == 0 {
                continue;
            }
            if *state >= frequency << 16 {
                place -= 1;
                words[place] = *state as u16;
                *state >>= 16;
            }
            *state = ((*state / frequency) << PRECISION) + *state % frequency + start;
        }
    }
    place
}

/// A tile as it is: its lines begin `stride` bytes after each other.
pub(super) fn plain(lines: &[u8], stride: usize, size: Size) -> Vec<u8> {
    let mut bytes = (PLAIN << SEED).to_le_bytes().to_vec();
    (0..size.height)
        .for_each(|line| bytes.extend_from_slice(&lines[line * stride..][..size.width]));
    let check = check(&bytes[2..]);
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    bytes.extend_from_slice(&check);
    bytes
}

/// The states that lanes end with.
#[inline(always)]
pub(super) fn ends(seed: u8) -> [u32; BAND] {
    let mut ends = [LEAST; BAND];
    ends[0] += u32::from(seed);
    ends
}

/// What shows damage of some bytes.
fn check(bytes: &[u8]) -> [u8; 2] {
    *blake3::hash(bytes).as_bytes().first_chunk().expect("a digest has more")
}

/// How many lines and columns a tile has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub height: usize,
    pub width: usize,
}

impl Size {
    /// How many steps it takes.
    #[inline(always)]
    pub fn steps(self) -> usize {
        self.height + self.width - 1
    }

    /// A bit for each lane that has a column in a step.
    #[inline(always)]
    pub fn active(self, step: usize) -> u16 {
        let first = |lanes: usize| ((1_u32 << lanes) - 1) as u16;
        first(self.height.min(step + 1)) & !first((step + 1).saturating_sub(self.width).min(BAND))
    }
}

/// Words that states are filled up from, and as many more, of any content, as a step may read.
pub(super) struct Stream {
    words: [u16; Stream::MOST + BAND],
    length: usize,
}

impl Stream {
    /// A tile of more words would be plain.
    const MOST: usize = BAND * WIDTH / 2;

    /// An empty one.
    pub fn new() -> Self {
        Stream { words: [0; _], length: 0 }
    }

    /// Takes these words instead. `None` when there are more than any tile has.
    fn set(&mut self, bytes: &[[u8; 2]]) -> Option<()> {
        self.length = bytes.len();
        let words = self.words[..Stream::MOST].get_mut(..bytes.len())?;
        for (word, bytes) in words.iter_mut().zip(bytes) {
            *word = u16::from_le_bytes(*bytes);
        }
        Some(())
    }

    /// How many words there are.
    #[inline(always)]
    pub fn length(&self) -> usize {
        self.length
    }

    /// The words, and those after them.
    #[inline(always)]
    pub fn words(&self) -> &[u16; Stream::MOST + BAND] {
        &self.words
    }
}

/// What a tile begins with.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    /// A share near to its first.
    pub seed: u8,
    /// The lanes' states.
    pub states: [u32; BAND],
}

/// The patches of a tile.
#[derive(Clone, Copy)]
pub(super) struct Patches<'a>(&'a [[u8; 4]]);

impl Patches<'_> {
    /// Hands the line, the column and the share of each to `put`. `None` when they are not in
    /// ascending order, or a tile of this size has no such place or share.
    pub fn each(self, size: Size, stones: u8, mut put: impl FnMut(usize, usize, u8)) -> Option<()> {
        let mut after = 0;
        for &[low, high, share, zero] in self.0 {
            let place = usize::from(u16::from_le_bytes([low, high]));
            let (line, column) = (place / PATCH_LINE, place % PATCH_LINE);
            let right = place >= after && line < size.height && column < size.width;
            if !right || share > stones || zero != 0 {
                return None;
            }
            after = place + 1;
            put(line, column, share);
        }
        Some(())
    }
}

/// What the bytes of a tile are.
pub(super) enum Content<'a> {
    /// Coded, and the patches.
    Coded(Parts, Patches<'a>),
    /// The shares, line by line.
    Plain(&'a [u8]),
}

impl<'a> Content<'a> {
    /// Takes a tile's words apart; the words of a coded one that states are filled up from go into
    /// `stream`. `None` when no tile of this size has these bytes.
    pub fn of(bytes: &'a [u8], Size { height, width }: Size, stream: &mut Stream) -> Option<Self> {
        let (words, []) = bytes.as_chunks::<2>() else { return None };
        let (first, words) = words.split_first()?;
        let first = u16::from_le_bytes(*first);
        let patches = first >> SEED;
        if patches == PLAIN {
            let (last, shares) = words.split_last()?;
            let (shares, length) = (shares.as_flattened(), height * width);
            let fits = shares.len() == length.next_multiple_of(2);
            let shares = fits.then(|| &shares[..length])?;
            return (check(shares) == *last).then_some(Content::Plain(shares));
        }
        let (begins, words) = words.split_at_checked(height)?;
        let checked = 2 * usize::from(patches) + usize::from(patches > 0);
        let length = words.len().checked_sub(checked)?;
        let (mut words, patches) = words.split_at_checked(length)?;
        let patches = match patches.split_last() {
            None => &[],
            Some((last, patches)) => {
                (check(patches.as_flattened()) == *last).then_some(patches.as_flattened())?
            }
        };
        let mut states = [LEAST; BAND];
        for (state, bytes) in states.iter_mut().zip(begins) {
            *state = u16::from_le_bytes(*bytes).into();
            if *state < LEAST {
                let (word, later) = words.split_first()?;
                *state = *state << 16 | u32::from(u16::from_le_bytes(*word));
                // As all steps leave it then, and not all decoders would treat others alike.
                (*state >= LEAST).then_some(())?;
                words = later;
            }
        }
        stream.set(words)?;
        let seed = (first & ((1 << SEED) - 1)) as u8;
        Some(Content::Coded(Parts { seed, states }, Patches(patches.as_chunks().0)))
    }
}

/// A coded tile.
#[derive(Clone, Copy)]
pub(super) struct Coded<'a> {
    pub parts: Parts,
    pub stream: &'a Stream,
    pub size: Size,
    /// Those of its block.
    pub stones: u8,
    /// How many of its steps are wanted.
    pub steps: usize,
}

/// Decodes the wanted steps of some tiles. `None` when the words of one are too few, or when all its
/// steps are wanted and it does not end as it must.
pub(super) fn decode<const N: usize>(
    tiles: [Coded<'_>; N],
    targets: [&mut Steps; N],
) -> Option<()> {
    let model = &*MODEL;
    match model.kernel() {
        Kernel::Baseline => {
            tiles.iter().zip(targets).try_for_each(|(tile, target)| tile.decode(model, target))
        }
        // SAFETY: the machine has it.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => unsafe { avx2::decode(tiles, model, targets) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => unsafe { avx512::decode(tiles, model, targets) },
    }
}

impl<'a> Coded<'a> {
    /// One of which all steps are wanted.
    pub fn whole(parts: Parts, stream: &'a Stream, size: Size, stones: u8) -> Self {
        Coded { parts, stream, size, stones, steps: size.steps() }
    }

    /// [`decode`] of a tile for any machine.
    pub fn decode(&self, model: &Model, target: &mut Steps) -> Option<()> {
        let Coded { parts, stream, size, stones, steps } = *self;
        let mut states = parts.states;
        let mut words = stream.words()[..stream.length()].iter();
        let mut history = History::new(parts.seed.min(stones));
        for (step, target) in target.iter_mut().enumerate().take(steps.min(size.steps())) {
            let expected = history.expected(stones);
            let mut shares: Lanes = *history.last();
            for lane in (step + 1).saturating_sub(size.width)..size.height.min(step + 1) {
                let state = &mut states[lane];
                let distribution = expected.distribution[lane] as usize;
                let part = (*state & (LEAST - 1)) as usize;
                let slot = model.slots()[(distribution << PRECISION) + part];
                let frequency = slot >> PRECISION & (2 * LEAST - 1);
                *state = frequency * (*state >> PRECISION) + (slot & (LEAST - 1));
                if *state < LEAST {
                    *state = *state << 16 | u32::from(*words.next()?);
                }
                let residual = (slot as i32 >> 24) as i16;
                shares[lane] = (expected.base[lane] + residual).clamp(0, stones.into());
            }
            for (target, share) in target.iter_mut().zip(shares) {
                *target = share as u8;
            }
            history.push(&expected, shares);
        }
        let right = words.as_slice().is_empty() && states == ends(parts.seed);
        (steps < size.steps() || right).then_some(())
    }
}
