//! PES packet headers.

use containers::bytes::Bytes;

/// Clock ticks, and the tick after which timestamps wrap around.
pub(super) const TICKS_PER_MS: u64 = 90;
const WRAP: u64 = 1 << 33;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    /// The presentation time in ticks.
    pub(super) time: Option<u64>,
    /// The payload, as far as the bytes contain it.
    pub(super) payload: &'a [u8],
}

/// Parses a header from the packet length on, after start code and stream id.
pub(super) fn header(bytes: &[u8]) -> Option<Header<'_>> {
    let mut bytes = Bytes(bytes);
    let length = usize::from(bytes.be16()?);
    // Video in a transport stream may exceed the length field.
    if length > 0 && length < bytes.0.len() {
        bytes = Bytes(bytes.take(length)?);
    }
    let first = bytes.0.first()?;
    if first & 0xc0 == 0x80 {
        bytes.skip(1)?;
        let (flags, size) = (bytes.u8()?, bytes.u8()?);
        let fields = bytes.take(size.into())?;
        let time = if flags & 0x80 != 0 {
            timestamp(fields)
        } else {
            None
        };
        return Some(Header {
            time,
            payload: bytes.0,
        });
    }
    // MPEG-1: stuffing, buffer size, timestamps.
    for _ in 0..16 {
        if bytes.0.first()? != &0xff {
            break;
        }
        bytes.skip(1)?;
    }
    if bytes.0.first()? & 0xc0 == 0x40 {
        bytes.skip(2)?;
    }
    let time = match bytes.0.first()? >> 4 {
        2 => bytes.take(5).and_then(timestamp),
        3 => bytes.take(10).and_then(timestamp),
        _ => {
            bytes.skip(1)?;
            None
        }
    };
    Some(Header {
        time,
        payload: bytes.0,
    })
}

/// 33 bits in 5 bytes, with marker bits between.
fn timestamp(bytes: &[u8]) -> Option<u64> {
    let [a, b, c, d, e] = bytes.first_chunk::<5>()?.map(u64::from);
    Some((a >> 1 & 7) << 30 | b << 22 | (c >> 1) << 15 | d << 7 | e >> 1)
}

/// Ticks between two timestamps, across a wrap-around.
pub(super) fn between(first: u64, last: u64) -> u64 {
    last.wrapping_sub(first) % WRAP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_with_time_is_read() {
        // 90000 ticks: one second.
        let bytes = [0, 0, 0x80, 0x80, 5, 0x21, 0x00, 0x05, 0xbf, 0x21, 7, 7];
        let header = header(&bytes).unwrap();
        assert_eq!((header.time, header.payload), (Some(90_000), &[7, 7][..]));
        assert_eq!(between(WRAP - 90, 90), 180);
    }
}
