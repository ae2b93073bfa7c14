//! Proofs: what is true is proved and passes the check; whatever passes the check is true.

mod common;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use common::negamax::Negamax;
use common::proof_file::{Claim, ProofFile, sign};
use kalah::ranking::Layer;
use kalah::rules::plain::{Position, over_margin, successor};
use kalah::rules::{Board, Rules};
use kalah::search::proof::{
    CheckError, Fault, FindError, Proof, ReadError, Relation, Report, Statement, WriteError, write,
};
use kalah::search::{Options, Question, Searcher, Watch};
use kalah::tables::{TableError, Tablebase, build};
use proptest::prelude::*;
use tempfile::TempDir;

/// No folder of tables.
const NOWHERE: &str = "/nonexistent";

/// Enough for these games.
const SMALL: Options = Options { hash: 1 << 20, threads: 1 };

/// Writes a proof and reads it again, and gives its bytes too.
fn prove<const P: usize>(
    searcher: &Searcher<'_, P>,
    statement: &Statement,
) -> Result<(Proof, Vec<u8>), WriteError> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("a.proof");
    let written = write(searcher, statement, &file, &())?;
    let read = Proof::read(&file).unwrap();
    assert_eq!(read, written);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the proof alone is left");
    Ok((read, fs::read(&file).unwrap()))
}

/// Proves a statement without tables.
fn prove_alone<const P: usize>(statement: &Statement) -> Proof {
    let searcher = Searcher::<P>::new(statement.rules(), None, SMALL).unwrap();
    prove(&searcher, statement).unwrap().0
}

/// Proves the value of an opening and of none but that.
fn opening<const P: usize>(rules: Rules, seeds: u8, value: i16, folder: Option<&Path>) {
    let board = Board::<P>::opening(seeds).unwrap();
    let tables = folder.map(|folder| Tablebase::<P>::open(folder, rules).unwrap());
    let searcher = Searcher::<P>::new(rules, tables.as_ref(), SMALL).unwrap();
    let prove = |relation, value| {
        let statement = Statement::new(rules, &board, relation, value);
        prove(&searcher, &statement).map(|(proof, _)| proof)
    };
    for relation in Relation::ALL {
        let proof = prove(relation, value).unwrap();
        let report = proof.check(folder.unwrap_or(NOWHERE.as_ref()), &()).unwrap();
        assert_eq!(report.claims, proof.claims());
        assert_eq!(report.probes == 0, proof.layers().len() == 0);
    }
    for (relation, wrong) in [
        (Relation::AtLeast, value + 1),
        (Relation::AtMost, value - 1),
        (Relation::Exactly, value + 2),
        (Relation::Exactly, value - 2),
        (Relation::Exactly, value + 1),
    ] {
        let refused = prove(relation, wrong).unwrap_err();
        assert!(matches!(refused, WriteError::Find(FindError::NotTrue(_))), "{refused}");
    }
}

fn openings<const P: usize>(seeds: std::ops::RangeInclusive<u8>, reaches: &[usize]) {
    for rules in Rules::ALL {
        let truth = Negamax::<P>::new(rules, 2 * P * usize::from(*seeds.end()));
        for &reach in reaches {
            let folder = TempDir::new().unwrap();
            for stones in 0..=reach {
                truth.write_layer(folder.path(), stones, |_, _| ());
            }
            for seeds in seeds.clone() {
                let value = truth.margin(&[seeds; P], &[seeds; P]);
                opening::<P>(rules, seeds, value, (reach > 0).then_some(folder.path()));
            }
        }
    }
}

#[test]
fn openings_of_few_pits_are_proved() {
    openings::<1>(1..=4, &[0, 3]);
    openings::<2>(1..=4, &[0, 6, 12]);
    openings::<3>(1..=4, &[0, 6, 12]);
    openings::<4>(1..=2, &[0, 6, 12]);
}

