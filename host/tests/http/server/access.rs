//! Authentication of every route, and spellings of URLs that try to evade it.

use std::collections::BTreeMap;

use salvo::http::Method;
use serde_json::json;
use svc_covers::covers;

use crate::filled;
use crate::support::TestServer;
use svc_api::route::{Access, Route};
use svc_api::router::routes;
use svc_domain::id::UserId;
use svc_domain::time::{Clock, SystemClock};
use svc_identity::access_token::AccessTokens;
use svc_identity::app::App;
use svc_platform::random::SystemRandom;
use svc_platform::secret_key::SecretKey;

/// The routes that require no credential. A new one must be added here on purpose.
const PUBLIC: [&str; 22] = [
    "GET /api",
    "GET /api/docs",
    "GET /api/docs-json",
    "GET /api/docs/{file}",
    "GET /api/v1/auth/methods",
    "GET /api/v1/auth/oidc/callback",
    "GET /api/v1/auth/oidc/start",
    "GET /api/v1/health",
    "GET /api/v1/health/ready",
    "GET /api/v1/instance",
    "GET /api/v1/invitations/claim/{shortcode}",
    "GET /api/v1/release-channels",
    "GET /api/v1/updates",
    "GET /api/v1/users/public",
    "POST /api/v1/auth/device",
    "POST /api/v1/auth/device/token",
    "POST /api/v1/auth/login",
    "POST /api/v1/auth/logout",
    "POST /api/v1/auth/oidc/logout",
    "POST /api/v1/auth/refresh",
    "POST /api/v1/invitations/claim",
    "POST /api/v1/setup",
];

#[covers("T01")]
#[test]
fn public_routes_are_the_known_ones() {
    let routes = routes();
    let public = routes.iter().filter(|route| route.access == Access::Public);
    let mut public: Vec<_> = public
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    public.sort();
    assert_eq!(public, PUBLIC);
}

#[covers("T01")]
#[tokio::test]
async fn protected_route_refuses_unknown_callers() {
    let server = TestServer::start().await;
    let elsewhere = AccessTokens::new(
        "ffffffffffffffffffffffffffffffff",
        &SecretKey::from_bytes([9; 32]),
    );
    let elsewhere = elsewhere
        .issue(
            UserId::from(1),
            App::Admin,
            None,
            SystemClock.now(),
            &SystemRandom,
        )
        .unwrap();
    let cases = [
        ("", 401, None),
        ("Bearer ", 401, None),
        ("Basic YWRhOnh4", 401, None),
        ("Bearer nonsense", 401, None),
        ("Bearer svc_pat_nonsense", 401, Some("pat_invalid")),
        (&format!("Bearer {elsewhere}"), 410, None),
        (&format!("Bearer {}", server.client(server.id())), 410, None),
    ];
    for route in routes().iter().filter(|route| route.access != Access::Public) {
        for (authorization, status, code) in &cases {
            let reply = server
                .send(
                    route.method.as_str(),
                    &filled(route.path),
                    &[("authorization", authorization)],
                    "{",
                )
                .await;
            assert_eq!(reply.status, *status, "{route:?} {authorization}");
            assert_eq!(reply.json()["code"].as_str(), *code, "{route:?} {authorization}");
            assert_eq!(reply.header("cache-control"), "no-store");
            assert_eq!(reply.headers.contains_key("www-authenticate"), *status == 401);
        }
    }
}

#[covers("auth-failure 403", "R6")]
#[tokio::test]
async fn caller_without_roles_gets_403_before_input_is_read() {
    let server = TestServer::start().await;
    let token = server.as_nobody().await;
    for route in routes() {
        let allowed = matches!(route.access, Access::Public | Access::SignedIn);
        if !allowed {
            let target = filled(route.path) + "?take=-1";
            let reply = token
                .send(route.method.as_str(), &target, &json!("no object"))
                .await;
            assert_eq!(reply.status, 403, "{route:?}");
        }
    }
    assert_eq!(token.get("/api/v1/versions").await.status, 200);
}

