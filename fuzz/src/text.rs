//! What is written as text: positions, lines of the protocol, lists of checksums, names of files.

use kalah::protocol::Message;
use kalah::rules::notation;
use kalah::tables::LayerId;
use kalah::tables::checksums::Checksums;

use super::Seed;

/// A text in any of the forms.
///
/// What is read is read again from what it prints.
pub fn check(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let mut right = [
        position::<1>(text),
        position::<2>(text),
        position::<3>(text),
        position::<6>(text),
        position::<8>(text),
    ]
    .contains(&true);
    if let Ok(message) = text.parse::<Message>() {
        assert_eq!(message.to_string().parse(), Ok(message));
        right = true;
    }
    if let Ok(sums) = text.parse::<Checksums>() {
        assert_eq!(sums.to_string().parse(), Ok(sums));
        right = true;
    }
    if let Some(layer) = LayerId::from_file_name(text) {
        assert_eq!(layer.file_name(), text);
        right = true;
    }
    right
}

fn position<const P: usize>(text: &str) -> bool {
    let Ok(board) = notation::parse::<P>(text) else { return false };
    assert!(board.pits().stones() <= 127);
    assert_eq!(notation::parse(&board.to_string()), Ok(board));
    assert_eq!(notation::parse(&notation::kgp(&board)), Ok(board));
    true
}

/// A text of each form.
pub fn seeds() -> Vec<Seed> {
    [
        ("position", "0,1,0,0,2,1,17, 2,0,0,1,1,0,23"),
        ("pits", "1 0 2 0 1 1"),
        ("board", "<3,5,4,1,0,2,0,1,1>"),
        ("state", "6@4 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"),
        ("set", "12 set info:comment \"a \\\"quoted\\\" word\" -1.5"),
        ("name", "empty-capture-6pits-24stones.kalah"),
        (
            "checksums",
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262  empty.kalah\n",
        ),
    ]
    .map(|(name, text)| (name, text.as_bytes().to_vec()))
    .to_vec()
}
