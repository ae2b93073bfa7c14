//! Asking for memory before it is needed.

/// Asks for the memory at an address, to be read soon, without waiting for it. Any address will do.
#[inline(always)]
pub(crate) fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect that a program could see, at any address, and every
        // x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Addresses of memory that will be needed, to be asked for side by side.
///
/// To find the page of an address takes as long as the memory itself once there are more pages than
/// the processor remembers, and until a page is found nothing behind the prefetch retires. Pages
/// asked for one right after the other are found at the same time.
pub(crate) struct Requests {
    addresses: [*const u8; Requests::MOST],
    count: usize,
}

impl Requests {
    /// More are asked for at once.
    const MOST: usize = 32;

    pub fn new() -> Self {
        Requests { addresses: [std::ptr::null(); Requests::MOST], count: 0 }
    }

    /// The memory at this address will be needed after the next [`Requests::send`].
    #[inline]
    pub fn add(&mut self, address: *const u8) {
        if self.count == Requests::MOST {
            self.send();
        }
        self.addresses[self.count] = address;
        self.count += 1;
    }

    /// How many addresses there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Asks for all of it.
    #[inline]
    pub fn send(&mut self) {
        self.addresses[..self.count].iter().for_each(|&address| prefetch(address));
        self.count = 0;
    }
}
