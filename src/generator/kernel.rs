//! The instruction set that the loops run with, chosen when the program runs.

/// The instruction sets that the loops are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kernel {
    /// What the program was compiled for.
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Loops that are worth an instruction set: a closure that is sure to be inlined.
///
/// Implementations mark `run` as `#[inline(always)]`, and all that it calls: what is not inlined is
/// compiled for the baseline.
pub(crate) trait Work {
    /// Does the work.
    ///
    /// # Safety
    ///
    /// What the implementation says.
    unsafe fn run(self);
}

impl Kernel {
    /// Those that this machine has, the best one last.
    pub fn available() -> Vec<Self> {
        let mut kernels = vec![Kernel::Baseline];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            kernels.push(Kernel::Avx2);
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
            {
                kernels.push(Kernel::Avx512);
            }
        }
        kernels
    }

    /// The best that this machine has.
    pub fn best() -> Self {
        *Kernel::available().last().expect("the baseline at least")
    }

    /// Does some work with this instruction set.
    ///
    /// # Safety
    ///
    /// What the work asks for, and the machine has the instruction set.
    #[inline]
    pub unsafe fn run(self, work: impl Work) {
        // SAFETY: both are the caller's.
        unsafe {
            match self {
                Kernel::Baseline => work.run(),
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx2 => run_avx2(work),
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx512 => run_avx512(work),
            }
        }
    }
}

/// [`Work::run`] compiled for AVX2.
///
/// # Safety
///
/// As for [`Work::run`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn run_avx2(work: impl Work) {
    // SAFETY: the caller's.
    unsafe { work.run() }
}

/// [`Work::run`] compiled for AVX-512.
///
/// # Safety
///
/// As for [`Work::run`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl")]
unsafe fn run_avx512(work: impl Work) {
    // SAFETY: the caller's.
    unsafe { work.run() }
}
