//! Inputs that are taken apart from the front. What is missing is zero, or empty.

/// What is left of an input.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// So many bytes.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut array = [0; N];
        let (taken, rest) = self.0.split_at(N.min(self.0.len()));
        array[..taken.len()].copy_from_slice(taken);
        self.0 = rest;
        array
    }

    /// Two bytes with a length, and so many bytes.
    pub fn piece(&mut self) -> &'a [u8] {
        let length = usize::from(u16::from_le_bytes(self.array()));
        let (piece, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        piece
    }

    /// Pieces to the end.
    pub fn pieces(mut self) -> impl Iterator<Item = &'a [u8]> {
        std::iter::from_fn(move || (!self.0.is_empty()).then(|| self.piece()))
    }
}

/// The bytes of a piece.
pub fn piece(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("a small piece");
    [&length.to_le_bytes(), bytes].concat()
}

/// A file's beginning with its digest: its name, version 1, the length of the header, the header.
pub fn signed(magic: &[u8; 8], header: &[u8]) -> Vec<u8> {
    let length = (header.len() as u32).to_le_bytes();
    let mut bytes = [&magic[..], &1_u32.to_le_bytes(), &length, header].concat();
    let digest = blake3::hash(&bytes);
    bytes.extend(digest.as_bytes());
    bytes
}

/// The header of such a file, and what comes after the digest.
pub fn unsigned(file: &[u8]) -> (&[u8], &[u8]) {
    let length = u32::from_le_bytes(file[12..16].try_into().expect("four bytes"));
    let (header, rest) = file[16..].split_at(length as usize);
    (header, &rest[32..])
}
