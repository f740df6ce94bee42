//! The header packets of an Ogg stream, put together from their pages.

use std::io::Result;

use svc_plugin_api::Source;

/// The most bytes of header packets: comments with pictures in them may be large, but not endless.
const MAX_HEADER_BYTES: usize = 16 * 1024 * 1024;
/// The most packets that anyone asks for.
const MAX_PACKETS: usize = 64;

/// The first `count` packets of the first stream that begins at `start`; fewer where the file ends before.
///
/// # Errors
/// If a read failed.
pub fn packets(source: &mut Source, start: u64, count: usize) -> Result<Vec<Vec<u8>>> {
    let mut packets = vec![Vec::new()];
    let mut offset = start;
    let mut serial = None;
    let mut total = 0;
    while packets.len() <= count.min(MAX_PACKETS) && total < MAX_HEADER_BYTES {
        let Some(header) = source.array_at::<27>(offset)? else {
            break;
        };
        let [b'O', b'g', b'g', b'S', ..] = header else {
            break;
        };
        let of_stream = header.get(14..18).map(<[u8]>::to_vec);
        let segments = usize::from(header.last().copied().unwrap_or(0));
        let table = source.bytes_at(offset + 27, segments)?;
        let length: usize = table.iter().copied().map(usize::from).sum();
        let body_offset = offset + 27 + segments as u64;
        offset = body_offset + length as u64;
        // Pages of other streams may lie between.
        if serial.get_or_insert_with(|| of_stream.clone()) != &of_stream {
            total += 27;
            continue;
        }
        let body = source.bytes_at(body_offset, length)?;
        total += body.len() + 27;
        let mut rest = body.as_slice();
        for segment in table {
            let (bytes, after) = rest.split_at(usize::from(segment).min(rest.len()));
            rest = after;
            if let Some(packet) = packets.last_mut() {
                packet.extend_from_slice(bytes);
            }
            // A segment of less than 255 bytes ends its packet.
            if segment < 255 {
                packets.push(Vec::new());
            }
        }
    }
    packets.truncate(packets.len().saturating_sub(1).min(count));
    Ok(packets)
}
