//! Mode "own plugin": the file of a plugin in place of a built-in one, and a plugin that has accounts and nothing else.

use serde_json::{Value, json};
use svc_covers::covers;
use svc_test_support::guests;
use svc_tests::program::{Answer, PASSWORD, Server, run};
use svc_tests::service::serve;
use svc_tests::workspace;

use super::{Both, Session, code, cookie_of};

/// The plugin for the documented protocol, as a file.
fn cloud_file() -> String {
    let file = workspace().join("target/plugins/cloud.wasm");
    assert!(
        file.is_file(),
        "the plugins are built before the tests: use `cargo xtask test`"
    );
    file.display().to_string()
}

/// Runs `svc doctor cloud`; returns whether all is well, and what it reported.
fn doctor(arguments: &[&str]) -> (bool, String) {
    let output = run(&[&["doctor", "cloud"], arguments].concat());
    let report = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), report)
}

fn assert_reported(arguments: &[&str], parts: &[&str]) {
    let (is_well, report) = doctor(arguments);
    assert!(is_well, "{report}");
    for part in parts {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[covers("R21", "R52", "POST /api/v1/users/current/cloud-link")]
#[test]
fn plugin_of_a_file_links_signs_in_and_invites_as_the_built_in_one() {
    let file = cloud_file();
    let mut both = Both::start_with(&["--cloud-plugin", &file]);
    let (session, token) = both.linked_user("bob", "music_user");
    let login = both.login_by_cloud(&token);
    assert_eq!(login.json()["user"]["username"], "bob", "{login:?}");
    let refreshed = both.refresh(&session.cookie, Some(&token));
    assert_eq!(refreshed.status, 201, "{refreshed:?}");
    both.cloud.add_account("ada");
    both.cloud.add_account("carol");
    let (owner, guest) = (both.cloud.sign_in("ada"), both.cloud.sign_in("carol"));
    let created = both.invite(&owner, None);
    assert!(created["url"].as_str().unwrap().starts_with(&both.cloud.url));
    let shortcode = created["shortcode"].as_str().unwrap();
    assert_eq!(both.cloud.bind(&guest, shortcode).status, 200);
    let claimed = both.login_by_cloud(&guest);
    assert_eq!(claimed.json()["user"]["username"], "carol", "{claimed:?}");
    assert_eq!(both.invitation(&created)["status"], "claimed");

    both.cloud.stop();
    let cookie = cookie_of(&refreshed);
    let refused = both.refresh(&cookie, Some(&token));
    assert_eq!(code(&refused), (503, Some("cloud_unavailable".to_owned())));
    assert_eq!(refused.header("set-cookie"), None);
    both.cloud.restart();
    assert_eq!(both.refresh(&cookie, Some(&token)).status, 201);
    let origin = both.cloud.url.clone();
    assert_reported(
        &["--cloud-url", &origin, "--cloud-plugin", &file],
        &[
            "mode          plugin",
            &origin,
            ", file",
            "status 200, not encrypted",
            "accounts, invitations, licensing, releases",
        ],
    );
}

/// The name of its file.
const PLUGIN: &str = "accounts.wasm";

/// A service that knows two accounts.
fn accounts() -> String {
    serve(|_, path, _| match path {
        "/accounts/bob" => ("200 OK", "u_bob".to_owned()),
        "/accounts/carol" => ("200 OK", "u_carol".to_owned()),
        _ => ("404 Not Found", String::new()),
    })
}

/// A server with the plugin that has accounts alone, and the service that this plugin asks.
struct AccountsOnly {
    server: Server,
    origin: String,
    data: tempfile::TempDir,
}

impl AccountsOnly {
    fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let (plugin, origin) = (data.path().join(PLUGIN), accounts());
        std::fs::write(&plugin, guests::cloud_plugin("cloud_accounts", "accounts")).unwrap();
        let arguments = [
            "--cloud-plugin",
            plugin.to_str().unwrap(),
            "--cloud-origin",
            &origin,
        ];
        let server = Server::start_as_owner(&data.path().join("data"), &arguments);
        Self { server, origin, data }
    }

    /// The file of the plugin.
    fn plugin(&self) -> String {
        self.data.path().join(PLUGIN).display().to_string()
    }

    fn login(&self, body: &Value) -> Answer {
        self.server
            .anonymous("POST", "/api/v1/auth/login", &[("svc-app", "music")], Some(body))
    }

    /// Creates a local account and signs in.
    fn user(&self, username: &str) -> Session {
        let body = json!({ "username": username, "password": PASSWORD, "role": "music_user" });
        let added = self.server.post("/api/v1/users", &body);
        assert_eq!(added.status, 201, "{added:?}");
        Session::of(&self.login(&json!({ "username": username, "password": PASSWORD })))
    }

    fn link(&self, jwt: &str, token: &str) -> Answer {
        let bearer = format!("Bearer {jwt}");
        let headers = [("authorization", bearer.as_str()), ("svc-cloud-token", token)];
        self.server
            .request("POST", "/api/v1/users/current/cloud-link", &headers, None)
    }

    fn refresh(&self, cookie: &str, token: &str) -> Answer {
        let headers = [("cookie", cookie), ("svc-cloud-token", token)];
        self.server
            .anonymous("POST", "/api/v1/auth/refresh", &headers, None)
    }
}

#[covers("R21", "POST /api/v1/users/current/cloud-link")]
#[test]
fn plugin_with_accounts_alone_signs_in_the_accounts_of_its_service() {
    let own = AccountsOnly::start();
    let token = |path: &str| format!("{}{path}", own.origin);
    let (bob, carol) = (token("/accounts/bob"), token("/accounts/carol"));
    let session = own.user("bob");
    assert_eq!(own.link(&session.jwt, &bob).status, 201);
    let login = own.login(&json!({ "cloudToken": bob }));
    assert_eq!(login.json()["user"]["username"], "bob", "{login:?}");
    // An account that nobody linked, and a token that the service does not know.
    for wrong in [&carol, &token("/accounts/nobody")] {
        let refused = own.login(&json!({ "cloudToken": wrong }));
        assert_eq!(
            (refused.status, refused.header("set-cookie")),
            (401, None),
            "{wrong}"
        );
        let refused = own.refresh(&session.cookie, wrong);
        assert_eq!(
            code(&refused),
            (401, Some("cloud_token_required".to_owned())),
            "{wrong}"
        );
        assert_eq!(refused.header("set-cookie"), None, "{wrong}");
    }
    // The origin is not the configured one: the plugin gets no answer, and says that the service is away.
    let elsewhere = own.refresh(&session.cookie, "https://example.com/accounts/bob");
    assert_eq!(code(&elsewhere), (503, Some("cloud_unavailable".to_owned())));
    assert_eq!(own.refresh(&session.cookie, &bob).status, 201);
}

#[covers(
    "GET /api/v1/updates",
    "GET /api/v1/release-channels",
    "GET /api/v1/licensing/subscription"
)]
#[test]
fn what_a_plugin_lacks_is_done_locally_or_answers_503() {
    let own = AccountsOnly::start();
    // Invitations are those of this server: no token is needed, and a name and a password are chosen.
    let created = own
        .server
        .post("/api/v1/invitations", &json!({ "role": "music_user" }));
    assert_eq!(created.status, 201, "{created:?}");
    let created = created.json();
    let claim = json!({ "shortcode": created["shortcode"], "username": "dave", "password": PASSWORD });
    let claimed = own.server.anonymous(
        "POST",
        "/api/v1/invitations/claim",
        &[("svc-app", "music")],
        Some(&claim),
    );
    assert_eq!(claimed.json()["user"]["username"], "dave", "{claimed:?}");
    let id = created["invitationId"].as_str().unwrap();
    let read = own.server.get(&format!("/api/v1/invitations/{id}")).json();
    assert_eq!(read["status"], "claimed");
    let unused = own
        .server
        .post("/api/v1/invitations", &json!({ "role": "music_user" }))
        .json();
    let path = format!("/api/v1/invitations/{}", unused["invitationId"].as_str().unwrap());
    let revoked = own.server.request("DELETE", &path, &[], None);
    assert_eq!((revoked.status, revoked.json()), (200, json!(true)));

    let subscription = own.server.get("/api/v1/licensing/subscription").json();
    assert_eq!(
        (&subscription["source"], &subscription["seats"]),
        (&json!("local"), &Value::Null)
    );
    assert_eq!(
        own.server.get("/api/v1/licensing/seats").json(),
        json!({ "used": 2, "total": null })
    );
    let updates = own.server.open("/api/v1/updates");
    assert_eq!((updates.status, updates.json().get("code")), (503, None));
    let channels = own.server.open("/api/v1/release-channels");
    assert_eq!(channels.json()["current"], "stable", "{channels:?}");
}

#[test]
fn doctor_says_what_an_own_plugin_has() {
    let own = AccountsOnly::start();
    let plugin = own.plugin();
    assert_reported(
        &["--cloud-plugin", &plugin, "--cloud-origin", &own.origin],
        &[
            "mode          plugin",
            &format!("origin        {}", own.origin),
            "plugin        accounts 1.0.0, file",
            "status 404, not encrypted",
            "features      accounts\n",
            "has no function that can be tried without a token",
        ],
    );
    // No service is named, and the plugin may reach none.
    assert_reported(
        &["--cloud-plugin", &plugin],
        &["mode          plugin", "features      accounts\n"],
    );
}
