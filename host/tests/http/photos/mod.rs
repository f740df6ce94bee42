//! `/photos`.

mod buckets;
mod list;
mod original;
pub(crate) mod thumbnail;
mod update;

use serde_json::Value;

use crate::support::{Client, TestServer};
use svc_domain::extraction::Extraction;
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;
use svc_domain::photo::PhotoFacts;
use svc_domain::scan::FileRecord;
use svc_domain::time::Timestamp;

/// Adds a photo of 14 July 2021, or this many days later.
pub(crate) async fn photo(server: &TestServer, place: &str, days: i64) -> FileId {
    let folder = server.folder_at(MediaKind::photos(), place).await;
    let moment = Timestamp::from_millis(1_626_264_000_000 + days * 86_400_000);
    let facts = PhotoFacts::from_extraction(&Extraction::default(), "p.jpg", moment);
    server
        .record(
            folder,
            &format!("p{days}.jpg"),
            4 + days,
            FileRecord::Photo(Box::new(facts)),
        )
        .await
}

pub(crate) async fn ids(token: &Client, query: &str) -> Vec<String> {
    let list = token.get(&format!("/api/v1/photos?{query}")).await.json();
    let items = list[0].as_array().unwrap();
    assert_eq!(list[1], items.len(), "{query}");
    let id = |item: &Value| item["photoId"].as_str().unwrap().to_owned();
    items.iter().map(id).collect()
}
