//! `trak`: one track.

use std::io::Result;

use containers::isobmff::BoxSpan;
use svc_plugin_api::Source;

use super::{entry, samples, times};
use crate::video::Stream;
use containers::bytes::{Bytes, text};

/// The most bytes of a sample description; those of Dolby Vision contain two codecs of some hundred bytes.
const MAX_DESCRIPTION_BYTES: usize = 32 * 1024;
const MAX_NAME_BYTES: usize = 1024;

#[derive(Default)]
pub(super) struct Track {
    pub(super) id: u32,
    pub(super) is_enabled: bool,
    pub(super) rotation: Option<u16>,
    /// Units per second.
    pub(super) timescale: u32,
    /// In units.
    pub(super) duration: u64,
    pub(super) language: Option<String>,
    pub(super) title: Option<String>,
    handler: [u8; 4],
    /// `None` unless the track is video, audio or subtitles.
    pub(super) stream: Option<Stream>,
    /// Frames per second, from the sample table.
    pub(super) fps: Option<f64>,
    /// Ids of tracks with the chapters of this one.
    pub(super) chapters: Vec<u32>,
    /// The sample table.
    pub(super) table: Option<BoxSpan>,
}

impl Track {
    pub(super) fn read(source: &mut Source, span: &BoxSpan) -> Result<Self> {
        let mut track = Self::default();
        let mut parts = span.children();
        while let Some(part) = parts.next(source)? {
            match &part.name {
                b"tkhd" => track.header(&part.bytes(source, 96)?),
                b"mdia" => track.media(source, &part)?,
                b"tref" => {
                    if let Some(list) = part.children().find(source, b"chap")? {
                        let list = list.bytes(source, 64)?;
                        let (ids, _) = list.as_chunks::<4>();
                        track
                            .chapters
                            .extend(ids.iter().map(|id| u32::from_be_bytes(*id)));
                    }
                }
                b"udta" => track.name(source, &part)?,
                _ => {}
            }
        }
        Ok(track)
    }

    fn header(&mut self, bytes: &[u8]) {
        let mut bytes = Bytes(bytes);
        let flags = bytes.be32().unwrap_or(0);
        self.is_enabled = flags & 1 != 0;
        let is_long = flags >> 24 == 1;
        bytes.skip(if is_long { 16 } else { 8 });
        self.id = bytes.be32().unwrap_or(0);
        // Reserved, duration, reserved, layer, group, volume, reserved.
        bytes.skip(4 + if is_long { 8 } else { 4 } + 16);
        let matrix = [
            bytes.be32(),
            bytes.be32(),
            bytes.be32(),
            bytes.be32(),
            bytes.be32(),
        ];
        if let [Some(a), Some(b), _, Some(c), Some(d)] = matrix {
            self.rotation = rotation([a, b, c, d].map(u32::cast_signed));
        }
    }

    fn media(&mut self, source: &mut Source, span: &BoxSpan) -> Result<()> {
        let mut parts = span.children();
        let mut information = None;
        while let Some(part) = parts.next(source)? {
            match &part.name {
                b"mdhd" => {
                    let bytes = part.bytes(source, 36)?;
                    (self.timescale, self.duration) = times(&bytes).unwrap_or_default();
                    let is_long = bytes.first() == Some(&1);
                    let code = bytes
                        .get(if is_long { 32 } else { 20 }..)
                        .and_then(<[u8]>::first_chunk);
                    let stated = code.and_then(|code| language::mp4_tag(u16::from_be_bytes(*code)));
                    self.language = self.language.take().or(stated);
                }
                b"elng" => {
                    let code = part.bytes(source, 64)?;
                    self.language = code
                        .get(4..)
                        .and_then(|code| language::tag(&text(code)))
                        .or(self.language.take());
                }
                b"hdlr" => {
                    self.handler = source
                        .array_at::<4>(part.start.saturating_add(8))?
                        .unwrap_or_default()
                }
                b"minf" => information = Some(part),
                _ => {}
            }
        }
        // The sample description depends on the handler, which may follow it.
        if let Some(information) = information
            && let Some(table) = information.children().find(source, b"stbl")?
        {
            self.samples(source, &table)?;
        }
        Ok(())
    }

    fn samples(&mut self, source: &mut Source, table: &BoxSpan) -> Result<()> {
        self.table = Some(*table);
        let mut parts = table.children();
        let mut times = None;
        while let Some(part) = parts.next(source)? {
            match &part.name {
                b"stsd" => {
                    let description = part.bytes(source, MAX_DESCRIPTION_BYTES)?;
                    self.stream = entry::stream(self.handler, &description);
                }
                b"stts" => times = Some(part),
                _ => {}
            }
            if times.is_some() && self.stream.is_some() {
                break;
            }
        }
        if let Some(times) = times
            && self.handler == *b"vide"
        {
            self.fps = samples::rate(source, &times, self.timescale, self.duration)?;
        }
        Ok(())
    }

    fn name(&mut self, source: &mut Source, span: &BoxSpan) -> Result<()> {
        let mut parts = span.children();
        while let Some(part) = parts.next(source)? {
            let body = part.bytes(source, MAX_NAME_BYTES)?;
            let name = match &part.name {
                b"name" => text(&body),
                // Length and language precede the text.
                b"\xa9nam" => text(body.get(4..).unwrap_or_default()),
                _ => continue,
            };
            self.title = self
                .title
                .take()
                .or(Some(name).filter(|name| !name.trim().is_empty()));
        }
        Ok(())
    }
}

/// The clockwise rotation of a matrix (16.16 fixed point); `None` unless it is a quarter turn.
fn rotation(matrix: [i32; 4]) -> Option<u16> {
    match matrix.map(i32::signum) {
        [0, 1, -1, 0] => Some(90),
        [-1, 0, 0, -1] => Some(180),
        [0, -1, 1, 0] => Some(270),
        _ => None,
    }
}
