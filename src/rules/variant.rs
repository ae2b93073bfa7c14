//! The rule sets.

use serde::{Deserialize, Serialize};

/// What a last stone in an own empty pit does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rules {
    /// It captures, with itself, the stones of the facing pit when there are any.
    #[default]
    Standard,
    /// It goes to the store even when the facing pit is empty.
    EmptyCapture,
}

impl Rules {
    /// Every rule set.
    pub const ALL: [Rules; 2] = [Rules::Standard, Rules::EmptyCapture];

    /// The name used on the command line, in JSON and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Rules::Standard => "standard",
            Rules::EmptyCapture => "empty-capture",
        }
    }
}

impl std::fmt::Display for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no rule set's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no rules are called '{name}'; there are standard and empty-capture", name = .0.escape_debug())]
pub struct UnknownRules(String);

impl std::str::FromStr for Rules {
    type Err = UnknownRules;

    fn from_str(name: &str) -> Result<Self, UnknownRules> {
        Rules::ALL
            .into_iter()
            .find(|rules| rules.name() == name)
            .ok_or_else(|| UnknownRules(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for rules in Rules::ALL {
            assert_eq!(rules.to_string().parse(), Ok(rules));
            assert_eq!(serde_json::to_value(rules).unwrap(), rules.name());
        }
        assert_eq!(
            "Kalah\n".parse::<Rules>().unwrap_err().to_string(),
            "no rules are called 'Kalah\\n'; there are standard and empty-capture"
        );
    }
}
