//! `Cluster`: frames. They are read only for values that no header states: the duration of a live stream at its end,
//! and the frame rate at its start.

use std::io::Result;

use svc_plugin_api::Source;

use super::CLUSTER;
use containers::ebml::{Element, elements, header, unsigned, vint};

const TIMESTAMP: u32 = 0xe7;
const SIMPLE_BLOCK: u32 = 0xa3;
const BLOCK_GROUP: u32 = 0xa0;
const BLOCK: u32 = 0xa1;
/// The bytes at the end that are searched for the last cluster: at first, and at most.
const TAILS: [u64; 2] = [256 * 1024, 4 * 1024 * 1024];
/// The most timestamps that are used for a frame rate, and the most elements that are read for them.
const MAX_TIMESTAMPS: usize = 48;
const MAX_ELEMENTS: usize = 256;

/// Ticks between the first cluster and the last block.
pub(super) fn duration(source: &mut Source, first: u64) -> Result<Option<u64>> {
    let start = match Element::at(source, first)? {
        Some(cluster) => elements(&source.bytes_at(cluster.start, 64)?)
            .find(|(id, _)| *id == TIMESTAMP)
            .map_or(0, |(_, body)| unsigned(body)),
        None => 0,
    };
    for tail in TAILS {
        let offset = source.size().saturating_sub(tail).max(first);
        let bytes = source.bytes_at(offset, usize::try_from(tail).unwrap_or(0))?;
        let id = CLUSTER.to_be_bytes();
        let places = bytes
            .windows(4)
            .enumerate()
            .rev()
            .filter(|(_, window)| *window == id);
        let ends = places.filter_map(|(place, _)| cluster_end(bytes.get(place..)?));
        if let Some(end) = ends.take(4).max() {
            return Ok(end.checked_sub(start));
        }
        if offset == first {
            break;
        }
    }
    Ok(None)
}

/// The last timestamp of a cluster; `None` for bytes that are not a cluster.
fn cluster_end(bytes: &[u8]) -> Option<u64> {
    let (_, size, length) = header(bytes)?;
    let body = bytes.get(length..)?;
    let size = size
        .and_then(|size| usize::try_from(size).ok())
        .unwrap_or(usize::MAX);
    let body = body.get(..size.min(body.len()))?;
    let mut base = None;
    let mut latest = 0;
    for (id, body) in elements(body) {
        let block = match id {
            TIMESTAMP => {
                base = Some(unsigned(body));
                continue;
            }
            SIMPLE_BLOCK => Some(body),
            BLOCK_GROUP => super::element(body, BLOCK),
            _ => None,
        };
        if let Some((_, time)) = block.and_then(block_time) {
            latest = latest.max(time);
        }
    }
    base?.checked_add_signed(latest.into())
}

/// Track number of a block, and its time relative to the cluster.
fn block_time(block: &[u8]) -> Option<(u64, i16)> {
    let (track, length) = vint(block)?;
    let time = block.get(length..)?.first_chunk()?;
    Some((track?, i16::from_be_bytes(*time)))
}

/// The timestamps of the first frames of a track, in ticks.
pub(super) fn timestamps(source: &mut Source, first: u64, track: u64) -> Result<Vec<u64>> {
    let mut found = Vec::new();
    let mut base = 0_u64;
    let mut offset = first;
    for _ in 0..MAX_ELEMENTS {
        let Some(element) = Element::at(source, offset)?.filter(|_| found.len() < MAX_TIMESTAMPS) else {
            break;
        };
        // Enter clusters and block groups.
        offset = element.start;
        match element.id {
            CLUSTER | BLOCK_GROUP => continue,
            TIMESTAMP => base = unsigned(&element.bytes(source, 8)?),
            SIMPLE_BLOCK | BLOCK => {
                if let Some((_, time)) =
                    block_time(&source.bytes_at(offset, 12)?).filter(|(of, _)| *of == track)
                {
                    found.extend(base.checked_add_signed(time.into()));
                }
            }
            _ => {}
        }
        let Some(end) = element.end else { break };
        offset = end;
    }
    Ok(found)
}
