//! What a search will take, and how large tables make it shortest.

use std::time::Duration;

use crate::ranking::row_count;
use crate::tables::Encoding;

/// A search that is to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Pits a side, 1 to 6.
    pub pits: usize,
    /// Stones in the pits of the position, at most 127.
    pub stones: usize,
    /// Whether every first move is to be valued, not only the best.
    pub all_moves: bool,
    /// Threads that build the tables and search.
    pub threads: usize,
    /// How the tables are written, at least the largest layers.
    pub encoding: Encoding,
}

/// What tables may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// The most stones that tables which are there cover, if there are any.
    pub have: Option<usize>,
    /// Bytes of memory, for the table that the search looks up in: what is not there is read from
    /// the disk, a thousand times slower.
    pub memory: u64,
    /// Bytes of disk, for the layers that are not there yet.
    pub disk: u64,
}

/// What the encoding of tables decides, measured at 24 to 27 stones.
struct Rates {
    /// Bytes a position.
    size: f64,
    /// Seconds that one thread takes to generate a position.
    generating: f64,
    /// Nodes a second that one thread searches.
    searching: f64,
}

/// The rates of tables written so.
fn rates(encoding: Encoding) -> Rates {
    match encoding {
        Encoding::Bytes => Rates { size: 1.0, generating: 3.2e-9, searching: 2.2e6 },
        // Most look-ups decode a tile to its middle.
        Encoding::Compact => Rates { size: 0.33, generating: 10e-9, searching: 0.4e6 },
    }
}

/// Nodes for the exact value of four stones in each of six pits, and all moves that keep it, over
/// tables of 22 stones.
const NODES: f64 = 15.5e6;

/// By how much each further stone in the tables divides the nodes.
const STONE_OF_TABLE: f64 = 1.5;

/// By how much twelve further stones on the board multiply them.
const TWELVE_STONES: f64 = 100.0;

/// By how much valuing every first move multiplies them.
const ALL_MOVES: f64 = 5.5;

/// Bytes of a transposition table for each node. A fifth of the nodes is kept at all, 8 bytes each,
/// and what cost least gives way: four stones a pit over 20 stones take 40 million nodes with 256
/// MiB, and 49 million with 2 MiB.
const HASH_A_NODE: f64 = 4.0;

impl Effort {
    /// About how many nodes the search takes over tables of so many stones.
    ///
    /// The growth was measured on openings of six pits a side. With fewer pits there are fewer
    /// positions, each of which is a node once at most, or little more often.
    pub fn nodes(&self, tables: Option<usize>) -> f64 {
        let tables = tables.map_or(0, |stones| stones.min(self.stones));
        let grown = NODES
            * TWELVE_STONES.powf((self.stones as f64 - 48.0) / 12.0)
            * STONE_OF_TABLE.powf(22.0 - tables as f64);
        let nodes = if self.all_moves { grown * ALL_MOVES } else { grown };
        let positions = positions(self.pits, self.stones) - positions(self.pits, tables);
        nodes.min(positions)
    }

    /// About how many seconds the search takes.
    pub fn searching(&self, tables: Option<usize>) -> f64 {
        self.nodes(tables) / rates(self.encoding).searching / self.threads.max(1) as f64
    }

    /// About how many seconds the tables take that are not there yet.
    pub fn generating(&self, have: Option<usize>, tables: Option<usize>) -> f64 {
        let layers = |stones: Option<usize>| stones.map_or(0.0, |n| positions(self.pits, n));
        let missing = (layers(tables) - layers(have)).max(0.0);
        missing * rates(self.encoding).generating / self.threads.max(1) as f64
    }

    /// About how many bytes tables of so many stones have.
    pub fn bytes_up_to(&self, stones: usize) -> f64 {
        positions(self.pits, stones) * rates(self.encoding).size
    }

    /// Bytes of a transposition table, a power of two, that hold what such a search finds out, in
    /// the time it may take at most. More would gain nothing, and cost the time to clear it.
    pub fn hash(&self, tables: Option<usize>, time: Option<Duration>) -> u64 {
        let most = time.map_or(f64::INFINITY, |time| {
            time.as_secs_f64() * rates(self.encoding).searching * self.threads.max(1) as f64
        });
        ((self.nodes(tables).min(most) * HASH_A_NODE) as u64).max(1).next_power_of_two()
    }

