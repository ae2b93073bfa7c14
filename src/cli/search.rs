//! What the commands that search have in common: how much memory and time, and when to stop.

use std::time::{Duration, Instant};

use kalah::search::{Effort, Watch};

use super::args::size;
use super::interrupt::Interrupt;

/// What a search may take.
#[derive(clap::Args)]
pub struct SearchArgs {
    /// Memory for what the search finds out, like 512M [default: what it seems to need, up to a
    /// quarter of what is free and 4 GiB]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    hash: Option<u64>,

    /// Time to take at most; the answer is then what is proved by that time, as bounds
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    time: Option<Duration>,
}

/// A transposition table takes no more unless it is asked to.
const MOST_HASH: u64 = 4 << 30;

impl SearchArgs {
    /// When the time is over, for what begins now.
    pub fn deadline(&self) -> Option<Instant> {
        self.time.and_then(|time| Instant::now().checked_add(time))
    }

    /// Bytes of the transposition table: what was asked for, or else so many.
    pub fn hash_or(&self, bytes: usize) -> usize {
        self.hash.map_or(bytes, |hash| usize::try_from(hash).unwrap_or(usize::MAX))
    }

    /// Bytes of the transposition table when `free` bytes of memory are free: what was asked for,
    /// or else what the effort over such tables wants within bounds.
    pub fn hash(&self, effort: &Effort, tables: Option<usize>, least: usize, free: u64) -> usize {
        let most = (free / 4).min(MOST_HASH);
        let wanted = effort.hash(tables, self.time).min(most);
        self.hash_or(usize::try_from(wanted).unwrap_or(usize::MAX).max(least))
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

/// Reads a number of seconds.
pub fn time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "write a number of seconds, like 10 or 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use kalah::tables::Encoding;

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
        let encoding = Encoding::Bytes;
        let effort = Effort { pits: 6, stones: 48, all_moves: false, threads: 1, encoding };
        let wanted = effort.hash(Some(22), None);
        assert_eq!(args.hash(&effort, Some(22), 1 << 20, 1 << 40) as u64, wanted);
        assert_eq!(args.hash(&effort, Some(48), 1 << 20, 1 << 40), 1 << 20);
        assert_eq!(args.hash(&effort, None, 1 << 20, 1 << 32), 1 << 30);
        assert_eq!(args.hash(&effort, None, 1 << 20, 1 << 50), 4 << 30);
        let args = SearchArgs { hash: Some(5 << 30), time: None };
        assert_eq!(args.hash(&effort, Some(48), 1 << 20, 1 << 32), 5 << 30);
    }
}
