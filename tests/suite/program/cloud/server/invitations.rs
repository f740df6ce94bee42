//! Invitations that the reference cloud keeps: states, both types, the first credential, refusals, claims.

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::cloud::DAY;
use svc_tests::event_client::EventClient;
use svc_tests::program::wait_for;

use super::{Both, code, cookie_of};

/// Both processes, a cloud account of the owner with its token, and one of a guest.
fn prepare(options: &[&str]) -> (Both, String, String) {
    let both = Both::start_with(options);
    both.cloud.add_account("ada");
    both.cloud.add_account("bob");
    let (token, guest) = (both.cloud.sign_in("ada"), both.cloud.sign_in("bob"));
    (both, token, guest)
}

fn bind(both: &Both, token: &str, created: &Value) {
    assert_eq!(
        both.cloud
            .bind(token, created["shortcode"].as_str().unwrap())
            .status,
        200
    );
}

#[covers(
    "C11",
    "POST /api/v1/invitations",
    "GET /api/v1/invitations",
    "GET /api/v1/invitations/{id}"
)]
#[test]
fn shareable_invitation_becomes_an_account_of_its_role() {
    let (both, token, guest) = prepare(&["--dev"]);
    assert_eq!(
        both.server.get("/api/v1/dev/last-claim-attempt").json(),
        Value::Null
    );
    let created = both.invite(&token, None);
    assert_eq!(
        (&created["status"], &created["type"]),
        (&json!("active"), &json!("shareable"))
    );
    assert!(created["url"].as_str().unwrap().starts_with(&both.cloud.url));
    assert_eq!(both.invitation(&created)["status"], "active");
    // Nobody may come in before the invitation is bound.
    assert_eq!(both.login_by_cloud(&guest).status, 401);
    bind(&both, &guest, &created);
    let bound = both.wait_for_status(&created, "bound");
    assert!(
        bound["boundAt"].is_string() && bound["claimedAt"].is_null(),
        "{bound}"
    );

    let login = both.login_by_cloud(&guest);
    assert_eq!(login.status, 201, "{login:?}");
    assert_eq!(login.json()["user"]["username"], "bob");
    let claimed = both.invitation(&created);
    assert_eq!(claimed["status"], "claimed");
    assert!(claimed["claimedAt"].is_string());
    let attempt = both.server.get("/api/v1/dev/last-claim-attempt").json();
    assert_eq!(attempt["outcome"], "claimed", "{attempt}");
    assert_eq!(attempt["invitationId"], created["invitationId"]);
    // The cloud is told, the account is linked, and the invitation is used up.
    wait_for("the cloud to know of the claim", || {
        both.cloud.requests("claimInvitation") > 0
    });
    let again = both.login_by_cloud(&guest);
    assert_eq!(again.json()["user"]["userId"], login.json()["user"]["userId"]);
    assert_eq!(both.refresh(&cookie_of(&again), Some(&guest)).status, 201);
    assert_eq!(both.revoke(&created), false);
}

#[covers("R54")]
#[test]
fn direct_invitation_has_no_shortcode_and_is_for_its_target() {
    let (both, token, guest) = prepare(&[]);
    let carol = both.cloud.add_account("carol");
    let created = both.invite(&token, Some(&carol));
    assert_eq!(
        (&created["type"], &created["targetPublicUserId"]),
        (&json!("direct"), &json!(carol))
    );
    let fields = created.as_object().unwrap();
    assert!(
        !fields.contains_key("shortcode") && !fields.contains_key("url"),
        "{created}"
    );
    let approval = json!({ "code": both.cloud.approval_code("carol@example.org") });
    let approve = |token: &str| {
        both.cloud
            .call(
                "POST",
                "/api/v1/approvals",
                &[("svc-cloud-token", token)],
                Some(&approval),
            )
            .status
    };
    assert_eq!(approve(&guest), 404);
    let of_carol = both.cloud.sign_in("carol");
    assert_eq!(approve(&of_carol), 200);
    both.wait_for_status(&created, "bound");
    assert_eq!(both.login_by_cloud(&of_carol).json()["user"]["username"], "carol");
    assert_eq!(both.invitation(&created)["status"], "claimed");
    for target in ["u_0000000000000000", "nobody"] {
        let refused = both.try_invite(&token, Some(target));
        assert_eq!(
            code(&refused),
            (404, Some("target_unavailable".to_owned())),
            "{target}"
        );
    }
}

