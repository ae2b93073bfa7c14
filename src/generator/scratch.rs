//! Memory that threads use one after the other.

use std::sync::{Mutex, PoisonError};

/// Things that are taken, used and put back; as many as were in use at once.
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    pub fn new() -> Self {
        Pool(Mutex::new(Vec::new()))
    }

    /// Lends one of them, in whatever state its last user left it.
    pub fn with<R>(&self, use_it: impl FnOnce(&mut T) -> R) -> R {
        let idle = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut thing = idle().pop().unwrap_or_default();
        let result = use_it(&mut thing);
        idle().push(thing);
        result
    }
}
