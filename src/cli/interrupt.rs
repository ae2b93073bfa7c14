//! Signals: a first Ctrl-C asks for an orderly end, a second one ends at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use super::failure::Status;

/// Whether somebody asked this process to stop.
#[derive(Clone)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on Ctrl-C (or a request to terminate) is remembered, and a second one ends the
    /// process at once.
    ///
    /// # Errors
    ///
    /// When the system does not let signals be handled.
    pub fn listen() -> io::Result<Self> {
        let requested = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: a signal that finds the flag set by one before it ends the process.
            let status = Status::Interrupted as i32;
            flag::register_conditional_shutdown(signal, status, Arc::clone(&requested))?;
            flag::register(signal, Arc::clone(&requested))?;
        }
        Ok(Interrupt(requested))
    }

    /// Whether somebody asked this process to stop.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Makes a write beyond the file-size limit an error, which can be told, instead of a signal that
/// kills. Where that cannot be had the signal stays what it was.
pub fn survive_file_size_limit() {
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
