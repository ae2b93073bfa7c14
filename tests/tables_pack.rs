//! Packing and unpacking: the same values, the same bytes, and nothing lost on the way.

mod common;

use std::{collections::BTreeMap, fs, path::Path};

use common::negamax::Negamax;
use kalah::{
    ranking::Layer,
    rules::{Pits, Rules},
    tables::{
        CompactWriter, Encoding, Folder, LayerFile, LayerId, TableError, Tablebase,
        build::{self, build},
        checksums::Checksums,
        pack::{Options, PackError, Progress, Summary, convert},
        verify::{Depth, Fault, verify, verify_within},
    },
};
use rayon::prelude::*;
use tempfile::TempDir;

/// The layers of a folder by their names.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let layers = entries.filter(|path| path.extension().is_some_and(|end| end == "kalah"));
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    layers.map(|path| (name(&path), fs::read(path).unwrap())).collect()
}

fn into(from: &Path, to: &Path, encoding: Encoding) -> Summary {
    convert(&Options { from, to, encoding }, |_| true, &()).unwrap()
}

fn pack(folder: &Path) -> Summary {
    into(folder, folder, Encoding::Compact)
}

fn unpack(folder: &Path) -> Summary {
    into(folder, folder, Encoding::Bytes)
}

/// Tables as `kalah generate` makes them.
fn built<const P: usize>(rules: Rules, stones: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let options = build::Options::new(rules, stones);
    assert!(build::<P>(folder.path(), &options, &()).unwrap().finished);
    folder
}

/// Tables of two pits.
fn small(stones: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    Negamax::<2>::new(Rules::Standard, stones).write(folder.path());
    folder
}

fn id(pits: u8, stones: u8) -> LayerId {
    LayerId { rules: Rules::Standard, pits, stones }
}

/// Every position of all layers has the same value in both.
fn same_values<const P: usize>(one: &Path, other: &Path, rules: Rules) {
    let [one, other] = [one, other].map(|path| Tablebase::<P>::open(path, rules).unwrap());
    assert_eq!(one.stones(), other.stones());
    for stones in 0..=one.stones().unwrap() {
        let layer = Layer::<P>::new(stones).unwrap();
        let positions = (0..layer.positions()).map(|index| layer.position(index));
        let positions: Vec<Pits<P>> =
            positions.map(|(mover, opponent)| Pits::new(mover, opponent).unwrap()).collect();
        // Some at once, as that is another way, and each of these by itself again.
        positions.par_chunks(1000).for_each(|positions| {
            let mut together = vec![None; positions.len()];
            other.margins(positions, &mut together);
            for (number, (pits, together)) in positions.iter().zip(together).enumerate() {
                let margin = one.margin(pits);
                assert!(margin.is_some());
                assert_eq!(together, margin, "{rules}: {pits:?}");
                if number % 16 == 0 {
                    assert_eq!(other.margin(pits), margin);
                    assert_eq!(other.probe(pits).unwrap(), margin);
                }
            }
        });
        for mover in 0..=stones {
            let [one, other] = [&one, &other].map(|tables| &tables.layers()[stones]);
            assert!(one.matrix(mover).unwrap() == other.matrix(mover).unwrap());
        }
    }
}

fn there_and_back<const P: usize>(stones: usize) {
    for rules in Rules::ALL {
        let folder = built::<P>(rules, stones);
        let before = files(folder.path());
        let packed = tempfile::tempdir().unwrap();
        let summary = into(folder.path(), packed.path(), Encoding::Compact);
        assert_eq!((summary.converted.len(), summary.kept.len()), (stones + 1, 0));
        assert!(summary.finished);
        assert!(files(folder.path()) == before, "the source is left alone");
        same_values::<P>(folder.path(), packed.path(), rules);
        let compact = files(packed.path());
        for (layer, name) in summary.converted.iter().zip(compact.keys()) {
            assert_eq!(layer.id.file_name(), *name);
            assert_eq!(layer.before, before[name].len() as u64);
            assert_eq!(layer.after, compact[name].len() as u64);
        }

        // Threads leave no trace, and neither does which file it was made from.
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        threads.install(|| pack(folder.path()));
        assert!(files(folder.path()) == compact);
        let again = pack(folder.path());
        assert_eq!((again.converted.len(), again.kept.len()), (0, stones + 1));

        // Layers of both encodings go together.
        let options = Options { from: packed.path(), to: packed.path(), encoding: Encoding::Bytes };
        let half = |layer: &LayerId| layer.stones % 3 == 1;
        let summary = convert(&options, half, &()).unwrap();
        assert!(summary.converted.iter().all(|layer| half(&layer.id)));
        if P < 6 {
            same_values::<P>(folder.path(), packed.path(), rules);
        }

        let kept = (0..=stones).filter(|stones| stones % 3 == 1).count();
        let summary = unpack(packed.path());
        assert_eq!((summary.converted.len(), summary.kept.len()), (stones + 1 - kept, kept));
        assert!(files(packed.path()) == before, "byte for byte");
    }
}

