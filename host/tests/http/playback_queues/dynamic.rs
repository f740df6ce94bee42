//! Dynamic queues extend themselves.

use std::collections::HashSet;

use serde_json::{Value, json};
use svc_covers::covers;

use super::{at, create, items, media, place, songs, track};
use crate::UNKNOWN;
use crate::support::databases::on_each_database;
use crate::support::listening::{ListeningServer, quick};
use crate::support::{Client, TestServer};

/// Plays a queue to its end or for this many items; returns what was played.
async fn walk(token: &Client, queue: &Value, steps: usize) -> Vec<String> {
    let mut passed = Vec::new();
    let mut current = items(token, queue).await.first().cloned();
    while let Some(item) = current.take().filter(|_| passed.len() < steps) {
        passed.push(item["mediaId"].as_str().unwrap().to_owned());
        let body = json!({"playbackQueueItemId": place(&item), "seconds": 0});
        assert_eq!(token.put(&at(queue, "/cursor"), &body).await.status, 200);
        let next = token.get(&at(queue, "/items?leading=0&trailing=1")).await.json();
        current = next[0].get(1).cloned();
    }
    passed
}

#[covers("PUT /api/v1/playback-queues/{playbackQueueId}/cursor")]
#[tokio::test]
async fn dynamic_queue_plays_everything_once_before_it_repeats() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let mut all = songs(server, "Ann", "Jazz", 60).await;
        all.extend(songs(server, "Bob", "Rock", 60).await);
        let first = all[0].clone();
        let body =
            json!({"type": "dynamic", "dynamicType": "shuffle", "seed": "night", "items": [track(&first)]});
        let queue = create(&owner, body.clone()).await;
        assert_eq!(
            (&queue["itemCount"], &queue["seed"]),
            (&json!(51), &json!("night"))
        );
        let passed = walk(&owner, &queue, 150).await;
        assert_eq!(passed.len(), 150);
        let whole: HashSet<&String> = passed[..120].iter().collect();
        assert_eq!(
            (whole.len(), &passed[0]),
            (120, &first),
            "each once before any repeats"
        );
        let same = create(&owner, body).await;
        assert_eq!(
            walk(&owner, &same, 60).await,
            passed[..60],
            "the seed determines the order"
        );
        // This holds also for more initial items than the queue remembers.
        let begun: Vec<Value> = all[..60].iter().map(|id| track(id)).collect();
        let body = json!({"type": "dynamic", "dynamicType": "shuffle", "items": begun});
        let long = create(&owner, body).await;
        let passed_of_long = walk(&owner, &long, 120).await;
        let whole: HashSet<&String> = passed_of_long.iter().collect();
        assert_eq!((whole.len(), &passed_of_long[..60]), (120, &all[..60]));
        let drawn = create(&owner, json!({"type": "dynamic", "dynamicType": "shuffle"})).await;
        assert_eq!(drawn["seed"].as_str().unwrap().len(), 32);
        assert_ne!(media(&owner, &drawn).await, passed[1..51]);

        for id in &all[100..103] {
            let body = json!({"mediaType": "music_track", "mediaId": id, "rating": 0.9});
            assert_eq!(owner.put("/api/v1/ratings", &body).await.status, 200);
        }
        let favorites = create(&owner, json!({"type": "dynamic", "dynamicType": "favorites"})).await;
        let passed = walk(&owner, &favorites, 6).await;
        let (once, twice): (HashSet<_>, HashSet<_>) =
            (passed[..3].iter().collect(), passed[3..].iter().collect());
        assert_eq!(once, all[100..103].iter().collect::<HashSet<_>>());
        assert_eq!(once, twice);

        let body = json!({"type": "dynamic", "dynamicType": "similar", "items": [track(&all[60])]});
        let similar = create(&owner, body).await;
        let passed = walk(&owner, &similar, 60).await;
        let whole: HashSet<&String> = passed.iter().collect();
        assert_eq!(
            whole,
            all[60..].iter().collect::<HashSet<_>>(),
            "only the same artist and genre"
        );
    })
    .await;
}

#[tokio::test]
async fn extension_is_published_to_the_owner_only() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.as_owner().await;
    let bea = server.as_user("bea", &["member"]).await;
    let all = songs(server, "Ann", "Jazz", 40).await;
    let (mut hers, mut others) = (listening.listen(&bea).await, listening.listen(&owner).await);
    let queue = create(&bea, json!({"type": "dynamic", "dynamicType": "shuffle"})).await;
    assert_eq!(queue["itemCount"], 50);
    let items = items(&bea, &queue).await;
    // A history report moves the cursor.
    let item = &items[35];
    let report = json!({
        "mediaType": "music_track", "mediaId": item["mediaId"], "seconds": 7, "state": "playing",
        "playbackQueueItemId": place(item),
    });
    assert_eq!(bea.patch("/api/v1/history", &report).await.status, 200);
    let reported = hers.next().await.unwrap();
    assert_eq!(reported["type"], "playback_queue.extended");
    assert_eq!(
        reported["payload"],
        json!({"playbackQueueId": queue["playbackQueueId"], "added": 50, "total": 100})
    );
    let now = bea.get(&at(&queue, "")).await.json();
    assert_eq!(
        (&now["cursor"]["index"], &now["cursor"]["seconds"]),
        (&json!(35), &json!(7.0))
    );
    // A report for a foreign, unknown or different item moves nothing and is not stored.
    let plays = async || bea.get("/api/v1/history").await.json();
    let before = plays().await;
    for (token, place, id, status) in [
        (&owner, place(item), item["mediaId"].as_str().unwrap(), 404),
        (&bea, UNKNOWN, all[0].as_str(), 404),
        (&bea, "x", all[0].as_str(), 400),
    ] {
        let mut report = report.clone();
        report["playbackQueueItemId"] = json!(place);
        report["mediaId"] = json!(id);
        assert_eq!(token.patch("/api/v1/history", &report).await.status, status);
    }
    assert_eq!(plays().await, before);
    assert_eq!(bea.get(&at(&queue, "")).await.json()["cursor"], now["cursor"]);
    listening.publish(json!({"n": 1}));
    assert_eq!(
        others.next_type().await,
        "indexing.started",
        "no event precedes it"
    );
}
