//! The bytes around the code: what a file says of itself, and its checksum.

use super::DecodeError;
use crate::rules::Rules;

/// What a file begins with.
const MAGIC: [u8; 8] = *b"KALAHWEB";
/// The version of the format.
const VERSION: u8 = 1;
/// Bytes before the code: magic, version, rules, pits, stones, and the length of the code.
const HEADER: usize = MAGIC.len() + 4 + 4;
/// Bytes after the code.
const CHECKSUM: usize = 4;

/// What a table holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contents {
    /// The rules its values are computed by.
    pub rules: Rules,
    /// Pits a side.
    pub pits: u8,
    /// The most stones in the pits; there are all positions with no more.
    pub stones: u8,
}

impl Contents {
    /// What a file holds, by its header, and the code of its values. Whether there are tables of so
    /// many pits and stones remains to be asked.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let Some((magic, rest)) = bytes.split_first_chunk() else {
            return Err(DecodeError::NotATable);
        };
        if *magic != MAGIC {
            return Err(DecodeError::NotATable);
        }
        if let Some(&version) = rest.first().filter(|&&version| version != VERSION) {
            return Err(DecodeError::OtherVersion { version });
        }
        let least = HEADER + CHECKSUM;
        let cut = DecodeError::WrongLength { found: bytes.len(), expected: least };
        let (&[_, rules, pits, stones], rest) = rest.split_first_chunk().ok_or(cut.clone())?;
        let (length, rest) = rest.split_first_chunk().ok_or(cut.clone())?;
        let (code, checksum) = rest.split_last_chunk().ok_or(cut)?;
        let expected = least.saturating_add(u32::from_le_bytes(*length) as usize);
        if bytes.len() != expected {
            return Err(DecodeError::WrongLength { found: bytes.len(), expected });
        }
        let expected = u32::from_le_bytes(*checksum);
        let found = crc32(&bytes[..bytes.len() - CHECKSUM]);
        if found != expected {
            return Err(DecodeError::WrongChecksum { found, expected });
        }
        let wrong = DecodeError::NoSuchTable { rules, pits, stones };
        let rules = Rules::ALL.get(usize::from(rules)).copied().ok_or(wrong)?;
        Ok((Contents { rules, pits, stones }, code))
    }

    /// The file of these contents.
    pub(super) fn file(self, code: &[u8]) -> Vec<u8> {
        let rules = match self.rules {
            Rules::Standard => 0,
            Rules::EmptyCapture => 1,
        };
        let mut bytes = Vec::with_capacity(HEADER + code.len() + CHECKSUM);
        bytes.extend(MAGIC);
        bytes.extend([VERSION, rules, self.pits, self.stones]);
        bytes.extend((code.len() as u32).to_le_bytes());
        bytes.extend(code);
        bytes.extend(crc32(&bytes).to_le_bytes());
        bytes
    }

    /// The name of the file, like `standard-6pits-12stones.kalahweb`.
    pub fn file_name(self) -> String {
        format!("{}-{}pits-{}stones.kalahweb", self.rules, self.pits, self.stones)
    }
}

/// The CRC-32 of gzip and PNG.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut remainder = byte as u32;
            let mut bit = 0;
            while bit < 8 {
                remainder = (remainder >> 1) ^ ((remainder & 1) * 0xedb8_8320);
                bit += 1;
            }
            table[byte] = remainder;
            byte += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |crc, &byte| (crc >> 8) ^ TABLE[((crc as u8) ^ byte) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn what_is_written_is_read() {
        for rules in Rules::ALL {
            let contents = Contents { rules, pits: 6, stones: 12 };
            let file = contents.file(b"code");
            assert_eq!(Contents::read(&file), Ok((contents, &b"code"[..])));
        }
    }

    #[test]
    fn each_fault_is_told() {
        let contents = Contents { rules: Rules::Standard, pits: 6, stones: 12 };
        let file = contents.file(b"code");
        let fault = |bytes: &[u8]| Contents::read(bytes).unwrap_err();
        assert_eq!(fault(b""), DecodeError::NotATable);
        assert_eq!(fault(b"<!DOCTYPE html>"), DecodeError::NotATable);
        assert_eq!(fault(&file[..8]), DecodeError::WrongLength { found: 8, expected: 20 });
        assert_eq!(fault(&file[..23]), DecodeError::WrongLength { found: 23, expected: 24 });
        let longer = [&file[..], b"\n"].concat();
        assert_eq!(fault(&longer), DecodeError::WrongLength { found: 25, expected: 24 });
        let mut other = file.clone();
        other[8] = 2;
        assert_eq!(fault(&other), DecodeError::OtherVersion { version: 2 });
        let mut other = file.clone();
        other[9] = 2;
        assert!(matches!(fault(&other), DecodeError::WrongChecksum { .. }));
        let end = other.len() - CHECKSUM;
        let checksum = crc32(&other[..end]).to_le_bytes();
        other[end..].copy_from_slice(&checksum);
        assert_eq!(fault(&other), DecodeError::NoSuchTable { rules: 2, pits: 6, stones: 12 });
    }
}