#[test]
fn three_stones_in_four_pits_are_proved() {
    for rules in Rules::ALL {
        let folders = [24, 12].map(|stones| {
            let folder = TempDir::new().unwrap();
            let options = build::Options::new(rules, stones);
            build::build::<4>(folder.path(), &options, &()).unwrap();
            folder
        });
        let truth = Tablebase::<4>::open(folders[0].path(), rules).unwrap();
        let value = truth.value(&Board::opening(3).unwrap()).unwrap();
        opening::<4>(rules, 3, value, Some(folders[1].path()));
    }
}

#[test]
fn openings_of_six_pits_are_proved() {
    for rules in Rules::ALL {
        let folder = TempDir::new().unwrap();
        let options = build::Options::new(rules, 12);
        build::build::<6>(folder.path(), &options, &()).unwrap();
        let tables = Tablebase::<6>::open(folder.path(), rules).unwrap();
        let searcher = Searcher::<6>::new(rules, Some(&tables), SMALL).unwrap();
        let board = Board::<6>::opening(2).unwrap();
        let bounds = searcher.solve(board.pits(), Question::Exact, &()).unwrap();
        let value = bounds.exact().unwrap();
        // Published for standard rules (CMancala v12.2).
        assert!(rules != Rules::Standard || value == 6);
        opening::<6>(rules, 2, value, Some(folder.path()));
    }
}

#[test]
fn threads_and_little_memory_change_no_truth() {
    let rules = Rules::Standard;
    let truth = Negamax::<3>::new(rules, 18);
    let folder = TempDir::new().unwrap();
    (0..=5).for_each(|stones| truth.write_layer(folder.path(), stones, |_, _| ()));
    let tables = Tablebase::<3>::open(folder.path(), rules).unwrap();
    let value = truth.margin(&[3; 3], &[3; 3]);
    let board = Board::<3>::opening(3).unwrap();
    let statement = Statement::new(rules, &board, Relation::Exactly, value);
    for options in [
        // A single bucket: what the search found out is forgotten at once.
        Options { hash: 64, threads: 1 },
        Options { hash: 1 << 12, threads: 2 },
        Options { hash: 1 << 20, threads: 3 },
    ] {
        let searcher = Searcher::new(rules, Some(&tables), options).unwrap();
        let (proof, _) = prove::<3>(&searcher, &statement).unwrap();
        proof.check(folder.path(), &()).unwrap();
    }
}

#[test]
fn stores_count() {
    let truth = Negamax::<2>::new(Rules::Standard, 6);
    let margin = truth.margin(&[1, 2], &[2, 1]);
    let board = Board::<2>::new([1, 2], 7, [2, 1], 3).unwrap();
    let exact = Statement::new(Rules::Standard, &board, Relation::Exactly, margin + 4);
    let proof = prove_alone::<2>(&exact);
    assert_eq!(proof.statement(), &exact);
    proof.check(NOWHERE, &()).unwrap();
    // What no play can miss needs no claim.
    let trivial = Statement::new(Rules::Standard, &board, Relation::AtLeast, -2);
    let proof = prove_alone::<2>(&trivial);
    assert_eq!(proof.claims(), 0);
    proof.check(NOWHERE, &()).unwrap();
    // A game that is over.
    let over = Board::<2>::new([0, 0], 7, [2, 1], 3).unwrap();
    let exact = Statement::new(Rules::Standard, &over, Relation::Exactly, 1);
    let proof = prove_alone::<2>(&exact);
    proof.check(NOWHERE, &()).unwrap();
}

