//! `/dev`: routes of the development mode, for callers on the same machine.

use std::net::IpAddr;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::filled;
use crate::support::{Reply, TestServer, TestServerOptions};
use svc_api::router::dev_routes;

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Statuses for a foreign origin and for a host that is not this server.
const REFUSALS: [u16; 2] = [403, 421];

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

async fn dev_server(peer: IpAddr) -> TestServer {
    TestServer::start_with(TestServerOptions {
        dev: true,
        peer,
        ..TestServerOptions::default()
    })
    .await
}

/// A response without its request id.
fn said(reply: &Reply) -> (u16, Vec<(String, Vec<u8>)>, Vec<u8>) {
    let mut headers: Vec<_> = reply
        .headers
        .iter()
        .filter(|(name, _)| *name != "x-request-id")
        .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
        .collect();
    headers.sort();
    (reply.status, headers, reply.body.clone())
}

#[covers("R9", "T48")]
#[tokio::test]
async fn dev_route_outside_development_mode_equals_an_unknown_route() {
    let server = TestServer::start_with(TestServerOptions {
        peer: HERE,
        ..TestServerOptions::default()
    })
    .await;
    let owner = format!("Bearer {}", server.as_owner().await);
    let token = owner.as_str();
    let json = ("content-type", "application/json");
    let plain = [json];
    let known = [json, ("authorization", token)];
    let browser = [
        json,
        ("origin", crate::LISTED_ORIGIN),
        ("access-control-request-method", "POST"),
    ];
    assert_eq!(dev_routes().len(), 11);
    for headers in [&plain[..], &known, &browser] {
        for method in METHODS {
            let unknown = said(
                &server
                    .send(method, "/api/v1/dev-nothing/at/all", headers, "{}")
                    .await,
            );
            assert_eq!(unknown.0, 404, "{method}");
            for route in dev_routes() {
                let reply = server.send(method, &filled(route.path), headers, "{}").await;
                assert_eq!(said(&reply), unknown, "{method} {route:?}");
            }
        }
    }
}

#[tokio::test]
async fn dev_route_from_another_machine_or_proxy_is_404() {
    let far = dev_server(IpAddr::from([192, 0, 2, 1])).await;
    let unknown = said(&far.get("/api/v1/nothing").await);
    for route in dev_routes() {
        let json = [
            ("content-type", "application/json"),
            ("x-forwarded-for", "127.0.0.1"),
        ];
        let reply = far
            .send(route.method.as_str(), &filled(route.path), &json, "{}")
            .await;
        assert_eq!(said(&reply), unknown, "{route:?}");
    }
    let near = dev_server(HERE).await;
    for proxy in ["forwarded", "x-forwarded-for", "x-real-ip"] {
        for route in dev_routes() {
            let json = [("content-type", "application/json"), (proxy, "127.0.0.1")];
            let reply = near
                .send(route.method.as_str(), &filled(route.path), &json, "{}")
                .await;
            assert_eq!(said(&reply), unknown, "{route:?}");
        }
    }
    assert_eq!(near.get("/api/v1/health").await.json()["state"], "not_setup");
}

#[covers("R9", "S9")]
#[tokio::test]
async fn dev_route_from_another_origin_is_refused() {
    let server = dev_server(HERE).await;
    let json = ("content-type", "application/json");
    server.as_owner().await;
    server.state.setup.refresh_state().await.unwrap();
    for (host, headers, is_refused) in [
        ("localhost", &[("origin", "https://evil.example")][..], Some(403)),
        ("localhost", &[("origin", "null")], Some(403)),
        ("localhost", &[("sec-fetch-site", "cross-site")], Some(403)),
        (
            "localhost",
            &[("origin", "http://localhost.evil.example")],
            Some(403),
        ),
        // A name that resolves to this machine has the same origin as itself.
        ("evil.example", &[("origin", "http://evil.example")], Some(421)),
        ("localhost:8420", &[("origin", "http://localhost:5173")], None),
        ("127.0.0.1:8420", &[("origin", crate::LISTED_ORIGIN)], None),
        (
            "localhost",
            &[("origin", crate::LISTED_ORIGIN), ("sec-fetch-site", "cross-site")],
            None,
        ),
        ("[::1]:8420", &[], None),
    ] {
        for route in dev_routes() {
            let sent = [headers, &[json]].concat();
            // No handler accepts this body, so that an accepted request changes nothing.
            let reply = server
                .send(
                    route.method.as_str(),
                    &format!("http://{host}{}", filled(route.path)),
                    &sent,
                    "[]",
                )
                .await;
            if route.path.ends_with("/factory-reset") && is_refused.is_none() {
                assert_eq!(reply.status, 201, "{headers:?}");
                continue;
            }
            let known_refusal = REFUSALS.into_iter().find(|refusal| *refusal == reply.status);
            assert_eq!(known_refusal, is_refused, "{route:?} {headers:?}");
        }
    }
}

