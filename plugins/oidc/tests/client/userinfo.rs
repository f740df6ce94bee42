//! Claims that the ID token lacks come from the userinfo, plain or signed.

use oidc::environment::MAX_RESPONSE;
use oidc::error::{Endpoint, Error, Outage, Refusal};
use serde_json::{Value, json};

use crate::provider::{ISSUER, client_of, exchange, header, id_claims};
use crate::signer::Signer;

/// An ID token without names and groups.
fn bare(signer: &Signer) -> String {
    let mut claims = id_claims();
    for name in ["preferred_username", "name", "realm_access"] {
        claims.as_object_mut().unwrap().remove(name);
    }
    signer.sign(&header(signer, "k1"), &claims)
}

fn full() -> Value {
    json!({
        "iss": ISSUER, "aud": "svc", "sub": "ada-1", "preferred_username": "ada", "name": "Ada",
        "realm_access": {"roles": "media"}, "nonce": "another",
    })
}

#[test]
fn missing_claims_are_read_from_the_userinfo() {
    let signer = Signer::es256(1);
    for is_signed in [false, true] {
        let client = client_of(&signer);
        client.environment.returns(bare(&signer));
        *client.environment.userinfo.borrow_mut() = match is_signed {
            false => ("application/json", full().to_string()),
            true => ("application/jwt", signer.sign(&header(&signer, "k1"), &full())),
        };
        let session = client
            .exchange(&exchange())
            .map_err(|error| error.to_string())
            .unwrap();
        assert_eq!(session.account.username.as_deref(), Some("ada"));
        assert_eq!(session.account.display_name.as_deref(), Some("Ada"));
        assert_eq!(session.account.groups, ["media"]);
    }
}

#[test]
fn userinfo_is_not_requested_if_nothing_is_missing() {
    let client = client_of(&Signer::es256(1));
    client.exchange(&exchange()).map(drop).unwrap();
    assert_eq!(client.environment.count("/userinfo"), 0);
}

#[test]
fn provider_without_userinfo_leaves_the_claims_empty() {
    let signer = Signer::es256(1);
    let client = client_of(&signer);
    client.environment.returns(bare(&signer));
    client
        .environment
        .metadata
        .borrow_mut()
        .as_object_mut()
        .unwrap()
        .remove("userinfo_endpoint");
    let session = client
        .exchange(&exchange())
        .map_err(|error| error.to_string())
        .unwrap();
    assert_eq!(
        (session.account.username, session.account.groups.len()),
        (None, 0)
    );
}

#[test]
fn responses_that_are_too_large_are_not_read() {
    let signer = Signer::es256(1);
    let too_large = |endpoint| Error::from(Outage::TooLarge { endpoint });
    for (length, expected) in [
        (MAX_RESPONSE, Ok(())),
        (MAX_RESPONSE + 1, Err(too_large(Endpoint::Userinfo))),
    ] {
        let client = client_of(&signer);
        client.environment.returns(bare(&signer));
        let mut body = full().to_string();
        body.push_str(&" ".repeat(length - body.len()));
        *client.environment.userinfo.borrow_mut() = ("application/json", body);
        assert_eq!(client.exchange(&exchange()).map(drop), expected, "{length}");
    }
    let client = client_of(&signer);
    *client.environment.keys.borrow_mut() = vec![json!([]); MAX_RESPONSE];
    assert_eq!(
        client.exchange(&exchange()).map(drop),
        Err(too_large(Endpoint::Keys))
    );
}

#[test]
fn userinfo_of_another_user_or_signer_is_refused() {
    let (signer, other) = (Signer::es256(1), Signer::es256(2));
    let with = |name: &str, value: &str| {
        let mut claims = full();
        claims[name] = json!(value);
        claims
    };
    let sign =
        |signer: &Signer, claims: &Value| ("application/jwt", signer.sign(&header(signer, "k1"), claims));
    let endpoint = Endpoint::Userinfo;
    let cases: [((&'static str, String), Error); 7] = [
        (
            ("application/json", with("sub", "eve").to_string()),
            Refusal::OtherUserinfo.into(),
        ),
        (
            ("application/json", "{}".to_owned()),
            Refusal::OtherUserinfo.into(),
        ),
        (
            ("application/json", "[]".to_owned()),
            Outage::Malformed { endpoint }.into(),
        ),
        (sign(&signer, &with("sub", "eve")), Refusal::OtherUserinfo.into()),
        (
            sign(&signer, &with("iss", "https://evil.example")),
            Refusal::WrongIssuer.into(),
        ),
        (
            sign(&signer, &with("aud", "other")),
            Refusal::WrongAudience.into(),
        ),
        (sign(&other, &full()), Refusal::WrongSignature.into()),
    ];
    for (userinfo, expected) in cases {
        let client = client_of(&signer);
        client.environment.returns(bare(&signer));
        *client.environment.userinfo.borrow_mut() = userinfo;
        assert_eq!(client.exchange(&exchange()).map(drop).unwrap_err(), expected);
    }
}
