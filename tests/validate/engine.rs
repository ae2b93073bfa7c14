//! An engine that is wrong on purpose: over any streams, or as a program of its own.

use std::env;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::LazyLock;

use kalah::players::tables;
use kalah::protocol::{Command, Message};
use kalah::rules::{Board, Pit, Rules};
use kalah::tables::Tablebase;

/// How an engine is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Not at all.
    Right,
    /// Plays the worst pit at 12 stones.
    ErrsAtTwelve,
    /// Plays the worst pit that does not change who wins.
    KeepsOutcome,
    /// At 2 stones names a pit that is empty, at 3 stones often one that does not exist.
    Illegal,
    /// Does not answer on two boards.
    Sleeps,
    /// Ends on two boards.
    Dies,
    /// Says goodbye on two boards.
    Resigns,
    /// Ends before it says anything.
    Stillborn,
    /// Calls itself something that would be markup in a page, and says things that mean nothing.
    Markup,
}

pub const KINDS: [Kind; 9] = [
    Kind::Right,
    Kind::ErrsAtTwelve,
    Kind::KeepsOutcome,
    Kind::Illegal,
    Kind::Sleeps,
    Kind::Dies,
    Kind::Resigns,
    Kind::Stillborn,
    Kind::Markup,
];

/// What it calls itself when it is wrong in that way.
pub const MARKUP: &str = "<script>alert('x')</script>&<b>";

/// What an engine does on a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    /// Names this pit, which may be no pit at all.
    Name(i64),
    Nothing,
    End,
    Resign,
}

pub fn truth() -> &'static Tablebase<6> {
    static TABLES: LazyLock<Tablebase<6>> =
        LazyLock::new(|| tables::<6>(None, Rules::Standard).unwrap());
    &TABLES
}

/// The legal pits and their values.
pub fn values(board: &Board<6>) -> Vec<(Pit<6>, i16)> {
    let value = |pit| {
        let played = board.play(pit, Rules::Standard).unwrap();
        let value = truth().value(&played.board).expect("12 stones are the most");
        (pit, if played.extra_move { value } else { -value })
    };
    board.legal_pits().map(value).collect()
}

/// The two boards on which something happens, of those with three stones or fewer.
fn is_odd(board: &Board<6>) -> bool {
    let rows = (board.pits().mover(), board.pits().opponent());
    matches!(
        rows,
        ([1, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0]) | ([0, 2, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0])
    )
}

impl Kind {
    /// What such an engine does.
    pub fn deed(self, board: &Board<6>) -> Deed {
        let stones = board.pits().stones();
        let values = values(board);
        let best = *values.iter().max_by_key(|&&(_, value)| value).unwrap();
        let lowest = |of: &mut dyn Iterator<Item = &(Pit<6>, i16)>| {
            Deed::Name(of.min_by_key(|&&(_, value)| value).unwrap().0.number().into())
        };
        match self {
            Kind::ErrsAtTwelve if stones == 12 => lowest(&mut values.iter()),
            Kind::KeepsOutcome => {
                lowest(&mut values.iter().filter(|(_, value)| value.signum() == best.1.signum()))
            }
            Kind::Illegal if stones == 2 => {
                let empty = Pit::<6>::all().find(|pit| board.pits().mover()[pit.index()] == 0);
                Deed::Name(empty.unwrap().number().into())
            }
            Kind::Illegal if stones == 3 && board.pits().mover()[5] == 0 => Deed::Name(-7),
            Kind::Sleeps if is_odd(board) => Deed::Nothing,
            Kind::Dies if is_odd(board) => Deed::End,
            Kind::Resigns if is_odd(board) => Deed::Resign,
            _ => Deed::Name(best.0.number().into()),
        }
    }

    /// Talks as a client of the protocol until the server says goodbye or hangs up.
    pub fn talk(self, reader: impl Read, mut writer: impl Write) -> io::Result<()> {
        if self == Kind::Markup {
            write!(writer, "set info:name \"{MARKUP}\"\r\n\"\r\n5@77 move 1\r\nstate\r\n")?;
        }
        write!(writer, "mode freeplay\r\n")?;
        writer.flush()?;
        for line in BufReader::new(reader).lines() {
            let message: Message =
                line?.parse().expect("our server writes lines that mean something");
            let id = message.id.unwrap_or_default();
            match Command::of(&message).expect("our server writes commands") {
                Command::State(literal) => {
                    let board = literal.board().expect("the server asks for 6 pits");
                    match self.deed(&board) {
                        Deed::Name(pit) => write!(writer, "@{id} move {pit}\r\n@{id} yield\r\n")?,
                        Deed::Nothing => {}
                        Deed::End => return Ok(()),
                        Deed::Resign => write!(writer, "goodbye\r\n")?,
                    }
                }
                Command::Ping(_) => write!(writer, "@{id} pong\r\n")?,
                Command::Goodbye => return Ok(()),
                _ => {}
            }
            writer.flush()?;
        }
        Ok(())
    }

    /// The command that starts such an engine: this very program, with its tests left alone. The
    /// harness talks on standard output, so that the protocol is moved out of its way.
    pub fn command(self) -> String {
        let program = env::current_exe().unwrap();
        format!(
            "sh -c 'exec 3>&1 >/dev/null; KALAH_TEST_ENGINE={self:?} exec \"$0\" \
             engine::as_a_program --exact --ignored' '{}'",
            program.display()
        )
    }
}

#[test]
#[ignore = "the engine that other tests start"]
fn as_a_program() {
    let Ok(name) = env::var("KALAH_TEST_ENGINE") else { return };
    let kind = KINDS.into_iter().find(|kind| format!("{kind:?}") == name).expect("a kind");
    if kind == Kind::Stillborn {
        std::process::exit(7);
    }
    let writer = File::options().write(true).open("/dev/fd/3").unwrap();
    // Nobody hears of an error: the server has gone.
    let _ = kind.talk(io::stdin(), writer);
    std::process::exit(if kind == Kind::Dies { 3 } else { 0 });
}
