//! Sessions with the provider: refresh and revocation.

use oidc::client::Client;
use oidc::error::{Endpoint, Error, Outage, Refusal};
use serde_json::json;

use crate::provider::{NOW, Provider, client_of, exchange, header, id_claims};
use crate::signer::Signer;

/// A client, and the token of a session that it opened.
fn signed_in(signer: &Signer) -> (Client<Provider>, String) {
    let client = client_of(signer);
    let session = client
        .exchange(&exchange())
        .map_err(|error| error.to_string())
        .unwrap();
    let token = session.token.unwrap();
    client.environment.now.set(NOW + 900);
    (client, token)
}

#[test]
fn refresh_returns_the_rotated_token_or_the_old_one() {
    let signer = Signer::es256(1);
    let (client, token) = signed_in(&signer);
    *client.environment.tokens.borrow_mut() = (200, json!({"access_token": "at-2", "refresh_token": "rt-2"}));
    let session = client
        .validate(&token)
        .map_err(|error| error.to_string())
        .unwrap();
    assert_eq!(client.environment.form("/token")["refresh_token"], "rt-1");
    assert_eq!(session.account.id, "https://id.example/realm|ada-1");
    assert_eq!(session.session_id.as_deref(), Some("s-1"));
    let next = session.token.unwrap();
    // This provider does not rotate.
    *client.environment.tokens.borrow_mut() = (200, json!({"access_token": "at-3"}));
    let session = client.validate(&next).map_err(|error| error.to_string()).unwrap();
    assert_eq!(client.environment.form("/token")["refresh_token"], "rt-2");
    assert_eq!(session.token.unwrap(), next);
}

#[test]
fn id_token_of_a_refresh_is_verified_and_must_be_of_the_same_user() {
    let signer = Signer::es256(1);
    for (name, value, expected) in [
        ("sub", json!("eve"), Refusal::OtherUser),
        ("iss", json!("https://evil.example"), Refusal::WrongIssuer),
        ("aud", json!("other"), Refusal::WrongAudience),
        ("exp", json!(NOW), Refusal::Expired),
    ] {
        let (client, token) = signed_in(&signer);
        let mut claims = id_claims();
        claims["iat"] = json!(NOW + 900);
        claims["exp"] = json!(NOW + 1200);
        claims.as_object_mut().unwrap().remove("nonce");
        client
            .environment
            .returns(signer.sign(&header(&signer, "k1"), &claims));
        client.validate(&token).map(drop).unwrap();
        claims[name] = value;
        client
            .environment
            .returns(signer.sign(&header(&signer, "k1"), &claims));
        assert_eq!(
            client.validate(&token).map(drop).unwrap_err(),
            expected.into(),
            "{name}"
        );
    }
}

#[test]
fn ended_session_is_rejected_and_an_outage_is_not() {
    let (client, token) = signed_in(&Signer::es256(1));
    let endpoint = Endpoint::Token;
    for (status, body, expected) in [
        (
            400,
            json!({"error": "invalid_grant"}),
            Error::Rejected(Refusal::SessionEnded),
        ),
        (
            503,
            json!({"error": "invalid_grant"}),
            Outage::Status {
                endpoint,
                status: 503,
            }
            .into(),
        ),
        (
            429,
            json!({}),
            Outage::Status {
                endpoint,
                status: 429,
            }
            .into(),
        ),
        (
            401,
            json!({"error": "invalid_client"}),
            Outage::ClientRefused {
                endpoint,
                code: "invalid_client".to_owned(),
            }
            .into(),
        ),
    ] {
        *client.environment.tokens.borrow_mut() = (status, body);
        assert_eq!(client.validate(&token).map(drop).unwrap_err(), expected);
    }
    client.environment.away.borrow_mut().push("/token");
    let outcome = client.validate(&token).map(drop).unwrap_err();
    assert!(
        matches!(outcome, Error::Unavailable(Outage::Transport { .. })),
        "{outcome}"
    );
    let outcome = client.validate("rt-1").map(drop).unwrap_err();
    assert_eq!(outcome, Refusal::UnreadableSession.into());
}

#[test]
fn refresh_token_is_revoked_where_the_provider_offers_it() {
    let (client, token) = signed_in(&Signer::es256(1));
    client.revoke(&token).unwrap();
    let form = client.environment.form("/revoke");
    assert_eq!(
        (form["token"].as_str(), form["token_type_hint"].as_str()),
        ("rt-1", "refresh_token")
    );
    client.environment.state.borrow_mut().clear();
    client
        .environment
        .metadata
        .borrow_mut()
        .as_object_mut()
        .unwrap()
        .remove("revocation_endpoint");
    assert_eq!(
        client.revoke(&token).unwrap_err(),
        Error::Unsupported("revocation")
    );
}
