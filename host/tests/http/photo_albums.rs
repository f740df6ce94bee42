//! Photos corrected, counted by day and month, and put into albums; who sees which, and who hears of it.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::event_streams::{ListeningServer, quick};
use crate::{Reply, TestServer};
use svc_domain::extraction::Extraction;
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;
use svc_domain::photo::PhotoFacts;
use svc_domain::scan::FileRecord;
use svc_domain::time::{Clock as _, Timestamp};

const ALBUMS: &str = "/api/v1/photo-albums";
const UNKNOWN: &str = "0000000000001";

/// A photo of 14 July 2021, or of so many days later.
async fn photo(server: &TestServer, place: &str, days: i64) -> FileId {
    let folder = server.folder_at(MediaKind::photos(), place).await;
    let moment = Timestamp::from_millis(1_626_264_000_000 + days * 86_400_000);
    let facts = PhotoFacts::from_extraction(&Extraction::default(), "p.jpg", moment);
    server
        .record(
            folder,
            &format!("p{days}.jpg"),
            4 + days,
            FileRecord::Photo(Box::new(facts)),
        )
        .await
}

async fn create(server: &TestServer, token: &str, body: Value) -> String {
    let made = server.send_as(token, "POST", ALBUMS, &body).await;
    assert_eq!(made.status, 201, "{body} {}", made.json());
    made.json()["photoAlbumId"].as_str().unwrap().to_owned()
}

async fn patch(server: &TestServer, token: &str, album: &str, body: Value) -> Reply {
    server
        .send_as(token, "PATCH", &format!("{ALBUMS}/{album}"), &body)
        .await
}

async fn add(server: &TestServer, token: &str, album: &str, photos: &[&str]) -> Reply {
    let body = json!({"photoIds": photos});
    server
        .send_as(token, "POST", &format!("{ALBUMS}/{album}/photos"), &body)
        .await
}

async fn remove(server: &TestServer, token: &str, album: &str, photos: &[&str]) -> Reply {
    let body = json!({"photoIds": photos});
    server
        .send_as(token, "DELETE", &format!("{ALBUMS}/{album}/photos"), &body)
        .await
}

async fn ids(server: &TestServer, token: &str, query: &str) -> Vec<String> {
    let list = server
        .get_as(token, &format!("/api/v1/photos?{query}"))
        .await
        .json();
    let items = list[0].as_array().unwrap();
    assert_eq!(list[1], items.len(), "{query}");
    let id = |item: &Value| item["photoId"].as_str().unwrap().to_owned();
    items.iter().map(id).collect()
}

#[covers("PATCH /api/v1/photos/{photoId}")]
#[tokio::test]
async fn photo_is_corrected_for_all_and_its_file_counts_again_when_asked() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let id = photo(&server, "Album", 0).await;
    let target = format!("/api/v1/photos/{id}");
    let before = server.get_as(&owner, &target).await.json();
    assert_eq!(
        (&before["takenAt"], &before["edited"], &before["albumIds"]),
        (&json!("2021-07-14T12:00:00.000Z"), &json!([]), &json!([]))
    );
    let send = async |token: &str, body: Value| server.send_as(token, "PATCH", &target, &body).await;
    let body = json!({
        "takenAt": "1969-12-31T23:00:00Z", "utcOffset": -60, "gpsLat": 48.2, "gpsLng": 16.3, "gpsAltitude": 170.5,
        "description": " In Vienna "
    });
    let corrected = send(&owner, body).await;
    assert_eq!(corrected.status, 200);
    let corrected = corrected.json();
    assert_eq!(corrected["takenAt"], "1969-12-31T23:00:00.000Z");
    assert_eq!(corrected["takenAtSource"], before["takenAtSource"]);
    assert_eq!(
        (
            &corrected["utcOffset"],
            &corrected["gpsLat"],
            &corrected["gpsAltitude"]
        ),
        (&json!(-60), &json!(48.2), &json!(170.5))
    );
    assert_eq!(corrected["description"], "In Vienna");
    assert_eq!(corrected["edited"], json!(["takenAt", "utcOffset", "gps"]));
    let guest = server.token(server.user("reader", false, &["guest"]).await);
    assert_eq!(server.get_as(&guest, &target).await.json(), corrected);
    assert_eq!(send(&guest, json!({"description": "x"})).await.status, 403);
    assert_eq!(send(&owner, json!({})).await.json(), corrected);
    for (body, path) in [
        (json!({"takenAt": "2021-07-14T12:00:00+02:00"}), "takenAt"),
        (json!({"takenAt": "yesterday"}), "takenAt"),
        (json!({"takenAt": "2300-01-01T00:00:00Z"}), "takenAt"),
        (json!({"utcOffset": 841}), "utcOffset"),
        (json!({"gpsLat": 1.0}), "gpsLat"),
        (json!({"gpsLat": 91, "gpsLng": 1}), "gpsLat"),
        (json!({"description": "a\u{7}"}), "description"),
        (json!({"description": "x".repeat(2001)}), "description"),
    ] {
        let reply = send(&owner, body.clone()).await;
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(reply.json()["errors"][0]["path"], path, "{body}");
    }
    let nothing = json!({
        "takenAt": null, "utcOffset": null, "gpsLat": null, "gpsLng": null, "description": null
    });
    assert_eq!(send(&owner, nothing).await.json(), before);
    let unknown = format!("/api/v1/photos/{UNKNOWN}");
    for body in [json!({}), json!({"utcOffset": 5000})] {
        assert_eq!(server.send_as(&owner, "PATCH", &unknown, &body).await.status, 404);
    }
}

