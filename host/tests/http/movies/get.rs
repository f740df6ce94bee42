//! `GET /movies/{movieId}`.

use serde_json::json;
use svc_covers::covers;

use super::{FILM, MovieFixture, SMALL};
use crate::support::TestServer;
use crate::support::media::{text, texts};
use svc_domain::extraction::Value as FieldValue;
use svc_domain::kind::MediaKind;

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
