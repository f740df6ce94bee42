//! A provider of OpenID Connect that a test scripts, and a browser that signs in with it.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use url::Url;

use super::accounts::{COOKIE, SignedIn};
use super::gate::Gate;
use super::{Reply, TestServer, TestServerOptions};
use svc_host::config::{CloudConfig, CloudService, OidcOptions};
use svc_identity::cloud::{
    Cloud, CloudAccount, CloudError, CloudFeatures, CloudFuture, CloudSession, CodeExchange, ServerIdentity,
    SignInRequest, SignedOut, Subscription,
};
use svc_identity::oidc::OidcPolicy;

/// The name of the cookie of a sign-in.
pub(crate) const SIGN_IN_COOKIE: &str = "svc_sign_in_0123456789abcdef0123456789abcdef";

/// Rotates its tokens: each is accepted once.
#[derive(Debug, Default)]
pub(crate) struct ScriptedProvider {
    users: Mutex<HashMap<String, CloudAccount>>,
    /// The token that each session is refreshed with.
    tokens: Mutex<HashMap<String, String>>,
    counter: AtomicUsize,
    /// The ids of all sessions, in the order of their sign-ins.
    pub(crate) sessions: Mutex<Vec<String>>,
    pub(crate) validations: AtomicUsize,
    pub(crate) revoked: AtomicUsize,
    pub(crate) is_away: AtomicBool,
    /// Gives no refresh tokens.
    pub(crate) is_brief: AtomicBool,
    /// The seats of the subscription that it knows, if it does.
    pub(crate) seats: Mutex<Option<u32>>,
    /// How often it was asked for them.
    pub(crate) subscriptions: AtomicUsize,
    /// How long a validation takes.
    pub(crate) pause: Mutex<Duration>,
    /// Before each answer to a code.
    pub(crate) gate: Gate,
}

impl ScriptedProvider {
    /// A user with groups; the code of a sign-in is the user's name.
    pub(crate) fn knows(&self, name: &str, groups: &[&str]) {
        let account = CloudAccount {
            id: format!("https://id.example|{name}"),
            username: Some(name.to_owned()),
            groups: groups.iter().map(|group| (*group).to_owned()).collect(),
            ..CloudAccount::default()
        };
        self.users.lock().unwrap().insert(name.to_owned(), account);
    }

    /// Ends all sessions.
    pub(crate) fn forget(&self) {
        self.tokens.lock().unwrap().clear();
    }

    /// Ends one session.
    pub(crate) fn end(&self, session: &str) {
        let end = format!("/{session}");
        self.tokens
            .lock()
            .unwrap()
            .retain(|known, _| !known.ends_with(&end));
    }

    fn next_token(&self, session: &str) -> String {
        let token = format!("{session}:{}", self.counter.fetch_add(1, Ordering::SeqCst));
        self.tokens
            .lock()
            .unwrap()
            .insert(session.to_owned(), token.clone());
        token
    }

    fn check(&self) -> Result<(), CloudError> {
        match self.is_away.load(Ordering::SeqCst) {
            true => Err(CloudError::Unavailable),
            false => Ok(()),
        }
    }
}

impl Cloud for ScriptedProvider {
    fn features(&self) -> CloudFeatures {
        let knows_seats = self.seats.lock().unwrap().is_some();
        CloudFeatures {
            sign_in: true,
            logout: true,
            // The credential for the subscription is obtained with the first invitation.
            invitations: knows_seats,
            licensing: knows_seats,
            ..CloudFeatures::default()
        }
    }

    fn identity(&self) -> &str {
        "https://id.example"
    }