#[test]
fn tables_are_the_same_there_and_back() {
    there_and_back::<1>(30);
    there_and_back::<2>(20);
    there_and_back::<3>(15);
    there_and_back::<4>(11);
    there_and_back::<5>(9);
}

#[test]
fn tables_of_six_pits_are_the_same_there_and_back() {
    there_and_back::<6>(12);
}

#[test]
fn packed_tables_can_be_checked() {
    let folder = built::<3>(Rules::Standard, 12);
    let digests = |folder: &Folder| Checksums::of_folder(folder).unwrap();
    let opened = Folder::open_for_reading(folder.path()).unwrap();
    let listed = digests(&opened);
    pack(folder.path());
    let positions = 18_564;
    for depth in [Depth::Checksums, Depth::Sample { positions: 50, seed: 1 }, Depth::Full] {
        let report = verify(&opened, Rules::Standard, 3, depth, &()).unwrap();
        assert!(report.is_clean(), "{:?}", report.faults);
        assert_eq!((report.files, report.checksummed), (13, positions));
        if depth == Depth::Full {
            assert_eq!(report.recomputed, positions);
        }
    }

    // With hardly more than what is needed nothing is unpacked in memory, and the answers are the
    // same; with less nothing is begun.
    let within = |memory| verify_within(&opened, Rules::Standard, 3, Depth::Full, memory, &());
    let needed = match within(0) {
        Err(TableError::NoMemoryToCheck { needed, free: 0, .. }) => needed,
        other => panic!("{other:?}"),
    };
    assert!(within(needed - 1).is_err());
    let report = within(needed).unwrap();
    assert!(report.is_clean(), "{:?}", report.faults);
    assert_eq!((report.checksummed, report.recomputed), (positions, positions));

    // The list of byte files serves for packed ones, and a list of these does too.
    let comparison = listed.compare(&opened).unwrap();
    assert_eq!((comparison.same.len(), comparison.unpacked.len()), (13, 13));
    let comparison = digests(&opened).compare(&opened).unwrap();
    assert_eq!((comparison.same.len(), comparison.unpacked.len()), (13, 0));
    let path = opened.path(&id(3, 8));
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let comparison = listed.compare(&opened).unwrap();
    assert_eq!(comparison.different, ["standard-3pits-08stones.kalah"]);
    assert_eq!(comparison.same.len(), 12);
}

#[test]
fn a_wrong_value_that_was_packed_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let solved = Negamax::<3>::new(Rules::Standard, 6);
    solved.write(folder.path());
    solved.write_layer(folder.path(), 6, |mover, bytes| {
        if mover == 2 {
            bytes[20] ^= 1;
        }
    });
    pack(folder.path());
    let opened = Folder::open_for_reading(folder.path()).unwrap();
    let check = |depth| verify(&opened, Rules::Standard, 3, depth, &()).unwrap();
    assert!(check(Depth::Checksums).is_clean());
    let scarce = match verify_within(&opened, Rules::Standard, 3, Depth::Full, 0, &()) {
        Err(TableError::NoMemoryToCheck { needed, .. }) => needed,
        other => panic!("{other:?}"),
    };
    let one = check(Depth::Full);
    let other = verify_within(&opened, Rules::Standard, 3, Depth::Full, scarce, &()).unwrap();
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
    for depth in [Depth::Full, Depth::Sample { positions: 461, seed: 3 }] {
        let report = check(depth);
        let block =
            report.faults.iter().any(|fault| matches!(fault, Fault::Value { block: 2, .. }));
        assert!(block || depth != Depth::Full, "{:?}", report.faults);
    }
}