#[tokio::test]
async fn timeline_is_of_the_libraries_that_are_named() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    photo(&server, "Home", 0).await;
    photo(&server, "Away", 31).await;
    let body = json!({"name": "Away", "mediaKind": "photos", "paths": ["Away"]});
    let library = server
        .send_as(&owner, "POST", "/api/v1/libraries", &body)
        .await
        .json();
    let id = library["libraryId"].as_str().unwrap();
    let months = async |query: &str| {
        let target = format!("/api/v1/photos/buckets?order=ASC{query}");
        let list = server.get_as(&owner, &target).await.json();
        let name = |month: &Value| month["bucket"].as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(months("").await, ["2021-07", "2021-08"]);
    assert_eq!(months(&format!("&libraryIds={id}")).await, ["2021-08"]);
    assert!(months(&format!("&libraryIds={UNKNOWN}")).await.is_empty());
}

#[covers("GET /api/v1/photos/buckets")]
#[tokio::test]
async fn timeline_is_cut_into_days_and_months() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let mut photos = Vec::new();
    for days in [0, 1, 31] {
        photos.push(photo(&server, &format!("Album {days}"), days).await.to_string());
    }
    let get = async |query: &str| {
        server
            .get_as(&owner, &format!("/api/v1/photos/buckets{query}"))
            .await
    };
    assert_eq!(
        get("").await.json(),
        json!([
            {"bucket": "2021-08", "count": 1, "from": "2021-08-14T12:00:00.000Z", "to": "2021-08-14T12:00:00.000Z"},
            {"bucket": "2021-07", "count": 2, "from": "2021-07-14T12:00:00.000Z", "to": "2021-07-15T12:00:00.000Z"},
        ])
    );
    let days = get("?granularity=day&order=ASC&to=2021-08-01").await.json();
    let names: Vec<_> = days
        .as_array()
        .unwrap()
        .iter()
        .map(|day| &day["bucket"])
        .collect();
    assert_eq!(names, ["2021-07-14", "2021-07-15"]);
    for (query, path) in [
        ("?granularity=year", "granularity"),
        ("?bucket=2021", "bucket"),
        ("?bucket=2021-02-30", "bucket"),
        ("?albumId=x", "albumId"),
        ("?libraryIds=x", "libraryIds"),
    ] {
        let reply = get(query).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (400, &json!(path)),
            "{query}"
        );
    }
    assert_eq!(get(&format!("?albumId={UNKNOWN}")).await.json(), json!([]));
    assert_eq!(ids(&server, &owner, "bucket=2021-07-15").await, photos[1..2]);
    assert_eq!(
        ids(&server, &owner, "orderBy=size").await,
        photos.iter().rev().cloned().collect::<Vec<_>>()
    );
    assert_eq!(
        server.get_as(&owner, "/api/v1/photos?orderBy=album").await.status,
        400
    );
}

