//! Linked accounts beside sign-in and refresh: the cloud user, unlinking, devices.

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::program::{Answer, run};

use super::{Both, Session, code};

const CURRENT: &str = "/api/v1/users/current";
const LINK: &str = "/api/v1/users/current/cloud-link";

/// The cloud user that a caller is shown.
fn cloud_user(both: &Both, credential: &str, token: Option<&str>) -> Value {
    let bearer = format!("Bearer {credential}");
    let mut headers = vec![("authorization", bearer.as_str())];
    headers.extend(token.map(|token| ("svc-cloud-token", token)));
    let answer = both.server.request("GET", CURRENT, &headers, None);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["cloudUser"].clone()
}

/// The account of a token, by the cloud itself.
pub(super) fn public_id(both: &Both, token: &str) -> Value {
    let headers = [("svc-cloud-token", token)];
    let account = both.cloud.call("GET", "/api/v1/account", &headers, None);
    account.json()["publicUserId"].clone()
}

fn without_code(status: u16) -> (u16, Option<String>) {
    (status, None)
}

fn with_code(status: u16, code: &str) -> (u16, Option<String>) {
    (status, Some(code.to_owned()))
}

#[covers("GET /api/v1/users/current", "R27", "R32")]
#[test]
fn caller_sees_the_cloud_user_of_its_token_if_the_cloud_is_there() {
    let mut both = Both::start();
    let (session, token) = both.linked_user("bob", "music_user");
    both.cloud.add_account("carol");
    let stranger = both.cloud.sign_in("carol");
    let own = cloud_user(&both, &session.jwt, Some(&token));
    assert_eq!(
        (&own["publicUserId"], &own["linked"]),
        (&public_id(&both, &token), &json!(true))
    );
    assert!(own["expiresAt"].is_string(), "{own}");
    let other = cloud_user(&both, &session.jwt, Some(&stranger));
    assert_eq!(
        (&other["publicUserId"], &other["linked"]),
        (&public_id(&both, &stranger), &json!(false))
    );
    let wrong = cloud_user(&both, &session.jwt, Some("svc_cloud_unknown"));
    assert_eq!(wrong, Value::Null);

    // Neither without a token nor for a personal access token is the cloud asked.
    let user = both.with_token(&session.jwt, "GET", CURRENT, None).json();
    let user = user["localUser"]["userId"].as_str().unwrap();
    let path = format!("/api/v1/users/{user}/personal-access-tokens");
    let created = both.server.post(&path, &json!({ "label": "script" }));
    assert_eq!(created.status, 201, "{created:?}");
    let personal = created.json()["token"].as_str().unwrap().to_owned();
    let asked = both.cloud.requests("account");
    assert_eq!(cloud_user(&both, &session.jwt, None), Value::Null);
    assert_eq!(cloud_user(&both, &personal, Some(&token)), Value::Null);
    assert_eq!(both.cloud.requests("account"), asked);

    both.cloud.fail("account", &json!({ "kind": "blackHole" }), None);
    assert_eq!(cloud_user(&both, &session.jwt, Some(&token)), Value::Null);
    both.cloud.reset();
    both.cloud.stop();
    assert_eq!(cloud_user(&both, &session.jwt, Some(&token)), Value::Null);
    assert_eq!(cloud_user(&both, &personal, Some(&token)), Value::Null);
    both.cloud.restart();
    assert_eq!(cloud_user(&both, &session.jwt, Some(&token)), own);
}

#[covers("DELETE /api/v1/users/current/cloud-link", "T30")]
#[test]
fn unlinked_account_needs_no_cloud_and_its_cloud_account_no_longer_signs_in() {
    let mut both = Both::start();
    let (session, token) = both.linked_user("bob", "music_user");
    let by_cloud = Session::of(&both.login_by_cloud(&token));
    let unlinked = both.with_token(&session.jwt, "DELETE", LINK, None);
    assert_eq!(
        (unlinked.status, &unlinked.json()["cloudLinked"]),
        (200, &json!(false))
    );
    assert_eq!(both.with_token(&session.jwt, "DELETE", LINK, None).status, 404);
    // The session that the cloud account signed in has ended, whoever refreshes it.
    assert_eq!(both.with_token(&by_cloud.jwt, "GET", CURRENT, None).status, 401);
    for token in [None, Some(token.as_str())] {
        assert_eq!(
            code(&both.refresh(&by_cloud.cookie, token)),
            without_code(401),
            "{token:?}"
        );
    }
    assert_eq!(code(&both.login_by_cloud(&token)), without_code(401));
    both.cloud.stop();
    assert_eq!(both.refresh(&session.cookie, None).status, 201);
    both.cloud.restart();
    // Both are free for other links.
    both.add_user("carol", "music_user");
    let carol = both.login_by_password("carol", "music");
    assert_eq!(both.link(&carol.jwt, &token).status, 201);
    assert_eq!(
        code(&both.link(&session.jwt, &token)),
        with_code(409, "cloud_account_taken")
    );
    let login = both.login_by_cloud(&token);
    assert_eq!(login.json()["user"]["username"], "carol", "{login:?}");
}

