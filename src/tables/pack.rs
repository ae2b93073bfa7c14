//! Layers from one encoding to the other, and back byte for byte.
//!
//! A layer is written anew beside its old file, read back and compared, and replaces the old one
//! when it is durable: whatever happens, there is one of the two, whole.

use std::fs;
use std::path::{Path, PathBuf};

use indicatif::BinaryBytes;

use super::few::{few_at_a_time, readers};
use super::{
    CompactWriter, Encoding, Folder, LayerFile, LayerId, LayerWriter, Layout, Order, SealedLayer,
    TableError, format,
};
use crate::compact::{BAND, Shape};
use crate::generator::{Buffers, SolveError};

/// Positions written at a time, about: between them interrupts are noticed.
const PIECE: usize = 8 << 20;

/// What to convert.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The folder of the layers.
    pub from: &'a Path,
    /// The folder that they go to, which is made if need be; the same one to replace them.
    pub to: &'a Path,
    /// The encoding they get.
    pub encoding: Encoding,
}

/// What is told while layers are converted.
pub trait Progress: Sync {
    /// Another process writes to the folder; this waits for it.
    fn waiting_for_lock(&self) {}
    /// So many positions of these layers will be written: there is room for them.
    fn planned(&self, _layers: &[LayerId], _positions: u64) {}
    /// The layer is there already, in the encoding that is wanted.
    fn layer_kept(&self, _layer: LayerId) {}
    /// The file of the layer in the other folder is damaged, and will be made anew.
    fn layer_damaged(&self, _layer: LayerId, _damage: &TableError) {}
    /// The layer is being written.
    fn layer_started(&self, _layer: LayerId) {}
    /// So many more positions of it are written.
    fn positions_done(&self, _count: u64) {}
    /// The layer has its final name.
    fn layer_finished(&self, _layer: LayerId) {}
    /// Whether to stop: asked often.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Tells nobody anything.
impl Progress for () {}

/// A layer that was converted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Converted {
    /// The layer.
    pub id: LayerId,
    /// How many positions it has.
    pub positions: u64,
    /// Bytes of the file it was.
    pub before: u64,
    /// Bytes of the file it is.
    pub after: u64,
}

/// What was done.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// The layers that were converted.
    pub converted: Vec<Converted>,
    /// The layers that were there already.
    pub kept: Vec<LayerId>,
    /// Whether all layers are there; not so when it was interrupted.
    pub finished: bool,
}

/// Why layers cannot be converted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// A file or a folder cannot be read or written, or is not what it should be.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The folder's file system cannot hold the files.
    #[error(
        "the tables take up to {needed} bytes ({}) beside what is there, and {} has {free} free \
         ({}); free some, choose another folder with --out DIR, or fewer with --stones N",
        BinaryBytes(*needed), folder.display(), BinaryBytes(*free)
    )]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// Bytes that are written before others are free again; for compact files an estimate.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The memory for the largest block is not to be had.
    #[error("the system gave no {bytes} bytes of memory for a block; free some")]
    OutOfMemory {
        /// Bytes of the block.
        bytes: usize,
    },
    /// What was written is not what is read.
    #[error(
        "block {block} of {} was not read back as it was written, and the file was given up; the \
         memory or the disk of this machine may be failing",
        file.display()
    )]
    ReadBack {
        /// The file.
        file: PathBuf,
        /// The block, by the mover's stones.
        block: usize,
    },
}

impl From<SolveError> for PackError {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::OutOfMemory { bytes } => PackError::OutOfMemory { bytes },
            SolveError::Stopped => unreachable!("nothing is solved"),
        }
    }
}

