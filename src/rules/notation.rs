//! How positions are written.
//!
//! With `P` pits a side, `P` given and never guessed:
//!
//! - `2P + 2` numbers: `m1..mP`, the mover's store, `o1..oP`, the opponent's store;
//! - `2P` numbers: the same without the stores, which are empty;
//! - a board of the Kalah Game Protocol: `<P,store,opponent's store,m1..mP,o1..oP>`.
//!
//! Commas or spaces stand between the numbers.
//!
//! ```
//! use kalah::rules::{Board, notation};
//!
//! let board: Board<3> = notation::parse("1,0,2, 5, 0,1,1, 4")?;
//! assert_eq!(board.to_string(), "1,0,2,5,0,1,1,4");
//! assert_eq!(notation::kgp(&board), "<3,5,4,1,0,2,0,1,1>");
//! assert_eq!(notation::parse("<3,5,4,1,0,2,0,1,1>"), Ok(board));
//! assert_eq!(notation::parse::<3>("1 0 2 0 1 1")?.store(), 0);
//!
//! let wrong = notation::parse::<6>("1 0 2 0 1 1").unwrap_err();
//! assert_eq!(
//!     wrong.to_string(),
//!     "the position has 6 numbers; with 6 pits a side it has 14, or 12 when both stores are empty"
//! );
//! # Ok::<(), notation::NotationError>(())
//! ```

use std::{fmt, str::FromStr};

use super::{Board, BoardError, MAX_STONES, Pits, Row};

/// Why a text is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// There is nothing but spaces.
    #[error("the position has no numbers; {}", Take(*.pits))]
    Empty {
        /// The pits a side.
        pits: usize,
    },
    /// A number is missing: two commas in a row, or a comma at either end.
    #[error("number {place} of the position is missing; write 0 for an empty pit or store")]
    Missing {
        /// Which number, from 1.
        place: usize,
    },
    /// Something is no number of stones, or one larger than any board's.
    #[error("number {place} of the position is '{text}'; write a whole number from 0 to {max}", max = MAX_STONES)]
    Number {
        /// Which number, from 1.
        place: usize,
        /// What stands there, shortened when it is long.
        text: String,
    },
    /// There are more or fewer numbers than the pits a side ask for.
    #[error("the position has {found} number{}; {}", plural(*.found), Take(*.pits))]
    Count {
        /// How many numbers there are.
        found: usize,
        /// The pits a side.
        pits: usize,
    },
    /// A board in angle brackets has more or fewer numbers than the pits a side ask for.
    #[error(
        "the board in angle brackets has {found} number{}; with {pits} pit{} a side it has {}: \
         <{pits},store,opponent's store,the {} pits>",
        plural(*.found), plural(*.pits), 2 * .pits + 3, 2 * .pits
    )]
    KgpCount {
        /// How many numbers there are, that of the pits included.
        found: usize,
        /// The pits a side.
        pits: usize,
    },
    /// A board in angle brackets says that it has another number of pits.
    #[error(
        "the board in angle brackets starts with <{found}, but the game has {pits} pit{} a side: \
         it must start with <{pits},",
        plural(*.pits)
    )]
    KgpPits {
        /// The pits a side the board says it has.
        found: u8,
        /// The pits a side.
        pits: usize,
    },
    /// An angle bracket has no partner.
    #[error("a board in angle brackets starts with < and ends with >, and one of them is missing")]
    KgpBracket,
    /// The numbers are no board.
    #[error(transparent)]
    Board(#[from] BoardError),
}

/// The numbers that a position of so many pits a side takes, in words.
struct Take(usize);

