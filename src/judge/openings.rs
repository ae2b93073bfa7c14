//! Boards that games begin from.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use super::JudgeError;
use crate::players::Random;
use crate::rules::{Board, Rules};

/// Random moves from the opening to the board that a game begins from, so that players without
/// chance do not play the same game again and again.
pub const OPENING_MOVES: u32 = 4;

/// Draws before a board is taken a second time.
const TRIES: u32 = 100;

/// So many boards, with the numbers of stones a pit in turn. No two are the same while others can
/// be drawn.
pub(super) fn openings<const P: usize>(
    seeds: RangeInclusive<u8>,
    count: u64,
    rules: Rules,
    random_seed: u64,
) -> Result<Vec<Board<P>>, JudgeError> {
    let mut random = Random::of_piece(random_seed, u64::MAX);
    let mut seen = HashSet::new();
    let mut boards = Vec::new();
    for seeds in seeds.cycle().take(usize::try_from(count).unwrap_or(usize::MAX)) {
        let opening =
            Board::opening(seeds).map_err(|error| JudgeError::Opening { seeds, error })?;
        let mut board = varied(opening, rules, &mut random);
        for _ in 0..TRIES {
            if seen.insert(board) {
                break;
            }
            board = varied(opening, rules, &mut random);
        }
        boards.push(board);
    }
    Ok(boards)
}

/// The board after some random moves; fewer where the game would be over by them.
fn varied<const P: usize>(mut board: Board<P>, rules: Rules, random: &mut Random) -> Board<P> {
    for _ in 0..OPENING_MOVES {
        let legal: Vec<_> = board.legal_pits().collect();
        let Some(pit) = random.one_of(&legal) else { break };
        let next = board.play(pit, rules).expect("the pit is legal").board;
        if next.is_over() {
            break;
        }
        board = next;
    }
    board
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_differ_and_come_again() {
        let draw = |seed| openings::<6>(3..=6, 100, Rules::Standard, seed).unwrap();
        let boards = draw(1);
        assert_eq!(boards.iter().collect::<HashSet<_>>().len(), 100);
        let stones: Vec<_> = boards.iter().map(Board::stones).take(5).collect();
        assert_eq!(stones, [36, 48, 60, 72, 36]);
        assert!(boards.iter().all(|board| !board.is_over()));
        assert_eq!(boards, draw(1));
        assert_ne!(boards, draw(2));
    }

    #[test]
    fn there_are_openings_where_few_differ() {
        let boards = openings::<1>(1..=1, 10, Rules::Standard, 0).unwrap();
        assert_eq!(boards, [Board::opening(1).unwrap(); 10]);
        let error = openings::<6>(11..=11, 1, Rules::Standard, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "11 stones a pit: the board holds 132 stones; 127 is the most"
        );
    }
}
