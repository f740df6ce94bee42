//! ID tokens: each change of a valid one is refused for a reason of its own.

use std::collections::HashSet;

use oidc::error::{Error, Refusal};
use serde_json::{Value, json};

use crate::provider::{NOW, client_of, exchange, header, id_claims};
use crate::signer::{Signer, base64};

fn refusal(client: &oidc::client::Client<crate::provider::Provider>) -> Refusal {
    match client.exchange(&exchange()) {
        Err(Error::Rejected(refusal)) => refusal,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn token_of_each_algorithm_is_accepted() {
    for signer in [Signer::rs256(), Signer::es256(1), Signer::eddsa()] {
        let client = client_of(&signer);
        let session = client
            .exchange(&exchange())
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(session.account.id, "https://id.example/realm|ada-1");
        assert_eq!(session.account.username.as_deref(), Some("ada"));
        assert_eq!(session.account.groups, ["media", "staff"]);
        assert_eq!(session.session_id.as_deref(), Some("s-1"));
        // The session can be refreshed, so that it does not end with the token.
        assert_eq!(session.account.expires_at, None);
    }
}

#[test]
fn each_change_of_a_claim_is_refused_for_its_own_reason() {
    let signer = Signer::es256(1);
    let changes: [(&str, Value, Refusal); 19] = [
        ("iss", json!("https://id.example"), Refusal::WrongIssuer),
        ("iss", Value::Null, Refusal::MissingClaim("iss")),
        ("aud", json!("other"), Refusal::WrongAudience),
        ("aud", json!(["other"]), Refusal::WrongAudience),
        ("aud", json!(["svc", "other"]), Refusal::MissingAuthorizedParty),
        ("aud", json!(7), Refusal::MissingClaim("aud")),
        ("azp", json!("other"), Refusal::WrongAuthorizedParty),
        ("azp", json!(["svc"]), Refusal::WrongAuthorizedParty),
        ("exp", json!(NOW - 30), Refusal::Expired),
        ("exp", json!("never"), Refusal::MissingClaim("exp")),
        ("exp", Value::Null, Refusal::MissingClaim("exp")),
        ("iat", json!(NOW + 31), Refusal::IssuedInFuture),
        ("iat", json!(NOW - 631), Refusal::IssuedLongAgo),
        ("iat", Value::Null, Refusal::MissingClaim("iat")),
        ("nbf", json!(NOW + 31), Refusal::NotYetValid),
        ("nonce", json!("n-2"), Refusal::WrongNonce),
        ("nonce", Value::Null, Refusal::WrongNonce),
        ("sub", json!(""), Refusal::MissingClaim("sub")),
        (
            "at_hash",
            json!("AAAAAAAAAAAAAAAAAAAAAA"),
            Refusal::WrongAccessToken,
        ),
    ];
    for (name, value, expected) in changes {
        let client = client_of(&signer);
        let mut claims = id_claims();
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value,
        }
        client
            .environment
            .returns(signer.sign(&header(&signer, "k1"), &claims));
        assert_eq!(refusal(&client), expected, "{name}");
    }
}

#[test]
fn clocks_may_differ_by_half_a_minute() {
    let signer = Signer::es256(1);
    for (name, value) in [
        ("exp", json!(NOW - 29)),
        ("iat", json!(NOW + 30)),
        ("iat", json!(NOW - 630)),
        ("iat", json!(NOW as f64 + 0.5)),
        ("nbf", json!(NOW + 30)),
    ] {
        let client = client_of(&signer);
        let mut claims = id_claims();
        claims[name] = value;
        client
            .environment
            .returns(signer.sign(&header(&signer, "k1"), &claims));
        assert!(client.exchange(&exchange()).is_ok(), "{name}");
    }
}

#[test]
fn several_audiences_and_the_hash_of_the_access_token_are_accepted() {
    for (signer, hash) in [
        (Signer::rs256(), "R8PYaIQdcYEdkSc9TeGyiQ"),
        (Signer::eddsa(), "4J8UayM9qUGnNqHaqK2rpChA_M6CMUIfl5gcZqvthBE"),
    ] {
        let client = client_of(&signer);
        let mut claims = id_claims();
        claims["aud"] = json!(["svc", "other"]);
        claims["azp"] = json!("svc");
        claims["at_hash"] = json!(hash);
        client
            .environment
            .returns(signer.sign(&header(&signer, "k1"), &claims));
        let outcome = client.exchange(&exchange());
        assert!(outcome.is_ok(), "{}: {:?}", signer.algorithm(), outcome.err());
    }
}

#[test]
fn forged_signatures_are_refused() {
    let (signer, other) = (Signer::rs256(), Signer::es256(2));
    let claims = id_claims();
    let client = client_of(&signer);
    let valid = signer.sign(&header(&signer, "k1"), &claims);
    let (signed, signature) = valid.rsplit_once('.').unwrap();
    let (head, _) = signed.split_once('.').unwrap();
    let mut stolen = claims.clone();
    stolen["sub"] = json!("eve");
    let key = signer.jwk("k1")["n"].as_str().unwrap().to_owned();
    let cases = [
        // The claims of another user below the signature.
        (
            format!("{head}.{}.{signature}", base64(stolen.to_string())),
            Refusal::WrongSignature,
        ),
        (format!("{signed}.{}", base64("x")), Refusal::WrongSignature),
        (format!("{signed}."), Refusal::WrongSignature),
        (
            format!("{}.{}.", base64(r#"{"alg":"none"}"#), base64(claims.to_string())),
            Refusal::Unsigned,
        ),
        // HMAC with the public key as the secret.
        (
            format!(
                "{}.{}.{key}",
                base64(r#"{"alg":"HS256","kid":"k1"}"#),
                base64(claims.to_string())
            ),
            Refusal::SharedSecret,
        ),
        (other.sign(&header(&other, "k2"), &claims), Refusal::UnknownKey),
        // The id of the provider's RSA key, signed with an attacker's EC key.
        (other.sign(&header(&other, "k1"), &claims), Refusal::WrongKeyType),
        (
            signer.sign(
                &json!({"alg": "RS256", "kid": "k1", "typ": "logout+jwt"}),
                &claims,
            ),
            Refusal::WrongType,
        ),
        (
            signer.sign(
                &json!({"alg": "RS256", "kid": "k1", "jwk": other.jwk("k1"), "crit": ["jwk"]}),
                &claims,
            ),
            Refusal::CriticalHeader,
        ),
    ];
    for (token, expected) in cases {
        client.environment.returns(token);
        assert_eq!(refusal(&client), expected);
    }
}

#[test]
fn key_of_the_set_must_fit_and_be_strong() {
    let signer = Signer::es256(1);
    let good = signer.jwk("k1");
    let mut cases = Vec::new();
    for (name, value) in [("use", "enc"), ("kty", "RSA"), ("crv", "P-384"), ("alg", "ES384")] {
        let mut key = good.clone();
        key[name] = json!(value);
        cases.push((key, Refusal::WrongKeyType));
    }
    let mut key = good.clone();
    key["key_ops"] = json!(["encrypt"]);
    cases.push((key, Refusal::WrongKeyType));
    for x in ["", "AA", "!"] {
        let mut key = good.clone();
        key["x"] = json!(x);
        cases.push((key, Refusal::InvalidKey));
    }
    for (key, expected) in cases {
        let client = client_of(&signer);
        *client.environment.keys.borrow_mut() = vec![key.clone()];
        assert_eq!(refusal(&client), expected, "{key}");
    }
    let signer = Signer::rs256();
    let client = client_of(&signer);
    let mut key = signer.jwk("k1");
    // 1024 bits.
    key["n"] = json!(base64([0xff; 128]));
    *client.environment.keys.borrow_mut() = vec![key];
    assert_eq!(refusal(&client), Refusal::InvalidKey);
}

#[test]
fn algorithm_must_be_declared() {
    let signer = Signer::es256(1);
    let client = client_of(&signer);
    client.environment.metadata.borrow_mut()["id_token_signing_alg_values_supported"] = json!(["RS256"]);
    assert_eq!(refusal(&client), Refusal::UndeclaredAlgorithm);
}

#[test]
fn token_without_a_key_id_needs_a_single_fitting_key() {
    let signer = Signer::es256(1);
    let client = client_of(&signer);
    client
        .environment
        .returns(signer.sign(&json!({"alg": "ES256"}), &id_claims()));
    *client.environment.keys.borrow_mut() = vec![Signer::rs256().jwk("k0"), signer.jwk("k1")];
    assert!(client.exchange(&exchange()).is_ok());
    let client = client_of(&signer);
    client
        .environment
        .returns(signer.sign(&json!({"alg": "ES256"}), &id_claims()));
    *client.environment.keys.borrow_mut() = vec![Signer::es256(3).jwk("k0"), signer.jwk("k1")];
    assert_eq!(refusal(&client), Refusal::AmbiguousKey);
}

#[test]
fn unknown_keys_are_requested_once_a_minute() {
    let (old, new) = (Signer::es256(1), Signer::es256(2));
    let client = client_of(&old);
    client.exchange(&exchange()).map(drop).unwrap();
    let provider = &client.environment;
    *provider.keys.borrow_mut() = vec![new.jwk("k2")];
    provider.returns(new.sign(&header(&new, "k2"), &id_claims()));
    // The provider has rotated its keys: they are requested again at once.
    client.exchange(&exchange()).map(drop).unwrap();
    assert_eq!(provider.count("/keys"), 2);
    // A made-up key id within the same minute requests nothing.
    provider.returns(new.sign(&header(&new, "k3"), &id_claims()));
    for seconds in [0, 59] {
        provider.now.set(NOW + seconds);
        assert_eq!(refusal(&client), Refusal::UnknownKey);
    }
    assert_eq!(provider.count("/keys"), 2);
    provider.now.set(NOW + 60);
    for _ in 0..3 {
        assert_eq!(refusal(&client), Refusal::UnknownKey);
    }
    assert_eq!(provider.count("/keys"), 3);
}

#[test]
fn withdrawn_key_is_accepted_for_an_hour_at_most() {
    let (old, new) = (Signer::es256(1), Signer::es256(2));
    let client = client_of(&old);
    client.exchange(&exchange()).map(drop).unwrap();
    let provider = &client.environment;
    *provider.keys.borrow_mut() = vec![new.jwk("k2")];
    provider.now.set(NOW + 3600);
    let mut claims = id_claims();
    claims["exp"] = json!(NOW + 7200);
    claims["iat"] = json!(NOW + 3600);
    provider.returns(old.sign(&header(&old, "k1"), &claims));
    assert_eq!(refusal(&client), Refusal::UnknownKey);
}

#[test]
fn each_refusal_has_a_text_of_its_own() {
    use Refusal::*;
    let all = [
        Malformed,
        Unsigned,
        SharedSecret,
        UnknownAlgorithm,
        UndeclaredAlgorithm,
        CriticalHeader,
        WrongType,
        UnknownKey,
        AmbiguousKey,
        WrongKeyType,
        InvalidKey,
        WrongSignature,
        MissingClaim("iss"),
        MissingClaim("aud"),
        WrongIssuer,
        WrongAudience,
        MissingAuthorizedParty,
        WrongAuthorizedParty,
        Expired,
        IssuedInFuture,
        IssuedLongAgo,
        NotYetValid,
        WrongNonce,
        WrongAccessToken,
        OtherUser,
        OtherUserinfo,
        RedirectOfOtherIssuer,
        RedirectWithoutIssuer,
        Code,
        SessionEnded,
        UnreadableSession,
        NoLogoutEvent,
        LogoutWithNonce,
        LogoutOfNobody,
    ];
    let texts: HashSet<String> = all.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), all.len());
}
