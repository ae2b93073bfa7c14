//! Right tables, for what is right and what is broken.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use kalah::rules::Rules;
use kalah::tables::build::{Options, build};
use kalah::tables::{BlockEntry, Encoding, Folder, LayerFile, LayerId};
use tempfile::TempDir;

/// Pits a side.
pub const PITS: usize = 2;
/// Stones of the layer that is broken.
pub const STONES: u8 = 4;

/// Folders of byte files and of compact files, standard rules.
static FOLDERS: LazyLock<[TempDir; 2]> = LazyLock::new(|| {
    Encoding::ALL.map(|encoding| {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            encoding: Some(encoding),
            ..Options::new(Rules::Standard, usize::from(STONES))
        };
        build::<PITS>(folder.path(), &options, &()).unwrap();
        folder
    })
});

/// A folder of right tables.
pub fn folder(encoding: Encoding) -> &'static Path {
    let place = Encoding::ALL.iter().position(|&other| other == encoding);
    FOLDERS[place.expect("one of all")].path()
}

/// A layer of them.
pub fn id(stones: u8) -> LayerId {
    LayerId { rules: Rules::Standard, pits: PITS as u8, stones }
}

/// The right file of a layer.
pub fn layer(encoding: Encoding, stones: u8) -> LayerFile {
    let folder = Folder::open_for_reading(folder(encoding)).unwrap();
    folder.open_layer(&id(stones)).unwrap().unwrap()
}

/// A new folder with the right layers below the one that is broken.
pub fn lower_layers(encoding: Encoding) -> TempDir {
    let new = tempfile::tempdir().unwrap();
    for stones in 0..STONES {
        let name = id(stones).file_name();
        fs::hard_link(folder(encoding).join(&name), new.path().join(&name)).unwrap();
    }
    new
}

/// Where a header's entries begin, and how long one is.
pub const ENTRIES: usize = 18;
/// Bytes of an entry.
pub const ENTRY: usize = 74;

/// The blocks as they are in a file, each after its number.
pub fn blocks(layer: &LayerFile) -> Vec<Vec<u8>> {
    let mut blocks: Vec<(u8, &BlockEntry)> = (0..).zip(layer.header().blocks()).collect();
    blocks.sort_by_key(|(_, entry)| entry.offset);
    blocks
        .into_iter()
        .filter(|(_, entry)| entry.length > 0)
        .map(|(number, entry)| {
            let bytes = &layer.bytes()[entry.offset as usize..][..entry.length as usize];
            [&[number], bytes].concat()
        })
        .collect()
}

/// Where blocks lie in a file, and what entries should say of them.
pub struct Placed {
    /// The file after its header.
    pub bytes: Vec<u8>,
    /// Blocks and their places and digests.
    pub entries: Vec<(u8, u64, u64, [u8; 32])>,
}

impl Placed {
    /// Blocks, each after its number, one after the other, each where one can begin.
    pub fn new<'a>(
        blocks: impl Iterator<Item = &'a [u8]>,
        before: usize,
        alignment: usize,
    ) -> Self {
        let mut placed = Placed { bytes: Vec::new(), entries: Vec::new() };
        for block in blocks {
            let Some((&number, block)) = block.split_first() else { continue };
            let at = placed.bytes.len().next_multiple_of(alignment);
            placed.bytes.resize(at, 0);
            placed.bytes.extend(block);
            let digest = *blake3::hash(block).as_bytes();
            placed.entries.push((number, (before + at) as u64, block.len() as u64, digest));
        }
        placed
    }

    /// Puts places and digests into the entries of a header, as far as is asked for.
    pub fn mend(
        &self,
        entry_of: impl Fn(u8) -> usize,
        header: &mut [u8],
        places: bool,
        digests: bool,
    ) {
        for (number, offset, length, digest) in &self.entries {
            let Some(entry) = header.get_mut(entry_of(*number)..) else { continue };
            let Some(entry) = entry.first_chunk_mut::<48>() else { continue };
            if places {
                entry[..8].copy_from_slice(&offset.to_le_bytes());
                entry[8..16].copy_from_slice(&length.to_le_bytes());
            }
            if digests {
                entry[16..].copy_from_slice(digest);
            }
        }
    }
}