#[test]
fn builds_go_on_from_packed_tables() {
    let folder = built::<4>(Rules::EmptyCapture, 7);
    pack(folder.path());
    let packed = files(folder.path());
    let options = build::Options::new(Rules::EmptyCapture, 9);
    let summary = build::<4>(folder.path(), &options, &()).unwrap();
    assert_eq!((summary.kept.len(), summary.built), (8, vec![8, 9]));
    let goes_on = files(folder.path());
    assert!(packed.iter().all(|(name, bytes)| goes_on[name] == *bytes));
    unpack(folder.path());
    assert!(files(folder.path()) == files(built::<4>(Rules::EmptyCapture, 9).path()));
}

/// Changes a byte of a layer, counted from the end of the file.
fn spoil(folder: &Path, id: LayerId, from_end: usize) {
    let path = folder.join(id.file_name());
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.len() - from_end;
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
}

#[test]
fn a_damaged_layer_is_not_replaced_and_those_before_it_are_finished() {
    for encoding in Encoding::ALL {
        let folder = small(6);
        if encoding == Encoding::Bytes {
            pack(folder.path());
        }
        spoil(folder.path(), id(2, 4), 1);
        let before = files(folder.path());
        let options = Options { from: folder.path(), to: folder.path(), encoding };
        let error = convert(&options, |_| true, &()).unwrap_err();
        let PackError::Table(damage) = &error else { panic!("{error}") };
        assert!(damage.is_damage(), "{error}");
        assert!(error.to_string().contains("standard-2pits-04stones.kalah"), "{error}");
        for stones in 0..=6 {
            let layer = LayerFile::open(&folder.path().join(id(2, stones).file_name())).unwrap();
            assert_eq!(layer.encoding() == encoding, stones < 4);
        }
        let name = id(2, 4).file_name();
        assert!(files(folder.path())[&name] == before[&name]);
    }
}

#[test]
fn values_that_no_table_has_are_not_packed() {
    let folder = tempfile::tempdir().unwrap();
    let solved = Negamax::<2>::new(Rules::Standard, 3);
    solved.write_layer(folder.path(), 3, |mover, bytes| {
        if mover == 3 {
            bytes[1] = 2;
        }
    });
    let options = Options { from: folder.path(), to: folder.path(), encoding: Encoding::Compact };
    let error = convert(&options, |_| true, &()).unwrap_err();
    assert!(
        matches!(
            error,
            PackError::Table(TableError::NotSwept { block: 3, share: 2, right: 3, .. })
        ),
        "{error}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "the layer and the lock");
}

#[test]
fn what_is_in_the_other_folder_is_kept_when_it_is_sound() {
    let (folder, other) = (small(5), tempfile::tempdir().unwrap());
    into(folder.path(), other.path(), Encoding::Compact);
    let packed = files(other.path());
    let again = into(folder.path(), other.path(), Encoding::Compact);
    assert_eq!((again.converted.len(), again.kept.len()), (0, 6));

    struct Told(std::sync::Mutex<Vec<u8>>);
    impl Progress for Told {
        fn layer_damaged(&self, layer: LayerId, damage: &TableError) {
            assert!(damage.is_damage());
            self.0.lock().unwrap().push(layer.stones);
        }
    }
    spoil(other.path(), id(2, 3), 1);
    fs::copy(folder.path().join(id(2, 5).file_name()), other.path().join(id(2, 5).file_name()))
        .unwrap();
    let told = Told(Default::default());
    let options = Options { from: folder.path(), to: other.path(), encoding: Encoding::Compact };
    let summary = convert(&options, |_| true, &told).unwrap();
    assert_eq!(summary.converted.iter().map(|layer| layer.id.stones).collect::<Vec<_>>(), [3, 5]);
    assert_eq!(told.0.into_inner().unwrap(), [3]);
    assert!(files(other.path()) == packed);

    // What is not ours is left alone.
    let strange = other.path().join(id(2, 2).file_name());
    fs::write(&strange, "my diary").unwrap();
    let error = convert(&options, |_| true, &()).unwrap_err();
    assert!(matches!(error, PackError::Table(TableError::NotATable { .. })), "{error}");
    assert_eq!(fs::read(&strange).unwrap(), b"my diary");
}

#[test]
fn an_interrupt_keeps_finished_layers() {
    struct StopAt(u8, std::sync::atomic::AtomicBool);
    impl Progress for StopAt {
        fn layer_started(&self, layer: LayerId) {
            self.1.store(layer.stones == self.0, std::sync::atomic::Ordering::SeqCst);
        }
        fn interrupted(&self) -> bool {
            self.1.load(std::sync::atomic::Ordering::SeqCst)
        }
    }
    let folder = small(6);
    let options = Options { from: folder.path(), to: folder.path(), encoding: Encoding::Compact };
    let summary = convert(&options, |_| true, &StopAt(4, Default::default())).unwrap();
    assert_eq!((summary.converted.len(), summary.finished), (4, false));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 7 + 1, "the layers and the lock");
    assert_eq!(pack(folder.path()).kept.len(), 4);
    same_values::<2>(small(6).path(), folder.path(), Rules::Standard);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_no_signal() {
    for encoding in Encoding::ALL {
        let folder = small(6);
        into(folder.path(), folder.path(), encoding);
        let path = folder.path().join(id(2, 6).file_name());
        let layer = LayerFile::open(&path).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
        for block in 1..6 {
            for error in [layer.matrix(block).unwrap_err(), layer.check_block(block).unwrap_err()] {
                assert!(matches!(error, TableError::Io(_)), "{error}");
                assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
            }
        }
    }
}

#[test]
fn an_abandoned_compact_layer_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let folder = Folder::open_for_writing(directory.path(), || ()).unwrap();
    let id = id(2, 2);
    let mut writer = CompactWriter::create(&folder, id).unwrap();
    writer.write_block(&[0, 1, 2, 1]).unwrap();
    assert!(matches!(writer.seal(), Err(TableError::Incomplete { block: 0, .. })));
    let mut writer = CompactWriter::create(&folder, id).unwrap();
    let error = writer.write_block(&[0, 1, 2, 3]).unwrap_err();
    assert!(matches!(error, TableError::ImpossibleShare { block: 1, share: 3, stones: 2, .. }));
    drop(writer);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "the lock");
}

