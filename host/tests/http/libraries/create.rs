//! `POST /libraries`: input, and names that are taken.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{LIBRARIES, create, listed, patch};
use crate::UNKNOWN;
use crate::support::TestServer;

#[covers("POST /api/v1/libraries", "code library_name_taken")]
#[tokio::test]
async fn input_of_libraries_is_validated() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let library = create(
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
        let made = owner.post(LIBRARIES, &body).await;
        let changed = patch(&owner, &library, json!({field: value})).await;
        for reply in [made, changed] {
            assert_eq!(reply.status, status, "{body}");
            assert_eq!(reply.json()["errors"][0]["path"], path, "{body}");
        }
    }
    for (kind, status) in [("", 400), ("Music", 400), ("books", 404), ("../x", 400)] {
        let body = json!({"name": "Other", "mediaKind": kind});
        let reply = owner.post(LIBRARIES, &body).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (status, &json!("mediaKind")),
            "{kind}"
        );
    }
    // Names are unique per kind, ignoring case and diacritics.
    let body = |kind: &str| json!({"name": "alteres", "mediaKind": kind});
    let taken = owner.post(LIBRARIES, &body("photos")).await;
    assert_eq!(
        (taken.status, &taken.json()["code"]),
        (409, &json!("library_name_taken"))
    );
    let other = create(&owner, body("music")).await;
    let third = create(&owner, json!({"name": "Third", "mediaKind": "music"})).await;
    assert_eq!(
        patch(&owner, &third, json!({"name": "ALTERES"})).await.status,
        409
    );
    assert_eq!(
        patch(&owner, &other, json!({"name": "ALTERES"})).await.json()["name"],
        "ALTERES"
    );
    assert_eq!(
        listed(&owner, LIBRARIES, "name").await,
        ["ALTERES", "Third", "Älteres"]
    );
    let by_age = owner
        .get(&format!("{LIBRARIES}?orderBy=createdAt&take=1&skip=1"))
        .await
        .json();
    assert_eq!(
        (&by_age[0][0]["name"], &by_age[1]),
        (&json!("ALTERES"), &json!(3))
    );
    assert_eq!(owner.get(&format!("{LIBRARIES}?orderBy=paths")).await.status, 400);
}
