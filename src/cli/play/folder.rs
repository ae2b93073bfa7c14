//! The user's data folder: files in JSON that are whole or set aside, and one process at a time.

use std::env;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};
use kalah::files::{ReplaceError, Reserved, replace};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cli::failure::{Failure, one_line};

/// The variable that names another folder.
pub const VARIABLE: &str = "KALAH_DATA_DIR";

/// The longest file that is read. A game takes a few hundred bytes.
const LONGEST: u64 = 1 << 20;

/// A kind of file in the folder.
pub trait Format: Serialize + DeserializeOwned {
    /// The file's name.
    const NAME: &'static str;
    /// What the file says it is.
    const FORMAT: &'static str;
    /// The version of the format.
    const VERSION: u32 = 1;
}

/// What every file begins with.
#[derive(serde::Serialize, serde::Deserialize)]
struct Head {
    format: String,
    version: u32,
}

#[derive(Serialize)]
struct Whole<'a, T> {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// What there is of a file.
#[derive(Debug, PartialEq)]
pub enum Found<T> {
    /// There is no such file.
    Nothing,
    /// All of it.
    Whole(T),
    /// It cannot be used, for this reason.
    Unusable(String),
}

/// The folder.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder that the variable names, or else `kalah` where the system keeps users' data.
    ///
    /// # Errors
    ///
    /// When the variable is not set and nobody knows where the user's home is.
    pub fn find() -> Result<Self, Failure> {
        if let Some(named) = env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
            return Ok(Folder(named.into()));
        }
        let base = choose_base_strategy().map_err(|_| {
            Failure::failed(format!(
                "there is no home folder to keep games in; name a folder with the variable {VARIABLE}"
            ))
        })?;
        Ok(Folder(base.data_dir().join("kalah")))
    }

    /// This folder.
    #[cfg(test)]
    pub fn at(folder: &Path) -> Self {
        Folder(folder.to_owned())
    }

    /// Where a file is.
    pub fn path<T: Format>(&self) -> PathBuf {
        self.0.join(T::NAME)
    }

    /// Reads a file, and believes nothing of it but what `validate` lets through.
    pub fn read<T: Format, V>(&self, validate: impl FnOnce(T) -> Result<V, String>) -> Found<V> {
        let text = match read_text(&self.path::<T>()) {
            Ok(Some(text)) => text,
            Ok(None) => return Found::Nothing,
            Err(reason) => return Found::Unusable(reason),
        };
        match parse::<T>(&text).and_then(validate) {
            Ok(content) => Found::Whole(content),
            Err(reason) => Found::Unusable(reason),
        }
    }

    /// Makes the folder where it is not there, and keeps other processes from writing to it.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or another process has it.
    pub fn lock(self) -> Result<Locked, Failure> {
        let Folder(folder) = &self;
        let refused = |error: &dyn fmt::Display| {
            Failure::failed(format!(
                "cannot keep games in {} ({error}); name a folder that may be written with the \
                 variable {VARIABLE}",
                folder.display()
            ))
        };
        fs::create_dir_all(folder).map_err(|error| refused(&error))?;
        match Reserved::new(&folder.join(LOCKED)) {
            Ok(reserved) => Ok(Locked { folder: self, _reserved: reserved }),
            Err(ReplaceError::InUse { .. }) => Err(Failure::failed(format!(
                "another game is being played, and saved in {}; end it, or name another folder \
                 with the variable {VARIABLE}",
                folder.display()
            ))),
            Err(ReplaceError::Folder { error, .. }) => Err(refused(&error)),
            Err(error) => Err(refused(&error)),
        }
    }
}

/// The file that stands for the folder when it is locked.
const LOCKED: &str = "kalah-play";

/// The folder while no other process writes to it.
#[derive(Debug)]
pub struct Locked {
    folder: Folder,
    _reserved: Reserved,
}

impl std::ops::Deref for Locked {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl Locked {
    /// Writes a file whole, or leaves the old one.
    ///
    /// # Errors
    ///
    /// Says in one line why it was not written.
    pub fn write<T: Format>(&self, content: &T) -> Result<(), String> {
        let whole = Whole { format: T::FORMAT, version: T::VERSION, content };
        let mut text = serde_json::to_string_pretty(&whole).map_err(|error| one_line(&error))?;
        text.push('\n');
        let write = |mut file: &fs::File| file.write_all(text.as_bytes()).map(Some);
        replace(&self.path::<T>(), write).map_err(|error| one_line(&error))?;
        Ok(())
    }

    /// Gives a file that cannot be used another name, which is free, and says so in one line.
    ///
    /// # Errors
    ///
    /// When it cannot be renamed.
    pub fn set_aside<T: Format>(&self, reason: &str) -> Result<String, Failure> {
        let path = self.path::<T>();
        let names = (1..).map(|number| match number {
            1 => format!("{}.set-aside", T::NAME),
            _ => format!("{}.set-aside-{number}", T::NAME),
        });
        let is_free = |aside: &PathBuf| {
            fs::symlink_metadata(aside).is_err_and(|error| error.kind() == ErrorKind::NotFound)
        };
        let mut free = names.map(|name| path.with_file_name(name)).take(MOST_ASIDE).filter(is_free);
        let aside = free.next().ok_or_else(|| {
            let path = path.display();
            Failure::failed(format!("{path} {reason}, like {MOST_ASIDE} before it; remove them"))
        })?;
        fs::rename(&path, &aside).map_err(|error| {
            let path = path.display();
            Failure::failed(format!("{path} {reason}, and cannot be set aside: {error}; remove it"))
        })?;
        Ok(format!("{} {reason}; it is set aside as {}", path.display(), aside.display()))
    }
}

/// Files that are set aside, at most.
const MOST_ASIDE: usize = 100;

/// The text of a file; `None` when there is none. Errors go on from the file's name.
fn read_text(path: &Path) -> Result<Option<String>, String> {
    let refused = |error: io::Error| format!("cannot be read ({error})");
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(error)),
        // Opening anything else may wait for ever.
        Ok(found) if !found.is_file() => return Err("is not a file".to_owned()),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(refused)?;
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(refused)?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("is damaged (it is longer than {LONGEST} bytes)"));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| "is damaged (it is no text)".to_owned())
}

