//! Accounts, sign-in and cookies.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::{Reply, TestServer};
use crate::support::Client;
use crate::support::listening::PATIENCE;
use svc_domain::audit::{AuditEntry, AuditEvent};
use svc_domain::id::UserId;
use svc_domain::list::{Order, Pagination};
use svc_domain::user::CustomRole;
use svc_identity::ClientInfo;
use svc_identity::capability::Capability;
use svc_identity::password::{NewPassword, Passwords};
use svc_platform::random::SystemRandom;
use svc_store::AuditFilter;
use svc_test_support::databases;

pub(crate) const PASSWORD: &str = "correct horse";

/// The name of the refresh cookie.
pub(crate) const COOKIE: &str = "svc_refresh_token_0123456789abcdef0123456789abcdef";

/// The hash of [`PASSWORD`], computed once, because hashing is slow.
async fn password_hash() -> &'static str {
    static HASH: OnceCell<String> = OnceCell::const_new();
    let make = || async {
        let passwords = Passwords::start(Arc::new(SystemRandom)).unwrap();
        let password = NewPassword::new(PASSWORD.to_owned()).unwrap();
        passwords
            .hash(ClientInfo::default().known(), password)
            .await
            .unwrap()
    };
    HASH.get_or_init(make).await
}

/// The result of a login or refresh.
pub(crate) struct SignedIn {
    pub(crate) client: Client,
    pub(crate) cookie: String,
}

impl Reply {
    /// The value of the refresh cookie; empty if it is cleared.
    pub(crate) fn cookie(&self) -> Option<&str> {
        let (name, rest) = self
            .headers
            .get("set-cookie")?
            .to_str()
            .unwrap()
            .split_once('=')
            .unwrap();
        assert_eq!(name, COOKIE);
        Some(rest.split(';').next().unwrap())
    }

    pub(crate) fn clears_cookie(&self) -> bool {
        self.cookie() == Some("") && self.header("set-cookie").contains("Max-Age=0")
    }

    /// Access token and cookie of a response with both.
    pub(crate) fn signed_in(&self) -> SignedIn {
        assert_eq!(self.status, 201, "{}", String::from_utf8_lossy(&self.body));
        SignedIn {
            client: self.client(),
            cookie: self.cookie().unwrap().to_owned(),
        }
    }
}

impl TestServer {
    /// Adds an account with [`PASSWORD`].
    pub(crate) async fn person(&self, name: &str, role: &str) -> UserId {
        let id = self.user(name, role == "owner", &[role]).await;
        let mut change = self.store.identity.change_identity().await.unwrap();
        change.set_password_hash(id, password_hash().await).await.unwrap();
        change.commit().await.unwrap();
        id
    }

    /// The id of the account with this lower-case username.
    pub(crate) async fn user_id(&self, name: &str) -> UserId {
        let user = self.store.users.user_for_login(name).await.unwrap();
        user.unwrap().0.id
    }

    pub(crate) async fn login(&self, headers: &[(&str, &str)], body: &Value) -> Reply {
        let headers: Vec<_> = headers
            .iter()
            .copied()
            .chain([("content-type", "application/json")])
            .collect();
        self.send("POST", "/api/v1/auth/login", &headers, &body.to_string())
            .await
    }

    /// Tries a password of an account, at the music app.
    pub(crate) async fn try_password(&self, name: &str, password: &str) -> Reply {
        let body = json!({"username": name, "password": password});
        self.login(&[("svc-app", "music")], &body).await
    }

    pub(crate) async fn sign_in(&self, name: &str) -> SignedIn {
        self.try_password(name, PASSWORD).await.signed_in()
    }

    /// Refreshes with a cookie and further headers.
    pub(crate) async fn refresh_with(&self, cookie: &str, more: &[(&str, &str)]) -> Reply {
        let cookie = format!("{COOKIE}={cookie}");
        let headers: Vec<_> = more
            .iter()
            .copied()
            .chain([("cookie", cookie.as_str())])
            .collect();
        self.send("POST", "/api/v1/auth/refresh", &headers, "").await
    }

    pub(crate) async fn refresh(&self, cookie: &str) -> Reply {
        self.refresh_with(cookie, &[]).await
    }

    /// Changes a server-wide setting of all apps, as the owner.
    pub(crate) async fn set(&self, owner: &Client, key: &str, value: Value) {
        let body = json!({"app": null, "settings": {key: value}});
        let reply = owner.patch("/api/v1/settings", &body).await;
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
    }

    pub(crate) async fn enable(&self, owner: &Client, user: UserId, enabled: bool) {
        let path = format!("/api/v1/users/{user}");
        let reply = owner.patch(&path, &json!({"enabled": enabled})).await;
        assert_eq!(reply.status, 200);
    }

    pub(crate) async fn delete(&self, user: UserId) {
        let mut change = self.store.identity.change_identity().await.unwrap();
        assert!(change.delete_user(user).await.unwrap());
        change.commit().await.unwrap();
    }

    /// Links an account to a cloud account in the database.
    pub(crate) async fn link(&self, user: UserId, cloud_account: &str) {
        let id = user.get();
        let sql = format!(
            "UPDATE users SET cloud_account_id = '{cloud_account}' WHERE user_id = {id} RETURNING user_id"
        );
        assert_eq!(self.number(&sql).await, id);
    }

    /// The result of a query for one number.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        databases::number(&self.database_url, sql).await
    }

    /// The entries of an event as soon as they count so many: some are written in the background.
    pub(crate) async fn audit_of(&self, event: AuditEvent, count: i64) -> Vec<AuditEntry> {
        let written = async {
            loop {
                let entries = self.audit(event).await;
                if entries.iter().map(|entry| entry.times).sum::<i64>() >= count {
                    return entries;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, written).await.unwrap()
    }

    pub(crate) async fn audit(&self, event: AuditEvent) -> Vec<AuditEntry> {
        let filter = AuditFilter {
            event: Some(event),
            user: None,
        };
        let page = Pagination { take: 1000, skip: 0 };
        let listing = self
            .store
            .audit
            .list_audit(&filter, page, Order::Descending)
            .await;
        listing.unwrap().items
    }
}

/// Adds an account with just these capabilities.
pub(crate) async fn allowed_to(server: &TestServer, name: &str, capabilities: &[Capability]) -> UserId {
    let role = CustomRole {
        name: format!("{name}-role"),
        capabilities: capabilities.iter().map(|one| one.as_str().to_owned()).collect(),
        created_at: svc_domain::time::Clock::now(server.clock.as_ref()),
    };
    let mut change = server.store.identity.change_identity().await.unwrap();
    assert!(change.insert_role(&role).await.unwrap());
    change.commit().await.unwrap();
    server.user(name, false, &[&role.name]).await
}
