//! Transport streams: TS, M2TS, MTS.

use std::io::Result;

use svc_plugin_api::Source;

use super::elementary::Elementary;
use super::packets::{Layout, packets};
use super::pes;
use super::tables::{self, Section};
use crate::video::{MAX_STREAMS, Video};

/// The bytes at the start that are read at once, and at most: a second or two of video.
const CHUNK_BYTES: usize = 256 * 1024;
const MAX_HEAD_BYTES: u64 = 2 * 1024 * 1024;
/// The bytes at the end that are searched for the last timestamps: at first, and at most.
const TAILS: [u64; 2] = [256 * 1024, 2 * 1024 * 1024];
const MAX_PROGRAMS: usize = 32;

/// The state while a stream is read.
#[derive(Default)]
struct Reader {
    is_of_disc: bool,
    programs: Section,
    /// Packet id of each program map, its section, and whether it was read.
    program_maps: Vec<(u16, Section, bool)>,
    streams: Vec<Elementary>,
}

/// # Errors
/// If a read failed.
pub(crate) fn read(source: &mut Source, layout: Layout) -> Result<Video> {
    let mut reader = Reader {
        is_of_disc: layout.is_of_disc(),
        ..Reader::default()
    };
    let mut offset = layout.start;
    while offset < MAX_HEAD_BYTES && !reader.is_done() {
        let bytes = source.bytes_at(offset, CHUNK_BYTES / layout.stride * layout.stride)?;
        if bytes.is_empty() {
            break;
        }
        for packet in packets(&bytes, layout) {
            reader.packet(packet.pid, packet.begins, packet.payload);
        }
        offset += bytes.len() as u64;
    }
    let mut video = Video::new("mpegts");
    let between = reader.duration(source, layout)?;
    video.streams = reader
        .streams
        .into_iter()
        .filter_map(Elementary::finish)
        .collect();
    video.duration_ms = between.map(|ms| ms.saturating_add(video.picture_ms()));
    Ok(video)
}

impl Reader {
    fn is_done(&self) -> bool {
        !self.program_maps.is_empty()
            && self.program_maps.iter().all(|(_, _, is_read)| *is_read)
            && self.streams.iter().all(Elementary::is_done)
    }

    fn packet(&mut self, pid: u16, begins: bool, payload: &[u8]) {
        if pid == 0 {
            let section = self.programs.push(begins, payload);
            for pid in section.map(tables::programs).unwrap_or_default() {
                let is_new = !self.program_maps.iter().any(|(known, _, _)| *known == pid);
                if is_new && self.program_maps.len() < MAX_PROGRAMS {
                    self.program_maps.push((pid, Section::default(), false));
                }
            }
        } else if let Some(stream) = self.streams.iter_mut().find(|stream| stream.id == pid) {
            match pes_header(payload).filter(|_| begins) {
                Some(header) => stream.begin(header.time, header.payload),
                None => stream.extend(payload),
            }
        } else if let Some((_, section, is_read)) = self.program_maps.iter_mut().find(|(of, _, _)| *of == pid)
            && !*is_read
            && let Some(streams) = section
                .push(begins, payload)
                .and_then(|s| tables::streams(s, self.is_of_disc))
        {
            *is_read = true;
            for (pid, stream) in streams {
                let is_new = !self.streams.iter().any(|known| known.id == pid);
                if is_new && self.streams.len() < MAX_STREAMS {
                    self.streams.push(Elementary::new(pid, stream));
                }
            }
        }
    }

    /// The time between the first and the last timestamp of any stream.
    fn duration(&self, source: &mut Source, layout: Layout) -> Result<Option<u64>> {
        let Some(first) = self.streams.iter().filter_map(Elementary::first_time).min() else {
            return Ok(None);
        };
        for tail in TAILS {
            let offset = layout.align(source.size().saturating_sub(tail));
            let bytes = source.bytes_at(offset, usize::try_from(tail).unwrap_or(0))?;
            let last = packets(&bytes, layout)
                .filter(|packet| packet.begins && self.streams.iter().any(|stream| stream.id == packet.pid))
                .filter_map(|packet| pes_header(packet.payload)?.time)
                .map(|time| pes::between(first, time))
                // A timestamp before the first one belongs to another recording.
                .filter(|ticks| *ticks < 1 << 32)
                .max();
            if let Some(ticks) = last {
                return Ok(Some(ticks / pes::TICKS_PER_MS));
            }
        }
        Ok(None)
    }
}

fn pes_header(payload: &[u8]) -> Option<pes::Header<'_>> {
    pes::header(payload.strip_prefix(&[0, 0, 1])?.get(1..)?)
}
