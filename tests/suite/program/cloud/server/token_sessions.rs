//! Sessions that a token of the cloud opens, in which nobody has signed in: how long they last, and what they may not.

use serde_json::json;
use svc_covers::covers;
use svc_tests::cloud::DAY;
use svc_tests::program::{Answer, wait_for};

use super::accounts::{poll, start_device};
use super::{Both, code};

const CURRENT: &str = "/api/v1/users/current";
const LINK: &str = "/api/v1/users/current/cloud-link";
/// How long the tokens of the reference cloud are valid.
const LIFETIME: i64 = 30 * DAY;

/// A session of an app on another site.
fn open(both: &Both, token: &str) -> Answer {
    let headers = [("sec-fetch-site", "cross-site"), ("svc-cloud-token", token)];
    both.server
        .anonymous("POST", "/api/v1/auth/refresh", &headers, None)
}

fn jwt(answer: &Answer) -> String {
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()["JWT"].as_str().unwrap().to_owned()
}

#[covers("C4", "code reauthentication_required", "T30")]
#[test]
fn sessions_in_which_nobody_signed_in_change_no_link() {
    let both = Both::start();
    let (session, token) = both.linked_user("bob", "music_user");
    let app = jwt(&open(&both, &token));
    // A device has the sign-in of the session that approves it, which is none.
    let (device, user_code) = start_device(&both);
    let approval = json!({ "userCode": user_code });
    let approved = both.with_token(&app, "POST", "/api/v1/auth/device/approve", Some(&approval));
    assert_eq!(approved.status, 201, "{approved:?}");
    let tv = jwt(&poll(&both, &device));
    let refused = (403, Some("reauthentication_required".to_owned()));
    for jwt in [&app, &tv] {
        assert_eq!(both.with_token(jwt, "GET", CURRENT, None).status, 200);
        assert_eq!(code(&both.link(jwt, &token)), refused);
        assert_eq!(code(&both.with_token(jwt, "DELETE", LINK, None)), refused);
    }
    assert_eq!(both.with_token(&session.jwt, "DELETE", LINK, None).status, 200);
}

#[covers("R22")]
#[test]
fn cross_site_session_ends_with_that_of_the_cloud() {
    let both = Both::start();
    both.linked_user("bob", "music_user");
    // Ten seconds of the token are left once the clock of the cloud is right again.
    both.cloud.set_clock(10_000 - LIFETIME);
    let token = both.cloud.sign_in("bob");
    both.cloud.reset();
    let opened = open(&both, &token);
    assert_eq!(opened.header("set-cookie"), None);
    let jwt = jwt(&opened);
    let bearer = format!("Bearer {jwt}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("svc-cloud-token", token.as_str()),
    ];
    let caller = both.server.request("GET", CURRENT, &headers, None).json();
    let sessions = both.with_token(&jwt, "GET", &format!("{CURRENT}/sessions"), None);
    let sessions = sessions.json();
    let mut sessions = sessions.as_array().unwrap().iter();
    let own = sessions.find(|session| session["current"] == true).unwrap();
    assert_eq!(own["kind"], "cloud");
    assert_eq!(own["expiresAt"], caller["cloudUser"]["expiresAt"]);
    // Its access token would be valid for a quarter of an hour.
    wait_for("the end of the session", || {
        both.with_token(&jwt, "GET", CURRENT, None).status == 401
    });
    let over = open(&both, &token);
    assert_eq!(code(&over), (401, Some("cloud_token_required".to_owned())));
}
