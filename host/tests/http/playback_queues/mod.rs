//! `/playback-queues`.

mod access;
mod dynamic;
mod items;
mod limits;
mod revisions;

use serde_json::{Value, json};

use crate::support::media::song;
use crate::support::{Client, Reply, TestServer};
use svc_domain::kind::MediaKind;

const QUEUES: &str = "/api/v1/playback-queues";

fn track(id: &str) -> Value {
    json!({"mediaType": "music_track", "mediaId": id})
}

/// Adds tracks of one artist and genre.
async fn songs(server: &TestServer, artist: &str, genre: &str, count: usize) -> Vec<String> {
    let folder = server.folder_at(MediaKind::music(), artist).await;
    let mut ids = Vec::new();
    for number in 0..count {
        let title = format!("{artist} {number}");
        ids.push(song(server, folder, &title, artist, genre).await.to_string());
    }
    ids
}

async fn create(token: &Client, body: Value) -> Value {
    let made = token.post(QUEUES, &body).await;
    assert_eq!(made.status, 201, "{body} {}", made.json());
    made.json()
}

fn at(queue: &Value, below: &str) -> String {
    format!("{QUEUES}/{}{below}", queue["playbackQueueId"].as_str().unwrap())
}

/// All items of a queue.
async fn items(token: &Client, queue: &Value) -> Vec<Value> {
    let first = token
        .get(&at(queue, "/items?leading=500&trailing=500"))
        .await
        .json();
    first[0].as_array().unwrap().clone()
}

async fn media(token: &Client, queue: &Value) -> Vec<String> {
    let items = items(token, queue).await;
    let id = |item: &Value| item["mediaId"].as_str().unwrap().to_owned();
    items.iter().map(id).collect()
}

fn place(item: &Value) -> &str {
    item["playbackQueueItemId"].as_str().unwrap()
}

async fn if_match(client: &Client, (method, target): (&str, &str), tag: &str, body: &Value) -> Reply {
    let headers = [("content-type", "application/json"), ("if-match", tag)];
    client.request(method, target, &headers, &body.to_string()).await
}
