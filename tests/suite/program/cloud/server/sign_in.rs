//! Links, sign-ins and refreshes with tokens of the reference cloud, while it works.

use serde_json::json;
use svc_covers::covers;
use svc_tests::cloud::Cloud;
use svc_tests::program::PASSWORD;

use super::{Both, Session, code, cookie_of};

const CROSS_SITE: (&str, &str) = ("sec-fetch-site", "cross-site");

/// The id of the server's installation.
fn instance(both: &Both) -> String {
    let instance = both.server.open("/api/v1/instance").json();
    instance["instanceId"].as_str().unwrap().to_owned()
}

/// A token of `bob` for one installation.
fn issued(both: &Both, audience: &str) -> String {
    let body = json!({ "username": "bob", "password": PASSWORD, "audience": audience });
    let answer = both.cloud.call("POST", "/api/v1/session", &[], Some(&body));
    answer.json()["token"].as_str().unwrap().to_owned()
}

#[covers("auth-failure cloud_token_required", "T30")]
#[test]
fn linked_account_signs_in_with_its_token_under_both_names() {
    let both = Both::start();
    let (session, token) = both.linked_user("bob", "music_user");
    for name in ["cloudToken", "ssoToken"] {
        let login = both.login("music", &json!({ name: token }));
        assert_eq!(login.json()["user"]["username"], "bob", "{login:?}");
        Session::of(&login);
        assert_eq!(both.login("photos", &json!({ name: token })).status, 403);
    }
    let current = both.with_token(&session.jwt, "GET", "/api/v1/users/current", None);
    assert_eq!(current.status, 200);
    // An account that nobody linked, and a token that nobody issued.
    both.cloud.add_account("carol");
    let stranger = both.login_by_cloud(&both.cloud.sign_in("carol"));
    assert_eq!((stranger.status, stranger.header("set-cookie")), (401, None));
    for wrong in ["svc_cloud_unknown", "", "x y"] {
        let refused = both.login_by_cloud(wrong);
        assert_eq!(
            (refused.status, refused.header("set-cookie")),
            (401, None),
            "{wrong:?}"
        );
    }
    // The link is one to one.
    both.add_user("dave", "music_user");
    let dave = both.login_by_password("dave", "music");
    assert_eq!(both.link(&dave.jwt, &token).status, 409);
    assert_eq!(both.link(&session.jwt, &both.cloud.sign_in("carol")).status, 409);
    assert_eq!(both.link(&session.jwt, &token).status, 201);
}

#[covers("T30")]
#[test]
fn token_of_another_installation_is_refused() {
    let both = Both::start();
    let (session, _) = both.linked_user("bob", "music_user");
    let refused = both.refresh(&session.cookie, Some(&issued(&both, "another-installation")));
    assert_eq!(code(&refused), (401, Some("cloud_token_required".to_owned())));
    assert_eq!(refused.header("set-cookie"), None);
    assert_eq!(
        both.refresh(&session.cookie, Some(&issued(&both, &instance(&both))))
            .status,
        201
    );
}

#[covers("T30")]
#[test]
fn factory_reset_changes_the_installation_that_tokens_are_for() {
    let both = Both::start();
    both.cloud.add_account("bob");
    let old = issued(&both, &instance(&both));
    let reset = json!({ "type": "factory", "validationPhrase": "Factory reset" });
    assert_eq!(both.server.post("/api/v1/reset", &reset).status, 201);
    let setup = json!({ "username": "owner", "password": PASSWORD });
    let setup = both.server.anonymous("POST", "/api/v1/setup", &[], Some(&setup));
    assert_eq!(setup.status, 201, "{setup:?}");
    let new = issued(&both, &instance(&both));
    let owner = both.login_by_password("owner", "admin");
    assert_eq!(both.link(&owner.jwt, &new).status, 201);
    assert_eq!(both.login_by_cloud(&new).status, 201);
    assert_eq!(both.login_by_cloud(&old).status, 401);
}

#[covers("T30")]
#[test]
fn another_cloud_signs_in_no_account_of_the_first_one() {
    let mut both = Both::start();
    both.add_user("bob", "music_user");
    let id = both.cloud.add_account("bob");
    let token = both.cloud.sign_in("bob");
    let session = both.login_by_password("bob", "music");
    assert_eq!(both.link(&session.jwt, &token).status, 201);
    assert_eq!(both.login_by_cloud(&token).status, 201);
    let other = Cloud::start();
    other.add_account("eve");
    let of_eve = other.sign_in("eve");
    // It claims that its account is the one of the first cloud.
    let failure = json!({ "kind": "wrongAccount", "publicUserId": id });
    other.fail("account", &failure, None);
    both.arguments[1].clone_from(&other.url);
    both.restart_server();
    assert_eq!(both.login_by_cloud(&of_eve).status, 401);
    both.arguments[1].clone_from(&both.cloud.url);
    both.restart_server();
    assert_eq!(both.login_by_cloud(&token).status, 201);
}

