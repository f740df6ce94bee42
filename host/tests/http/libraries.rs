//! Libraries with grants: who is not let in finds nothing of them anywhere, from the next request on.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::{Reply, TestServer, TestServerOptions};
use svc_domain::extraction::{Extraction, Field, Picture, PictureData, Span, Value as FieldValue};
use svc_domain::id::{FileId, FolderId};
use svc_domain::kind::MediaKind;
use svc_domain::music::TrackFacts;
use svc_domain::path::RelativePath;
use svc_domain::photo::PhotoFacts;
use svc_domain::scan::FileRecord;
use svc_domain::time::Timestamp;
use svc_test_support::databases::{Schema, postgres_url};

const LIBRARIES: &str = "/api/v1/libraries";
const UNKNOWN: &str = "0000000000001";

/// Runs `test` on SQLite, and on PostgreSQL if there is a server.
async fn on_each_database(test: impl AsyncFn(&TestServer)) {
    test(&TestServer::start().await).await;
    let Some(postgres) = postgres_url() else { return };
    let schema = Schema::create(&postgres).await;
    let server = TestServer::start_with(TestServerOptions {
        database_url: Some(schema.url.clone()),
        ..TestServerOptions::default()
    })
    .await;
    test(&server).await;
    server.store.database.close().await;
    schema.drop().await;
}

fn song(title: &str, artist: &str, album: &str) -> FileRecord {
    let text = |key: &str, text: &str| Field {
        key: key.to_owned(),
        value: FieldValue::Texts(vec![text.to_owned()]),
    };
    let extraction = Extraction {
        title: Some(title.to_owned()),
        duration_ms: Some(1000),
        fields: vec![
            Field {
                key: "music.album".to_owned(),
                value: FieldValue::Text(album.to_owned()),
            },
            text("music.artists", artist),
            text("music.genres", artist),
        ],
        pictures: vec![Picture {
            purpose: "front".into(),
            mime: "image/png".into(),
            data: PictureData::At(Span { offset: 2, length: 4 }),
        }],
        ..Extraction::default()
    };
    let facts = TrackFacts::from_extraction(&extraction, &RelativePath::root(), "x.mp3");
    FileRecord::Track(Box::new(facts))
}

/// A track on disk and in the index, in a folder of this name.
async fn track(server: &TestServer, folder: FolderId, place: &str, title: &str) -> FileId {
    let name = format!("{title}.mp3");
    std::fs::write(server.root.join(place).join(&name), b"0123456789").unwrap();
    let album = format!("{place} album");
    server
        .record(folder, &name, 10, song(title, &format!("{place} artist"), &album))
        .await
}

async fn photo(server: &TestServer, place: &str) -> FileId {
    let folder = server.folder_at(MediaKind::photos(), place).await;
    std::fs::write(server.root.join(place).join("p.jpg"), b"jpeg").unwrap();
    let moment = Timestamp::from_millis(1_600_000_000_000);
    let facts = PhotoFacts::from_extraction(&Extraction::default(), "p.jpg", moment);
    server
        .record(folder, "p.jpg", 4, FileRecord::Photo(Box::new(facts)))
        .await
}

async fn create(server: &TestServer, token: &str, body: Value) -> Value {
    let made = server.send_as(token, "POST", LIBRARIES, &body).await;
    assert_eq!(made.status, 201, "{body} {}", made.json());
    made.json()
}

async fn patch(server: &TestServer, token: &str, library: &Value, body: Value) -> Reply {
    let target = format!("{LIBRARIES}/{}", library["libraryId"].as_str().unwrap());
    server.send_as(token, "PATCH", &target, &body).await
}

/// One value of each item of a list, whose total must agree.
async fn listed(server: &TestServer, token: &str, target: &str, key: &str) -> Vec<String> {
    let reply = server.get_as(token, target).await;
    assert_eq!(reply.status, 200, "{target}");
    let list = reply.json();
    let items = list[0].as_array().unwrap();
    assert_eq!(list[1], items.len(), "{target}");
    let mut values: Vec<_> = items
        .iter()
        .map(|item| item[key].as_str().unwrap().to_owned())
        .collect();
    values.sort();
    values
}

