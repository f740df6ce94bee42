//! The model of a video file, and its conversion to fields.

use std::borrow::Cow;

use serde::Serialize;
use svc_plugin_api::{ExtractionBuilder, Picture, clean_text};

use crate::tags::Tags;

pub(crate) const MAX_STREAMS: usize = 64;
pub(crate) const MAX_CHAPTERS: usize = 1000;
/// 1000 hours. A longer duration is from a damaged header.
const MAX_DURATION_MS: u64 = 1000 * 60 * 60 * 1000;

/// The headers of a video file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Video {
    /// `mp4`, `mov`, `matroska`, `webm`, `avi`, `mpegts`, `mpegps`, `asf`, `flv` or `ogg`.
    pub container: &'static str,
    pub duration_ms: Option<u64>,
    /// Bits per second, over the whole file.
    pub bitrate: Option<i64>,
    /// In the file's order.
    pub streams: Vec<Stream>,
    /// By start time.
    pub chapters: Vec<Chapter>,
    pub tags: Tags,
    /// The tags of a Matroska file as they are; [`Video::tags`] contains them as tags of a movie or episode.
    pub simple_tags: Vec<SimpleTag>,
    /// Covers and other pictures.
    pub pictures: Vec<Picture>,
}

/// A tag of a Matroska file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleTag {
    /// The target level: 30 a track of a release, 50 the release or the movie, 60 and more a collection.
    pub level: u64,
    /// Whether the target is one stream and not the whole file.
    pub is_of_track: bool,
    /// In upper case.
    pub name: String,
    pub value: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Video,
    Audio,
    Subtitle,
}

/// A format with a high dynamic range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hdr {
    Hdr10,
    Hlg,
    DolbyVision,
}

/// One stream. Values that the file does not state, or that do not apply to the type of stream, are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stream {
    #[serde(rename = "type")]
    pub kind: Kind,
    /// As ffprobe names it; the file's code for an unknown one.
    pub codec: Cow<'static, str>,
    /// In pixels, as coded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// In pixels, as coded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Frames per second, to three decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hdr: Option<Hdr>,
    /// The clockwise rotation for display, in degrees: 90, 180 or 270.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<u32>,
    /// In hertz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_rate: Option<u32>,
    /// BCP 47.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether players select it by default.
    #[serde(rename = "default")]
    pub is_default: bool,
    /// Whether players show it even if subtitles are off; for subtitles only.
    #[serde(rename = "forced", skip_serializing_if = "Option::is_none")]
    pub is_forced: Option<bool>,
}

