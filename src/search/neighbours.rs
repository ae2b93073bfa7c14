//! Boards a few stones away from another.

use std::collections::BTreeSet;

use crate::rules::{Board, MAX_STONES, Row};

/// The boards that come of `board` by moving exactly `stones` stones, each from a pit to another pit
/// or to a store, and of no fewer; in order of their numbers of stones.
///
/// There are `2P (2P + 1)` boards one stone away from an opening. FairKalah (Neller and Neller 2022)
/// asks which of them are worth nothing to either player.
///
/// ```
/// use kalah::rules::Board;
/// use kalah::search::neighbours;
///
/// let opening = Board::<6>::opening(4)?;
/// assert_eq!(neighbours(&opening, 1).len(), 156);
/// assert_eq!(neighbours(&opening, 2).len(), 6240);
/// # Ok::<(), kalah::rules::BoardError>(())
/// ```
pub fn neighbours<const P: usize>(board: &Board<P>, stones: usize) -> Vec<Board<P>> {
    // What lies in the mover's pits and store, then in the opponent's.
    let origin: Vec<u8> = [board.pits().mover().as_slice(), &[board.store()]]
        .into_iter()
        .chain([board.pits().opponent().as_slice(), &[board.opponent_store()]])
        .flatten()
        .copied()
        .collect();
    let mut reached = BTreeSet::from([origin.clone()]);
    for _ in 0..stones.min(MAX_STONES) {
        let boards = reached.iter().flat_map(|places| one_stone_further::<P>(&origin, places));
        reached = boards.collect();
    }
    reached.iter().map(|places| of_places(places)).collect()
}

/// Every way to move one more stone, away from where the origin has it to where it does not.
fn one_stone_further<const P: usize>(origin: &[u8], places: &[u8]) -> Vec<Vec<u8>> {
    let is_store = |place: usize| place % (P + 1) == P;
    let can_give =
        |place: usize| !is_store(place) && places[place] > 0 && places[place] <= origin[place];
    let can_take = |place: usize| places[place] >= origin[place];
    let mut further = Vec::new();
    for from in (0..places.len()).filter(|&place| can_give(place)) {
        for to in (0..places.len()).filter(|&place| place != from && can_take(place)) {
            let mut moved = places.to_vec();
            moved[from] -= 1;
            moved[to] += 1;
            further.push(moved);
        }
    }
    further
}

fn of_places<const P: usize>(places: &[u8]) -> Board<P> {
    let (mover, opponent) = places.split_at(P + 1);
    let row = |places: &[u8]| -> Row<P> { std::array::from_fn(|pit| places[pit]) };
    Board::new(row(mover), mover[P], row(opponent), opponent[P])
        .expect("as many stones as on the board that they were moved on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_board_is_as_far_as_asked() {
        let opening = Board::<3>::opening(2).unwrap();
        let distance = |board: &Board<3>| {
            let differences = (0..3).flat_map(|pit| {
                [board.pits().mover()[pit].abs_diff(2), board.pits().opponent()[pit].abs_diff(2)]
            });
            let stores = board.store() + board.opponent_store();
            (differences.map(usize::from).sum::<usize>() + usize::from(stores)) / 2
        };
        for stones in 0..4 {
            let boards = neighbours(&opening, stones);
            assert!(boards.iter().all(|board| distance(board) == stones));
            assert!(boards.iter().all(|board| board.stones() == 12));
        }
        assert_eq!(neighbours(&opening, 0), [opening]);
        assert_eq!(neighbours(&opening, 1).len(), 6 * 7);
    }

    #[test]
    fn stones_do_not_come_out_of_nothing() {
        let board = Board::<2>::opening(0).unwrap();
        assert_eq!(neighbours(&board, 1), []);
    }
}
