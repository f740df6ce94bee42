//! Emptying the index and factory reset: who may, in which order things are checked, what stays and what goes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::access_matrix::personal_access_token;
use crate::roles::allowed_to;
use crate::{INSTANCE, Reply, TestServer};
use svc_domain::kind::MediaKind;
use svc_domain::time::SystemClock;
use svc_host::installation;
use svc_identity::capability::Capability;
use svc_platform::data_dir::DataDir;
use svc_platform::random::SystemRandom;
use svc_store::{Instance, Store, StoreOptions};
use svc_test_support::databases::sqlite_url;

const TARGET: &str = "/api/v1/reset";
const PASSWORD: &str = "correct horse";

pub(super) async fn reset(server: &TestServer, token: &str, kind: &str, phrase: &str) -> Reply {
    server
        .send_as(
            token,
            "POST",
            TARGET,
            &json!({"type": kind, "validationPhrase": phrase}),
        )
        .await
}

async fn factory_reset(server: &TestServer, token: &str) {
    let reply = reset(server, token, "factory", "Factory reset").await;
    assert_eq!((reply.status, reply.json()), (201, json!(true)));
}

pub(super) async fn set_up(server: &TestServer, name: &str) -> Reply {
    server
        .post("/api/v1/setup", &json!({"username": name, "password": PASSWORD}))
        .await
}

async fn sign_in(server: &TestServer, name: &str) -> Reply {
    let headers = [("svc-app", "admin"), ("content-type", "application/json")];
    let body = json!({"username": name, "password": PASSWORD}).to_string();
    server.send("POST", "/api/v1/auth/login", &headers, &body).await
}

/// Name and value of the refresh cookie that an answer sets.
fn cookie(reply: &Reply) -> (String, String) {
    let text = reply.header("set-cookie");
    let (pair, _) = text.split_once(';').unwrap();
    let (name, value) = pair.split_once('=').unwrap();
    (name.to_owned(), value.to_owned())
}

/// Everything below a directory: content and times.
fn tree(at: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(at).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            let modified = path.metadata().unwrap().modified().unwrap();
            found.insert(path.clone(), (std::fs::read(&path).unwrap(), modified));
        }
    }
    found
}

pub(super) async fn with_media() -> TestServer {
    let server = TestServer::start().await;
    let folder = server.folder(MediaKind::music()).await;
    server.track(folder, "one.mp3", "One", b"0123456789").await;
    server.track(folder, "two.mp3", "Two", b"9876543210").await;
    server
}

/// The installation in a directory, as the next start finds it.
pub(super) async fn restarted(directory: &tempfile::TempDir) -> (Store, Result<(Instance, String), String>) {
    let store = Store::open(&sqlite_url(directory), StoreOptions::default())
        .await
        .unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let found = installation::identify(&store.instance, &data_dir, &SystemRandom, &SystemClock).await;
    let found = found
        .map(|(instance, key)| (instance, key.id()))
        .map_err(|error| error.to_string());
    (store, found)
}

/// Ends a server as a stop of the process does, but for its directory.
pub(super) async fn stopped(server: TestServer) -> tempfile::TempDir {
    let TestServer {
        service,
        state,
        store,
        directory,
        ..
    } = server;
    drop((service, state));
    store.database.close().await;
    directory
}

pub(super) fn marker(directory: &tempfile::TempDir) -> Vec<String> {
    let text = std::fs::read_to_string(directory.path().join("instance-id")).unwrap();
    text.lines().map(str::to_owned).collect()
}

pub(super) fn signing_key(directory: &tempfile::TempDir) -> Vec<u8> {
    std::fs::read(directory.path().join("keys/signing.key")).unwrap()
}

