//! A bit reader, highest bit first, for MPEG headers.

#[derive(Debug, Clone)]
pub(crate) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        let byte = self.bytes.get(self.at / 8)?;
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        Some(bit == 1)
    }

    /// A number of `count` bits, at most 32.
    pub(crate) fn take(&mut self, count: u32) -> Option<u32> {
        let mut number = 0_u32;
        for _ in 0..count {
            number = number << 1 | u32::from(self.flag()?);
        }
        Some(number)
    }

    pub(crate) fn skip(&mut self, count: usize) -> Option<()> {
        self.at = self
            .at
            .checked_add(count)
            .filter(|at| *at <= self.bytes.len() * 8)?;
        Some(())
    }

    /// An unsigned Exp-Golomb number.
    pub(crate) fn golomb(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while !self.flag()? {
            zeros += 1;
            if zeros > 31 {
                return None;
            }
        }
        let rest = self.take(zeros)?;
        (1_u32.checked_shl(zeros)? - 1).checked_add(rest)
    }

    /// A signed Exp-Golomb number.
    pub(crate) fn signed_golomb(&mut self) -> Option<i64> {
        let code = i64::from(self.golomb()?);
        Some(if code % 2 == 1 { (code + 1) / 2 } else { -code / 2 })
    }
}

/// Removes emulation prevention bytes: 00 00 03 becomes 00 00.
pub(crate) fn unescape(unit: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(unit.len());
    let mut zeros = 0;
    for byte in unit {
        if zeros >= 2 && *byte == 3 {
            zeros = 0;
            continue;
        }
        zeros = if *byte == 0 { zeros + 1 } else { 0 };
        plain.push(*byte);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golomb_numbers_are_read() {
        // 1, 010, 011, 00100, 00111
        let mut bits = Bits::new(&[0b1010_0110, 0b0100_0011, 0b1000_0000]);
        let numbers: Vec<_> = (0..5).map(|_| bits.golomb().unwrap()).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 6]);
        assert_eq!(Bits::new(&[0; 9]).golomb(), None);
        assert_eq!(Bits::new(&[0b0110_0000]).signed_golomb(), Some(-1));
    }

    #[test]
    fn escaped_zeros_are_restored() {
        assert_eq!(unescape(&[0, 0, 3, 1, 0, 0, 3, 0, 0, 3]), [0, 0, 1, 0, 0, 0, 0]);
    }
}