#[covers(
    "GET /api/v1/photo-albums",
    "POST /api/v1/photo-albums",
    "POST /api/v1/photo-albums/{photoAlbumId}/photos",
    "DELETE /api/v1/photo-albums/{photoAlbumId}/photos"
)]
#[tokio::test]
async fn album_is_made_filled_shown_changed_and_deleted() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let ben = server.user("ben", false, &["member"]).await;
    let mut photos = Vec::new();
    for days in 0..3 {
        photos.push(photo(&server, &format!("Album {days}"), days).await.to_string());
    }
    let [first, second, third] = [photos[0].as_str(), photos[1].as_str(), photos[2].as_str()];
    let body = json!({"name": " Summer ", "description": "By the sea", "sharedWith": [ben, ben]});
    let made = server.send_as(&owner, "POST", ALBUMS, &body).await;
    let album = made.json();
    assert_eq!((made.status, &album["name"]), (201, &json!("Summer")));
    assert_eq!(
        (&album["visibility"], &album["sharedWith"], &album["photoCount"]),
        (&json!("private"), &json!([ben]), &json!(0))
    );
    assert!(album.get("coverPhotoId").is_none() && album.get("from").is_none());
    let id = album["photoAlbumId"].as_str().unwrap();
    let added = add(&server, &owner, id, &[second, first, "x", second, UNKNOWN]).await;
    assert_eq!(
        (added.status, added.json()),
        (
            201,
            json!([
                {"photoId": second, "ok": true},
                {"photoId": first, "ok": true},
                {"photoId": UNKNOWN, "ok": false, "code": "photo_not_found"},
                {"photoId": "x", "ok": false, "code": "photo_not_found"},
            ])
        )
    );
    let target = format!("{ALBUMS}/{id}");
    let album = server.get_as(&owner, &target).await.json();
    assert_eq!(
        (
            &album["photoCount"],
            &album["coverPhotoId"],
            &album["from"],
            &album["to"]
        ),
        (
            &json!(2),
            &json!(second),
            &json!("2021-07-14T12:00:00.000Z"),
            &json!("2021-07-15T12:00:00.000Z")
        )
    );
    let in_album = format!("albumId={id}");
    assert_eq!(
        ids(&server, &owner, &format!("{in_album}&orderBy=album")).await,
        [second, first]
    );
    assert_eq!(
        ids(&server, &owner, &format!("{in_album}&order=ASC")).await,
        [first, second]
    );
    let shown = server
        .get_as(&owner, &format!("/api/v1/photos/{first}"))
        .await
        .json();
    assert_eq!(shown["albumIds"], json!([id]));

    let change = json!({"name": "Winter", "description": null, "visibility": "everyone", "sharedWith": [], "coverPhotoId": first});
    let changed = patch(&server, &owner, id, change).await.json();
    assert_eq!(
        (
            &changed["name"],
            &changed["visibility"],
            &changed["sharedWith"],
            &changed["coverPhotoId"]
        ),
        (&json!("Winter"), &json!("everyone"), &json!([]), &json!(first))
    );
    assert!(changed.get("description").is_none());
    for (body, status, path) in [
        (json!({"name": ""}), 400, "name"),
        (json!({"visibility": "public"}), 400, "visibility"),
        (json!({"sharedWith": [UNKNOWN]}), 404, "sharedWith[0]"),
        (json!({"sharedWith": vec!["x"; 201]}), 400, "sharedWith"),
        (json!({"coverPhotoId": third}), 404, "coverPhotoId"),
        (json!({"coverPhotoId": "x"}), 400, "coverPhotoId"),
    ] {
        let reply = patch(&server, &owner, id, body.clone()).await;
        assert_eq!(reply.status, status, "{body}");
        assert_eq!(reply.json()["errors"][0]["path"], path, "{body}");
    }
    let removed = remove(&server, &owner, id, &[first, third]).await;
    assert_eq!(
        (removed.status, removed.json()),
        (
            200,
            json!([
                {"photoId": first, "ok": true},
                {"photoId": third, "ok": false, "code": "not_in_album"},
            ])
        )
    );
    create(&server, &owner, json!({"name": "Autumn"})).await;
    let list = server.get_as(&owner, ALBUMS).await.json();
    assert_eq!((&list[0][0]["name"], &list[1]), (&json!("Autumn"), &json!(2)));
    let list = server
        .get_as(&owner, &format!("{ALBUMS}?orderBy=createdAt&take=1&skip=1"))
        .await;
    assert_eq!(list.json()[0][0]["name"], "Winter");

    let deleted = server.send_as(&owner, "DELETE", &target, &Value::Null).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!(true)));
    assert_eq!(server.get_as(&owner, &target).await.status, 404);
    assert_eq!(ids(&server, &owner, "").await.len(), 3);
    let shown = server
        .get_as(&owner, &format!("/api/v1/photos/{second}"))
        .await
        .json();
    assert_eq!(shown["albumIds"], json!([]));
}

