//! Movies: records, files, and what lies beside them.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::media_files::{text, texts};
use crate::{Reply, TestServer};
use svc_domain::extraction::Value as FieldValue;
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;

const FILM: &[u8] = b"0123456789 the whole film";
const SMALL: &[u8] = b"a small one";
const UNKNOWN: &str = "0000000000001";

/// A movie with two files and all sorts of things beside the first, and another movie.
struct MovieFixture {
    server: TestServer,
    token: String,
    movie: Value,
    /// Path of the movie.
    path: String,
    small: FileId,
    other: FileId,
}

impl MovieFixture {
    async fn new() -> Self {
        let server = TestServer::start().await;
        let token = server.owner().await;
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
        let listed = server.get_as(&token, "/api/v1/movies").await.json();
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
        self.server.get_as(&self.token, target).await
    }

    /// Status and code of an answer.
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

#[covers("GET /api/v1/movies/{movieId}")]
#[tokio::test]
async fn movie_is_shown_as_the_contract_has_it() {
    let cinema = MovieFixture::new().await;
    assert_eq!(cinema.get(&cinema.path).await.json(), cinema.movie);
    let mut movie = cinema.movie.clone();
    let sources = movie["sources"].take();
    for member in ["movieId", "createdAt"] {
        assert!(movie[member].take().is_string(), "{member}");
    }
    let expected = json!({
        "movieId": null, "title": "The Amber Room", "sortTitle": "amber room", "originalTitle": "Bernsteinzimmer",
        "year": 1999, "runtime": 60.0, "genres": ["Drama"], "studios": [], "people": [], "externalIds": {},
        "artwork": format!("{}/artwork", cinema.path), "createdAt": null, "missing": false, "sources": null,
    });
    // The file that was read last says what the movie is called: it said less.
    for (member, value) in expected.as_object().unwrap() {
        if member != "originalTitle" {
            assert_eq!(&movie[member], value, "{member}");
        }
    }
    let [first, second] = sources.as_array().unwrap().as_slice() else {
        panic!("{sources}");
    };
    assert_eq!(second["sourceId"], cinema.small.to_string());
    assert_eq!(
        (&second["edition"], &second["size"]),
        (&json!("Short"), &json!(SMALL.len()))
    );
    let mut first = first.clone();
    let subtitles = first["subtitles"].take();
    assert!(first["sourceId"].take().is_string());
    assert_eq!(
        first,
        json!({
            "sourceId": null, "container": "matroska", "size": FILM.len(), "bitrate": 3, "duration": 60.0,
            "videoStreams": [{ "codec": "h264", "width": 1920, "height": 1080, "hdr": null, "fps": 23.976 }],
            "audioStreams": [{ "codec": "aac", "channels": 2, "language": "en", "default": true }],
            "subtitles": null, "chapters": [{ "start": 1.5, "end": 2.0, "title": "One" }], "missing": false,
        })
    );
    let subtitles = subtitles.as_array().unwrap();
    // Six files that may be subtitles, and the stream; the NFO is none.
    assert_eq!(subtitles.len(), 7);
    let mut outside = subtitles[0].clone();
    assert!(outside["subtitleId"].take().is_string());
    assert_eq!(
        outside,
        json!({
            "subtitleId": null, "language": "en", "forced": false, "hearingImpaired": false, "default": false,
            "format": "srt", "external": true,
        })
    );
    let inside = &subtitles[6];
    assert_eq!(
        (
            &inside["external"],
            &inside["language"],
            &inside["format"],
            &inside["forced"]
        ),
        (&json!(false), &json!("de"), &json!("subrip"), &json!(true))
    );
}

#[tokio::test]
async fn movie_alone_tells_all_that_its_plugin_said() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let folder = server.folder_at(MediaKind::movies(), "m").await;
    let date = svc_domain::extraction::PartialDate {
        year: 1995,
        month: Some(12),
        day: None,
        time_ms: None,
        offset_minutes: None,
    };
    let fields = [
        ("movie.title", text("Amber")),
        ("movie.original-title", text("Bernstein")),
        ("movie.released", FieldValue::Date(date)),
        ("movie.overview", text("About.")),
        ("movie.tagline", text("Warm.")),
        ("movie.content-rating", text("US:PG")),
        ("movie.collection", text("Rooms")),
        ("movie.studios", texts(&["Kiln"])),
        (
            "movie.people",
            texts(&[
                r#"{"name":"Ann","role":"actor","character":"Vera"}"#,
                r#"{"name":"Bo","role":"director"}"#,
            ]),
        ),
        ("movie.external-ids", texts(&["imdb:tt1", "tmdb:5"])),
    ];
    server
        .video((folder, "m"), (MediaKind::movies(), "a.mkv"), b"x", &fields)
        .await;
    let mut movie = server.get_as(&token, "/api/v1/movies").await.json()[0][0].take();
    for member in ["movieId", "createdAt", "sources"] {
        movie[member].take();
    }
    assert_eq!(
        movie,
        json!({
            "movieId": null, "title": "Amber", "sortTitle": "amber", "originalTitle": "Bernstein", "year": 1995,
            "releasedAt": "1995-12", "runtime": 60.0, "overview": "About.", "tagline": "Warm.", "collection": "Rooms",
            "genres": [], "studios": ["Kiln"],
            "people": [
                { "name": "Ann", "role": "actor", "character": "Vera" }, { "name": "Bo", "role": "director" }
            ],
            "contentRating": "US:PG", "externalIds": { "imdb": "tt1", "tmdb": "5" }, "sources": null,
            "createdAt": null, "missing": false,
        })
    );
}

