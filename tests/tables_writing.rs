//! A layer is whole under its final name, or not there.

mod common;

use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::mpsc, thread};

use common::negamax::Negamax;
use kalah::{
    rules::Rules,
    tables::{Folder, LayerFile, LayerId, LayerWriter, TableError},
};

const ID: LayerId = LayerId { rules: Rules::Standard, pits: 2, stones: 2 };
const BLOCKS: [&[u8]; 3] = [&[0; 3], &[0, 1, 2, 1], &[2; 3]];

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn blocks_come_back_whatever_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let folder = Folder::open_for_writing(directory.path(), || ()).unwrap();
    let writer = LayerWriter::create(&folder, ID).unwrap();
    thread::scope(|scope| {
        for mover in [2, 0, 1] {
            let writer = &writer;
            scope.spawn(move || writer.write_block(mover, BLOCKS[mover]).unwrap());
        }
    });
    let sealed = writer.seal().unwrap();
    let early = sealed.map().unwrap();
    assert_eq!(names(directory.path()).len(), 2, "not under its name yet");
    sealed.commit().unwrap();
    assert_eq!(names(directory.path()), [".lock", "standard-2pits-02stones.kalah"]);

    let layer = LayerFile::open(&folder.path(&ID)).unwrap();
    for layer in [&early, &layer] {
        assert_eq!(layer.id(), ID);
        for (mover, bytes) in BLOCKS.into_iter().enumerate() {
            assert_eq!(layer.block(mover), bytes);
            layer.check_block(mover).unwrap();
            layer.check_statistics(mover).unwrap();
            assert_eq!(layer.header().blocks()[mover].offset % 4096, 0);
        }
        layer.check_padding().unwrap();
        let statistics = layer.header().statistics();
        assert_eq!((statistics.won, statistics.drawn, statistics.lost), (1, 2, 1));
        assert_eq!(statistics.shares(), Some((0, 2)));
        assert_eq!(layer.header().margins(), Some((-2, 2)));
    }
}

#[test]
fn the_same_values_give_the_same_bytes() {
    let files = [1, 2].map(|_| {
        let directory = tempfile::tempdir().unwrap();
        Negamax::<3>::new(Rules::Standard, 5).write(directory.path());
        fs::read(directory.path().join("standard-3pits-05stones.kalah")).unwrap()
    });
    assert!(files[0] == files[1]);
}

#[test]
fn an_abandoned_layer_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let folder = Folder::open_for_writing(directory.path(), || ()).unwrap();
    let writer = LayerWriter::create(&folder, ID).unwrap();
    writer.write_block(0, BLOCKS[0]).unwrap();
    assert_eq!(names(directory.path()).len(), 2);
    assert!(matches!(writer.seal(), Err(TableError::Incomplete { block: 1, .. })));
    assert_eq!(names(directory.path()), [".lock"]);
}

#[test]
fn an_impossible_share_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let folder = Folder::open_for_writing(directory.path(), || ()).unwrap();
    let writer = LayerWriter::create(&folder, ID).unwrap();
    let error = writer.write_block(0, &[0, 3, 0]).unwrap_err();
    assert!(matches!(error, TableError::ImpossibleShare { block: 0, share: 3, stones: 2, .. }));
}

#[test]
fn what_a_killed_writer_left_is_removed_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let left = directory.path().join(".standard-2pits-02stones.kalah.tmp-4000000000");
    let others = [".hidden.tmp-1", ".standard-2pits-02stones.kalah.tmp-x", "notes.txt"];
    for name in others {
        fs::write(directory.path().join(name), "kept").unwrap();
    }
    fs::write(&left, "half a layer").unwrap();
    Folder::open_for_reading(directory.path()).unwrap();
    assert!(left.exists(), "readers remove nothing");
    Folder::open_for_writing(directory.path(), || ()).unwrap();
    assert!(!left.exists());
    for name in others {
        assert!(directory.path().join(name).exists(), "{name}");
    }
}

