//! Why something is not solved.

/// Why a pair of blocks is not solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SolveError {
    /// The one who watches said that it should not go on.
    #[error("stopped")]
    Stopped,
    /// The system gave no memory for a block.
    #[error("the system gave no {bytes} bytes of memory")]
    OutOfMemory {
        /// Bytes of the block.
        bytes: usize,
    },
}
