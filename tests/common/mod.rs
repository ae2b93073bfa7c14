//! What several test programs share; none uses all of it.
#![allow(dead_code)]

pub mod negamax;
pub mod proof_file;
pub mod reference;
