//! Yes and no, each in as few bits as it is surprising: a binary arithmetic coder.
//!
//! It is the coder of LZMA with a range of 31 bits instead of 32 and chances of 15 bits instead of
//! 11, so that a reader needs only signed 32-bit numbers, the fast ones of JavaScript.

/// The width of a [`Chance`].
const CHANCE_BITS: u32 = 15;
/// How slowly chances learn: each answer counts for `1 / 2^RATE`, those before for the rest.
const RATE: u32 = 5;
/// What the range is at first; it is always below `2^31`.
const WHOLE: u32 = (1 << 31) - 1;
/// A range below this takes in another byte.
const SMALL: u32 = 1 << 23;

/// How likely a yes is, in `1 / 2^15`: learnt from the answers before.
///
/// It stays from 31 to 2^15 - 31, so that no answer ever gets the whole of a range, or nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance(u16);

impl Chance {
    /// As likely as not.
    pub const EVEN: Chance = Chance(1 << (CHANCE_BITS - 1));

    /// The part of `range` that a yes takes.
    fn of(self, range: u32) -> u32 {
        (range >> CHANCE_BITS) * u32::from(self.0)
    }

    fn learn(&mut self, yes: bool) {
        if yes {
            self.0 += ((1 << CHANCE_BITS) - self.0) >> RATE;
        } else {
            self.0 -= self.0 >> RATE;
        }
    }
}

/// Writes answers.
#[derive(Debug)]
pub(super) struct Encoder {
    /// Where the range begins, behind the bytes that are written; one bit more when it carries.
    low: u64,
    range: u32,
    bytes: Vec<u8>,
}

impl Encoder {
    pub fn new() -> Self {
        Encoder { low: 0, range: WHOLE, bytes: Vec::new() }
    }

    pub fn write(&mut self, yes: bool, chance: &mut Chance) {
        let part = chance.of(self.range);
        if yes {
            self.range = part;
        } else {
            self.low += u64::from(part);
            self.range -= part;
        }
        chance.learn(yes);
        while self.range < SMALL {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Moves the highest byte of `low` to the bytes written.
    fn shift(&mut self) {
        if self.low >> 32 != 0 {
            // Never past the first byte: the whole range fits 32 bits.
            let last = self.bytes.iter().rposition(|&byte| byte != 0xff).unwrap_or_default();
            self.bytes[last] += 1;
            self.bytes[last + 1..].fill(0);
        }
        self.bytes.push((self.low >> 24) as u8);
        self.low = (self.low << 8) & 0xffff_ffff;
    }

    /// All that was written. The code is the beginning of the last range, to the last bit.
    pub fn finish(mut self) -> Vec<u8> {
        for _ in 0..4 {
            self.shift();
        }
        self.bytes
    }
}

/// Reads answers. Of bytes that no [`Encoder`] wrote it reads other answers; what is missing at the
/// end is read as zeros, and [`Decoder::is_finished`] tells.
#[derive(Debug)]
pub(super) struct Decoder<'a> {
    /// Where the code lies above the beginning of the range.
    code: u32,
    range: u32,
    bytes: &'a [u8],
    /// How many bytes were taken in; more than there are when some were missing.
    taken: usize,
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Decoder { code: 0, range: WHOLE, bytes, taken: 0 };
        for _ in 0..4 {
            decoder.take();
        }
        decoder
    }

    fn take(&mut self) {
        let byte = self.bytes.get(self.taken).copied().unwrap_or_default();
        // What no encoder wrote may lie above the range, and overflow.
        self.code = (self.code << 8) | u32::from(byte);
        self.taken += 1;
    }

    pub fn read(&mut self, chance: &mut Chance) -> bool {
        let part = chance.of(self.range);
        let yes = self.code < part;
        if yes {
            self.range = part;
        } else {
            self.code -= part;
            self.range -= part;
        }
        chance.learn(yes);
        while self.range < SMALL {
            self.range <<= 8;
            self.take();
        }
        yes
    }

    /// Whether all bytes, and no more, were needed, and the code is the beginning of the last
    /// range.
    pub fn is_finished(&self) -> bool {
        self.taken == self.bytes.len() && self.code == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(answers: &[(usize, bool)]) -> Vec<u8> {
        let mut chances = [Chance::EVEN; 4];
        let mut encoder = Encoder::new();
        for &(context, yes) in answers {
            encoder.write(yes, &mut chances[context]);
        }
        encoder.finish()
    }

    fn decoded(bytes: &[u8], contexts: impl Iterator<Item = usize>) -> (Vec<bool>, bool) {
        let mut chances = [Chance::EVEN; 4];
        let mut decoder = Decoder::new(bytes);
        let answers = contexts.map(|context| decoder.read(&mut chances[context])).collect();
        (answers, decoder.is_finished())
    }

    #[test]
    fn what_always_holds_costs_next_to_nothing() {
        let bytes = encoded(&[(0, true); 80_000]);
        assert!(bytes.len() < 30, "{}", bytes.len());
        let bytes = encoded(&[(0, false); 80_000]);
        assert!(bytes.len() < 30, "{}", bytes.len());
    }

    #[test]
    fn no_answers_take_four_bytes() {
        assert_eq!(encoded(&[]), [0; 4]);
        assert!(Decoder::new(&[0; 4]).is_finished());
        assert!(!Decoder::new(&[0; 3]).is_finished());
        assert!(!Decoder::new(&[0; 5]).is_finished());
        assert!(!Decoder::new(&[0, 0, 0, 1]).is_finished());
    }

    proptest! {
        #[test]
        fn answers_come_back(
            answers in prop::collection::vec((0usize..4, prop::bool::weighted(0.8)), 0..2000),
        ) {
            let bytes = encoded(&answers);
            let (back, finished) = decoded(&bytes, answers.iter().map(|answer| answer.0));
            prop_assert!(finished);
            prop_assert!(back.iter().eq(answers.iter().map(|(_, yes)| yes)));
        }

        #[test]
        fn carries_reach_the_bytes_before(seed: u64) {
            // One no in a sea of yes, and the other way round: long runs of the byte 0xff.
            let rare = |at: u64| (seed >> (at % 61)) & 0xff == 0;
            let answer = |at: u64| ((at % 2) as usize, rare(at) == at.is_multiple_of(2));
            let answers: Vec<_> = (0..3000).map(answer).collect();
            let bytes = encoded(&answers);
            let (back, finished) = decoded(&bytes, answers.iter().map(|answer| answer.0));
            prop_assert!(finished);
            prop_assert!(back.iter().eq(answers.iter().map(|(_, yes)| yes)));
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
            let (answers, _) = decoded(&bytes, (0..1000).map(|at| at % 4));
            prop_assert_eq!(answers.len(), 1000);
        }
    }
}