async fn titles(server: &TestServer, token: &str) -> Vec<String> {
    listed(server, token, "/api/v1/music/tracks", "title").await
}

/// What an id is not told apart from: the same path with an id that nobody ever had.
async fn is_unknown(server: &TestServer, token: &str, path: &str, id: &str) -> bool {
    let of = async |id: &str| {
        let reply = server.get_as(token, &path.replace("{}", id)).await;
        (reply.status, reply.body)
    };
    let (status, body) = of(id).await;
    // Seen; of a waveform and a thumbnail, but there is no plugin that makes them.
    let made = path.contains("/waveform") || path.contains("/thumbnail");
    if status == if made { 422 } else { 200 } {
        return false;
    }
    assert_eq!((404, body), of(UNKNOWN).await, "{path}");
    true
}

#[covers("T24")]
#[tokio::test]
async fn nobody_lists_reads_finds_streams_or_sees_pictures_of_anothers_library() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        let mut people = Vec::new();
        for (name, place) in [("bea", "Bea"), ("ben", "Ben")] {
            let user = server.user(name, false, &["member"]).await;
            people.push((server.token(user), place));
            for kind in ["music", "photos"] {
                let body = json!({
                    "name": place, "mediaKind": kind, "paths": [place], "grants": [{"userId": user}]
                });
                create(server, &owner, body).await;
            }
        }
        let mut songs = Vec::new();
        for place in ["Bea", "Ben", "Open"] {
            let folder = server.folder_at(MediaKind::music(), place).await;
            songs.push((
                place,
                track(server, folder, place, &format!("{place} song"))
                    .await
                    .to_string(),
            ));
        }
        let mut photos = Vec::new();
        for place in ["Bea", "Ben", "Open"] {
            photos.push((place, photo(server, place).await.to_string()));
        }
        let tracks = server.get_as(&owner, "/api/v1/music/tracks").await.json();
        assert_eq!(tracks[1], 3);
        let track_of = |song: &str| {
            let all = tracks[0].as_array().unwrap();
            all.iter()
                .find(|track| track["musicTrackId"] == song)
                .unwrap()
                .clone()
        };
        for (token, place) in &people {
            let mine = |of: &str| of == *place || of == "Open";
            let seen = |what: &str| vec![format!("{place} {what}"), format!("Open {what}")];
            let music = async |path: &str, key: &str| {
                listed(server, token, &format!("/api/v1/music/{path}"), key).await
            };
            assert_eq!(music("tracks", "title").await, seen("song"));
            assert_eq!(music("releases", "title").await, seen("album"));
            assert_eq!(music("artists", "name").await, seen("artist"));
            assert_eq!(music("genres", "name").await, seen("artist"));
            let shown = listed(server, token, "/api/v1/photos", "photoId").await;
            assert_eq!(shown.len(), 2);
            for (of, song) in &songs {
                let song = song.as_str();
                let track = track_of(song);
                let release = track["release"]["musicReleaseId"].as_str().unwrap();
                let artist = track["artists"][0]["musicArtistId"].as_str().unwrap();
                for (path, id) in [
                    ("tracks/{}", song),
                    ("tracks/{}/artwork", song),
                    ("tracks/{}/waveform", song),
                    ("stream/{}", song),
                    ("releases/{}", release),
                    ("releases/{}/tracks", release),
                    ("releases/{}/artwork", release),
                    ("artists/{}", artist),
                    ("artists/{}/releases", artist),
                ] {
                    let path = format!("/api/v1/music/{path}");
                    assert_eq!(
                        is_unknown(server, token, &path, id).await,
                        !mine(of),
                        "{of} {path}"
                    );
                    assert!(!is_unknown(server, &owner, &path, id).await, "{of} {path}");
                }
                let count = usize::from(mine(of));
                for filter in [
                    format!("tracks?releaseId={release}"),
                    format!("tracks?artistId={artist}"),
                    format!("tracks?genre={of}%20artist"),
                    format!("releases?artistId={artist}"),
                    format!("releases?genre={of}%20artist"),
                ] {
                    assert_eq!(music(&filter, "title").await.len(), count, "{of} {filter}");
                }
            }
            for (of, photo) in &photos {
                assert_eq!(shown.contains(photo), mine(of));
                for path in ["/api/v1/photos/{}", "/api/v1/photos/{}/original"] {
                    assert_eq!(
                        is_unknown(server, token, path, photo).await,
                        !mine(of),
                        "{of} {path}"
                    );
                    assert!(!is_unknown(server, &owner, path, photo).await);
                }
            }
            let libraries = listed(server, token, LIBRARIES, "name").await;
            assert_eq!(libraries, [*place, *place]);
        }
        assert_eq!(
            listed(server, &owner, LIBRARIES, "name").await,
            ["Bea", "Bea", "Ben", "Ben"]
        );
    })
    .await;
}