#[covers("R55")]
#[test]
fn revoked_invitation_lets_nobody_in() {
    let (both, token, guest) = prepare(&[]);
    let (active, bound) = (both.invite(&token, None), both.invite(&token, None));
    bind(&both, &guest, &bound);
    for created in [&active, &bound] {
        assert_eq!(both.revoke(created), true);
        assert_eq!(both.revoke(created), false);
        assert_eq!(both.invitation(created)["status"], "revoked");
    }
    assert_eq!(both.login_by_cloud(&guest).status, 401);
    let code = active["shortcode"].as_str().unwrap();
    assert_eq!(both.cloud.bind(&guest, code).status, 404);
    // A revocation holds here at once, and the cloud learns it when it is back.
    let (away, unused) = (both.invite(&token, None), both.invite(&token, None));
    bind(&both, &guest, &away);
    both.cloud
        .fail("revokeInvitation", &json!({ "kind": "down" }), None);
    assert_eq!(both.revoke(&away), true);
    assert_eq!(both.login_by_cloud(&guest).status, 401);
    both.cloud.reset();
    let code = away["shortcode"].as_str().unwrap();
    wait_for("the cloud to know of the revocation", || {
        both.server.get("/api/v1/invitations");
        // Whoever holds an open invitation may bind it again.
        both.cloud.bind(&guest, code).status == 404
    });
    assert_eq!(both.invitation(&unused)["status"], "active");
    let all = both.server.get("/api/v1/invitations?status=revoked").json();
    assert_eq!(all.as_array().map(Vec::len), Some(3), "{all}");
}

#[covers("R52")]
#[test]
fn first_invitation_is_for_the_owner_and_checks_come_in_order() {
    let (both, token, _) = prepare(&[]);
    both.add_user("admin", "administrator");
    let admin = both.login_by_password("admin", "admin").jwt;
    both.add_user("listener", "music_user");
    let listener = both.login_by_password("listener", "music").jwt;
    let send = |jwt: &str, token: Option<&str>, body: &Value| {
        let bearer = format!("Bearer {jwt}");
        let mut headers = vec![("authorization", bearer.as_str())];
        headers.extend(token.map(|token| ("svc-cloud-token", token)));
        both.server
            .request("POST", "/api/v1/invitations", &headers, Some(body))
    };
    let body = json!({ "role": "music_user" });
    assert_eq!(send("x", None, &json!({})).status, 401);
    assert_eq!(send(&listener, None, &json!({})).status, 403);
    assert_eq!(send(&admin, None, &body).status, 400);
    assert_eq!(send(&admin, Some(&token), &json!({})).status, 400);
    assert_eq!(send(&admin, Some(&token), &body).status, 403);
    assert_eq!(
        both.cloud.requests("servers") + both.cloud.requests("createInvitation"),
        0
    );
    assert_eq!(send(both.server.token(), Some(&token), &body).status, 201);
    assert_eq!(both.cloud.requests("servers"), 1);
    assert_eq!(send(&admin, Some(&token), &body).status, 201);
    assert_eq!(both.cloud.requests("servers"), 1);
}

