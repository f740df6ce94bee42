//! How many items a queue holds.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{QUEUES, at, create, items, place, songs, track};
use crate::support::TestServer;

#[covers("code playback_queue_full")]
#[tokio::test]
async fn queue_beyond_its_limit_is_409() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let songs = songs(&server, "Ann", "Jazz", 1).await;
    let thousand: Vec<Value> = vec![track(&songs[0]); 1000];
    let queue = create(&owner, json!({"type": "static", "items": thousand})).await;
    let body = json!({"items": thousand, "insert": "end"});
    for _ in 0..9 {
        assert_eq!(owner.post(&at(&queue, "/items"), &body).await.status, 201);
    }
    let body = json!({"items": [track(&songs[0])], "insert": "next"});
    let full = owner.post(&at(&queue, "/items"), &body).await;
    assert_eq!(
        (full.status, &full.json()["code"]),
        (409, &json!("playback_queue_full"))
    );
    let shown = owner.get(&at(&queue, "")).await.json();
    assert_eq!(
        (&shown["itemCount"], &shown["revision"]),
        (&json!(10_000), &json!(11))
    );
    let mut many = thousand;
    many.push(track(&songs[0]));
    let refused = owner
        .post(QUEUES, &json!({"type": "static", "items": many}))
        .await;
    assert_eq!(refused.status, 400);

    // A full dynamic queue drops its first items.
    let dynamic = create(&owner, json!({"type": "dynamic", "dynamicType": "shuffle"})).await;
    let body = json!({"items": vec![track(&songs[0]); 995], "insert": "end"});
    for _ in 0..10 {
        assert_eq!(owner.post(&at(&dynamic, "/items"), &body).await.status, 201);
    }
    let items = items(&owner, &dynamic).await;
    assert_eq!(items.len(), 501);
    // Read the queue window by window to its end.
    let mut last = items[500].clone();
    loop {
        let target = at(
            &dynamic,
            &format!("/items?around={}&leading=0&trailing=500", place(&last)),
        );
        let window = owner.get(&target).await.json();
        let next = window[0].as_array().unwrap().last().unwrap().clone();
        if next == last {
            break;
        }
        last = next;
    }
    let body = json!({"playbackQueueItemId": place(&last), "seconds": 0});
    let moved = owner.put(&at(&dynamic, "/cursor"), &body).await.json();
    assert_eq!(moved["itemCount"], 10_000);
    assert_eq!(moved["cursor"]["index"], 9_949);
    assert_eq!(moved["cursor"]["playbackQueueItemId"], place(&last));
}
