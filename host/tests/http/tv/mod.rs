//! `/tv`, over a show with two seasons.

mod artwork;
mod shows;

use serde_json::Value;

use crate::support::media::{text, texts};
use crate::support::{Client, TestServer};
use svc_domain::extraction::Value as FieldValue;
use svc_domain::kind::MediaKind;

/// A show with two seasons, a poster of the show and the first season, and a thumb of the first episode.
async fn series() -> (TestServer, Client) {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let mut folders = Vec::new();
    for season in [1, 2] {
        folders.push(
            server
                .folder_at(MediaKind::tv(), &format!("Dark/Season {season}"))
                .await,
        );
    }
    for (season, number) in [(1, 1), (1, 2), (2, 1)] {
        let place = format!("Dark/Season {season}");
        let folder = folders[season as usize - 1];
        let mut pictures = vec![r#"{"name":"../poster.jpg","purpose":"show-poster"}"#];
        if season == 1 {
            pictures.push(r#"{"name":"season.png","purpose":"season-poster"}"#);
        }
        if (season, number) == (1, 1) {
            pictures.insert(0, r#"{"name":"e1.jpg","purpose":"thumb"}"#);
        }
        let name = format!("e{number}.mkv");
        let fields = [
            ("tv.show", text("Dark")),
            ("tv.show-year", FieldValue::Integer(2017)),
            ("tv.show-overview", text("About time.")),
            ("tv.content-rating", text("TV-MA")),
            ("tv.genres", texts(&["Mystery"])),
            ("tv.show-external-ids", texts(&["tvdb:1"])),
            ("tv.season", FieldValue::Integer(season)),
            ("tv.episode", FieldValue::Integer(number)),
            ("tv.overview", text("It begins.")),
            ("tv.people", texts(&[r#"{"name":"Bo","role":"director"}"#])),
            ("tv.external-ids", texts(&["tvdb:2"])),
            ("name.pattern", text("sxxexx")),
            ("name.confidence", FieldValue::Real(0.9)),
            ("related.artwork", texts(&pictures)),
        ];
        let content = format!("season {season} episode {number}");
        server
            .video(
                (folder, &place),
                (MediaKind::tv(), &name),
                content.as_bytes(),
                &fields,
            )
            .await;
    }
    server.beside("Dark/poster.jpg", b"of the show");
    server.beside("Dark/Season 1/season.png", b"of the season");
    server.beside("Dark/Season 1/e1.jpg", b"of the episode");
    (server, token)
}

fn id<'v>(record: &'v Value, member: &str) -> &'v str {
    record[member].as_str().unwrap()
}
