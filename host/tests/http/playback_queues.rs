//! Playback queues: whose they are, how they are changed, and how dynamic ones go on.

use std::collections::HashSet;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::event_streams::{ListeningServer, quick};
use crate::history::{episodes, movie, on_each_database, song};
use crate::{Reply, TestServer};
use svc_domain::kind::MediaKind;

const QUEUES: &str = "/api/v1/playback-queues";
const UNKNOWN: &str = "0000000000001";

fn track(id: &str) -> Value {
    json!({"mediaType": "music_track", "mediaId": id})
}

/// So many tracks of one artist and genre.
async fn songs(server: &TestServer, artist: &str, genre: &str, count: usize) -> Vec<String> {
    let folder = server.folder_at(MediaKind::music(), artist).await;
    let mut ids = Vec::new();
    for number in 0..count {
        let title = format!("{artist} {number}");
        ids.push(song(server, folder, &title, artist, genre).await.to_string());
    }
    ids
}

async fn create(server: &TestServer, token: &str, body: Value) -> Value {
    let made = server.send_as(token, "POST", QUEUES, &body).await;
    assert_eq!(made.status, 201, "{body} {}", made.json());
    made.json()
}

fn at(queue: &Value, below: &str) -> String {
    format!("{QUEUES}/{}{below}", queue["playbackQueueId"].as_str().unwrap())
}

/// All items of a queue.
async fn items(server: &TestServer, token: &str, queue: &Value) -> Vec<Value> {
    let first = server
        .get_as(token, &at(queue, "/items?leading=500&trailing=500"))
        .await
        .json();
    first[0].as_array().unwrap().clone()
}

async fn media(server: &TestServer, token: &str, queue: &Value) -> Vec<String> {
    let items = items(server, token, queue).await;
    let id = |item: &Value| item["mediaId"].as_str().unwrap().to_owned();
    items.iter().map(id).collect()
}

fn place(item: &Value) -> &str {
    item["playbackQueueItemId"].as_str().unwrap()
}

async fn if_match(
    server: &TestServer,
    token: &str,
    (method, target): (&str, &str),
    tag: &str,
    body: &Value,
) -> Reply {
    let bearer = format!("Bearer {token}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("if-match", tag),
    ];
    server.send(method, target, &headers, &body.to_string()).await
}

