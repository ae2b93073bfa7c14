//! Signals: a first Ctrl-C asks for an orderly end, a second one ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io, process, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;

use super::failure::Status;

/// Signals within this time of the first are one with it.
const TOGETHER: Duration = Duration::from_millis(500);

/// Whether somebody asked this process to stop.
#[derive(Clone)]
pub struct Interrupt(Arc<Asked>);

#[derive(Default)]
struct Asked {
    requested: AtomicBool,
    /// The first signal ends the process at once, too: it waits, and has nothing to finish.
    waiting: AtomicBool,
}

impl Interrupt {
    /// From now on Ctrl-C (or a request to terminate, or the end of the terminal unless `nohup` or
    /// the like keeps it from this process) is remembered, and a second one ends the
    /// process at once, unless it comes together with the first: some programs send a signal to a
    /// process and to its group.
    ///
    /// # Errors
    ///
    /// When the system does not let signals be handled.
    pub fn listen() -> io::Result<Self> {
        let asked = Arc::new(Asked::default());
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        if !is_ignored(SIGHUP) {
            signals.add_signal(SIGHUP)?;
        }
        let flag = Arc::clone(&asked);
        let thread = thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let mut first: Option<Instant> = None;
            for _ in signals.forever() {
                match first {
                    None => {
                        first = Some(Instant::now());
                        flag.requested.store(true, Ordering::SeqCst);
                        if flag.waiting.load(Ordering::SeqCst) {
                            process::exit(Status::Interrupted as i32);
                        }
                    }
                    Some(first) if first.elapsed() > TOGETHER => {
                        process::exit(Status::Interrupted as i32);
                    }
                    Some(_) => {}
                }
            }
        });
        thread.map_err(|error| {
            let reason = format!("cannot start the thread that waits for Ctrl-C: {error}");
            io::Error::new(error.kind(), reason)
        })?;
        Ok(Interrupt(asked))
    }

    /// Whether somebody asked this process to stop.
    pub fn requested(&self) -> bool {
        self.0.requested.load(Ordering::Relaxed)
    }

    /// Does what may wait for ever, and has nothing to finish when somebody asks this process to
    /// stop: that ends it at once, as [`Status::Interrupted`]. `None` when somebody did before.
    pub fn waiting<T>(&self, wait: impl FnOnce() -> T) -> Option<T> {
        // Either this or the thread that waits for signals sees what the other stored.
        self.0.waiting.store(true, Ordering::SeqCst);
        let waited = (!self.0.requested.load(Ordering::SeqCst)).then(wait);
        self.0.waiting.store(false, Ordering::SeqCst);
        waited
    }
}

/// Whether whoever started this process had it ignore the signal. Where the system does not tell, it
/// is taken as ignored.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    ignored.is_none_or(|set| set >> (signal - 1) & 1 == 1)
}

/// Makes a write beyond the file-size limit an error, which can be told, instead of a signal that
/// kills. Where that cannot be had the signal stays what it was.
pub fn survive_file_size_limit() {
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
