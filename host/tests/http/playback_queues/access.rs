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
async fn only_its_owner_knows_of_a_queue() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.owner().await;
        let bea = server.token(server.user("bea", false, &["member"]).await);
        let songs = songs(server, "Ann", "Jazz", 2).await;
        let queue = create(
            server,
            &bea,
            json!({"type": "static", "items": [track(&songs[0]), track(&songs[1])]}),
        )
        .await;
        let all = items(server, &bea, &queue).await;
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
            let foreign = server.send_as(&owner, method, &at(&queue, below), &body).await;
            let never = format!("{QUEUES}/{UNKNOWN}{below}");
            let unknown = server.send_as(&owner, method, &never, &body).await;
            assert_eq!(
                (foreign.status, foreign.body),
                (404, unknown.body),
                "{method} {below}"
            );
        }
        assert_eq!(server.get_as(&owner, QUEUES).await.json(), json!([[], 0]));
        assert_eq!(server.get_as(&bea, QUEUES).await.json()[1], 1);
        assert_eq!(server.get_as(&bea, &at(&queue, "")).await.json(), queue);

        // What is hidden from her later stays in its place, without a word of what it is.
        let body = json!({"name": "M", "mediaKind": "music", "grants": [{"role": "administrator"}]});
        assert_eq!(
            server
                .send_as(&owner, "POST", "/api/v1/libraries", &body)
                .await
                .status,
            201
        );
        let hidden = items(server, &bea, &queue).await;
        assert_eq!(
            (&hidden[0]["missing"], hidden[0].get("item")),
            (&json!(true), None)
        );
        let body = json!({"items": [track(&songs[0])], "insert": "end"});
        let refused = server.send_as(&bea, "POST", &at(&queue, "/items"), &body).await;
        assert_eq!(
            (refused.status, &refused.json()["errors"][0]["path"]),
            (404, &json!("items[0].mediaId"))
        );
        for dynamic in ["shuffle", "favorites"] {
            let queue = create(server, &bea, json!({"type": "dynamic", "dynamicType": dynamic})).await;
            assert_eq!(queue["itemCount"], 0, "{dynamic}");
            assert_eq!(
                server
                    .send_as(&bea, "DELETE", &at(&queue, ""), &Value::Null)
                    .await
                    .json(),
                json!(true)
            );
        }
        let reply = server
            .send_as(&bea, "DELETE", &at(&queue, ""), &Value::Null)
            .await;
        assert_eq!((reply.status, reply.json()), (200, json!(true)));
        assert_eq!(server.get_as(&bea, &at(&queue, "")).await.status, 404);
        let guest = server.token(server.user("visitor", false, &["guest"]).await);
        for method in ["GET", "POST"] {
            assert_eq!(
                server
                    .send_as(&guest, method, QUEUES, &json!({"type": "static"}))
                    .await
                    .status,
                403
            );
        }
    })
    .await;
}