#[test]
fn an_interrupted_proof_leaves_no_file() {
    struct Impatient;
    impl Watch for Impatient {
        fn interrupted(&self) -> bool {
            true
        }
    }
    let searcher = Searcher::<3>::new(Rules::Standard, None, SMALL).unwrap();
    let board = Board::<3>::opening(4).unwrap();
    let statement = Statement::new(Rules::Standard, &board, Relation::AtLeast, 1);
    let folder = TempDir::new().unwrap();
    let stopped = write(&searcher, &statement, &folder.path().join("a.proof"), &Impatient);
    assert!(matches!(stopped, Err(WriteError::Find(FindError::Interrupted))), "{stopped:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn another_game_is_refused() {
    let searcher = Searcher::<3>::new(Rules::Standard, None, SMALL).unwrap();
    let board = Board::<3>::opening(1).unwrap();
    let other_rules = Statement::new(Rules::EmptyCapture, &board, Relation::AtLeast, 0);
    let other_pits =
        Statement::new(Rules::Standard, &Board::<2>::opening(1).unwrap(), Relation::AtLeast, 0);
    for statement in [other_rules, other_pits] {
        let refused = Proof::find(&searcher, &statement, &());
        assert!(matches!(refused, Err(FindError::OtherGame)), "{refused:?}");
    }
}

const PITS: usize = 3;
const SEEDS: u8 = 3;
const REACH: u8 = 6;
/// The most stones of a position whose value is known.
const MOST: u8 = 18;

/// Everything about a small proof that is to be spoilt.
struct Sample {
    truth: Negamax<PITS>,
    tables: TempDir,
    file: ProofFile,
    bytes: Vec<u8>,
}

fn sample() -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let rules = Rules::Standard;
        let truth = Negamax::<PITS>::new(rules, MOST.into());
        let tables = TempDir::new().unwrap();
        (0..=usize::from(REACH)).for_each(|n| truth.write_layer(tables.path(), n, |_, _| ()));
        let value = truth.margin(&[SEEDS; PITS], &[SEEDS; PITS]);
        let board = Board::<PITS>::opening(SEEDS).unwrap();
        let statement = Statement::new(rules, &board, Relation::Exactly, value);
        let mapped = Tablebase::<PITS>::open(tables.path(), rules).unwrap();
        let searcher = Searcher::new(rules, Some(&mapped), SMALL).unwrap();
        let (_, bytes) = prove(&searcher, &statement).unwrap();
        let file = ProofFile::parse(&bytes);
        assert_eq!(file.bytes(), bytes);
        assert!(file.claims.len() > 10 && file.layers.len() > 1);
        Sample { truth, tables, file, bytes }
    })
}

/// Reads and checks these bytes; `None` when they are not read.
fn check(bytes: &[u8], tables: &Path) -> Option<Result<Report, CheckError>> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.proof");
    fs::write(&path, bytes).unwrap();
    match Proof::read(&path) {
        Ok(proof) => Some(proof.check(tables, &())),
        Err(error) => {
            let line = error.to_string();
            assert!(line.contains("a.proof") && !line.contains('\n'), "{line}");
            None
        }
    }
}

/// The position of a number, by the documentation.
fn position(number: u64) -> Position {
    let mut left = number;
    for stones in 0.. {
        let layer = Layer::<PITS>::new(stones).unwrap();
        if left < layer.positions() {
            let (mover, opponent) = layer.position(left);
            return Position { mover: mover.to_vec(), opponent: opponent.to_vec() };
        }
        left -= layer.positions();
    }
    unreachable!()
}

fn stones(position: &Position) -> u8 {
    position.mover.iter().chain(&position.opponent).sum()
}

impl Sample {
    /// What the player to move gets.
    fn share(&self, position: &Position) -> i16 {
        let row = |row: &[u8]| -> [u8; PITS] { row.try_into().unwrap() };
        let margin = self.truth.margin(&row(&position.mover), &row(&position.opponent));
        (margin + i16::from(stones(position))) / 2
    }

    /// What the player to move gets by this pit; `None` when it cannot be sown.
    fn share_by(&self, position: &Position, pit: u8) -> Option<i16> {
        let after = successor(position, usize::from(pit), Rules::Standard)?;
        let share = self.share(&after.next);
        let rest = if after.same_player { share } else { i16::from(stones(&after.next)) - share };
        Some(after.gained as i16 + rest)
    }

