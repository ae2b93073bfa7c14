//! Memory for whole blocks, used again and again.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use memmap2::MmapMut;

use super::error::SolveError;

/// Where buffers come from and go back to.
///
/// The system clears every page that it hands out, and asking for pages and clearing them took as
/// long as computing what is written there. So memory that is no longer used goes to the next who
/// needs as much, and large buffers lie in huge pages where the system has them.
#[derive(Clone, Default)]
pub struct Buffers(Arc<Mutex<Vec<MmapMut>>>);

/// Some bytes, of any content until they are written.
pub struct Buffer {
    /// At least as long as the buffer; nothing for an empty one.
    pages: Option<MmapMut>,
    length: usize,
    home: Weak<Mutex<Vec<MmapMut>>>,
}

impl Buffers {
    /// A buffer of `length` bytes; what it holds is what its last user left, or zeros.
    ///
    /// # Errors
    ///
    /// [`SolveError::OutOfMemory`].
    pub fn take(&self, length: usize) -> Result<Buffer, SolveError> {
        let home = Arc::downgrade(&self.0);
        if length == 0 {
            return Ok(Buffer { pages: None, length, home });
        }
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits =
            |pages: &MmapMut| pages.len() >= length && pages.len() / 4 <= length.max(1 << 16);
        let best = (0..idle.len()).filter(|&i| fits(&idle[i])).min_by_key(|&i| idle[i].len());
        if let Some(best) = best {
            return Ok(Buffer { pages: Some(idle.swap_remove(best)), length, home });
        }
        // What is idle is of the wrong size; one less of them keeps the whole from growing.
        idle.pop();
        drop(idle);
        let pages =
            MmapMut::map_anon(length).map_err(|_| SolveError::OutOfMemory { bytes: length })?;
        // Only advice: without huge pages it is slower and no less right.
        #[cfg(target_os = "linux")]
        if length >= HUGE {
            let _ = pages.advise(memmap2::Advice::HugePage);
        }
        Ok(Buffer { pages: Some(pages), length, home })
    }
}

/// Bytes from which on a buffer asks for huge pages.
#[cfg(target_os = "linux")]
const HUGE: usize = 2 << 20;

impl Drop for Buffer {
    fn drop(&mut self) {
        if let (Some(pages), Some(home)) = (self.pages.take(), self.home.upgrade()) {
            home.lock().unwrap_or_else(PoisonError::into_inner).push(pages);
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.pages.as_ref().map_or(&[], |pages| &pages[..self.length])
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.pages.as_mut().map_or(&mut [], |pages| &mut pages[..self.length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again() {
        let buffers = Buffers::default();
        let mut buffer = buffers.take(100_000).unwrap();
        buffer.fill(7);
        let address = buffer.as_ptr();
        drop(buffer);
        assert!(buffers.take(0).unwrap().is_empty());
        let buffer = buffers.take(90_000).unwrap();
        assert_eq!((buffer.as_ptr(), buffer.len()), (address, 90_000));
        assert!(buffers.take(200_000).unwrap().iter().all(|&byte| byte == 0));
    }
}