#[covers("POST /api/v1/reset", "R7")]
#[tokio::test]
async fn checks_come_in_their_order_capability_type_capability_for_it_phrase() {
    let server = with_media().await;
    let deindexer = server.token(allowed_to(&server, "deindexer", &[Capability::IndexingDeindex]).await);
    let resetter =
        server.token(allowed_to(&server, "resetter", &[Capability::MediaServerFactoryReset]).await);
    let nobody = server.caller_without_roles().await;
    let owner = server.owner().await;
    let before = tree(&server.root);
    let good = |kind: &str, phrase: &str| json!({"type": kind, "validationPhrase": phrase});
    for (token, body, status) in [
        (&nobody, json!({}), 403),
        (&nobody, json!("junk"), 403),
        (&nobody, good("deindex", "Deindex media"), 403),
        (&deindexer, json!({}), 400),
        (&deindexer, json!({"validationPhrase": "Deindex media"}), 400),
        (
            &deindexer,
            json!({"type": null, "validationPhrase": "Deindex media"}),
            400,
        ),
        (&deindexer, good("Deindex", "Deindex media"), 400),
        (&deindexer, good("everything", "Factory reset"), 400),
        (&deindexer, good("factory", "Factory reset"), 403),
        (&deindexer, good("factory", "wrong"), 403),
        (&resetter, good("deindex", "Deindex media"), 403),
        (&resetter, good("deindex", ""), 403),
        (&resetter, good("factory", "Deindex media"), 400),
        (&owner, good("deindex", "Factory reset"), 400),
        (&owner, good("factory", "Deindex media"), 400),
        (&owner, good("factory", "factory reset"), 400),
        (&owner, good("factory", " Factory reset"), 400),
        (&owner, good("factory", "Factory reset\n"), 400),
        (&owner, good("factory", "Factory  reset"), 400),
        (&owner, good("factory", ""), 400),
        (&owner, json!({"type": "factory"}), 400),
        (&owner, json!({"type": "factory", "validationPhrase": null}), 400),
        (
            &owner,
            json!({"type": "factory", "validationPhrase": ["Factory reset"]}),
            400,
        ),
        (
            &owner,
            json!({"type": ["factory"], "validationPhrase": "Factory reset"}),
            400,
        ),
    ] {
        let reply = server.send_as(token, "POST", TARGET, &body).await;
        assert_eq!(reply.status, status, "{body}");
    }
    for broken in [
        "",
        "{",
        "{\"type\":\"factory\",\"validationPhrase\":\"Factory reset\"",
    ] {
        for (token, status) in [(&nobody, 403), (&owner, 400)] {
            let bearer = format!("Bearer {token}");
            let headers = [
                ("authorization", bearer.as_str()),
                ("content-type", "application/json"),
            ];
            assert_eq!(
                server.send("POST", TARGET, &headers, broken).await.status,
                status,
                "{broken}"
            );
        }
    }
    // Nor do a browser's cookie or form, a token in the URL, or a token narrowed to something else.
    let owner_id = server.store.users.owner().await.unwrap().unwrap().user.id;
    let narrowed = personal_access_token(&server, owner_id, Some(&[Capability::IndexingRead])).await;
    assert_eq!(
        reset(&server, &narrowed, "factory", "Factory reset").await.status,
        403
    );
    let body = good("factory", "Factory reset").to_string();
    let json = [("content-type", "application/json")];
    assert_eq!(
        server
            .send("POST", &format!("{TARGET}?token={owner}"), &json, &body)
            .await
            .status,
        401
    );
    // Guests are not let in, and would have no capability if they were.
    let guest = server.token(server.store.users.guest().await.unwrap().unwrap().id);
    assert_eq!(
        reset(&server, &guest, "factory", "Factory reset").await.status,
        401
    );
    let bearer = format!("Bearer {owner}");
    let form = [("authorization", bearer.as_str()), ("content-type", "text/plain")];
    assert_eq!(server.send("POST", TARGET, &form, &body).await.status, 415);

    assert_eq!(
        server.get_as(&owner, "/api/v1/index/counts").await.json()["musicFiles"],
        2
    );
    assert_eq!(
        server.get("/api/v1/instance").await.json()["instanceId"],
        INSTANCE
    );
    assert_eq!(tree(&server.root), before);
}

#[tokio::test]
async fn deindexing_empties_the_index_and_leaves_files_and_accounts() {
    for field in ["validationPhrase", "validationString"] {
        let server = with_media().await;
        let token = server.token(
            allowed_to(
                &server,
                "bob",
                &[Capability::IndexingDeindex, Capability::IndexingRead],
            )
            .await,
        );
        let before = tree(&server.root);
        let body = json!({"type": "deindex", field: "Deindex media"});
        let reply = server.send_as(&token, "POST", TARGET, &body).await;
        assert_eq!((reply.status, reply.json()), (201, json!(true)));
        assert_eq!(
            server.get_as(&token, "/api/v1/index/counts").await.json()["musicFiles"],
            0
        );
        assert_eq!(tree(&server.root), before);
        let directories = server.get_as(&token, "/api/v1/index/directories").await;
        assert_eq!(directories.json().as_array().unwrap().len(), 1);
        let owner = server.owner().await;
        assert_eq!(server.get_as(&owner, "/api/v1/music/tracks").await.json()[1], 0);
        assert_eq!(
            server.get("/api/v1/instance").await.json()["instanceId"],
            INSTANCE
        );
    }
}