    /// Checks the file with one claim altered.
    fn altered(&self, place: usize, alter: impl Fn(&mut Claim)) -> Result<Report, CheckError> {
        let mut file = self.file.clone();
        alter(&mut file.claims[place]);
        check(&file.bytes(), self.tables.path()).expect("the file is well-formed")
    }
}

#[test]
fn every_claim_is_true_and_needed() {
    let sample = sample();
    for (place, claim) in sample.file.claims.iter().enumerate() {
        let position = position(claim.number);
        assert!(sample.share_by(&position, claim.pit) >= Some(claim.share.into()));
        let mut file = sample.file.clone();
        file.claims.remove(place);
        let checked = check(&file.bytes(), sample.tables.path()).unwrap();
        assert!(
            matches!(
                checked,
                Err(CheckError::Claim { fault: Fault::NotClaimed { .. }, .. }
                    | CheckError::Statement(Fault::NotClaimed { .. }))
            ),
            "{checked:?}"
        );
    }
}

#[test]
fn an_altered_share_is_found() {
    let sample = sample();
    for (place, claim) in sample.file.claims.iter().enumerate() {
        // Less than what others need of it.
        if claim.share > 1 {
            let checked = sample.altered(place, |claim| claim.share -= 1);
            assert!(checked.is_err(), "{claim:?}");
        }
        // More than the pit gives.
        let truth = sample.share_by(&position(claim.number), claim.pit).unwrap() as u8;
        for share in [truth + 1, u8::MAX] {
            let checked = sample.altered(place, |claim| claim.share = share);
            let first = place as u64 + 1;
            assert!(
                matches!(checked, Err(CheckError::Claim { claim, .. }) if claim == first),
                "{claim:?}: {checked:?}"
            );
        }
    }
}

#[test]
fn an_altered_pit_is_found() {
    let sample = sample();
    let mut bad = 0;
    for (place, claim) in sample.file.claims.iter().enumerate() {
        for pit in 0..8 {
            let truth = sample.share_by(&position(claim.number), pit);
            if truth < Some(claim.share.into()) {
                let checked = sample.altered(place, |claim| claim.pit = pit);
                let Err(CheckError::Claim { claim: named, fault, .. }) = checked else {
                    panic!("{claim:?} by {pit}: {checked:?}")
                };
                assert_eq!(named, place as u64 + 1);
                assert_eq!(truth.is_none(), fault == Fault::NoMove);
                bad += usize::from(truth.is_some());
            }
        }
    }
    assert!(bad > 0);
}

/// A position that a claim leans on in the tables, and whether the player to move there is the one
/// it is proved for.
fn leaned_on(sample: &Sample) -> (Position, bool) {
    for claim in &sample.file.claims {
        let after = successor(&position(claim.number), claim.pit.into(), Rules::Standard).unwrap();
        let rest = i32::from(claim.share) - after.gained as i32;
        let in_table = stones(&after.next) <= REACH && over_margin(&after.next).is_none();
        if rest > 0 && in_table {
            return (after.next, after.same_player);
        }
    }
    panic!("no claim leans on a table at once")
}