#[covers(
    "POST /api/v1/playback-queues",
    "GET /api/v1/playback-queues/{playbackQueueId}/items",
    "PATCH /api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}",
    "DELETE /api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}"
)]
#[tokio::test]
async fn items_are_added_moved_and_taken_out() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        let songs = songs(server, "Ann", "Jazz", 3).await;
        let film = movie(server, "Film").await;
        let parts = episodes(server, "Show", 2).await;
        let release = server.get_as(&owner, "/api/v1/music/releases").await.json()[0][0].clone();
        let queue = create(
            server,
            &owner,
            json!({"type": "static", "items": [track(&songs[1])]}),
        )
        .await;
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
            assert_eq!(
                server
                    .send_as(&owner, "POST", &at(&queue, "/items"), &body)
                    .await
                    .status,
                201
            );
        }
        let order = |at: &[&String]| -> Vec<String> { at.iter().map(|id| (*id).clone()).collect() };
        let [a, b, c] = &songs[..] else { panic!() };
        assert_eq!(
            media(server, &owner, &queue).await,
            order(&[b, a, b, c, &film, &parts[0]])
        );
        let all = items(server, &owner, &queue).await;
        assert_eq!(all[4]["item"]["title"], "Film");
        assert_eq!(
            (&all[5]["index"], &all[5]["item"]["show"]["title"]),
            (&json!(5), &json!("Show"))
        );
        let revision = server.get_as(&owner, &at(&queue, "")).await.json()["revision"]
            .as_i64()
            .unwrap();

        let moved = |item: &Value| at(&queue, &format!("/items/{}", place(item)));
        let body = json!({"after": place(&all[0])});
        let reply = server.send_as(&owner, "PATCH", &moved(&all[5]), &body).await;
        assert_eq!(
            (reply.status, &reply.json()["revision"]),
            (200, &json!(revision + 1))
        );
        let again = server.send_as(&owner, "PATCH", &moved(&all[5]), &body).await;
        assert_eq!(
            again.json()["revision"],
            json!(revision + 1),
            "it is there already"
        );
        let reply = server
            .send_as(&owner, "PATCH", &moved(&all[4]), &json!({"after": null}))
            .await;
        assert_eq!(reply.json()["cursor"]["index"], 1, "the cursor stays at its item");
        assert_eq!(
            media(server, &owner, &queue).await,
            order(&[&film, b, &parts[0], a, b, c])
        );

        let part = server
            .get_as(&owner, &at(&queue, "/items?leading=1&trailing=1"))
            .await;
        let index = |item: &Value| item["index"].as_i64().unwrap();
        let shown: Vec<i64> = part.json()[0].as_array().unwrap().iter().map(index).collect();
        assert_eq!((shown, &part.json()[1]), (vec![0, 1, 2], &json!(6)));
        let around = format!("/items?around={}&leading=0&trailing=0", place(&all[3]));
        assert_eq!(
            server.get_as(&owner, &at(&queue, &around)).await.json()[0][0]["mediaId"],
            c.as_str()
        );

        // The cursor's item goes: the next one is its own.
        let reply = server
            .send_as(&owner, "DELETE", &moved(&all[0]), &Value::Null)
            .await;
        assert_eq!((reply.status, &reply.json()["cursor"]["index"]), (200, &json!(1)));
        assert_eq!(reply.json()["cursor"]["playbackQueueItemId"], place(&all[5]));
        assert_eq!(
            server
                .send_as(&owner, "DELETE", &moved(&all[0]), &Value::Null)
                .await
                .status,
            404
        );

        let other = create(server, &owner, json!({"type": "static", "items": [track(a)]})).await;
        let foreign = items(server, &owner, &other).await;
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
            let reply = server.send_as(&owner, method, &target, &body).await;
            assert_eq!(reply.status, status, "{method} {target} {body}");
        }
        let wrong = at(&queue, &format!("/items?around={}", place(&foreign[0])));
        assert_eq!(server.get_as(&owner, &wrong).await.status, 404);
        assert_eq!(
            server
                .get_as(&owner, &at(&queue, "/items?leading=501"))
                .await
                .status,
            400
        );
    })
    .await;
}

