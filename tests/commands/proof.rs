//! `kalah verify --proof`.

use std::fs;

use kalah::rules::Board;
use kalah::search::proof::{Relation, Statement, write};
use kalah::search::{Options, Question, Searcher};
use kalah::tables::Tablebase;

use super::common::proof_file::ProofFile;
use super::*;

/// A proof of what one stone a pit is worth, with tables of up to 8 stones.
fn proof() -> &'static Path {
    static PROOF: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
        let tables = Tablebase::<6>::open(tables(), Rules::Standard).unwrap();
        let options = Options { hash: 1 << 20, threads: 1 };
        let searcher = Searcher::new(Rules::Standard, Some(&tables), options).unwrap();
        let opening = Board::opening(1).unwrap();
        let bounds = searcher.solve(opening.pits(), Question::Exact, &()).unwrap();
        let value = bounds.exact().unwrap();
        let statement = Statement::new(Rules::Standard, &opening, Relation::Exactly, value);
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("one.proof");
        write(&searcher, &statement, &file, &()).unwrap();
        (folder, file)
    });
    &PROOF.1
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The proof with something else in it, in a folder of its own.
fn altered(alter: impl FnOnce(&mut ProofFile)) -> (TempDir, PathBuf) {
    let mut file = ProofFile::parse(&fs::read(proof()).unwrap());
    alter(&mut file);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("other.proof");
    fs::write(&path, file.bytes()).unwrap();
    (folder, path)
}

#[test]
fn a_sound_proof_passes() {
    let (status, out, err) = run(&["verify", "--proof", text(proof())]);
    assert_eq!((status, err.as_str()), (0, ""));
    let said = "Proved: the player to move in 1,1,1,1,1,1,0,1,1,1,1,1,1,0 ends with exactly ";
    assert!(out.starts_with(said), "{out}");
    assert!(out.contains(" claims hold, with "), "{out}");

    let (status, out, _) = run(&["verify", "--proof", text(proof()), "--quiet"]);
    assert_eq!((status, out.as_str()), (0, ""));

    let (status, out, _) = run(&["verify", "--proof", text(proof()), "--json"]);
    assert_eq!(status, 0);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    let file = ProofFile::parse(&fs::read(proof()).unwrap());
    assert_eq!(found["holds"], true);
    assert_eq!(found["position"], "1,1,1,1,1,1,0,1,1,1,1,1,1,0");
    assert_eq!((&found["relation"], &found["value"]), (&"exactly".into(), &file.value.into()));
    assert_eq!(found["claims"], file.claims.len());
    assert!(found["probes"].as_u64() > Some(0), "{out}");
    assert!(found.get("fault").is_none(), "{out}");
}

#[test]
fn the_first_bad_claim_is_named() {
    let (_folder, path) = altered(|file| file.claims[2].share = 200);
    let (status, line) = complaint(&["verify", "--proof", text(&path)]);
    assert_eq!(status, 1);
    assert!(line.starts_with("claim 3 does not hold, that the player to move in "), "{line}");

    let (status, out, err) = run(&["verify", "--proof", text(&path), "--json"]);
    assert_eq!(status, 1);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["holds"], false);
    assert_eq!(format!("kalah: {}\n", found["fault"].as_str().unwrap()), err);

    let (_folder, path) = altered(|file| file.value += 2);
    let (status, line) = complaint(&["verify", "--proof", text(&path)]);
    assert_eq!(status, 1);
    assert!(line.starts_with("the statement does not follow from the claims: "), "{line}");
}

#[test]
fn tables_that_are_not_there_come_with_their_command() {
    let folder = TempDir::new().unwrap();
    let file = ProofFile::parse(&fs::read(proof()).unwrap());
    let most = file.layers.last().unwrap().0;
    for tables in [folder.path().to_owned(), folder.path().join("none")] {
        let arguments = ["verify", "--proof", text(proof()), "--tables", text(&tables)];
        let (status, line) = complaint(&arguments);
        assert_eq!(status, 1);
        assert!(line.starts_with("the proof leans on "), "{line}");
        let command = format!("; kalah generate --stones {most} --tables ");
        assert!(line.contains(&command) && line.ends_with(" makes it"), "{line}");
    }
    let (_folder, path) = altered(|file| file.layers[0].1[0] ^= 1);
    let (status, line) = complaint(&["verify", "--proof", text(&path)]);
    assert_eq!(status, 1);
    assert!(line.contains("stones.kalah is another file than the proof leans on"), "{line}");
}

#[test]
fn what_is_no_proof_is_wrong_input_and_what_is_damaged_fails() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.proof");
    let (status, line) = complaint(&["verify", "--proof", text(&path)]);
    assert_eq!(status, 2);
    assert!(line.contains("cannot read ") && line.contains("a.proof"), "{line}");
    for nonsense in ["", "nonsense that is longer than what a proof begins with"] {
        fs::write(&path, nonsense).unwrap();
        let (status, line) = complaint(&["verify", "--proof", text(&path)]);
        assert_eq!(status, 2);
        assert!(line.ends_with("a.proof is not a proof; kalah solve --proof FILE writes one"));
    }
    let bytes = fs::read(proof()).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let (status, line) = complaint(&["verify", "--proof", text(&path)]);
    assert_eq!(status, 1);
    assert!(line.contains("a.proof is damaged or cut off"), "{line}");

    let (status, line) = complaint(&["verify", "--full", "--proof", text(proof())]);
    assert_eq!(status, 2);
    assert!(line.contains("cannot be used with"), "{line}");
}
