//! Where a tile is decoded.

use super::shape::{BAND, WIDTH};
use super::tile::{self, Coded, Content, STEPS, Sheet, Size, Steps, Stream};
use crate::generator::kernels::{SPAN, Square, transposed};

/// Room for a tile while it is decoded, for one after the other.
pub(super) struct Desk {
    stream: Stream,
    steps: Steps,
    /// By lines: column `c` is at `c + MARGIN`.
    lines: [[u8; LINE]; BAND],
    /// By columns, the lines of a column.
    columns: [[u8; BAND]; WIDTH],
}

/// Where the first column is: squares of steps reach beyond a line's ends by less.
const MARGIN: usize = BAND;

/// Bytes of a line, its margins included.
const LINE: usize = WIDTH + 2 * MARGIN;

impl Default for Desk {
    fn default() -> Self {
        Desk {
            stream: Stream::new(),
            steps: [[0; BAND]; STEPS],
            lines: [[0; LINE]; BAND],
            columns: [[0; BAND]; WIDTH],
        }
    }
}

/// Decodes two tiles, each on a desk of its own, in less time than one after the other;
/// [`Desk::lines`] and [`Desk::columns`] then have them. Tells which of them is not one.
pub(super) fn decode_both(
    [one, other]: [&mut Desk; 2],
    bytes: [&[u8]; 2],
    sizes: [Size; 2],
    stones: u8,
) -> [Option<()>; 2] {
    let contents = [
        Content::of(bytes[0], sizes[0], &mut one.stream),
        Content::of(bytes[1], sizes[1], &mut other.stream),
    ];
    let (Some(Content::Coded(first, _)), Some(Content::Coded(second, _))) =
        (&contents[0], &contents[1])
    else {
        return [one.decode(bytes[0], sizes[0], stones), other.decode(bytes[1], sizes[1], stones)];
    };
    let tiles = [
        Coded::whole(*first, &one.stream, sizes[0], stones),
        Coded::whole(*second, &other.stream, sizes[1], stones),
    ];
    let decoded = tile::decode(tiles, [&mut one.steps, &mut other.steps]);
    if decoded.is_none() {
        return [one.decode(bytes[0], sizes[0], stones), other.decode(bytes[1], sizes[1], stones)];
    }
    let [content, next] = contents;
    [one.finish(content, sizes[0], stones), other.finish(next, sizes[1], stones)]
}

impl Desk {
    /// Decodes a tile; [`Desk::lines`] and [`Desk::columns`] then have it. `None` when the bytes are
    /// not those of a tile.
    pub fn decode(&mut self, bytes: &[u8], size: Size, stones: u8) -> Option<()> {
        let content = Content::of(bytes, size, &mut self.stream);
        if let Some(Content::Coded(parts, _)) = content {
            let tile = Coded::whole(parts, &self.stream, size, stones);
            tile::decode([tile], [&mut self.steps])?;
        }
        self.finish(content, size, stones)
    }

    /// From the steps, where there are any, to lines.
    fn finish(&mut self, content: Option<Content<'_>>, size: Size, stones: u8) -> Option<()> {
        match content? {
            Content::Plain(shares) => {
                for (line, shares) in self.lines.iter_mut().zip(shares.chunks(size.width)) {
                    line[MARGIN..][..size.width].copy_from_slice(shares);
                }
                shares.iter().all(|&share| share <= stones).then_some(())
            }
            Content::Coded(_, patches) => {
                self.straighten(size);
                let put = |line: usize, column, share| self.lines[line][MARGIN + column] = share;
                patches.each(size, stones, put)
            }
        }
    }

    /// From steps to lines.
    fn straighten(&mut self, size: Size) {
        let squares = self.steps.chunks(SPAN).take(size.steps().div_ceil(SPAN)).enumerate();
        for (place, steps) in squares {
            for first in (0..size.height).step_by(SPAN) {
                let mut square: Square = [[0; SPAN]; SPAN];
                for (row, step) in square.iter_mut().zip(steps) {
                    row.copy_from_slice(&step[first..first + SPAN]);
                }
                let lines = self.lines[first..].iter_mut().zip(transposed(square)).enumerate();
                for (lane, (line, shares)) in lines {
                    let at = MARGIN + place * SPAN - first - lane;
                    line[at..at + SPAN].copy_from_slice(&shares);
                }
            }
        }
    }

    /// The lines of the tile, by their numbers.
    pub fn lines(&self, size: Size) -> impl Iterator<Item = (usize, &[u8])> {
        let lines = self.lines.iter().take(size.height).enumerate();
        lines.map(move |(number, line)| (number, &line[MARGIN..][..size.width]))
    }

    /// The columns of the tile, by their numbers.
    pub fn columns(&mut self, size: Size) -> impl Iterator<Item = (usize, &[u8])> {
        for first in (0..size.height).step_by(SPAN) {
            for column in (0..size.width).step_by(SPAN) {
                let mut square: Square = [[0; SPAN]; SPAN];
                for (row, line) in square.iter_mut().zip(&self.lines[first..]) {
                    row.copy_from_slice(&line[MARGIN + column..][..SPAN]);
                }
                let columns = &mut self.columns[column..column + SPAN];
                for (column, shares) in columns.iter_mut().zip(transposed(square)) {
                    column[first..first + SPAN].copy_from_slice(&shares);
                }
            }
        }
        let columns = self.columns.iter().take(size.width).enumerate();
        columns.map(move |(number, column)| (number, &column[..size.height]))
    }
}

/// Where a tile is encoded.
pub(super) struct Press {
    lines: [[u8; LINE]; BAND],
    steps: Steps,
    sheet: Sheet,
}

impl Default for Press {
    fn default() -> Self {
        Press { lines: [[0; LINE]; BAND], steps: [[0; BAND]; STEPS], sheet: Sheet::new() }
    }
}

impl Press {
    /// Encodes a tile whose lines begin `stride` bytes after each other in `lines`.
    ///
    /// # Panics
    ///
    /// When a share exceeds `stones`.
    pub fn encode(&mut self, lines: &[u8], stride: usize, size: Size, stones: u8) -> Vec<u8> {
        for (line, target) in self.lines.iter_mut().enumerate().take(size.height) {
            let shares = &lines[line * stride..][..size.width];
            let most = shares.iter().fold(0, |most: u8, &share| most.max(share));
            assert!(most <= stones, "a share of {stones} stones");
            target[MARGIN..][..size.width].copy_from_slice(shares);
        }
        let squares = self.steps.chunks_mut(SPAN).take(size.steps().div_ceil(SPAN)).enumerate();
        for (place, steps) in squares {
            for first in (0..size.height).step_by(SPAN) {
                let mut square: Square = [[0; SPAN]; SPAN];
                let lines = self.lines[first..].iter().enumerate();
                for (row, (lane, line)) in square.iter_mut().zip(lines) {
                    row.copy_from_slice(&line[MARGIN + place * SPAN - first - lane..][..SPAN]);
                }
                for (step, shares) in steps.iter_mut().zip(transposed(square)) {
                    step[first..first + SPAN].copy_from_slice(&shares);
                }
            }
        }
        let coded = self.sheet.encode(&self.steps, size, stones);
        coded.unwrap_or_else(|| tile::plain(lines, stride, size))
    }
}
