//! Changes of what the provider says beside a sign-in: the discovery document, the ID token of a refresh, the report of a
//! sign-out. Each is refused with a log line of its own.

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::program::wait_for;

use super::browser::Browser;
use super::mutations::{claim, header, now};
use super::proxy::{Mutation, Signature};
use super::{Bed, ProviderOptions};

const ROLE: [&str; 2] = ["--oidc-default-role", "music_user"];

fn signed_in(bed: &Bed) -> Browser {
    let mut browser = Browser::new();
    let page = bed.sign_in(&mut browser, "ada");
    assert_eq!(page.location(), "/app", "{}", bed.log());
    browser
}

#[covers("C5", "T30")]
#[test]
fn discovery_document_of_another_issuer_starts_no_sign_in_and_is_not_remembered() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &ROLE) else {
        return;
    };
    let with_slash = format!("{}/", bed.proxy.issuer);
    for issuer in ["https://evil.example", &with_slash, ""] {
        bed.proxy.name_issuer(Some(issuer));
        let before = bed.log().len();
        let page = bed.begin(&mut Browser::new(), "");
        assert_eq!(
            (page.status, page.location()),
            (303, "/app?error=cloud_unavailable"),
            "{issuer}"
        );
        assert!(page.cookies("svc_sign_in_").is_empty(), "{issuer}");
        let line = format!("the discovery document names the issuer {issuer:?}");
        wait_for(&line, || bed.log()[before..].contains(&line));
    }
    bed.proxy.name_issuer(None);
    signed_in(&bed);
}

#[covers("C5", "T30", "POST /api/v1/auth/refresh")]
#[test]
fn every_mutation_of_a_refreshed_id_token_is_refused_with_its_own_log_line() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &ROLE) else {
        return;
    };
    let mutations = [
        (
            claim("iss", json!("https://evil.example")),
            "the token is of another issuer (iss)",
        ),
        (
            claim("aud", json!("other")),
            "the token is for another audience (aud)",
        ),
        (
            claim("sub", json!("eve")),
            "the ID token of the refreshed session is of another user (sub)",
        ),
        (claim("exp", json!(now() - 60)), "the token has expired (exp)"),
        (
            claim("iat", json!(now() + 3600)),
            "the token was issued in the future (iat)",
        ),
        (
            claim("at_hash", json!("AAAA")),
            "the token belongs to another access token (at_hash)",
        ),
        (
            header(&[("alg", "none")], Signature::Empty),
            "the token is not signed (alg none)",
        ),
        (header(&[], Signature::Empty), "the signature is wrong"),
    ];
    for (mutation, line) in mutations {
        // Signed again and unchanged it is accepted. The provider accepts each of its refresh tokens once, so that each
        // change gets a session.
        bed.proxy.mutate(Mutation::default());
        let mut browser = signed_in(&bed);
        assert_eq!(bed.refresh(&mut browser).status, 201, "{}", bed.log());
        bed.proxy.mutate(mutation);
        let before = bed.log().len();
        let refused = bed.refresh(&mut browser);
        let body: Value = serde_json::from_str(&refused.body).unwrap();
        assert_eq!(
            (refused.status, &body["code"], refused.header("set-cookie")),
            (401, &json!("cloud_token_required"), None),
            "{line}"
        );
        wait_for(line, || bed.log()[before..].contains(line));
    }
}

#[covers("C8", "T30", "POST /api/v1/auth/oidc/logout")]
#[test]
fn every_mutation_of_a_logout_token_is_refused_with_its_own_log_line() {
    let Some(bed) = Bed::start(ProviderOptions::default(), &ROLE) else {
        return;
    };
    let (mut browser, mut other) = (signed_in(&bed), signed_in(&bed));
    browser.sign_out_at_provider(&bed.proxy.issuer);
    wait_for("the report", || !bed.proxy.relayed().is_empty());
    let report = bed.proxy.relayed().pop().unwrap();
    let report = report.strip_prefix("logout_token=").unwrap().to_owned();
    let url = format!("{}/api/v1/auth/oidc/logout", bed.base);
    // A report about all sessions of the user, under an id of its own.
    let send = |id: &str, mut mutation: Mutation| {
        let mut claims = vec![("sid", Value::Null), ("jti", json!(id))];
        claims.append(&mut mutation.claims);
        mutation.claims = claims;
        let token = bed.proxy.changed(&report, &mutation);
        Browser::new().post(&url, &[("logout_token", &token)])
    };
    let mutations = [
        (
            claim("iss", json!("https://evil.example")),
            "the token is of another issuer (iss)",
        ),
        (
            claim("aud", json!("other")),
            "the token is for another audience (aud)",
        ),
        (
            claim("events", json!({})),
            "the logout token has no logout event (events)",
        ),
        (
            claim("nonce", json!("of a sign-in")),
            "the logout token has a nonce",
        ),
        (
            claim("iat", json!(now() - 3600)),
            "the token was issued too long ago (iat)",
        ),
        (claim("exp", json!(now() - 60)), "the token has expired (exp)"),
        (claim("jti", Value::Null), "the token has no claim jti"),
        (
            claim("sub", Value::Null),
            "the logout token names neither a session nor a user (sid, sub)",
        ),
        (
            header(&[("typ", "at+jwt")], Signature::Valid),
            "the token is of another type (typ)",
        ),
        (header(&[], Signature::Empty), "the signature is wrong"),
    ];
    let mut bodies = Vec::new();
    for (mutation, line) in mutations {
        let before = bed.log().len();
        let page = send(line, mutation);
        assert_eq!(page.status, 400, "{line} {}", page.body);
        wait_for(line, || bed.log()[before..].contains(line));
        bodies.push(page.body);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert_eq!(bed.refresh(&mut other).status, 201, "{}", bed.log());
    // Without any of the changes it ends the session.
    assert_eq!(
        send("unchanged", Mutation::default()).status,
        200,
        "{}",
        bed.log()
    );
    assert_eq!(bed.refresh(&mut other).status, 401);
}