/// Converts the `wanted` layers of a folder, which are there or not. Layers that have the encoding
/// already are kept, in another folder after their checksums were compared.
///
/// Uses the current rayon thread pool, and memory for the largest block, a byte a position.
///
/// ```
/// use kalah::rules::Rules;
/// use kalah::tables::build::{Options, build};
/// use kalah::tables::{Encoding, pack};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// build::<4>(directory, &Options::new(Rules::Standard, 9), &())?;
/// let options = pack::Options { from: directory, to: directory, encoding: Encoding::Compact };
/// let summary = pack::convert(&options, |layer| layer.stones >= 8, &())?;
/// assert_eq!(summary.converted.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Any [`PackError`]; layers that were finished before it stay.
pub fn convert(
    options: &Options,
    wanted: impl Fn(&LayerId) -> bool,
    progress: &dyn Progress,
) -> Result<Summary, PackError> {
    // Nothing is made, and nobody waited for, when there is nothing to read.
    let from = Folder::open_for_reading(options.from)?;
    let interrupted = || progress.interrupted();
    let waiting = || progress.waiting_for_lock();
    let Some(to) = Folder::open_for_writing_unless(options.to, interrupted, waiting)? else {
        return Ok(Summary::default());
    };
    let in_place = same(options.from, options.to);
    let work = Work { from, to, in_place, encoding: options.encoding, progress };
    let converted = work.run(wanted);
    if converted.is_err() {
        work.to.give_up();
    }
    converted
}

/// Whether two paths lead to one folder.
fn same(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Layers to be converted.
struct Work<'a> {
    from: Folder,
    to: Folder,
    in_place: bool,
    encoding: Encoding,
    progress: &'a dyn Progress,
}

/// A file that was given up.
enum Stop {
    Interrupted,
    Error(PackError),
}

impl From<TableError> for Stop {
    fn from(error: TableError) -> Self {
        Stop::Error(error.into())
    }
}

impl From<SolveError> for Stop {
    fn from(error: SolveError) -> Self {
        Stop::Error(error.into())
    }
}

/// A block that was written.
struct Written {
    block: usize,
    order: Order,
    /// The BLAKE3 digest of its values in this order.
    digest: blake3::Hash,
}

