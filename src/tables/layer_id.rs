//! Which layer a file holds, and what the file is called.

use std::fmt;

use crate::rules::Rules;

/// One layer: the rules, the pits a side and the stones in all pits.
///
/// ```
/// use kalah::{rules::Rules, tables::LayerId};
///
/// let id = LayerId { rules: Rules::Standard, pits: 6, stones: 24 };
/// assert_eq!(id.file_name(), "standard-6pits-24stones.kalah");
/// assert_eq!(LayerId::from_file_name("standard-6pits-24stones.kalah"), Some(id));
/// assert_eq!(LayerId::from_file_name("standard-6pits-024stones.kalah"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LayerId {
    /// The rules the values are computed by.
    pub rules: Rules,
    /// Pits a side.
    pub pits: u8,
    /// Stones in the pits of each position.
    pub stones: u8,
}

impl LayerId {
    /// The name of the layer's file within its folder.
    pub fn file_name(&self) -> String {
        let LayerId { rules, pits, stones } = self;
        format!("{rules}-{pits}pits-{stones:02}stones.kalah")
    }

    /// The layer whose file has this name; `None` for any name that [`LayerId::file_name`] does
    /// not give.
    pub fn from_file_name(name: &str) -> Option<Self> {
        let rest = name.strip_suffix("stones.kalah")?;
        let (rest, stones) = rest.rsplit_once("pits-")?;
        let (rules, pits) = rest.rsplit_once('-')?;
        let id = LayerId {
            rules: rules.parse().ok()?,
            pits: pits.parse().ok()?,
            stones: stones.parse().ok()?,
        };
        // Numbers can be written in more than one way; only one of them is the layer's file.
        (id.file_name() == name).then_some(id)
    }
}

impl fmt::Display for LayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LayerId { rules, pits, stones } = self;
        write!(f, "{stones} stones in {pits} pits a side, {rules} rules")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for rules in Rules::ALL {
            for pits in 0..=255 {
                for stones in [0, 9, 10, 48, 99, 100, 127, 255] {
                    let id = LayerId { rules, pits, stones };
                    assert_eq!(LayerId::from_file_name(&id.file_name()), Some(id));
                }
            }
        }
    }

    #[test]
    fn other_names_are_no_layer() {
        for name in [
            "",
            "standard-6pits-4stones.kalah",
            "standard-6pits-+4stones.kalah",
            "standard-06pits-04stones.kalah",
            "standard-6pits-256stones.kalah",
            "Standard-6pits-04stones.kalah",
            "other-6pits-04stones.kalah",
            "standard-6pits-04stones.kalah.tmp-1",
            ".standard-6pits-04stones.kalah",
        ] {
            assert_eq!(LayerId::from_file_name(name), None, "{name}");
        }
    }
}
