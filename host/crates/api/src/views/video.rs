//! What movies and episodes have alike: people, ids elsewhere, and their files.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::seconds;
use svc_domain::id::{SubtitleId, VideoSourceId};
use svc_domain::video::{
    AudioStream, Chapter, NameMatch, Person, Subtitle, SubtitleOrigin, VideoSource, VideoStream,
};

/// Somebody who worked on a movie or an episode.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "VideoPerson"))]
#[serde(rename_all = "camelCase")]
pub struct PersonView {
    name: String,
    /// `director`, `writer`, `actor` or `producer`.
    role: String,
    /// Whom they play.
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

/// Several as views.
pub(super) fn views<T, V: From<T>>(items: Vec<T>) -> Vec<V> {
    items.into_iter().map(V::from).collect()
}

/// Ids elsewhere by source, such as `imdb`.
pub(super) fn by_source(ids: Vec<(String, String)>) -> BTreeMap<String, String> {
    ids.into_iter().collect()
}

/// A stream of pictures.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "VideoStream"))]
#[serde(rename_all = "camelCase")]
pub struct VideoStreamView {
    /// As ffprobe calls it: `h264`, `hevc`, `av1`.
    codec: Option<String>,
    /// Pixels as coded.
    width: Option<i64>,
    /// Pixels as coded.
    height: Option<i64>,
    /// `hdr10`, `hlg` or `dolby-vision`.
    hdr: Option<String>,
    /// Pictures a second.
    fps: Option<f64>,
    /// Degrees by which a player turns it clockwise.
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

/// A stream of sound.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "VideoAudioStream"))]
#[serde(rename_all = "camelCase")]
pub struct AudioStreamView {
    /// As ffprobe calls it: `aac`, `eac3`, `opus`.
    codec: Option<String>,
    channels: Option<i64>,
    /// BCP 47: `en`, `pt-BR`.
    language: Option<String>,
    /// What the file calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// A player takes it unasked.
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

/// Subtitles of a file.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Subtitle"))]
#[serde(rename_all = "camelCase")]
pub struct SubtitleView {
    #[salvo(schema(value_type = String))]
    subtitle_id: SubtitleId,
    /// BCP 47: `en`, `pt-BR`.
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Shown even where subtitles are off.
    forced: bool,
    /// With sounds written out.
    hearing_impaired: bool,
    /// Shown unasked.
    default: bool,
    /// `srt`, `ass`, `vtt` and the like; of a stream its codec.
    format: Option<String>,
    /// A file beside the video, to be had at `/subtitles/{subtitleId}`; otherwise a stream of the video's own file.
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
    /// Seconds.
    start: f64,
    /// Seconds; without it, where the next begins.
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

/// A file that shows a movie or an episode.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "VideoSource"))]
#[serde(rename_all = "camelCase")]
pub struct VideoSourceView {
    #[salvo(schema(value_type = String))]
    source_id: VideoSourceId,
    /// Such as `Director's Cut`.
    #[serde(skip_serializing_if = "Option::is_none")]
    edition: Option<String>,
    /// Part of a movie in several files, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<i32>,
    /// Such as `matroska`.
    container: Option<String>,
    /// Bytes of the file.
    size: i64,
    /// Bits a second.
    bitrate: Option<i64>,
    /// Seconds.
    duration: Option<f64>,
    video_streams: Vec<VideoStreamView>,
    audio_streams: Vec<AudioStreamView>,
    /// Files beside the video first, then its own streams.
    subtitles: Vec<SubtitleView>,
    chapters: Vec<ChapterView>,
    /// The file was not there in the last run.
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

/// How a file's name was understood.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "NameParse"))]
#[serde(rename_all = "camelCase")]
pub struct ParseView {
    /// The rule that the name matched, such as `sxxexx`.
    pattern: String,
    /// How sure that is, 0 to 1.
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