/// The content of a file's text. Errors go on from the file's name.
fn parse<T: Format>(text: &str) -> Result<T, String> {
    let damaged = |error: serde_json::Error| format!("is damaged ({error})");
    let mut value: serde_json::Value = serde_json::from_str(text).map_err(damaged)?;
    let head: Head = serde_json::from_value(value.clone()).map_err(damaged)?;
    if head.format != T::FORMAT {
        return Err(format!("is something else (its format is not \"{}\")", T::FORMAT));
    }
    if head.version != T::VERSION {
        return Err(format!(
            "is of version {}, and this program knows version {} alone",
            head.version,
            T::VERSION
        ));
    }
    if let Some(fields) = value.as_object_mut() {
        fields.remove("format");
        fields.remove("version");
    }
    serde_json::from_value(value).map_err(damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, serde::Deserialize, PartialEq, Debug)]
    #[serde(deny_unknown_fields)]
    struct Note {
        text: String,
    }

    impl Format for Note {
        const NAME: &'static str = "note.json";
        const FORMAT: &'static str = "note";
    }

    fn folder() -> (tempfile::TempDir, Locked) {
        let place = tempfile::tempdir().unwrap();
        let locked = Folder(place.path().join("new/folder")).lock().unwrap();
        (place, locked)
    }

    fn put(folder: &Folder, bytes: &[u8]) {
        fs::write(folder.path::<Note>(), bytes).unwrap();
    }

    fn found(folder: &Folder) -> Found<Note> {
        folder.read(|note: Note| if note.text == "no" { Err("is no".to_owned()) } else { Ok(note) })
    }

    #[test]
    fn what_is_written_is_read() {
        let (_place, folder) = folder();
        assert_eq!(found(&folder), Found::Nothing);
        folder.write(&Note { text: "one".to_owned() }).unwrap();
        folder.write(&Note { text: "two".to_owned() }).unwrap();
        assert_eq!(found(&folder), Found::Whole(Note { text: "two".to_owned() }));
        let text = fs::read_to_string(folder.path::<Note>()).unwrap();
        let expected = "{\n  \"format\": \"note\",\n  \"version\": 1,\n  \"text\": \"two\"\n}\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_cannot_be_used_is_told_why() {
        let (_place, folder) = folder();
        let long = [b' '; LONGEST as usize + 1];
        for (bytes, expected) in [
            (&b""[..], "is damaged (EOF while parsing a value at line 1 column 0)"),
            (b"{\"format\": \"no", "is damaged (EOF while parsing a string at line 1 column 14)"),
            (b"\xff\xfe", "is damaged (it is no text)"),
            (b"[1]", "is damaged ("),
            (b"{\"format\": \"note\"}", "is damaged (missing field `version`)"),
            (
                b"{\"format\": \"x\", \"version\": 1}",
                "is something else (its format is not \"note\")",
            ),
            (
                b"{\"format\": \"note\", \"version\": 2}",
                "is of version 2, and this program knows version 1 alone",
            ),
            (
                b"{\"format\": \"note\", \"version\": 1, \"text\": \"a\", \"more\": 1}",
                "is damaged (unknown field `more`, expected `text`)",
            ),
            (b"{\"format\": \"note\", \"version\": 1, \"text\": \"no\"}", "is no"),
            (&long, "is damaged (it is longer than 1048576 bytes)"),
        ] {
            put(&folder, bytes);
            let Found::Unusable(reason) = found(&folder) else { panic!("{expected}") };
            assert!(reason.starts_with(expected), "{reason}");
        }
        fs::remove_file(folder.path::<Note>()).unwrap();
        fs::create_dir(folder.path::<Note>()).unwrap();
        assert_eq!(found(&folder), Found::Unusable("is not a file".to_owned()));
    }

    #[test]
    fn nothing_that_is_set_aside_is_lost() {
        let (_place, folder) = folder();
        for (text, name) in [("one", "note.json.set-aside"), ("two", "note.json.set-aside-2")] {
            put(&folder, text.as_bytes());
            let line = folder.set_aside::<Note>("is damaged").unwrap();
            let aside = folder.path::<Note>().with_file_name(name);
            assert!(line.ends_with(&format!("; it is set aside as {}", aside.display())), "{line}");
            assert_eq!(fs::read_to_string(aside).unwrap(), text);
            assert_eq!(found(&folder), Found::Nothing);
        }
        assert!(folder.set_aside::<Note>("is damaged").is_err());
    }

    #[test]
    fn one_process_writes_at_a_time() {
        let (_place, folder) = folder();
        let other = || Folder(folder.0.clone()).lock();
        assert!(matches!(other(), Err(Failure::Because(_, reason)) if reason.contains("another")));
        let path = folder.0.clone();
        drop(folder);
        assert!(Folder(path).lock().is_ok());
    }
}