#[covers(
    "GET /api/v1/photo-albums/{photoAlbumId}",
    "PATCH /api/v1/photo-albums/{photoAlbumId}",
    "DELETE /api/v1/photo-albums/{photoAlbumId}",
    "T24"
)]
#[tokio::test]
async fn nobody_sees_or_changes_anothers_album_but_whom_its_owner_lets_in() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let (bea, ben) = (
        server.user("bea", false, &["member"]).await,
        server.user("ben", false, &["member"]).await,
    );
    let (bea_token, ben_token) = (server.token(bea), server.token(ben));
    for (place, user) in [("Bea", bea), ("Ben", ben)] {
        let body =
            json!({"name": place, "mediaKind": "photos", "paths": [place], "grants": [{"userId": user}]});
        assert_eq!(
            server
                .send_as(&owner, "POST", "/api/v1/libraries", &body)
                .await
                .status,
            201
        );
    }
    let (hers, open) = (
        photo(&server, "Bea", 0).await.to_string(),
        photo(&server, "Open", 1).await.to_string(),
    );
    let id = create(&server, &bea_token, json!({"name": "Hers"})).await;
    let added = add(&server, &bea_token, &id, &[&hers, &open]).await.json();
    assert_eq!((&added[0]["ok"], &added[1]["ok"]), (&json!(true), &json!(true)));

    // Not even the server's owner sees it.
    for token in [&ben_token, &owner] {
        let target = format!("{ALBUMS}/{id}");
        assert_eq!(server.get_as(token, &target).await.status, 404);
        assert_eq!(server.get_as(token, ALBUMS).await.json(), json!([[], 0]));
        assert_eq!(
            server
                .get_as(token, &format!("/api/v1/photos?albumId={id}"))
                .await
                .json(),
            json!([[], 0])
        );
        let shown = server
            .get_as(token, &format!("/api/v1/photos/{open}"))
            .await
            .json();
        assert_eq!(shown["albumIds"], json!([]));
        assert_eq!(
            patch(&server, token, &id, json!({"name": "His"})).await.status,
            404
        );
        assert_eq!(add(&server, token, &id, &[&open]).await.status, 404);
        assert_eq!(remove(&server, token, &id, &[&open]).await.status, 404);
        assert_eq!(
            server
                .send_as(token, "DELETE", &target, &Value::Null)
                .await
                .status,
            404
        );
    }
    // Let in, Ben sees the album, and of its photos those that his libraries let him see.
    assert_eq!(
        patch(&server, &bea_token, &id, json!({"sharedWith": [ben]}))
            .await
            .status,
        200
    );
    let album = server.get_as(&ben_token, &format!("{ALBUMS}/{id}")).await.json();
    assert_eq!(
        (
            &album["photoCount"],
            &album["coverPhotoId"],
            &album["ownerUserId"]
        ),
        (&json!(1), &json!(open), &json!(bea))
    );
    assert!(album.get("sharedWith").is_none());
    assert_eq!(
        ids(&server, &ben_token, &format!("albumId={id}&orderBy=album")).await,
        std::slice::from_ref(&open)
    );
    assert_eq!(ids(&server, &bea_token, &format!("albumId={id}")).await.len(), 2);
    let shown = server
        .get_as(&ben_token, &format!("/api/v1/photos/{open}"))
        .await
        .json();
    assert_eq!(shown["albumIds"], json!([id]));
    assert_eq!(
        patch(&server, &ben_token, &id, json!({"name": "His"}))
            .await
            .status,
        404
    );
    assert_eq!(server.get_as(&owner, &format!("{ALBUMS}/{id}")).await.status, 404);
    // What one does not see cannot be put into an album or corrected.
    let his = create(&server, &ben_token, json!({"name": "His"})).await;
    let added = add(&server, &ben_token, &his, &[&hers]).await.json();
    assert_eq!(
        added,
        json!([{"photoId": hers, "ok": false, "code": "photo_not_found"}])
    );
    let target = format!("/api/v1/photos/{hers}");
    let body = json!({"description": "x"});
    assert_eq!(
        server.send_as(&ben_token, "PATCH", &target, &body).await.status,
        404
    );
    let guest = server.token(server.user("visitor", false, &["guest"]).await);
    assert_eq!(server.get_as(&guest, ALBUMS).await.json(), json!([[], 0]));
    assert_eq!(
        server
            .send_as(&guest, "POST", ALBUMS, &json!({"name": "x"}))
            .await
            .status,
        403
    );
    assert_eq!(
        patch(&server, &bea_token, &id, json!({"visibility": "everyone"}))
            .await
            .status,
        200
    );
    assert_eq!(server.get_as(&guest, ALBUMS).await.json()[1], 1);
}

