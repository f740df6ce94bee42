//! `/photo-albums`.

mod access;
mod create;
mod events;

use serde_json::{Value, json};

use crate::support::{Client, Reply};

const ALBUMS: &str = "/api/v1/photo-albums";

async fn create(token: &Client, body: Value) -> String {
    let made = token.post(ALBUMS, &body).await;
    assert_eq!(made.status, 201, "{body} {}", made.json());
    made.json()["photoAlbumId"].as_str().unwrap().to_owned()
}

async fn patch(token: &Client, album: &str, body: Value) -> Reply {
    token.patch(&format!("{ALBUMS}/{album}"), &body).await
}

async fn add(token: &Client, album: &str, photos: &[&str]) -> Reply {
    let body = json!({"photoIds": photos});
    token.post(&format!("{ALBUMS}/{album}/photos"), &body).await
}

async fn remove(token: &Client, album: &str, photos: &[&str]) -> Reply {
    let body = json!({"photoIds": photos});
    token
        .send("DELETE", &format!("{ALBUMS}/{album}/photos"), &body)
        .await
}
