//! The files of a movie or episode: streams, subtitles, chapters and artwork.

use std::cmp::Reverse;

use crate::id::{SubtitleId, VideoSourceId};

/// A video stream.
#[derive(Debug, Clone, PartialEq)]
pub struct VideoStream {
    /// The codec name of ffprobe.
    pub codec: Option<String>,
    /// Coded pixels.
    pub width: Option<i64>,
    /// Coded pixels.
    pub height: Option<i64>,
    /// `hdr10`, `hlg` or `dolby-vision`.
    pub hdr: Option<String>,
    /// Frames per second.
    pub fps: Option<f64>,
    /// Degrees of clockwise rotation for display.
    pub rotation: Option<i64>,
}

/// An audio stream.
#[derive(Debug, Clone, PartialEq)]
pub struct AudioStream {
    /// The codec name of ffprobe.
    pub codec: Option<String>,
    /// Number of channels.
    pub channels: Option<i64>,
    /// BCP 47 tag.
    pub language: Option<String>,
    /// The title in the stream's metadata.
    pub title: Option<String>,
    /// Marked as the default stream.
    pub is_default: bool,
}

/// Where subtitles are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubtitleOrigin {
    /// In a sidecar of this name.
    File(String),
    /// In a stream of the video file.
    Stream,
}

/// Subtitles of a video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subtitle {
    /// Stable as long as the sidecar keeps its name or the stream its position.
    pub id: SubtitleId,
    /// Where they are.
    pub origin: SubtitleOrigin,
    /// Extension of a sidecar such as `srt`, codec of a stream.
    pub format: Option<String>,
    /// BCP 47 tag.
    pub language: Option<String>,
    /// From the sidecar's name or the stream's metadata.
    pub title: Option<String>,
    /// To be shown even if subtitles are off.
    pub forced: bool,
    /// Includes descriptions of sounds.
    pub hearing_impaired: bool,
    /// Marked as the default.
    pub is_default: bool,
}

/// A chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// Milliseconds.
    pub start_ms: i64,
    /// Milliseconds; `None` if it ends where the next begins.
    pub end_ms: Option<i64>,
    /// From the file.
    pub title: Option<String>,
}

/// How the file's name was parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct NameMatch {
    /// The naming rule that matched.
    pub pattern: String,
    /// 0 to 1.
    pub confidence: Option<f64>,
}

/// The purpose of an artwork file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtworkKind {
    /// Upright, with the title.
    Poster,
    /// Wide, without text.
    Backdrop,
    /// Wide and low, with the title.
    Banner,
    /// The title as lettering.
    Logo,
    /// A still frame.
    Thumb,
}

/// A video file.
#[derive(Debug, Clone, PartialEq)]
pub struct VideoSource {
    /// The id of the file.
    pub id: VideoSourceId,
    /// Such as `Director's Cut`.
    pub edition: Option<String>,
    /// Part of a movie in several files, from 1.
    pub part: Option<i32>,
    /// Such as `matroska`.
    pub container: Option<String>,
    /// Bytes.
    pub size: i64,
    /// Bits per second of the whole file.
    pub bitrate: Option<i64>,
    /// Playing time in milliseconds.
    pub duration_ms: Option<i64>,
    /// In the file's order.
    pub video: Vec<VideoStream>,
    /// In the file's order.
    pub audio: Vec<AudioStream>,
    /// Sidecars first.
    pub subtitles: Vec<Subtitle>,
    /// By start time.
    pub chapters: Vec<Chapter>,
    /// A sidecar is artwork of this file alone.
    pub has_artwork: bool,
    /// How its name was parsed.
    pub name_match: Option<NameMatch>,
    /// The last scan could not read it; the other values are from an earlier one.
    pub errored: bool,
    /// The last scan did not find it.
    pub missing: bool,
}

impl VideoSource {
    /// `Ord` sorts the best source first: present, readable, the first part, the largest.
    pub fn rank(&self) -> (bool, bool, i32, Reverse<i64>, VideoSourceId) {
        let part = self.part.unwrap_or(1);
        (self.missing, self.errored, part, Reverse(self.size), self.id)
    }
}
