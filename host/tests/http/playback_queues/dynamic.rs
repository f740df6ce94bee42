//! Dynamic queues extend themselves.

use std::collections::HashSet;

use serde_json::{Value, json};
use svc_covers::covers;

use super::{at, create, items, media, place, songs, track};
use crate::UNKNOWN;
use crate::support::TestServer;
use crate::support::databases::on_each_database;
use crate::support::listening::{ListeningServer, quick};

/// Goes through a queue to its end or for so many items; gives what was there.
async fn walk(server: &TestServer, token: &str, queue: &Value, steps: usize) -> Vec<String> {
    let mut passed = Vec::new();
    let mut current = items(server, token, queue).await.first().cloned();
    while let Some(item) = current.take().filter(|_| passed.len() < steps) {
        passed.push(item["mediaId"].as_str().unwrap().to_owned());
        let body = json!({"playbackQueueItemId": place(&item), "seconds": 0});
        assert_eq!(
            server
                .send_as(token, "PUT", &at(queue, "/cursor"), &body)
                .await
                .status,
            200
        );
        let next = server
            .get_as(token, &at(queue, "/items?leading=0&trailing=1"))
            .await
            .json();
        current = next[0].get(1).cloned();
    }
    passed
}

#[covers("PUT /api/v1/playback-queues/{playbackQueueId}/cursor")]
#[tokio::test]
async fn dynamic_queue_is_extended_until_all_was_there_and_goes_on() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.owner().await;
        let mut all = songs(server, "Ann", "Jazz", 60).await;
        all.extend(songs(server, "Bob", "Rock", 60).await);
        let first = all[0].clone();
        let body =
            json!({"type": "dynamic", "dynamicType": "shuffle", "seed": "night", "items": [track(&first)]});
        let queue = create(server, &owner, body.clone()).await;
        assert_eq!(
            (&queue["itemCount"], &queue["seed"]),
            (&json!(51), &json!("night"))
        );
        let passed = walk(server, &owner, &queue, 150).await;
        assert_eq!(passed.len(), 150);
        let whole: HashSet<&String> = passed[..120].iter().collect();
        assert_eq!(
            (whole.len(), &passed[0]),
            (120, &first),
            "each once before any comes again"
        );
        let same = create(server, &owner, body).await;
        assert_eq!(
            walk(server, &owner, &same, 60).await,
            passed[..60],
            "the same seed, the same order"
        );
        // Also of more than it is remembered to have begun with.
        let begun: Vec<Value> = all[..60].iter().map(|id| track(id)).collect();
        let body = json!({"type": "dynamic", "dynamicType": "shuffle", "items": begun});
        let long = create(server, &owner, body).await;
        let passed_of_long = walk(server, &owner, &long, 120).await;
        let whole: HashSet<&String> = passed_of_long.iter().collect();
        assert_eq!((whole.len(), &passed_of_long[..60]), (120, &all[..60]));
        let drawn = create(
            server,
            &owner,
            json!({"type": "dynamic", "dynamicType": "shuffle"}),
        )
        .await;
        assert_eq!(drawn["seed"].as_str().unwrap().len(), 32);
        assert_ne!(media(server, &owner, &drawn).await, passed[1..51]);

        for id in &all[100..103] {
            let body = json!({"mediaType": "music_track", "mediaId": id, "rating": 0.9});
            assert_eq!(
                server
                    .send_as(&owner, "PUT", "/api/v1/ratings", &body)
                    .await
                    .status,
                200
            );
        }
        let favorites = create(
            server,
            &owner,
            json!({"type": "dynamic", "dynamicType": "favorites"}),
        )
        .await;
        let passed = walk(server, &owner, &favorites, 6).await;
        let (once, twice): (HashSet<_>, HashSet<_>) =
            (passed[..3].iter().collect(), passed[3..].iter().collect());
        assert_eq!(once, all[100..103].iter().collect::<HashSet<_>>());
        assert_eq!(once, twice);

        let body = json!({"type": "dynamic", "dynamicType": "similar", "items": [track(&all[60])]});
        let similar = create(server, &owner, body).await;
        let passed = walk(server, &owner, &similar, 60).await;
        let whole: HashSet<&String> = passed.iter().collect();
        assert_eq!(
            whole,
            all[60..].iter().collect::<HashSet<_>>(),
            "the same artist and genre, and nothing else"
        );
    })
    .await;
}

#[tokio::test]
async fn extension_is_told_to_the_owner_of_the_queue_alone() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.owner().await;
    let bea = server.token(server.user("bea", false, &["member"]).await);
    let all = songs(server, "Ann", "Jazz", 40).await;
    let (mut hers, mut others) = (listening.listen(&bea).await, listening.listen(&owner).await);
    let queue = create(server, &bea, json!({"type": "dynamic", "dynamicType": "shuffle"})).await;
    assert_eq!(queue["itemCount"], 50);
    let items = items(server, &bea, &queue).await;
    // A report of playing moves the cursor as well.
    let item = &items[35];
    let report = json!({
        "mediaType": "music_track", "mediaId": item["mediaId"], "seconds": 7, "state": "playing",
        "playbackQueueItemId": place(item),
    });
    assert_eq!(
        server
            .send_as(&bea, "PATCH", "/api/v1/history", &report)
            .await
            .status,
        200
    );
    let told = hers.next().await.unwrap();
    assert_eq!(told["type"], "playback_queue.extended");
    assert_eq!(
        told["payload"],
        json!({"playbackQueueId": queue["playbackQueueId"], "added": 50, "total": 100})
    );
    let now = server.get_as(&bea, &at(&queue, "")).await.json();
    assert_eq!(
        (&now["cursor"]["index"], &now["cursor"]["seconds"]),
        (&json!(35), &json!(7.0))
    );
    // What is not hers, not there, or another item moves nothing, and the report is not kept.
    let plays = async || server.get_as(&bea, "/api/v1/history").await.json();
    let before = plays().await;
    for (token, place, id, status) in [
        (&owner, place(item), item["mediaId"].as_str().unwrap(), 404),
        (&bea, UNKNOWN, all[0].as_str(), 404),
        (&bea, "x", all[0].as_str(), 400),
    ] {
        let mut report = report.clone();
        report["playbackQueueItemId"] = json!(place);
        report["mediaId"] = json!(id);
        assert_eq!(
            server
                .send_as(token, "PATCH", "/api/v1/history", &report)
                .await
                .status,
            status
        );
    }
    assert_eq!(plays().await, before);
    assert_eq!(
        server.get_as(&bea, &at(&queue, "")).await.json()["cursor"],
        now["cursor"]
    );
    listening.publish(json!({"n": 1}));
    assert_eq!(
        others.next_type().await,
        "indexing.started",
        "nothing came before it"
    );
}