impl Work<'_> {
    fn run(&self, wanted: impl Fn(&LayerId) -> bool) -> Result<Summary, PackError> {
        let mut summary = Summary::default();
        let mut todo = Vec::new();
        for id in self.from.layers()?.into_iter().filter(wanted) {
            if self.progress.interrupted() {
                return Ok(summary);
            }
            let Some(source) = self.from.open_layer(&id)? else { continue };
            if self.is_there(&source)? {
                self.progress.layer_kept(id);
                summary.kept.push(id);
            } else {
                todo.push((id, source.bytes().len() as u64));
            }
        }
        let room = self.room(&todo);
        let free = self.to.free_bytes()?;
        if room > free {
            let folder = self.to.directory().to_owned();
            return Err(PackError::NoRoom { folder, needed: room, free });
        }
        let ids: Vec<LayerId> = todo.iter().map(|&(id, _)| id).collect();
        self.progress.planned(&ids, ids.iter().map(|&id| byte_layout(id).positions()).sum());
        let buffers = Buffers::default();
        for id in ids {
            match self.layer(id, &buffers) {
                Ok(converted) => summary.converted.extend(converted),
                Err(Stop::Interrupted) => return Ok(summary),
                Err(Stop::Error(error)) => return Err(error),
            }
        }
        summary.finished = true;
        Ok(summary)
    }

    /// Whether a layer need not be written.
    fn is_there(&self, source: &LayerFile) -> Result<bool, TableError> {
        if self.in_place {
            return Ok(source.encoding() == self.encoding);
        }
        let checked = self.to.open_layer(&source.id()).and_then(|there| {
            let Some(there) = there.filter(|there| there.encoding() == self.encoding) else {
                return Ok(false);
            };
            let blocks = 0..there.header().blocks().len();
            few_at_a_time(readers(), blocks, |block| there.check_block(block))?;
            there.check_padding()?;
            Ok(true)
        });
        match checked {
            Err(damage) if damage.is_damage() => {
                self.progress.layer_damaged(source.id(), &damage);
                Ok(false)
            }
            checked => checked,
        }
    }

    /// Bytes to be written, at the worst moment, beyond what replaced files give back.
    fn room(&self, todo: &[(LayerId, u64)]) -> u64 {
        let (mut now, mut most) = (0_i128, 0);
        for &(id, old) in todo {
            now += i128::from(self.length(id));
            most = most.max(now);
            if self.in_place {
                now -= i128::from(old);
            }
        }
        u64::try_from(most).unwrap_or(u64::MAX)
    }

    /// How long a layer's file will be; for a compact one as many bits a position as are allowed
    /// for.
    fn length(&self, id: LayerId) -> u64 {
        let layout = byte_layout(id);
        match self.encoding {
            Encoding::Bytes => layout.file_length(),
            Encoding::Compact => {
                format::header_region(layout.stones()) + layout.positions().div_ceil(8) * 3
            }
        }
    }

    /// Converts a layer; `None` when its file is gone meanwhile.
    fn layer(&self, id: LayerId, buffers: &Buffers) -> Result<Option<Converted>, Stop> {
        let Some(source) = self.from.open_layer(&id)? else { return Ok(None) };
        self.progress.layer_started(id);
        let (sealed, written) = self.write(&source, buffers)?;
        let new = sealed.map()?;
        for Written { block, order, digest } in written {
            self.go_on()?;
            let mut matrix = buffers.take(new.header().block_positions(block) as usize)?;
            new.read_matrix(block, order, &mut matrix)?;
            if blake3::hash(&matrix) != digest {
                let file = new.path().to_owned();
                return Err(Stop::Error(PackError::ReadBack { file, block }));
            }
        }
        sealed.commit()?;
        self.progress.layer_finished(id);
        let [before, after] = [&source, &new].map(|file| file.bytes().len() as u64);
        Ok(Some(Converted { id, positions: new.header().positions(), before, after }))
    }

    /// Writes the layer's file, not yet under its name.
    fn write(
        &self,
        source: &LayerFile,
        buffers: &Buffers,
    ) -> Result<(SealedLayer, Vec<Written>), Stop> {
        let id = source.id();
        let mut written = Vec::new();
        match self.encoding {
            Encoding::Compact => {
                let mut writer = CompactWriter::create(&self.to, id)?;
                for block in CompactWriter::order(&id) {
                    let shape = Shape::new(id.pits.into(), id.stones.into(), block);
                    let order = Order::of_lines(&shape);
                    let band = BAND * shape.columns();
                    let piece = (PIECE / band).max(1) * band;
                    let mut target = writer.next_block();
                    let append = |lines: &[u8]| target.append(lines);
                    written.push(self.copy(source, (block, order), piece, buffers, append)?);
                    target.finish()?;
                }
                Ok((writer.seal()?, written))
            }
            Encoding::Bytes => {
                let writer = LayerWriter::create(&self.to, id)?;
                for block in 0..=usize::from(id.stones) {
                    let mut target = writer.begin_block(block);
                    let (block, append) =
                        ((block, Order::MoverRows), |bytes: &[u8]| target.append(bytes));
                    written.push(self.copy(source, block, PIECE, buffers, append)?);
                    target.finish()?;
                }
                Ok((writer.seal()?, written))
            }
        }
    }

    /// Hands a block on in an order, as many values of it at a time as make a piece.
    fn copy(
        &self,
        source: &LayerFile,
        (block, order): (usize, Order),
        piece: usize,
        buffers: &Buffers,
        mut append: impl FnMut(&[u8]) -> Result<(), TableError> + Send,
    ) -> Result<Written, Stop> {
        self.go_on()?;
        let mut matrix = buffers.take(source.header().block_positions(block) as usize)?;
        source.read_matrix(block, order, &mut matrix)?;
        let (digest, appended) = rayon::join(
            || blake3::hash(&matrix),
            || {
                matrix.chunks(piece).try_for_each(|values| {
                    self.go_on()?;
                    append(values).map_err(|error| blame(error, source.path()))?;
                    self.progress.positions_done(values.len() as u64);
                    Ok(())
                })
            },
        );
        appended.map(|()| Written { block, order, digest })
    }

    fn go_on(&self) -> Result<(), Stop> {
        if self.progress.interrupted() { Err(Stop::Interrupted) } else { Ok(()) }
    }
}

fn byte_layout(id: LayerId) -> Layout {
    Layout::new(id).expect("checked when the file was opened")
}

/// A value that cannot be written is the fault of the file that it was read from.
fn blame(error: TableError, source: &Path) -> TableError {
    let file = source.to_owned();
    match error {
        TableError::ImpossibleShare { block, share, stones, .. } => {
            TableError::ImpossibleShare { file, block, share, stones }
        }
        TableError::NotSwept { block, share, right, .. } => {
            TableError::NotSwept { file, block, share, right }
        }
        error => error,
    }
}