#[covers("PATCH /api/v1/libraries/{libraryId}", "DELETE /api/v1/libraries/{libraryId}")]
#[tokio::test]
async fn a_changed_library_counts_from_the_next_request_on() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        let bea = server.user("bea", false, &["member"]).await;
        let token = server.token(bea);
        let folder = server.folder_at(MediaKind::music(), "Bea").await;
        let song = track(server, folder, "Bea", "Song").await;
        let stream = format!("/api/v1/music/stream/{song}");
        let sees = async || {
            let listed = !titles(server, &token).await.is_empty();
            let status = server.get_as(&token, &stream).await.status;
            assert_eq!(status, if listed { 200 } else { 404 });
            assert_eq!(
                titles(server, &owner).await,
                ["Song"],
                "the owner sees everything"
            );
            listed
        };
        assert!(sees().await);
        let grants = json!([{"role": "music_user"}]);
        let library = json!({"name": "All", "mediaKind": "music", "grants": grants});
        let library = create(server, &owner, library).await;
        assert_eq!(
            (&library["grants"], &library["paths"], &library["counts"]),
            (&grants, &json!([""]), &json!({"files": 1, "missing": 0}))
        );
        assert!(!sees().await);
        let assign = json!({"userIds": [bea]});
        let roles = "/api/v1/roles/music_user/assignments";
        assert_eq!(server.send_as(&owner, "POST", roles, &assign).await.status, 201);
        assert!(sees().await, "by a role");
        let unassign = format!("{roles}?userIds={bea}");
        assert_eq!(
            server
                .send_as(&owner, "DELETE", &unassign, &Value::Null)
                .await
                .status,
            200
        );
        assert!(!sees().await);
        let grants = json!({"grants": [{"userId": bea}, {"role": "owner"}]});
        assert_eq!(patch(server, &owner, &library, grants).await.status, 200);
        assert!(sees().await, "by name");
        assert_eq!(
            patch(server, &owner, &library, json!({"grants": [{"role": "owner"}]}))
                .await
                .status,
            200
        );
        assert!(!sees().await);
        assert_eq!(
            patch(server, &owner, &library, json!({"paths": ["Elsewhere"]}))
                .await
                .status,
            200
        );
        assert!(sees().await, "the folder is in no library any more");
        assert_eq!(
            patch(server, &owner, &library, json!({"paths": ["Bea"]}))
                .await
                .status,
            200
        );
        assert!(!sees().await);
        let open = patch(server, &owner, &library, json!({"grants": []}))
            .await
            .json();
        assert_eq!(
            (&open["restricted"], &open["grants"]),
            (&json!(false), &json!([]))
        );
        assert!(sees().await, "open again");

        // The last who is let in goes: it opens for nobody.
        let ben = server.user("ben", false, &["member"]).await;
        let grants = json!({"grants": [{"userId": ben}]});
        assert_eq!(patch(server, &owner, &library, grants).await.status, 200);
        let mut change = server.store.identity.change_identity().await.unwrap();
        assert!(change.delete_user(ben).await.unwrap());
        change.commit().await.unwrap();
        assert!(!sees().await);
        let target = format!("{LIBRARIES}/{}", library["libraryId"].as_str().unwrap());
        let left = server.get_as(&owner, &target).await.json();
        assert_eq!((&left["restricted"], &left["grants"]), (&json!(true), &json!([])));

        let deleted = server.send_as(&owner, "DELETE", &target, &Value::Null).await;
        assert_eq!((deleted.status, deleted.json()), (200, json!(true)));
        assert!(sees().await, "its media stay");
        for method in ["GET", "PATCH", "DELETE"] {
            let body = if method == "GET" {
                Value::Null
            } else {
                json!({"name": "X"})
            };
            assert_eq!(
                server.send_as(&owner, method, &target, &body).await.status,
                404,
                "{method}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn folders_of_later_scans_are_hidden_as_soon_as_they_are_there() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        let bea = server.user("bea", false, &["member"]).await;
        let token = server.token(bea);
        let ben = server.token(server.user("ben", false, &["member"]).await);
        let body =
            json!({"name": "Bea", "mediaKind": "music", "paths": ["Bea"], "grants": [{"userId": bea}]});
        create(server, &owner, body).await;
        // Both are known before there is anything.
        for token in [&token, &ben] {
            assert!(titles(server, token).await.is_empty());
        }
        for place in ["Bea", "Beata"] {
            let folder = server.folder_at(MediaKind::music(), place).await;
            track(server, folder, place, place).await;
        }
        assert_eq!(titles(server, &ben).await, ["Beata"]);
        assert_eq!(titles(server, &token).await, ["Bea", "Beata"]);
    })
    .await;
}

