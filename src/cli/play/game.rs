//! A game between a person and the computer: what was sown, and what lies where.

use kalah::rules::{Board, IllegalMove, Pit, Played, Row, Rules};
use serde::{Deserialize, Serialize};

/// One of the two who play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Whoever sits at the terminal.
    Person,
    /// The level.
    Computer,
}

impl Side {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Side::Person => Side::Computer,
            Side::Computer => Side::Person,
        }
    }
}

/// A place that holds stones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A side's pit, counted from 0 from its owner's left.
    Pit(Side, usize),
    /// A side's store.
    Store(Side),
}

/// What lies where, whoever is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View<const P: usize> {
    /// The rows, each from its owner's left: the person's, the computer's.
    rows: [Row<P>; 2],
    stores: [u8; 2],
}

impl<const P: usize> View<P> {
    /// What lies on a board that `mover` is to move on.
    pub fn of(board: &Board<P>, mover: Side) -> Self {
        let pits = board.pits();
        let (mut rows, mut stores) =
            ([*pits.mover(), *pits.opponent()], [board.store(), board.opponent_store()]);
        if mover == Side::Computer {
            rows.reverse();
            stores.reverse();
        }
        View { rows, stores }
    }

    /// A side's row, from its owner's left.
    pub fn row(&self, side: Side) -> &Row<P> {
        &self.rows[side as usize]
    }

    /// A side's store.
    pub fn store(&self, side: Side) -> u8 {
        self.stores[side as usize]
    }

    /// The stones of a place.
    pub fn stones(&self, place: Place) -> u8 {
        match place {
            Place::Pit(side, index) => self.row(side)[index],
            Place::Store(side) => self.store(side),
        }
    }

    /// A place, to be changed.
    pub fn stones_mut(&mut self, place: Place) -> &mut u8 {
        match place {
            Place::Pit(side, index) => &mut self.rows[side as usize][index],
            Place::Store(side) => &mut self.stores[side as usize],
        }
    }

    /// After each side took what was left in its row.
    pub fn swept(mut self) -> Self {
        for (row, store) in self.rows.iter_mut().zip(&mut self.stores) {
            *store += row.iter().sum::<u8>();
            *row = [0; P];
        }
        self
    }
}

/// A pit that was sown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move<const P: usize> {
    /// Whose pit it was.
    pub by: Side,
    /// The board before, seen by that side.
    pub before: Board<P>,
    /// The pit.
    pub pit: Pit<P>,
    /// What came of it.
    pub played: Played<P>,
}

impl<const P: usize> Move<P> {
    /// Who is to move after it, if anybody.
    pub fn next(&self) -> Side {
        if self.played.extra_move { self.by } else { self.by.other() }
    }

    /// What lies where after it, swept when it ended the game.
    pub fn after(&self) -> View<P> {
        let view = View::of(&self.played.board, self.next());
        if self.played.board.is_over() { view.swept() } else { view }
    }
}

/// A game from its opening on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game<const P: usize> {
    rules: Rules,
    opening: Board<P>,
    first: Side,
    moves: Vec<Move<P>>,
}

impl<const P: usize> Game<P> {
    /// Nothing has been sown yet.
    pub fn new(opening: Board<P>, rules: Rules, first: Side) -> Self {
        Game { rules, opening, first, moves: Vec::new() }
    }

    /// The board, seen by whoever is to move.
    pub fn board(&self) -> &Board<P> {
        self.moves.last().map_or(&self.opening, |last| &last.played.board)
    }

    /// Who is to move, unless the game is over.
    pub fn turn(&self) -> Side {
        self.moves.last().map_or(self.first, Move::next)
    }

    /// Who is to move; `None` when the game is over.
    pub fn to_move(&self) -> Option<Side> {
        (!self.is_over()).then(|| self.turn())
    }

    /// Whether nobody moves any more.
    pub fn is_over(&self) -> bool {
        self.board().is_over()
    }

