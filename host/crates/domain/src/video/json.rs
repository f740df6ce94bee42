//! Parses the plugin output that the store keeps as JSON (`docs/plugin-keys.md`). Elements that violate the contract
//! are skipped: a plugin may send anything.

use serde_json::{Map, Value as Json};

use crate::id::{SubtitleId, VideoSourceId};
use crate::path::extension;
use crate::video::source::{ArtworkKind, AudioStream, Chapter, Subtitle, SubtitleOrigin, VideoStream};
use crate::video::{Person, VideoSubject};

/// Extensions of subtitle files that the server delivers.
const SUBTITLE_FILES: [&str; 8] = ["ass", "idx", "smi", "srt", "ssa", "sub", "sup", "vtt"];
/// Extensions of artwork files that the server delivers.
const PICTURE_FILES: [&str; 5] = ["jpeg", "jpg", "png", "tbn", "webp"];

type Object = Map<String, Json>;

fn objects(json: &str) -> Vec<Object> {
    serde_json::from_str(json).unwrap_or_default()
}

fn text(object: &Object, member: &str) -> Option<String> {
    object.get(member)?.as_str().map(str::to_owned)
}

/// Normalized to a BCP 47 tag.
fn language(object: &Object) -> Option<String> {
    language::tag(object.get("language")?.as_str()?)
}

fn number(object: &Object, member: &str) -> Option<i64> {
    object.get(member)?.as_i64()
}

fn flag(object: &Object, member: &str) -> bool {
    object.get(member).and_then(Json::as_bool).unwrap_or(false)
}

/// Parses an array of strings.
pub fn texts(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Parses an object whose values are strings.
pub fn external_ids(json: &str) -> Vec<(String, String)> {
    let ids: Object = serde_json::from_str(json).unwrap_or_default();
    let text = |(source, id): (String, Json)| Some((source, id.as_str()?.to_owned()));
    ids.into_iter().filter_map(text).collect()
}

/// Parses people; skips those without name or role.
pub fn people(json: &str) -> Vec<Person> {
    let person = |object: &Object| {
        Some(Person {
            name: text(object, "name")?,
            role: text(object, "role")?,
            character: text(object, "character"),
        })
    };
    objects(json).iter().filter_map(person).collect()
}

/// The streams of a file, in its order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Streams {
    /// Video streams.
    pub video: Vec<VideoStream>,
    /// Audio streams.
    pub audio: Vec<AudioStream>,
    /// Embedded subtitles.
    pub subtitles: Vec<Subtitle>,
}

impl Streams {
    /// Parses the streams of a file; their index is part of a subtitle's id.
    pub fn read(json: &str, source: VideoSourceId) -> Self {
        let mut streams = Self::default();
        for (at, object) in objects(json).iter().enumerate() {
            match object.get("type").and_then(Json::as_str) {
                Some("video") => streams.video.push(VideoStream {
                    codec: text(object, "codec"),
                    width: number(object, "width"),
                    height: number(object, "height"),
                    hdr: text(object, "hdr"),
                    fps: object.get("fps").and_then(Json::as_f64),
                    rotation: number(object, "rotation"),
                }),
                Some("audio") => streams.audio.push(AudioStream {
                    codec: text(object, "codec"),
                    channels: number(object, "channels"),
                    language: language(object),
                    title: text(object, "title"),
                    is_default: flag(object, "default"),
                }),
                Some("subtitle") => streams.subtitles.push(Subtitle {
                    id: SubtitleId::of_stream(source, at),
                    origin: SubtitleOrigin::Stream,
                    format: text(object, "codec"),
                    language: language(object),
                    title: text(object, "title"),
                    forced: flag(object, "forced"),
                    hearing_impaired: flag(object, "hearingImpaired"),
                    is_default: flag(object, "default"),
                }),
                _ => {}
            }
        }
        streams
    }
}

/// Parses chapters; skips those without a start.
pub fn chapters(json: &str) -> Vec<Chapter> {
    let chapter = |object: &Object| {
        Some(Chapter {
            start_ms: number(object, "startMs")?,
            end_ms: number(object, "endMs"),
            title: text(object, "title"),
        })
    };
    objects(json).iter().filter_map(chapter).collect()
}

/// Parses subtitle sidecars; skips names with any other extension.
pub fn subtitle_files(json: &str, source: VideoSourceId) -> Vec<Subtitle> {
    let subtitle = |object: &Object| {
        let name = text(object, "name").filter(|name| SUBTITLE_FILES.contains(&&*extension(name)))?;
        Some(Subtitle {
            id: SubtitleId::of_file(source, &name),
            origin: SubtitleOrigin::File(name),
            format: text(object, "format"),
            language: language(object),
            title: text(object, "title"),
            forced: flag(object, "forced"),
            hearing_impaired: flag(object, "hearingImpaired"),
            is_default: flag(object, "default"),
        })
    };
    objects(json).iter().filter_map(subtitle).collect()
}

/// Names of the artwork files with this purpose; skips names with any other extension.
pub fn pictures(json: &str, purpose: &str) -> Vec<String> {
    let name = |object: &Object| {
        text(object, "name")
            .filter(|_| object.get("purpose").and_then(Json::as_str) == Some(purpose))
            .filter(|name| PICTURE_FILES.contains(&&*extension(name)))
    };
    objects(json).iter().filter_map(name).collect()
}

