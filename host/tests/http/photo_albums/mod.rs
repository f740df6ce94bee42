//! `/photo-albums`.

mod access;
mod create;
mod events;

use serde_json::{Value, json};

use crate::support::{Reply, TestServer};

const ALBUMS: &str = "/api/v1/photo-albums";

async fn create(server: &TestServer, token: &str, body: Value) -> String {
    let made = server.send_as(token, "POST", ALBUMS, &body).await;
    assert_eq!(made.status, 201, "{body} {}", made.json());
    made.json()["photoAlbumId"].as_str().unwrap().to_owned()
}

async fn patch(server: &TestServer, token: &str, album: &str, body: Value) -> Reply {
    server
        .send_as(token, "PATCH", &format!("{ALBUMS}/{album}"), &body)
        .await
}

async fn add(server: &TestServer, token: &str, album: &str, photos: &[&str]) -> Reply {
    let body = json!({"photoIds": photos});
    server
        .send_as(token, "POST", &format!("{ALBUMS}/{album}/photos"), &body)
        .await
}

async fn remove(server: &TestServer, token: &str, album: &str, photos: &[&str]) -> Reply {
    let body = json!({"photoIds": photos});
    server
        .send_as(token, "DELETE", &format!("{ALBUMS}/{album}/photos"), &body)
        .await
}
