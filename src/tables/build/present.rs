//! The layers that are there before a build, and after it.

use super::super::few::{few_at_a_time, readers};
use super::super::{Folder, LayerFile, LayerId, TableError};
use super::Progress;

/// The file of a layer, its blocks checked; `None` when there is none, or one that is damaged.
///
/// A file that is no table, or one of another layer or of another program's making, is an error: it
/// is not ours to replace.
pub(super) fn sound(
    folder: &Folder,
    id: &LayerId,
    progress: &dyn Progress,
) -> Result<Option<LayerFile>, TableError> {
    let checked = folder.open_layer(id).and_then(|file| {
        let Some(file) = file else { return Ok(None) };
        progress.checking(usize::from(id.stones), file.bytes().len() as u64);
        few_at_a_time(readers(), 0..=usize::from(id.stones), |mover| file.check_block(mover))?;
        // What is kept must be what would be built, to the last byte.
        file.check_padding()?;
        Ok(Some(file))
    });
    match checked {
        Err(damage) if damage.is_damage() => {
            progress.layer_damaged(usize::from(id.stones), &damage);
            Ok(None)
        }
        other => other,
    }
}

/// The files of some layers that seem to be in order, by their headers.
pub(super) fn survey(
    folder: &Folder,
    layers: impl Iterator<Item = LayerId>,
) -> Result<Vec<Option<LayerFile>>, TableError> {
    let open = |id| match folder.open_layer(&id) {
        Err(damage) if damage.is_damage() => Ok(None),
        other => other,
    };
    layers.map(open).collect()
}

/// Makes sure that nobody has removed a file meanwhile.
pub(super) fn all_are_there(
    folder: &Folder,
    layers: impl Iterator<Item = LayerId>,
) -> Result<(), TableError> {
    for id in layers {
        if folder.open_layer(&id)?.is_none() {
            return Err(TableError::Removed { file: folder.path(&id) });
        }
    }
    Ok(())
}
