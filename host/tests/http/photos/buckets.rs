//! `GET /photos/buckets`.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{ids, photo};
use crate::UNKNOWN;
use crate::support::TestServer;

#[tokio::test]
async fn buckets_are_filtered_by_library() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    photo(&server, "Home", 0).await;
    photo(&server, "Away", 31).await;
    let body = json!({"name": "Away", "mediaKind": "photos", "paths": ["Away"]});
    let library = owner.post("/api/v1/libraries", &body).await.json();
    let id = library["libraryId"].as_str().unwrap();
    let months = async |query: &str| {
        let target = format!("/api/v1/photos/buckets?order=ASC{query}");
        let list = owner.get(&target).await.json();
        let name = |month: &Value| month["bucket"].as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(months("").await, ["2021-07", "2021-08"]);
    assert_eq!(months(&format!("&libraryIds={id}")).await, ["2021-08"]);
    assert!(months(&format!("&libraryIds={UNKNOWN}")).await.is_empty());
}

#[covers("GET /api/v1/photos/buckets")]
#[tokio::test]
async fn buckets_are_days_or_months() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let mut photos = Vec::new();
    for days in [0, 1, 31] {
        photos.push(photo(&server, &format!("Album {days}"), days).await.to_string());
    }
    let get = async |query: &str| owner.get(&format!("/api/v1/photos/buckets{query}")).await;
    insta::assert_json_snapshot!(get("").await.json(), @r#"
    [
      {
        "bucket": "2021-08",
        "count": 1,
        "from": "2021-08-14T12:00:00.000Z",
        "to": "2021-08-14T12:00:00.000Z"
      },
      {
        "bucket": "2021-07",
        "count": 2,
        "from": "2021-07-14T12:00:00.000Z",
        "to": "2021-07-15T12:00:00.000Z"
      }
    ]
    "#);
    let days = get("?granularity=day&order=ASC&to=2021-08-01").await.json();
    let names: Vec<_> = days
        .as_array()
        .unwrap()
        .iter()
        .map(|day| &day["bucket"])
        .collect();
    assert_eq!(names, ["2021-07-14", "2021-07-15"]);
    for (query, path) in [
        ("?granularity=year", "granularity"),
        ("?bucket=2021", "bucket"),
        ("?bucket=2021-02-30", "bucket"),
        ("?albumId=x", "albumId"),
        ("?libraryIds=x", "libraryIds"),
    ] {
        let reply = get(query).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (400, &json!(path)),
            "{query}"
        );
    }
    assert_eq!(get(&format!("?albumId={UNKNOWN}")).await.json(), json!([]));
    assert_eq!(ids(&owner, "bucket=2021-07-15").await, photos[1..2]);
    assert_eq!(
        ids(&owner, "orderBy=size").await,
        photos.iter().rev().cloned().collect::<Vec<_>>()
    );
    assert_eq!(owner.get("/api/v1/photos?orderBy=album").await.status, 400);
}
