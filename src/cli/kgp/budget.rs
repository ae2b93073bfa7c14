//! How long a server's clock lets a player think.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kalah::protocol::{Clock, Setting, TimeMode};

/// What the way to the server and back takes, at most, and the end of a thought.
const MARGIN: Duration = Duration::from_millis(100);

/// A part of the time that is left over besides, in case the machine is busy.
const MARGIN_PART: u32 = 20;

/// The least time: a player names some pit at once, and then the clock is over in any case.
const LEAST: Duration = Duration::from_millis(10);

/// A server's clock, and what was taken of it since it was told. A server that counts the time of
/// all states together may tell it once, or before every state.
#[derive(Debug, Default)]
pub struct Clocks {
    taken: Mutex<Duration>,
}

impl Clocks {
    /// Takes note of a setting: a clock that is told has all that was taken before behind it.
    pub fn heed(&self, setting: &Setting) {
        if matches!(setting, Setting::Clock(_) | Setting::TimeMode(_)) {
            *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Duration::ZERO;
        }
    }

    /// So long was thought about a state.
    pub fn take(&self, time: Duration) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_add(time);
    }

    /// How long to think about a board with so many stones in its pits; `None` for as long as one
    /// likes.
    pub fn budget(&self, clock: Clock, stones: usize) -> Option<Duration> {
        let taken = *self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        budget(clock, taken, stones)
    }
}

fn budget(clock: Clock, taken: Duration, stones: usize) -> Option<Duration> {
    let usable = |left: Duration| left.saturating_sub(MARGIN + left / MARGIN_PART);
    let time = match (clock.mode, clock.left?) {
        (TimeMode::None, _) => return None,
        (TimeMode::Relative, left) => usable(left),
        (TimeMode::Absolute, left) => usable(left.saturating_sub(taken)) / moves_left(stones),
    };
    Some(time.max(LEAST))
}

/// How many pits a player is still to sow, in a long game: from four stones a pit on 6 pits a side,
/// good players sow some 15 to 25 each.
fn moves_left(stones: usize) -> u32 {
    u32::try_from(stones / 2).unwrap_or(u32::MAX).max(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(mode: TimeMode, seconds: u64) -> Clock {
        Clock { mode, left: Some(Duration::from_secs(seconds)), opponent: None }
    }

    #[test]
    fn a_clock_for_every_state_is_used_but_for_a_margin() {
        let budget = |seconds| budget(clock(TimeMode::Relative, seconds), Duration::ZERO, 48);
        assert_eq!(budget(10), Some(Duration::from_millis(9_400)));
        assert_eq!(budget(1), Some(Duration::from_millis(850)));
        assert_eq!(budget(0), Some(LEAST));
    }

    #[test]
    fn a_clock_for_the_game_lasts_to_its_end() {
        let mode = TimeMode::Absolute;
        assert_eq!(
            budget(clock(mode, 120), Duration::ZERO, 48),
            Some(Duration::from_millis(113_900) / 24)
        );
        // Told once, and thought about for half of it.
        let taken = Duration::from_secs(60);
        assert_eq!(budget(clock(mode, 120), taken, 2), Some(Duration::from_millis(56_900) / 3));
        assert_eq!(budget(clock(mode, 1), taken, 48), Some(LEAST));
    }

    #[test]
    fn without_a_clock_nothing_presses() {
        assert_eq!(budget(Clock::default(), Duration::ZERO, 48), None);
        assert_eq!(budget(clock(TimeMode::None, 5), Duration::ZERO, 48), None);
        let unset = Clock { left: None, ..clock(TimeMode::Absolute, 5) };
        assert_eq!(budget(unset, Duration::ZERO, 48), None);
    }

    #[test]
    fn a_clock_that_is_told_again_is_right() {
        let clocks = Clocks::default();
        let told = clock(TimeMode::Absolute, 100);
        let full = clocks.budget(told, 48);
        clocks.take(Duration::from_secs(50));
        assert!(clocks.budget(told, 48) < full);
        clocks.heed(&Setting::OpponentClock(Duration::ZERO));
        assert!(clocks.budget(told, 48) < full);
        clocks.heed(&Setting::Clock(Duration::from_secs(100)));
        assert_eq!(clocks.budget(told, 48), full);
    }
}
