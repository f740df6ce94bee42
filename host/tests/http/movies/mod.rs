//! `/movies`, over a movie with two files, subtitles and artwork.

mod artwork;
mod get;
mod list;
mod stream;
mod subtitles;

use serde_json::Value;

use crate::support::media::{text, texts};
use crate::support::{Client, Reply, TestServer};
use svc_domain::extraction::Value as FieldValue;
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;

const FILM: &[u8] = b"0123456789 the whole film";

const SMALL: &[u8] = b"a small one";

/// A movie with two files and sidecars beside the first, and another movie.
struct MovieFixture {
    server: TestServer,
    token: Client,
    movie: Value,
    /// Path of the movie.
    path: String,
    small: FileId,
    other: FileId,
}

impl MovieFixture {
    async fn new() -> Self {
        let server = TestServer::start().await;
        let token = server.as_owner().await;
        let folder = server.folder_at(MediaKind::movies(), "Amber").await;
        let place = (folder, "Amber");
        let video =
            r#"{"type":"video","codec":"h264","width":1920,"height":1080,"fps":23.976,"default":true}"#;
        let sound = r#"{"type":"audio","codec":"aac","channels":2,"language":"eng","default":true}"#;
        let inside = r#"{"type":"subtitle","codec":"subrip","language":"ger","forced":true,"default":false}"#;
        let subtitle = |name: &str, format: &str| {
            format!(
                r#"{{"name":"{name}","format":"{format}","language":"en","forced":false,"default":false}}"#
            )
        };
        let picture = |name: &str, purpose: &str| format!(r#"{{"name":"{name}","purpose":"{purpose}"}}"#);
        let subtitles = [
            subtitle("amber.en.srt", "srt"),
            subtitle("Subs/2_English.vtt", "vtt"),
            subtitle("../../secret.srt", "srt"),
            subtitle("/etc/secret.srt", "srt"),
            subtitle("../secret.srt", "srt"),
            subtitle("linked.srt", "srt"),
            subtitle("amber.nfo", "srt"),
        ];
        let pictures = [
            picture("nowhere.jpg", "poster"),
            picture("poster.png", "poster"),
            picture("../../secret.jpg", "backdrop"),
            picture("fanart.jpg", "backdrop"),
            picture("amber.nfo", "banner"),
            picture("../../secret.jpg", "logo"),
        ];
        let fields = [
            ("movie.title", text("The Amber Room")),
            ("movie.year", FieldValue::Integer(1999)),
            ("movie.original-title", text("Bernsteinzimmer")),
            ("movie.overview", text("A room is looked for.")),
            ("movie.tagline", text("It is warm.")),
            ("movie.content-rating", text("US:PG")),
            ("movie.collection", text("Rooms")),
            ("movie.genres", texts(&["Drama"])),
            (
                "movie.people",
                texts(&[r#"{"name":"Ann Lee","role":"actor","character":"Vera"}"#]),
            ),
            ("movie.external-ids", texts(&["imdb:tt0000001"])),
            ("video.container", text("matroska")),
            ("video.bitrate", FieldValue::Integer(3)),
            ("video.streams", texts(&[video, sound, inside])),
            (
                "video.chapters",
                texts(&[r#"{"startMs":1500,"endMs":2000,"title":"One"}"#]),
            ),
            (
                "related.subtitles",
                texts(&subtitles.each_ref().map(String::as_str)),
            ),
            ("related.artwork", texts(&pictures.each_ref().map(String::as_str))),
        ];
        let of = |name| (MediaKind::movies(), name);
        server.video(place, of("amber.mkv"), FILM, &fields).await;
        let again = [
            ("movie.title", text("The Amber Room")),
            ("movie.year", FieldValue::Integer(1999)),
            ("movie.genres", texts(&["Drama"])),
            ("movie.edition", text("Short")),
        ];
        let small = server.video(place, of("short.mp4"), SMALL, &again).await;
        let fields = [("movie.title", text("Beacon"))];
        let other = server
            .video(place, of("beacon.avi"), b"another film", &fields)
            .await;
        for (path, content) in [
            (
                "Amber/amber.en.srt",
                &b"1\n00:00:01,000 --> 00:00:02,000\nHello\n"[..],
            ),
            ("Amber/Subs/2_English.vtt", b"WEBVTT\n"),
            ("Amber/poster.png", b"the poster"),
            ("Amber/fanart.jpg", b"the backdrop"),
            ("Amber/amber.nfo", b"<movie/>"),
            ("secret.srt", b"beside the folder"),
            ("../secret.srt", b"outside of the root"),
            ("../secret.jpg", b"outside of the root"),
        ] {
            server.beside(path, content);
        }
        let link = server.root.join("Amber/linked.srt");
        std::os::unix::fs::symlink("../../secret.srt", link).unwrap();
        let listed = token.get("/api/v1/movies").await.json();
        assert_eq!(listed[1], 2);
        let movies = listed[0].as_array().unwrap();
        let movie = movies.iter().find(|movie| movie["year"] == 1999).unwrap().clone();
        let path = format!("/api/v1/movies/{}", movie["movieId"].as_str().unwrap());
        Self {
            server,
            token,
            movie,
            path,
            small,
            other,
        }
    }

    async fn get(&self, target: &str) -> Reply {
        self.token.get(target).await
    }

    /// Status and code of a response.
    async fn refusal(&self, target: &str) -> (u16, Option<String>) {
        let reply = self.get(target).await;
        (reply.status, reply.json()["code"].as_str().map(str::to_owned))
    }

    fn subtitle(&self, at: usize) -> String {
        let id = &self.movie["sources"][0]["subtitles"][at]["subtitleId"];
        format!("/api/v1/subtitles/{}", id.as_str().unwrap())
    }
}

fn missing(code: &str) -> (u16, Option<String>) {
    (404, Some(code.to_owned()))
}