#[test]
fn a_wrong_byte_in_a_table_is_found() {
    let sample = sample();
    let (position, favoured) = leaned_on(sample);
    let n = stones(&position);
    let row = |row: &[u8]| -> [u8; PITS] { row.try_into().unwrap() };
    let layer = Layer::<PITS>::new(n.into()).unwrap();
    let mover: u8 = position.mover.iter().sum();
    let index = layer.index(&row(&position.mover), &row(&position.opponent));
    let within = (index - layer.block(mover.into()).start) as usize;
    // Nothing for the player that the proof is for.
    let wrong = if favoured { 0 } else { n };

    let name = format!("standard-{PITS}pits-{n:02}stones.kalah");
    let spoilt = |repaired: bool| {
        let folder = TempDir::new().unwrap();
        for file in fs::read_dir(sample.tables.path()).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        let file = folder.path().join(&name);
        if repaired {
            // A sound file with checksums and statistics that agree with the wrong byte.
            sample.truth.write_layer(folder.path(), n.into(), |block, bytes| {
                if block == usize::from(mover) {
                    assert_ne!(bytes[within], wrong);
                    bytes[within] = wrong;
                }
            });
        } else {
            let block_offset = {
                let layer = kalah::tables::LayerFile::open(&file).unwrap();
                layer.header().blocks()[usize::from(mover)].offset as usize
            };
            let mut bytes = fs::read(&file).unwrap();
            bytes[block_offset + within] = wrong;
            fs::write(&file, bytes).unwrap();
        }
        folder
    };
    for repaired in [false, true] {
        let folder = spoilt(repaired);
        let found = check(&sample.bytes, folder.path()).unwrap();
        assert!(
            matches!(&found, Err(CheckError::OtherTable { file }) if file.ends_with(&name)),
            "{found:?}"
        );
        // Somebody who means harm lists the spoilt file.
        let mut forged = sample.file.clone();
        let listed = forged.layers.iter_mut().find(|layer| layer.0 == n).unwrap();
        listed.1 = *blake3::hash(&fs::read(folder.path().join(&name)).unwrap()).as_bytes();
        let found = check(&forged.bytes(), folder.path()).unwrap();
        let named = match &found {
            Err(CheckError::Claim { fault: Fault::TooFew { .. }, .. }) => repaired,
            // As in a proof that was made over the spoilt file: its own checksums know.
            Err(CheckError::Table(TableError::BlockChecksum { file, block })) => {
                !repaired && file.ends_with(&name) && *block == usize::from(mover)
            }
            _ => false,
        };
        assert!(named, "{found:?}");
    }
}

#[test]
fn tables_that_are_missing_or_unlisted_are_named() {
    let sample = sample();
    let (last, _) = *sample.file.layers.last().unwrap();
    let empty = TempDir::new().unwrap();
    for folder in [empty.path(), NOWHERE.as_ref()] {
        let found = check(&sample.bytes, folder).unwrap();
        let Err(CheckError::MissingTable { file, most }) = found else { panic!("{found:?}") };
        assert_eq!(most, last);
        assert!(file.starts_with(folder), "{}", file.display());
    }
    let mut file = sample.file.clone();
    file.layers.pop();
    let found = check(&file.bytes(), sample.tables.path()).unwrap();
    let Err(CheckError::Claim { fault: Fault::Unlisted(stones), .. }) = found else {
        panic!("{found:?}")
    };
    assert_eq!(stones, usize::from(last));
}

#[test]
fn a_check_can_be_stopped() {
    struct Stopped;
    impl kalah::search::proof::Progress for Stopped {
        fn stop(&self) -> bool {
            true
        }
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.proof");
    fs::write(&path, &sample().bytes).unwrap();
    let proof = Proof::read(&path).unwrap();
    let stopped = proof.check(sample().tables.path(), &Stopped);
    assert!(matches!(stopped, Err(CheckError::Stopped)), "{stopped:?}");
}

#[test]
fn other_versions_and_what_is_no_file_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.proof");
    let mut bytes = sample().bytes.clone();
    bytes[8] = 2;
    sign(&mut bytes);
    fs::write(&path, bytes).unwrap();
    let refused = Proof::read(&path).unwrap_err();
    assert!(matches!(refused, ReadError::OtherVersion { version: 2, .. }), "{refused}");
    let refused = Proof::read(folder.path()).unwrap_err();
    assert!(matches!(refused, ReadError::NotAProof { .. }), "{refused}");
}

/// Whether what the file says of its root is true, as far as that is known.
fn is_true(file: &ProofFile) -> bool {
    let pits = usize::from(file.pits);
    assert_eq!((file.rules, pits), (0, PITS), "no tables of another game are there");
    let (mover, opponent) = (&file.root[..pits], &file.root[pits + 1..2 * pits + 1]);
    let position = Position { mover: mover.to_vec(), opponent: opponent.to_vec() };
    if stones(&position) > MOST {
        return true;
    }
    let lead = i16::from(file.root[pits]) - i16::from(file.root[2 * pits + 1]);
    let value = lead + 2 * sample().share(&position) - i16::from(stones(&position));
    match file.relation {
        0 => value >= file.value,
        1 => value <= file.value,
        _ => value == file.value,
    }
}

