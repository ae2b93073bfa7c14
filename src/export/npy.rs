//! Arrays that Python reads with numpy alone.
//!
//! A folder gets a file for each layer, named like the layer's table but with the ending `.npy`
//! (`standard-6pits-12stones.npy`), and [`kalah_npy.py`](READER), a module that looks positions up
//! in them. Layers of other rules, pits and stones may share the folder.
//!
//! # The layout
//!
//! A file is an array of one dimension and type `int8` (numpy's format, version 1.0): the margin of
//! every position of the layer, that is what the mover still gets minus what the opponent still
//! gets when both play perfectly. Finished games are there too. The margin of a position stands at
//! its index in the [layer](crate::ranking::Layer): with `n` stones in the pits, `a` of them in the
//! mover's row, and `R(s)` for the [number of rows](crate::ranking::row_count) of `s` stones,
//!
//! ```text
//! index = start(a) + rank(mover) * R(n - a) + rank(opponent)
//! start(a) = R(0) R(n) + R(1) R(n - 1) + .. + R(a - 1) R(n - a + 1)
//! ```
//!
//! where a row's [rank](crate::ranking::rank_row) is its place among the rows of as many stones in
//! lexicographic order. From index to index nothing is left out, so that a layer can be gone
//! through, or drawn from, by counting.
//!
//! There is one file a layer and not one a block, as then a single `numpy` look-up serves any
//! positions of the layer; and margins, not shares, as they are what is trained and asked for.
//! numpy maps such files into memory: of a layer larger than memory only what is looked at is read.

use std::{
    io::{BufWriter, Write},
    path::Path,
};

use super::{ExportError, Progress, check_reach, replace_by};
use crate::{
    files::{make_folder, replace},
    tables::{LayerFile, LayerId, Order, TableError, Tablebase},
};

/// The module for Python, which is written beside the arrays: it ranks and unranks positions,
/// looks up arrays of them, goes through layers in batches and draws samples.
pub const READER: &str = include_str!("kalah_npy.py");

/// The name of the file of [`READER`].
pub const READER_NAME: &str = "kalah_npy.py";

/// Values that are converted between two looks at whether to stop.
const CHUNK: usize = 1 << 20;

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// How many layers.
    pub layers: usize,
    /// How many positions they have.
    pub positions: u64,
    /// The bytes of all files.
    pub bytes: u64,
}

/// The name of the file of a layer.
///
/// ```
/// use kalah::{export::npy, rules::Rules, tables::LayerId};
///
/// let id = LayerId { rules: Rules::Standard, pits: 6, stones: 4 };
/// assert_eq!(npy::file_name(&id), "standard-6pits-04stones.npy");
/// ```
pub fn file_name(id: &LayerId) -> String {
    Path::new(&id.file_name()).with_extension("npy").display().to_string()
}

/// Writes the layers of up to `stones` stones and the module that reads them to a folder, which is
/// made when it is not there. Other files in it are left alone. Blocks are held against their
/// checksums on the way. `None` when it was stopped: then the layers before are there.
///
/// # Errors
///
/// [`ExportError`]; the files that were finished before are there.
pub fn write<const P: usize>(
    tables: &Tablebase<P>,
    stones: usize,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Option<Written>, ExportError> {
    check_reach(tables, stones)?;
    make_folder(folder)?;
    replace(&folder.join(READER_NAME), |mut file| file.write_all(READER.as_bytes()).map(Some))?;
    let mut written = Written { layers: 0, positions: 0, bytes: READER.len() as u64 };
    for layer in &tables.layers()[..=stones] {
        let file = folder.join(file_name(&layer.id()));
        let bytes = replace_by(&file, |file| {
            write_layer(layer, BufWriter::with_capacity(CHUNK, file), progress)
        })?;
        let Some(bytes) = bytes else { return Ok(None) };
        written.layers += 1;
        written.positions += layer.header().positions();
        written.bytes += bytes;
    }
    Ok(Some(written))
}

/// Writes the array of a layer. How many bytes that is; `None` when it was stopped.
fn write_layer(
    layer: &LayerFile,
    mut out: impl Write,
    progress: &dyn Progress,
) -> Result<Option<u64>, ExportError> {
    let header = header(layer.header().positions());
    out.write_all(&header)?;
    for mover in 0..=usize::from(layer.id().stones) {
        if !write_block(layer, mover, &mut out, progress)? {
            return Ok(None);
        }
    }
    out.flush()?;
    Ok(Some(header.len() as u64 + layer.header().positions()))
}

/// Writes the margins of a block, a few megabytes at a time. Whether it was not stopped.
fn write_block(
    layer: &LayerFile,
    mover: usize,
    out: &mut impl Write,
    progress: &dyn Progress,
) -> Result<bool, ExportError> {
    if progress.stop() {
        return Ok(false);
    }
    let stones = layer.id().stones;
    let mut margins = Vec::new();
    let mut convert = |shares: &[u8]| {
        if let Some(&share) = shares.iter().find(|&&share| share > stones) {
            let (file, stones) = (layer.path().to_owned(), usize::from(stones));
            return Err(TableError::ImpossibleShare { file, block: mover, share, stones }.into());
        }
        margins.clear();
        // Two's complement: at most 127 stones make margins of -127 to 127, whatever overflows
        // before the difference is taken.
        margins.extend(shares.iter().map(|share| share.wrapping_mul(2).wrapping_sub(stones)));
        out.write_all(&margins)?;
        progress.advance(shares.len() as u64);
        Ok::<_, Stopped>(())
    };
    let written = layer.stream(mover, Order::MoverRows, |shares| {
        shares.chunks(CHUNK).try_for_each(|shares| match progress.stop() {
            true => Err(Stopped::OnDemand),
            false => convert(shares),
        })
    });
    match written {
        Ok(()) => Ok(true),
        Err(Stopped::OnDemand) => Ok(false),
        Err(Stopped::Error(error)) => Err(error),
    }
}

/// Why a block is not written to its end.
enum Stopped {
    OnDemand,
    Error(ExportError),
}

impl<E: Into<ExportError>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Stopped::Error(error.into())
    }
}

