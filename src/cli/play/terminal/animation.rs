//! A sowing as it is shown, moment by moment.

use std::time::{Duration, Instant};

use crate::cli::play::game::{Move, Side};
use crate::cli::play::sowing::{Frame, frames};

/// How long a moment is shown.
const MOMENT: Duration = Duration::from_millis(220);

/// How long a lifted pit, and what came of all, is shown.
const PAUSE: Duration = Duration::from_millis(450);

/// A move that is being shown.
pub struct Animation<const P: usize> {
    /// Who sows.
    pub by: Side,
    frames: Vec<Frame<P>>,
    index: usize,
    /// Since when the frame is shown.
    since: Instant,
}

impl<const P: usize> Animation<P> {
    /// Shows a move from now on.
    pub fn new(made: &Move<P>, now: Instant) -> Self {
        Animation { by: made.by, frames: frames(made), index: 0, since: now }
    }

    /// What is shown now.
    pub fn frame(&self) -> &Frame<P> {
        &self.frames[self.index]
    }

    /// How many stones more lie where something happens; `None` when the pit is lifted.
    pub fn added(&self) -> Option<u8> {
        let before = self.frames.get(self.index.checked_sub(1)?)?.view.stones(self.frame().place);
        Some(self.frame().view.stones(self.frame().place).saturating_sub(before))
    }

    /// When something else is to be shown, or nothing.
    pub fn due(&self) -> Instant {
        let outer = self.index == 0 || self.index + 1 == self.frames.len();
        self.since + if outer { PAUSE } else { MOMENT }
    }

    /// Shows the next moment when it is due: every moment is shown, however late. `false` once all
    /// were.
    pub fn advance(&mut self, now: Instant) -> bool {
        if self.due() > now {
            return true;
        }
        let is_last = self.index + 1 == self.frames.len();
        if !is_last {
            self.index += 1;
            self.since = now;
        }
        !is_last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::play::game::Game;
    use kalah::rules::{Board, Pit, Rules};

    #[test]
    fn every_stone_has_its_moment() {
        let mut game = Game::new(Board::<6>::opening(4).unwrap(), Rules::Standard, Side::Person);
        let made = game.play(Pit::from_number(3).unwrap()).unwrap();
        let begun = Instant::now();
        let mut animation = Animation::new(&made, begun);
        assert!(animation.advance(begun));
        let mut in_hand = vec![animation.frame().in_hand];
        assert_eq!(animation.added(), None);
        while animation.advance(animation.due()) {
            in_hand.push(animation.frame().in_hand);
            assert_eq!(animation.added(), Some(1));
        }
        assert_eq!(in_hand, [4, 3, 2, 1, 0]);
        assert_eq!(animation.frame().view, game.view());
    }
}