proptest! {
    #[test]
    fn no_damage_is_overlooked(
        at: prop::sample::Index,
        flip in 1u8..,
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = sample().bytes.clone();
        match cut {
            Some(cut) => bytes.truncate(cut.index(bytes.len())),
            None => *at.get_mut(&mut bytes) ^= flip,
        }
        prop_assert!(check(&bytes, sample().tables.path()).is_none());
    }

    #[test]
    fn a_forged_file_that_passes_says_what_is_true(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut bytes = sample().bytes.clone();
        for (at, flip) in edits {
            *at.get_mut(&mut bytes) ^= flip;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        sign(&mut bytes);
        if let Some(Ok(_)) = check(&bytes, sample().tables.path()) {
            prop_assert!(is_true(&ProofFile::parse(&bytes)));
        }
    }

    #[test]
    fn a_forged_header_that_passes_says_what_is_true(
        root in prop::option::of(prop::collection::vec(0u8..5, 0..11)),
        relation in prop::option::of(0u32..4),
        value in prop::option::of(-20i16..20),
        table_stones in prop::option::of(any::<u8>()),
        claims in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut file = sample().file.clone();
        file.root = root.unwrap_or(file.root);
        file.relation = relation.unwrap_or(file.relation);
        file.value = value.unwrap_or(file.value);
        file.table_stones = table_stones.unwrap_or(file.table_stones);
        if let Some(claims) = claims {
            file.claims.truncate(claims.index(file.claims.len() + 1));
        }
        if let Some(Ok(_)) = check(&file.bytes(), sample().tables.path()) {
            prop_assert!(is_true(&file));
        }
    }

    #[test]
    fn lengths_that_cannot_be_true_are_refused(
        at in 12usize..120,
        length: [u8; 8],
    ) {
        let mut bytes = sample().bytes.clone();
        bytes[at..at + 8].copy_from_slice(&length);
        sign(&mut bytes);
        let _ = check(&bytes, sample().tables.path());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_position_is_proved(
        mover in prop::array::uniform3(0u8..4),
        opponent in prop::array::uniform3(0u8..4),
        stores: [u8; 2],
        empty_capture: bool,
        slack in 0i16..4,
    ) {
        static TRUTH: OnceLock<[(Negamax<3>, TempDir); 2]> = OnceLock::new();
        let truth = TRUTH.get_or_init(|| {
            Rules::ALL.map(|rules| {
                let truth = Negamax::<3>::new(rules, 18);
                let folder = TempDir::new().unwrap();
                (0..=6).for_each(|stones| truth.write_layer(folder.path(), stones, |_, _| ()));
                (truth, folder)
            })
        });
        let rules = Rules::ALL[usize::from(empty_capture)];
        let (truth, folder) = &truth[usize::from(empty_capture)];
        let [store, opponent_store] = stores.map(|store| store % 50);
        let board = Board::<3>::new(mover, store, opponent, opponent_store).unwrap();
        let tables = Tablebase::<3>::open(folder.path(), rules).unwrap();
        let searcher = Searcher::<3>::new(rules, Some(&tables), SMALL).unwrap();
        let value = board.lead() + truth.margin(&mover, &opponent);
        for (relation, value) in [
            (Relation::AtLeast, value - slack),
            (Relation::AtMost, value + slack),
            (Relation::Exactly, value),
        ] {
            let statement = Statement::new(rules, &board, relation, value);
            let (proof, _) = prove(&searcher, &statement).unwrap();
            prop_assert!(proof.check(folder.path(), &()).is_ok());
        }
    }
}
