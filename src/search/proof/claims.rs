//! Many claims in little memory, and as bytes.

/// What a claim says of its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Answer {
    /// What the player to move gets of the stones, at least.
    pub share: u8,
    /// The pit to sow, from 0.
    pub pit: u8,
}

/// Claims, sorted by the numbers of their positions, which all differ.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Claims {
    numbers: Vec<u64>,
    answers: Vec<Answer>,
}

/// The fewest bytes that a claim takes.
pub(super) const LEAST_BYTES: u64 = 2;

/// Bits of the pit in the first number of a claim.
const PIT_BITS: u32 = 3;

impl Claims {
    /// Claims that do not have to be sorted, one a position.
    pub fn of(mut claims: Vec<(u64, Answer)>) -> Self {
        claims.sort_unstable_by_key(|&(number, _)| number);
        let (numbers, answers) = claims.into_iter().unzip();
        Claims { numbers, answers }
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// A claim by its place, with the number of its position.
    pub fn at(&self, place: usize) -> (u64, Answer) {
        (self.numbers[place], self.answers[place])
    }

    /// The claim about the position with this number.
    pub fn get(&self, number: u64) -> Option<Answer> {
        self.numbers.binary_search(&number).ok().map(|place| self.answers[place])
    }

    /// Appends the claims' bytes.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        let mut next = 0;
        for (&number, answer) in self.numbers.iter().zip(&self.answers) {
            // Numbers have at most 56 bits.
            let mut rest = (number - next) << PIT_BITS | u64::from(answer.pit);
            while rest >= 1 << 7 {
                bytes.push(rest as u8 | 1 << 7);
                rest >>= 7;
            }
            bytes.extend([rest as u8, answer.share]);
            next = number + 1;
        }
    }

    /// The claims of which these are the bytes, so many as `count`, all about positions whose
    /// numbers are in `numbers`.
    ///
    /// # Errors
    ///
    /// What is wrong with the bytes.
    pub fn decode(
        mut bytes: &[u8],
        count: u64,
        numbers: std::ops::Range<u64>,
    ) -> Result<Self, String> {
        if count > bytes.len() as u64 / LEAST_BYTES {
            return Err(format!("{} bytes cannot hold {count} claims", bytes.len()));
        }
        let mut claims = Claims::default();
        let room = (claims.numbers.try_reserve_exact(count as usize))
            .and_then(|()| claims.answers.try_reserve_exact(count as usize));
        room.map_err(|_| format!("there is no memory for its {count} claims"))?;
        let mut next = 0;
        for claim in 1..=count {
            let (number, answer) = decode_one(&mut bytes, next)
                .filter(|(number, answer)| numbers.contains(number) && answer.share > 0)
                .ok_or_else(|| format!("claim {claim} is none"))?;
            claims.numbers.push(number);
            claims.answers.push(answer);
            next = number + 1;
        }
        match bytes.len() {
            0 => Ok(claims),
            more => Err(format!("{more} bytes follow the last claim")),
        }
    }
}

/// Takes a claim from the front; `next` is the least number that its position can have.
fn decode_one(bytes: &mut &[u8], next: u64) -> Option<(u64, Answer)> {
    let mut first = 0u64;
    let mut shift = 0;
    loop {
        let byte = take(bytes)?;
        let bits = u64::from(byte & 0x7f);
        // Nine bytes hold 63 bits, more than any number has.
        if shift >= 63 || (byte == 0 && shift > 0) {
            return None;
        }
        first |= bits << shift;
        shift += 7;
        if byte < 1 << 7 {
            break;
        }
    }
    let pit = (first & ((1 << PIT_BITS) - 1)) as u8;
    let share = take(bytes)?;
    Some((next.checked_add(first >> PIT_BITS)?, Answer { share, pit }))
}

fn take(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COUNT: u64 = 1 << 57;

    #[test]
    fn bytes_are_as_documented() {
        let claims = Claims::of(vec![
            (1000, Answer { share: 9, pit: 2 }),
            (3, Answer { share: 2, pit: 5 }),
            (4, Answer { share: 1, pit: 0 }),
        ]);
        let mut bytes = Vec::new();
        claims.encode(&mut bytes);
        // 8 * 995 + 2 = 7962 = 62 * 128 + 26.
        assert_eq!(bytes, [3 << 3 | 5, 2, 0, 1, 0x80 | 26, 62, 9]);
        assert_eq!(claims.get(4), Some(Answer { share: 1, pit: 0 }));
        assert_eq!(claims.get(5), None);
    }

    #[test]
    fn there_is_one_way_to_write_a_claim() {
        let decode = |bytes: &[u8]| Claims::decode(bytes, 1, 0..COUNT);
        assert!(decode(&[8, 1]).is_ok());
        assert!(decode(&[0x88, 0, 1]).is_err(), "a byte too many");
        assert!(decode(&[8, 0]).is_err(), "a share of nothing");
        assert!(decode(&[8, 1, 1]).is_err(), "a byte after the end");
        assert!(decode(&[8]).is_err() && decode(&[0x88, 1]).is_err(), "cut off");
        assert!(decode(&[0xff; 40]).is_err(), "endless");
        assert!(Claims::decode(&[8, 1], 1, 2..9).is_err(), "too small a number");
        assert!(Claims::decode(&[80, 1], 1, 2..9).is_err(), "too large a number");
        assert!(Claims::decode(&[8, 1], u64::MAX, 0..COUNT).is_err(), "too many to be true");
    }

    proptest! {
        #[test]
        fn claims_come_back(
            claims in prop::collection::btree_map(0..COUNT, (1u8.., 0u8..6), 0..50),
        ) {
            let answer = |(share, pit)| Answer { share, pit };
            let claims = claims.into_iter().map(|(number, claim)| (number, answer(claim)));
            let claims = Claims::of(claims.collect());
            let mut bytes = Vec::new();
            claims.encode(&mut bytes);
            prop_assert_eq!(Claims::decode(&bytes, claims.len() as u64, 0..COUNT), Ok(claims));
        }

        #[test]
        fn any_bytes_are_decoded_or_refused(bytes: Vec<u8>, count in 0u64..20) {
            if let Ok(claims) = Claims::decode(&bytes, count, 0..COUNT) {
                let mut again = Vec::new();
                claims.encode(&mut again);
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
