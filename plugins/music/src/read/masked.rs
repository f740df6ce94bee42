//! The source as lofty sees it: the bytes of found pictures read as zeros.
//!
//! lofty passes over a picture by reading it. Its bytes are of no use to anyone there, so they are not fetched:
//! a file with a large cover costs no more reads of the host than one without.

use std::io::{Read, Result, Seek, SeekFrom};

use svc_plugin_api::{Source, Span};

use crate::pictures::Found;

/// A reader over a source with spans blanked.
pub struct Masked<'a> {
    source: &'a mut Source,
    spans: Vec<Span>,
}

/// Spans below this are read: blanking them saves nothing.
const MIN_BYTES: u64 = 4096;

impl<'a> Masked<'a> {
    /// Over this source, from its start on.
    pub fn new(source: &'a mut Source, found: &[Found]) -> Self {
        let spans = found
            .iter()
            .filter_map(Found::span)
            .filter(|span| span.length >= MIN_BYTES)
            .collect();
        Self { source, spans }
    }
}

impl Read for Masked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let position = self.source.stream_position()?;
        let mut limit = buffer.len() as u64;
        for span in &self.spans {
            let end = span.offset.saturating_add(span.length).min(self.source.size());
            if (span.offset..end).contains(&position) {
                let length = limit.min(end - position);
                let blank = buffer
                    .get_mut(..usize::try_from(length).unwrap_or(0))
                    .unwrap_or_default();
                blank.fill(0);
                self.source.seek(SeekFrom::Start(position + length))?;
                return Ok(blank.len());
            }
            if span.offset > position {
                limit = limit.min(span.offset - position);
            }
        }
        let length = usize::try_from(limit).unwrap_or(usize::MAX).min(buffer.len());
        self.source.read(buffer.get_mut(..length).unwrap_or_default())
    }
}

impl Seek for Masked<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.source.seek(to)
    }

    fn stream_position(&mut self) -> Result<u64> {
        self.source.stream_position()
    }
}
