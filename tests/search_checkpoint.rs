//! Searches that are interrupted, saved and taken up again, by way of files.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use kalah::files::ReplaceError;
use kalah::rules::{Board, Pits, Rules};
use kalah::search::checkpoint::{Checkpoint, CheckpointError, Pace, Saved, Saver};
use kalah::search::{Bounds, Options, Question, SearchError, Searcher, Status, Watch};
use proptest::prelude::*;
use tempfile::TempDir;

const RULES: Rules = Rules::EmptyCapture;

/// A transposition table that is large enough for everything here.
const HASH: usize = 16 << 20;

fn searcher<const P: usize>(hash: usize) -> Searcher<'static, P> {
    Searcher::new(RULES, None, Options { hash, threads: 1 }).unwrap()
}

/// Lets a search go on for so many nodes.
struct Nodes {
    most: u64,
    searched: AtomicU64,
}

impl Nodes {
    fn most(most: u64) -> Self {
        Nodes { most, searched: AtomicU64::new(0) }
    }
}

impl Watch for Nodes {
    fn interrupted(&self) -> bool {
        self.searched.load(Relaxed) >= self.most
    }

    fn status(&self, status: &Status) {
        self.searched.store(status.nodes, Relaxed);
    }
}

/// One process: takes up what is there, searches for so many nodes, saves.
fn search<const P: usize>(
    path: &Path,
    board: &Board<P>,
    options: Options,
    nodes: u64,
) -> (Bounds, Saved) {
    let mut searcher = Searcher::<P>::new(RULES, None, options).unwrap();
    let mut before = Default::default();
    if let Some(checkpoint) = Checkpoint::open(path, RULES, board).unwrap() {
        before = checkpoint.spent();
        searcher = checkpoint.resume(searcher).unwrap();
    }
    let watch = Nodes::most(nodes);
    let (bounds, saved) = Saver::new(&searcher, *board, path)
        .continuing(before)
        .run(&|_| (), || searcher.solve(board.pits(), Question::Exact, &watch))
        .unwrap();
    (bounds, saved.unwrap())
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_search_in_many_pieces_finds_the_same_value_with_few_more_nodes() {
    let board = Board::<4>::opening(4).unwrap();
    let undisturbed = searcher::<4>(HASH);
    let expected = undisturbed.solve(board.pits(), Question::Exact, &()).unwrap();
    let whole = undisturbed.nodes();
    // Pieces as long as the shallow searches that each process begins with, and longer.
    let mut random = 12_345u64;
    let folder = folder();
    let path = folder.path().join("search");
    let mut pieces = 0;
    let (bounds, saved) = loop {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let options = Options {
            // From more to less room, and back.
            hash: if pieces % 2 == 0 { HASH } else { HASH / 3 },
            threads: 1 + pieces % 3,
        };
        let (bounds, saved) =
            search(&path, &board, options, whole / 8 + (random >> 33) % (whole / 8));
        pieces += 1;
        assert!(bounds.low <= expected.low && expected.high <= bounds.high);
        assert!(pieces < 100, "no search needs so many pieces");
        if Question::Exact.is_settled(bounds) {
            break (bounds, saved);
        }
    };
    assert_eq!(bounds, expected);
    assert!(pieces > 3, "only {pieces} pieces");
    assert!(saved.spent.nodes < 2 * whole, "{} instead of {whole} nodes", saved.spent.nodes);
    assert!(saved.spent.nodes > whole / 2);

    // What is settled is not searched again.
    let (again, after) = search(&path, &board, Options { hash: HASH, threads: 1 }, u64::MAX);
    assert_eq!((again, after.spent.nodes), (expected, saved.spent.nodes));
}

#[test]
fn bounds_are_kept_when_no_entry_is() {
    let board = Board::<3>::new([4; 3], 2, [4; 3], 1).unwrap();
    let folder = folder();
    let path = folder.path().join("search");
    let first = searcher::<3>(HASH);
    let value = first.solve(board.pits(), Question::Exact, &()).unwrap();
    let next: Vec<Pits<3>> = board.pits().moves(RULES).map(|(_, sown)| sown.pits).collect();
    let values = next.iter().map(|pits| first.solve(pits, Question::Exact, &()).unwrap());
    let values: Vec<Bounds> = values.collect();
    let pace = Pace { bytes: 0, ..Pace::default() };
    let saver = Saver::new(&first, board, &path).with_positions(next.clone()).with_pace(pace);
    assert_eq!(saver.save().unwrap().entries, 0);

    let checkpoint = Checkpoint::open(&path, RULES, &board).unwrap().unwrap();
    let mut expected = vec![(*board.pits(), value)];
    expected.extend(next.iter().copied().zip(values));
    assert_eq!(checkpoint.bounds(), expected);
    assert_eq!(checkpoint.spent().nodes, first.nodes());
    let second = checkpoint.resume(searcher::<3>(HASH)).unwrap();
    for (pits, bounds) in expected {
        assert_eq!(second.known(&pits).unwrap(), bounds);
    }
}

#[test]
fn a_file_has_as_many_bytes_as_it_may() {
    let board = Board::<3>::opening(4).unwrap();
    let folder = folder();
    let path = folder.path().join("search");
    let searcher = searcher::<3>(HASH);
    searcher.solve(board.pits(), Question::Exact, &()).unwrap();
    let all = Saver::new(&searcher, board, &path).save().unwrap();
    let pace = Pace { bytes: 1000, ..Pace::default() };
    let few = Saver::new(&searcher, board, &path).with_pace(pace).save().unwrap();
    assert!(all.entries > 1000 && few.entries <= 1000 / 5 && few.entries > 100);
    assert_eq!(few.bytes, fs::metadata(&path).unwrap().len());
    assert!(few.bytes < 1200);
}

#[test]
fn saving_goes_on_while_the_search_does() {
    let board = Board::<4>::opening(4).unwrap();
    let expected = searcher::<4>(HASH).solve(board.pits(), Question::Exact, &()).unwrap();
    let folder = folder();
    let path = folder.path().join("search");
    let options = Options { hash: HASH, threads: 2 };
    let running = Searcher::<4>::new(RULES, None, options).unwrap();
    let saves = Mutex::new(Vec::new());
    let told = |saved: &Result<Saved, CheckpointError>| {
        let saved = *saved.as_ref().unwrap();
        // Each of them can be taken up.
        let checkpoint = Checkpoint::open(&path, RULES, &board).unwrap().unwrap();
        assert_eq!(checkpoint.entries(), saved.entries);
        checkpoint.resume(searcher::<4>(HASH)).unwrap();
        saves.lock().unwrap().push(saved);
    };
    // So that there are some, the search does not end before.
    let enough = || saves.lock().unwrap().len() >= 3;
    let pace = Pace { interval: Duration::ZERO, ..Pace::default() };
    let (bounds, last) = Saver::new(&running, board, &path)
        .with_pace(pace)
        .run(&told, || {
            let bounds = running.solve(board.pits(), Question::Exact, &())?;
            while !enough() {
                std::thread::yield_now();
            }
            Ok::<_, SearchError>(bounds)
        })
        .unwrap();
    assert_eq!(bounds, expected);
    let last = last.unwrap();
    assert!(saves.into_inner().unwrap().iter().all(|saved| saved.spent.nodes <= last.spent.nodes));
    let checkpoint = Checkpoint::open(&path, RULES, &board).unwrap().unwrap();
    assert_eq!(checkpoint.bounds(), [(*board.pits(), expected)]);
}

#[test]
fn a_save_that_fails_is_told_and_the_search_goes_on() {
    let board = Board::<3>::opening(4).unwrap();
    let folder = folder();
    let path = folder.path().join("missing").join("search");
    let searcher = searcher::<3>(HASH);
    let (bounds, saved) = Saver::new(&searcher, board, &path)
        .run(&|_| (), || searcher.solve(board.pits(), Question::Exact, &()))
        .unwrap();
    assert!(bounds.exact().is_some());
    assert!(matches!(saved, Err(CheckpointError::Replace(ReplaceError::Folder { .. }))));
}

/// Where [`a_process_to_be_killed`] saves; nothing when it is not that process.
const SAVE_TO: &str = "KALAH_TEST_SAVE_TO";

#[test]
fn a_process_to_be_killed() {
    let Some(path) = std::env::var_os(SAVE_TO) else { return };
    let board = Board::<3>::opening(4).unwrap();
    let searcher = searcher::<3>(HASH);
    searcher.solve(board.pits(), Question::Exact, &()).unwrap();
    let saver = Saver::new(&searcher, board, path);
    loop {
        saver.save().unwrap();
    }
}

#[test]
fn a_killed_process_leaves_a_whole_checkpoint() {
    let board = Board::<3>::opening(4).unwrap();
    let folder = folder();
    let path = folder.path().join("search");
    for kill in 0..10 {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_process_to_be_killed"])
            .env(SAVE_TO, &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while !path.exists() {
            assert!(process.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(5 + 7 * kill));
        process.kill().unwrap();
        process.wait().unwrap();
        let checkpoint = Checkpoint::open(&path, RULES, &board).unwrap().unwrap();
        let second = checkpoint.resume(searcher::<3>(HASH)).unwrap();
        assert!(second.known(board.pits()).unwrap().exact().is_some());
        if kill % 2 == 0 {
            fs::remove_file(&path).unwrap();
        }
    }
}

/// A small checkpoint.
fn written(path: &Path) -> Board<3> {
    let board = Board::<3>::opening(3).unwrap();
    let searcher = searcher::<3>(HASH);
    searcher.solve(board.pits(), Question::Exact, &()).unwrap();
    let pace = Pace { bytes: 500, ..Pace::default() };
    Saver::new(&searcher, board, path).with_pace(pace).save().unwrap();
    board
}

/// Opens and takes up.
fn take_up(path: &Path, board: &Board<3>) -> Result<(), CheckpointError> {
    let checkpoint = Checkpoint::open(path, RULES, board)?.unwrap();
    checkpoint.resume(searcher::<3>(1 << 16)).map(|_| ())
}

fn refusal<T>(result: Result<T, CheckpointError>) -> String {
    let text = result.map(|_| ()).unwrap_err().to_string();
    assert!(!text.contains('\n'));
    text
}

#[test]
fn checkpoints_of_other_problems_are_refused() {
    let folder = folder();
    let path = folder.path().join("search");
    let board = written(&path);
    assert!(take_up(&path, &board).is_ok());
    let name = path.display();

    let other = Board::<3>::opening(4).unwrap();
    assert_eq!(
        refusal(Checkpoint::open(&path, RULES, &other)),
        format!(
            "{name} is a checkpoint of empty-capture rules, 3 pits a side, position \
             3,3,3,0,3,3,3,0, not of empty-capture rules, 3 pits a side, position \
             4,4,4,0,4,4,4,0; ask for that, or name another file to begin anew"
        )
    );
    let stores = Board::new([3; 3], 1, [3; 3], 0).unwrap();
    assert!(Checkpoint::open(&path, RULES, &stores).is_err());
    let rules = refusal(Checkpoint::open(&path, Rules::Standard, &board));
    assert!(rules.contains("of empty-capture rules") && rules.contains("not of standard rules"));
    let pits = refusal(Checkpoint::open(&path, RULES, &Board::<1>::opening(3).unwrap()));
    assert!(pits.contains("3 pits a side") && pits.contains("not of empty-capture rules, 1 pit a"));

    let checkpoint = Checkpoint::open(&path, RULES, &board).unwrap().unwrap();
    let searcher = Searcher::new(Rules::Standard, None, Options::default()).unwrap();
    assert!(refusal(checkpoint.resume(searcher)).contains("not of standard rules"));
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let folder = folder();
    let board = Board::<3>::opening(3).unwrap();
    let path = folder.path().join("search");
    assert!(Checkpoint::open(&path, RULES, &board).unwrap().is_none());
    for content in ["", "notes", "a text of more than sixteen bytes\n"] {
        fs::write(&path, content).unwrap();
        assert!(refusal(take_up(&path, &board)).contains("is not a checkpoint; name another"));
    }
    assert!(refusal(take_up(folder.path(), &board)).contains("is not a file"));
    written(&path);
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 2;
    fs::write(&path, &bytes).unwrap();
    assert!(refusal(take_up(&path, &board)).contains("version 2 and this program reads version 1"));
}

#[test]
fn lengths_that_lie_are_refused_without_room_for_them() {
    let folder = folder();
    let path = folder.path().join("search");
    let board = written(&path);
    let good = fs::read(&path).unwrap();
    let header = 16 + u32::from_le_bytes(good[12..16].try_into().unwrap()) as usize;
    // Entries, after rules, pits, position and what was spent; and bounds, after the digest.
    let (entries, bounds) = (16 + 2 + 8 + 24, 16 + 2 + 8 + 24 + 8 + 32);
    for place in [entries..entries + 8, bounds..bounds + 2, 16..17, 17..18, 18..19] {
        let mut bytes = good.clone();
        bytes[place].fill(0xff);
        let digest = blake3::hash(&bytes[..header]);
        bytes[header..header + 32].copy_from_slice(digest.as_bytes());
        fs::write(&path, &bytes).unwrap();
        assert!(refusal(take_up(&path, &board)).contains("is damaged"));
    }
    let mut bytes = good.clone();
    bytes[12..16].fill(0xff);
    fs::write(&path, &bytes).unwrap();
    assert!(refusal(take_up(&path, &board)).contains("its header is too long"));
}

#[test]
fn every_flipped_bit_of_a_header_is_found() {
    let folder = folder();
    let path = folder.path().join("search");
    let board = written(&path);
    let good = fs::read(&path).unwrap();
    let entries = 48 + u32::from_le_bytes(good[12..16].try_into().unwrap()) as usize;
    for bit in 0..8 * entries {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bytes).unwrap();
        assert!(Checkpoint::open(&path, RULES, &board).is_err(), "bit {bit}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn no_damage_goes_unseen(
        flips in prop::collection::vec(any::<(prop::sample::Index, u8)>(), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        tail in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let folder = folder();
        let path = folder.path().join("search");
        let board = written(&path);
        let good = fs::read(&path).unwrap();
        let mut bytes = good.clone();
        for (at, flip) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes.extend(tail);
        fs::write(&path, &bytes).unwrap();
        prop_assert_eq!(take_up(&path, &board).is_ok(), bytes == good);
    }
}
