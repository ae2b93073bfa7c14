//! How often each residual occurs, as the coder's tables have it.

use std::sync::LazyLock;

use super::distributions::DISTRIBUTIONS as COUNTED;
use super::prediction::DISTRIBUTIONS;
use crate::generator::kernel::Kernel;

/// Frequencies are parts of 2 to the power of this.
pub(super) const PRECISION: u32 = 10;

/// Residuals that can be coded are at least minus this, and less than it.
pub(super) const REACH: i16 = 16;

/// The same for all tiles of all tables: so nothing of it is in the files, a tile can be read
/// without anything else, and what is read most stays in the core's cache. Distributions counted in
/// the block itself would save a hundredth of a bit.
pub(super) static MODEL: LazyLock<Model> = LazyLock::new(Model::new);

/// The tables of coding and decoding.
pub(super) struct Model {
    kernel: Kernel,
    /// By distribution and slot, see [`Slot`].
    slots: Box<[Slot; DISTRIBUTIONS << PRECISION]>,
    /// By distribution and residual: the frequency, and in the lowest ten bits the slots before it;
    /// 0 of those that are not coded.
    symbols: Box<[u32; DISTRIBUTIONS * SYMBOLS]>,
}

/// What the lower bits of a state stand for: in the lowest ten bits how far the slot is from the
/// first of its residual, in the next eleven the residual's frequency, in the highest eight the
/// residual.
pub(super) type Slot = u32;

/// How many residuals there may be.
pub(super) const SYMBOLS: usize = 2 * REACH as usize;

impl Model {
    fn new() -> Self {
        let mut slots = vec![0; DISTRIBUTIONS << PRECISION];
        let mut symbols = vec![0; DISTRIBUTIONS * SYMBOLS];
        let tables = symbols.chunks_mut(SYMBOLS).zip(slots.chunks_mut(1 << PRECISION));
        for ((first, frequencies), (symbols, slots)) in COUNTED.iter().zip(tables) {
            let mut start = 0;
            for (residual, &frequency) in (*first..).zip(*frequencies) {
                let frequency = u32::from(frequency);
                symbols[place(residual.into())] = frequency << PRECISION | start;
                let slots = &mut slots[start as usize..][..frequency as usize];
                for (offset, slot) in (0..).zip(slots) {
                    *slot = offset | frequency << PRECISION | u32::from(residual as u8) << 24;
                }
                start += frequency;
            }
            assert_eq!(start, 1 << PRECISION, "the whole of a distribution");
        }
        let slots = slots.into_boxed_slice().try_into().expect("as many as there are slots");
        let symbols = symbols.into_boxed_slice().try_into().expect("as many as there are");
        Model { kernel: Kernel::best(), slots, symbols }
    }

    /// The instruction set to code with: one that this machine has.
    #[inline(always)]
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// What the slots of all distributions stand for.
    #[inline(always)]
    pub fn slots(&self) -> &[Slot; DISTRIBUTIONS << PRECISION] {
        &self.slots
    }

    /// The symbols of all distributions.
    #[inline(always)]
    pub fn symbols(&self) -> &[u32; DISTRIBUTIONS * SYMBOLS] {
        &self.symbols
    }

    /// What to write for a share where `base` is expected, and the share that is read: the nearest
    /// that a symbol of the distribution stands for.
    #[inline]
    pub fn symbol(&self, distribution: usize, share: i16, base: i16, stones: u8) -> (u32, i16) {
        let symbols = &self.symbols[distribution * SYMBOLS..][..SYMBOLS];
        let residual = share - base;
        if (-REACH..REACH).contains(&residual) && symbols[place(residual)] != 0 {
            return (symbols[place(residual)], share);
        }
        let coded = (-REACH..REACH).filter(|&residual| symbols[place(residual)] != 0);
        let read = |residual: i16| (base + residual).clamp(0, stones.into());
        let nearest = coded.min_by_key(|&residual| (read(residual) - share).abs());
        let nearest = nearest.expect("every distribution has symbols");
        (symbols[place(nearest)], read(nearest))
    }
}

/// Where a residual is in its distribution.
#[inline(always)]
fn place(residual: i16) -> usize {
    (residual + REACH) as usize
}
