//! Concurrent changes with `If-Match`.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{at, create, if_match, items, media, place, songs, track};
use crate::support::TestServer;
use crate::support::databases::on_each_database;

#[covers(
    "POST /api/v1/playback-queues/{playbackQueueId}/items",
    "code playback_queue_changed"
)]
#[tokio::test]
async fn one_of_several_changes_with_the_same_if_match_succeeds() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let songs = songs(server, "Ann", "Jazz", 3).await;
        let queue = create(&owner, json!({"type": "static", "items": [track(&songs[0])]})).await;
        let shown = owner.get(&at(&queue, "")).await;
        let tag = shown.header("etag").to_owned();
        let bearer = format!("Bearer {owner}");
        let known = [
            ("authorization", bearer.as_str()),
            ("if-none-match", tag.as_str()),
        ];
        assert_eq!(server.send("GET", &at(&queue, ""), &known, "").await.status, 304);
        let all = items(&owner, &queue).await;
        let body = json!({"playbackQueueItemId": place(&all[0]), "seconds": 42});
        let target = at(&queue, "/cursor");
        let cursor = ("PUT", target.as_str());
        assert_eq!(if_match(&owner, cursor, &tag, &body).await.status, 200);
        let now = server.send("GET", &at(&queue, ""), &known, "").await;
        assert_eq!(
            (now.status, &now.json()["cursor"]["seconds"]),
            (200, &json!(42.0)),
            "the response changes"
        );
        assert_eq!(now.json()["revision"], queue["revision"], "the revision stays");

        let target = at(&queue, "/items");
        let post = ("POST", target.as_str());
        let body = json!({"items": [track(&songs[1])], "insert": "end"});
        let racing = (0..8).map(|_| if_match(&owner, post, &tag, &body));
        let outcomes = futures_util::future::join_all(racing).await;
        let mut statuses: Vec<u16> = outcomes.iter().map(|reply| reply.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 412, 412, 412, 412, 412, 412, 412]);
        let stale = outcomes.iter().find(|reply| reply.status == 412).unwrap();
        assert_eq!(stale.json()["code"], "playback_queue_changed");
        assert_eq!(media(&owner, &queue).await, [songs[0].clone(), songs[1].clone()]);

        let all = items(&owner, &queue).await;
        let item = at(&queue, &format!("/items/{}", place(&all[1])));
        let whole = at(&queue, "");
        for (request, body) in [
            (("DELETE", whole.as_str()), Value::Null),
            (("PATCH", item.as_str()), json!({"after": null})),
            (("DELETE", item.as_str()), Value::Null),
            (
                cursor,
                json!({"playbackQueueItemId": place(&all[1]), "seconds": 1}),
            ),
            (post, body.clone()),
        ] {
            for stale in [tag.as_str(), "W/\"3\"", "\"x\"", "3"] {
                assert_eq!(
                    if_match(&owner, request, stale, &body).await.status,
                    412,
                    "{request:?} {stale}"
                );
            }
        }
        assert_eq!(media(&owner, &queue).await.len(), 2);
        for good in ["\"3\"", "*", "\"1\", \"5-x\""] {
            assert_eq!(if_match(&owner, post, good, &body).await.status, 201, "{good}");
        }
        let last = owner.get(&at(&queue, "")).await.json();
        assert_eq!((&last["revision"], &last["itemCount"]), (&json!(6), &json!(5)));
        let delete = ("DELETE", whole.as_str());
        let deleted = if_match(&owner, delete, "\"6\"", &Value::Null).await;
        assert_eq!((deleted.status, deleted.json()), (200, json!(true)));
        assert_eq!(if_match(&owner, delete, "\"6\"", &Value::Null).await.status, 404);
    })
    .await;
}
