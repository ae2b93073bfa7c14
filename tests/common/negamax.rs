//! Tables by the shortest way from the rules to a value: memoised negamax over the plain rules.

use std::path::Path;

use kalah::{
    ranking::Layer,
    rules::{
        Rules,
        plain::{Position, over_margin, successor},
    },
    tables::{Folder, LayerId, LayerWriter},
};

/// The margins of every position with few stones.
pub struct Negamax<const P: usize> {
    rules: Rules,
    layers: Vec<(Layer<P>, Vec<i16>)>,
}

/// A margin that is not known yet.
const UNKNOWN: i16 = i16::MIN;

impl<const P: usize> Negamax<P> {
    /// Solves every position with at most `stones` stones in the pits.
    pub fn new(rules: Rules, stones: usize) -> Self {
        let layers = (0..=stones).map(|stones| {
            let layer = Layer::new(stones).unwrap();
            let unknown = vec![UNKNOWN; layer.positions() as usize];
            (layer, unknown)
        });
        let mut solved = Negamax { rules, layers: layers.collect() };
        for stones in 0..=stones {
            for index in 0..solved.layers[stones].0.positions() {
                let (mover, opponent) = solved.layers[stones].0.position(index);
                solved.solve(&Position { mover: mover.to_vec(), opponent: opponent.to_vec() });
            }
        }
        solved
    }

    /// The margin of a position.
    pub fn margin(&self, mover: &[u8; P], opponent: &[u8; P]) -> i16 {
        let stones: u8 = mover.iter().chain(opponent).sum();
        let (layer, margins) = &self.layers[usize::from(stones)];
        margins[layer.index(mover, opponent) as usize]
    }

    /// The margins of a layer, by [`Layer::index`].
    pub fn layer(&self, stones: usize) -> &[i16] {
        &self.layers[stones].1
    }

    /// The bytes of a block as they are in a file.
    pub fn block(&self, stones: usize, mover: usize) -> Vec<u8> {
        let (layer, margins) = &self.layers[stones];
        let block = layer.block(mover);
        let (start, length) = (block.start as usize, block.positions() as usize);
        let share = |&margin: &i16| ((i32::from(margin) + stones as i32) / 2) as u8;
        margins[start..start + length].iter().map(share).collect()
    }

    /// Writes the file of a layer, each block changed by `edit(mover's stones, bytes)` before.
    pub fn write_layer(&self, directory: &Path, stones: usize, edit: impl Fn(usize, &mut Vec<u8>)) {
        let folder = Folder::open_for_writing(directory, || ()).unwrap();
        let id = LayerId { rules: self.rules, pits: P as u8, stones: stones as u8 };
        let writer = LayerWriter::create(&folder, id).unwrap();
        for mover in 0..=stones {
            let mut bytes = self.block(stones, mover);
            edit(mover, &mut bytes);
            writer.write_block(mover, &bytes).unwrap();
        }
        writer.seal().unwrap().commit().unwrap();
    }

    /// Writes the files of all layers.
    pub fn write(&self, directory: &Path) {
        for stones in 0..self.layers.len() {
            self.write_layer(directory, stones, |_, _| ());
        }
    }

    fn solve(&mut self, position: &Position) -> i16 {
        let row = |row: &[u8]| -> [u8; P] { row.try_into().unwrap() };
        let (mover, opponent) = (row(&position.mover), row(&position.opponent));
        let stones = usize::from(mover.iter().chain(&opponent).sum::<u8>());
        let index = self.layers[stones].0.index(&mover, &opponent) as usize;
        let known = self.layers[stones].1[index];
        if known != UNKNOWN {
            return known;
        }
        let margin = over_margin(position).map_or_else(
            || {
                let moves = (0..P).filter_map(|pit| successor(position, pit, self.rules));
                let moves: Vec<_> = moves.collect();
                let margins = moves.iter().map(|after| {
                    let rest = self.solve(&after.next);
                    after.gained as i16 + if after.same_player { rest } else { -rest }
                });
                margins.max().unwrap()
            },
            |margin| margin as i16,
        );
        self.layers[stones].1[index] = margin;
        margin
    }
}
