//! Values that other programs and papers found, from `tests/data`.

use kalah::rules::{Board, Rules};

/// A row of `published.csv`.
pub struct Published {
    pub rules: Rules,
    pub seeds: u8,
    /// The pits sown first, by the player whose value it is.
    pub first_move: Vec<usize>,
    pub at_least: bool,
    pub value: i16,
}

/// Values of openings of six pits.
pub fn published() -> Vec<Published> {
    let (header, rows) = include_str!("../data/published.csv").split_once('\n').unwrap();
    assert_eq!(header, "rules,pits,seeds,first_move,relation,value,source");
    let row = |row: &str| {
        let [rules, "6", seeds, first_move, relation, value, _] =
            row.splitn(7, ',').collect::<Vec<_>>()[..]
        else {
            panic!("{row}")
        };
        let pits = first_move.split('-').filter(|pit| !pit.is_empty());
        Published {
            rules: rules.parse().unwrap(),
            seeds: seeds.parse().unwrap(),
            first_move: pits.map(|pit| pit.parse().unwrap()).collect(),
            at_least: relation == ">=",
            value: value.parse().unwrap(),
        }
    };
    rows.lines().map(row).collect()
}

/// Positions from random play of the four-stone game, standard rules, and their values.
pub fn midgame() -> Vec<(Board<6>, i16)> {
    let (header, rows) = include_str!("../data/midgame_48.csv").split_once('\n').unwrap();
    assert!(header.ends_with(",o6,opponent_store,value"));
    let row = |row: &str| {
        let (position, value) = row.rsplit_once(',').unwrap();
        (position.parse().unwrap(), value.parse().unwrap())
    };
    rows.lines().map(row).collect()
}
