//! What users do with items: history, ratings, queues; and where items appear beside the built-in types.

use serde_json::json;

use super::ItemFixture;

#[tokio::test]
async fn position_is_a_page_or_counts_over_all_parts() {
    let fixture = ItemFixture::new().await;
    let report = async |id: &str, seconds: f64| {
        let body = json!({"mediaType": "item", "mediaId": id, "seconds": seconds, "state": "paused"});
        let reply = fixture.owner.patch("/api/v1/history", &body).await;
        assert_eq!(reply.status, 200, "{}", reply.json());
        reply.json()
    };
    // Forty pages: the last tenth begins after page 36.
    let read = report(&fixture.comics[0], 12.0).await;
    assert_eq!(
        (&read["watched"], &read["item"]["kind"]),
        (&json!(false), &json!("comics"))
    );
    assert_eq!(read["item"]["pageCount"], 40);
    let comic = fixture
        .get(&format!("/api/v1/items/{}", fixture.comics[0]))
        .await
        .json();
    assert_eq!(
        comic["progress"],
        json!({"seconds": 12.0, "watched": false, "playCount": 0})
    );
    assert_eq!(report(&fixture.comics[0], 37.0).await["watched"], true);
    // An hour in sixty parts.
    assert_eq!(report(&fixture.book, 1800.0).await["watched"], false);
    let listed = fixture.get("/api/v1/items?kind=books").await.json();
    assert_eq!(listed[0][0]["progress"]["seconds"], 1800.0);
    let resumable = fixture.get("/api/v1/cinema/continue").await.json();
    assert_eq!(
        (&resumable[1], &resumable[0][0]["mediaId"]),
        (&json!(1), &json!(fixture.book))
    );
    let history = fixture.get("/api/v1/history?mediaType=item").await.json();
    assert_eq!(history[1], 2);
    assert_eq!(fixture.titles("kind=comics&watched=true").await.0, ["Alpha"]);
    let path = format!("/api/v1/history/item/{}", fixture.book);
    assert_eq!(fixture.owner.delete(&path).await.json(), true);
}

#[tokio::test]
async fn rated_items_are_favorites() {
    let fixture = ItemFixture::new().await;
    let body = json!({"mediaType": "item", "mediaId": fixture.comics[1], "rating": 0.9});
    assert_eq!(fixture.owner.put("/api/v1/ratings", &body).await.status, 200);
    assert_eq!(fixture.titles("kind=comics&favorites=true").await.0, ["Beta"]);
    let by_number = fixture
        .titles("kind=comics&favorites=true&orderBy=x.guest.number")
        .await;
    assert_eq!(by_number, (vec!["Beta".to_owned()], 1));
    let beta = fixture
        .get(&format!("/api/v1/items/{}", fixture.comics[1]))
        .await
        .json();
    assert_eq!(beta["rating"], 0.9);
    let ratings = fixture.get("/api/v1/ratings").await.json();
    assert_eq!(
        (&ratings[0][0]["mediaType"], &ratings[0][0]["item"]["title"]),
        (&json!("item"), &json!("Beta"))
    );
}

#[tokio::test]
async fn queue_takes_items_that_are_played() {
    let fixture = ItemFixture::new().await;
    let queue = async |id: &str| {
        let body = json!({"type": "static", "items": [{"mediaType": "item", "mediaId": id}]});
        fixture.owner.post("/api/v1/playback-queues", &body).await
    };
    let made = queue(&fixture.book).await;
    assert_eq!(made.status, 201, "{}", made.json());
    let path = format!(
        "/api/v1/playback-queues/{}/items",
        made.json()["playbackQueueId"].as_str().unwrap()
    );
    let items = fixture.get(&path).await.json();
    assert_eq!(items[0][0]["mediaId"], fixture.book, "{items}");
    let refused = queue(&fixture.comics[0]).await;
    assert_eq!(
        (refused.status, &refused.json()["errors"][0]["path"]),
        (400, &json!("items[0].mediaId"))
    );
}

#[tokio::test]
async fn items_are_found_counted_and_reported_as_changes() {
    let fixture = ItemFixture::new().await;
    let all = fixture.get("/api/v1/search?q=saga").await.json();
    assert_eq!((&all["comics"][1], &all["books"]), (&json!(2), &json!([[], 0])));
    assert_eq!(all["music_track"], json!([[], 0]));
    let only = fixture
        .get("/api/v1/search?q=book%20ann&types=books")
        .await
        .json();
    assert_eq!(only.as_object().unwrap().keys().collect::<Vec<_>>(), ["books"]);
    assert_eq!(only["books"][0][0]["itemId"], fixture.book);
    let every = fixture.get("/api/v1/search?q=saga&types=item").await.json();
    assert_eq!(every.as_object().unwrap().len(), 2);
    for types in ["unknown", "music", "Books"] {
        let reply = fixture.get(&format!("/api/v1/search?q=saga&types={types}")).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (400, &json!("types")),
            "{types}"
        );
    }
    let reader = fixture.server.as_user("reader", &["music_user"]).await;
    let hidden = reader.get("/api/v1/search?q=saga").await.json();
    assert!(
        hidden.get("comics").is_none(),
        "the role has no access to items: {hidden}"
    );
    let counts = fixture.get("/api/v1/index/counts").await.json();
    assert_eq!(
        (&counts["comicsFiles"], &counts["booksFiles"]),
        (&json!(3), &json!(60))
    );
    let changes = fixture.get("/api/v1/changes?since=0").await.json();
    let changes = changes["changes"].as_array().unwrap().clone();
    let first = changes.iter().find(|change| change["id"] == fixture.comics[0]);
    let first = first.unwrap_or_else(|| panic!("{changes:?}"));
    assert_eq!(first["type"], "item.added");
    let file = fixture
        .get("/api/v1/index/file?rootDir=comics&relativePath=Shelf/a.shared")
        .await
        .json();
    assert_eq!(
        (&file["indexed"]["itemType"], &file["indexed"]["itemId"]),
        (&json!("item"), &json!(fixture.comics[0]))
    );
}