#[covers("GET /api/v1/movies")]
#[tokio::test]
async fn movies_are_ordered_and_narrowed_as_asked() {
    let cinema = MovieFixture::new().await;
    for (query, total, first) in [
        ("", 2, "The Amber Room"),
        ("?order=DESC", 2, "Beacon"),
        ("?orderBy=year", 2, "The Amber Room"),
        ("?orderBy=year&order=DESC", 2, "The Amber Room"),
        ("?orderBy=createdAt", 2, "Beacon"),
        ("?orderBy=releasedAt&order=ASC", 2, "The Amber Room"),
        ("?orderBy=runtime&order=DESC", 2, "Beacon"),
        ("?genre=DRAMA", 1, "The Amber Room"),
        ("?yearFrom=1999&yearTo=1999", 1, "The Amber Room"),
        ("?addedSince=2020-01-01", 2, "The Amber Room"),
        ("?take=1&skip=1", 2, "Beacon"),
    ] {
        let list = cinema.get(&format!("/api/v1/movies{query}")).await.json();
        assert_eq!(
            (&list[1], &list[0][0]["title"]),
            (&json!(total), &json!(first)),
            "{query}"
        );
    }
    for query in ["?orderBy=size", "?yearFrom=x", "?addedSince=x", "?take=1001"] {
        assert_eq!(
            cinema.get(&format!("/api/v1/movies{query}")).await.status,
            400,
            "{query}"
        );
    }
    assert_eq!(cinema.get(&format!("/api/v1/movies/{UNKNOWN}")).await.status, 404);
}

#[covers("GET /api/v1/movies/{movieId}/stream")]
#[tokio::test]
async fn stream_is_the_best_file_or_the_one_that_is_named() {
    let cinema = MovieFixture::new().await;
    let stream = format!("{}/stream", cinema.path);
    let whole = cinema.get(&stream).await;
    assert_eq!((whole.status, whole.body.as_slice()), (200, FILM));
    assert_eq!(whole.header("content-type"), "video/x-matroska");
    assert_eq!(whole.header("content-disposition"), "inline");
    let small = cinema.get(&format!("{stream}?sourceId={}", cinema.small)).await;
    assert_eq!(
        (small.body.as_slice(), small.header("content-type")),
        (SMALL, "video/mp4")
    );
    assert_ne!(small.header("etag"), whole.header("etag"));
    let bearer = format!("Bearer {}", cinema.token);
    let ranged = [("authorization", bearer.as_str()), ("range", "bytes=4-7")];
    let part = cinema.server.send("GET", &stream, &ranged, "").await;
    assert_eq!((part.status, part.body.as_slice()), (206, &FILM[4..8]));
    assert_eq!(part.header("content-range"), format!("bytes 4-7/{}", FILM.len()));

    assert_eq!(cinema.get(&format!("{stream}?sourceId=x")).await.status, 400);
    for target in [
        format!("{stream}?sourceId={}", cinema.other),
        format!("{stream}?sourceId={UNKNOWN}"),
        format!("/api/v1/movies/{UNKNOWN}/stream"),
        format!("/api/v1/movies/{}/stream", cinema.small),
    ] {
        assert_eq!(cinema.refusal(&target).await, (404, None), "{target}");
    }
    std::fs::remove_file(cinema.server.root.join("Amber/amber.mkv")).unwrap();
    assert_eq!(cinema.refusal(&stream).await, missing("file_missing"));
    std::fs::remove_dir_all(&cinema.server.root).unwrap();
    let away = (503, Some("storage_unavailable".to_owned()));
    for target in [stream, format!("{}/artwork", cinema.path), cinema.subtitle(0)] {
        assert_eq!(cinema.refusal(&target).await, away, "{target}");
    }
}