/// A million random positions of every layer, and all values of those that are small enough.
fn layers_are_the_same_packed(rules: Rules) {
    let tables = std::env::var_os("KALAH_TABLES").expect("the folder of the tables");
    let (from, to) = (Path::new(&tables), tempfile::tempdir().unwrap());
    let to = to.path();
    let highest = Tablebase::<6>::open(from, rules).unwrap().stones().unwrap();
    let opened = [from, to].map(|path| Folder::open_for_reading(path).unwrap());
    for stones in 0..=highest as u8 {
        let id = LayerId { rules, pits: 6, stones };
        let options = Options { from, to, encoding: Encoding::Compact };
        convert(&options, |layer| *layer == id, &()).unwrap();
        let [bytes, compact] =
            opened.each_ref().map(|folder| folder.open_layer(&id).unwrap().unwrap());
        if stones <= 16 {
            for mover in 0..=usize::from(stones) {
                assert!(bytes.matrix(mover).unwrap() == compact.matrix(mover).unwrap());
            }
        }
        let layer = Layer::<6>::new(stones.into()).unwrap();
        let step = (layer.positions() / 1_000_000).max(1);
        for index in (0..layer.positions()).step_by(step as usize) {
            // A place in each stretch of the layer.
            let index = index + index.wrapping_mul(0x9e37_79b9_7f4a_7c15) % step;
            let (mover, opponent) = layer.position(index.min(layer.positions() - 1));
            let ranks = [&mover, &opponent].map(kalah::ranking::rank_row);
            let block = mover.iter().sum::<u8>().into();
            let share = |layer: &LayerFile| layer.share(block, ranks[0], ranks[1]).unwrap();
            assert_eq!(share(&bytes), share(&compact), "{id}, {mover:?} {opponent:?}");
        }
        fs::remove_file(compact.path()).unwrap();
    }
}

#[test]
#[ignore = "needs tables up to 25 stones, both rule sets, in the folder KALAH_TABLES names"]
fn large_layers_are_the_same_packed() {
    Rules::ALL.into_iter().for_each(layers_are_the_same_packed);
}
