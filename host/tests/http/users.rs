//! Accounts: lists, what is shown of them, and making them.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::access_matrix::personal_access_token;
use crate::roles::allowed_to;
use crate::{Reply, TestServer, TestServerOptions};
use svc_identity::capability::Capability;

pub(super) const USERS: &str = "/api/v1/users";
pub(super) const PASSWORD: &str = "correct horse";

pub(super) async fn create(server: &TestServer, token: &str, body: &Value) -> Reply {
    server.send_as(token, "POST", USERS, body).await
}

pub(super) async fn update(
    server: &TestServer,
    token: &str,
    id: impl std::fmt::Display,
    body: &Value,
) -> Reply {
    server
        .send_as(token, "PATCH", &format!("{USERS}/{id}"), body)
        .await
}

pub(super) fn new(name: &str) -> Value {
    json!({"username": name, "password": PASSWORD})
}

pub(super) async fn sign_in(server: &TestServer, name: &str, password: &str) -> Reply {
    let headers = [("svc-app", "music"), ("content-type", "application/json")];
    let body = json!({"username": name, "password": password}).to_string();
    server.send("POST", "/api/v1/auth/login", &headers, &body).await
}

pub(super) fn jwt(login: &Reply) -> String {
    assert_eq!(login.status, 201, "{:?}", String::from_utf8_lossy(&login.body));
    login.json()["JWT"].as_str().unwrap().to_owned()
}

pub(super) fn names(list: &Value) -> Vec<String> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|user| user["username"].as_str().unwrap().to_owned())
        .collect()
}

#[covers("GET /api/v1/users", "R42", "R47")]
#[tokio::test]
async fn users_are_listed_by_the_moment_they_were_made() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    for number in 0..15 {
        server.user(&format!("user{number:02}"), false, &["member"]).await;
    }
    let get = async |query: &str| {
        let reply = server.get_as(&token, &format!("{USERS}?{query}")).await;
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
    for (query, told) in [
        ("roles=true", true),
        ("roles=1", true),
        ("roles=false", false),
        ("roles=0", false),
        ("", false),
    ] {
        let user = get(query).await[0][0].clone();
        assert_eq!(
            user.get("roles"),
            told.then(|| json!(["member"])).as_ref(),
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
        let reply = server
            .get_as(&token, &format!("{USERS}?{}", query.replace(' ', "%20")))
            .await;
        assert_eq!(reply.status, 400, "{query}");
        assert!(reply.json()["errors"][0]["path"].is_string(), "{query}");
    }
}

#[covers("GET /api/v1/users/{id}")]
#[tokio::test]
async fn a_user_is_shown_with_roles_and_without_secrets() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let made = create(
        &server,
        &token,
        &json!({"username": "Bob", "password": PASSWORD, "displayName": " Bobby ", "role": "member"}),
    )
    .await;
    assert_eq!(made.status, 201);
    let user = made.json();
    let id = user["userId"].as_str().unwrap();
    let expected = json!({"userId": id, "username": "Bob", "displayName": "Bobby", "enabled": true, "isOwner": false,
        "isGuest": false, "cloudLinked": false, "createdAt": user["createdAt"], "roles": ["member"]});
    assert_eq!(user, expected);
    let shown = server.get_as(&token, &format!("{USERS}/{id}")).await;
    assert_eq!((shown.status, shown.json()), (200, expected));
    assert_eq!(
        create(&server, &token, &new("eve")).await.json()["roles"],
        json!(["newcomer"])
    );
    for unknown in ["0000000000001", "junk", "1", "%25", "..%2fowner", "PUBLIC"] {
        assert_eq!(
            server.get_as(&token, &format!("{USERS}/{unknown}")).await.status,
            404,
            "{unknown}"
        );
    }
}

#[covers("GET /api/v1/users/current", "GET /api/v1/users/owner", "R48")]
#[tokio::test]
async fn words_in_the_path_come_before_ids() {
    let server = TestServer::start().await;
    let owner = server
        .get_as(&server.caller_without_roles().await, &format!("{USERS}/owner"))
        .await;
    assert_eq!(owner.status, 403);
    let reader = server.token(
        allowed_to(
            &server,
            "reader",
            &[Capability::UsersRead, Capability::CurrentUserRead],
        )
        .await,
    );
    let without_owner = server.get_as(&reader, &format!("{USERS}/owner")).await;
    assert_eq!((without_owner.status, without_owner.json()), (200, Value::Null));
    let token = server.owner().await;
    assert_eq!(
        server.get_as(&token, &format!("{USERS}/owner")).await.json()["username"],
        "ada"
    );
    assert!(
        server
            .get_as(&token, &format!("{USERS}/public"))
            .await
            .json()
            .is_array()
    );
    let current = server.get_as(&reader, &format!("{USERS}/current")).await.json();
    assert_eq!(current["localUser"]["username"], "reader");
    assert_eq!(current["cloudUser"], Value::Null);
    assert_eq!(
        (&current["roles"], &current["capabilities"]),
        (
            &json!(["reader-role"]),
            &json!(["CurrentUser.Read", "Users.Read"])
        )
    );
    // A cloud token is not looked at here.
    let bearer = format!("Bearer {reader}");
    let headers = [("authorization", bearer.as_str()), ("svc-cloud-token", "junk")];
    assert_eq!(
        server
            .send("GET", &format!("{USERS}/current"), &headers, "")
            .await
            .status,
        200
    );
    let narrowed = server
        .store
        .users
        .user_for_login("reader")
        .await
        .unwrap()
        .unwrap()
        .0
        .id;
    let narrowed = personal_access_token(
        &server,
        narrowed,
        Some(&[Capability::CurrentUserRead, Capability::UsersUpdate]),
    )
    .await;
    assert_eq!(
        server.get_as(&narrowed, &format!("{USERS}/current")).await.json()["capabilities"],
        json!(["CurrentUser.Read"])
    );
}