#[covers("code cloud_unavailable")]
#[test]
fn operator_unlinks_accounts_of_a_server_that_has_no_cloud_any_more() {
    let mut both = Both::start();
    let (session, token) = both.linked_user("bob", "music_user");
    both.restart_server_without_cloud();
    for token in [None, Some(token.as_str())] {
        assert_eq!(
            code(&both.refresh(&session.cookie, token)),
            with_code(503, "cloud_unavailable"),
            "{token:?}"
        );
    }
    let data = both.data.path().to_str().unwrap();
    let output = run(&["user", "unlink", "bob", "--data-dir", data]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && text.contains("bob is unlinked."),
        "{text}"
    );
    assert_eq!(both.refresh(&session.cookie, None).status, 201);
}

#[covers("C4", "code password_missing", "T30")]
#[test]
fn account_of_an_invitation_stays_linked_until_it_has_a_password() {
    let both = Both::start();
    both.cloud.add_account("ada");
    both.cloud.add_account("bob");
    let (token, guest) = (both.cloud.sign_in("ada"), both.cloud.sign_in("bob"));
    let created = both.invite(&token, None);
    let shortcode = created["shortcode"].as_str().unwrap();
    assert_eq!(both.cloud.bind(&guest, shortcode).status, 200);
    let session = Session::of(&both.login_by_cloud(&guest));
    let unlink = || both.with_token(&session.jwt, "DELETE", LINK, None);
    assert_eq!(code(&unlink()), with_code(409, "password_missing"));
    assert_eq!(both.refresh(&session.cookie, Some(&guest)).status, 201);
    let password = json!({ "password": svc_tests::program::PASSWORD });
    let changed = both.with_token(&session.jwt, "PATCH", CURRENT, Some(&password));
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(unlink().status, 200);
    both.login_by_password("bob", "music");
    assert_eq!(code(&both.login_by_cloud(&guest)), without_code(401));
}

/// Starts the sign-in of a device; returns the body of its polls, and its user code.
pub(super) fn start_device(both: &Both) -> (Value, String) {
    let app = json!({ "app": "music" });
    let started = both
        .server
        .anonymous("POST", "/api/v1/auth/device", &[], Some(&app));
    assert_eq!(started.status, 201, "{started:?}");
    let codes = started.json();
    let poll = json!({ "deviceCode": codes["deviceCode"] });
    (poll, codes["userCode"].as_str().unwrap().to_owned())
}

pub(super) fn poll(both: &Both, device: &Value) -> Answer {
    both.server
        .anonymous("POST", "/api/v1/auth/device/token", &[], Some(device))
}

#[covers(
    "C9",
    "POST /api/v1/auth/device",
    "POST /api/v1/auth/device/approve",
    "POST /api/v1/auth/device/token",
    "R21",
    "R33c"
)]
#[test]
fn device_of_a_linked_account_signs_in_without_the_cloud_and_refreshes_with_it() {
    let mut both = Both::start();
    let (session, token) = both.linked_user("bob", "music_user");
    both.cloud.stop();
    let (device, user_code) = start_device(&both);
    assert_eq!(
        code(&poll(&both, &device)),
        with_code(400, "authorization_pending")
    );
    let approve = |user_code: &str| {
        let body = json!({ "userCode": user_code });
        both.with_token(&session.jwt, "POST", "/api/v1/auth/device/approve", Some(&body))
            .status
    };
    assert_eq!(approve("0000-000"), 404);
    // As somebody types it.
    assert_eq!(approve(&user_code.replace('-', " ").to_lowercase()), 201);
    let login = poll(&both, &device);
    assert_eq!(login.json()["user"]["username"], "bob", "{login:?}");
    let tv = Session::of(&login);
    assert_eq!(code(&poll(&both, &device)), with_code(400, "expired_token"));
    for (sent, expected) in [
        (None, with_code(401, "cloud_token_required")),
        (Some(token.as_str()), with_code(503, "cloud_unavailable")),
    ] {
        let refused = both.refresh(&tv.cookie, sent);
        assert_eq!(code(&refused), expected);
        assert_eq!(refused.header("set-cookie"), None);
    }
    both.cloud.restart();
    assert_eq!(both.refresh(&tv.cookie, Some(&token)).status, 201);
    // It ends with the session list of its account, like any other.
    let sessions = "/api/v1/users/current/sessions";
    let ended = both.with_token(&session.jwt, "DELETE", sessions, None);
    assert_eq!((ended.status, ended.json()), (200, json!(1)));
    assert_eq!(both.with_token(&tv.jwt, "GET", CURRENT, None).status, 401);
}
