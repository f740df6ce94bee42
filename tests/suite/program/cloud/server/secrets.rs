//! Tokens, codes and cookies of a server with a cloud, which logs all that it does: they are in no log line, event, audit
//! entry, file or answer to another request.

use std::fs::{self, File};

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::cloud::Cloud;
use svc_tests::event_client::EventClient;
use svc_tests::leaks::Secrets;
use svc_tests::program::{Server, serve};

use super::{Both, Session, cookie_of, nonsense};

/// What everybody who may read it all is shown.
const PAGES: [&str; 16] = [
    "/api",
    "/api/docs-json",
    "/api/v1/health",
    "/api/v1/instance",
    "/api/v1/versions",
    "/api/v1/updates",
    "/api/v1/release-channels",
    "/api/v1/auth/methods",
    "/api/v1/users/current",
    "/api/v1/users?take=1000",
    "/api/v1/users/current/sessions",
    "/api/v1/invitations",
    "/api/v1/licensing/subscription",
    "/api/v1/licensing/seats",
    "/api/v1/plugins",
    "/api/v1/audit?take=1000",
];

/// Both processes; the server logs everything to the file `log` beside the cloud's database.
fn start() -> Both {
    let cloud = Cloud::start();
    let data = tempfile::tempdir().unwrap();
    let arguments = ["--cloud-url", cloud.url.as_str(), "--dev"].map(str::to_owned);
    let options: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = serve(data.path(), &options);
    command
        .env("SVC_LOG", "trace")
        .stderr(File::create(cloud.path("log")).unwrap());
    let server = Server::spawn_as_owner(&mut command);
    Both {
        cloud,
        server,
        data,
        arguments: arguments.into(),
    }
}

/// Adds a session's tokens.
fn add_session(secrets: &mut Secrets, session: &Session) {
    secrets.add("access token", &session.jwt);
    let (_, cookie) = session.cookie.split_once('=').unwrap();
    secrets.add("refresh cookie", cookie);
}

/// An invitation, whose shortcode is a secret as it is shown, as it is stored, and in its link.
fn invite(both: &Both, token: &str, secrets: &mut Secrets) -> Value {
    let created = both.invite(token, None);
    let shortcode = created["shortcode"].as_str().unwrap();
    secrets.add("shortcode", shortcode);
    secrets.add("shortcode without hyphens", &shortcode.replace('-', ""));
    created
}

/// A device that the account signs in.
fn sign_in_device(both: &Both, session: &Session, secrets: &mut Secrets) {
    let app = json!({ "app": "music" });
    let started = both
        .server
        .anonymous("POST", "/api/v1/auth/device", &[], Some(&app))
        .json();
    let (device, user) = (&started["deviceCode"], &started["userCode"]);
    secrets.add("device code", device.as_str().unwrap());
    secrets.add("user code", user.as_str().unwrap());
    secrets.add(
        "user code without hyphen",
        &user.as_str().unwrap().replace('-', ""),
    );
    let send = |path: &str, body: Value| both.with_token(&session.jwt, "POST", path, Some(&body)).status;
    let path = format!("/api/v1/auth/device/{}", user.as_str().unwrap());
    assert_eq!(both.with_token(&session.jwt, "GET", &path, None).status, 200);
    assert_eq!(
        send("/api/v1/auth/device/approve", json!({ "userCode": user })),
        201
    );
    let poll = json!({ "deviceCode": device });
    let login = both
        .server
        .anonymous("POST", "/api/v1/auth/device/token", &[], Some(&poll));
    add_session(secrets, &Session::of(&login));
}

/// Sends a token wherever one may be sent, and where it should not be.
fn send_everywhere(both: &Both, session: &Session, token: &str, answers: &mut Vec<u8>) {
    let bearer = format!("Bearer {}", session.jwt);
    let header = ("svc-cloud-token", token);
    for path in PAGES {
        let headers = [("authorization", bearer.as_str()), header];
        answers.extend(both.server.request("GET", path, &headers, None).bytes);
    }
    let body = json!({ "role": "music_user" });
    let headers = [("authorization", bearer.as_str()), header];
    let path = "/api/v1/invitations";
    answers.extend(both.server.request("POST", path, &headers, Some(&body)).bytes);
    answers.extend(both.link(&session.jwt, token).bytes);
    let cross_site = [header, ("sec-fetch-site", "cross-site")];
    let refresh = "/api/v1/auth/refresh";
    let refused = both.server.anonymous("POST", refresh, &cross_site, None);
    if refused.status != 201 {
        answers.extend(refused.bytes);
    }
    for path in ["/api/v1/nothing", "/api/v1/users/current/nothing"] {
        answers.extend(both.server.anonymous("POST", path, &[header], None).bytes);
    }
}

