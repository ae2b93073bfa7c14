//! What is written is read, and nothing else.

use kalah::ranking::Layer;
use kalah::rules::{Board, Pits, Rules};
use kalah::tables::Tablebase;
use kalah::web::{DecodeError, EncodeError, WebTable, encode, most_stones};

use super::tables;

fn every_margin_comes_back<const P: usize>(stones: usize) {
    for rules in Rules::ALL {
        let tables = Tablebase::<P>::in_memory(rules, stones).unwrap();
        for most in 0..=stones {
            let table = WebTable::<P>::from_bytes(&encode(&tables, most).unwrap()).unwrap();
            assert_eq!((table.rules(), table.stones()), (rules, most));
            for stones in 0..=stones {
                let layer = Layer::<P>::new(stones).unwrap();
                for index in 0..layer.positions() {
                    let (mover, opponent) = layer.position(index);
                    let pits = Pits::new(mover, opponent).unwrap();
                    let known = stones <= most || pits.is_over();
                    let expected = tables.margin(&pits).filter(|_| known);
                    assert_eq!(table.margin(&pits), expected, "{pits:?}, {rules}, {most}");
                }
            }
        }
    }
}

#[test]
fn every_margin_of_small_tables_comes_back() {
    every_margin_comes_back::<1>(127);
    every_margin_comes_back::<2>(14);
    every_margin_comes_back::<3>(9);
    every_margin_comes_back::<4>(9);
    every_margin_comes_back::<5>(6);
    every_margin_comes_back::<6>(5);
}

#[test]
fn all_positions_of_twelve_stones_come_back_from_few_bytes() {
    for rules in Rules::ALL {
        let tables = tables(rules);
        assert!(tables.bytes.len() < 200_000, "{rules}: {}", tables.bytes.len());
        let table = WebTable::<6>::from_bytes(&tables.bytes).unwrap();
        let layers = tables.twelve.layers().iter();
        let blocks = layers.flat_map(|layer| (0..=layer.id().stones).map(move |a| (layer, a)));
        let mut rest = table.shares();
        for (layer, mover) in blocks {
            let block = layer.block(usize::from(mover));
            let (shares, after) = rest.split_at(block.len());
            assert!(shares == block, "{rules}, {} stones, {mover} the mover's", layer.id().stones);
            rest = after;
        }
        assert!(rest.is_empty());
    }
}

#[test]
fn stores_count() {
    let table = WebTable::<6>::from_bytes(&tables(Rules::Standard).bytes).unwrap();
    let board: Board<6> = "1,0,3,1,2,1,15,2,0,0,0,2,0,21".parse().unwrap();
    assert_eq!(table.value(&board), Some(2));
    let board: Board<6> = "2,2,2,2,2,2,15,2,0,0,0,2,0,21".parse().unwrap();
    assert_eq!(table.value(&board), None);
    let board: Board<6> = "0,0,0,0,0,0,15,9,9,0,0,2,0,21".parse().unwrap();
    assert_eq!(table.value(&board), Some(15 - 21 - 20));
}

#[test]
fn tables_that_do_not_reach_or_are_too_large_are_refused() {
    let tables = Tablebase::<2>::in_memory(Rules::Standard, 3).unwrap();
    let error = encode(&tables, 4).unwrap_err();
    assert!(matches!(error, EncodeError::TablesEnd { wanted: 4, reach: Some(3) }));
    assert_eq!(
        error.to_string(),
        "the tables reach 3 stones, not 4; `kalah generate --stones 4` makes more"
    );
    let tables = Tablebase::<6>::in_memory(Rules::Standard, 0).unwrap();
    let stones = most_stones::<6>() + 1;
    let error = encode(&tables, stones).unwrap_err();
    assert!(matches!(error, EncodeError::TooLarge { pits: 6, stones: 18, most: 17 }));
}

#[test]
fn the_number_of_pits_is_not_guessed() {
    let error = WebTable::<5>::from_bytes(&tables(Rules::Standard).bytes).unwrap_err();
    assert_eq!(error, DecodeError::OtherPits { found: 6, wanted: 5 });
}
