//! Items of a queue are added, moved and removed.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{QUEUES, at, create, items, media, place, songs, track};
use crate::UNKNOWN;
use crate::support::TestServer;
use crate::support::databases::on_each_database;
use crate::support::media::{episodes, movie};

#[covers(
    "POST /api/v1/playback-queues",
    "GET /api/v1/playback-queues/{playbackQueueId}/items",
    "PATCH /api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}",
    "DELETE /api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}"
)]
#[tokio::test]
async fn items_are_added_moved_and_removed() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let songs = songs(server, "Ann", "Jazz", 3).await;
        let film = movie(server, "Film").await;
        let parts = episodes(server, "Show", 2).await;
        let release = owner.get("/api/v1/music/releases").await.json()[0][0].clone();
        let queue = create(&owner, json!({"type": "static", "items": [track(&songs[1])]})).await;
        assert_eq!(
            (&queue["revision"], &queue["itemCount"], &queue["cursor"]["index"]),
            (&json!(2), &json!(1), &json!(0))
        );
        assert!(queue.get("seed").is_none() && queue.get("dynamicType").is_none());
        for (insert, item) in [
            ("end", json!({"mediaType": "movie", "mediaId": film})),
            (
                "next",
                json!({"mediaType": "music_release", "mediaId": release["musicReleaseId"]}),
            ),
            ("end", json!({"mediaType": "tv_episode", "mediaId": parts[0]})),
        ] {
            let body = json!({"items": [item], "insert": insert});
            assert_eq!(owner.post(&at(&queue, "/items"), &body).await.status, 201);
        }
        let order = |at: &[&String]| -> Vec<String> { at.iter().map(|id| (*id).clone()).collect() };
        let [a, b, c] = &songs[..] else { panic!() };
        assert_eq!(
            media(&owner, &queue).await,
            order(&[b, a, b, c, &film, &parts[0]])
        );
        let all = items(&owner, &queue).await;
        assert_eq!(all[4]["item"]["title"], "Film");
        assert_eq!(
            (&all[5]["index"], &all[5]["item"]["show"]["title"]),
            (&json!(5), &json!("Show"))
        );
        let revision = owner.get(&at(&queue, "")).await.json()["revision"]
            .as_i64()
            .unwrap();

        let moved = |item: &Value| at(&queue, &format!("/items/{}", place(item)));
        let body = json!({"after": place(&all[0])});
        let reply = owner.patch(&moved(&all[5]), &body).await;
        assert_eq!(
            (reply.status, &reply.json()["revision"]),
            (200, &json!(revision + 1))
        );
        let again = owner.patch(&moved(&all[5]), &body).await;
        assert_eq!(
            again.json()["revision"],
            json!(revision + 1),
            "it is already at this position"
        );
        let reply = owner.patch(&moved(&all[4]), &json!({"after": null})).await;
        assert_eq!(reply.json()["cursor"]["index"], 1, "the cursor stays at its item");
        assert_eq!(
            media(&owner, &queue).await,
            order(&[&film, b, &parts[0], a, b, c])
        );

        let part = owner.get(&at(&queue, "/items?leading=1&trailing=1")).await;
        let index = |item: &Value| item["index"].as_i64().unwrap();
        let shown: Vec<i64> = part.json()[0].as_array().unwrap().iter().map(index).collect();
        assert_eq!((shown, &part.json()[1]), (vec![0, 1, 2], &json!(6)));
        let around = format!("/items?around={}&leading=0&trailing=0", place(&all[3]));
        assert_eq!(
            owner.get(&at(&queue, &around)).await.json()[0][0]["mediaId"],
            c.as_str()
        );

        // The cursor moves to the next item if its item is removed.
        let reply = owner.delete(&moved(&all[0])).await;
        assert_eq!((reply.status, &reply.json()["cursor"]["index"]), (200, &json!(1)));
        assert_eq!(reply.json()["cursor"]["playbackQueueItemId"], place(&all[5]));
        assert_eq!(owner.delete(&moved(&all[0])).await.status, 404);

        let other = create(&owner, json!({"type": "static", "items": [track(a)]})).await;
        let foreign = items(&owner, &other).await;
        for (method, target, body, status) in [
            ("PATCH", moved(&foreign[0]), json!({"after": null}), 404),
            ("PATCH", moved(&all[5]), json!({"after": place(&foreign[0])}), 404),
            ("PATCH", moved(&all[5]), json!({"after": "x"}), 400),
            ("PATCH", moved(&all[5]), json!({}), 400),
            ("DELETE", moved(&foreign[0]), Value::Null, 404),
            (
                "PUT",
                at(&queue, "/cursor"),
                json!({"playbackQueueItemId": place(&foreign[0]), "seconds": 1}),
                404,
            ),
            (
                "PUT",
                at(&queue, "/cursor"),
                json!({"playbackQueueItemId": place(&all[5]), "seconds": -1}),
                400,
            ),
            (
                "POST",
                at(&queue, "/items"),
                json!({"items": [], "insert": "middle"}),
                400,
            ),
            (
                "POST",
                at(&queue, "/items"),
                json!({"items": [track(UNKNOWN)], "insert": "end"}),
                404,
            ),
            (
                "POST",
                at(&queue, "/items"),
                json!({"items": [{"mediaType": "photo", "mediaId": UNKNOWN}], "insert": "end"}),
                400,
            ),
            ("POST", QUEUES.to_owned(), json!({"type": "queue"}), 400),
            ("POST", QUEUES.to_owned(), json!({"type": "dynamic"}), 400),
            (
                "POST",
                QUEUES.to_owned(),
                json!({"type": "static", "dynamicType": "shuffle"}),
                400,
            ),
            (
                "POST",
                QUEUES.to_owned(),
                json!({"type": "dynamic", "dynamicType": "similar"}),
                400,
            ),
            (
                "POST",
                QUEUES.to_owned(),
                json!({"type": "dynamic", "dynamicType": "shuffle", "seed": "x".repeat(65)}),
                400,
            ),
        ] {
            let reply = owner.send(method, &target, &body).await;
            assert_eq!(reply.status, status, "{method} {target} {body}");
        }
        let wrong = at(&queue, &format!("/items?around={}", place(&foreign[0])));
        assert_eq!(owner.get(&wrong).await.status, 404);
        assert_eq!(owner.get(&at(&queue, "/items?leading=501")).await.status, 400);
    })
    .await;
}
