//! What the store keeps of plugins as JSON (`docs/plugin-keys.md`). What breaks the contract is left out: a plugin may
//! have sent anything.

use serde_json::{Map, Value as Json};

use crate::id::{SubtitleId, VideoSourceId};
use crate::path::extension;
use crate::video::source::{ArtworkKind, AudioStream, Chapter, Subtitle, SubtitleOrigin, VideoStream};
use crate::video::{Person, VideoSubject};

/// Subtitles that are served, by the extension of their files.
const SUBTITLE_FILES: [&str; 8] = ["ass", "idx", "smi", "srt", "ssa", "sub", "sup", "vtt"];
/// Pictures that are served, by the extension of their files.
const PICTURE_FILES: [&str; 5] = ["jpeg", "jpg", "png", "tbn", "webp"];

type Object = Map<String, Json>;

fn objects(json: &str) -> Vec<Object> {
    serde_json::from_str(json).unwrap_or_default()
}

fn text(object: &Object, member: &str) -> Option<String> {
    object.get(member)?.as_str().map(str::to_owned)
}

/// By the rule for all, whatever the plugin goes by.
fn language(object: &Object) -> Option<String> {
    language::tag(object.get("language")?.as_str()?)
}

fn number(object: &Object, member: &str) -> Option<i64> {
    object.get(member)?.as_i64()
}

fn flag(object: &Object, member: &str) -> bool {
    object.get(member).and_then(Json::as_bool).unwrap_or(false)
}

/// An array of texts.
pub fn texts(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

/// An object of texts, by key.
pub fn external_ids(json: &str) -> Vec<(String, String)> {
    let ids: Object = serde_json::from_str(json).unwrap_or_default();
    let text = |(source, id): (String, Json)| Some((source, id.as_str()?.to_owned()));
    ids.into_iter().filter_map(text).collect()
}

/// People; one without a name or a role is nobody.
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
    /// Of pictures.
    pub video: Vec<VideoStream>,
    /// Of sound.
    pub audio: Vec<AudioStream>,
    /// Of subtitles.
    pub subtitles: Vec<Subtitle>,
}

impl Streams {
    /// The streams of this file.
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

/// Chapters.
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

/// Files of subtitles beside a video. A file of another sort is none, whatever the plugin says.
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

/// The names of those pictures beside a video that are for this purpose. A file of another sort is none, whatever the
/// plugin says.
pub fn pictures(json: &str, purpose: &str) -> Vec<String> {
    let name = |object: &Object| {
        text(object, "name")
            .filter(|_| object.get("purpose").and_then(Json::as_str) == Some(purpose))
            .filter(|name| PICTURE_FILES.contains(&&*extension(name)))
    };
    objects(json).iter().filter_map(name).collect()
}

impl VideoSubject {
    /// What plugins call a picture of this kind of such a subject; `None` if it has none of the kind.
    pub fn purpose(self, kind: ArtworkKind) -> Option<&'static str> {
        match (self, kind) {
            (Self::Show(_), ArtworkKind::Poster) => Some("show-poster"),
            (Self::Show(_), ArtworkKind::Backdrop) => Some("show-backdrop"),
            (Self::Season(_), ArtworkKind::Poster) => Some("season-poster"),
            (Self::Show(_), ArtworkKind::Thumb) | (Self::Season(_), _) => None,
            // Banners and logos beside episodes are the show's.
            (Self::Episode(_), ArtworkKind::Banner | ArtworkKind::Logo) => None,
            (_, ArtworkKind::Poster) => Some("poster"),
            (_, ArtworkKind::Backdrop) => Some("backdrop"),
            (_, ArtworkKind::Banner) => Some("banner"),
            (_, ArtworkKind::Logo) => Some("logo"),
            (_, ArtworkKind::Thumb) => Some("thumb"),
        }
    }

    /// The kinds of picture that stand for the subject, the best first.
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
    fn what_a_plugin_sent_beside_the_contract_is_left_out() {
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
    fn languages_are_tags_whatever_a_plugin_goes_by() {
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
    fn files_that_are_neither_subtitles_nor_pictures_are_not_named() {
        let sent = r#"[{"name":"a.en.srt","format":"srt"},{"name":"../../etc/passwd"},{"name":"a.mkv"},{"format":"srt"}]"#;
        let found = subtitle_files(sent, SOURCE());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].origin, SubtitleOrigin::File("a.en.srt".into()));
        let sent = r#"[{"name":"poster.JPG","purpose":"poster"},{"name":"x.nfo","purpose":"poster"},
            {"name":"fanart.jpg","purpose":"backdrop"}]"#;
        assert_eq!(pictures(sent, "poster"), ["poster.JPG"]);
    }

    #[test]
    fn subtitles_have_ids_of_their_own_that_stay() {
        let sent = r#"[{"type":"video"},{"type":"subtitle"},{"type":"subtitle"}]"#;
        let streams = Streams::read(sent, SOURCE()).subtitles;
        let files = subtitle_files(r#"[{"name":"b.srt"},{"name":"a.srt"}]"#, SOURCE());
        let alone = subtitle_files(r#"[{"name":"a.srt"}]"#, SOURCE());
        assert_eq!(files[1].id, alone[0].id, "its place in the list does not matter");
        let ids: std::collections::HashSet<_> = streams.iter().chain(&files).map(|one| one.id).collect();
        assert_eq!(ids.len(), 4);
        assert!(ids.iter().all(|id| id.source() == SOURCE()));
    }
}
