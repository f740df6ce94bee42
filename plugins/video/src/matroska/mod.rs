//! Matroska and WebM: a segment with elements in almost any order, and a seek head with their positions.

mod attachments;
mod chapters;
mod clusters;
mod tags;
mod tracks;

use std::io::Result;

use svc_plugin_api::{ExtractError, Source};

use crate::video::{Kind, SimpleTag, Video};
use containers::bytes::text;
use containers::ebml::{Element, element, elements, float, unsigned};
use tracks::Track;

const DOC_TYPE: u32 = 0x4282;
const SEGMENT: u32 = 0x1853_8067;
const SEEK_HEAD: u32 = 0x114d_9b74;
const SEEK: u32 = 0x4dbb;
const SEEK_ID: u32 = 0x53ab;
const SEEK_POSITION: u32 = 0x53ac;
const INFO: u32 = 0x1549_a966;
const TIMESTAMP_SCALE: u32 = 0x002a_d7b1;
const DURATION: u32 = 0x4489;
const TITLE: u32 = 0x7ba9;
const MUXING_APP: u32 = 0x4d80;
const WRITING_APP: u32 = 0x5741;
const TRACKS: u32 = 0x1654_ae6b;
const CHAPTERS: u32 = 0x1043_a770;
const TAGS: u32 = 0x1254_c367;
const ATTACHMENTS: u32 = 0x1941_a469;
const CLUSTER: u32 = 0x1f43_b675;

/// The most bytes of one element that are read. Attachments are read element by element.
const MAX_BODY_BYTES: usize = 1024 * 1024;
/// The most elements that are read in sequence, if the tracks follow the frames and no seek head locates them.
const MAX_ELEMENTS: usize = 1024;
/// The most elements after the first frames that are read if the tracks are known.
const MAX_ELEMENTS_BEHIND: usize = 16;
/// The most entries of seek heads.
const MAX_SEEKS: usize = 64;
const NS_PER_MS: f64 = 1e6;
/// The most gaps of invalid bytes, and the bytes that are searched in each.
const MAX_JUNK: usize = 8;
const MAX_JUNK_BYTES: usize = 32 * 1024;
/// Elements that are read wherever they are.
const DESCRIPTIONS: [u32; 6] = [SEEK_HEAD, INFO, TRACKS, CHAPTERS, TAGS, ATTACHMENTS];

/// The state while a segment is read.
struct Segment {
    /// Where its body begins; positions in seek heads are relative to it.
    start: u64,
    /// Nanoseconds per tick.
    scale: u64,
    /// In ticks.
    duration: f64,
    writing_app: Option<String>,
    tracks: Vec<Track>,
    simple_tags: Vec<SimpleTag>,
    /// Offsets of elements in seek heads.
    seeks: Vec<u64>,
    /// Offsets of elements that have been read.
    done: Vec<u64>,
    first_cluster: Option<u64>,
    video: Video,
}

/// # Errors
/// `Invalid` without a segment, `Refused` for another document type of EBML, `Io` if a read failed.
pub(crate) fn read(source: &mut Source) -> std::result::Result<Video, ExtractError> {
    let Some(head) = Element::at(source, 0)? else {
        return Err(ExtractError::invalid(Some(0), "no EBML header"));
    };
    let container = match element(&head.bytes(source, 1024)?, DOC_TYPE).map(text).as_deref() {
        Some("webm") => "webm",
        Some("matroska") | None => "matroska",
        Some(other) => return Err(ExtractError::Refused(format!("EBML document type {other}"))),
    };
    let Some(start) = segment_start(source, head.end.unwrap_or(head.start))? else {
        return Err(ExtractError::invalid(head.end, "no segment"));
    };
    let mut segment = Segment {
        start,
        scale: 1_000_000,
        duration: 0.0,
        writing_app: None,
        tracks: Vec::new(),
        simple_tags: Vec::new(),
        seeks: Vec::new(),
        done: Vec::new(),
        first_cluster: None,
        video: Video::new(container),
    };
    segment.walk(source)?;
    Ok(segment.finish(source)?)
}

/// Whether the bytes may be an element: one that exceeds the file must have a known id.
fn is_plausible(found: &Element, file_bytes: u64) -> bool {
    let is_known = DESCRIPTIONS.contains(&found.id) || found.id == CLUSTER;
    is_known || found.end.is_some_and(|end| end <= file_bytes)
}

/// The offset of the next known element after invalid bytes.
fn next_description(source: &mut Source, offset: u64) -> Result<Option<u64>> {
    let bytes = source.bytes_at(offset.saturating_add(1), MAX_JUNK_BYTES)?;
    let place = bytes.windows(4).position(|window| {
        window.first_chunk().is_some_and(|id| {
            let id = u32::from_be_bytes(*id);
            DESCRIPTIONS.contains(&id) || id == CLUSTER
        })
    });
    Ok(place.map(|place| offset + 1 + place as u64))
}

/// The start of the segment's body; padding may precede the segment.
fn segment_start(source: &mut Source, mut offset: u64) -> Result<Option<u64>> {
    for _ in 0..4 {
        match Element::at(source, offset)? {
            Some(found) if found.id == SEGMENT => return Ok(Some(found.start)),
            Some(Element { end: Some(end), .. }) => offset = end,
            _ => break,
        }
    }
    Ok(None)
}

