//! Sign-in of devices without a browser, over TCP: polls that come too early, a denial, guesses of user codes.

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::program::{Answer, PASSWORD, Server};

const DEVICE: &str = "/api/v1/auth/device";

fn code(answer: &Answer) -> (u16, Option<String>) {
    (answer.status, answer.json()["code"].as_str().map(str::to_owned))
}

fn with_code(status: u16, code: &str) -> (u16, Option<String>) {
    (status, Some(code.to_owned()))
}

/// The body of a new device's polls, and its user code.
fn start(server: &Server) -> (Value, String) {
    let started = server.anonymous("POST", DEVICE, &[], Some(&json!({ "app": "music" })));
    assert_eq!(started.status, 201, "{started:?}");
    let codes = started.json();
    let poll = json!({ "deviceCode": codes["deviceCode"] });
    (poll, codes["userCode"].as_str().unwrap().to_owned())
}

fn poll(server: &Server, device: &Value) -> Answer {
    server.anonymous("POST", &format!("{DEVICE}/token"), &[], Some(device))
}

#[covers("C9", "code slow_down", "code access_denied")]
#[test]
fn device_that_polls_too_early_slows_down_and_one_that_is_denied_is_told() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start_as_owner(data.path(), &[]);
    let (device, user_code) = start(&server);
    assert_eq!(
        code(&poll(&server, &device)),
        with_code(400, "authorization_pending")
    );
    for _ in 0..2 {
        assert_eq!(code(&poll(&server, &device)), with_code(400, "slow_down"));
    }
    let denied = server.post(&format!("{DEVICE}/deny"), &json!({ "userCode": user_code }));
    assert_eq!(denied.status, 201, "{denied:?}");
    for _ in 0..2 {
        let refused = poll(&server, &device);
        assert_eq!(code(&refused), with_code(400, "access_denied"));
        assert_eq!(refused.header("set-cookie"), None);
    }
}

#[covers("C9", "code too_many_attempts")]
#[test]
fn account_has_five_tries_at_a_user_code() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start_as_owner(data.path(), &[]);
    let bob = json!({ "username": "bob", "password": PASSWORD, "role": "member" });
    assert_eq!(server.post("/api/v1/users", &bob).status, 201);
    let bearer = format!("Bearer {}", server.sign_in("bob", "music"));
    let (device, user_code) = start(&server);
    let look = |typed: &str| {
        let headers = [("authorization", bearer.as_str())];
        server.request("GET", &format!("{DEVICE}/{typed}"), &headers, None)
    };
    assert_eq!(look(&user_code).status, 200);
    for guess in 0..5 {
        assert_eq!(look(&format!("ZZZZ-ZZZ{guess}")).status, 404, "{guess}");
    }
    // The right one as well: a guesser learns nothing.
    for typed in ["ZZZZ-ZZZ5", &user_code] {
        let refused = look(typed);
        assert_eq!(code(&refused), with_code(429, "too_many_attempts"));
        assert!(refused.header("retry-after").is_some(), "{refused:?}");
    }
    // Another account is not affected.
    let approval = json!({ "userCode": user_code });
    assert_eq!(server.post(&format!("{DEVICE}/approve"), &approval).status, 201);
    let login = poll(&server, &device);
    assert_eq!(login.json()["user"]["username"], "owner", "{login:?}");
}
