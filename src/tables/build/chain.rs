//! How much of the work on a layer can be done at once, counted: what more threads can buy.
//!
//! The pairs of a layer are independent. Within a pair the classes of South's rows come one after the
//! other, by potential; within a class groups of eight rows are independent, and where these are
//! fewer than the threads, single lines of South's and parts of North's are. Work is counted in
//! elements of lines; what writing, hashing and reading take is not.

use crate::generator::{Solver, class_sizes, work_units};
use crate::ranking::row_count;

/// The work on a layer and how much of it must be done in sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// Stones in the pits.
    pub stones: usize,
    /// Elements of lines in all, with either to move.
    pub work: u64,
    /// Elements on the longest chain of steps that must follow each other, with as many threads as
    /// could be of use.
    pub longest: u64,
    /// By pairs, the largest first: the rows of each class, and the elements of a line.
    pairs: Vec<(Vec<usize>, usize)>,
}

impl Chain {
    /// Counts the work on the layer of so many stones.
    pub fn new<const P: usize>(stones: usize) -> Self {
        let pairs = Solver::<P>::pairs(stones).filter(|&(south, north)| south * north > 0);
        let pairs: Vec<(Vec<usize>, usize)> = pairs
            .map(|(south, north)| (class_sizes::<P>(south), row_count(P, north) as usize))
            .collect();
        let work = |(classes, line): &(Vec<usize>, usize)| {
            2 * classes.iter().sum::<usize>() as u64 * *line as u64
        };
        let work = pairs.iter().map(work).sum();
        let mut chain = Chain { stones, work, longest: 0, pairs };
        chain.longest = chain.together(usize::MAX);
        chain
    }

    /// How many times as fast as one thread so many can be, when as many pairs are solved at once.
    pub fn speedup(&self, threads: usize) -> f64 {
        self.times(self.together(threads).max(self.work.div_ceil(threads as u64)))
    }

    /// How many times as fast as one thread so many can be, when memory suffices for one pair at a
    /// time.
    pub fn speedup_one_by_one(&self, threads: usize) -> f64 {
        self.times(self.pairs.iter().map(|pair| time_of(pair, threads)).sum())
    }

    fn times(&self, time: u64) -> f64 {
        if time == 0 { 1.0 } else { self.work as f64 / time as f64 }
    }

    /// The time that the longest pair takes with all threads.
    fn together(&self, threads: usize) -> u64 {
        self.pairs.iter().map(|pair| time_of(pair, threads)).max().unwrap_or(0)
    }
}

/// The time that a pair takes with so many threads, in elements.
fn time_of((classes, line): &(Vec<usize>, usize), threads: usize) -> u64 {
    classes.iter().map(|&rows| work_units(rows, *line, threads)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_are_faster_and_never_more_than_they_are() {
        for stones in [2, 9, 20, 30] {
            let chain = Chain::new::<6>(stones);
            let mut last = (0.0, 0.0);
            for threads in [1, 2, 4, 8, 64, 1024] {
                let (all, one) = (chain.speedup(threads), chain.speedup_one_by_one(threads));
                assert!(all <= threads as f64 && one <= all + 1e-9, "{stones}: {one} {all}");
                assert!(all >= last.0 && one >= last.1);
                last = (all, one);
            }
            assert_eq!(chain.speedup(1), 1.0);
            assert!(last.0 <= chain.work as f64 / chain.longest as f64 + 1e-9);
        }
        assert_eq!(Chain::new::<6>(1).work, 0);
        assert_eq!(Chain::new::<6>(1).speedup(64), 1.0);
        // One stone against one: six rows of six potentials, each with lines of six.
        let chain = Chain::new::<6>(2);
        assert_eq!((chain.work, chain.longest), (72, 72));
        // At thirty stones 64 threads have enough to do.
        assert!(Chain::new::<6>(30).speedup(64) > 32.0);
    }
}
