//! Going on inside a layer that a run before did not finish.

use super::*;

const ENCODINGS: [&str; 2] = ["bytes", "compact"];

/// A run that has room for nothing but what it needs, and saves whatever is finished at once.
fn sparing(encoding: &str) -> [&str; 8] {
    ["--stones", ENDLESS, "--save-every", "0", "--memory", "360M", "--encoding", encoding]
}

/// What is there of a layer that was begun.
fn begun(folder: &Path, stones: u8) -> [PathBuf; 2] {
    ["partial", "journal"].map(|ending| folder.join(format!(".{}.{ending}", name(stones))))
}

/// A folder in which a layer was begun, and its stones.
fn interrupted(encoding: &str) -> (TempDir, u8) {
    // The moment may be one between two layers.
    for _ in 0..20 {
        let folder = TempDir::new().unwrap();
        let mut run = Running::start(folder.path(), &sparing(encoding));
        run.until_there_is(&begun(folder.path(), 16)[1]);
        run.signal("INT");
        let ended = run.end();
        assert_eq!(ended.code(), Some(3), "{ended:?}");
        let layer = (16..22).find(|&stones| begun(folder.path(), stones)[1].exists());
        if let Some(layer) = layer {
            return (folder, layer);
        }
    }
    panic!("nothing is kept of a layer that was begun");
}

/// Finishes the layer and compares it with what a run makes that begins anew.
fn finished(folder: &Path, stones: u8, encoding: &str) -> Ended {
    let last = stones.to_string();
    let arguments = ["--stones", &last, "--encoding", encoding];
    let ended = generate(folder, &[&arguments[..], &["--progress"]].concat());
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    assert!(begun(folder, stones).iter().all(|file| !file.exists()));
    let file = folder.join(name(stones));
    let resumed = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    generate(folder, &[&arguments[..], &["--threads", "1"]].concat()).succeeds();
    assert!(fs::read(&file).unwrap() == resumed, "{stones} stones differ");
    ended
}

#[test]
fn an_interrupted_layer_is_gone_on_with() {
    for encoding in ENCODINGS {
        let (folder, stones) = interrupted(encoding);
        let ended = finished(folder.path(), stones, encoding);
        let expected = format!("kalah: going on with layer {stones}, of which ");
        assert!(ended.err.lines().any(|line| line.starts_with(&expected)), "{ended:?}");
        assert!(ended.out.contains(" of an earlier run, in "), "{ended:?}");
    }
}

#[test]
fn a_layer_is_gone_on_with_after_any_number_of_kills() {
    for encoding in ENCODINGS {
        let folder = TempDir::new().unwrap();
        let mut random = 7u32;
        for kill in 0..10 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let run = Running::start(folder.path(), &sparing(encoding));
            sleep(Duration::from_millis(40 * kill + u64::from(random >> 16) % 80));
            run.kill();
        }
        let last = (0..22).find(|&stones| !folder.path().join(name(stones)).exists());
        let last = last.expect("a run of so many stones does not end");
        finished(folder.path(), last, encoding);
        // All that was finished is what was to be, whichever way it is written.
        let mut unpack = Command::new(program());
        let unpack = unpack.args(["unpack", "--tables"]).arg(folder.path());
        if encoding == "compact" {
            assert_eq!(Ended::of(unpack).code(), Some(0));
        }
        assert_goes_on(folder.path());
    }
}

#[test]
fn what_was_begun_in_another_encoding_is_neither_removed_nor_forgotten() {
    for (begun_in, other) in [("bytes", "compact"), ("compact", "bytes")] {
        let (folder, stones) = interrupted(begun_in);
        let before = begun(folder.path(), stones).map(|file| fs::read(file).unwrap());
        let last = stones.to_string();
        let ended = generate(folder.path(), &["--stones", &last, "--encoding", other]);
        let line = ended.complaint();
        let expected = format!("{} holds ", begun(folder.path(), stones)[0].display());
        assert!(line.starts_with(&expected), "{line}");
        let expected = format!("with --encoding {begun_in}; go on with that, or remove the file");
        assert!(line.contains(&expected), "{line}");
        assert!(before == begun(folder.path(), stones).map(|file| fs::read(file).unwrap()));
        // Who asks for neither goes on, and gets what was begun.
        let ended = generate(folder.path(), &["--stones", &last, "--progress"]);
        assert!(ended.err.contains(&format!("going on with layer {stones}, ")), "{ended:?}");
        let finished = fs::read(folder.path().join(name(stones))).unwrap();
        fs::remove_file(folder.path().join(name(stones))).unwrap();
        generate(folder.path(), &["--stones", &last, "--encoding", begun_in]).succeeds();
        assert!(fs::read(folder.path().join(name(stones))).unwrap() == finished);
    }
}

#[test]
fn damage_is_told_and_the_layer_begun_anew() {
    for (part, encoding) in [(0, "bytes"), (0, "compact"), (1, "bytes")] {
        let (folder, stones) = interrupted(encoding);
        let file = &begun(folder.path(), stones)[part];
        let mut bytes = fs::read(file).unwrap();
        // The first block to be finished is the one in the middle.
        let place = match (part, encoding) {
            (1, _) => bytes.len() / 2,
            (_, "bytes") => bytes.len() / 2 + 5_000,
            _ => 20_000,
        };
        bytes[place] ^= 1;
        fs::write(file, bytes).unwrap();
        let ended = finished(folder.path(), stones, encoding);
        let damaged = format!("kalah: what {} holds of the layer is damaged; it ", file.display());
        let told = ended.err.lines().any(|line| line.starts_with(&damaged));
        // What says nothing does not say that there is anything.
        assert_eq!(told, part == 0, "{ended:?}");
        assert!(!ended.err.contains("going on with"), "{ended:?}");
    }
}

#[test]
fn what_is_of_no_use_is_removed() {
    let (folder, stones) = interrupted("bytes");
    let [partial, journal] = begun(folder.path(), stones);
    // Without a journal nobody knows what is right, and a journal alone is worth nothing.
    let removed = |change: &dyn Fn()| {
        let (kept_partial, kept_journal) =
            (fs::read(&partial).unwrap(), fs::read(&journal).unwrap());
        change();
        generate(folder.path(), &["--stones", "3"]).succeeds();
        assert!(!partial.exists() && !journal.exists());
        fs::write(&partial, kept_partial).unwrap();
        fs::write(&journal, kept_journal).unwrap();
    };
    removed(&|| fs::remove_file(&journal).unwrap());
    removed(&|| fs::remove_file(&partial).unwrap());
    removed(&|| fs::write(&journal, "of another program").unwrap());
    // What is of use stays until it is used.
    generate(folder.path(), &["--stones", "3"]).succeeds();
    assert!(partial.exists() && journal.exists());
}