#[covers("C14", "T08", "T34")]
#[test]
fn secrets_of_the_cloud_are_in_no_log_event_audit_file_or_other_answer() {
    let both = start();
    let mut secrets = Secrets::default();
    let mut events = EventClient::open(&both.server);
    let (session, token) = both.linked_user("bob", "music_user");
    both.cloud.add_account("ada");
    both.cloud.add_account("carol");
    let owner = both.cloud.sign_in("ada");
    let guest = both.cloud.sign_in("carol");
    for (name, secret) in [
        ("token", &token),
        ("owner's token", &owner),
        ("guest's token", &guest),
    ] {
        secrets.add(name, secret);
    }
    secrets.add("token that nobody issued", "svc_cloud_unknown-4Kq0xTz8Vw2");
    add_session(&mut secrets, &session);

    // All goes well.
    let created = invite(&both, &owner, &mut secrets);
    let shortcode = created["shortcode"].as_str().unwrap();
    assert_eq!(both.cloud.bind(&guest, shortcode).status, 200);
    add_session(&mut secrets, &Session::of(&both.login_by_cloud(&guest)));
    sign_in_device(&both, &session, &mut secrets);
    let refreshed = both.refresh(&session.cookie, Some(&token));
    let mut cookie = cookie_of(&refreshed);
    secrets.add("next refresh cookie", cookie.split_once('=').unwrap().1);

    // And then it does not, in every way, also with a cloud that repeats what it was sent.
    let mut answers = Vec::new();
    let echoes = [&token, &owner].map(|secret| {
        let location = format!("http://127.0.0.1:1/?token={secret}");
        json!({ "kind": "redirect", "location": location })
    });
    let refusals = [&token, &owner].map(|secret| json!({ "kind": "refuse", "status": 409, "code": secret }));
    for failure in nonsense().into_iter().chain(echoes).chain(refusals) {
        both.cloud.fail("account", &failure, Some(1));
        answers.extend(both.refresh(&cookie, Some(&token)).bytes);
        both.cloud.reset();
        cookie = cookie_of(&both.refresh(&cookie, Some(&token)));
        secrets.add("refresh cookie", cookie.split_once('=').unwrap().1);
        both.cloud.fail("createInvitation", &failure, Some(1));
        answers.extend(both.try_invite(&owner, None).bytes);
        both.cloud.reset();
    }
    for sent in [token.as_str(), &owner, "svc_cloud_unknown-4Kq0xTz8Vw2"] {
        send_everywhere(&both, &session, sent, &mut answers);
    }
    for path in PAGES {
        answers.extend(both.server.get(path).bytes);
    }
    for option in ["cloud-url", "cloud-plugin", "oidc-client-secret-file"] {
        let path = format!("/api/v1/dev/options/{option}");
        answers.extend(both.server.get(&path).bytes);
    }
    let last = both.server.get("/api/v1/dev/last-claim-attempt");
    answers.extend(last.bytes);

    secrets.assert_none_in("an answer", &answers);
    // The last one that is published.
    let last = both.invite(&owner, None);
    let shown = last["shortcode"].as_str().unwrap();
    secrets.add("last shortcode", shown);
    assert_eq!(both.revoke(&last), true);
    loop {
        let event = events.next_event().expect("the stream goes on");
        secrets.assert_none_in("an event", event.to_string().as_bytes());
        if event["type"] == "invitation.revoked" {
            assert_eq!(event["payload"]["invitationId"], last["invitationId"]);
            break;
        }
    }
    assert!(secrets.assert_none_below(both.data.path()) >= 1);
    let log = fs::read(both.cloud.path("log")).unwrap();
    let lines = log.iter().filter(|byte| **byte == b'\n').count();
    assert!(lines > 100, "{lines} lines");
    secrets.assert_none_in("the log", &log);
    // The credential of the server, which only the server knows.
    let mut credential = Secrets::default();
    credential.add("credential", "svc_server_");
    credential.assert_none_in("the log", &log);
    credential.assert_none_in("an answer", &answers);
    assert!(credential.assert_none_below(both.data.path()) >= 1);
    // The search itself works.
    let text = format!("a {token} b");
    assert_eq!(secrets.found(text.as_bytes()), ["token"]);
}
