//! A game in lines, for scripts, tests, and terminals that can do no more.

use std::io::{self, BufRead, IsTerminal, Read};

use kalah::rules::{Board, Pit};

use super::brain::Brain;
use super::game::{Game, Side};
use super::session::Session;
use super::words;
use crate::cli::drawing::drawing;
use crate::cli::failure::{Failure, Status, one_line};
use crate::cli::interrupt::Interrupt;
use crate::cli::output;

/// The longest line that is looked at.
const LONGEST_LINE: u64 = 1024;

const COMMANDS: &str = "\
  1, 2, ..   sow that pit, counted from your left
  undo       take back your last move, and the computer's answer
  hint       what to sow
  evaluate   what every pit is worth
  board      draw the board again
  new        begin another game
  quit       end; kalah play --resume goes on
";

/// What a line asks for.
enum Command {
    Sow(usize),
    Undo,
    Hint,
    Evaluate,
    Board,
    New,
    Quit,
    Help,
    Unknown(String),
}

impl Command {
    /// What a line asks for, by a word or its first letter; `None` when it is empty.
    fn parse(line: &str) -> Option<Self> {
        let word = line.trim();
        Some(match word.to_ascii_lowercase().as_str() {
            "" => return None,
            "undo" | "u" => Command::Undo,
            "hint" | "h" => Command::Hint,
            "evaluate" | "e" => Command::Evaluate,
            "board" | "b" => Command::Board,
            "new" | "n" => Command::New,
            "quit" | "q" => Command::Quit,
            "help" | "?" => Command::Help,
            word if word.bytes().all(|byte| byte.is_ascii_digit()) => {
                Command::Sow(word.parse().unwrap_or(usize::MAX))
            }
            _ => {
                let shown: String = word.chars().take(24).flat_map(char::escape_debug).collect();
                Command::Unknown(shown)
            }
        })
    }
}

/// Plays until somebody ends it or there are no more lines.
///
/// # Errors
///
/// When standard input cannot be read, standard output cannot be written, or the computer fails.
pub fn run<const P: usize>(
    session: &mut Session<P>,
    brain: &mut Brain<'_, P>,
) -> Result<Status, Failure> {
    let interrupt = Interrupt::listen()?;
    let stopped = || interrupt.requested();
    let (setup, pits) = (*session.setup(), P);
    output::print(&format!(
        "Kalah: {setup}, random seed {}. You sow pits 1 to {pits}; help lists all commands.\n\n{}",
        setup.random_seed,
        board(session.game()),
    ))?;
    tell_end(session)?;
    loop {
        tell_notices(session);
        if session.game().to_move() == Some(Side::Computer) {
            let choice = brain.choose(session.game().board(), session.choosing(), &stopped)?;
            if stopped() {
                return Ok(Status::Interrupted);
            }
            let made = session.play(choice.pit)?;
            let short = words::cut_short(session.setup(), &choice);
            let text = words::announced(&made);
            output::print(&format!("{text}{short}\n\n{}", board(session.game())))?;
            tell_end(session)?;
            continue;
        }
        output::print(&format!("{}> ", words::turn(session.game())))?;
        let Some(line) = interrupt.waiting(read_line) else { return Ok(Status::Interrupted) };
        let Some(line) = line? else {
            output::print("\n")?;
            break;
        };
        let Some(command) = Command::parse(&line) else { continue };
        match command {
            Command::Quit => break,
            Command::Sow(number) => sow(session, number)?,
            Command::Undo => undo(session)?,
            Command::New => {
                session.new_game(session.setup().next_game())?;
                let seed = session.setup().random_seed;
                let text =
                    format!("Another game, random seed {seed}.\n\n{}", board(session.game()));
                output::print(&text)?;
            }
            Command::Hint if session.game().is_over() => output::print("The game is over.\n")?,
            Command::Hint => output::print(&match brain.hint(session.game().board(), &stopped) {
                Ok(hint) => words::hint(&hint) + "\n",
                Err(error) => format!("No hint: {error}.\n"),
            })?,
            Command::Evaluate => evaluate(session, brain, &stopped)?,
            Command::Board => output::print(&board(session.game()))?,
            Command::Help => output::print(COMMANDS)?,
            Command::Unknown(word) => {
                output::print(&format!("There is no command '{word}'; help lists all.\n"))?;
            }
        }
        if stopped() {
            return Ok(Status::Interrupted);
        }
    }
    if session.is_saved() && !session.game().is_over() {
        output::print("The game is saved; kalah play --resume goes on with it.\n")?;
    }
    Ok(Status::Done)
}

/// The board as it lies, the person's row below.
fn board<const P: usize>(game: &Game<P>) -> String {
    let view = game.view();
    let (own, other) = (Side::Person, Side::Computer);
    let board = Board::new(*view.row(own), view.store(own), *view.row(other), view.store(other));
    let board = board.expect("it has the stones of the opening");
    drawing(&board, ["computer", "you"])
}

fn sow<const P: usize>(session: &mut Session<P>, number: usize) -> Result<(), Failure> {
    let pit = Pit::from_number(number).map_err(|error| error.to_string());
    let made = pit.and_then(|pit| session.play(pit).map_err(|error| error.to_string()));
    match made {
        Ok(made) => {
            output::print(&format!("{}\n\n{}", words::announced(&made), board(session.game())))?;
            tell_end(session)
        }
        Err(reason) => output::print(&format!("{}.\n", crate::cli::wording::capitalised(&reason))),
    }
}

fn undo<const P: usize>(session: &mut Session<P>) -> Result<(), Failure> {
    match session.undo() {
        0 => output::print("You have not sown anything yet.\n"),
        taken => {
            let plural = if taken == 1 { "" } else { "s" };
            let text = format!("Took back {taken} move{plural}.\n\n{}", board(session.game()));
            output::print(&text)
        }
    }
}

fn evaluate<const P: usize>(
    session: &Session<P>,
    brain: &mut Brain<'_, P>,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<(), Failure> {
    if session.game().is_over() {
        return output::print("The game is over.\n");
    }
    output::print(&match brain.evaluate(session.game().board(), stopped) {
        Ok(values) => {
            let mut text = String::from("  pit  value\n");
            for value in &values {
                text += &format!("{:>5}  {:>5}\n", value.pit.number(), words::value(value.value));
            }
            text
        }
        Err(error) => format!("No values: {error}.\n"),
    })
}

/// Says how the game ended, once it has.
fn tell_end<const P: usize>(session: &Session<P>) -> Result<(), Failure> {
    let Some(ended) = words::ended(session) else { return Ok(()) };
    let record = words::record(session).map_or(String::new(), |record| record + "\n");
    output::print(&format!("{ended}\n{record}"))
}

fn tell_notices<const P: usize>(session: &mut Session<P>) {
    for notice in session.take_notices() {
        output::complain(&notice);
    }
}

/// A line of standard input; `None` at its end. What does not come from a terminal is shown as a
/// terminal would, so that a transcript reads as it was played.
fn read_line() -> Result<Option<String>, Failure> {
    let mut stdin = io::stdin().lock();
    let mut line = Vec::new();
    let cannot_read = |error: io::Error| {
        Failure::wrong_input(format!("cannot read standard input: {}", one_line(&error)))
    };
    (&mut stdin).take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(cannot_read)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
        stdin.skip_until(b'\n').map_err(cannot_read)?;
    }
    let line = String::from_utf8_lossy(&line).trim().to_owned();
    if !stdin.is_terminal() {
        let shown: String = line.chars().filter(|c| !c.is_control()).take(80).collect();
        output::print(&format!("{shown}\n"))?;
    }
    Ok(Some(line))
}
