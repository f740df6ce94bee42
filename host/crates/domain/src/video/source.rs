//! A file that shows a movie or an episode: its streams, and what lies beside it.

use std::cmp::Reverse;

use crate::id::{SubtitleId, VideoSourceId};

/// A stream of pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct VideoStream {
    /// As ffprobe calls it.
    pub codec: Option<String>,
    /// Pixels as coded.
    pub width: Option<i64>,
    /// Pixels as coded.
    pub height: Option<i64>,
    /// `hdr10`, `hlg` or `dolby-vision`.
    pub hdr: Option<String>,
    /// Pictures a second.
    pub fps: Option<f64>,
    /// Degrees by which a player turns it clockwise.
    pub rotation: Option<i64>,
}

/// A stream of sound.
#[derive(Debug, Clone, PartialEq)]
pub struct AudioStream {
    /// As ffprobe calls it.
    pub codec: Option<String>,
    /// Number of channels.
    pub channels: Option<i64>,
    /// BCP 47.
    pub language: Option<String>,
    /// What the file calls it.
    pub title: Option<String>,
    /// A player takes it unasked.
    pub is_default: bool,
}

/// Where subtitles are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubtitleOrigin {
    /// In a file of this name beside the video.
    File(String),
    /// A stream of the video's own file.
    Stream,
}

/// Subtitles of a video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subtitle {
    /// Stays as long as the file keeps its name or the stream its position.
    pub id: SubtitleId,
    /// Where they are.
    pub origin: SubtitleOrigin,
    /// Of a file such as `srt`, of a stream its codec.
    pub format: Option<String>,
    /// BCP 47.
    pub language: Option<String>,
    /// What the file or the stream is called.
    pub title: Option<String>,
    /// Shown even where subtitles are off.
    pub forced: bool,
    /// With sounds written out.
    pub hearing_impaired: bool,
    /// Shown unasked.
    pub is_default: bool,
}

/// A chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// Milliseconds.
    pub start_ms: i64,
    /// Milliseconds; without it, where the next begins.
    pub end_ms: Option<i64>,
    /// What it is called.
    pub title: Option<String>,
}

/// How a file's name was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct NameMatch {
    /// The rule.
    pub pattern: String,
    /// How sure that is, 0 to 1.
    pub confidence: Option<f64>,
}

/// What a picture is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtworkKind {
    /// Upright, with the title.
    Poster,
    /// Wide, without words.
    Backdrop,
    /// Wide and low, with the title.
    Banner,
    /// The title's lettering.
    Logo,
    /// A scene.
    Thumb,
}

/// A video file.
#[derive(Debug, Clone, PartialEq)]
pub struct VideoSource {
    /// Identifier; the file's.
    pub id: VideoSourceId,
    /// Such as `Director's Cut`.
    pub edition: Option<String>,
    /// Part of a movie in several files, from 1.
    pub part: Option<i32>,
    /// Such as `matroska`.
    pub container: Option<String>,
    /// Bytes.
    pub size: i64,
    /// Bits a second over the whole file.
    pub bitrate: Option<i64>,
    /// Playing time in milliseconds.
    pub duration_ms: Option<i64>,
    /// In the file's order.
    pub video: Vec<VideoStream>,
    /// In the file's order.
    pub audio: Vec<AudioStream>,
    /// Those of files first.
    pub subtitles: Vec<Subtitle>,
    /// By their beginnings.
    pub chapters: Vec<Chapter>,
    /// There is a picture beside it that is its own.
    pub has_artwork: bool,
    /// How its name was understood.
    pub name_match: Option<NameMatch>,
    /// It could not be read in the last run: the rest is what an earlier one read.
    pub errored: bool,
    /// It was not there in the last run.
    pub missing: bool,
}

impl VideoSource {
    /// The best source is the least: there, readable, the first part, and the largest.
    pub fn rank(&self) -> (bool, bool, i32, Reverse<i64>, VideoSourceId) {
        let part = self.part.unwrap_or(1);
        (self.missing, self.errored, part, Reverse(self.size), self.id)
    }
}
