//! A proof's file taken apart and put together by its documentation alone, to be altered.

/// Bytes before the header.
const PREAMBLE: usize = 16;
/// Bytes of a digest.
pub const DIGEST: usize = 32;

/// The parts of a file. Nothing is checked when it is put together again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofFile {
    pub rules: u32,
    pub pits: u8,
    pub root: Vec<u8>,
    pub relation: u32,
    pub value: i16,
    pub table_stones: u8,
    pub layers: Vec<(u8, [u8; DIGEST])>,
    pub claims: Vec<Claim>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    pub number: u64,
    /// From 0.
    pub pit: u8,
    pub share: u8,
}

impl ProofFile {
    pub fn parse(bytes: &[u8]) -> Self {
        assert_eq!(&bytes[..8], b"KALPF\r\n\x1a");
        let (body, digest) = bytes.split_at(bytes.len() - DIGEST);
        assert_eq!(blake3::hash(body), *digest);
        let mut rest = &body[8..];
        let mut take = |count: usize| {
            let (taken, left) = rest.split_at(count);
            rest = left;
            taken.to_vec()
        };
        fn little(bytes: Vec<u8>) -> u64 {
            bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
        }
        assert_eq!(little(take(4)), 1);
        let header = little(take(4)) as usize;
        let rules = little(take(4)) as u32;
        let pits = take(1)[0];
        let numbers = little(take(8)) as usize;
        let root = take(numbers);
        let relation = little(take(4)) as u32;
        let value = little(take(2)) as u16 as i16;
        let table_stones = take(1)[0];
        let layers = (0..little(take(8)))
            .map(|_| (take(1)[0], take(DIGEST).try_into().unwrap()))
            .collect::<Vec<_>>();
        let count = little(take(8));
        assert_eq!(header, 4 + 1 + 8 + numbers + 4 + 2 + 1 + 8 + 33 * layers.len() + 8);
        let mut next = 0;
        let claims = (0..count).map(|_| {
            let (mut first, mut shift) = (0, 0);
            loop {
                let byte = take(1)[0];
                first |= u64::from(byte & 127) << shift;
                shift += 7;
                if byte < 128 {
                    break;
                }
            }
            let number = next + first / 8;
            next = number + 1;
            Claim { number, pit: (first % 8) as u8, share: take(1)[0] }
        });
        let claims = claims.collect();
        assert!(rest.is_empty());
        ProofFile { rules, pits, root, relation, value, table_stones, layers, claims }
    }

    /// The bytes of the file; claims must be in order.
    pub fn bytes(&self) -> Vec<u8> {
        let mut header = Vec::new();
        header.extend(self.rules.to_le_bytes());
        header.push(self.pits);
        header.extend((self.root.len() as u64).to_le_bytes());
        header.extend(&self.root);
        header.extend(self.relation.to_le_bytes());
        header.extend(self.value.to_le_bytes());
        header.push(self.table_stones);
        header.extend((self.layers.len() as u64).to_le_bytes());
        for (stones, digest) in &self.layers {
            header.push(*stones);
            header.extend(digest);
        }
        header.extend((self.claims.len() as u64).to_le_bytes());
        let mut bytes = b"KALPF\r\n\x1a\x01\0\0\0".to_vec();
        bytes.extend((header.len() as u32).to_le_bytes());
        assert_eq!(bytes.len(), PREAMBLE);
        bytes.extend(header);
        let mut next = 0;
        for claim in &self.claims {
            let mut rest = (claim.number - next) * 8 + u64::from(claim.pit);
            while rest >= 128 {
                bytes.push((rest % 128) as u8 + 128);
                rest /= 128;
            }
            bytes.extend([rest as u8, claim.share]);
            next = claim.number + 1;
        }
        bytes.extend([0; DIGEST]);
        sign(&mut bytes);
        bytes
    }
}

/// Gives a file the digest that it should have, as somebody who means harm would.
pub fn sign(bytes: &mut [u8]) {
    if let Some((body, digest)) = bytes.split_last_chunk_mut::<DIGEST>() {
        *digest = *blake3::hash(body).as_bytes();
    }
}