    /// The stones up to which there should be tables for the whole to take the least time: what is
    /// there, or more as long as the search saves what the further layers cost, and they have room.
    /// `None` when no table is worth it.
    ///
    /// ```
    /// use kalah::search::{Effort, Room};
    /// use kalah::tables::Encoding;
    ///
    /// // Four stones in each of six pits, on two cores, from nothing.
    /// let encoding = Encoding::Bytes;
    /// let effort = Effort { pits: 6, stones: 48, all_moves: false, threads: 2, encoding };
    /// let room = Room { have: None, memory: 16 << 30, disk: 100 << 30 };
    /// assert_eq!(effort.best_tables(room), Some(24));
    /// // Larger ones, once they are there, are used.
    /// assert_eq!(effort.best_tables(Room { have: Some(28), ..room }), Some(28));
    /// ```
    pub fn best_tables(&self, room: Room) -> Option<usize> {
        let bytes = |stones: usize| self.bytes_up_to(stones);
        let there = room.have.map_or(0.0, bytes);
        let from = room.have.map_or(0, |have| have + 1);
        let fits = |&stones: &usize| {
            bytes(stones) <= room.memory as f64 && bytes(stones) - there <= room.disk as f64
        };
        let further = (from..=self.stones).take_while(fits).map(Some);
        let time =
            |tables: Option<usize>| self.generating(room.have, tables) + self.searching(tables);
        std::iter::once(room.have)
            .chain(further)
            .min_by(|&one, &other| time(one).total_cmp(&time(other)))
            .flatten()
    }
}

/// How many positions there are of up to so many stones, `C(stones + 2 pits, 2 pits)`.
fn positions(pits: usize, stones: usize) -> f64 {
    let rows = |stones| row_count(pits, stones) as f64;
    (0..=stones)
        .map(|stones| (0..=stones).map(|mover| rows(mover) * rows(stones - mover)).sum::<f64>())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLENTY: Room = Room { have: None, memory: 1 << 40, disk: 1 << 40 };

    fn opening(pits: usize, seeds: usize) -> Effort {
        let (stones, encoding) = (2 * pits * seeds, Encoding::Bytes);
        Effort { pits, stones, all_moves: false, threads: 2, encoding }
    }

    #[test]
    fn tables_grow_with_the_search_they_save() {
        let best = |effort: Effort| effort.best_tables(PLENTY).unwrap();
        assert_eq!(positions(6, 24), 1_251_677_700.0);
        assert_eq!(best(opening(6, 4)), 24);
        assert!((28..=30).contains(&best(opening(6, 5))));
        assert!(best(Effort { all_moves: true, ..opening(6, 4) }) > 24);
        // Where there are few positions all of them are soon in tables.
        assert_eq!(best(opening(2, 4)), 16);
        assert_eq!(best(opening(1, 6)), 12);
    }

    #[test]
    fn tables_have_to_fit() {
        let effort = opening(6, 5);
        let memory = Room { memory: 2 << 30, ..PLENTY };
        assert_eq!(effort.best_tables(memory), Some(25));
        let disk = Room { disk: 100 << 20, ..PLENTY };
        assert_eq!(effort.best_tables(disk), Some(18));
        // What is there takes no more disk, and stays of use when it exceeds the memory.
        assert_eq!(effort.best_tables(Room { have: Some(24), ..disk }), Some(24));
        assert_eq!(effort.best_tables(Room { have: Some(26), ..memory }), Some(26));
        assert_eq!(effort.best_tables(Room { memory: 0, ..PLENTY }), None);
        // Three times as many positions in the same memory.
        let compact = Effort { encoding: Encoding::Compact, ..effort };
        assert_eq!(compact.best_tables(memory), Some(28));
        assert!(compact.searching(Some(25)) > effort.searching(Some(25)));
    }

    #[test]
    fn larger_tables_and_threads_save_time() {
        let effort = opening(6, 4);
        assert!(effort.nodes(Some(23)) < effort.nodes(Some(22)));
        assert!(effort.nodes(None) <= positions(6, 48));
        assert_eq!(effort.nodes(Some(48)), 0.0);
        let more = Effort { threads: 8, ..effort };
        assert!(more.searching(None) < effort.searching(None));
        assert!(effort.hash(Some(24), None) < effort.hash(Some(20), None));
        assert_eq!(effort.hash(Some(20), Some(Duration::MAX)), effort.hash(Some(20), None));
        assert_eq!(effort.hash(Some(20), Some(Duration::ZERO)), 1);
    }
}
