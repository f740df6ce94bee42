//! The server with the reference cloud: both as processes, over TCP.

mod accounts;
mod endpoints;
mod failures;
mod invitation_records;
mod invitations;
mod licensing;
mod nonsense;
mod own_plugin;
mod races;
mod releases;
mod secrets;
mod sign_in;
mod tls;
mod token_sessions;

use serde_json::{Value, json};
use svc_test_support::databases;
use svc_tests::cloud::Cloud;
use svc_tests::postgres::block_on;
use svc_tests::program::{Answer, PASSWORD, Server, wait_for};
use tempfile::TempDir;

/// A cloud, and a server that uses it.
pub struct Both {
    pub cloud: Cloud,
    pub server: Server,
    data: TempDir,
    arguments: Vec<String>,
}

/// A signed-in app.
#[derive(Debug, Clone)]
pub struct Session {
    pub jwt: String,
    /// Name and value of the refresh cookie.
    pub cookie: String,
}

impl Session {
    fn of(login: &Answer) -> Self {
        assert_eq!(login.status, 201, "{login:?}");
        Self {
            jwt: login.json()["JWT"].as_str().unwrap().to_owned(),
            cookie: cookie_of(login),
        }
    }
}

/// Failures with an answer that is none of the protocol.
pub fn nonsense() -> Vec<Value> {
    vec![
        json!({ "kind": "down" }),
        json!({ "kind": "garbage" }),
        json!({ "kind": "html" }),
        json!({ "kind": "otherShape" }),
        json!({ "kind": "duplicateKeys" }),
        json!({ "kind": "truncate" }),
        json!({ "kind": "redirect", "location": "http://169.254.169.254/latest/meta-data/" }),
        json!({ "kind": "oversize", "bytes": 5_000_000 }),
        json!({ "kind": "oversize", "bytes": 300_000 }),
        json!({ "kind": "refuse", "status": 429, "code": "too_many_requests" }),
        json!({ "kind": "refuse", "status": 503, "code": "maintenance" }),
        json!({ "kind": "refuse", "status": 409, "code": "<script>alert(1)</script>" }),
        json!({ "kind": "error" }),
    ]
}

/// The cookie that a response sets.
pub fn cookie_of(answer: &Answer) -> String {
    let cookie = answer.header("set-cookie").expect("it sets the cookie");
    cookie.split(';').next().unwrap().to_owned()
}

/// Status and code of a response.
pub fn code(answer: &Answer) -> (u16, Option<String>) {
    (answer.status, answer.json()["code"].as_str().map(str::to_owned))
}

fn start_server(data: &TempDir, arguments: &[String]) -> Server {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Server::start_as_owner(data.path(), &arguments)
}

impl Both {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts both, the server with more options.
    pub fn start_with(options: &[&str]) -> Self {
        Self::start_beside(Cloud::start(), options)
    }