#[covers("GET /api/v1/movies/{movieId}/artwork", "T35")]
#[tokio::test]
async fn artwork_is_the_picture_beside_the_file_and_never_one_elsewhere() {
    let cinema = MovieFixture::new().await;
    let artwork = format!("{}/artwork", cinema.path);
    for (query, content, content_type) in [
        ("", &b"the poster"[..], "image/png"),
        ("?size=original", b"the poster", "image/png"),
        ("?kind=poster", b"the poster", "image/png"),
        ("?kind=backdrop", b"the backdrop", "image/jpeg"),
        ("?kind=fanart", b"the backdrop", "image/jpeg"),
    ] {
        let reply = cinema.get(&format!("{artwork}{query}")).await;
        assert_eq!((reply.status, reply.body.as_slice()), (200, content), "{query}");
        assert_eq!(reply.header("content-type"), content_type);
        assert!(reply.header("content-security-policy").starts_with("sandbox"));
    }
    for kind in ["logo", "banner", "thumb"] {
        let refused = cinema.refusal(&format!("{artwork}?kind={kind}")).await;
        assert_eq!(refused, missing("artwork_missing"), "{kind}");
    }
    assert_eq!(cinema.get(&format!("{artwork}?kind=selfie")).await.status, 400);
    assert_eq!(cinema.get(&format!("{artwork}?size=huge")).await.status, 400);
    assert_eq!(
        cinema.refusal(&format!("/api/v1/movies/{UNKNOWN}/artwork")).await,
        (404, None)
    );
    let all = cinema.get("/api/v1/movies").await.json();
    let other = all[0]
        .as_array()
        .unwrap()
        .iter()
        .find(|movie| movie["title"] == "Beacon")
        .unwrap();
    assert!(other.get("artwork").is_none());
    let other = format!("/api/v1/movies/{}/artwork", other["movieId"].as_str().unwrap());
    assert_eq!(cinema.refusal(&other).await, missing("artwork_missing"));
}

#[covers("GET /api/v1/subtitles/{subtitleId}", "code subtitle_embedded")]
#[tokio::test]
async fn subtitles_beside_a_film_are_served_and_nothing_else_is() {
    let cinema = MovieFixture::new().await;
    let reply = cinema.get(&cinema.subtitle(0)).await;
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, "application/x-subrip")
    );
    assert!(reply.body.ends_with(b"Hello\n"));
    assert_eq!(reply.header("content-disposition"), "attachment");
    assert!(reply.header("content-security-policy").starts_with("sandbox"));
    let reply = cinema.get(&cinema.subtitle(1)).await;
    assert_eq!(
        (reply.body.as_slice(), reply.header("content-type")),
        (&b"WEBVTT\n"[..], "text/vtt")
    );
    // Out of the root, absolute: no such thing.
    for at in [2, 3] {
        assert_eq!(cinema.refusal(&cinema.subtitle(at)).await, (404, None), "{at}");
    }
    // In the folder above, below the same root, as plugins may name it.
    assert_eq!(cinema.get(&cinema.subtitle(4)).await.body, b"beside the folder");
    assert_eq!(
        cinema.refusal(&cinema.subtitle(5)).await,
        missing("file_missing"),
        "a link that leaves"
    );
    assert_eq!(
        cinema.refusal(&cinema.subtitle(6)).await,
        missing("subtitle_embedded")
    );
    let id = cinema.subtitle(0);
    for target in [
        id[..id.len() - 13].to_owned(),
        format!("{}{UNKNOWN}", &id[..id.len() - 13]),
        "/api/v1/subtitles/x".into(),
    ] {
        assert_eq!(cinema.refusal(&target).await, (404, None), "{target}");
    }
    std::fs::remove_file(cinema.server.root.join("Amber/amber.en.srt")).unwrap();
    assert_eq!(cinema.refusal(&id).await, missing("file_missing"));
}

#[tokio::test]
async fn subtitles_take_what_playing_the_film_takes() {
    let cinema = MovieFixture::new().await;
    let server = &cinema.server;
    let mut tokens = Vec::new();
    for capability in ["Movies.Play", "TVEpisodes.Play"] {
        let role =
            json!({ "name": capability.to_lowercase().replace('.', "_"), "capabilities": [capability] });
        let made = server
            .send_as(&cinema.token, "POST", "/api/v1/roles", &role)
            .await;
        assert_eq!(made.status, 201, "{}", made.json());
        let user = server
            .user(capability, false, &[role["name"].as_str().unwrap()])
            .await;
        tokens.push(server.token(user));
    }
    let target = cinema.subtitle(0);
    assert_eq!(server.get_as(&tokens[0], &target).await.status, 200);
    assert_eq!(server.get_as(&tokens[1], &target).await.status, 404);
    assert_eq!(server.get_as(&tokens[1], &cinema.path).await.status, 403);
}
