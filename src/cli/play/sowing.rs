//! A sowing stone by stone: where it will end, and what is seen on the way.

use kalah::rules::{Board, Pit};

use super::game::{Move, Place, Side, View};

/// Where the stones of a pit of `side` fall, in order.
fn places<const P: usize>(
    board: &Board<P>,
    side: Side,
    pit: Pit<P>,
) -> impl Iterator<Item = Place> + use<P> {
    let stones = usize::from(board.pits().mover()[pit.index()]);
    (1..=stones).map(move |stone| match (pit.index() + stone) % (2 * P + 1) {
        own if own < P => Place::Pit(side, own),
        store if store == P => Place::Store(side),
        other => Place::Pit(side.other(), other - P - 1),
    })
}

/// Where the last stone of a pit of `side`, who is to move, falls; `None` when the pit is empty.
pub fn last_place<const P: usize>(board: &Board<P>, side: Side, pit: Pit<P>) -> Option<Place> {
    places(board, side, pit).last()
}

/// A moment of a sowing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame<const P: usize> {
    /// What lies where.
    pub view: View<P>,
    /// Where something happens.
    pub place: Place,
    /// The stones still in the hand.
    pub in_hand: u8,
}

/// What is seen of a move: the pit is lifted, every stone falls, what is captured is taken, and at
/// the end of a game the rows are swept.
pub fn frames<const P: usize>(made: &Move<P>) -> Vec<Frame<P>> {
    let Move { by, before, pit, played } = made;
    let mut view = View::of(before, *by);
    let lifted = Place::Pit(*by, pit.index());
    let mut in_hand = std::mem::take(view.stones_mut(lifted));
    let mut frames = vec![Frame { view, place: lifted, in_hand }];
    for place in places(before, *by, *pit) {
        *view.stones_mut(place) += 1;
        in_hand -= 1;
        frames.push(Frame { view, place, in_hand });
    }
    let landed = View::of(&played.board, made.next());
    for view in [landed, made.after()] {
        if frames.last().is_some_and(|last| last.view != view) {
            frames.push(Frame { view, place: Place::Store(*by), in_hand: 0 });
        }
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::super::game::Game;
    use super::*;
    use kalah::rules::Rules;

    /// Plays the pits, and gives what is seen of the last move.
    fn sown(board: &str, pit: usize, rules: Rules) -> Vec<Frame<3>> {
        let mut game = Game::<3>::new(board.parse().unwrap(), rules, Side::Person);
        frames(&game.play(Pit::from_number(pit).unwrap()).unwrap())
    }

    #[test]
    fn stones_fall_one_by_one_and_the_last_where_it_was_said() {
        let board: Board<3> = "0,9,1,0,1,1,1,0".parse().unwrap();
        let pit = Pit::from_number(2).unwrap();
        let seen = sown("0,9,1,0,1,1,1,0", 2, Rules::Standard);
        assert_eq!(seen.len(), 1 + 9);
        assert_eq!(seen[0].in_hand, 9);
        assert_eq!(seen[0].place, Place::Pit(Side::Person, 1));
        assert_eq!(seen[3].place, Place::Pit(Side::Computer, 0));
        let last = seen.last().unwrap();
        assert_eq!(Some(last.place), last_place(&board, Side::Person, pit));
        assert_eq!(last.view.row(Side::Person), &[1, 1, 3]);
        assert_eq!(last.view.row(Side::Computer), &[2, 2, 2]);
        assert_eq!((last.view.store(Side::Person), last.in_hand), (2, 0));
        assert_eq!(last_place(&board, Side::Person, Pit::from_number(1).unwrap()), None);
    }

    #[test]
    fn a_capture_and_the_ending_sweep_are_seen() {
        let seen = sown("1,0,1,0,1,2,0,0", 1, Rules::Standard);
        let last = seen.last().unwrap();
        assert_eq!(seen.len(), 3);
        assert_eq!(last.place, Place::Store(Side::Person));
        assert_eq!(last.view.store(Side::Person), 3);
        // The one stone that faces nothing goes to the store alone, and what is left is swept.
        let seen = sown("1,0,0,0,1,0,2,0", 1, Rules::EmptyCapture);
        assert_eq!(seen.len(), 4);
        assert_eq!(seen[2].view.store(Side::Person), 1);
        assert_eq!(seen[3].view.store(Side::Computer), 3);
    }

    #[test]
    fn what_is_seen_last_is_the_board() {
        let mut game = Game::new(Board::<6>::opening(4).unwrap(), Rules::Standard, Side::Computer);
        while let Some(pit) = game.board().legal_pits().next_back() {
            let made = game.play(pit).unwrap();
            assert_eq!(frames(&made).last().unwrap().view, game.view());
        }
        assert!(game.moves().len() > 10);
    }
}