    /// Starts a server that uses a running cloud.
    pub fn start_beside(cloud: Cloud, options: &[&str]) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut arguments = vec!["--cloud-url".to_owned(), cloud.url.clone()];
        arguments.extend(options.iter().map(|option| (*option).to_owned()));
        let server = start_server(&data, &arguments);
        Self {
            cloud,
            server,
            data,
            arguments,
        }
    }

    /// Kills the server and starts it again on its data, with empty caches.
    pub fn restart_server(&mut self) {
        self.server.end();
        self.server = start_server(&self.data, &self.arguments);
    }

    /// Does the same without the options of a cloud.
    pub fn restart_server_without_cloud(&mut self) {
        drop(self.arguments.drain(..2));
        self.restart_server();
    }

    /// Creates a local account.
    pub fn add_user(&self, username: &str, role: &str) -> String {
        let body = json!({ "username": username, "password": PASSWORD, "role": role });
        let added = self.server.post("/api/v1/users", &body);
        assert_eq!(added.status, 201, "{added:?}");
        added.json()["userId"].as_str().unwrap().to_owned()
    }

    pub fn login(&self, app: &str, body: &Value) -> Answer {
        self.server
            .anonymous("POST", "/api/v1/auth/login", &[("svc-app", app)], Some(body))
    }

    pub fn login_by_password(&self, username: &str, app: &str) -> Session {
        Session::of(&self.login(app, &json!({ "username": username, "password": PASSWORD })))
    }

    pub fn login_by_cloud(&self, token: &str) -> Answer {
        self.login("music", &json!({ "cloudToken": token }))
    }

    pub fn link(&self, jwt: &str, token: &str) -> Answer {
        let bearer = format!("Bearer {jwt}");
        let headers = [("authorization", bearer.as_str()), ("svc-cloud-token", token)];
        self.server
            .request("POST", "/api/v1/users/current/cloud-link", &headers, None)
    }

    /// A local account that is linked to a new account of the cloud, its session, and a token of the cloud.
    pub fn linked_user(&self, username: &str, role: &str) -> (Session, String) {
        self.add_user(username, role);
        self.cloud.add_account(username);
        let token = self.cloud.sign_in(username);
        let session = self.login_by_password(username, "music");
        let linked = self.link(&session.jwt, &token);
        assert_eq!(linked.status, 201, "{linked:?}");
        (session, token)
    }

    pub fn refresh(&self, cookie: &str, token: Option<&str>) -> Answer {
        let mut headers = vec![("cookie", cookie)];
        headers.extend(token.map(|token| ("svc-cloud-token", token)));
        self.server
            .anonymous("POST", "/api/v1/auth/refresh", &headers, None)
    }

    /// Sends a request with an access token.
    pub fn with_token(&self, jwt: &str, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let bearer = format!("Bearer {jwt}");
        self.server
            .request(method, path, &[("authorization", &bearer)], body)
    }

    /// Creates an invitation as the owner, on behalf of a cloud account.
    pub fn try_invite(&self, token: &str, target: Option<&str>) -> Answer {
        let mut body = json!({ "role": "music_user" });
        if let Some(target) = target {
            body["targetPublicUserId"] = target.into();
        }
        self.server.request(
            "POST",
            "/api/v1/invitations",
            &[("svc-cloud-token", token)],
            Some(&body),
        )
    }

    pub fn invite(&self, token: &str, target: Option<&str>) -> Value {
        let created = self.try_invite(token, target);
        assert_eq!(created.status, 201, "{created:?}");
        created.json()
    }

    pub fn invitation(&self, created: &Value) -> Value {
        let id = created["invitationId"].as_str().unwrap();
        self.server.get(&format!("/api/v1/invitations/{id}")).json()
    }

    /// Waits until the list of invitations, which asks the cloud, shows a status.
    pub fn wait_for_status(&self, created: &Value, status: &str) -> Value {
        wait_for(&format!("status {status}"), || {
            self.server.get("/api/v1/invitations");
            self.invitation(created)["status"] == status
        });
        self.invitation(created)
    }

    pub fn revoke(&self, created: &Value) -> Value {
        let id = created["invitationId"].as_str().unwrap();
        let revoked = self
            .server
            .request("DELETE", &format!("/api/v1/invitations/{id}"), &[], None);
        assert_eq!(revoked.status, 200, "{revoked:?}");
        revoked.json()
    }

    /// The number of sessions, whose last use is written now and then, and the refresh tokens byte for byte. For servers on
    /// SQLite.
    pub fn stored_sessions(&self) -> (usize, Vec<String>) {
        let mut rows = block_on(databases::rows(&databases::sqlite_url(&self.data)));
        let tokens = rows.remove("refresh_tokens").unwrap();
        (rows["sessions"].len(), tokens)
    }

    /// The names of all accounts.
    pub fn usernames(&self) -> Vec<String> {
        let users = self.server.get("/api/v1/users?take=1000").json();
        let names = users[0].as_array().unwrap().iter();
        names
            .map(|user| user["username"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}