#[covers("R60", "T47")]
#[tokio::test]
async fn after_a_factory_reset_nobody_and_nothing_is_known_but_the_media() {
    let server = with_media().await;
    assert_eq!(set_up(&server, "ada").await.status, 201);
    let login = sign_in(&server, "ada").await;
    let jwt = login.json()["JWT"].as_str().unwrap().to_owned();
    let (cookie_name, cookie_value) = cookie(&login);
    assert_eq!(cookie_name, format!("svc_refresh_token_{INSTANCE}"));
    let owner = server.store.users.owner().await.unwrap().unwrap().user.id;
    let program = personal_access_token(&server, owner, None).await;
    let settings = json!({"app": null, "settings": {"server_name": "Home", "theme": "dark", "session_timeout": "memory"}});
    assert_eq!(
        server
            .send_as(&jwt, "PATCH", "/api/v1/settings", &settings)
            .await
            .status,
        200
    );
    let origin = "https://good.example";
    server
        .send_as(&jwt, "POST", "/api/v1/cors-origins", &json!({"origin": origin}))
        .await;
    server
        .send_as(
            &jwt,
            "POST",
            "/api/v1/roles",
            &json!({"name": "curator", "capabilities": []}),
        )
        .await;
    server.user("bob", false, &["curator"]).await;
    let (media, key) = (tree(&server.root), signing_key(&server.directory));

    factory_reset(&server, &jwt).await;

    assert_eq!(tree(&server.root), media);
    assert_ne!(signing_key(&server.directory), key);
    assert_eq!(server.get("/api/v1/health").await.json()["state"], "not_setup");
    let instance = server.get("/api/v1/instance").await.json();
    let id = instance["instanceId"].as_str().unwrap().to_owned();
    assert!(id != INSTANCE && id.len() == 32);
    assert_eq!(instance["serverName"], "svc");
    assert_eq!(marker(&server.directory), std::slice::from_ref(&id));
    assert_eq!(server.get_as(&jwt, "/api/v1/versions").await.status, 410);
    let refused = server.get_as(&program, "/api/v1/versions").await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (401, &json!("pat_invalid"))
    );
    for name in [cookie_name, format!("svc_refresh_token_{id}")] {
        let cookie = format!("{name}={cookie_value}");
        let reply = server
            .send("POST", "/api/v1/auth/refresh", &[("cookie", &cookie)], "")
            .await;
        assert_eq!(reply.status, 401, "{name}");
    }
    assert_eq!(sign_in(&server, "ada").await.status, 403);
    let preflight = [("origin", origin), ("access-control-request-method", "POST")];
    let preflight = server.send("OPTIONS", "/api/v1/auth/login", &preflight, "").await;
    assert!(!preflight.headers.contains_key("access-control-allow-origin"));

    // As new: the setup is open again, once.
    assert_eq!(set_up(&server, "eve").await.status, 201);
    assert_eq!(set_up(&server, "mallory").await.status, 403);
    let login = sign_in(&server, "eve").await;
    assert_eq!((login.status, &login.json()["scope"]), (201, &json!("local")));
    assert_eq!(cookie(&login).0, format!("svc_refresh_token_{id}"));
    let jwt = login.json()["JWT"].as_str().unwrap().to_owned();
    let users = server.get_as(&jwt, "/api/v1/users?order=ASC").await.json();
    assert_eq!(users[1], 2);
    assert_eq!(
        (&users[0][0]["username"], &users[0][1]["username"]),
        (&json!("guest"), &json!("eve"))
    );
    assert_eq!(
        server.get_as(&jwt, "/api/v1/cors-origins").await.json(),
        json!([])
    );
    assert_eq!(
        server.get_as(&jwt, "/api/v1/settings/admin").await.json()["settings"]["theme"],
        "system"
    );
    assert_eq!(
        server
            .get_as(&jwt, "/api/v1/roles")
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        8
    );
    assert_eq!(
        server.get_as(&jwt, "/api/v1/index/counts").await.json()["musicFiles"],
        0
    );
    let events = server.get_as(&jwt, "/api/v1/audit?order=ASC").await.json();
    let events: Vec<_> = events[0]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["event"].clone())
        .collect();
    assert_eq!(events, ["factory_reset", "setup_completed", "login_succeeded"]);

    let directory = stopped(server).await;
    let (store, found) = restarted(&directory).await;
    assert_eq!(found.unwrap().0.instance_id, id);
    assert_eq!(store.users.owner().await.unwrap().unwrap().user.username, "eve");
}

#[covers("T46")]
#[tokio::test]
async fn fifty_setups_at_once_make_one_owner() {
    let server = Arc::new(TestServer::start().await);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..50 {
        let server = Arc::clone(&server);
        calls.spawn(async move {
            loop {
                let reply = set_up(&server, &format!("user{number}")).await;
                // Whoever finds the queue of passwords full comes again.
                if reply.status != 503 {
                    return reply;
                }
                assert_eq!(
                    (&reply.json()["code"], reply.header("retry-after")),
                    (&json!("busy"), "2")
                );
            }
        });
    }
    let replies = calls.join_all().await;
    let made = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(made, 1);
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        assert_eq!((reply.status, &reply.json()["code"]), (403, &Value::Null));
    }
    let owner = server.token(server.store.users.owner().await.unwrap().unwrap().user.id);
    assert_eq!(
        server.get_as(&owner, "/api/v1/users").await.json()[1],
        2,
        "the owner and the guest"
    );
}

#[covers("GET /api/v1/release-channels", "GET /api/v1/updates", "R57")]
#[tokio::test]
async fn channels_and_updates_are_public_and_tell_the_truth() {
    let server = TestServer::start().await;
    let channels = server.get("/api/v1/release-channels").await;
    assert_eq!(
        (channels.status, &channels.json()["current"]),
        (200, &json!("stable"))
    );
    let available = channels.json()["available"].as_array().unwrap().clone();
    assert!(
        available
            .iter()
            .any(|channel| channel["name"] == "stable" && channel["description"].is_string())
    );
    let updates = server.get("/api/v1/updates").await;
    assert_eq!((updates.status, updates.json().get("code")), (503, None));
}