#[covers(
    "GET /api/v1/playback-queues",
    "GET /api/v1/playback-queues/{playbackQueueId}",
    "DELETE /api/v1/playback-queues/{playbackQueueId}",
    "T24"
)]
#[tokio::test]
async fn only_its_owner_knows_of_a_queue() {
    on_each_database(async |server: &TestServer| {
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

#[covers(
    "POST /api/v1/playback-queues/{playbackQueueId}/items",
    "code playback_queue_changed"
)]
#[tokio::test]
async fn of_changes_that_expect_one_revision_one_is_made() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        let songs = songs(server, "Ann", "Jazz", 3).await;
        let queue = create(
            server,
            &owner,
            json!({"type": "static", "items": [track(&songs[0])]}),
        )
        .await;
        let shown = server.get_as(&owner, &at(&queue, "")).await;
        let tag = shown.header("etag").to_owned();
        let bearer = format!("Bearer {owner}");
        let known = [
            ("authorization", bearer.as_str()),
            ("if-none-match", tag.as_str()),
        ];
        assert_eq!(server.send("GET", &at(&queue, ""), &known, "").await.status, 304);
        let all = items(server, &owner, &queue).await;
        let body = json!({"playbackQueueItemId": place(&all[0]), "seconds": 42});
        let target = at(&queue, "/cursor");
        let cursor = ("PUT", target.as_str());
        assert_eq!(if_match(server, &owner, cursor, &tag, &body).await.status, 200);
        let now = server.send("GET", &at(&queue, ""), &known, "").await;
        assert_eq!(
            (now.status, &now.json()["cursor"]["seconds"]),
            (200, &json!(42.0)),
            "another answer"
        );
        assert_eq!(now.json()["revision"], queue["revision"], "and the same revision");

        let target = at(&queue, "/items");
        let post = ("POST", target.as_str());
        let body = json!({"items": [track(&songs[1])], "insert": "end"});
        let racing = (0..8).map(|_| if_match(server, &owner, post, &tag, &body));
        let outcomes = futures_util::future::join_all(racing).await;
        let mut statuses: Vec<u16> = outcomes.iter().map(|reply| reply.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 412, 412, 412, 412, 412, 412, 412]);
        let stale = outcomes.iter().find(|reply| reply.status == 412).unwrap();
        assert_eq!(stale.json()["code"], "playback_queue_changed");
        assert_eq!(
            media(server, &owner, &queue).await,
            [songs[0].clone(), songs[1].clone()]
        );

        let all = items(server, &owner, &queue).await;
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
                    if_match(server, &owner, request, stale, &body).await.status,
                    412,
                    "{request:?} {stale}"
                );
            }
        }
        assert_eq!(media(server, &owner, &queue).await.len(), 2);
        for good in ["\"3\"", "*", "\"1\", \"5-x\""] {
            assert_eq!(
                if_match(server, &owner, post, good, &body).await.status,
                201,
                "{good}"
            );
        }
        let last = server.get_as(&owner, &at(&queue, "")).await.json();
        assert_eq!((&last["revision"], &last["itemCount"]), (&json!(6), &json!(5)));
        let delete = ("DELETE", whole.as_str());
        let deleted = if_match(server, &owner, delete, "\"6\"", &Value::Null).await;
        assert_eq!((deleted.status, deleted.json()), (200, json!(true)));
        assert_eq!(
            if_match(server, &owner, delete, "\"6\"", &Value::Null)
                .await
                .status,
            404
        );
    })
    .await;
}

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
    on_each_database(async |server: &TestServer| {
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

#[covers("code playback_queue_full")]
#[tokio::test]
async fn queues_and_their_items_have_limits() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let songs = songs(&server, "Ann", "Jazz", 1).await;
    let thousand: Vec<Value> = vec![track(&songs[0]); 1000];
    let queue = create(&server, &owner, json!({"type": "static", "items": thousand})).await;
    let body = json!({"items": thousand, "insert": "end"});
    for _ in 0..9 {
        assert_eq!(
            server
                .send_as(&owner, "POST", &at(&queue, "/items"), &body)
                .await
                .status,
            201
        );
    }
    let body = json!({"items": [track(&songs[0])], "insert": "next"});
    let full = server.send_as(&owner, "POST", &at(&queue, "/items"), &body).await;
    assert_eq!(
        (full.status, &full.json()["code"]),
        (409, &json!("playback_queue_full"))
    );
    let shown = server.get_as(&owner, &at(&queue, "")).await.json();
    assert_eq!(
        (&shown["itemCount"], &shown["revision"]),
        (&json!(10_000), &json!(11))
    );
    let mut many = thousand;
    many.push(track(&songs[0]));
    let refused = server
        .send_as(&owner, "POST", QUEUES, &json!({"type": "static", "items": many}))
        .await;
    assert_eq!(refused.status, 400);

    // A dynamic queue that is full goes on without its first items.
    let dynamic = create(
        &server,
        &owner,
        json!({"type": "dynamic", "dynamicType": "shuffle"}),
    )
    .await;
    let body = json!({"items": vec![track(&songs[0]); 995], "insert": "end"});
    for _ in 0..10 {
        assert_eq!(
            server
                .send_as(&owner, "POST", &at(&dynamic, "/items"), &body)
                .await
                .status,
            201
        );
    }
    let items = items(&server, &owner, &dynamic).await;
    assert_eq!(items.len(), 501);
    // From window to window to the end.
    let mut last = items[500].clone();
    loop {
        let target = at(
            &dynamic,
            &format!("/items?around={}&leading=0&trailing=500", place(&last)),
        );
        let window = server.get_as(&owner, &target).await.json();
        let next = window[0].as_array().unwrap().last().unwrap().clone();
        if next == last {
            break;
        }
        last = next;
    }
    let body = json!({"playbackQueueItemId": place(&last), "seconds": 0});
    let moved = server
        .send_as(&owner, "PUT", &at(&dynamic, "/cursor"), &body)
        .await
        .json();
    assert_eq!(moved["itemCount"], 10_000);
    assert_eq!(moved["cursor"]["index"], 9_949);
    assert_eq!(moved["cursor"]["playbackQueueItemId"], place(&last));
}
