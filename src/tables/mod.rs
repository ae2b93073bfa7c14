//! Endgame tables on disk.