    /// What was sown, in order.
    pub fn moves(&self) -> &[Move<P>] {
        &self.moves
    }

    /// What lies where, swept when the game is over.
    pub fn view(&self) -> View<P> {
        let view = View::of(self.board(), self.turn());
        if self.is_over() { view.swept() } else { view }
    }

    /// Sows a pit of whoever is to move.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`]; nothing changes then.
    pub fn play(&mut self, pit: Pit<P>) -> Result<Move<P>, IllegalMove> {
        let (by, before) = (self.turn(), *self.board());
        let played = before.play(pit, self.rules)?;
        let made = Move { by, before, pit, played };
        self.moves.push(made);
        Ok(made)
    }

    /// Whether the person has sown anything that can be taken back.
    pub fn can_undo(&self) -> bool {
        self.moves.iter().any(|made| made.by == Side::Person)
    }

    /// Takes back everything from the person's last move on, so that the person moves there again.
    /// How many moves that were.
    pub fn undo(&mut self) -> usize {
        let Some(last) = self.moves.iter().rposition(|made| made.by == Side::Person) else {
            return 0;
        };
        let taken = self.moves.len() - last;
        self.moves.truncate(last);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pit<const P: usize>(number: usize) -> Pit<P> {
        Pit::from_number(number).unwrap()
    }

    fn game(first: Side) -> Game<6> {
        Game::new(Board::opening(4).unwrap(), Rules::Standard, first)
    }

    #[test]
    fn both_see_the_same_board() {
        for first in [Side::Person, Side::Computer] {
            let mut game = game(first);
            assert_eq!(game.to_move(), Some(first));
            assert!(game.play(pit(3)).unwrap().played.extra_move);
            assert_eq!(game.turn(), first);
            game.play(pit(6)).unwrap();
            assert_eq!(game.turn(), first.other());
            let view = game.view();
            assert_eq!(view.row(first), &[4, 4, 0, 5, 5, 0]);
            assert_eq!(view.row(first.other()), &[5, 5, 5, 5, 4, 4]);
            assert_eq!((view.store(first), view.store(first.other())), (2, 0));
            assert_eq!(game.moves()[1].after(), view);
        }
    }

    #[test]
    fn illegal_moves_change_nothing() {
        let mut game = game(Side::Person);
        game.play(pit(3)).unwrap();
        let before = game.clone();
        assert_eq!(game.play(pit(3)), Err(IllegalMove::EmptyPit(3)));
        assert_eq!(game, before);
    }

    #[test]
    fn undo_leads_back_to_where_the_person_chose() {
        let mut game = game(Side::Computer);
        game.play(pit(1)).unwrap();
        assert_eq!((game.can_undo(), game.undo()), (false, 0));
        let before = game.clone();
        game.play(pit(2)).unwrap();
        game.play(pit(4)).unwrap();
        assert!(game.can_undo());
        assert_eq!(game.undo(), 2);
        assert_eq!(game, before);

        // An extra move is taken back alone.
        let mut game = self::game(Side::Person);
        game.play(pit(3)).unwrap();
        let before = game.clone();
        game.play(pit(6)).unwrap();
        assert_eq!(game.undo(), 1);
        assert_eq!(game, before);
    }

    #[test]
    fn the_end_is_swept_in_what_is_seen() {
        let opening: Board<2> = "0,1,3,2,5,1".parse().unwrap();
        let mut game = Game::new(opening, Rules::Standard, Side::Computer);
        let made = game.play(pit(2)).unwrap();
        assert_eq!((game.to_move(), game.is_over()), (None, true));
        let view = game.view();
        assert_eq!((view.row(Side::Person), view.row(Side::Computer)), (&[0, 0], &[0, 0]));
        assert_eq!((view.store(Side::Person), view.store(Side::Computer)), (8, 4));
        assert_eq!(made.after(), view);
        assert_eq!(game.play(pit(1)), Err(IllegalMove::GameOver));
    }
}
