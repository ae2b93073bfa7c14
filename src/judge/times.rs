//! How long choices take.

use std::ops::AddAssign;
use std::time::Duration;

/// Buckets for each doubling of time.
const A_DOUBLING: f64 = 4.0;

/// Where the first bucket ends, in seconds.
const SHORTEST: f64 = 1e-6;

/// Buckets: from a microsecond to more than eight hours.
const BUCKETS: usize = 140;

/// A distribution of times: how many fell between bounds that grow by a fifth each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Times {
    buckets: [u64; BUCKETS],
    total: Duration,
    longest: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Times { buckets: [0; BUCKETS], total: Duration::ZERO, longest: Duration::ZERO }
    }
}

impl Times {
    /// Counts a time.
    pub fn add(&mut self, time: Duration) {
        self.buckets[bucket(time)] += 1;
        self.total += time;
        self.longest = self.longest.max(time);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Their sum.
    pub fn total(&self) -> Duration {
        self.total
    }

    /// The longest of them.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// The average, if there are any.
    pub fn mean(&self) -> Option<Duration> {
        let count = self.count();
        (count > 0).then(|| self.total.div_f64(count as f64))
    }

    /// A time that this share of them does not exceed, to a fifth of it: the median for 0.5. `None`
    /// when there are none.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let rank = (share * self.count() as f64).ceil().max(1.0) as u64;
        let mut sum = 0;
        let bucket = self.buckets.iter().position(|&count| {
            sum += count;
            sum >= rank
        })?;
        Some(Duration::from_secs_f64(end(bucket)).min(self.longest))
    }

    /// The buckets between the first and the last that hold something: where each begins and ends,
    /// in seconds, and how many times fell into it.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, f64, u64)> + '_ {
        let holds = |&count: &u64| count > 0;
        let first = self.buckets.iter().position(holds).unwrap_or(0);
        let last = self.buckets.iter().rposition(holds).map_or(0, |last| last + 1);
        (first..last).map(|bucket| (begin(bucket), end(bucket), self.buckets[bucket]))
    }
}

impl AddAssign<&Times> for Times {
    fn add_assign(&mut self, other: &Times) {
        self.buckets.iter_mut().zip(other.buckets).for_each(|(sum, count)| *sum += count);
        self.total += other.total;
        self.longest = self.longest.max(other.longest);
    }
}

fn bucket(time: Duration) -> usize {
    let doublings = (time.as_secs_f64() / SHORTEST).log2();
    // What is less than the shortest saturates to the first.
    ((doublings * A_DOUBLING).ceil() as usize).min(BUCKETS - 1)
}

fn end(bucket: usize) -> f64 {
    SHORTEST * (bucket as f64 / A_DOUBLING).exp2()
}

fn begin(bucket: usize) -> f64 {
    bucket.checked_sub(1).map_or(0.0, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_a_fifth() {
        let mut times = Times::default();
        assert_eq!((times.quantile(0.5), times.mean()), (None, None));
        (1..=100).for_each(|n| times.add(Duration::from_millis(n)));
        assert_eq!(times.count(), 100);
        assert_eq!(times.mean(), Some(Duration::from_micros(50_500)));
        for (share, exact) in [(0.0, 0.001), (0.5, 0.050), (0.95, 0.095), (1.0, 0.1)] {
            let found = times.quantile(share).unwrap().as_secs_f64();
            assert!((exact..exact * 1.2).contains(&found), "{share}: {found}");
        }
        assert_eq!(times.quantile(1.0), Some(times.longest()));
        let spread: Vec<_> = times.buckets().collect();
        assert_eq!(spread.iter().map(|&(.., count)| count).sum::<u64>(), 100);
        assert!(spread.windows(2).all(|pair| pair[0].1 == pair[1].0));
    }

    #[test]
    fn every_time_has_its_bucket() {
        let mut times = Times::default();
        for time in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX / 4] {
            times.add(time);
        }
        let mut both = Times::default();
        both += &times;
        assert_eq!(both, times);
        assert_eq!(times.count(), 3);
    }
}