impl fmt::Display for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Take(pits) = *self;
        let (all, without_stores) = (2 * pits + 2, 2 * pits);
        write!(f, "with {pits} pit{} a side it has {all}, ", plural(pits))?;
        write!(f, "or {without_stores} when both stores are empty")
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Reads a position in any of the forms.
///
/// # Errors
///
/// [`NotationError`] says what is wrong and what would be right, in one line.
pub fn parse<const P: usize>(text: &str) -> Result<Board<P>, NotationError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(NotationError::Empty { pits: P });
    }
    if text.starts_with('<') || text.ends_with('>') {
        let inside = text
            .strip_prefix('<')
            .and_then(|text| text.strip_suffix('>'))
            .ok_or(NotationError::KgpBracket)?;
        return parse_kgp(inside);
    }
    let numbers = numbers(text)?;
    let found = numbers.len();
    let (store, opponent_store) = match found {
        _ if found == 2 * P + 2 => (numbers[P], numbers[2 * P + 1]),
        _ if found == 2 * P => (0, 0),
        _ => return Err(NotationError::Count { found, pits: P }),
    };
    let mover = row(&numbers[..P]);
    let opponent = row(&numbers[found / 2..]);
    Ok(Board::new(mover, store, opponent, opponent_store)?)
}

/// Reads what stands between the angle brackets.
fn parse_kgp<const P: usize>(inside: &str) -> Result<Board<P>, NotationError> {
    let numbers = numbers(inside.trim())?;
    // The board says how many pits it has: when they are others, that is what is wrong.
    if usize::from(numbers[0]) != P {
        return Err(NotationError::KgpPits { found: numbers[0], pits: P });
    }
    if numbers.len() != 2 * P + 3 {
        return Err(NotationError::KgpCount { found: numbers.len(), pits: P });
    }
    Ok(Board::new(row(&numbers[3..]), numbers[1], row(&numbers[3 + P..]), numbers[2])?)
}

/// The first `P` of these numbers.
fn row<const P: usize>(numbers: &[u8]) -> Row<P> {
    std::array::from_fn(|pit| numbers[pit])
}

/// The numbers of a text that is not empty. At least one.
fn numbers(text: &str) -> Result<Vec<u8>, NotationError> {
    let mut numbers = Vec::new();
    for field in text.split(',') {
        if field.trim().is_empty() {
            return Err(NotationError::Missing { place: numbers.len() + 1 });
        }
        for word in field.split_whitespace() {
            let stones = stones(word).ok_or_else(|| NotationError::Number {
                place: numbers.len() + 1,
                text: excerpt(word),
            })?;
            numbers.push(stones);
        }
    }
    Ok(numbers)
}

/// A whole number that a pit or a store can hold. No sign: not even the plus of [`u8::from_str`].
fn stones(word: &str) -> Option<u8> {
    let stones: u8 =
        word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())??;
    (usize::from(stones) <= MAX_STONES).then_some(stones)
}

/// A word as an error shows it: on one line, whatever is in it, and not too long.
fn excerpt(word: &str) -> String {
    const MOST: usize = 24;
    let mut text: String = word.chars().take(MOST).flat_map(char::escape_debug).collect();
    if word.chars().nth(MOST).is_some() {
        text.push_str("..");
    }
    text
}

/// A board in the form of the Kalah Game Protocol, `<P,store,opponent's store,m1..mP,o1..oP>`.
pub fn kgp<const P: usize>(board: &Board<P>) -> String {
    let pits = board.pits();
    format!("<{P},{},{},{pits}>", board.store(), board.opponent_store())
}

impl<const P: usize> FromStr for Board<P> {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        parse(text)
    }
}

/// The `2P + 2` numbers, separated by commas.
impl<const P: usize> fmt::Display for Board<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pits = self.pits();
        let mover = pits.mover().iter().copied().chain([self.store()]);
        let opponent = pits.opponent().iter().copied().chain([self.opponent_store()]);
        write_numbers(f, mover.chain(opponent))
    }
}

/// The `2P` numbers, separated by commas.
impl<const P: usize> fmt::Display for Pits<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_numbers(f, self.mover().iter().chain(self.opponent()).copied())
    }
}

fn write_numbers(f: &mut fmt::Formatter<'_>, numbers: impl Iterator<Item = u8>) -> fmt::Result {
    for (place, number) in numbers.enumerate() {
        if place > 0 {
            f.write_str(",")?;
        }
        write!(f, "{number}")?;
    }
    Ok(())
}