#[covers("POST /api/v1/libraries", "code library_name_taken")]
#[tokio::test]
async fn input_of_libraries_is_checked() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let library = create(
        &server,
        &owner,
        json!({"name": " Älteres ", "mediaKind": "photos", "paths": ["b", "a/c", "b/d", "b"]}),
    )
    .await;
    assert_eq!(
        (
            &library["name"],
            &library["paths"],
            &library["grants"],
            &library["restricted"]
        ),
        (&json!("Älteres"), &json!(["a/c", "b"]), &json!([]), &json!(false))
    );
    let many = |item: Value| vec![item; 201];
    for (field, value, status, path) in [
        ("name", json!(""), 400, "name"),
        ("name", json!("a\u{202e}b"), 400, "name"),
        ("name", json!("x".repeat(101)), 400, "name"),
        ("paths", json!(["ok", "/etc"]), 400, "paths[1]"),
        ("paths", json!(["../x"]), 400, "paths[0]"),
        ("paths", json!(many(json!("a"))), 400, "paths"),
        ("grants", json!([{"userId": UNKNOWN}]), 404, "grants[0].userId"),
        ("grants", json!([{"userId": "nobody"}]), 400, "grants[0].userId"),
        (
            "grants",
            json!([{"role": "owner"}, {"role": "curator"}]),
            404,
            "grants[1].role",
        ),
        (
            "grants",
            json!([{"role": "member", "userId": UNKNOWN}]),
            400,
            "grants[0]",
        ),
        ("grants", json!([{}]), 400, "grants[0]"),
        ("grants", json!(many(json!({"role": "member"}))), 400, "grants"),
    ] {
        let mut body = json!({"name": "Other", "mediaKind": "music"});
        body[field] = value.clone();
        let made = server.send_as(&owner, "POST", LIBRARIES, &body).await;
        let changed = patch(&server, &owner, &library, json!({field: value})).await;
        for reply in [made, changed] {
            assert_eq!(reply.status, status, "{body}");
            assert_eq!(reply.json()["errors"][0]["path"], path, "{body}");
        }
    }
    for (kind, status) in [("", 400), ("Music", 400), ("books", 404), ("../x", 400)] {
        let body = json!({"name": "Other", "mediaKind": kind});
        let reply = server.send_as(&owner, "POST", LIBRARIES, &body).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (status, &json!("mediaKind")),
            "{kind}"
        );
    }
    // One name a kind, case and diacritics aside.
    let body = |kind: &str| json!({"name": "alteres", "mediaKind": kind});
    let taken = server.send_as(&owner, "POST", LIBRARIES, &body("photos")).await;
    assert_eq!(
        (taken.status, &taken.json()["code"]),
        (409, &json!("library_name_taken"))
    );
    let other = create(&server, &owner, body("music")).await;
    let third = create(&server, &owner, json!({"name": "Third", "mediaKind": "music"})).await;
    assert_eq!(
        patch(&server, &owner, &third, json!({"name": "ALTERES"}))
            .await
            .status,
        409
    );
    assert_eq!(
        patch(&server, &owner, &other, json!({"name": "ALTERES"}))
            .await
            .json()["name"],
        "ALTERES"
    );
    assert_eq!(
        listed(&server, &owner, LIBRARIES, "name").await,
        ["ALTERES", "Third", "Älteres"]
    );
    let by_age = server
        .get_as(&owner, &format!("{LIBRARIES}?orderBy=createdAt&take=1&skip=1"))
        .await
        .json();
    assert_eq!(
        (&by_age[0][0]["name"], &by_age[1]),
        (&json!("ALTERES"), &json!(3))
    );
    assert_eq!(
        server
            .get_as(&owner, &format!("{LIBRARIES}?orderBy=paths"))
            .await
            .status,
        400
    );
}