#[tokio::test]
async fn dev_routes_are_not_listed() {
    let server = dev_server(HERE).await;
    for target in ["/api", "/api/docs-json"] {
        let text = String::from_utf8(server.get(target).await.body).unwrap();
        assert!(!text.contains("/dev/"), "{target}");
    }
}

#[covers("A6")]
#[test]
fn client_testing_page_names_every_dev_route() {
    let page = include_str!("../../../docs/client-testing.md");
    for route in dev_routes() {
        let path = route.path.strip_prefix("/api/v1/dev").unwrap();
        let line = format!("| `{} {path}` |", route.method);
        assert!(page.contains(&line), "{line}");
    }
}

#[covers(
    "DELETE /api/v1/dev/libraries/{libraryId}",
    "DELETE /api/v1/dev/users/{userId}",
    "GET /api/v1/dev/last-claim-attempt",
    "GET /api/v1/dev/options/{name}",
    "GET /api/v1/dev/settings/{app}/{key}",
    "POST /api/v1/dev/factory-reset",
    "POST /api/v1/dev/first-time-setup",
    "POST /api/v1/dev/libraries",
    "POST /api/v1/dev/users/grant-role",
    "POST /api/v1/dev/users/local",
    "POST /api/v1/dev/users/revoke-role",
    "A6"
)]
#[tokio::test]
async fn dev_routes_set_up_and_change_the_server() {
    for peer in [HERE, "::1".parse().unwrap(), "::ffff:127.0.0.1".parse().unwrap()] {
        let server = dev_server(peer).await;
        let post =
            async |target: &str, body: Value| server.post(&format!("/api/v1/dev/{target}"), &body).await;
        let get = async |target: &str| server.get(&format!("/api/v1/dev/{target}")).await;
        let delete = async |target: &str| {
            server
                .send("DELETE", &format!("/api/v1/dev/{target}"), &[], "")
                .await
        };

        let made = post("first-time-setup", json!({})).await;
        let owner = json!({"username": "owner", "password": "password"});
        assert_eq!((made.status, made.json()), (201, owner.clone()));
        assert_eq!(server.login(&[("svc-app", "admin")], &owner).await.status, 201);
        assert_eq!(server.get("/api/v1/health").await.json()["state"], "normal");
        assert_eq!(post("first-time-setup", json!({})).await.status, 403);
        let setting = get("settings/admin/guest_access").await;
        assert_eq!((setting.status, setting.json()), (200, json!(false)));
        assert_eq!(get("settings/tv/guest_access").await.status, 404);
        assert_eq!(get("settings/admin/nothing").await.status, 404);
        let claim = get("last-claim-attempt").await;
        assert_eq!((claim.status, claim.json()), (200, Value::Null));
        assert_eq!(get("options/dev").await.json(), json!(true));
        assert_eq!(get("options/release-channel").await.json(), json!("stable"));
        assert_eq!(get("options/music-dirs").await.json(), json!([server.root]));
        assert_eq!(get("options/release_channel").await.status, 404);

        let local = json!({"username": "bob", "password": "long enough", "role": "member"});
        let bob = post("users/local", local.clone()).await;
        assert_eq!((bob.status, &bob.json()["roles"]), (201, &json!(["member"])));
        assert_eq!(post("users/local", local).await.status, 409);
        for (role, status) in [("owner", 400), ("guest", 400), ("nothing", 400)] {
            let body = json!({"username": role.to_owned() + "x", "password": "long enough", "role": role});
            assert_eq!(post("users/local", body).await.status, status, "{role}");
        }
        let id = bob.json()["userId"].as_str().unwrap().to_owned();
        let role = json!({"userId": id, "role": "administrator"});
        let granted = post("users/grant-role", role.clone()).await;
        assert_eq!(
            (granted.status, &granted.json()["role"]),
            (201, &json!("administrator"))
        );
        for taken in [true, false] {
            let revoked = post("users/revoke-role", role.clone()).await;
            assert_eq!((revoked.status, revoked.json()), (201, json!(taken)));
        }
        for deleted in [true, false] {
            let reply = delete(&format!("users/{id}")).await;
            assert_eq!((reply.status, reply.json()), (200, json!(deleted)));
        }
        let library = json!({"name": "All", "mediaKind": "music", "paths": ["a"]});
        let library = post("libraries", library).await;
        assert_eq!(library.status, 201);
        let library = library.json()["libraryId"].as_str().unwrap().to_owned();
        for deleted in [true, false] {
            let reply = delete(&format!("libraries/{library}")).await;
            assert_eq!((reply.status, reply.json()), (200, json!(deleted)));
        }
        assert_eq!(server.get("/api/v1/updates").await.status, 503);
        let reset = post("factory-reset", json!({})).await;
        assert_eq!((reset.status, reset.json()), (201, json!(true)));
        assert_eq!(server.get("/api/v1/health").await.json()["state"], "not_setup");
    }
}
