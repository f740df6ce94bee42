//! `GET /movies/{movieId}`.

use serde_json::json;
use svc_covers::covers;

use super::{FILM, MovieFixture, SMALL};
use crate::support::TestServer;
use crate::support::client::redacted;
use crate::support::media::{text, texts};
use svc_domain::extraction::Value as FieldValue;
use svc_domain::kind::MediaKind;

#[covers("GET /api/v1/movies/{movieId}")]
#[tokio::test]
async fn movie_record_matches_the_contract() {
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
    // The last file determines the record; it has fewer fields.
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
    assert_eq!(first["size"].take(), FILM.len());
    insta::assert_json_snapshot!(redacted(first), @r#"
    {
      "audioStreams": [
        {
          "channels": 2,
          "codec": "aac",
          "default": true,
          "language": "en"
        }
      ],
      "bitrate": 3,
      "chapters": [
        {
          "end": 2.0,
          "start": 1.5,
          "title": "One"
        }
      ],
      "container": "matroska",
      "duration": 60.0,
      "missing": false,
      "size": null,
      "sourceId": "[id]",
      "subtitles": null,
      "videoStreams": [
        {
          "codec": "h264",
          "fps": 23.976,
          "hdr": null,
          "height": 1080,
          "width": 1920
        }
      ]
    }
    "#);
    let subtitles = subtitles.as_array().unwrap();
    // Six subtitle files and the embedded stream; the NFO is not a subtitle.
    assert_eq!(subtitles.len(), 7);
    insta::assert_json_snapshot!(redacted(subtitles[0].clone()), @r#"
    {
      "default": false,
      "external": true,
      "forced": false,
      "format": "srt",
      "hearingImpaired": false,
      "language": "en",
      "subtitleId": "[id]"
    }
    "#);
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
async fn movie_record_has_every_field_of_its_plugin() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
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
    let mut movie = token.get("/api/v1/movies").await.json()[0][0].take();
    movie["sources"].take();
    insta::assert_json_snapshot!(redacted(movie), @r#"
    {
      "collection": "Rooms",
      "contentRating": "US:PG",
      "createdAt": "[time]",
      "externalIds": {
        "imdb": "tt1",
        "tmdb": "5"
      },
      "genres": [],
      "missing": false,
      "movieId": "[id]",
      "originalTitle": "Bernstein",
      "overview": "About.",
      "people": [
        {
          "character": "Vera",
          "name": "Ann",
          "role": "actor"
        },
        {
          "name": "Bo",
          "role": "director"
        }
      ],
      "releasedAt": "1995-12",
      "runtime": 60.0,
      "sortTitle": "amber",
      "sources": null,
      "studios": [
        "Kiln"
      ],
      "tagline": "Warm.",
      "title": "Amber",
      "year": 1995
    }
    "#);
}
