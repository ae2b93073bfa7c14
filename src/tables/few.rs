//! Few things at a time, by threads that help each other.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// The most blocks that are read at a time: more do not make a disk faster, and each takes memory.
const MOST: usize = 8;

/// How many blocks are read at a time, so that all threads have something to do: those of one block
/// are read, checked and decoded by several.
pub(super) fn readers() -> usize {
    rayon::current_num_threads().min(MOST)
}

/// What `of` makes of each item, in their order, or one of its errors; of no more than `most` items
/// at a time.
///
/// With a parallel iterator it would be any number: a thread that waits for others in the middle of
/// one item begins another, and in the middle of that a third, and all they hold stays held.
pub(super) fn few_at_a_time<T, R: Send, E: Send>(
    most: usize,
    items: impl Iterator<Item = T> + Send,
    of: impl Fn(T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let (items, failed) = (Mutex::new(items.enumerate()), AtomicBool::new(false));
    let next = || match failed.load(Relaxed) {
        true => None,
        false => items.lock().unwrap_or_else(PoisonError::into_inner).next(),
    };
    let one_after_the_other = |_| {
        let mut done = Vec::new();
        while let Some((place, item)) = next() {
            done.push((place, of(item).inspect_err(|_| failed.store(true, Relaxed))?));
        }
        Ok(done)
    };
    let done = (0..most.max(1)).into_par_iter().with_max_len(1).map(one_after_the_other);
    let mut done: Vec<(usize, R)> =
        done.collect::<Result<Vec<_>, E>>()?.into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(place, _)| place);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn no_more_are_begun_at_a_time_and_their_order_is_kept() {
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let twice = |number: usize| {
            most.fetch_max(running.fetch_add(1, Relaxed) + 1, Relaxed);
            // Here a thread looks for other work.
            let sum: usize = (0..100_000).into_par_iter().map(|_| 2 * number / number).sum();
            running.fetch_sub(1, Relaxed);
            Ok::<_, ()>(sum / 100_000 * number)
        };
        let doubled = few_at_a_time(3, 1..200, twice).unwrap();
        assert!(doubled.into_iter().eq((1..200).map(|number| 2 * number)));
        assert!(most.into_inner() <= 3);
    }

    #[test]
    fn nothing_is_begun_after_a_failure() {
        let begun = AtomicUsize::new(0);
        let fail = |number: usize| match number {
            5 => Err("five"),
            _ => Ok(begun.fetch_add(1, Relaxed)),
        };
        assert_eq!(few_at_a_time(1, 0..100, fail), Err("five"));
        assert_eq!(begun.into_inner(), 5);
        assert_eq!(few_at_a_time(4, 0..0, |_| Err::<(), _>("never")), Ok(vec![]));
    }
}
