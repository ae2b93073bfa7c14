//! What keys mean.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What somebody wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// The next pit to the left that can be sown.
    Left,
    /// The next pit to the right that can be sown.
    Right,
    /// The pit of this number; sown when it was chosen before.
    Pit(usize),
    /// Sow the chosen pit.
    Sow,
    /// Take back the last move.
    Undo,
    /// Say what to play.
    Hint,
    /// Say what every pit is worth.
    Evaluate,
    /// Show sowings stone by stone, or no longer.
    Animation,
    /// Begin another game.
    New,
    /// Another level in the other game.
    Level,
    /// Other stones in the pits of the other game.
    Seeds,
    /// Another one to begin the other game.
    First,
    /// Yes, to what is asked.
    Yes,
    /// No, to what is asked; close what is open; stop what is being worked out.
    No,
    /// Say what the keys mean.
    Help,
    /// End.
    Quit,
    /// End, as a signal would.
    Interrupt,
    /// A key that means nothing.
    Unknown,
}

/// What a key means; `None` when it is let go, which means nothing.
pub fn action(key: &KeyEvent) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return Some(match key.code {
            KeyCode::Char('c') if key.modifiers == KeyModifiers::CONTROL => Action::Interrupt,
            _ => Action::Unknown,
        });
    }
    Some(match key.code {
        KeyCode::Left | KeyCode::BackTab => Action::Left,
        KeyCode::Right | KeyCode::Tab => Action::Right,
        KeyCode::Enter => Action::Sow,
        KeyCode::Esc => Action::No,
        KeyCode::Char(key) => match key.to_ascii_lowercase() {
            digit @ '1'..='9' => Action::Pit(digit as usize - '0' as usize),
            ' ' => Action::Sow,
            'u' => Action::Undo,
            'h' => Action::Hint,
            'e' => Action::Evaluate,
            'a' => Action::Animation,
            'n' => Action::New,
            'l' => Action::Level,
            's' => Action::Seeds,
            'f' => Action::First,
            'y' => Action::Yes,
            'q' => Action::Quit,
            '?' => Action::Help,
            _ => Action::Unknown,
        },
        _ => Action::Unknown,
    })
}

/// The keys and what they do, for people.
pub const HELP: [(&str, &str); 10] = [
    ("\u{2190} \u{2192}", "choose a pit; \"ends\" is where its last stone will fall"),
    ("1 to 6", "choose that pit, and sow it when it is chosen already"),
    ("Enter", "sow the chosen pit"),
    ("u", "take back your last move, and the computer's answer"),
    ("h", "a hint: what to sow"),
    ("e", "what every pit is worth"),
    ("a", "show sowings stone by stone, or no longer"),
    ("n", "another game, perhaps at another level"),
    ("q", "quit; the game is saved, and kalah play --resume goes on"),
    ("Esc", "close this"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_the_help_says() {
        let of = |code, modifiers| action(&KeyEvent::new(code, modifiers));
        let plain = KeyModifiers::NONE;
        assert_eq!(of(KeyCode::Char('3'), plain), Some(Action::Pit(3)));
        assert_eq!(of(KeyCode::Char('U'), KeyModifiers::SHIFT), Some(Action::Undo));
        assert_eq!(of(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Action::Interrupt));
        assert_eq!(of(KeyCode::Char('u'), KeyModifiers::CONTROL), Some(Action::Unknown));
        assert_eq!(of(KeyCode::F(5), plain), Some(Action::Unknown));
        let mut released = KeyEvent::new(KeyCode::Enter, plain);
        released.kind = KeyEventKind::Release;
        assert_eq!(action(&released), None);
        for (key, _) in HELP.iter().filter(|(key, _)| key.chars().count() == 1) {
            let code = KeyCode::Char(key.chars().next().unwrap());
            assert_ne!(of(code, plain), Some(Action::Unknown), "{key}");
        }
    }
}
