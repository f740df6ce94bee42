//! Reports of sign-outs.

use oidc::client::SignedOut;
use oidc::error::Refusal;
use serde_json::{Value, json};

use crate::provider::{ISSUER, NOW, client_of, header, id_claims};
use crate::signer::Signer;

fn claims() -> Value {
    json!({
        "iss": ISSUER, "sub": "ada-1", "aud": "svc", "iat": NOW, "exp": NOW + 120, "jti": "j-1", "sid": "s-1",
        "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
    })
}

#[test]
fn report_names_session_and_user() {
    for typ in ["logout+jwt", "application/logout+jwt", "JWT"] {
        let signer = Signer::rs256();
        let client = client_of(&signer);
        let header = json!({"alg": "RS256", "kid": "k1", "typ": typ});
        let report = client.logout(&signer.sign(&header, &claims())).unwrap();
        let expected = SignedOut {
            id: "j-1".to_owned(),
            account_id: Some(format!("{ISSUER}|ada-1")),
            session_id: Some("s-1".to_owned()),
        };
        assert_eq!(report, expected, "{typ}");
    }
}

#[test]
fn each_change_of_a_report_is_refused_for_its_own_reason() {
    let signer = Signer::rs256();
    let changes: [(&str, Value, Refusal); 10] = [
        ("iss", json!("https://evil.example"), Refusal::WrongIssuer),
        ("aud", json!("other"), Refusal::WrongAudience),
        ("iat", json!(NOW + 31), Refusal::IssuedInFuture),
        ("iat", json!(NOW - 331), Refusal::IssuedLongAgo),
        ("exp", json!(NOW - 31), Refusal::Expired),
        ("jti", Value::Null, Refusal::MissingClaim("jti")),
        ("events", Value::Null, Refusal::NoLogoutEvent),
        (
            "events",
            json!({"http://schemas.openid.net/event/other": {}}),
            Refusal::NoLogoutEvent,
        ),
        (
            "events",
            json!({"http://schemas.openid.net/event/backchannel-logout": true}),
            Refusal::NoLogoutEvent,
        ),
        ("nonce", json!("n-1"), Refusal::LogoutWithNonce),
    ];
    for (name, value, expected) in changes {
        let client = client_of(&signer);
        let mut claims = claims();
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value,
        }
        let token = signer.sign(&header(&signer, "k1"), &claims);
        assert_eq!(client.logout(&token).unwrap_err(), expected.into(), "{name}");
    }
}

#[test]
fn report_of_nobody_and_tokens_of_other_uses_are_refused() {
    let (signer, other) = (Signer::rs256(), Signer::es256(2));
    let client = client_of(&signer);
    let mut nobody = claims();
    for name in ["sub", "sid"] {
        nobody.as_object_mut().unwrap().remove(name);
    }
    let sign = |claims: &Value| signer.sign(&header(&signer, "k1"), claims);
    let mut at_jwt = header(&signer, "k1");
    at_jwt["typ"] = json!("at+jwt");
    for (token, expected) in [
        (sign(&nobody), Refusal::LogoutOfNobody),
        // The ID token of the user is no report.
        (sign(&id_claims()), Refusal::NoLogoutEvent),
        (signer.sign(&at_jwt, &claims()), Refusal::WrongType),
        (
            other.sign(&header(&other, "k1"), &claims()),
            Refusal::WrongKeyType,
        ),
        ("junk".to_owned(), Refusal::Malformed),
    ] {
        assert_eq!(client.logout(&token).unwrap_err(), expected.into());
    }
}

#[test]
fn report_without_an_expiry_is_accepted() {
    let signer = Signer::rs256();
    let client = client_of(&signer);
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove("exp");
    assert!(
        client
            .logout(&signer.sign(&header(&signer, "k1"), &claims))
            .is_ok()
    );
}