#[covers("GET /api/v1/users/active")]
#[tokio::test]
async fn active_users_are_those_of_the_last_fifteen_minutes() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let bob = server.user("bob", false, &[]).await;
    server.get_as(&server.token(bob), "/api/v1/versions").await;
    let active = server.get_as(&token, &format!("{USERS}/active")).await.json();
    assert_eq!(names(&active), ["ada", "bob"]);
    assert!(active[0]["lastActiveAt"].is_string() && active[0].get("roles").is_none());
    server.clock.advance(std::time::Duration::from_secs(15 * 60 + 1));
    let ada = server.token(server.store.users.owner().await.unwrap().unwrap().user.id);
    assert_eq!(
        names(&server.get_as(&ada, &format!("{USERS}/active")).await.json()),
        ["ada"]
    );
}

#[covers("GET /api/v1/users/public", "R49")]
#[tokio::test]
async fn the_login_screen_shows_enabled_users_and_the_guest_only_while_let_in() {
    for kiosk in [false, true] {
        let server = TestServer::start_with(TestServerOptions {
            kiosk,
            ..TestServerOptions::default()
        })
        .await;
        let token = server.owner().await;
        let bob = server.user("bob", false, &["member"]).await;
        let eve = server.user("eve", false, &[]).await;
        assert_eq!(
            update(&server, &token, eve, &json!({"enabled": false, }))
                .await
                .status,
            200
        );
        assert_eq!(
            update(&server, &token, bob, &json!({"displayName": "Bobby"}))
                .await
                .status,
            200
        );
        let public = async || server.get(&format!("{USERS}/public")).await.json();
        let guest: &[&str] = if kiosk { &["guest"] } else { &[] };
        assert_eq!(names(&public().await), [&["ada", "bob"], guest].concat());
        let expected = json!({"userId": bob, "username": "bob", "displayName": "Bobby", "isGuest": false});
        assert_eq!(public().await[1], expected);
        let set = async |key: &str, value: bool| {
            let body = json!({"app": null, "settings": {key: value}});
            assert_eq!(
                server
                    .send_as(&token, "PATCH", "/api/v1/settings", &body)
                    .await
                    .status,
                200
            );
        };
        set("guest_access", true).await;
        assert_eq!(names(&public().await), ["ada", "bob", "guest"]);
        set("public_user_list", false).await;
        assert_eq!(public().await, json!([]));
    }
}

#[covers("GET /api/v1/licensing/seats", "GET /api/v1/licensing/subscription")]
#[tokio::test]
async fn seats_and_subscription_are_told() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    server.user("bob", false, &[]).await;
    let seats = server.get_as(&token, "/api/v1/licensing/seats").await;
    assert_eq!((seats.status, &seats.json()["used"]), (200, &json!(2)));
    let subscription = server.get_as(&token, "/api/v1/licensing/subscription").await;
    assert_eq!(subscription.status, 200);
    assert!(subscription.json()["tier"].is_string());
}

#[covers("POST /api/v1/users", "code username_taken", "R50a", "T07")]
#[tokio::test]
async fn names_passwords_and_roles_of_new_users_are_checked() {
    let server = TestServer::start().await;
    let token = server.owner().await;
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
        let reply = create(&server, &token, &new(name)).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (400, &json!("username")),
            "{name:?}"
        );
    }
    for password in ["", "1234567", &"x".repeat(257)] {
        let reply = create(&server, &token, &json!({"username": "bob", "password": password})).await;
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
        assert_eq!(create(&server, &token, &body).await.status, status, "{role:?}");
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
        assert_eq!(create(&server, &token, &body).await.status, 400, "{body}");
    }
    // Wildcards are names like any other, and twins of a name are the same name.
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
        assert_eq!(create(&server, &token, &new(name)).await.status, 201, "{name}");
    }
    for twin in ["BOB", "Ｂｏｂ", "böb", "%"] {
        let reply = create(&server, &token, &new(twin)).await;
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (409, &json!("username_taken")),
            "{twin}"
        );
    }
    let bob = server
        .store
        .users
        .user_for_login("bob")
        .await
        .unwrap()
        .unwrap()
        .0
        .id;
    assert_eq!(
        update(&server, &token, bob, &json!({"username": "ADA"}))
            .await
            .status,
        409
    );
    assert_eq!(
        update(&server, &token, bob, &json!({"username": "BOB"}))
            .await
            .json()["username"],
        "BOB"
    );
    assert_eq!(
        update(&server, &token, bob, &json!({"username": "Guest"}))
            .await
            .status,
        400
    );
    assert_eq!(sign_in(&server, "%%%", PASSWORD).await.status, 403);
    assert_eq!(sign_in(&server, "b_b", PASSWORD).await.status, 403);
    assert_eq!(sign_in(&server, "bob", PASSWORD).await.status, 201);
}
