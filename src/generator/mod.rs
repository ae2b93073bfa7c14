//! Retrograde analysis.
