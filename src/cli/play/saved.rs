//! A game in the file that it is saved in.

use std::time::Duration;

use kalah::players::Level;
use kalah::rules::{Board, Pit, Rules};
use kalah::tables::MAX_TABLE_PITS;
use serde::{Deserialize, Serialize};

use super::folder::Format;
use super::game::{Game, Side};
use super::setup::Setup;

/// What is written of a game. A board is not: it follows from the moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// What the game is known by, so that it is counted once.
    id: String,
    pits: u8,
    seeds: u8,
    rules: Rules,
    level: String,
    first: Side,
    /// Milliseconds.
    time: Option<u64>,
    random_seed: u64,
    /// The pits sown, each by whoever was to move.
    moves: Vec<u8>,
}

impl Format for Saved {
    const NAME: &'static str = "game.json";
    const FORMAT: &'static str = "kalah game";
}

/// A saved game that can be played on. All of it was held against the rules.
#[derive(Clone, PartialEq, Debug)]
pub struct Resumed {
    /// What the game is known by.
    pub id: String,
    /// What was agreed.
    pub setup: Setup,
    /// The pits sown, legal each.
    moves: Vec<u8>,
    /// Whether it is over.
    pub over: bool,
}

impl Saved {
    /// What is to be written of a game.
    pub fn new<const P: usize>(id: &str, setup: &Setup, game: &Game<P>) -> Self {
        Saved {
            id: id.to_owned(),
            pits: setup.pits,
            seeds: setup.seeds,
            rules: setup.rules,
            level: setup.level.name().to_owned(),
            first: setup.first,
            time: setup.time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            random_seed: setup.random_seed,
            moves: game.moves().iter().map(|made| made.pit.number()).collect(),
        }
    }

    /// The game, when there is one like it.
    ///
    /// # Errors
    ///
    /// Says what is wrong, going on from the file's name.
    pub fn check(self) -> Result<Resumed, String> {
        let damaged = |reason: String| format!("is damaged ({reason})");
        let level: Level = self.level.parse().map_err(|error| damaged(format!("{error}")))?;
        let setup = Setup {
            pits: self.pits,
            seeds: self.seeds,
            rules: self.rules,
            level,
            first: self.first,
            time: self.time.map(Duration::from_millis),
            random_seed: self.random_seed,
        };
        if !is_id(&self.id) {
            return Err(damaged("its id is none".to_owned()));
        }
        let checked = kalah::with_table_pits!(self.pits, is_over(&setup, &self.moves));
        let over = checked.unwrap_or_else(|| {
            Err(format!("boards have 1 to {MAX_TABLE_PITS} pits a side, and not {}", self.pits))
        });
        let over = over.map_err(damaged)?;
        Ok(Resumed { id: self.id, setup, moves: self.moves, over })
    }
}

/// The most characters of what a game is known by.
const LONGEST_ID: usize = 64;

/// Whether a game can be known by this.
pub fn is_id(text: &str) -> bool {
    (1..=LONGEST_ID).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether the game is over after these moves.
fn is_over<const P: usize>(setup: &Setup, moves: &[u8]) -> Result<bool, String> {
    replay::<P>(setup, moves).map(|game| game.is_over())
}

fn replay<const P: usize>(setup: &Setup, moves: &[u8]) -> Result<Game<P>, String> {
    let opening = Board::opening(setup.seeds).map_err(|error| error.to_string())?;
    if setup.seeds == 0 {
        return Err("an opening has stones in every pit".to_owned());
    }
    let mut game = Game::new(opening, setup.rules, setup.first);
    for (&number, turn) in moves.iter().zip(1..) {
        let wrong = |error: String| format!("move {turn}: {error}");
        let pit = Pit::from_number(number.into()).map_err(|error| wrong(error.to_string()))?;
        game.play(pit).map_err(|error| wrong(error.to_string()))?;
    }
    Ok(game)
}

impl Resumed {
    /// The game, which has the pits a side of its setup.
    ///
    /// # Errors
    ///
    /// What [`Saved::check`] says, which let it through.
    pub fn game<const P: usize>(&self) -> Result<Game<P>, String> {
        replay(&self.setup, &self.moves)
    }

    /// How many pits were sown.
    pub fn moves(&self) -> usize {
        self.moves.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved() -> Saved {
        Saved {
            id: "a1".to_owned(),
            pits: 6,
            seeds: 4,
            rules: Rules::Standard,
            level: "hard".to_owned(),
            first: Side::Person,
            time: Some(1_500),
            random_seed: u64::MAX,
            moves: vec![3, 6, 1],
        }
    }

    #[test]
    fn a_game_is_read_back() {
        let resumed = saved().check().unwrap();
        assert_eq!((resumed.over, resumed.moves()), (false, 3));
        let game = resumed.game::<6>().unwrap();
        assert_eq!(game.turn(), Side::Person);
        assert_eq!(Saved::new(&resumed.id, &resumed.setup, &game), saved());
        let text = serde_json::to_string(&saved()).unwrap();
        assert_eq!(serde_json::from_str::<Saved>(&text).unwrap(), saved());
    }

    #[test]
    fn what_is_no_game_is_told() {
        for (wrong, expected) in [
            (Saved { pits: 7, ..saved() }, "boards have 1 to 6 pits a side, and not 7"),
            (Saved { seeds: 11, ..saved() }, "the board holds 132 stones; 127 is the most"),
            (Saved { seeds: 0, ..saved() }, "an opening has stones in every pit"),
            (
                Saved { level: "brutal".to_owned(), ..saved() },
                "no level is called 'brutal'; there are easy, medium, hard, insane and perfect",
            ),
            (
                Saved { moves: vec![3, 3], ..saved() },
                "move 2: pit 3 is empty; choose one that holds stones",
            ),
            (
                Saved { moves: vec![3, 7], ..saved() },
                "move 2: there is no pit 7; pits are numbered 1 to 6",
            ),
            (Saved { id: String::new(), ..saved() }, "its id is none"),
            (Saved { id: "\u{1b}[2J".to_owned(), ..saved() }, "its id is none"),
        ] {
            assert_eq!(wrong.check(), Err(format!("is damaged ({expected})")));
        }
    }
}
