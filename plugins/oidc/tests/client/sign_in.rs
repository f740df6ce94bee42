//! The start of a sign-in, the exchange of its code, and the provider's discovery document.

use std::collections::HashMap;

use oidc::client::SignIn;
use oidc::error::{Endpoint, Error, Outage, Refusal};
use serde_json::json;

use crate::provider::{ISSUER, NOW, client_of, exchange};
use crate::signer::Signer;

fn request() -> SignIn {
    SignIn {
        redirect_uri: "https://media.example/callback?x=1".to_owned(),
        state: "st&te".to_owned(),
        nonce: "n-1".to_owned(),
        code_challenge: "challenge".to_owned(),
    }
}

fn query(url: &str) -> HashMap<String, String> {
    let (_, query) = url.split_once('?').unwrap();
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

#[test]
fn sign_in_requests_a_code_with_pkce_and_the_scopes_that_are_offered() {
    let client = client_of(&Signer::es256(1));
    let url = client.sign_in_url(&request()).unwrap();
    assert!(url.starts_with(&format!("{ISSUER}/auth?")), "{url}");
    let expected = [
        ("response_type", "code"),
        ("client_id", "svc"),
        ("redirect_uri", "https://media.example/callback?x=1"),
        ("scope", "openid profile"),
        ("state", "st&te"),
        ("nonce", "n-1"),
        ("code_challenge", "challenge"),
        ("code_challenge_method", "S256"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(query(&url), expected.into());

    let client = client_of(&Signer::es256(1));
    let scopes = json!(["openid", "offline_access"]);
    client.environment.metadata.borrow_mut()["scopes_supported"] = scopes;
    client.environment.metadata.borrow_mut()["authorization_endpoint"] =
        json!(format!("{ISSUER}/auth?tenant=1"));
    let url = client.sign_in_url(&request()).unwrap();
    let query = query(&url);
    assert_eq!(
        (query["scope"].as_str(), query["prompt"].as_str()),
        ("openid offline_access", "consent")
    );
    assert_eq!(query["tenant"], "1");
}

#[test]
fn discovery_document_is_cached_for_an_hour_and_must_be_of_the_issuer() {
    let client = client_of(&Signer::es256(1));
    let count = || client.environment.count("/.well-known/openid-configuration");
    client.sign_in_url(&request()).unwrap();
    client.environment.now.set(NOW + 3599);
    client.sign_in_url(&request()).unwrap();
    assert_eq!(count(), 1);
    client.environment.now.set(NOW + 3600);
    client.sign_in_url(&request()).unwrap();
    assert_eq!(count(), 2);
    // The clock was set back.
    client.environment.now.set(NOW - 1);
    client.sign_in_url(&request()).unwrap();
    assert_eq!(count(), 3);

    for issuer in ["https://evil.example", "https://id.example/realm/"] {
        let client = client_of(&Signer::es256(1));
        client.environment.metadata.borrow_mut()["issuer"] = json!(issuer);
        let error = client.sign_in_url(&request()).unwrap_err();
        assert_eq!(error, Outage::OtherIssuer(issuer.to_owned()).into());
        // It is not cached either.
        assert!(client.environment.state.borrow().is_empty());
    }
}

#[test]
fn documents_of_another_issuer_are_not_read_from_the_cache() {
    let mut client = client_of(&Signer::es256(1));
    client.exchange(&exchange()).map(drop).unwrap();
    client.options.issuer = "https://other.example".to_owned();
    let outcome = client.exchange(&exchange()).map(drop).unwrap_err();
    let endpoint = Endpoint::Discovery;
    assert_eq!(
        outcome,
        Outage::Status {
            endpoint,
            status: 404
        }
        .into()
    );
}

#[test]
fn client_authenticates_as_the_provider_offers() {
    let client = client_of(&Signer::es256(1));
    client.exchange(&exchange()).map(drop).unwrap();
    let form = client.environment.form("/token");
    let expected = [
        ("grant_type", "authorization_code"),
        ("code", "code-1"),
        ("redirect_uri", "https://media.example/callback"),
        ("code_verifier", "verifier-1"),
    ];
    assert_eq!(
        form,
        expected
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    );
    let requests = client.environment.requests.borrow();
    let request = requests
        .iter()
        .find(|request| request.url.ends_with("/token"))
        .unwrap();
    let header = request
        .headers
        .iter()
        .find(|(name, _)| *name == "authorization")
        .unwrap();
    // `svc:s%26cret`
    assert_eq!(header.1, "Basic c3ZjOnMlMjZjcmV0");

    let client = client_of(&Signer::es256(1));
    let methods = json!(["private_key_jwt", "client_secret_post"]);
    client.environment.metadata.borrow_mut()["token_endpoint_auth_methods_supported"] = methods;
    client.exchange(&exchange()).map(drop).unwrap();
    let form = client.environment.form("/token");
    assert_eq!(
        (form["client_id"].as_str(), form["client_secret"].as_str()),
        ("svc", "s&cret")
    );

    let client = client_of(&Signer::es256(1));
    let methods = json!(["private_key_jwt"]);
    client.environment.metadata.borrow_mut()["token_endpoint_auth_methods_supported"] = methods;
    let error = client.exchange(&exchange()).map(drop).unwrap_err();
    assert_eq!(error, Outage::NoClientAuthentication.into());

    let mut client = client_of(&Signer::es256(1));
    client.options.client_secret = None;
    client.exchange(&exchange()).map(drop).unwrap();
    let form = client.environment.form("/token");
    assert_eq!(
        (form["client_id"].as_str(), form.contains_key("client_secret")),
        ("svc", false)
    );
}

#[test]
fn redirect_of_another_issuer_is_refused_before_the_code_is_used() {
    let client = client_of(&Signer::es256(1));
    for (issuer, expected) in [
        (Some("https://evil.example"), Refusal::RedirectOfOtherIssuer),
        (None, Refusal::RedirectWithoutIssuer),
    ] {
        let mut request = exchange();
        request.issuer = issuer.map(str::to_owned);
        assert_eq!(client.exchange(&request).map(drop).unwrap_err(), expected.into());
    }
    assert_eq!(client.environment.count("/token"), 0);
    client.environment.state.borrow_mut().clear();
    let name = "authorization_response_iss_parameter_supported";
    client.environment.metadata.borrow_mut()[name] = json!(false);
    let mut request = exchange();
    request.issuer = None;
    assert!(client.exchange(&request).is_ok());
}

#[test]
fn errors_of_the_token_endpoint_concern_the_user_or_the_client() {
    let endpoint = Endpoint::Token;
    for (status, body, expected) in [
        (
            400,
            json!({"error": "invalid_grant"}),
            Error::Rejected(Refusal::Code),
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
        (
            400,
            json!({"error": "a\nb\"<c>"}),
            Outage::ClientRefused {
                endpoint,
                code: "abc".to_owned(),
            }
            .into(),
        ),
        (
            400,
            json!("no"),
            Outage::Status {
                endpoint,
                status: 400,
            }
            .into(),
        ),
        (
            500,
            json!({"error": "invalid_grant"}),
            Outage::Status {
                endpoint,
                status: 500,
            }
            .into(),
        ),
        (
            302,
            json!({}),
            Outage::Status {
                endpoint,
                status: 302,
            }
            .into(),
        ),
        (200, json!([]), Outage::Malformed { endpoint }.into()),
        (
            200,
            json!({"access_token": "x"}),
            Refusal::MissingClaim("id_token").into(),
        ),
    ] {
        let client = client_of(&Signer::es256(1));
        *client.environment.tokens.borrow_mut() = (status, body);
        assert_eq!(client.exchange(&exchange()).map(drop).unwrap_err(), expected);
    }
}

#[test]
fn provider_that_is_away_is_an_outage() {
    for (path, endpoint) in [
        ("/.well-known/openid-configuration", Endpoint::Discovery),
        ("/token", Endpoint::Token),
        ("/keys", Endpoint::Keys),
    ] {
        let client = client_of(&Signer::es256(1));
        client.environment.away.borrow_mut().push(path);
        let reason = "the server cannot be reached".to_owned();
        let expected = Outage::Transport { endpoint, reason };
        assert_eq!(
            client.exchange(&exchange()).map(drop).unwrap_err(),
            expected.into()
        );
    }
}

#[test]
fn session_without_a_refresh_token_ends_with_its_id_token() {
    let client = client_of(&Signer::es256(1));
    client
        .environment
        .tokens
        .borrow_mut()
        .1
        .as_object_mut()
        .unwrap()
        .remove("refresh_token");
    let session = client
        .exchange(&exchange())
        .map_err(|error| error.to_string())
        .unwrap();
    assert_eq!(
        (session.token, session.account.expires_at),
        (None, Some(NOW + 300))
    );
}
