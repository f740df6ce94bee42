//! `GET /users` and `GET /users/{id}`.

use serde_json::json;
use svc_covers::covers;

use super::{USERS, create, names, new};
use crate::support::TestServer;
use crate::support::accounts::PASSWORD;
use crate::support::client::redacted;

#[covers("GET /api/v1/users", "R42", "R47")]
#[tokio::test]
async fn users_are_listed_by_creation_time() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    for number in 0..15 {
        server.user(&format!("user{number:02}"), false, &["member"]).await;
    }
    let get = async |query: &str| {
        let reply = token.get(&format!("{USERS}?{query}")).await;
        assert_eq!(reply.status, 200, "{query}");
        reply.json()
    };
    let all = get("take=1000&order=ASC").await;
    let total = 17;
    assert_eq!((all.as_array().unwrap().len(), &all[1]), (2, &json!(total)));
    let oldest_first = names(&all[0]);
    assert_eq!(oldest_first.len(), total);
    assert_eq!(&oldest_first[..3], ["guest", "ada", "user00"]);
    let first_page = get("").await;
    assert_eq!(first_page[1], total);
    let newest_first: Vec<_> = oldest_first.iter().rev().cloned().collect();
    assert_eq!(names(&first_page[0]), newest_first[..12]);
    assert_eq!(
        names(&get("order=DESC&sort=createdAt&take=3&skip=12").await[0]),
        newest_first[12..15]
    );
    assert_eq!(get("take=0").await, json!([[], total]));
    assert_eq!(get("skip=1000").await, json!([[], total]));
    for (query, reported) in [
        ("roles=true", true),
        ("roles=1", true),
        ("roles=false", false),
        ("roles=0", false),
        ("", false),
    ] {
        let user = get(query).await[0][0].clone();
        assert_eq!(
            user.get("roles"),
            reported.then(|| json!(["member"])).as_ref(),
            "{query}"
        );
        assert_eq!(user["enabled"], true);
    }
    for query in [
        "roles=yes",
        "roles=TRUE",
        "roles=",
        "take=-1",
        "take=1001",
        "take=1.0",
        "take=1e2",
        "take=x",
        "take=",
        "take=9223372036854775808",
        "skip=-1",
        "skip=0.5",
        "order=asc",
        "order=",
        "sort=username",
        "sort=password_hash",
        "sort=createdAt;DROP TABLE users",
        "take=1&take=2",
        "order=DESC,username",
    ] {
        let reply = token.get(&format!("{USERS}?{}", query.replace(' ', "%20"))).await;
        assert_eq!(reply.status, 400, "{query}");
        assert!(reply.json()["errors"][0]["path"].is_string(), "{query}");
    }
}

#[covers("GET /api/v1/users/{id}")]
#[tokio::test]
async fn user_is_shown_with_roles_and_without_secrets() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let made = create(
        &token,
        &json!({"username": "Bob", "password": PASSWORD, "displayName": " Bobby ", "role": "member"}),
    )
    .await;
    assert_eq!(made.status, 201);
    let user = made.json();
    let id = user["userId"].as_str().unwrap();
    let shown = token.get(&format!("{USERS}/{id}")).await;
    assert_eq!((shown.status, &shown.json()), (200, &user));
    insta::assert_json_snapshot!(redacted(user.clone()), @r#"
    {
      "cloudLinked": false,
      "createdAt": "[time]",
      "displayName": "Bobby",
      "enabled": true,
      "isGuest": false,
      "isOwner": false,
      "roles": [
        "member"
      ],
      "userId": "[id]",
      "username": "Bob"
    }
    "#);
    assert_eq!(
        create(&token, &new("eve")).await.json()["roles"],
        json!(["newcomer"])
    );
    for unknown in ["0000000000001", "junk", "1", "%25", "..%2fowner", "PUBLIC"] {
        assert_eq!(
            token.get(&format!("{USERS}/{unknown}")).await.status,
            404,
            "{unknown}"
        );
    }
}
