//! People who sign in, the cookies that they get, and a cloud that says what a test told it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::test_server::{Reply, TestServer};
use svc_domain::audit::{AuditEntry, AuditEvent};
use svc_domain::id::UserId;
use svc_domain::list::{Order, Pagination};
use svc_identity::ClientInfo;
use svc_identity::cloud::{Cloud, CloudAccount, CloudError, CloudFuture, Release, Subscription};
use svc_identity::password::{NewPassword, Passwords};
use svc_platform::random::SystemRandom;
use svc_store::AuditFilter;
use svc_test_support::databases;

pub(super) const PASSWORD: &str = "correct horse";
/// The name of the refresh cookie.
pub(super) const COOKIE: &str = "svc_refresh_token_0123456789abcdef0123456789abcdef";

/// The hash of [`PASSWORD`], made once: it takes its time.
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

/// What signing in gave.
pub(super) struct SignedIn {
    pub(super) jwt: String,
    pub(super) cookie: String,
}

impl Reply {
    /// The value of the refresh cookie that it sets; empty if it takes it away.
    pub(super) fn cookie(&self) -> Option<&str> {
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

    pub(super) fn clears_cookie(&self) -> bool {
        self.cookie() == Some("") && self.header("set-cookie").contains("Max-Age=0")
    }

    pub(super) fn jwt(&self) -> String {
        self.json()["JWT"].as_str().unwrap().to_owned()
    }

    pub(super) fn code(&self) -> Option<String> {
        self.json()["code"].as_str().map(str::to_owned)
    }

    /// Session and cookie of an answer that gave both.
    pub(super) fn signed_in(&self) -> SignedIn {
        assert_eq!(self.status, 201, "{}", String::from_utf8_lossy(&self.body));
        SignedIn {
            jwt: self.jwt(),
            cookie: self.cookie().unwrap().to_owned(),
        }
    }
}

impl TestServer {
    /// Adds an account with [`PASSWORD`].
    pub(super) async fn person(&self, name: &str, role: &str) -> UserId {
        let id = self.user(name, role == "owner", &[role]).await;
        let mut change = self.store.identity.change_identity().await.unwrap();
        change.set_password_hash(id, password_hash().await).await.unwrap();
        change.commit().await.unwrap();
        id
    }

    pub(super) async fn login(&self, headers: &[(&str, &str)], body: &Value) -> Reply {
        let headers: Vec<_> = headers
            .iter()
            .copied()
            .chain([("content-type", "application/json")])
            .collect();
        self.send("POST", "/api/v1/auth/login", &headers, &body.to_string())
            .await
    }

    /// Tries a password of an account, at the music app.
    pub(super) async fn try_password(&self, name: &str, password: &str) -> Reply {
        let body = json!({"username": name, "password": password});
        self.login(&[("svc-app", "music")], &body).await
    }

    pub(super) async fn sign_in(&self, name: &str) -> SignedIn {
        self.try_password(name, PASSWORD).await.signed_in()
    }

    /// Asks for a refresh, with a cookie if there is one.
    pub(super) async fn refresh_with(&self, cookie: &str, more: &[(&str, &str)]) -> Reply {
        let cookie = format!("{COOKIE}={cookie}");
        let headers: Vec<_> = more
            .iter()
            .copied()
            .chain([("cookie", cookie.as_str())])
            .collect();
        self.send("POST", "/api/v1/auth/refresh", &headers, "").await
    }

    pub(super) async fn refresh(&self, cookie: &str) -> Reply {
        self.refresh_with(cookie, &[]).await
    }

    /// The status that an access or personal access token gets.
    pub(super) async fn status_as(&self, token: &str) -> u16 {
        self.get_as(token, "/api/v1/users/current").await.status
    }

    /// Changes a server-wide setting of all apps, as the owner.
    pub(super) async fn set(&self, owner: &str, key: &str, value: Value) {
        let body = json!({"app": null, "settings": {key: value}});
        let reply = self.send_as(owner, "PATCH", "/api/v1/settings", &body).await;
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
    }

    pub(super) async fn enable(&self, owner: &str, user: UserId, enabled: bool) {
        let path = format!("/api/v1/users/{user}");
        let reply = self
            .send_as(owner, "PATCH", &path, &json!({"enabled": enabled}))
            .await;
        assert_eq!(reply.status, 200);
    }

    pub(super) async fn delete(&self, user: UserId) {
        let mut change = self.store.identity.change_identity().await.unwrap();
        assert!(change.delete_user(user).await.unwrap());
        change.commit().await.unwrap();
    }

    /// Links an account to a cloud account, behind the API.
    pub(super) async fn link(&self, user: UserId, cloud_account: &str) {
        let id = user.get();
        let sql = format!(
            "UPDATE users SET cloud_account_id = '{cloud_account}' WHERE user_id = {id} RETURNING user_id"
        );
        assert_eq!(self.number(&sql).await, id);
    }

    /// What a query for one number gives.
    pub(super) async fn number(&self, sql: &str) -> i64 {
        databases::number(&self.database_url, sql).await
    }

    pub(super) async fn audit(&self, event: AuditEvent) -> Vec<AuditEntry> {
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

/// A cloud that vouches for the tokens that it was told of. A token that it was not told of is rejected.
#[derive(Debug, Default)]
pub(super) struct ScriptedCloud {
    accounts: Mutex<HashMap<String, Result<String, CloudError>>>,
}

impl ScriptedCloud {
    pub(super) fn says(&self, token: &str, answer: Result<&str, CloudError>) {
        let answer = answer.map(str::to_owned);
        self.accounts.lock().unwrap().insert(token.to_owned(), answer);
    }
}

impl Cloud for ScriptedCloud {
    fn account<'a>(&'a self, token: &'a str) -> CloudFuture<'a, CloudAccount> {
        let told = self.accounts.lock().unwrap().get(token).cloned();
        let answer = told.unwrap_or(Err(CloudError::Rejected));
        Box::pin(async move { answer.map(|id| CloudAccount { id }) })
    }

    fn latest_release<'a>(&'a self, _channel: &'a str) -> CloudFuture<'a, Release> {
        Box::pin(async { Err(CloudError::Unavailable) })
    }

    fn subscription(&self) -> CloudFuture<'_, Subscription> {
        Box::pin(async { Err(CloudError::Unavailable) })
    }
}