impl Segment {
    /// Reads the elements before the frames, then those that seek heads locate, then those after the first frames.
    fn walk(&mut self, source: &mut Source) -> Result<()> {
        let mut offset = self.start;
        let mut left = MAX_ELEMENTS;
        let mut junk = MAX_JUNK;
        while left > 0 && offset < source.size() {
            left -= 1;
            let found = Element::at(source, offset)?;
            let Some(found) = found.filter(|found| is_plausible(found, source.size())) else {
                // Recordings may have gaps.
                junk -= 1;
                match next_description(source, offset)? {
                    Some(next) if junk > 0 => offset = next,
                    _ => break,
                }
                continue;
            };
            if found.id == CLUSTER {
                if self.first_cluster.is_none() {
                    self.first_cluster = Some(offset);
                    let has_table = !self.seeks.is_empty();
                    self.follow(source)?;
                    if !self.tracks.is_empty() {
                        left = if has_table { 0 } else { MAX_ELEMENTS_BEHIND };
                    }
                }
            } else {
                self.read(source, offset, &found)?;
            }
            // A cluster of unknown size is entered; elements inside have other ids.
            offset = found.end.unwrap_or(found.start);
        }
        self.follow(source)
    }

    /// Reads the elements that seek heads locate, including further seek heads.
    fn follow(&mut self, source: &mut Source) -> Result<()> {
        let mut next = 0;
        while let Some(offset) = self.seeks.get(next).copied() {
            next += 1;
            if offset < source.size()
                && !self.done.contains(&offset)
                && let Some(found) = Element::at(source, offset)?
            {
                self.read(source, offset, &found)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, source: &mut Source, offset: u64, found: &Element) -> Result<()> {
        let is_description = matches!(
            found.id,
            SEEK_HEAD | INFO | TRACKS | CHAPTERS | TAGS | ATTACHMENTS
        );
        if !is_description || self.done.contains(&offset) || self.done.len() >= MAX_SEEKS {
            return Ok(());
        }
        self.done.push(offset);
        if found.id == ATTACHMENTS {
            return attachments::read(source, found, &mut self.video);
        }
        let body = found.bytes(source, MAX_BODY_BYTES)?;
        match found.id {
            SEEK_HEAD => self.table(&body),
            INFO => self.info(&body),
            TRACKS if self.tracks.is_empty() => self.tracks = tracks::read(&body),
            CHAPTERS if self.video.chapters.is_empty() => self.video.chapters = chapters::read(&body),
            TAGS => tags::read(&body, &mut self.simple_tags),
            _ => {}
        }
        Ok(())
    }

    fn table(&mut self, body: &[u8]) {
        for (_, seek) in elements(body).filter(|(id, _)| *id == SEEK) {
            let id = element(seek, SEEK_ID)
                .map(unsigned)
                .and_then(|id| u32::try_from(id).ok());
            let is_of_use = matches!(
                id,
                Some(SEEK_HEAD | INFO | TRACKS | CHAPTERS | TAGS | ATTACHMENTS)
            );
            if let Some(position) = element(seek, SEEK_POSITION)
                && is_of_use
                && self.seeks.len() < MAX_SEEKS
            {
                self.seeks.push(self.start.saturating_add(unsigned(position)));
            }
        }
    }

    fn info(&mut self, body: &[u8]) {
        for (id, body) in elements(body) {
            match id {
                TIMESTAMP_SCALE => self.scale = unsigned(body).max(1),
                DURATION => self.duration = float(body),
                TITLE => self.video.tags.add("TITLE", &text(body)),
                MUXING_APP => self.video.tags.add("ENCODER", &text(body)),
                WRITING_APP => self.writing_app = Some(text(body)),
                _ => {}
            }
        }
    }

    fn finish(mut self, source: &mut Source) -> Result<Video> {
        tags::apply(&self.simple_tags, &mut self.video.tags);
        self.video.simple_tags = self.simple_tags;
        if let Some(app) = self.writing_app {
            self.video.tags.add("WRITING_APP", &app);
            self.video.tags.add("ENCODER", &app);
        }
        let per_ms = NS_PER_MS / self.scale as f64;
        let mut ticks = self.duration;
        if !(ticks.is_finite() && ticks > 0.0)
            && let Some(first) = self.first_cluster
        {
            ticks = clusters::duration(source, first)?.unwrap_or(0) as f64;
        }
        self.video.duration_ms = Some((ticks / per_ms).round() as u64).filter(|ms| *ms > 0);
        for track in &mut self.tracks {
            if track.stream.kind == Kind::Video
                && track.stream.fps.is_none()
                && let Some(first) = self.first_cluster
            {
                let seen = clusters::timestamps(source, first, track.number)?;
                track.stream.fps = crate::rate::seen(seen, per_ms * 1000.0);
            }
        }
        self.video.streams = self.tracks.into_iter().map(|track| track.stream).collect();
        Ok(self.video)
    }
}
