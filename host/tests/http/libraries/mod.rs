//! `/libraries`.

mod create;
mod grants;
mod list;
mod update;
mod video_grants;

use serde_json::Value;

use crate::UNKNOWN;
use crate::support::{Client, Reply, TestServer};
use svc_domain::extraction::{Extraction, Field, Picture, PictureData, Span, Value as FieldValue};
use svc_domain::id::{FileId, FolderId};
use svc_domain::kind::MediaKind;
use svc_domain::music::TrackFacts;
use svc_domain::path::RelativePath;
use svc_domain::photo::PhotoFacts;
use svc_domain::scan::FileRecord;
use svc_domain::time::Timestamp;

const LIBRARIES: &str = "/api/v1/libraries";

fn song(title: &str, artist: &str, album: &str) -> FileRecord {
    let text = |key: &str, text: &str| Field {
        key: key.to_owned(),
        value: FieldValue::Texts(vec![text.to_owned()]),
    };
    let extraction = Extraction {
        title: Some(title.to_owned()),
        duration_ms: Some(1000),
        fields: vec![
            Field {
                key: "music.album".to_owned(),
                value: FieldValue::Text(album.to_owned()),
            },
            text("music.artists", artist),
            text("music.genres", artist),
        ],
        pictures: vec![Picture {
            purpose: "front".into(),
            mime: "image/png".into(),
            data: PictureData::At(Span { offset: 2, length: 4 }),
        }],
        ..Extraction::default()
    };
    let facts = TrackFacts::from_extraction(&extraction, &RelativePath::root(), "x.mp3");
    FileRecord::Track(Box::new(facts))
}

/// Adds a track on disk and in the index.
async fn track(server: &TestServer, folder: FolderId, place: &str, title: &str) -> FileId {
    let name = format!("{title}.mp3");
    std::fs::write(server.root.join(place).join(&name), b"0123456789").unwrap();
    let album = format!("{place} album");
    server
        .record(folder, &name, 10, song(title, &format!("{place} artist"), &album))
        .await
}

async fn photo(server: &TestServer, place: &str) -> FileId {
    let folder = server.folder_at(MediaKind::photos(), place).await;
    std::fs::write(server.root.join(place).join("p.jpg"), b"jpeg").unwrap();
    let moment = Timestamp::from_millis(1_600_000_000_000);
    let facts = PhotoFacts::from_extraction(&Extraction::default(), "p.jpg", moment);
    server
        .record(folder, "p.jpg", 4, FileRecord::Photo(Box::new(facts)))
        .await
}

async fn create(token: &Client, body: Value) -> Value {
    let made = token.post(LIBRARIES, &body).await;
    assert_eq!(made.status, 201, "{body} {}", made.json());
    made.json()
}

async fn patch(token: &Client, library: &Value, body: Value) -> Reply {
    let target = format!("{LIBRARIES}/{}", library["libraryId"].as_str().unwrap());
    token.patch(&target, &body).await
}

/// One field of each item of a list, whose total must match.
async fn listed(token: &Client, target: &str, key: &str) -> Vec<String> {
    let reply = token.get(target).await;
    assert_eq!(reply.status, 200, "{target}");
    let list = reply.json();
    let items = list[0].as_array().unwrap();
    assert_eq!(list[1], items.len(), "{target}");
    let mut values: Vec<_> = items
        .iter()
        .map(|item| item[key].as_str().unwrap().to_owned())
        .collect();
    values.sort();
    values
}

async fn titles(token: &Client) -> Vec<String> {
    listed(token, "/api/v1/music/tracks", "title").await
}

/// Whether the response equals that for an unknown id.
async fn is_unknown(token: &Client, path: &str, id: &str) -> bool {
    let of = async |id: &str| {
        let reply = token.get(&path.replace("{}", id)).await;
        (reply.status, reply.body)
    };
    let (status, body) = of(id).await;
    // Visible; waveforms and thumbnails are 422 without a plugin.
    let made = path.contains("/waveform") || path.contains("/thumbnail");
    if status == if made { 422 } else { 200 } {
        return false;
    }
    assert_eq!((404, body), of(UNKNOWN).await, "{path}");
    true
}
