//! Only the owner of a queue sees and changes it.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{QUEUES, at, create, items, place, songs, track};
use crate::UNKNOWN;
use crate::support::TestServer;
use crate::support::databases::on_each_database;

#[covers(
    "GET /api/v1/playback-queues",
    "GET /api/v1/playback-queues/{playbackQueueId}",
    "DELETE /api/v1/playback-queues/{playbackQueueId}",
    "T24"
)]
#[tokio::test]
async fn queue_of_another_account_is_404() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let bea = server.as_user("bea", &["member"]).await;
        let songs = songs(server, "Ann", "Jazz", 2).await;
        let queue = create(
            &bea,
            json!({"type": "static", "items": [track(&songs[0]), track(&songs[1])]}),
        )
        .await;
        let all = items(&bea, &queue).await;
        let item = format!("/items/{}", place(&all[0]));
        for (method, below, body) in [
            ("GET", "", Value::Null),
            ("GET", "/items", Value::Null),
            (
                "POST",
                "/items",
                json!({"items": [track(&songs[0])], "insert": "end"}),
            ),
            ("PATCH", item.as_str(), json!({"after": null})),
            ("DELETE", item.as_str(), Value::Null),
            (
                "PUT",
                "/cursor",
                json!({"playbackQueueItemId": place(&all[0]), "seconds": 1}),
            ),
            ("DELETE", "", Value::Null),
        ] {
            let foreign = owner.send(method, &at(&queue, below), &body).await;
            let never = format!("{QUEUES}/{UNKNOWN}{below}");
            let unknown = owner.send(method, &never, &body).await;
            assert_eq!(
                (foreign.status, foreign.body),
                (404, unknown.body),
                "{method} {below}"
            );
        }
        assert_eq!(owner.get(QUEUES).await.json(), json!([[], 0]));
        assert_eq!(bea.get(QUEUES).await.json()[1], 1);
        assert_eq!(bea.get(&at(&queue, "")).await.json(), queue);

        // An item that becomes hidden keeps its place without metadata.
        let body = json!({"name": "M", "mediaKind": "music", "grants": [{"role": "administrator"}]});
        assert_eq!(owner.post("/api/v1/libraries", &body).await.status, 201);
        let hidden = items(&bea, &queue).await;
        assert_eq!(
            (&hidden[0]["missing"], hidden[0].get("item")),
            (&json!(true), None)
        );
        let body = json!({"items": [track(&songs[0])], "insert": "end"});
        let refused = bea.post(&at(&queue, "/items"), &body).await;
        assert_eq!(
            (refused.status, &refused.json()["errors"][0]["path"]),
            (404, &json!("items[0].mediaId"))
        );
        for dynamic in ["shuffle", "favorites"] {
            let queue = create(&bea, json!({"type": "dynamic", "dynamicType": dynamic})).await;
            assert_eq!(queue["itemCount"], 0, "{dynamic}");
            assert_eq!(bea.delete(&at(&queue, "")).await.json(), json!(true));
        }
        let reply = bea.delete(&at(&queue, "")).await;
        assert_eq!((reply.status, reply.json()), (200, json!(true)));
        assert_eq!(bea.get(&at(&queue, "")).await.status, 404);
        let guest = server.as_user("visitor", &["guest"]).await;
        for method in ["GET", "POST"] {
            assert_eq!(
                guest
                    .send(method, QUEUES, &json!({"type": "static"}))
                    .await
                    .status,
                403
            );
        }
    })
    .await;
}