    fn sign_in_url(&self, request: SignInRequest) -> CloudFuture<'_, String> {
        Box::pin(async move {
            self.check()?;
            let mut url = Url::parse("https://id.example/auth").unwrap();
            url.query_pairs_mut()
                .append_pair("state", &request.state)
                .append_pair("nonce", &request.nonce)
                .append_pair("code_challenge", &request.code_challenge)
                .append_pair("redirect_uri", &request.redirect_uri);
            Ok(url.into())
        })
    }

    fn exchange(&self, request: CodeExchange) -> CloudFuture<'_, CloudSession> {
        Box::pin(async move {
            self.gate.pass().await;
            self.check()?;
            let user = self.users.lock().unwrap().get(&request.code).cloned();
            let account = user.ok_or(CloudError::Rejected)?;
            let session = format!("s{}", self.counter.fetch_add(1, Ordering::SeqCst));
            self.sessions.lock().unwrap().push(session.clone());
            let is_brief = self.is_brief.load(Ordering::SeqCst);
            let token = (!is_brief).then(|| self.next_token(&format!("{}/{session}", request.code)));
            Ok(CloudSession {
                account,
                token,
                session_id: Some(session),
            })
        })
    }

    fn validate<'a>(&'a self, token: &'a str) -> CloudFuture<'a, CloudSession> {
        Box::pin(async move {
            self.validations.fetch_add(1, Ordering::SeqCst);
            let pause = *self.pause.lock().unwrap();
            tokio::time::sleep(pause).await;
            self.check()?;
            let (session, _) = token.split_once(':').unwrap();
            let current = self.tokens.lock().unwrap().get(session).cloned();
            if current.as_deref() != Some(token) {
                return Err(CloudError::Rejected);
            }
            let (name, id) = session.split_once('/').unwrap();
            Ok(CloudSession {
                account: self.users.lock().unwrap()[name].clone(),
                token: Some(self.next_token(session)),
                session_id: Some(id.to_owned()),
            })
        })
    }

    fn revoke<'a>(&'a self, _token: &'a str) -> CloudFuture<'a, ()> {
        self.revoked.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(()) })
    }

    fn credential<'a>(&'a self, _owner_token: &'a str, _server: ServerIdentity) -> CloudFuture<'a, String> {
        Box::pin(async { Ok("credential".to_owned()) })
    }

    fn subscription<'a>(&'a self, _credential: &'a str) -> CloudFuture<'a, Subscription> {
        self.subscriptions.fetch_add(1, Ordering::SeqCst);
        let subscription = Subscription {
            tier: "family".to_owned(),
            seats: *self.seats.lock().unwrap(),
            expires_at: None,
        };
        Box::pin(async { Ok(subscription) })
    }

    /// The report is `id`, `account` and `session`, separated by spaces.
    fn logout<'a>(&'a self, token: &'a str) -> CloudFuture<'a, SignedOut> {
        Box::pin(async move {
            self.check()?;
            let mut parts = token
                .split(' ')
                .map(|part| Some(part.to_owned()).filter(|part| part != "-"));
            let (Some(Some(id)), Some(account_id), Some(session_id)) =
                (parts.next(), parts.next(), parts.next())
            else {
                return Err(CloudError::Rejected);
            };
            Ok(SignedOut {
                id,
                account_id,
                session_id,
            })
        })
    }
}

/// Options of a server with a provider and what the operator decided.
pub(crate) fn with_provider(
    provider: &std::sync::Arc<ScriptedProvider>,
    policy: OidcPolicy,
) -> TestServerOptions {
    TestServerOptions {
        cloud: provider.clone(),
        cloud_config: CloudConfig {
            service: CloudService::Oidc(OidcOptions {
                issuer: "https://id.example".to_owned(),
                issuer_url: "https://id.example".parse().unwrap(),
                client_id: "svc".to_owned(),
                client_secret: None,
                groups_claim: Some("groups".to_owned()),
                policy,
            }),
            ..CloudConfig::default()
        },
        ..TestServerOptions::default()
    }
}

/// Asks for a link of the session's account; returns the query of the sign-in that makes it.
pub(crate) async fn link_query(session: &SignedIn) -> String {
    let body = json!({});
    let reply = session
        .client
        .post("/api/v1/users/current/cloud-link", &body)
        .await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let path = reply.json()["startPath"].as_str().unwrap().to_owned();
    let (_, ticket) = path.split_once("link=").unwrap();
    format!("&link={ticket}")
}

/// A started sign-in.
pub(crate) struct Started {
    /// The cookie that binds it to its browser.
    pub(crate) cookie: String,
    /// The parameters of the provider's address.
    pub(crate) query: HashMap<String, String>,
}

impl TestServer {
    /// Starts a sign-in to the music app.
    pub(crate) async fn begin_sign_in(&self, more: &str, headers: &[(&str, &str)]) -> Reply {
        let target = format!("/api/v1/auth/oidc/start?app=music&redirect=/app{more}");
        self.send("GET", &target, headers, "").await
    }

    /// Finishes a sign-in: the provider sends the browser back with a code.
    pub(crate) async fn finish_sign_in(&self, started: &Started, code: &str) -> Reply {
        let state = &started.query["state"];
        let target = format!("/api/v1/auth/oidc/callback?code={code}&state={state}");
        let cookie = format!("{SIGN_IN_COOKIE}={}", started.cookie);
        self.send("GET", &target, &[("cookie", &cookie)], "").await
    }

    /// A whole sign-in of a user.
    pub(crate) async fn sign_in_with_provider(&self, user: &str, more: &str) -> Reply {
        let started = self.begin_sign_in(more, &[]).await.started();
        self.finish_sign_in(&started, user).await
    }
}

impl Reply {
    /// The value of a cookie that the response sets.
    pub(crate) fn set_cookie(&self, name: &str) -> Option<String> {
        let cookies = self.headers.get_all("set-cookie").iter();
        let mut values = cookies.filter_map(|cookie| {
            let (known, rest) = cookie.to_str().unwrap().split_once('=').unwrap();
            (known == name).then(|| rest.split(';').next().unwrap().to_owned())
        });
        values.next()
    }

    pub(crate) fn started(&self) -> Started {
        assert_eq!(self.status, 303, "{}", String::from_utf8_lossy(&self.body));
        let url = Url::parse(self.header("location")).unwrap();
        Started {
            cookie: self.set_cookie(SIGN_IN_COOKIE).unwrap(),
            query: url.query_pairs().into_owned().collect(),
        }
    }

    /// The refresh cookie of a sign-in that succeeded.
    pub(crate) fn provider_session(&self) -> String {
        assert_eq!((self.status, self.header("location")), (303, "/app"));
        self.set_cookie(COOKIE).unwrap()
    }
}
