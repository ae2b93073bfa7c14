//! What a line means.

use std::fmt;

use super::setting::word;
use super::{Argument, BoardLiteral, Message, Name, Setting, Text};

/// The version that is spoken here: the last of 1.0, which has no other activity than freeplay that
/// a server must know.
pub const VERSION: Version = Version { major: 1, minor: 0, patch: 1 };

/// A version of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// Others do not understand each other.
    pub major: u64,
    /// Counts additions.
    pub minor: u64,
    /// Counts small changes.
    pub patch: u64,
}

/// A command of the freeplay activity, or one that is not known.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// `kgp 1 0 1`, the first word of every server.
    Kgp(Version),
    /// `mode freeplay`: the activity that a client asks for.
    Mode(String),
    /// `state <board>`: what would the client sow here, as south?
    State(BoardLiteral),
    /// `move 3`: this pit, counted from 1 from south's left; perhaps a better one follows. Any
    /// number here: whether it is a pit's depends on the state.
    Move(i64),
    /// `yield`: nothing better follows.
    Yield,
    /// `stop`: nothing better is waited for.
    Stop,
    /// `ping`: are you there? With whatever is to come back.
    Ping(Option<Argument>),
    /// `pong`: yes.
    Pong(Option<Argument>),
    /// `set option value`: a hint.
    Set(Setting),
    /// `ok "text"`.
    Ok(String),
    /// `error "text"`.
    Error(String),
    /// `goodbye`: nothing follows.
    Goodbye,
    /// A command of another activity or a later version.
    Other(Name, Vec<Argument>),
}

/// Why a command cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The arguments are too few, too many or of the wrong kind.
    #[error("{name} is written '{form}'")]
    Arguments {
        /// The command.
        name: &'static str,
        /// How it is written.
        form: &'static str,
    },
    /// A known option has an impossible value.
    #[error("the option {option} wants {wants}")]
    Setting {
        /// The option.
        option: String,
        /// What it wants.
        wants: &'static str,
    },
}

impl CommandError {
    /// The arguments of this command are wrong.
    pub(super) fn of(name: &'static str) -> Self {
        let form = match name {
            "kgp" => "kgp major minor patch",
            "mode" => "mode activity",
            "state" => "state <board>",
            "move" => "move pit",
            _ => "set option value",
        };
        CommandError::Arguments { name, form }
    }
}

impl Command {
    /// What a message means.
    ///
    /// # Errors
    ///
    /// [`CommandError`] when a known command has wrong arguments.
    pub fn of(message: &Message) -> Result<Self, CommandError> {
        let arguments = message.arguments.as_slice();
        let text = || arguments.first().map(Argument::to_text).unwrap_or_default();
        Ok(match (message.name.as_str(), arguments) {
            ("kgp", arguments) => Command::Kgp(version(arguments)?),
            ("mode", [activity]) => Command::Mode(activity.to_text()),
            ("mode", _) => return Err(CommandError::of("mode")),
            ("state", [Argument::Board(board)]) => Command::State(board.clone()),
            ("state", _) => return Err(CommandError::of("state")),
            ("move", [Argument::Integer(pit)]) => Command::Move(*pit),
            ("move", _) => return Err(CommandError::of("move")),
            ("yield", _) => Command::Yield,
            ("stop", _) => Command::Stop,
            ("ping", _) => Command::Ping(arguments.first().cloned()),
            ("pong", _) => Command::Pong(arguments.first().cloned()),
            ("set", arguments) => Command::Set(Setting::of(arguments)?),
            ("ok", _) => Command::Ok(text()),
            ("error", _) => Command::Error(text()),
            ("goodbye", _) => Command::Goodbye,
            _ => Command::Other(message.name.clone(), message.arguments.clone()),
        })
    }

    /// The command as a message without id, about the command with the id `reference`.
    pub fn answering(&self, reference: Option<u64>) -> Message {
        let text = |text: &str| vec![Argument::Text(Text::new(text))];
        let (name, arguments) = match self {
            Command::Kgp(version) => ("kgp", version.arguments()),
            Command::Mode(activity) => ("mode", vec![word(activity)]),
            Command::State(board) => ("state", vec![Argument::Board(board.clone())]),
            Command::Move(pit) => ("move", vec![Argument::Integer(*pit)]),
            Command::Yield => ("yield", vec![]),
            Command::Stop => ("stop", vec![]),
            Command::Ping(argument) => ("ping", argument.iter().cloned().collect()),
            Command::Pong(argument) => ("pong", argument.iter().cloned().collect()),
            Command::Set(setting) => ("set", setting.arguments()),
            Command::Ok(reason) => ("ok", text(reason)),
            Command::Error(reason) => ("error", text(reason)),
            Command::Goodbye => ("goodbye", vec![]),
            Command::Other(name, arguments) => {
                let (name, arguments) = (name.clone(), arguments.clone());
                return Message { id: None, reference, name, arguments };
            }
        };
        let name = Name::new(name).expect("these names have letters only");
        Message { id: None, reference, name, arguments }
    }
}

impl Version {
    fn arguments(self) -> Vec<Argument> {
        let number = |number: u64| Argument::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        [self.major, self.minor, self.patch].map(number).to_vec()
    }
}

fn version(arguments: &[Argument]) -> Result<Version, CommandError> {
    let number = |argument: &Argument| match argument {
        Argument::Integer(number) => u64::try_from(*number).ok(),
        _ => None,
    };
    let version = match arguments {
        [major, minor, patch] => number(major).zip(number(minor)).zip(number(patch)),
        _ => None,
    };
    let ((major, minor), patch) = version.ok_or_else(|| CommandError::of("kgp"))?;
    Ok(Version { major, minor, patch })
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
