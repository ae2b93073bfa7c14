//! Tables for pages, written and read.

use super::blocks::{Blocks, most_stones};
use super::coder::{Chance, Decoder, Encoder};
use super::walk::{Answers, shares};
use super::{Contents, DecodeError, EncodeError};
use crate::ranking::{Layer, rank_row};
use crate::rules::{Board, Pits, Rules};
#[cfg(doc)]
use crate::tables::MAX_TABLE_PITS;
use crate::tables::Tablebase;

/// The bytes of the table of all positions with up to `stones` stones in the pits.
///
/// The checksums of the tables it is made from are checked first.
///
/// # Errors
///
/// [`EncodeError`].
pub fn encode<const P: usize>(
    tables: &Tablebase<P>,
    stones: usize,
) -> Result<Vec<u8>, EncodeError> {
    let Some(blocks) = Blocks::<P>::new(stones) else {
        return Err(EncodeError::TooLarge { pits: P, stones, most: most_stones::<P>() });
    };
    let Some(layers) = tables.layers().get(..=stones) else {
        return Err(EncodeError::TablesEnd { wanted: stones, reach: tables.stones() });
    };
    let mut known = Vec::with_capacity(blocks.positions());
    for (stones, layer) in layers.iter().enumerate() {
        for mover in 0..=stones {
            known.extend(layer.matrix(mover)?);
        }
    }
    let mut writing = Writing { known: &known, encoder: Encoder::new() };
    let written = shares(tables.rules(), &blocks, &mut writing);
    // What single moves exclude was never asked about.
    if let Some(index) = written.iter().zip(&known).position(|(written, known)| written != known) {
        return Err(EncodeError::Impossible { position: position::<P>(index) });
    }
    // Both fit a byte: there are tables of so many pits and stones.
    let contents = Contents { rules: tables.rules(), pits: P as u8, stones: stones as u8 };
    Ok(contents.file(&writing.encoder.finish()))
}

/// The position with this index, as a person writes it.
fn position<const P: usize>(index: usize) -> String {
    let mut within = index as u64;
    let layers = (0..).map_while(Layer::<P>::new);
    for layer in layers {
        if within < layer.positions() {
            let (mover, opponent) = layer.position(within);
            let pits: Vec<_> = mover.iter().chain(&opponent).map(u8::to_string).collect();
            return pits.join(",");
        }
        within -= layer.positions();
    }
    unreachable!("the index is below the number of positions")
}

/// Writes down the known values.
struct Writing<'a> {
    known: &'a [u8],
    encoder: Encoder,
}

impl Answers for Writing<'_> {
    fn is(&mut self, index: usize, candidate: u8, chance: &mut Chance) -> bool {
        let yes = self.known[index] == candidate;
        self.encoder.write(yes, chance);
        yes
    }
}

impl Answers for Decoder<'_> {
    fn is(&mut self, _index: usize, _candidate: u8, chance: &mut Chance) -> bool {
        self.read(chance)
    }
}

/// A table for a page, in memory: a byte a position.
///
/// ```
/// use kalah::rules::{Board, Rules};
/// use kalah::tables::Tablebase;
/// use kalah::web::{WebTable, encode};
///
/// let tables = Tablebase::<6>::in_memory(Rules::Standard, 8)?;
/// let bytes = encode(&tables, 8)?;
/// assert!(bytes.len() < 125_970 / 8, "less than a bit a position");
///
/// let table = WebTable::<6>::from_bytes(&bytes)?;
/// let board: Board<6> = "0,1,0,0,2,1,17, 2,0,0,1,1,0,23".parse()?;
/// assert_eq!(table.value(&board), Some(17 - 23 + 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct WebTable<const P: usize> {
    rules: Rules,
    blocks: Blocks<P>,
    shares: Vec<u8>,
}

impl<const P: usize> WebTable<P> {
    /// Reads a table. Of more pits a side than [`MAX_TABLE_PITS`] there is none.
    ///
    /// # Errors
    ///
    /// [`DecodeError`], whatever the bytes are. They decide over no more memory than
    /// [`MAX_POSITIONS`](super::MAX_POSITIONS) take.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (Contents { rules, pits, stones }, code) = Contents::read(bytes)?;
        if usize::from(pits) != P {
            return Err(DecodeError::OtherPits { found: pits, wanted: P });
        }
        let Some(blocks) = Blocks::new(usize::from(stones)) else {
            return Err(DecodeError::NoSuchTable { rules: rules as u8, pits, stones });
        };
        let mut decoder = Decoder::new(code);
        let shares = shares(rules, &blocks, &mut decoder);
        if !decoder.is_finished() {
            return Err(DecodeError::WrongCode);
        }
        Ok(WebTable { rules, blocks, shares })
    }

    /// The rules the values are computed by.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The most stones in the pits that the table covers.
    pub fn stones(&self) -> usize {
        self.blocks.stones()
    }

    /// The mover's share of the stones in the pits, of all positions: those of no stones first,
    /// then of one, and so on, within a layer in the order of [`Layer::index`].
    pub fn shares(&self) -> &[u8] {
        &self.shares
    }

    /// What the mover still gets minus what the opponent still gets when both play perfectly;
    /// `None` when there are more stones than the table covers and the game is not over.
    pub fn margin(&self, pits: &Pits<P>) -> Option<i16> {
        let stones = pits.stones();
        if stones > self.stones() {
            return pits.final_margin();
        }
        // Ranks of rows of so few stones fit.
        let (row, column) = (rank_row(pits.mover()) as usize, rank_row(pits.opponent()) as usize);
        let index = self.blocks.index(stones, pits.mover_stones(), row, column);
        Some(2 * i16::from(self.shares[index]) - stones as i16)
    }

    /// The mover's final store minus the opponent's when both play perfectly; `None` as for
    /// [`WebTable::margin`].
    pub fn value(&self, board: &Board<P>) -> Option<i16> {
        self.margin(board.pits()).map(|margin| board.lead() + margin)
    }
}
