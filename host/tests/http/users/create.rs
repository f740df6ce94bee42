//! `POST /users`.

use serde_json::json;
use svc_covers::covers;

use super::{create, new, update};
use crate::support::TestServer;
use crate::support::accounts::PASSWORD;

#[covers("POST /api/v1/users", "code username_taken", "R50a", "T07")]
#[tokio::test]
async fn username_password_and_role_of_a_new_user_are_validated() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let long = "x".repeat(65);
    for name in [
        "",
        " ",
        " bob",
        "bob ",
        "b\nb",
        "b\u{200b}b",
        "b\u{202e}b",
        "guest",
        "GUEST",
        "ＧＵＥＳＴ",
        "public",
        "Current",
        &long,
    ] {
        let reply = create(&token, &new(name)).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (400, &json!("username")),
            "{name:?}"
        );
    }
    for password in ["", "1234567", &"x".repeat(257)] {
        let reply = create(&token, &json!({"username": "bob", "password": password})).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (400, &json!("password")),
            "{password:?}"
        );
    }
    for (role, status) in [
        ("owner", 403),
        ("guest", 403),
        ("Member", 400),
        ("", 400),
        ("%", 400),
        ("x' OR '1'='1", 400),
    ] {
        let body = json!({"username": "bob", "password": PASSWORD, "role": role});
        assert_eq!(create(&token, &body).await.status, status, "{role:?}");
    }
    for body in [
        json!({}),
        json!({"username": "bob"}),
        json!({"password": PASSWORD}),
        json!({"username": 1, "password": PASSWORD}),
        json!({"username": "bob", "password": 12_345_678}),
        json!([]),
        json!(null),
        json!({"username": "bob", "password": PASSWORD, "displayName": "\n"}),
        json!({"username": "bob", "password": PASSWORD, "displayName": ""}),
    ] {
        assert_eq!(create(&token, &body).await.status, 400, "{body}");
    }
    // Wildcards are ordinary names; names that differ in case or diacritics are equal.
    for name in [
        "%",
        "_",
        "*",
        "\\",
        "bob",
        "%%",
        "bob.",
        "'; DROP TABLE users; --",
    ] {
        assert_eq!(create(&token, &new(name)).await.status, 201, "{name}");
    }
    for twin in ["BOB", "Ｂｏｂ", "böb", "%"] {
        let reply = create(&token, &new(twin)).await;
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (409, &json!("username_taken")),
            "{twin}"
        );
    }
    let bob = server.user_id("bob").await;
    assert_eq!(update(&token, bob, &json!({"username": "ADA"})).await.status, 409);
    assert_eq!(
        update(&token, bob, &json!({"username": "BOB"})).await.json()["username"],
        "BOB"
    );
    assert_eq!(
        update(&token, bob, &json!({"username": "Guest"})).await.status,
        400
    );
    assert_eq!(server.try_password("%%%", PASSWORD).await.status, 403);
    assert_eq!(server.try_password("b_b", PASSWORD).await.status, 403);
    assert_eq!(server.try_password("bob", PASSWORD).await.status, 201);
}
