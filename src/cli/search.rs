//! What the commands that search have in common: how much memory and time, and when to stop.

use std::time::{Duration, Instant};

use kalah::search::Watch;

use super::args::size;
use super::interrupt::Interrupt;

/// What a search may take.
#[derive(clap::Args)]
pub struct SearchArgs {
    /// Memory for what the search finds out, like 512M [default: what it seems to need, up to a
    /// quarter of what is free and 4 GiB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    hash: Option<u64>,

    /// Time to take at most; the answer is then what is proved by that time, as bounds
    #[arg(long, value_name = "SECONDS", value_parser = time)]
    time: Option<Duration>,
}

/// A transposition table takes no more unless it is asked to.
const MOST_HASH: u64 = 4 << 30;

impl SearchArgs {
    /// When the time is over, for what begins now.
    pub fn deadline(&self) -> Option<Instant> {
        self.time.and_then(|time| Instant::now().checked_add(time))
    }

    /// Bytes of the transposition table when `free` bytes of memory are free: what was asked for,
    /// or else what would be wanted within bounds.
    pub fn hash(&self, wanted: u64, least: u64, free: u64) -> usize {
        let most = (free / 4).min(MOST_HASH);
        let hash = self.hash.unwrap_or_else(|| wanted.min(most).max(least));
        usize::try_from(hash).unwrap_or(usize::MAX)
    }
}

/// When to stop.
#[derive(Clone, Default)]
pub struct Limits {
    /// When the time is over.
    pub deadline: Option<Instant>,
    /// When somebody asks.
    pub interrupt: Option<Interrupt>,
}

impl Limits {
    /// Whether somebody asked to stop.
    pub fn interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::requested)
    }

    /// Whether to stop, for either reason.
    pub fn reached(&self) -> bool {
        self.interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Watch for Limits {
    fn interrupted(&self) -> bool {
        self.reached()
    }
}

fn time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "write a number of seconds, like 10 or 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds() {
        assert_eq!(time("10"), Ok(Duration::from_secs(10)));
        assert_eq!(time("0.25"), Ok(Duration::from_millis(250)));
        for wrong in ["", "-1", "ten", "nan", "inf", "1e300", "5s"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_default_memory_is_what_is_wanted_and_there() {
        let args = SearchArgs { hash: None, time: None };
        assert_eq!(args.hash(1 << 28, 1 << 26, 1 << 34), 1 << 28);
        assert_eq!(args.hash(1 << 20, 1 << 26, 1 << 34), 1 << 26);
        assert_eq!(args.hash(1 << 40, 1 << 26, 1 << 32), 1 << 30);
        assert_eq!(args.hash(1 << 40, 1 << 26, 1 << 50), 4 << 30);
        let args = SearchArgs { hash: Some(5 << 30), time: None };
        assert_eq!(args.hash(1 << 20, 1 << 26, 1 << 32), 5 << 30);
    }
}
