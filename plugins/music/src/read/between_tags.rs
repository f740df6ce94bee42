//! The bytes of a file between its tags, as input for lofty: a damaged tag must not affect the properties.

use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom};

use svc_plugin_api::Source;

pub(super) struct BetweenTags<'a> {
    source: &'a mut Source,
    start: u64,
    end: u64,
}

impl<'a> BetweenTags<'a> {
    pub(super) fn new(source: &'a mut Source, start: u64, end: u64) -> Result<Self> {
        source.seek(SeekFrom::Start(start))?;
        let end = end.min(source.size()).max(start);
        Ok(Self { source, start, end })
    }
}

impl Read for BetweenTags<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let left = self.end.saturating_sub(self.source.stream_position()?);
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        self.source.read(buffer.get_mut(..length).unwrap_or_default())
    }
}

impl Seek for BetweenTags<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let position = match to {
            SeekFrom::Start(offset) => self.start.checked_add(offset),
            SeekFrom::End(offset) => self.end.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.source.stream_position()?.checked_add_signed(offset),
        };
        let position = position.filter(|position| *position >= self.start);
        let position =
            position.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "seek before the start"))?;
        Ok(self.source.seek(SeekFrom::Start(position))? - self.start)
    }

    fn stream_position(&mut self) -> Result<u64> {
        Ok(self.source.stream_position()?.saturating_sub(self.start))
    }
}
