//! The header packets of an Ogg stream, assembled from its pages.

use std::io::Result;

use containers::ogg::{HEADER_BYTES, MAX_HEADER_BYTES, Page};
use svc_plugin_api::Source;

/// The most bytes of pages that are read; comments may contain pictures.
const MAX_PAGES_BYTES: usize = 16 * 1024 * 1024;
/// The most packets of one call.
const MAX_PACKETS: usize = 64;

/// The first `count` packets of the first stream at `start`; fewer if the file ends before.
///
/// # Errors
/// If a read failed.
pub fn packets(source: &mut Source, start: u64, count: usize) -> Result<Vec<Vec<u8>>> {
    let mut packets = vec![Vec::new()];
    let mut offset = start;
    let mut serial = None;
    let mut total = 0;
    while packets.len() <= count.min(MAX_PACKETS) && total < MAX_PAGES_BYTES {
        let header = source.bytes_at(offset, MAX_HEADER_BYTES)?;
        let Some(page) = Page::parse(&header) else {
            break;
        };
        let body_offset = offset + page.header_length() as u64;
        offset += page.length as u64;
        total += HEADER_BYTES;
        // Pages of other streams may be interleaved.
        if *serial.get_or_insert(page.serial) != page.serial {
            continue;
        }
        let body = source.bytes_at(body_offset, page.length - page.header_length())?;
        total += body.len();
        let mut rest = body.as_slice();
        for segment in page.segments {
            let (bytes, after) = rest.split_at(usize::from(*segment).min(rest.len()));
            rest = after;
            if let Some(packet) = packets.last_mut() {
                packet.extend_from_slice(bytes);
            }
            // A segment of less than 255 bytes ends a packet.
            if *segment < 255 {
                packets.push(Vec::new());
            }
        }
    }
    packets.truncate(packets.len().saturating_sub(1).min(count));
    Ok(packets)
}