impl Stream {
    /// A stream of this codec without further values.
    pub(crate) fn new(kind: Kind, codec: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            codec: codec.into(),
            is_forced: (kind == Kind::Subtitle).then_some(false),
            ..Self::default()
        }
    }

    /// Sets the size, unless one of the numbers is 0.
    pub(crate) fn size(&mut self, width: u32, height: u32) {
        if width > 0 && height > 0 {
            (self.width, self.height) = (Some(width), Some(height));
        }
    }

    /// Sets channels and sample rate, unless they are 0.
    pub(crate) fn set_audio(&mut self, channels: u32, sample_rate: u32) {
        self.channels = Some(channels).filter(|count| *count > 0).or(self.channels);
        self.sample_rate = Some(sample_rate).filter(|rate| *rate > 0).or(self.sample_rate);
    }

    /// One line of JSON.
    fn json(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Chapter {
    /// In milliseconds.
    pub start_ms: u64,
    /// In milliseconds, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Video {
    /// A file of this container without further values.
    pub(crate) fn new(container: &'static str) -> Self {
        Self {
            container,
            ..Self::default()
        }
    }

    /// The first video stream, which gives the dimensions of the file.
    pub fn main_video(&self) -> Option<&Stream> {
        self.streams.iter().find(|stream| stream.kind == Kind::Video)
    }

    /// The duration of a frame: the time after the last timestamp.
    pub(crate) fn picture_ms(&self) -> u64 {
        let fps = self.main_video().and_then(|stream| stream.fps);
        fps.map_or(0, |fps| (1000.0 / fps).round() as u64)
    }

    /// Normalizes the values of a container.
    pub(crate) fn finish(mut self, file_bytes: u64) -> Self {
        self.duration_ms = self.duration_ms.filter(|ms| (1..=MAX_DURATION_MS).contains(ms));
        self.bitrate = self
            .duration_ms
            .and_then(|ms| i64::try_from(u128::from(file_bytes) * 8000 / u128::from(ms)).ok());
        self.streams.truncate(MAX_STREAMS);
        for stream in &mut self.streams {
            stream.title = stream.title.take().and_then(|title| clean_text(&title));
        }
        self.finish_chapters();
        self
    }

    /// Sorts the chapters. A chapter without an end ends where the next begins, and the last one at the end of the
    /// file.
    fn finish_chapters(&mut self) {
        self.chapters.sort_by_key(|chapter| chapter.start_ms);
        self.chapters.truncate(MAX_CHAPTERS);
        let file_end = self.duration_ms.unwrap_or(u64::MAX);
        let mut next = self.duration_ms;
        for chapter in self.chapters.iter_mut().rev() {
            let end = chapter.end_ms.or(next.map(|next| next.min(file_end)));
            chapter.end_ms = end.filter(|end| *end > chapter.start_ms);
            chapter.title = chapter.title.take().and_then(|title| clean_text(&title));
            next = Some(chapter.start_ms);
        }
    }

    /// Writes the `video.` fields of `docs/plugin-keys.md`, duration, dimensions and pictures.
    pub fn write(&self, extraction: &mut ExtractionBuilder) {
        extraction.text("video.container", self.container);
        if let Some(duration) = self.duration_ms {
            extraction.duration_ms(duration);
        }
        if let Some(bitrate) = self.bitrate {
            extraction.positive("video.bitrate", bitrate);
        }
        if let Some((width, height)) = self
            .main_video()
            .and_then(|stream| stream.width.zip(stream.height))
        {
            extraction.dimensions(width, height);
        }
        let streams = self.streams.iter().filter_map(Stream::json);
        extraction.records("video.streams", streams, MAX_STREAMS);
        let chapters = self
            .chapters
            .iter()
            .filter_map(|chapter| serde_json::to_string(chapter).ok());
        extraction.records("video.chapters", chapters, MAX_CHAPTERS);
        self.tags.write(extraction);
        for picture in &self.pictures {
            extraction.picture(&picture.purpose, &picture.mime, picture.data);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_without_ends_end_where_the_next_begins() {
        let chapter = |start_ms, end_ms| Chapter {
            start_ms,
            end_ms,
            title: None,
        };
        let video = Video {
            duration_ms: Some(9_000),
            chapters: vec![
                chapter(5_000, None),
                chapter(0, None),
                chapter(1_000, Some(2_000)),
                chapter(10_000, None),
            ],
            ..Video::default()
        };
        let ends: Vec<_> = video
            .finish(1000)
            .chapters
            .iter()
            .map(|chapter| chapter.end_ms)
            .collect();
        assert_eq!(ends, [Some(1_000), Some(2_000), Some(9_000), None]);
    }

    #[test]
    fn stream_as_json_omits_unknown_values() {
        let mut stream = Stream::new(Kind::Subtitle, "subrip");
        stream.language = Some("en".into());
        assert_eq!(
            stream.json().unwrap(),
            r#"{"type":"subtitle","codec":"subrip","language":"en","default":false,"forced":false}"#
        );
        let mut stream = Stream::new(Kind::Video, "hevc");
        stream.size(3840, 2160);
        stream.fps = Some(23.976);
        stream.hdr = Some(Hdr::DolbyVision);
        assert_eq!(
            stream.json().unwrap(),
            r#"{"type":"video","codec":"hevc","width":3840,"height":2160,"fps":23.976,"hdr":"dolby-vision","default":false}"#
        );
    }
}
