//! Numbers and texts off the front of some bytes; every step may find that there are no more.

/// What is left of some bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next `length` bytes.
    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next bytes, as many as the array has.
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    /// Passes over so many bytes.
    pub(crate) fn skip(&mut self, length: usize) -> Option<()> {
        self.take(length).map(drop)
    }

    /// One byte.
    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    /// 16 bits, highest byte first.
    pub(crate) fn be16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// 32 bits, highest byte first.
    pub(crate) fn be32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// 64 bits, highest byte first.
    pub(crate) fn be64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// 16 bits, lowest byte first.
    pub(crate) fn le16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// 32 bits, lowest byte first.
    pub(crate) fn le32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// 64 bits, lowest byte first.
    pub(crate) fn le64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

/// UTF-8, or Latin-1 where it is none; up to the first NUL.
pub(crate) fn text(bytes: &[u8]) -> String {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// UTF-16, lowest byte first, up to the first NUL.
pub(crate) fn utf16_le(bytes: &[u8]) -> String {
    let (units, _) = bytes.as_chunks::<2>();
    let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16_lossy(&units)
}

/// UTF-16, highest byte first, up to the first NUL.
pub(crate) fn utf16_be(bytes: &[u8]) -> String {
    let (units, _) = bytes.as_chunks::<2>();
    let units = units.iter().map(|unit| u16::from_be_bytes(*unit));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16_lossy(&units)
}
