//! A cursor over bytes in memory, and the texts of container headers.

/// The bytes that have not been read yet. Each method advances the cursor and returns `None` at the end.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next `length` bytes.
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    /// Skips `length` bytes; skips nothing if there are fewer.
    pub fn skip(&mut self, length: usize) -> Option<()> {
        self.take(length).map(drop)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub fn be16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn be32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn be64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub fn le16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn le32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn le64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A big-endian number of `length` bytes: 0 for none, `None` for more than 8.
    pub fn be(&mut self, length: usize) -> Option<u64> {
        let bytes = self.take(length).filter(|bytes| bytes.len() <= 8)?;
        Some(
            bytes
                .iter()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        )
    }

    /// A little-endian number of `length` bytes: 0 for none, `None` for more than 8.
    pub fn le(&mut self, length: usize) -> Option<u64> {
        let bytes = self.take(length).filter(|bytes| bytes.len() <= 8)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        )
    }
}

/// UTF-8, else Latin-1, up to the first NUL.
pub fn text(bytes: &[u8]) -> String {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Little-endian UTF-16 up to the first NUL.
pub fn utf16_le(bytes: &[u8]) -> String {
    utf16(bytes, u16::from_le_bytes)
}

/// Big-endian UTF-16 up to the first NUL.
pub fn utf16_be(bytes: &[u8]) -> String {
    utf16(bytes, u16::from_be_bytes)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (units, _) = bytes.as_chunks::<2>();
    let units = units.iter().map(|bytes| unit(*bytes));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_width_are_read_in_both_byte_orders() {
        let mut bytes = Bytes(&[1, 2, 3, 4, 5, 6, 7]);
        assert_eq!((bytes.be(3), bytes.le(3)), (Some(0x01_02_03), Some(0x06_05_04)));
        assert_eq!((bytes.be(0), bytes.le(2), bytes.u8()), (Some(0), None, Some(7)));
        assert_eq!(Bytes(&[1; 9]).be(9), None);
    }

    #[test]
    fn texts_end_at_the_first_nul() {
        assert_eq!(text(b"a\xe4\0b"), "aä");
        assert_eq!(text("ä\0".as_bytes()), "ä");
        assert_eq!(utf16_le(b"a\0\0\0b\0"), "a");
        assert_eq!(utf16_be(b"\0a\0\0\0b\0"), "a");
    }
}
