//! Hints that the two sides give each other with `set`.

use std::time::Duration;

use super::command::CommandError;
use super::{Argument, Text, Word, excerpt};

/// A `set` command: an option and its value.
///
/// The options that the protocol describes have a case each; others are carried as they are.
#[derive(Clone, PartialEq, Debug)]
pub enum Setting {
    /// `info:name`: the name of client or server.
    Name(String),
    /// `info:authors`.
    Authors(String),
    /// `info:description`: how it works.
    Description(String),
    /// `info:comment`: on the state of the game and the move.
    Comment(String),
    /// `time:mode`.
    TimeMode(TimeMode),
    /// `time:clock`: what is left to the client, in whole seconds.
    Clock(Duration),
    /// `time:opclock`: what is left to its opponent, in whole seconds.
    OpponentClock(Duration),
    /// `auth:token`: what the client is known by from one connection to the next.
    Token(String),
    /// `auth:forget`: asks the server to forget the client known by a token.
    Forget(String),
    /// `game:id`: the game that the states that follow are of.
    GameId(String),
    /// `game:uri`: where there is more about the game.
    GameUri(String),
    /// `game:opponent`: whom it is against.
    GameOpponent(String),
    /// An option that the protocol may get one day, with all its values.
    Other(String, Vec<Argument>),
}

/// What the clock means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum TimeMode {
    /// Nobody counts.
    #[default]
    None,
    /// The clock is for all states together.
    Absolute,
    /// The clock is for every state anew.
    Relative,
}

/// What a server said about time, which holds for the states that follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Clock {
    /// What the two times mean.
    pub mode: TimeMode,
    /// What is left to the client.
    pub left: Option<Duration>,
    /// What is left to its opponent.
    pub opponent: Option<Duration>,
}

impl Clock {
    /// Takes note of a setting, if it is about time.
    pub fn set(&mut self, setting: &Setting) {
        match *setting {
            Setting::TimeMode(mode) => self.mode = mode,
            Setting::Clock(left) => self.left = Some(left),
            Setting::OpponentClock(left) => self.opponent = Some(left),
            _ => {}
        }
    }
}

impl Setting {
    /// Reads the arguments of a `set` command.
    pub(super) fn of(arguments: &[Argument]) -> Result<Self, CommandError> {
        let [option, values @ ..] = arguments else { return Err(CommandError::of("set")) };
        let option = option.to_text();
        let text = || match values {
            [value] => Ok(value.to_text()),
            _ => Err(CommandError::Setting { option: excerpt(&option), wants: "a string" }),
        };
        Ok(match option.as_str() {
            "info:name" => Setting::Name(text()?),
            "info:authors" => Setting::Authors(text()?),
            "info:description" => Setting::Description(text()?),
            "info:comment" => Setting::Comment(text()?),
            "auth:token" => Setting::Token(text()?),
            "auth:forget" => Setting::Forget(text()?),
            "game:id" => Setting::GameId(text()?),
            "game:uri" => Setting::GameUri(text()?),
            "game:opponent" => Setting::GameOpponent(text()?),
            "time:mode" => Setting::TimeMode(mode(&text()?)?),
            "time:clock" => Setting::Clock(seconds(&option, values)?),
            "time:opclock" => Setting::OpponentClock(seconds(&option, values)?),
            _ => Setting::Other(option, values.to_vec()),
        })
    }

    /// The arguments of the `set` command.
    pub(super) fn arguments(&self) -> Vec<Argument> {
        let text = |text: &str| Argument::Text(Text::new(text));
        let seconds =
            |time: &Duration| Argument::Integer(i64::try_from(time.as_secs()).unwrap_or(i64::MAX));
        let (option, value) = match self {
            Setting::Name(name) => ("info:name", text(name)),
            Setting::Authors(authors) => ("info:authors", text(authors)),
            Setting::Description(description) => ("info:description", text(description)),
            Setting::Comment(comment) => ("info:comment", text(comment)),
            Setting::Token(token) => ("auth:token", text(token)),
            Setting::Forget(token) => ("auth:forget", text(token)),
            Setting::GameId(id) => ("game:id", text(id)),
            Setting::GameUri(uri) => ("game:uri", text(uri)),
            Setting::GameOpponent(name) => ("game:opponent", text(name)),
            Setting::TimeMode(mode) => ("time:mode", word(mode.word())),
            Setting::Clock(left) => ("time:clock", seconds(left)),
            Setting::OpponentClock(left) => ("time:opclock", seconds(left)),
            Setting::Other(option, values) => {
                return std::iter::once(word(option)).chain(values.iter().cloned()).collect();
            }
        };
        vec![word(option), value]
    }
}

/// The text as a word, or in quotes when it is none.
pub(super) fn word(text: &str) -> Argument {
    Word::new(text).map_or_else(|| Argument::Text(Text::new(text)), Argument::Word)
}

impl TimeMode {
    fn word(self) -> &'static str {
        match self {
            TimeMode::None => "none",
            TimeMode::Absolute => "absolute",
            TimeMode::Relative => "relative",
        }
    }
}

fn mode(word: &str) -> Result<TimeMode, CommandError> {
    let known = [TimeMode::None, TimeMode::Absolute, TimeMode::Relative];
    known.into_iter().find(|mode| mode.word() == word).ok_or(CommandError::Setting {
        option: "time:mode".to_owned(),
        wants: "none, absolute or relative",
    })
}

/// A number of seconds; a clock that ran past its end has none left.
fn seconds(option: &str, values: &[Argument]) -> Result<Duration, CommandError> {
    match values {
        [Argument::Integer(seconds)] => {
            Ok(Duration::from_secs(u64::try_from(*seconds).unwrap_or(0)))
        }
        _ => Err(CommandError::Setting {
            option: option.to_owned(),
            wants: "a whole number of seconds",
        }),
    }
}
