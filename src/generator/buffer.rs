//! Memory for whole blocks.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Bytes from which on a buffer gets pages of its own.
const LARGE: usize = 4 << 20;

/// Some bytes, zero at first.
///
/// Large ones lie in huge pages where the system has them: with pages of 4 KiB, the faults alone
/// took as long as computing what is written there.
pub struct Buffer(Storage);

enum Storage {
    Small(Vec<u8>),
    Large(MmapMut),
}

impl Buffer {
    /// `length` zeros.
    ///
    /// # Panics
    ///
    /// When there is no memory for them.
    pub fn new(length: usize) -> Self {
        if length < LARGE {
            return Buffer(Storage::Small(vec![0; length]));
        }
        let pages = MmapMut::map_anon(length)
            .unwrap_or_else(|error| panic!("{length} bytes of memory: {error}"));
        // Only advice: without huge pages it is slower and no less right.
        #[cfg(target_os = "linux")]
        let _ = pages.advise(memmap2::Advice::HugePage);
        Buffer(Storage::Large(pages))
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Storage::Small(bytes) => bytes,
            Storage::Large(pages) => pages,
        }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Storage::Small(bytes) => bytes,
            Storage::Large(pages) => pages,
        }
    }
}