#[covers("code too_many_photo_albums")]
#[tokio::test]
async fn an_account_has_a_thousand_albums_at_most() {
    let server = TestServer::start().await;
    let ben = server.user("ben", false, &["member"]).await;
    for number in 0..1000 {
        let new = svc_store::NewPhotoAlbum {
            id: server.id(),
            owner: ben,
            name: number.to_string(),
            description: None,
            readers: Default::default(),
        };
        assert!(
            server
                .store
                .photo_albums
                .insert_photo_album(&new, 1000, server.clock.now())
                .await
                .unwrap()
        );
    }
    let token = server.token(ben);
    let refused = server
        .send_as(&token, "POST", ALBUMS, &json!({"name": "x"}))
        .await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (409, &json!("too_many_photo_albums"))
    );
}

#[tokio::test]
async fn albums_and_corrections_are_told_to_those_who_see_them() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.owner().await;
    let (bea, ben, cat) = (
        server.user("bea", false, &["member"]).await,
        server.user("ben", false, &["member"]).await,
        server.user("cat", false, &["member"]).await,
    );
    let bea_token = server.token(bea);
    let body = json!({"name": "Bea", "mediaKind": "photos", "paths": ["Bea"], "grants": [{"userId": bea}]});
    assert_eq!(
        server
            .send_as(&owner, "POST", "/api/v1/libraries", &body)
            .await
            .status,
        201
    );
    let (hers, open) = (
        photo(server, "Bea", 0).await.to_string(),
        photo(server, "Open", 1).await.to_string(),
    );
    let mut clients = [
        listening.listen(&bea_token).await,
        listening.listen(&server.token(ben)).await,
        listening.listen(&server.token(cat)).await,
    ];
    let describe = async |photo: &str| {
        let body = json!({"description": photo});
        let target = format!("/api/v1/photos/{photo}");
        assert_eq!(
            server.send_as(&bea_token, "PATCH", &target, &body).await.status,
            200
        );
    };
    describe(&hers).await;
    let id = create(server, &bea_token, json!({"name": "Hers", "sharedWith": [ben]})).await;
    add(server, &bea_token, &id, &[&hers, &open]).await;
    // Adding nothing new is no news.
    add(server, &bea_token, &id, &[&hers]).await;
    remove(server, &bea_token, &id, &[&hers]).await;
    patch(server, &bea_token, &id, json!({"sharedWith": [cat]})).await;
    let target = format!("{ALBUMS}/{id}");
    server.send_as(&bea_token, "DELETE", &target, &Value::Null).await;
    describe(&open).await;
    let album = |kind: &str| (format!("photo_album.{kind}"), json!({"photoAlbumId": id}));
    let with = |kind: &str, photos: Value| {
        let payload = json!({"photoAlbumId": id, "photoIds": photos});
        (format!("photo_album.{kind}"), payload)
    };
    let corrected = |photo: &str| ("photo.updated".to_owned(), json!({"photoId": photo}));
    let heard = [
        vec![
            corrected(&hers),
            album("created"),
            with("photos_added", json!([hers, open])),
            with("photos_removed", json!([hers])),
            album("updated"),
            album("deleted"),
            corrected(&open),
        ],
        vec![
            album("created"),
            album("photos_added"),
            album("photos_removed"),
            album("updated"),
            corrected(&open),
        ],
        vec![album("updated"), album("deleted"), corrected(&open)],
    ];
    for (client, expected) in clients.iter_mut().zip(heard) {
        for (kind, payload) in expected {
            let event = client.next().await.unwrap();
            assert_eq!((&event["type"], &event["payload"]), (&json!(kind), &payload));
        }
        assert!(client.is_silent().await);
    }
}
