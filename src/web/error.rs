//! What can be wrong with tables for pages, and with those they are made from.

use crate::tables::TableError;

/// Why no table for a page is made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The tables end below the stones asked for.
    #[error(
        "the tables {}; `kalah generate --stones {wanted}` makes more",
        match reach {
            Some(reach) => format!("reach {reach} stones, not {wanted}"),
            None => "have no layer".to_owned(),
        }
    )]
    TablesEnd {
        /// The most stones that were to be in the pits.
        wanted: usize,
        /// The most stones that the tables have.
        reach: Option<usize>,
    },
    /// A page would have to load more than [`MAX_POSITIONS`](super::MAX_POSITIONS).
    #[error(
        "a table of {stones} stones is too large for a page; with {pits} pits a side it has at most \
         {most} stones"
    )]
    TooLarge {
        /// Pits a side.
        pits: usize,
        /// The stones asked for.
        stones: usize,
        /// The most stones that would do.
        most: usize,
    },
    /// A layer cannot be trusted.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A value that the rules exclude: every checksum holds, but the tables were computed wrongly.
    #[error(
        "the tables are wrong: by the rules the value of {position} is another; `kalah verify \
         --full` tells more"
    )]
    Impossible {
        /// The pits of the position, the mover's first.
        position: String,
    },
}

/// Why bytes are no table for a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes do not begin as a table for a page does.
    #[error("this is not a Kalah table for a web page")]
    NotATable,
    /// The version of the format is another.
    #[error("this table is of format version {version}, and this reader reads version 1")]
    OtherVersion {
        /// The version.
        version: u8,
    },
    /// There are fewer or more bytes than the header says.
    #[error("this table has {found} bytes and should have {expected}: it was cut or added to")]
    WrongLength {
        /// The bytes that are there.
        found: usize,
        /// The bytes that should be there.
        expected: usize,
    },
    /// The checksum does not match.
    #[error("this table is damaged: its checksum is {found:08x} and should be {expected:08x}")]
    WrongChecksum {
        /// The checksum of the bytes.
        found: u32,
        /// The checksum that is in the file.
        expected: u32,
    },
    /// The rules, the pits or the stones are none that there are tables of.
    #[error(
        "there is no table with rules {rules}, {pits} pits and {stones} stones: rules are 0 or 1, \
         pits 1 to 6, stones no more than a page can load"
    )]
    NoSuchTable {
        /// The number of the rules.
        rules: u8,
        /// Pits a side.
        pits: u8,
        /// The most stones in the pits.
        stones: u8,
    },
    /// The table is for boards of another size.
    #[error("this table is for {found} pits a side, not {wanted}")]
    OtherPits {
        /// The table's pits a side.
        found: u8,
        /// Those of the boards that were to be looked up.
        wanted: usize,
    },
    /// The checksum holds, but no writer wrote such a code.
    #[error("this table is wrong: its code does not end where the values end")]
    WrongCode,
}