#[test]
fn a_second_writer_waits_for_the_last_layer_of_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let folder = Folder::open_for_writing(directory.path(), || panic!("nobody else")).unwrap();
    assert!(Folder::try_open_for_writing(directory.path()).unwrap().is_none());
    let writer = LayerWriter::create(&folder, ID).unwrap();
    drop(folder);

    let (waits, waiting) = mpsc::channel();
    let (opened, opening) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let folder = Folder::open_for_writing(directory.path(), || waits.send(()).unwrap());
            opened.send(folder.unwrap().layers().unwrap()).unwrap();
        });
        waiting.recv().unwrap();
        for (mover, bytes) in BLOCKS.into_iter().enumerate() {
            writer.write_block(mover, bytes).unwrap();
        }
        assert!(opening.try_recv().is_err(), "the first writer is still at work");
        writer.seal().unwrap().commit().unwrap();
        assert_eq!(opening.recv().unwrap(), [ID]);
    });
}

#[test]
fn a_lock_that_was_deleted_keeps_nobody_away_and_fools_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let first = Folder::open_for_writing(directory, || panic!("nobody else")).unwrap();
    let (waits, waiting) = mpsc::channel();
    let (opened, opening) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let folder = Folder::open_for_writing(directory, || waits.send(()).unwrap());
            opened.send(folder.unwrap().layers().unwrap()).unwrap();
        });
        waiting.recv().unwrap();
        fs::remove_file(directory.join(".lock")).unwrap();
        let second = Folder::try_open_for_writing(directory).unwrap().unwrap();
        // Whoever waits gets a lock now, of a file that nobody finds any more.
        drop(first);
        let writer = LayerWriter::create(&second, ID).unwrap();
        for (mover, bytes) in BLOCKS.into_iter().enumerate() {
            writer.write_block(mover, bytes).unwrap();
        }
        writer.seal().unwrap().commit().unwrap();
        drop(second);
        assert_eq!(opening.recv().unwrap(), [ID]);
    });
}

#[test]
fn a_folder_that_is_given_up_is_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let made = directory.path().join("made/here");
    Folder::open_for_writing(&made, || ()).unwrap().give_up();
    assert!(names(directory.path()).is_empty());
    drop(Folder::open_for_writing(&made, || ()).unwrap());
    Folder::open_for_writing(&made, || ()).unwrap().give_up();
    assert_eq!(names(&made), [".lock"]);
}

#[test]
fn folders_that_cannot_be_used_are_errors_that_name_them() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.clone(), file.join("below")] {
        let error = Folder::open_for_reading(&path).unwrap_err();
        assert!(matches!(error, TableError::NotAFolder { .. }), "{error}");
        let error = Folder::open_for_writing(&path, || ()).unwrap_err();
        assert!(matches!(error, TableError::NotAFolder { .. }), "{error}");
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
    let missing = directory.path().join("no/where");
    let error = Folder::open_for_reading(&missing).unwrap_err();
    assert!(matches!(error, TableError::MissingFolder { .. }), "{error}");
    Folder::open_for_writing(&missing, || ()).unwrap();
    Folder::open_for_reading(&missing).unwrap();
}

#[test]
fn a_folder_that_may_not_be_written_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let locked = directory.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write anywhere.
    if fs::write(locked.join("probe"), "").is_err() {
        let error = Folder::open_for_writing(&locked, || ()).unwrap_err();
        assert!(matches!(error, TableError::FolderNotWritable { .. }), "{error}");
    }
    Folder::open_for_reading(&locked).unwrap();
}

#[test]
fn layers_that_cannot_be_written_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    let folder = Folder::open_for_writing(directory.path(), || ()).unwrap();
    for id in [LayerId { pits: 7, ..ID }, LayerId { pits: 0, ..ID }, LayerId { stones: 128, ..ID }]
    {
        let error = LayerWriter::create(&folder, id).unwrap_err();
        assert!(matches!(error, TableError::NoSuchLayer { .. }), "{error}");
    }
    // 127 stones in 6 pits a side are hundreds of terabytes.
    let error = LayerWriter::create(&folder, LayerId { pits: 6, stones: 127, ..ID }).unwrap_err();
    assert!(
        matches!(error, TableError::NoSpace { .. } | TableError::FileSizeLimit { .. }),
        "{error}"
    );
    assert_eq!(names(directory.path()), [".lock"]);
    drop(folder);
    let folder = Folder::open_for_reading(directory.path()).unwrap();
    let error = LayerWriter::create(&folder, ID).unwrap_err();
    assert!(matches!(error, TableError::OpenedForReading { .. }), "{error}");
}
