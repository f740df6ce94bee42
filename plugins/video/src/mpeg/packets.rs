//! Packets of transport streams: 188 bytes, with a timestamp before them on discs (192), or a checksum after them
//! (204).

use std::io::Result;

use svc_plugin_api::Source;

const SYNC: u8 = 0x47;
/// Bytes of a packet without timestamp and checksum.
const PACKET_BYTES: usize = 188;
/// The number of consecutive packets that identify a transport stream, and the least number in a short file.
const CERTAIN: usize = 8;
const LEAST: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Bytes from one packet to the next.
    pub(crate) stride: usize,
    /// The offset of the first packet.
    pub(crate) start: u64,
}

impl Layout {
    /// Finds the packets; `None` for another format.
    ///
    /// # Errors
    /// If a read failed.
    pub(crate) fn detect(source: &mut Source) -> Result<Option<Self>> {
        let head = source.bytes_at(0, 204 * (CERTAIN + 1))?;
        for stride in [188, 192, 204] {
            for start in 0..stride {
                let mut syncs = head
                    .get(start..)
                    .unwrap_or_default()
                    .iter()
                    .step_by(stride)
                    .take(CERTAIN);
                let count = syncs.len();
                if count >= LEAST && syncs.all(|byte| *byte == SYNC) {
                    let start = start as u64;
                    return Ok(Some(Self { stride, start }));
                }
            }
        }
        Ok(None)
    }

    /// Whether the file has the format of discs and cameras.
    pub(crate) fn is_of_disc(self) -> bool {
        self.stride == 192
    }

    /// The offset of the first packet at or after this one.
    pub(crate) fn align(self, offset: u64) -> u64 {
        let stride = self.stride as u64;
        let past = offset.saturating_sub(self.start);
        self.start + past.div_ceil(stride) * stride
    }
}

pub(super) struct Packet<'a> {
    pub(super) pid: u16,
    /// Whether a section or a PES packet begins in it.
    pub(super) begins: bool,
    pub(super) payload: &'a [u8],
}

/// The packets in bytes that begin with one; other bytes are skipped.
pub(super) fn packets(bytes: &[u8], layout: Layout) -> impl Iterator<Item = Packet<'_>> {
    bytes
        .chunks(layout.stride)
        .filter_map(|chunk| packet(chunk.get(..PACKET_BYTES)?))
}

fn packet(bytes: &[u8]) -> Option<Packet<'_>> {
    let [SYNC, second, third, fourth, rest @ ..] = bytes else {
        return None;
    };
    // A reception error, or scrambled.
    if second & 0x80 != 0 || fourth & 0xc0 != 0 {
        return None;
    }
    let payload = match fourth >> 4 & 3 {
        1 => rest,
        3 => {
            let (length, rest) = rest.split_first()?;
            rest.get(usize::from(*length)..)?
        }
        _ => &[],
    };
    Some(Packet {
        pid: u16::from(second & 31) << 8 | u16::from(*third),
        begins: second & 0x40 != 0,
        payload,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(bytes: Vec<u8>) -> Option<(usize, u64)> {
        let found = Layout::detect(&mut Source::from_bytes("a", bytes)).unwrap();
        found.map(|layout| (layout.stride, layout.start))
    }

    #[test]
    fn packets_are_found_by_their_distance() {
        let packet = |before: usize, stride: usize| {
            let mut packet = vec![0; stride];
            packet[before] = SYNC;
            packet
        };
        assert_eq!(detect(packet(0, 188).repeat(9)), Some((188, 0)));
        assert_eq!(detect(packet(4, 192).repeat(9)), Some((192, 4)));
        assert_eq!(
            detect([vec![1; 17], packet(0, 188).repeat(9)].concat()),
            Some((188, 17))
        );
        assert_eq!(detect(packet(0, 188).repeat(2)), None);
        assert_eq!(detect(b"a text ".repeat(999)), None);
    }
}
