//! Parts that movies and episodes share: people, external ids, files with their streams.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::seconds;
use svc_domain::id::{SubtitleId, VideoSourceId};
use svc_domain::video::{
    AudioStream, Chapter, NameMatch, Person, Subtitle, SubtitleOrigin, VideoSource, VideoStream,
};

/// A person in the cast or crew of a movie or an episode.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "VideoPerson"))]
#[serde(rename_all = "camelCase")]
pub struct PersonView {
    name: String,
    /// `director`, `writer`, `actor` or `producer`.
    role: String,
    /// Character that an actor plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    character: Option<String>,
}

impl From<Person> for PersonView {
    fn from(person: Person) -> Self {
        Self {
            name: person.name,
            role: person.role,
            character: person.character,
        }
    }
}

/// Converts a list of items.
pub(super) fn views<T, V: From<T>>(items: Vec<T>) -> Vec<V> {
    items.into_iter().map(V::from).collect()
}

/// Ids in other databases, by source such as `imdb`.
pub(super) fn by_source(ids: Vec<(String, String)>) -> BTreeMap<String, String> {
    ids.into_iter().collect()
}

/// A video stream.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "VideoStream"))]
#[serde(rename_all = "camelCase")]
pub struct VideoStreamView {
    /// Name of the codec as in ffprobe: `h264`, `hevc`, `av1`.
    codec: Option<String>,
    /// Coded width in pixels.
    width: Option<i64>,
    /// Coded height in pixels.
    height: Option<i64>,
    /// `hdr10`, `hlg` or `dolby-vision`.
    hdr: Option<String>,
    /// Frames per second.
    fps: Option<f64>,
    /// Clockwise rotation for display, in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    rotation: Option<i64>,
}

impl From<VideoStream> for VideoStreamView {
    fn from(stream: VideoStream) -> Self {
        Self {
            codec: stream.codec,
            width: stream.width,
            height: stream.height,
            hdr: stream.hdr,
            fps: stream.fps,
            rotation: stream.rotation,
        }
    }
}

/// An audio stream.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "VideoAudioStream"))]
#[serde(rename_all = "camelCase")]
pub struct AudioStreamView {
    /// Name of the codec as in ffprobe: `aac`, `eac3`, `opus`.
    codec: Option<String>,
    channels: Option<i64>,
    /// BCP 47 tag: `en`, `pt-BR`.
    language: Option<String>,
    /// Title of the stream in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Players select it by default.
    default: bool,
}

impl From<AudioStream> for AudioStreamView {
    fn from(stream: AudioStream) -> Self {
        Self {
            codec: stream.codec,
            channels: stream.channels,
            language: stream.language,
            title: stream.title,
            default: stream.is_default,
        }
    }
}

/// Subtitles of a video.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Subtitle"))]
#[serde(rename_all = "camelCase")]
pub struct SubtitleView {
    #[salvo(schema(value_type = String))]
    subtitle_id: SubtitleId,
    /// BCP 47 tag: `en`, `pt-BR`.
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Players show them even if subtitles are turned off.
    forced: bool,
    /// They describe sounds for the hearing impaired.
    hearing_impaired: bool,
    /// Players show them by default.
    default: bool,
    /// Format of the file, such as `srt`, `ass` or `vtt`, or codec of the stream.
    format: Option<String>,
    /// `true`: a subtitle file, available at `/subtitles/{subtitleId}`; `false`: a stream in the video's file.
    external: bool,
}

impl From<Subtitle> for SubtitleView {
    fn from(subtitle: Subtitle) -> Self {
        Self {
            subtitle_id: subtitle.id,
            language: subtitle.language,
            title: subtitle.title,
            forced: subtitle.forced,
            hearing_impaired: subtitle.hearing_impaired,
            default: subtitle.is_default,
            format: subtitle.format,
            external: matches!(subtitle.origin, SubtitleOrigin::File(_)),
        }
    }
}

/// A chapter.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Chapter"))]
#[serde(rename_all = "camelCase")]
pub struct ChapterView {
    /// Start in seconds.
    start: f64,
    /// End in seconds; if absent, the start of the next chapter.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
}

impl From<Chapter> for ChapterView {
    fn from(chapter: Chapter) -> Self {
        Self {
            start: seconds(chapter.start_ms),
            end: chapter.end_ms.map(seconds),
            title: chapter.title,
        }
    }
}

/// A file of a movie or an episode.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "VideoSource"))]
#[serde(rename_all = "camelCase")]
pub struct VideoSourceView {
    #[salvo(schema(value_type = String))]
    source_id: VideoSourceId,
    /// Edition of the movie, such as `Director's Cut`.
    #[serde(skip_serializing_if = "Option::is_none")]
    edition: Option<String>,
    /// Number of this part of a movie in several files, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<i32>,
    /// Container format, such as `matroska`.
    container: Option<String>,
    /// Size of the file in bytes.
    size: i64,
    /// Bits per second.
    bitrate: Option<i64>,
    /// Duration in seconds.
    duration: Option<f64>,
    video_streams: Vec<VideoStreamView>,
    audio_streams: Vec<AudioStreamView>,
    /// Subtitle files first, then streams in the video's file.
    subtitles: Vec<SubtitleView>,
    chapters: Vec<ChapterView>,
    /// The file was missing in the last run of the indexer.
    missing: bool,
}

impl From<VideoSource> for VideoSourceView {
    fn from(source: VideoSource) -> Self {
        Self {
            source_id: source.id,
            edition: source.edition,
            part: source.part,
            container: source.container,
            size: source.size,
            bitrate: source.bitrate,
            duration: source.duration_ms.map(seconds),
            video_streams: views(source.video),
            audio_streams: views(source.audio),
            subtitles: views(source.subtitles),
            chapters: views(source.chapters),
            missing: source.missing,
        }
    }
}

/// How a file name was parsed.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "NameParse"))]
#[serde(rename_all = "camelCase")]
pub struct ParseView {
    /// Name of the matching rule, such as `sxxexx`.
    pattern: String,
    /// Confidence of the match, 0 to 1.
    confidence: Option<f64>,
}

impl From<&NameMatch> for ParseView {
    fn from(found: &NameMatch) -> Self {
        Self {
            pattern: found.pattern.clone(),
            confidence: found.confidence,
        }
    }
}
