//! Files that do not have their final name yet.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::{Refused, folder_of, refused};

/// An open file under a temporary name, removed when it is dropped before it got its final one or
/// was found worth keeping.
#[derive(Debug)]
pub(crate) struct Temporary {
    // Closed after the name is removed: a lock on the file keeps others from the name until then.
    file: Arc<File>,
    path: PathBuf,
    kept: AtomicBool,
}

impl Temporary {
    /// A file that was opened at `path`, which nobody else writes or removes.
    pub fn new(file: File, path: PathBuf) -> Self {
        Temporary { file: Arc::new(file), path, kept: AtomicBool::new(false) }
    }

    /// The open file.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Its temporary name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// From now on the file stays, under its temporary name if it gets no other.
    pub fn keep(&self) {
        self.kept.store(true, Relaxed);
    }

    /// Makes the file durable, gives it its final name in the same folder, and makes that durable
    /// too.
    ///
    /// # Errors
    ///
    /// The system's. Only when the very last step fails, and the name may be lost with the power,
    /// does the file have it.
    pub fn publish(self, name: &Path) -> Result<(), Refused> {
        self.file.sync_all().map_err(refused("write", name))?;
        fs::rename(&self.path, name).map_err(refused("write", name))?;
        self.keep();
        let folder = folder_of(name);
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(refused("sync", folder))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !*self.kept.get_mut() {
            // What cannot be removed is the next writer's to remove or overwrite.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn temporary(folder: &Path) -> Temporary {
        let path = folder.join("temporary");
        let mut file = File::create_new(&path).unwrap();
        file.write_all(b"new").unwrap();
        Temporary::new(file, path)
    }

    #[test]
    fn a_published_file_has_its_final_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("file");
        fs::write(&name, "old").unwrap();
        temporary(folder.path()).publish(&name).unwrap();
        assert_eq!(fs::read_to_string(&name).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn nothing_is_left_of_a_file_that_is_not_published() {
        let folder = tempfile::tempdir().unwrap();
        drop(temporary(folder.path()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // A folder keeps its name.
        let name = folder.path().join("folder");
        fs::create_dir(&name).unwrap();
        let error = temporary(folder.path()).publish(&name).unwrap_err();
        assert!(
            error.to_string().starts_with(&format!("cannot write {}: ", name.display())),
            "{error}"
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