#[tokio::test]
async fn owner_is_accepted_on_every_route() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let known = |route: &&Route| route.method == Method::GET && route.access != Access::Public;
    let mut wrong = Vec::new();
    for route in routes().iter().filter(known) {
        let reply = token.get(&filled(route.path)).await;
        let expected = match route.path {
            // These routes require a query.
            "/api/v1/index/file" | "/api/v1/index/run/logs" | "/api/v1/ls" | "/api/v1/search" => 400,
            "/api/v1/items" | "/api/v1/items/facets" | "/api/v1/settings/{app}" => 400,
            path if path.contains('{') => 404,
            _ => 200,
        };
        if reply.status != expected {
            wrong.push(format!("{} {route:?}", reply.status));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[covers("T02")]
#[tokio::test]
async fn url_variants_reach_no_protected_route() {
    let server = TestServer::start().await;
    for (target, expected) in [
        ("/api/v1/versions?r=/api/v1/health", 401),
        ("/api/v1/versions/", 401),
        ("//api/v1/versions", 401),
        ("/api//v1/versions", 401),
        ("/api/v1/./versions", 404),
        ("/api/v1/health/../versions", 404),
        ("/api/v1/health/%2e%2e/versions", 404),
        ("/api/v1/health%2f..%2fversions", 404),
        ("/api/v1/versions;x=/api/v1/health", 404),
        ("/api/v1/versions%00", 404),
        ("/API/V1/VERSIONS", 404),
        ("/api/v1/%76ersions", 401),
        ("/api/v1/versions#/api/v1/health", 401),
        ("http://localhost/api/v1/versions", 401),
    ] {
        for (name, value) in [
            ("x-original-url", "/api/v1/health"),
            ("x-http-method-override", "OPTIONS"),
        ] {
            let status = server.send("GET", target, &[(name, value)], "").await.status;
            assert_eq!(status, expected, "{target}");
        }
    }
}

#[covers("T02")]
#[tokio::test]
async fn url_variants_of_every_protected_route_are_refused() {
    let server = TestServer::start().await;
    let mut answered: BTreeMap<u16, usize> = BTreeMap::new();
    let mut cases = 0;
    for route in routes().iter().filter(|route| route.access != Access::Public) {
        let path = filled(route.path);
        let (head, tail) = path.rsplit_once('/').unwrap();
        let below = path.strip_prefix("/api/v1").unwrap();
        for target in [
            path.clone(),
            format!("{path}?r=/api/v1/health"),
            format!("{path}?/api/v1/health"),
            format!("{path}?path=/api/v1/auth/login&authorization=x"),
            format!("{path}/"),
            format!("{path}//"),
            format!("/{path}"),
            format!("//localhost{path}"),
            format!("{head}//{tail}"),
            format!("{head}/./{tail}"),
            format!("{head}/x/../{tail}"),
            format!("/api/v1/health/..{below}"),
            format!("/api/v1/health/%2e%2e{below}"),
            format!("/api/v1/health%2f..{below}"),
            format!("/api/v1/health/%2e%2e%2f{}", below.trim_start_matches('/')),
            format!("/api/v1/auth/login/../..{below}"),
            format!("{path};x=/api/v1/health"),
            format!("{path};.css"),
            format!("{path}.json"),
            format!("{path}%00"),
            format!("{path}%20"),
            format!("{path}%0a"),
            format!("{path}%23/api/v1/health"),
            format!("{path}%3fr=/api/v1/health"),
            format!("{path}/api/v1/health"),
            path.to_uppercase(),
            path.replacen("/api", "/%61pi", 1),
            path.replacen("/v1", "/v%31", 1),
            path.replacen("/v1", "/v1%2f", 1),
            format!("http://localhost{path}"),
            format!("http://127.0.0.1{path}"),
        ] {
            let tricks = [
                ("x-original-url", "/api/v1/health"),
                ("x-rewrite-url", "/api/v1/health"),
                ("x-http-method-override", "OPTIONS"),
                ("x-forwarded-for", "127.0.0.1"),
                ("x-forwarded-user", "ada"),
            ];
            let reply = server.send(route.method.as_str(), &target, &tricks, "").await;
            let status = reply.status;
            // The variant matches no route, or one that requires a credential.
            *answered.entry(status).or_default() += 1;
            cases += 1;
        }
    }
    let refused: usize = [400, 401, 404, 405]
        .map(|status| answered.remove(&status).unwrap_or(0))
        .iter()
        .sum();
    assert_eq!((refused, answered), (cases, BTreeMap::new()));
    assert!(cases >= 1_500, "{cases}");
}

#[covers("T03")]
#[tokio::test]
async fn tokens_signed_with_guessable_keys_are_refused() {
    let server = TestServer::start().await;
    let owner = server.user("ada", true, &["owner"]).await;
    for byte in 0..=255 {
        let guessed = AccessTokens::new(crate::INSTANCE, &SecretKey::from_bytes([byte; 32]));
        let token = guessed
            .issue(owner, App::Admin, None, SystemClock.now(), &SystemRandom)
            .unwrap();
        let status = server.with_token(&token).get("/api/v1/versions").await.status;
        assert_eq!(status, 410, "{byte}");
    }
}

#[covers("T22")]
#[test]
fn no_route_recovers_a_password() {
    for route in routes() {
        let path = route.path.to_lowercase();
        for word in ["recover", "forgot", "password"] {
            assert!(!path.contains(word), "{route:?}");
        }
    }
}

#[covers("R18")]
#[tokio::test]
async fn token_in_the_query_is_accepted_for_reads_only() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    assert_eq!(
        server
            .get(&format!("/api/v1/versions?token={token}"))
            .await
            .status,
        200
    );
    assert_eq!(
        server
            .send("HEAD", &format!("/api/v1/versions?token={token}"), &[], "")
            .await
            .status,
        200
    );
    assert_eq!(
        server
            .get(&format!("/api/v1/versions?token={token}&token={token}"))
            .await
            .status,
        401
    );
    let target = format!("/api/v1/index/state?token={token}");
    assert_eq!(server.send("PATCH", &target, &[], "{}").await.status, 401);
    let other = [("authorization", "Bearer other")];
    assert_eq!(
        server
            .send("GET", &format!("/api/v1/versions?token={token}"), &other, "")
            .await
            .status,
        401
    );
    let basic = [("authorization", "Basic YWRhOnh4")];
    assert_eq!(
        server
            .send("GET", &format!("/api/v1/versions?token={token}"), &basic, "")
            .await
            .status,
        200
    );
}