#[covers("auth-failure cloud_token_required", "R21")]
#[test]
fn linked_account_refreshes_with_its_own_token_only() {
    let both = Both::start();
    let (session, token) = both.linked_user("bob", "music_user");
    let (_, of_carol) = both.linked_user("carol", "music_user");
    let asked = both.cloud.requests("account");
    for wrong in [None, Some(of_carol.as_str()), Some("svc_cloud_unknown")] {
        let refused = both.refresh(&session.cookie, wrong);
        assert_eq!(
            code(&refused),
            (401, Some("cloud_token_required".to_owned())),
            "{wrong:?}"
        );
        assert_eq!(refused.header("set-cookie"), None, "{wrong:?}");
    }
    let refreshed = both.refresh(&session.cookie, Some(&token));
    assert_eq!(refreshed.status, 201, "{refreshed:?}");
    let next = cookie_of(&refreshed);
    assert_ne!(next, session.cookie);
    assert_eq!(both.refresh(&next, Some(&token)).status, 201);
    // The cloud is asked at every refresh that brings a token.
    assert_eq!(both.cloud.requests("account") - asked, 4);
    both.cloud.command(&["account", "sign-out", "bob"], "");
    let ended = both.refresh(&next, Some(&token));
    assert_eq!(code(&ended), (401, Some("cloud_token_required".to_owned())));
    assert_eq!(ended.header("set-cookie"), None);
    assert_eq!(
        both.with_token(&session.jwt, "GET", "/api/v1/users/current", None)
            .status,
        200
    );
}

#[covers("auth-failure 401 not linked", "R22")]
#[test]
fn cross_site_caller_refreshes_by_its_token_without_a_cookie() {
    let both = Both::start();
    let (_, token) = both.linked_user("bob", "music_user");
    both.cloud.add_account("carol");
    let stranger = both.cloud.sign_in("carol");
    for site in [CROSS_SITE, ("origin", "https://app.example")] {
        let refresh = |headers: &[(&str, &str)]| {
            let headers: Vec<_> = headers.iter().chain([&site]).copied().collect();
            both.server
                .anonymous("POST", "/api/v1/auth/refresh", &headers, None)
        };
        let refreshed = refresh(&[("svc-cloud-token", &token)]);
        assert_eq!(
            (refreshed.status, refreshed.header("set-cookie")),
            (201, None),
            "{refreshed:?}"
        );
        let jwt = refreshed.json()["JWT"].as_str().unwrap().to_owned();
        let current = both.with_token(&jwt, "GET", "/api/v1/users/current", None).json();
        assert_eq!(current["localUser"]["username"], "bob");
        let unlinked = refresh(&[("svc-cloud-token", &stranger)]);
        assert_eq!(
            (code(&unlinked), unlinked.header("set-cookie")),
            ((401, None), None)
        );
        let none = refresh(&[]);
        assert_eq!(code(&none), (401, Some("cloud_token_required".to_owned())));
        let login = both.server.anonymous(
            "POST",
            "/api/v1/auth/login",
            &[("svc-app", "music"), site],
            Some(&json!({ "cloudToken": token })),
        );
        assert_eq!((login.status, login.header("set-cookie")), (201, None));
    }
}

#[covers("R27")]
#[test]
fn personal_access_token_of_a_linked_account_works_without_the_cloud() {
    let mut both = Both::start();
    let (session, _) = both.linked_user("bob", "music_user");
    let current = both
        .with_token(&session.jwt, "GET", "/api/v1/users/current", None)
        .json();
    let user = current["localUser"]["userId"].as_str().unwrap();
    let path = format!("/api/v1/users/{user}/personal-access-tokens");
    let created = both.server.post(&path, &json!({ "label": "script" }));
    assert_eq!(created.status, 201, "{created:?}");
    let pat = created.json()["token"].as_str().unwrap().to_owned();
    both.cloud.stop();
    assert_eq!(
        both.with_token(&pat, "GET", "/api/v1/users/current", None).status,
        200
    );
    // What needs no cloud goes on: the owner's account is local.
    both.login_by_password("owner", "admin");
    both.cloud.restart();
}
