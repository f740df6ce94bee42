//! Valid sign-ins: each algorithm, claims from the userinfo, new and known accounts, roles, rotated keys.

use serde_json::json;
use svc_covers::covers;
use svc_tests::program::PASSWORD;

use super::browser::Browser;
use super::proxy::Mutation;
use super::{Bed, ProviderOptions};

const ROLES: [&str; 4] = [
    "--oidc-default-role",
    "music_user",
    "--oidc-role-map",
    "media=member",
];

#[covers("GET /api/v1/auth/oidc/start", "GET /api/v1/auth/oidc/callback")]
#[test]
fn unknown_user_gets_an_account_with_the_roles_of_its_groups() {
    for options in [
        ProviderOptions::default(),
        ProviderOptions {
            id_token_alg: "ES256",
            userinfo_alg: Some("RS256"),
        },
        ProviderOptions {
            id_token_alg: "Ed25519",
            userinfo_alg: Some("Ed25519"),
        },
    ] {
        let Some(bed) = Bed::start(options, &ROLES) else {
            return;
        };
        let mut browser = Browser::new();
        let page = bed.sign_in(&mut browser, "ada");
        assert_eq!((page.status, page.location()), (303, "/app"), "{}", bed.log());
        let cookie = page.cookies("svc_refresh_token_");
        assert!(
            cookie.len() == 1 && cookie[0].contains("SameSite=Strict"),
            "{cookie:?}"
        );
        // The cookie of the sign-in is deleted.
        assert!(page.cookies("svc_sign_in_")[0].contains("Max-Age=0"));
        let token = bed.access_token(&mut browser);
        let current = bed.current(&token);
        assert_eq!(current["localUser"]["username"], "ada");
        assert_eq!(current["localUser"]["displayName"], "Ada Lovelace");
        assert_eq!(current["localUser"]["cloudLinked"], true);
        assert_eq!(current["roles"], json!(["member", "music_user"]));
        // The next sign-in finds the account.
        let again = &mut Browser::new();
        assert_eq!(bed.sign_in(again, "ada").location(), "/app");
        let token = bed.access_token(again);
        assert_eq!(
            bed.current(&token)["localUser"]["userId"],
            current["localUser"]["userId"]
        );
    }
}

#[test]
fn users_without_claims_and_with_taken_names_get_names_of_their_own() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &ROLES) else {
        return;
    };
    let mut names = Vec::new();
    for user in ["ada", "eve", "nobody"] {
        let mut browser = Browser::new();
        let page = bed.sign_in(&mut browser, user);
        assert_eq!(page.location(), "/app", "{user} {}", bed.log());
        let token = bed.access_token(&mut browser);
        let current = bed.current(&token);
        names.push((current["localUser"]["username"].clone(), current["roles"].clone()));
    }
    let roles = json!(["music_user"]);
    assert_eq!(names[0], (json!("ada"), json!(["member", "music_user"])));
    assert_eq!(names[1], (json!("ada-2"), roles.clone()));
    assert_eq!(names[2], (json!("user"), roles));
}

#[test]
fn unknown_user_is_refused_without_a_role_for_new_accounts() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &[]) else {
        return;
    };
    let page = bed.sign_in(&mut Browser::new(), "ada");
    bed.assert_refused(&page, 0, "no account of this server belongs to the user");
    let users = bed.server.get("/api/v1/users").json();
    // The owner and the guest account.
    assert_eq!(users[1], 2, "{users}");
}

#[test]
fn keys_that_the_provider_has_rotated_are_requested_again() {
    let Some(mut bed) = Bed::start(ProviderOptions::default(), &ROLES) else {
        return;
    };
    assert_eq!(bed.sign_in(&mut Browser::new(), "ada").location(), "/app");
    bed.restart_provider("b");
    let page = bed.sign_in(&mut Browser::new(), "ada");
    assert_eq!(page.location(), "/app", "{}", bed.log());
}

#[covers("GET /api/v1/auth/methods")]
#[test]
fn apps_learn_that_there_is_a_provider() {
    let Some(bed) = Bed::start(
        ProviderOptions::default(),
        &["--oidc-button-label", "Sign in with Example"],
    ) else {
        return;
    };
    let ways = bed.server.open("/api/v1/auth/methods").json();
    let provider = json!({"label": "Sign in with Example", "startPath": "/api/v1/auth/oidc/start"});
    assert_eq!(ways["provider"], provider);
    assert_eq!(ways["password"], true);
}

#[covers("C7", "T30")]
#[test]
fn roles_follow_the_groups_of_each_sign_in() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &ROLES) else {
        return;
    };
    let sign_in = |groups: &[&str]| {
        bed.proxy.mutate(Mutation {
            claims: vec![("groups", json!(groups))],
            ..Mutation::default()
        });
        let mut browser = Browser::new();
        let page = bed.sign_in(&mut browser, "ada");
        assert_eq!(page.location(), "/app", "{groups:?} {}", bed.log());
        bed.access_token(&mut browser)
    };
    let (both, one) = (json!(["member", "music_user"]), json!(["music_user"]));
    let first = sign_in(&["media", "staff"]);
    assert_eq!(bed.current(&first)["roles"], both);
    // Also for the sessions of before.
    for (groups, roles) in [
        (vec!["staff"], &one),
        (vec!["media"], &both),
        (vec![], &one),
        // Names of roles that the map does not have.
        (vec!["owner", "administrator", "member"], &one),
    ] {
        let token = sign_in(&groups);
        for token in [&token, &first] {
            assert_eq!(bed.current(token)["roles"], *roles, "{groups:?}");
        }
    }
}

#[covers("code sign_in_required", "GET /api/v1/licensing/subscription", "R57")]
#[test]
fn server_with_a_provider_keeps_invitations_and_licence_itself_and_knows_no_updates() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &ROLES) else {
        return;
    };
    let created = bed
        .server
        .post("/api/v1/invitations", &json!({ "role": "music_user" }));
    assert_eq!(created.status, 201, "{created:?}");
    let created = created.json();
    let claim = json!({ "shortcode": created["shortcode"], "username": "bob", "password": PASSWORD });
    let headers = [("svc-app", "music")];
    let refused = bed
        .server
        .anonymous("POST", "/api/v1/invitations/claim", &headers, Some(&claim));
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (409, Some("sign_in_required"))
    );
    assert_eq!(refused.header("set-cookie"), None);
    let path = format!(
        "/api/v1/invitations/{}",
        created["invitationId"].as_str().unwrap()
    );
    assert_eq!(bed.server.get(&path).json()["status"], "active");
    let subscription = bed.server.get("/api/v1/licensing/subscription").json();
    assert_eq!(
        (&subscription["source"], &subscription["seats"]),
        (&json!("local"), &serde_json::Value::Null)
    );
    let updates = bed.server.open("/api/v1/updates");
    assert_eq!((updates.status, updates.json()["code"].as_str()), (503, None));
}
