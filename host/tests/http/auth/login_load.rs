//! Login under load: which attempts hash a password, and who is served during a flood.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use svc_covers::covers;
use tokio::task::JoinSet;

use crate::credentials;
use crate::support::accounts::PASSWORD;
use crate::support::{TestServer, TestServerOptions};
use svc_http_io::proxy::ProxyConfig;
use svc_identity::rate_limiter::RateLimit;
use svc_identity::throttle::LoginLimits;

const MUSIC: (&str, &str) = ("svc-app", "music");

#[covers("T20", "S6")]
#[tokio::test]
async fn login_without_password_or_app_computes_no_hash() {
    for kiosk in [false, true] {
        let server = TestServer::start_with(TestServerOptions {
            kiosk,
            ..TestServerOptions::default()
        })
        .await;
        let owner = server.client(server.person("ada", "owner").await);
        let disabled = server.person("gone", "member").await;
        server.enable(&owner, disabled, false).await;
        let before = server.passwords.hashes();
        for (headers, body) in [
            (&[MUSIC][..], json!({})),
            (&[MUSIC], json!({"username": "ada"})),
            (&[MUSIC], json!({"username": "ada", "password": null})),
            (&[MUSIC], json!({"username": "nobody"})),
            (&[], json!({})),
            (&[], credentials(PASSWORD)),
            (&[("svc-app", "tv")], credentials(PASSWORD)),
            (&[MUSIC, MUSIC], credentials(PASSWORD)),
        ] {
            let reply = server.login(headers, &body).await;
            let refused = (403, json!({"message": "login refused"}));
            assert_eq!((reply.status, reply.json()), refused, "{headers:?} {body}");
        }
        assert_eq!(server.passwords.hashes(), before);
        // Every password costs one hash, whoever is named.
        for (name, hashes) in [("nobody", 1), ("gone", 2), ("ada", 3), ("guest", 4)] {
            let status = if kiosk && name == "guest" { 201 } else { 403 };
            assert_eq!(server.try_password(name, "wrong password").await.status, status);
            let hashes = if status == 201 { hashes - 1 } else { hashes };
            assert_eq!(server.passwords.hashes(), before + hashes, "{name}");
        }
    }
}

/// A server without limits on wrong passwords, behind a trusted proxy.
async fn unlimited() -> Arc<TestServer> {
    let many = RateLimit::new(1_000_000, 1);
    let options = TestServerOptions {
        proxy_config: ProxyConfig {
            trusted_proxies: vec!["192.0.2.1/32".parse().unwrap()],
            base_url: None,
        },
        login_limits: LoginLimits {
            user_and_address: many,
            user: many,
            address: many,
            ..LoginLimits::default()
        },
        ..TestServerOptions::default()
    };
    let server = TestServer::start_with(options).await;
    server.person("ada", "owner").await;
    Arc::new(server)
}

async fn login_from(server: &TestServer, address: &str, password: &str) -> u16 {
    let headers = [MUSIC, ("x-forwarded-for", address)];
    server.login(&headers, &credentials(password)).await.status
}

/// Wrong passwords from a hundred parallel connections.
struct Flood {
    over: Arc<AtomicBool>,
    connections: JoinSet<()>,
}

impl Flood {
    /// Starts, and waits until the queue is full.
    async fn start(server: &Arc<TestServer>, address: impl Fn(usize) -> String) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let refused = Arc::new(AtomicUsize::new(0));
        let mut connections = JoinSet::new();
        for number in 0..100 {
            let (server, address) = (Arc::clone(server), address(number));
            let (over, refused) = (Arc::clone(&over), Arc::clone(&refused));
            connections.spawn(async move {
                while !over.load(Ordering::SeqCst) {
                    match login_from(&server, &address, "wrong password").await {
                        403 => {}
                        503 => drop(refused.fetch_add(1, Ordering::SeqCst)),
                        other => panic!("{other}"),
                    }
                }
            });
        }
        let full = async {
            while refused.load(Ordering::SeqCst) < 10 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), full).await.unwrap();
        Self { over, connections }
    }

    async fn end(self) {
        self.over.store(true, Ordering::SeqCst);
        self.connections.join_all().await;
    }
}

#[covers("T20")]
#[tokio::test]
async fn login_during_a_flood_from_another_address_succeeds() {
    let server = unlimited().await;
    let flood = Flood::start(&server, |_| "198.51.100.1".to_owned()).await;
    for last in 0..10 {
        assert_eq!(
            login_from(&server, &format!("203.0.113.{last}"), PASSWORD).await,
            201
        );
    }
    flood.end().await;
}

#[covers("T18", "S6")]
#[tokio::test]
async fn login_from_a_known_address_during_a_flood_succeeds() {
    let server = unlimited().await;
    let home = "203.0.113.1";
    assert_eq!(login_from(&server, home, PASSWORD).await, 201);
    let flood = Flood::start(&server, |number| format!("198.51.100.{number}")).await;
    for _ in 0..10 {
        assert_eq!(login_from(&server, home, PASSWORD).await, 201);
    }
    flood.end().await;
}
