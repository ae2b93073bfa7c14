//! Numbered pieces of work, done by as many threads as there are workers.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

use super::JudgeError;

/// Does the pieces `0..count`, each by whichever worker is free, and takes what comes of them in
/// order, whoever was first. The first error ends it, and a worker ends that says with what it has done
/// that it does not go on.
pub(super) fn in_order<W: Send, T: Send>(
    workers: &mut [W],
    count: u64,
    piece: impl Fn(&mut W, u64) -> Result<(T, bool), JudgeError> + Sync,
    mut take: impl FnMut(T),
) -> Result<(), JudgeError> {
    let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for worker in workers {
            let (sender, next, stop, piece) = (sender.clone(), &next, &stop, &piece);
            let work = move || {
                while !stop.load(Relaxed) {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= count {
                        break;
                    }
                    let done = piece(worker, number);
                    if done.is_err() {
                        stop.store(true, Relaxed);
                    }
                    let goes_on = matches!(done, Ok((_, true)));
                    // Whoever takes goes on until the last sender is gone.
                    let _ = sender.send((number, done.map(|(done, _)| done)));
                    if !goes_on {
                        break;
                    }
                }
            };
            let named = thread::Builder::new().name("judge".to_owned());
            let thread = named.spawn_scoped(scope, work);
            threads.push(thread.map_err(|error| {
                stop.store(true, Relaxed);
                JudgeError::NoThread(error)
            })?);
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut awaited = 0;
        for (number, done) in receiver {
            early.insert(number, done?);
            while let Some(done) = early.remove(&awaited) {
                take(done);
                awaited += 1;
            }
        }
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|panic| resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_pieces_is_taken_in_order_whoever_was_first() {
        for workers in 1..4 {
            let mut taken = Vec::new();
            let mut done = vec![0; workers];
            let piece = |done: &mut u64, number: u64| {
                thread::sleep(std::time::Duration::from_micros(number * 7 % 5 * 100));
                *done += 1;
                Ok((number, true))
            };
            in_order(&mut done, 50, piece, |number| taken.push(number)).unwrap();
            assert_eq!(taken, (0..50).collect::<Vec<_>>());
            assert_eq!(done.iter().sum::<u64>(), 50);
        }
    }

    #[test]
    fn who_does_not_go_on_takes_no_more_pieces() {
        let piece = |limit: &mut u64, number: u64| Ok((number, number < *limit));
        let mut taken = Vec::new();
        in_order(&mut [5, 9], 1 << 40, piece, |number| taken.push(number)).unwrap();
        assert!(taken.is_sorted() && taken.len() <= 11, "{taken:?}");
        assert!(taken.starts_with(&[0, 1, 2, 3, 4, 5]), "{taken:?}");
    }

    #[test]
    fn an_error_ends_the_work() {
        let piece = |_: &mut (), number| match number {
            3 => Err(JudgeError::Contradiction { position: "here".to_owned() }),
            number => Ok((number, true)),
        };
        let mut taken = Vec::new();
        let error = in_order(&mut [()], 1 << 40, piece, |number| taken.push(number)).unwrap_err();
        assert!(matches!(error, JudgeError::Contradiction { .. }));
        assert_eq!(taken, [0, 1, 2]);
    }
}
