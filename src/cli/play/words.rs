//! What is said of a game, in sentences.

use kalah::players::{Choice, Level};
use kalah::tables::analysis::Outcome;

use super::brain::{Hint, PitValue, Proved};
use super::game::{Game, Move, Side};
use super::session::Session;
use super::setup::Setup;
use crate::cli::output::signed;

/// `You sow pit 3 (+1): an extra move.` Who gets the stones that are left at the end is said too.
pub fn announced<const P: usize>(made: &Move<P>) -> String {
    let played = &made.played;
    let mut text = match made.by {
        Side::Person => format!("You sow pit {}", made.pit),
        Side::Computer => format!("The computer sows pit {}", made.pit),
    };
    if played.captured > 0 {
        let captures = if made.by == Side::Person { "capture" } else { "captures" };
        text += &format!(" and {captures} {}", played.captured);
    }
    if played.gained > 0 {
        text += &format!(" (+{})", played.gained);
    }
    if played.extra_move && !played.board.is_over() {
        text += ": an extra move";
    }
    text += ".";
    let row = |row: &[u8; P]| row.iter().sum::<u8>();
    let [next, other] = match (made.by, played.extra_move) {
        (Side::Person, true) | (Side::Computer, false) => ["You get", "The computer gets"],
        _ => ["The computer gets", "You get"],
    };
    let pits = played.board.pits();
    match (row(pits.mover()), row(pits.opponent())) {
        (0, 0) => {}
        (0, left) => text += &format!(" {other} the {left} that are left."),
        (left, 0) => text += &format!(" {next} the {left} that are left."),
        _ => {}
    }
    text
}

/// What is added to the announcement of a choice that the highest level could not prove in time.
pub fn cut_short<const P: usize>(setup: &Setup, choice: &Choice<P>) -> &'static str {
    match choice.cut_short && setup.level == Level::Perfect {
        true => " It ran out of time to prove that nothing is better.",
        false => "",
    }
}

/// Whose turn it is, or that the game is over and for whom.
pub fn turn<const P: usize>(game: &Game<P>) -> String {
    match game.to_move() {
        Some(Side::Person) => "Your turn".to_owned(),
        Some(Side::Computer) => "The computer's turn".to_owned(),
        None => "The game is over".to_owned(),
    }
}

/// `You 12, computer 9`.
pub fn score(person: u8, computer: u8) -> String {
    format!("You {person}, computer {computer}")
}

/// `You win by 30 stones to 18 after 41 moves.`
pub fn ended<const P: usize>(session: &Session<P>) -> Option<String> {
    let outcome = session.outcome()?;
    let view = session.game().view();
    let (person, computer) = (view.store(Side::Person), view.store(Side::Computer));
    let (more, less) = (person.max(computer), person.min(computer));
    let moves = session.game().moves().len();
    let who = match outcome {
        Outcome::Win => "You win by",
        Outcome::Draw => "A draw by",
        Outcome::Loss => "The computer wins by",
    };
    let plural = if moves == 1 { "" } else { "s" };
    Some(format!("{who} {more} stones to {less} after {moves} move{plural}."))
}

/// `Level hard, 4 stones a pit, standard rules: 3 of 4 games won (75 %), ..`, once one has ended.
pub fn record<const P: usize>(session: &Session<P>) -> Option<String> {
    let setup = crate::cli::wording::capitalised(&session.setup().to_string());
    session.record().map(|record| format!("{setup}: {}.", record.line()))
}

/// A hint.
pub fn hint<const P: usize>(hint: &Hint<P>) -> String {
    match (hint.pit, hint.value) {
        (Some(pit), Proved::Exact(value)) => {
            let verdict = match Outcome::of(value) {
                Outcome::Win => format!("you win by {value}"),
                Outcome::Draw => "a draw".to_owned(),
                Outcome::Loss => format!("you lose by {}", -value),
            };
            format!("Hint: pit {pit}; {verdict} under perfect play.")
        }
        (Some(pit), Proved::Within(bounds)) => {
            let (low, high) = (signed(bounds.low), signed(bounds.high));
            format!(
                "Hint: pit {pit} looks best; within a second its value was only proved to be \
                 {low} to {high}."
            )
        }
        (Some(pit), Proved::Nothing) => {
            format!("Hint: pit {pit} looks best; its value was not found within a second.")
        }
        (None, _) => "No hint was found within a second.".to_owned(),
    }
}

/// What a pit is worth, shortly: `+8`, `-2..+4`, `?`.
pub fn value(value: Proved) -> String {
    match value {
        Proved::Exact(value) => signed(value),
        Proved::Within(bounds) => format!("{}..{}", signed(bounds.low), signed(bounds.high)),
        Proved::Nothing => "?".to_owned(),
    }
}

/// What the numbers of an evaluation mean.
pub fn about_values<const P: usize>(values: &[PitValue<P>]) -> String {
    let exact = values.iter().all(|value| matches!(value.value, Proved::Exact(_)));
    let mut text = "Under each pit: by how many stones you win (+) or lose (-) with it.".to_owned();
    if !exact {
        text += " Two numbers are bounds; ? was not found in time.";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::rules::{Board, Pit, Rules};
    use kalah::search::Bounds;

    fn told(board: &str, pit: usize, first: Side) -> String {
        let mut game = Game::<3>::new(board.parse().unwrap(), Rules::Standard, first);
        announced(&game.play(Pit::from_number(pit).unwrap()).unwrap())
    }

    #[test]
    fn moves_are_announced() {
        let (person, computer) = (Side::Person, Side::Computer);
        assert_eq!(told("1,0,1,0,1,2,0,0", 1, person), "You sow pit 1 and capture 2 (+3).");
        let captures = "The computer sows pit 1 and captures 2 (+3).";
        assert_eq!(told("1,0,1,0,1,2,0,0", 1, computer), captures);
        assert_eq!(told("1,0,1,0,1,2,0,0", 3, person), "You sow pit 3 (+1): an extra move.");
        assert_eq!(told("1,1,1,0,1,2,0,0", 2, computer), "The computer sows pit 2.");
        // There is no further move when the game is over.
        assert_eq!(
            told("0,0,1,0,1,2,0,0", 3, person),
            "You sow pit 3 (+1). The computer gets the 3 that are left."
        );
    }

    #[test]
    fn hints_say_what_is_known() {
        let pit = Pit::<6>::from_number(3).ok();
        let told = |pit, value| hint(&Hint { pit, value });
        assert_eq!(told(pit, Proved::Exact(8)), "Hint: pit 3; you win by 8 under perfect play.");
        assert_eq!(told(pit, Proved::Exact(-2)), "Hint: pit 3; you lose by 2 under perfect play.");
        assert_eq!(told(pit, Proved::Exact(0)), "Hint: pit 3; a draw under perfect play.");
        let bounds = Proved::Within(Bounds { low: -2, high: 6 });
        let expected =
            "Hint: pit 3 looks best; within a second its value was only proved to be -2 to +6.";
        assert_eq!(told(pit, bounds), expected);
        assert_eq!(value(bounds), "-2..+6");
        assert!(told(pit, Proved::Nothing).contains("not found"));
        assert!(told(None, Proved::Nothing).contains("No hint"));
    }

    #[test]
    fn whose_turn_it_is_is_told() {
        let game = Game::<2>::new(Board::opening(2).unwrap(), Rules::Standard, Side::Computer);
        assert_eq!(turn(&game), "The computer's turn");
    }
}
