//! The folder that a web server serves.

use std::io::Write;
use std::path::Path;

use super::{Contents, EncodeError, encode};
use crate::files::{Refused, ReplaceError, make_folder, replace};
use crate::tables::Tablebase;

/// The reader in JavaScript, its types, and what is in the file.
const READER: [(&str, &str); 3] = [
    ("kalah.js", include_str!("assets/kalah.js")),
    ("kalah.d.ts", include_str!("assets/kalah.d.ts")),
    ("FORMAT.md", include_str!("assets/FORMAT.md")),
];
/// The example page, with a place for the name of the table.
const PAGE: (&str, &str) = ("index.html", include_str!("assets/index.html"));
const PLACE: &str = "{{table}}";

/// Why the folder is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is no table to write.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The folder cannot be made.
    #[error(transparent)]
    Folder(Refused),
    /// A file cannot be written. Those before it are there.
    #[error(transparent)]
    File(#[from] ReplaceError),
}

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// The name of the table's file.
    pub table: String,
    /// The bytes of the table.
    pub bytes: u64,
    /// The positions of the table.
    pub positions: u64,
}

/// Writes a [table](encode), its reader and an example page to a folder, which is made when it is
/// not there. Each file is replaced as a whole, the page, which needs the others, last.
///
/// # Errors
///
/// [`ExportError`].
pub fn export<const P: usize>(
    tables: &Tablebase<P>,
    stones: usize,
    folder: &Path,
) -> Result<Exported, ExportError> {
    let bytes = encode(tables, stones)?;
    // Both fit a byte: there is such a table.
    let contents = Contents { rules: tables.rules(), pits: P as u8, stones: stones as u8 };
    let table = contents.file_name();
    make_folder(folder).map_err(ExportError::Folder)?;
    let put = |name: &str, bytes: &[u8]| {
        replace(&folder.join(name), |mut file| file.write_all(bytes).map(Some))
    };
    put(&table, &bytes)?;
    for (name, text) in READER {
        put(name, text.as_bytes())?;
    }
    put(PAGE.0, PAGE.1.replace(PLACE, &table).as_bytes())?;
    let positions = tables.layers()[..=stones].iter().map(|layer| layer.header().positions());
    Ok(Exported { table, bytes: bytes.len() as u64, positions: positions.sum() })
}
