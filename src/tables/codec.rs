//! The bytes of a header.
//!
//! The one place that knows the serialisation crate: numbers little-endian and of fixed width, so
//! that the length of a header depends on the number of its blocks alone, and never more bytes
//! than [`LIMIT`], whatever lengths the bytes claim.

use serde::{Serialize, de::DeserializeOwned};

/// The most bytes a header may have: more than 127 stones need.
pub(crate) const LIMIT: usize = 1 << 14;

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<LIMIT>()
}

/// The bytes of `value`.
///
/// # Panics
///
/// When they are more than [`LIMIT`]: a mistake in the program, as headers are much smaller.
pub(crate) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    bincode::serde::encode_to_vec(value, config()).expect("headers are smaller than the limit")
}

/// The value that these bytes, all of them, stand for; otherwise why there is none.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let (value, used) = bincode::serde::decode_from_slice(bytes, config())
        .map_err(|error| format!("it cannot be decoded ({error})"))?;
    if used != bytes.len() {
        return Err(format!("it ends after {used} of {} bytes", bytes.len()));
    }
    Ok(value)
}