impl VideoSubject {
    /// The purpose that plugins use for artwork of this kind; `None` if the subject has no such artwork.
    pub fn purpose(self, kind: ArtworkKind) -> Option<&'static str> {
        match (self, kind) {
            (Self::Show(_), ArtworkKind::Poster) => Some("show-poster"),
            (Self::Show(_), ArtworkKind::Backdrop) => Some("show-backdrop"),
            (Self::Season(_), ArtworkKind::Poster) => Some("season-poster"),
            (Self::Show(_), ArtworkKind::Thumb) | (Self::Season(_), _) => None,
            // A banner or logo beside an episode belongs to the show.
            (Self::Episode(_), ArtworkKind::Banner | ArtworkKind::Logo) => None,
            (_, ArtworkKind::Poster) => Some("poster"),
            (_, ArtworkKind::Backdrop) => Some("backdrop"),
            (_, ArtworkKind::Banner) => Some("banner"),
            (_, ArtworkKind::Logo) => Some("logo"),
            (_, ArtworkKind::Thumb) => Some("thumb"),
        }
    }

    /// The kinds of artwork that can represent the subject, best first.
    pub fn front(self) -> &'static [ArtworkKind] {
        match self {
            Self::Movie(_) => &[ArtworkKind::Poster, ArtworkKind::Thumb, ArtworkKind::Backdrop],
            Self::Show(_) => &[ArtworkKind::Poster, ArtworkKind::Backdrop],
            Self::Season(_) => &[ArtworkKind::Poster],
            Self::Episode(_) => &[ArtworkKind::Thumb, ArtworkKind::Poster, ArtworkKind::Backdrop],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: fn() -> VideoSourceId = || VideoSourceId::from(7);

    #[test]
    fn elements_that_violate_the_contract_are_skipped() {
        let ann = Person {
            name: "Ann".into(),
            role: "actor".into(),
            character: Some("Vera".into()),
        };
        let sent =
            r#"[{"name":"Ann","role":"actor","character":"Vera"},{"name":7,"role":"actor"},{"name":"Bob"}]"#;
        assert_eq!(people(sent), [ann]);
        assert_eq!(people("{}"), []);
        let ids = external_ids(r#"{"imdb":"tt1","tmdb":5}"#);
        assert_eq!(ids, [("imdb".to_owned(), "tt1".to_owned())]);
        assert_eq!(texts("[1]"), Vec::<String>::new());
        let sent =
            r#"[{"type":"video","width":"wide"},{"type":"smell"},{"type":"audio","channels":6,"default":1}]"#;
        let streams = Streams::read(sent, SOURCE());
        assert_eq!((streams.video.len(), streams.video[0].width), (1, None));
        assert_eq!(
            (streams.audio[0].channels, streams.audio[0].is_default),
            (Some(6), false)
        );
        assert_eq!(
            chapters(r#"[{"title":"no beginning"},{"startMs":5}]"#)[0].start_ms,
            5
        );
    }

    #[test]
    fn languages_are_normalized_to_tags() {
        let sent = r#"[{"type":"audio","language":"GER"},{"type":"audio","language":"und"},{"type":"audio","language":7},
            {"type":"subtitle","language":"pt_br"},{"type":"subtitle","language":"Klingonese"}]"#;
        let streams = Streams::read(sent, SOURCE());
        let audio: Vec<_> = streams
            .audio
            .iter()
            .map(|stream| stream.language.as_deref())
            .collect();
        assert_eq!(audio, [Some("de"), None, None]);
        let subtitles: Vec<_> = streams
            .subtitles
            .iter()
            .map(|one| one.language.as_deref())
            .collect();
        assert_eq!(subtitles, [Some("pt-BR"), None]);
        let files = subtitle_files(
            r#"[{"name":"a.srt","language":"eng"},{"name":"b.srt","language":""}]"#,
            SOURCE(),
        );
        let files: Vec<_> = files.iter().map(|one| one.language.as_deref()).collect();
        assert_eq!(files, [Some("en"), None]);
    }

    #[test]
    fn files_with_other_extensions_are_skipped() {
        let sent = r#"[{"name":"a.en.srt","format":"srt"},{"name":"../../etc/passwd"},{"name":"a.mkv"},{"format":"srt"}]"#;
        let found = subtitle_files(sent, SOURCE());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].origin, SubtitleOrigin::File("a.en.srt".into()));
        let sent = r#"[{"name":"poster.JPG","purpose":"poster"},{"name":"x.nfo","purpose":"poster"},
            {"name":"fanart.jpg","purpose":"backdrop"}]"#;
        assert_eq!(pictures(sent, "poster"), ["poster.JPG"]);
    }

    #[test]
    fn subtitle_ids_are_distinct_and_stable() {
        let sent = r#"[{"type":"video"},{"type":"subtitle"},{"type":"subtitle"}]"#;
        let streams = Streams::read(sent, SOURCE()).subtitles;
        let files = subtitle_files(r#"[{"name":"b.srt"},{"name":"a.srt"}]"#, SOURCE());
        let alone = subtitle_files(r#"[{"name":"a.srt"}]"#, SOURCE());
        assert_eq!(
            files[1].id, alone[0].id,
            "the id does not depend on the position in the list"
        );
        let ids: std::collections::HashSet<_> = streams.iter().chain(&files).map(|one| one.id).collect();
        assert_eq!(ids.len(), 4);
        assert!(ids.iter().all(|id| id.source() == SOURCE()));
    }
}
