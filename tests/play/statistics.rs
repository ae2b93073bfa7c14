//! How games have ended.

use super::*;

#[test]
fn finished_games_are_counted_once() {
    let data = TempDir::new().unwrap();
    assert_eq!(
        play(data.path(), &["--stats"], ""),
        (0, "No game has ended yet.\n".to_owned(), String::new())
    );
    let mut won = 0;
    for games in 1..=3 {
        let seed = games.to_string();
        let arguments = ["--pits", "3", "--seeds", "2", "--level", "easy", "--random-seed", &seed];
        let (_, out, _) = play(data.path(), &arguments, &all_pits(3));
        won += usize::from(out.contains("\nYou win by "));
        // Neither what comes after the end nor looking at it again counts.
        play(data.path(), &["--resume"], "undo\n1\n2\n3\n1\n2\n3\n1\n2\n3\n");
        let statistics = json(data.path(), "statistics.json");
        let record = &statistics["records"][0];
        let count = |name: &str| record[name].as_u64().unwrap();
        assert_eq!(count("wins") + count("losses") + count("draws"), games);
        assert_eq!(count("wins"), won as u64);
    }
    // An unfinished game counts for nothing, another level for itself.
    play(data.path(), &SMALL, "1\n");
    play(data.path(), &["--pits", "3", "--seeds", "2", "--level", "medium"], &all_pits(3));
    let (status, out, _) = play(data.path(), &["--stats", "--json"], "");
    assert_eq!((status, out.lines().count()), (0, 1));
    let shown: Value = serde_json::from_str(&out).unwrap();
    let told: Vec<_> = shown["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| (record["level"].as_str().unwrap(), record["games"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [("easy", 3), ("medium", 1)]);
    let (_, table, _) = play(data.path(), &["--stats"], "");
    assert_eq!(table.lines().count(), 3, "{table}");
}

#[test]
fn a_game_that_ended_as_the_process_did_is_counted_when_it_is_resumed() {
    let data = TempDir::new().unwrap();
    play(data.path(), &SMALL, &all_pits(3));
    let counted = fs::read(data.path().join("statistics.json")).unwrap();
    fs::remove_file(data.path().join("statistics.json")).unwrap();
    for _ in 0..2 {
        let (status, out, _) = play(data.path(), &["--resume"], "");
        assert_eq!(status, 0);
        assert!(out.contains(" of 1 game won "), "{out}");
        assert_eq!(fs::read(data.path().join("statistics.json")).unwrap(), counted);
    }
}

#[test]
fn a_game_that_ends_before_the_person_moves_does_not_have_another_counted_again() {
    let data = TempDir::new().unwrap();
    let tiny = ["--pits", "2", "--seeds", "1"];
    let easy = [&tiny[..], &["--level", "easy", "--random-seed", "1"]].concat();
    play(data.path(), &easy, "2\n1\n2\n1\n2\n1\n2\n1\n");
    let perfect = [&tiny[..], &["--level", "perfect", "--first", "computer"]].concat();
    for games in 1..=2 {
        play(data.path(), &perfect, "");
        play(data.path(), &["--resume"], "");
        let statistics = json(data.path(), "statistics.json");
        let [easy, perfect] = [0, 1].map(|place| &statistics["records"][place]);
        assert_eq!(easy["wins"], 1, "{statistics}");
        assert_eq!(perfect["losses"], games, "{statistics}");
    }
}