/// What precedes the values of an array of one dimension and type `int8` in a file of numpy's
/// format 1.0.
fn header(length: u64) -> Vec<u8> {
    const START: &[u8] = b"\x93NUMPY\x01\x00";
    // The values begin at a multiple of this.
    const ALIGNMENT: usize = 64;
    let mut text = format!("{{'descr': '|i1', 'fortran_order': False, 'shape': ({length},), }}");
    let end = START.len() + size_of::<u16>() + text.len() + "\n".len();
    text.push_str(&" ".repeat(end.next_multiple_of(ALIGNMENT) - end));
    text.push('\n');
    let mut header = START.to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        ranking::Layer,
        rules::{Pits, Rules},
    };

    #[test]
    fn a_header_is_numpy_s() {
        // What numpy.save writes before an array of 78 values of type int8.
        let text = "{'descr': '|i1', 'fortran_order': False, 'shape': (78,), }";
        let expected = format!("{text}{}\n", " ".repeat(118 - 1 - text.len()));
        let header = header(78);
        assert_eq!(header[..10], *b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(header[10..], *expected.as_bytes());
        assert_eq!(super::header(u64::MAX).len() % 64, 0);
    }

    fn values_are_margins_by_index<const P: usize>(rules: Rules, stones: usize) {
        let tables = Tablebase::<P>::in_memory(rules, stones).unwrap();
        for stones in 0..=stones {
            let mut file = Vec::new();
            let bytes = write_layer(&tables.layers()[stones], &mut file, &()).unwrap();
            assert_eq!(bytes, Some(file.len() as u64));
            let layer = Layer::<P>::new(stones).unwrap();
            let values = &file[file.len() - layer.positions() as usize..];
            for (index, &value) in values.iter().enumerate() {
                let (mover, opponent) = layer.position(index as u64);
                let pits = Pits::new(mover, opponent).unwrap();
                assert_eq!(Some(i16::from(value as i8)), tables.margin(&pits), "{pits:?}");
            }
        }
    }

    #[test]
    fn a_layer_holds_the_margins_of_its_positions_in_order() {
        values_are_margins_by_index::<6>(Rules::Standard, 6);
        values_are_margins_by_index::<3>(Rules::EmptyCapture, 9);
        // The most stones there are.
        values_are_margins_by_index::<1>(Rules::Standard, 127);
    }

    #[test]
    fn one_who_stops_it_has_the_layers_before() {
        struct AfterOne(std::cell::Cell<u64>);
        impl Progress for AfterOne {
            fn advance(&self, positions: u64) {
                self.0.set(self.0.get() + positions);
            }
            fn stop(&self) -> bool {
                self.0.get() > 4
            }
        }
        let tables = Tablebase::<2>::in_memory(Rules::Standard, 3).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let stop = AfterOne(0.into());
        assert_eq!(write(&tables, 3, folder.path(), &stop).unwrap(), None);
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        let [zero, one] = [0, 1].map(|n| format!("standard-2pits-0{n}stones.npy"));
        assert_eq!(names, [READER_NAME, &zero, &one]);
    }
}
