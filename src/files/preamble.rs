//! What files of every format begin with, and end or go on with: a name, a version, the length of
//! a header, the header; and the BLAKE3 digest of all before it.

/// Bytes before the header.
pub(crate) const PREAMBLE: usize = 16;
/// Bytes of a digest.
pub(crate) const DIGEST: usize = 32;

/// What a file says before its header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Preamble {
    /// The version of the format.
    pub version: u32,
    /// The bytes of the header.
    pub header: usize,
}

impl Preamble {
    /// The preamble of a file that begins with these bytes; `None` when they are too few.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (_magic, rest) = bytes.split_first_chunk::<8>()?;
        let (version, rest) = rest.split_first_chunk()?;
        let (header, _) = rest.split_first_chunk()?;
        let [version, header] = [version, header].map(|number| u32::from_le_bytes(*number));
        Some(Preamble { version, header: header as usize })
    }
}

/// The preamble and the header of a file.
pub(crate) fn begin(magic: [u8; 8], version: u32, header: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(PREAMBLE + header.len() + DIGEST);
    bytes.extend(magic);
    bytes.extend(version.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    bytes
}

/// Adds the digest of the bytes to them.
pub(crate) fn sign(bytes: &mut Vec<u8>) {
    let digest = blake3::hash(bytes);
    bytes.extend(digest.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_begun_is_read() {
        let mut bytes = begin(*b"a format", 0x0403_0201, b"header");
        assert_eq!(bytes, *b"a format\x01\x02\x03\x04\x06\0\0\0header");
        let preamble = Preamble { version: 0x0403_0201, header: 6 };
        assert_eq!(Preamble::read(&bytes), Some(preamble));
        assert_eq!(Preamble::read(&bytes[..PREAMBLE]), Some(preamble));
        assert_eq!(Preamble::read(&bytes[..PREAMBLE - 1]), None);
        sign(&mut bytes);
        let (before, digest) = bytes.split_last_chunk::<DIGEST>().unwrap();
        assert_eq!(blake3::hash(before), *digest);
    }
}
