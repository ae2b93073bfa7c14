//! What is expected at a place of a tile, from its neighbours that are known already.
//!
//! The lanes of a step are a diagonal: at step `t` lane `l` is at column `t - l` of line `l`. So the
//! upper neighbours of all lanes are what the lane before had one step earlier, and nothing has to be
//! known of the same step.
//!
//! With `L` and `LL` the one and the two to the left, `U`, `UL` and `ULL` those above the place and
//! these, and `UU` and `UUL` another line up, the prediction is
//!
//! ```text
//! L + (8 (U - L) - 3 (UL + ULL) + 5 (LL + UU) - 4 UUL) / 16
//! ```
//!
//! rounded to halves: the weights that least squares find on tables of 24 and of 28 stones, and much
//! the same in any others. How far the seven differ says how sure it is. The weights of all but `U`
//! and `L` cancel out, so what there is to do when `L` is known at last is little; and it is what
//! the next step waits for.

use super::shape::BAND;

/// A number for each lane.
pub(super) type Lanes = [i16; BAND];

/// How many distributions of residuals there are.
pub(super) const DISTRIBUTIONS: usize = 64;

/// Neighbours that differ by more are taken as differing by this much.
pub(super) const MOST_SPREAD: i16 = 8;

/// The first of the distributions of the first lane, above which there is nothing.
pub(super) const FIRST_LANE: i16 = 6 * (MOST_SPREAD + 1);

/// The lanes' neighbours in the step that comes next.
#[derive(Clone)]
pub(super) struct History {
    left: Lanes,
    left2: Lanes,
    up_left: Lanes,
    up_left2: Lanes,
    up2_left: Lanes,
}

/// What is expected in each lane.
pub(super) struct Expected {
    /// Shares that are possible.
    pub base: Lanes,
    /// Which distribution what is added to them has.
    pub distribution: Lanes,
    up: Lanes,
    up2: Lanes,
}

impl History {
    /// Of a tile of which nothing is known but a share that is near to its first.
    #[inline(always)]
    pub fn new(seed: u8) -> Self {
        let seeds = [i16::from(seed); BAND];
        History { left: seeds, left2: seeds, up_left: seeds, up_left2: seeds, up2_left: seeds }
    }

    /// The lanes' shares of the last step.
    #[inline(always)]
    pub fn last(&self) -> &Lanes {
        &self.left
    }

    /// A step is done: what was expected, and the shares that the lanes have now.
    #[inline(always)]
    pub fn push(&mut self, expected: &Expected, shares: Lanes) {
        self.up2_left = expected.up2;
        self.up_left2 = self.up_left;
        self.up_left = expected.up;
        self.left2 = self.left;
        self.left = shares;
    }

    /// What is expected in the next step, of at most `stones`.
    #[inline(always)]
    pub fn expected(&self, stones: u8) -> Expected {
        let History { left, left2, up_left, up_left2, up2_left } = self;
        let (up, up2) = (shifted(left), shifted(up_left));
        let mut expected = Expected { base: [0; BAND], distribution: [0; BAND], up, up2 };
        for lane in 0..BAND {
            let (l, u) = (left[lane], up[lane]);
            let (ll, ul, ull) = (left2[lane], up_left[lane], up_left2[lane]);
            let (uu, uul) = (up2[lane], up2_left[lane]);
            let eighths = 5 * (ll + uu) - 3 * (ul + ull) - 4 * uul;
            let halves = u - l + ((eighths + 4) >> 3);
            let whole = halves >> 1;
            let most = l.max(u).max(ll).max(ul).max(ull).max(uu).max(uul);
            let least = l.min(u).min(ll).min(ul).min(ull).min(uu).min(uul);
            let spread = (most - least).min(MOST_SPREAD);
            expected.base[lane] = (l + whole).clamp(0, i16::from(stones));
            expected.distribution[lane] = 6 * spread + 2 * whole.clamp(-1, 1) + 2 + (halves & 1);
            if lane == 0 {
                expected.base[lane] = l;
                expected.distribution[lane] = FIRST_LANE + spread;
            }
        }
        expected
    }
}

/// What the lane before has; the first lane keeps its own.
#[inline(always)]
fn shifted(lanes: &Lanes) -> Lanes {
    let mut shifted = *lanes;
    shifted[1..].copy_from_slice(&lanes[..BAND - 1]);
    shifted
}