#[covers("GET /api/v1/libraries", "GET /api/v1/libraries/{libraryId}")]
#[tokio::test]
async fn who_is_let_in_is_told_to_those_who_may_change_it_and_changes_are_in_the_audit_log() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let bea = server.user("bea", false, &["member"]).await;
    let admin = server.token(server.user("admin", false, &["administrator"]).await);
    let grants = json!([{"userId": bea}]);
    let closed = create(
        &server,
        &owner,
        json!({"name": "Closed", "mediaKind": "music", "grants": grants}),
    )
    .await;
    create(
        &server,
        &owner,
        json!({"name": "Owner's", "mediaKind": "music", "grants": [{"role": "owner"}]}),
    )
    .await;
    create(&server, &owner, json!({"name": "Open", "mediaKind": "tv"})).await;
    let token = server.token(bea);
    let seen = server.get_as(&token, LIBRARIES).await.json();
    assert_eq!(
        (&seen[0][0]["name"], &seen[0][1]["name"], &seen[1]),
        (&json!("Closed"), &json!("Open"), &json!(2))
    );
    assert!(seen[0][0].get("grants").is_none(), "{seen}");
    let target = format!("{LIBRARIES}/{}", closed["libraryId"].as_str().unwrap());
    assert!(
        server
            .get_as(&token, &target)
            .await
            .json()
            .get("grants")
            .is_none()
    );
    for token in [&owner, &admin] {
        assert_eq!(server.get_as(token, &target).await.json()["grants"], grants);
        assert_eq!(server.get_as(token, LIBRARIES).await.json()[1], 3);
    }
    let ben = server.token(server.user("ben", false, &["member"]).await);
    assert_eq!(server.get_as(&ben, &target).await.status, 404);
    assert_eq!(listed(&server, &ben, LIBRARIES, "name").await, ["Open"]);

    assert_eq!(
        patch(&server, &admin, &closed, json!({"grants": grants}))
            .await
            .status,
        200
    );
    assert_eq!(
        patch(&server, &admin, &closed, json!({"name": "Closer"}))
            .await
            .status,
        200
    );
    assert_eq!(
        server
            .send_as(&admin, "DELETE", &target, &Value::Null)
            .await
            .status,
        200
    );
    let log = async |event: &str| {
        let log = server
            .get_as(&owner, &format!("/api/v1/audit?event={event}&order=ASC"))
            .await;
        log.json()[0].as_array().unwrap().clone()
    };
    let made = log("library_created").await;
    assert_eq!(made.len(), 3);
    assert_eq!(
        made[0]["details"],
        json!({"library": "Closed", "libraryId": closed["libraryId"], "mediaKind": "music", "grants": format!("user {bea}")})
    );
    let (changed, deleted) = (log("library_updated").await, log("library_deleted").await);
    assert_eq!(
        (changed.len(), deleted.len()),
        (1, 1),
        "what changes nothing is no change"
    );
    assert_eq!(changed[0]["details"]["library"], "Closer");
    assert_eq!(deleted[0]["username"], "admin");
}
