//! Counting what predictions are off by.

use std::fmt;

use super::Shape;
use super::model::{PRECISION, REACH, SYMBOLS};
use super::prediction::{DISTRIBUTIONS, History};
use super::tile::Size;

/// How often each residual occurs in each distribution, counted in blocks: what the coder's tables
/// are made from. [`Display`](fmt::Display) gives them as they stand in the source.
#[derive(Clone, Debug)]
pub struct Residuals {
    /// By distribution and residual; the last is for all beyond reach.
    weights: Vec<[f64; SYMBOLS + 1]>,
}

/// Residuals that are rarer than this are cheaper as patches.
const RARE: f64 = 1.2e-4;

impl Default for Residuals {
    fn default() -> Self {
        Residuals { weights: vec![[0.0; SYMBOLS + 1]; DISTRIBUTIONS] }
    }
}

impl Residuals {
    /// Counts one tile in `every` of a block, each residual as `weight`.
    ///
    /// # Panics
    ///
    /// When the matrix has another size than the shape says, or `every` is 0.
    pub fn count(&mut self, shape: &Shape, lines: &[u8], every: usize, weight: f64) {
        assert_eq!(lines.len(), shape.positions(), "a matrix of the block's size");
        for tile in (0..shape.tiles()).step_by(every).map(|number| shape.tile(number)) {
            let Size { height, width } = tile.size();
            let share = |lane: usize, column: usize| {
                i16::from(lines[(tile.line + lane) * shape.columns() + tile.column + column])
            };
            let mut history = History::new(share(0, 0) as u8);
            for step in 0..tile.size().steps() {
                let expected = history.expected(shape.stones() as u8);
                let mut shares = *history.last();
                let active = (step + 1).saturating_sub(width)..height.min(step + 1);
                for (lane, last) in
                    shares.iter_mut().enumerate().filter(|(l, _)| active.contains(l))
                {
                    *last = share(lane, step - lane);
                    let place = *last - expected.base[lane] + REACH;
                    let place = usize::try_from(place).map_or(SYMBOLS, |place| place.min(SYMBOLS));
                    self.weights[expected.distribution[lane] as usize][place] += weight;
                }
                history.push(&expected, shares);
            }
        }
    }

    /// The least bits that a residual takes on average.
    pub fn entropy(&self) -> f64 {
        let all: f64 = self.weights.as_flattened().iter().sum();
        let bits = self.weights.iter().flat_map(|weights| {
            let whole: f64 = weights.iter().sum();
            let used = weights.iter().filter(|&&weight| weight > 0.0);
            used.map(move |&weight| -weight / all * (weight / whole).log2())
        });
        bits.sum()
    }

    /// The first residual that is coded in a distribution, and the frequencies of all from there on.
    fn frequencies(weights: &[f64; SYMBOLS + 1]) -> (i16, Vec<u32>) {
        let whole: f64 = weights.iter().sum();
        let parts: Vec<f64> = weights[..SYMBOLS].iter().map(|weight| weight / whole).collect();
        let kept = |part: &f64| *part > RARE;
        let Some((first, last)) = parts.iter().position(kept).zip(parts.iter().rposition(kept))
        else {
            // Neighbours that can never be as this distribution says.
            return (0, vec![1 << PRECISION]);
        };
        let parts = &parts[first..=last];
        let sum: f64 = parts.iter().sum();
        let slots = f64::from(1_u32 << PRECISION);
        let mut frequencies: Vec<u32> =
            parts.iter().map(|part| (part / sum * slots).round().max(1.0) as u32).collect();
        // Rounded to the whole, each time where it costs least.
        loop {
            let have: u32 = frequencies.iter().sum();
            let step: i32 = match have.cmp(&(1 << PRECISION)) {
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Greater => -1,
                std::cmp::Ordering::Equal => return (first as i16 - REACH, frequencies),
            };
            let cost = |&place: &usize| {
                let frequency = f64::from(frequencies[place]);
                parts[place] * (frequency / (frequency + f64::from(step))).log2()
            };
            let can = (0..frequencies.len()).filter(|&place| step > 0 || frequencies[place] > 1);
            let place = can.min_by(|one, other| cost(one).total_cmp(&cost(other)));
            let place = place.expect("there are fewer symbols than slots");
            frequencies[place] = frequencies[place].wrapping_add_signed(step);
        }
    }
}

impl fmt::Display for Residuals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for weights in &self.weights {
            let (first, frequencies) = Residuals::frequencies(weights);
            writeln!(f, "    ({first}, &{frequencies:?}),")?;
        }
        Ok(())
    }
}