#[covers("T34")]
#[test]
fn refusals_of_the_cloud_are_passed_on_as_codes_only() {
    let (both, token, _) = prepare(&[]);
    both.invite(&token, None);
    for (status, sent, seen) in [
        (409, "account_suspended", "account_suspended"),
        (403, "region_blocked", "region_blocked"),
    ] {
        both.cloud.fail(
            "createInvitation",
            &json!({ "kind": "refuse", "status": status, "code": sent }),
            Some(1),
        );
        assert_eq!(code(&both.try_invite(&token, None)), (409, Some(seen.to_owned())));
    }
    for sent in [
        "<script>",
        "UPPER",
        "a b",
        "",
        &"x".repeat(65),
        &"x".repeat(50_000),
    ] {
        both.cloud.fail(
            "createInvitation",
            &json!({ "kind": "refuse", "status": 409, "code": sent }),
            Some(1),
        );
        let refused = both.try_invite(&token, None);
        assert_eq!(code(&refused), (503, Some("cloud_unavailable".to_owned())));
        assert_eq!(refused.header("set-cookie"), None);
        let text = String::from_utf8_lossy(&refused.bytes);
        assert!(
            text.len() < 300 && !text.contains("script") && !text.contains("UPPER"),
            "{text}"
        );
    }
    // None of the refused ones is left behind.
    assert_eq!(
        both.server
            .get("/api/v1/invitations")
            .json()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[covers("T31")]
#[test]
fn creation_without_the_cloud_is_503_and_leaves_nothing_behind() {
    let (both, token, _) = prepare(&[]);
    both.invite(&token, None);
    for failure in [
        json!({ "kind": "down" }),
        json!({ "kind": "garbage" }),
        json!({ "kind": "truncate" }),
        json!({ "kind": "redirect", "location": "http://127.0.0.1:1/" }),
        json!({ "kind": "error" }),
    ] {
        both.cloud.fail("createInvitation", &failure, Some(1));
        let refused = both.try_invite(&token, None);
        assert_eq!(
            code(&refused),
            (503, Some("cloud_unavailable".to_owned())),
            "{failure}"
        );
        // A success in between, as clouds have them: the next failure counts anew.
        let created = both.invite(&token, None);
        assert_eq!(both.revoke(&created), true);
    }
    let active = both.server.get("/api/v1/invitations?status=active").json();
    assert_eq!(active.as_array().map(Vec::len), Some(1), "{active}");
}

#[test]
fn revoked_credential_is_renewed_by_the_owner() {
    let (both, token, _) = prepare(&[]);
    both.invite(&token, None);
    let refusal = json!({ "kind": "refuse", "status": 401, "code": "credential_invalid" });
    both.cloud.fail("createInvitation", &refusal, Some(1));
    both.invite(&token, None);
    assert_eq!(both.cloud.requests("servers"), 2);
}

#[covers("C13", "R59")]
#[test]
fn states_of_an_invitation_are_published() {
    let (both, token, guest) = prepare(&[]);
    let mut events = EventClient::open(&both.server);
    let mut next = |kind: &str, created: &Value, status: &str| {
        let event = loop {
            let event = events.next_event().expect("the stream goes on");
            if event["type"].as_str().unwrap().starts_with("invitation.") {
                break event;
            }
        };
        assert_eq!(event["type"], kind);
        assert_eq!(event["payload"]["invitationId"], created["invitationId"]);
        assert_eq!(event["payload"]["status"], status);
        // Nothing that would let anybody in.
        assert!(!event.to_string().contains(created["shortcode"].as_str().unwrap()));
    };
    let used = both.invite(&token, None);
    next("invitation.created", &used, "active");
    bind(&both, &guest, &used);
    both.wait_for_status(&used, "bound");
    next("invitation.bound", &used, "bound");
    assert_eq!(both.login_by_cloud(&guest).status, 201);
    next("invitation.claimed", &used, "claimed");
    let unused = both.invite(&token, None);
    next("invitation.created", &unused, "active");
    both.cloud.set_clock(8 * DAY);
    both.wait_for_status(&unused, "expired");
    next("invitation.expired", &unused, "expired");
    both.cloud.reset();
    let revoked = both.invite(&token, None);
    next("invitation.created", &revoked, "active");
    assert_eq!(both.revoke(&revoked), true);
    next("invitation.revoked", &revoked, "revoked");
}
