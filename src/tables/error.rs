//! What can be wrong with tables.

use std::{io, path::PathBuf};

use indicatif::BinaryBytes;

use super::LayerId;
use crate::compact::Damage;
use crate::files::Refused;

/// How the message of an error ends that [`TableError::is_damage`].
const MAKE_ANEW: &str = "; delete the file and run `kalah generate` again";

/// What is wrong with a table, its file or its folder. Every message is one line that names the
/// file and says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The system refused to read, write, lock, map, sync, rename or list.
    #[error(transparent)]
    Io(#[from] Refused),
    /// The file system has no room for the file.
    #[error(
        "no room for {}: it needs {needed} bytes and {free} are free; free some or choose another \
         folder with --tables DIR",
        file.display()
    )]
    NoSpace {
        /// The file that was to be written.
        file: PathBuf,
        /// How many bytes the file has.
        needed: u64,
        /// How many bytes the file system has left.
        free: u64,
    },
    /// A limit on the size of files, the system's or the user's, forbids the file.
    #[error(
        "{} needs {needed} bytes, more than a file may have here; raise the limit (`ulimit -f \
         unlimited`) or choose another folder with --tables DIR",
        file.display()
    )]
    FileSizeLimit {
        /// The file that was to be written.
        file: PathBuf,
        /// How many bytes the file has.
        needed: u64,
    },
    /// The folder is not there, and reading does not make it.
    #[error(
        "there is no folder {}; `kalah generate --stones N` makes tables, --tables DIR chooses \
         another folder",
        folder.display()
    )]
    MissingFolder {
        /// The folder that was to be read.
        folder: PathBuf,
    },
    /// What should be a folder is a file.
    #[error(
        "{} is not a folder; choose one with --tables DIR or move the file away",
        folder.display()
    )]
    NotAFolder {
        /// The path that was given for a folder.
        folder: PathBuf,
    },
    /// The folder may not be written.
    #[error(
        "no permission to write in {} ({error}); change that or choose another folder with \
         --tables DIR",
        folder.display()
    )]
    FolderNotWritable {
        /// The folder that was to be written.
        folder: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
    /// What should be the file that writers lock is a pipe, a folder or the like.
    #[error("{} should be a file, for writers to lock, and is none; move it away", file.display())]
    NotALockFile {
        /// The path of the file to lock.
        file: PathBuf,
    },
    /// A layer was to be written to a folder that was opened for reading.
    #[error("{} was opened for reading only; open it for writing", folder.display())]
    OpenedForReading {
        /// The folder.
        folder: PathBuf,
    },
    /// There are no tables of so many pits or stones.
    #[error("there is no table of {id} for {}: tables have 1 to 6 pits a side and at most 127 stones", folder.display())]
    NoSuchLayer {
        /// The folder in which the table was to be.
        folder: PathBuf,
        /// The layer that was asked for.
        id: LayerId,
    },
    /// The writer of a layer was closed before each of its blocks was written.
    #[error("{} lacks block {block}: every block must be written before the file is closed", file.display())]
    Incomplete {
        /// The file that was to be written.
        file: PathBuf,
        /// The first block that is missing, by the mover's stones.
        block: usize,
    },
    /// The file does not begin as a table does.
    #[error("{} is not a Kalah table; delete it or move it away", file.display())]
    NotATable {
        /// The file.
        file: PathBuf,
    },
    /// The file is of a version of the format that this program does not know.
    #[error(
        "{} is of format version {version} and this program reads version {known}; use a {} \
         program, or delete the file and run `kalah generate` again",
        file.display(),
        if version > known { "newer" } else { "suitable" }
    )]
    OtherVersion {
        /// The file.
        file: PathBuf,
        /// The file's version.
        version: u32,
        /// The version this program reads.
        known: u32,
    },
    /// The values are written in a way that this program does not know.
    #[error(
        "{} has values in encoding {encoding}, unknown to this program; use a newer program, or \
         delete the file and run `kalah generate` again",
        file.display()
    )]
    UnknownEncoding {
        /// The file.
        file: PathBuf,
        /// The number of the encoding.
        encoding: u32,
    },
    /// The header is not what its own checksum says.
    #[error(
        "the header of {} is damaged{MAKE_ANEW}",
        file.display()
    )]
    HeaderChecksum {
        /// The file.
        file: PathBuf,
    },
    /// The header says what no header of a table can say.
    #[error(
        "the header of {} is wrong: {reason}{MAKE_ANEW}",
        file.display()
    )]
    MalformedHeader {
        /// The file.
        file: PathBuf,
        /// What it says and should not.
        reason: String,
    },
    /// The file is shorter than the layer it holds.
    #[error(
        "{} is cut off: it has {actual} bytes instead of {expected}{MAKE_ANEW}",
        file.display()
    )]
    Truncated {
        /// The file.
        file: PathBuf,
        /// How many bytes it should have, at least.
        expected: u64,
        /// How many bytes it has.
        actual: u64,
    },
    /// The file is longer than the layer it holds.
    #[error(
        "{} has {actual} bytes instead of {expected}{MAKE_ANEW}",
        file.display()
    )]
    TrailingBytes {
        /// The file.
        file: PathBuf,
        /// How many bytes it should have.
        expected: u64,
        /// How many bytes it has.
        actual: u64,
    },
    /// What there is of a layer that was begun is not what its journal says.
    #[error(
        "what {} holds of the layer is damaged{MAKE_ANEW}",
        file.display()
    )]
    PartialDamaged {
        /// The file.
        file: PathBuf,
    },
    /// The file of a layer that was kept or built is not there any more when the build ends.
    #[error(
        "{} was removed while tables were built; run `kalah generate` again",
        file.display()
    )]
    Removed {
        /// The file.
        file: PathBuf,
    },
    /// The file holds another layer than its name says.
    #[error(
        "{} holds {found}, which its name does not say; rename it to {} or delete it and run \
         `kalah generate` again",
        file.display(),
        found.file_name()
    )]
    WrongLayer {
        /// The file.
        file: PathBuf,
        /// The layer it holds.
        found: LayerId,
    },
    /// The file has more bytes than this machine can map.
    #[error("{} has {length} bytes, more than this machine can map", file.display())]
    TooLargeToMap {
        /// The file.
        file: PathBuf,
        /// How many bytes it has.
        length: u64,
    },
    /// The bytes of a block are not what its checksum says.
    #[error(
        "block {block} of {} is damaged{MAKE_ANEW}",
        file.display()
    )]
    BlockChecksum {
        /// The file.
        file: PathBuf,
        /// The block, by the mover's stones.
        block: usize,
    },
    /// A block of a compact file is not one that was encoded.
    #[error(
        "block {block} of {} is damaged, {damage}{MAKE_ANEW}",
        file.display()
    )]
    Undecodable {
        /// The file.
        file: PathBuf,
        /// The block, by the mover's stones.
        block: usize,
        /// How it is seen.
        damage: Damage,
    },
    /// A value is not what the ending sweep gives in a block in which a row is empty.
    #[error(
        "block {block} of {} holds a share of {share} stones where a row is empty and the mover \
         gets {right}{MAKE_ANEW}",
        file.display()
    )]
    NotSwept {
        /// The file.
        file: PathBuf,
        /// The block, by the mover's stones.
        block: usize,
        /// The byte.
        share: u8,
        /// What it should be.
        right: u8,
    },
    /// The memory that is free, or allowed, is too little to check tables.
    #[error(
        "checking the tables in {} takes at least {needed} bytes of memory ({}), and {free} are \
         free or allowed ({}); free or allow more, or use fewer threads",
        folder.display(), BinaryBytes(*needed), BinaryBytes(*free)
    )]
    NoMemoryToCheck {
        /// The folder.
        folder: PathBuf,
        /// Bytes needed.
        needed: u64,
        /// Bytes there are.
        free: u64,
    },
    /// The memory for a whole block, or the addresses for one, are not to be had.
    #[error(
        "the system gave no {bytes} bytes of memory for a block of {}; free some, or allow more \
         (`ulimit -v unlimited`)",
        file.display()
    )]
    OutOfMemory {
        /// The file.
        file: PathBuf,
        /// Bytes of the block.
        bytes: usize,
    },
    /// The header's statistics of a block are not those of its bytes.
    #[error(
        "the statistics of block {block} of {} are wrong{MAKE_ANEW}",
        file.display()
    )]
    WrongStatistics {
        /// The file.
        file: PathBuf,
        /// The block, by the mover's stones.
        block: usize,
    },
    /// A byte that belongs neither to the header nor to a block is not zero.
    #[error(
        "byte {offset} of {}, between blocks, is not zero{MAKE_ANEW}",
        file.display()
    )]
    Padding {
        /// The file.
        file: PathBuf,
        /// The byte, counted from 0.
        offset: u64,
    },
    /// A byte stands for more stones than there are.
    #[error(
        "block {block} of {} holds a share of {share} stones where {stones} is the most{MAKE_ANEW}",
        file.display()
    )]
    ImpossibleShare {
        /// The file.
        file: PathBuf,
        /// The block, by the mover's stones.
        block: usize,
        /// The byte.
        share: u8,
        /// Stones in the pits.
        stones: usize,
    },
}

impl TableError {
    /// Whether a table of ours is damaged, so that nothing is lost when it is made anew.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            TableError::HeaderChecksum { .. }
                | TableError::MalformedHeader { .. }
                | TableError::Truncated { .. }
                | TableError::TrailingBytes { .. }
                | TableError::BlockChecksum { .. }
                | TableError::Undecodable { .. }
                | TableError::NotSwept { .. }
                | TableError::WrongStatistics { .. }
                | TableError::Padding { .. }
                | TableError::ImpossibleShare { .. }
                | TableError::PartialDamaged { .. }
        )
    }

    /// Whether memory is short, which says nothing about the table.
    pub fn is_lack_of_memory(&self) -> bool {
        match self {
            TableError::OutOfMemory { .. } | TableError::NoMemoryToCheck { .. } => true,
            TableError::Io(refused) => refused.error.kind() == io::ErrorKind::OutOfMemory,
            _ => false,
        }
    }

    /// What is wrong, without the advice to make the file anew: for those who are about to.
    pub fn without_advice(&self) -> String {
        let text = self.to_string();
        text.strip_suffix(MAKE_ANEW).map_or_else(|| text.clone(), str::to_owned)
    }
}
