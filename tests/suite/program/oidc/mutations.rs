//! Every change of a valid sign-in is refused, with a log line of its own and one code for the page.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::program::wait_for;

use super::browser::Browser;
use super::proxy::{Mutation, Signature};
use super::{Bed, ProviderOptions};

pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

pub(super) fn claim(name: &'static str, value: Value) -> Mutation {
    Mutation {
        claims: vec![(name, value)],
        ..Mutation::default()
    }
}

pub(super) fn header(members: &[(&'static str, &str)], signature: Signature) -> Mutation {
    Mutation {
        header: members
            .iter()
            .map(|(name, value)| (*name, json!(value)))
            .collect(),
        signature,
        ..Mutation::default()
    }
}

#[covers("C5", "T30")]
#[test]
fn every_mutation_of_an_id_token_is_refused_with_its_own_log_line() {
    let arguments = ["--oidc-default-role", "music_user"];
    let Some(bed) = Bed::start(ProviderOptions::default(), &arguments) else {
        return;
    };
    // Signed again by the proxy and unchanged, the token is accepted: what is refused below is the change alone.
    bed.proxy.mutate(Mutation::default());
    assert_eq!(
        bed.sign_in(&mut Browser::new(), "ada").location(),
        "/app",
        "{}",
        bed.log()
    );
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
            claim("aud", json!(["svc", "other"])),
            "the token has several audiences and no authorized party (azp)",
        ),
        (
            claim("azp", json!("other")),
            "the token is for another authorized party (azp)",
        ),
        (
            claim("nonce", json!("other")),
            "the token answers another sign-in (nonce)",
        ),
        (claim("exp", json!(now() - 60)), "the token has expired (exp)"),
        (
            claim("iat", json!(now() + 3600)),
            "the token was issued in the future (iat)",
        ),
        (
            claim("iat", json!(now() - 3600)),
            "the token was issued too long ago (iat)",
        ),
        (claim("sub", Value::Null), "the token has no claim sub"),
        (
            claim("at_hash", json!("AAAA")),
            "the token belongs to another access token (at_hash)",
        ),
        // The access token belongs to somebody else than the ID token.
        (
            Mutation {
                claims: vec![("sub", json!("eve")), ("at_hash", Value::Null)],
                ..Mutation::default()
            },
            "the userinfo is of another user (sub)",
        ),
        (
            header(&[("alg", "none")], Signature::Empty),
            "the token is not signed (alg none)",
        ),
        (
            header(&[("alg", "HS256")], Signature::Hmac),
            "the token is signed with a shared secret (HMAC)",
        ),
        (
            header(&[("alg", "PS512")], Signature::Valid),
            "the token is signed with an unsupported algorithm",
        ),
        (header(&[], Signature::Empty), "the signature is wrong"),
        (
            header(&[("kid", "unknown")], Signature::Valid),
            "the provider has no key with the token's key id (kid)",
        ),
        (
            header(&[("kid", "rsa")], Signature::Valid),
            "the provider's key is of another type than the token's algorithm",
        ),
        (
            header(&[("typ", "logout+jwt")], Signature::Valid),
            "the token is of another type (typ)",
        ),
    ];
    for (mutation, line) in mutations {
        bed.proxy.mutate(mutation);
        let before = bed.log().len();
        let page = bed.sign_in(&mut Browser::new(), "ada");
        bed.assert_refused(&page, before, line);
    }
}

/// The value of a parameter of an address.
fn parameter(url: &str, name: &str) -> String {
    let (_, query) = url.split_once('?').unwrap();
    let value = query
        .split('&')
        .find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    value.unwrap().to_owned()
}

#[covers("C6", "T30")]
#[test]
fn callbacks_of_other_sign_ins_and_browsers_are_refused() {
    let arguments = ["--oidc-default-role", "music_user"];
    let Some(bed) = Bed::start(ProviderOptions::default(), &arguments) else {
        return;
    };
    let failed = |page: &super::Page| (page.status, page.location().to_owned());
    let anywhere = (303, "/?error=sign_in_failed".to_owned());

    // A callback that was used, again in the same browser and in another.
    let mut browser = Browser::new();
    let used = bed.to_callback(&mut browser, "ada");
    assert_eq!(browser.get(&used).location(), "/app");
    assert_eq!(failed(&browser.get(&used)), anywhere);
    assert_eq!(failed(&Browser::new().get(&used)), anywhere);
    assert!(bed.log().contains("the browser has no cookie of a sign-in"));

    // Another browser, which has started a sign-in of its own: the session of the attacker is not forced on it.
    let mut attacker = Browser::new();
    let callback = bed.to_callback(&mut attacker, "eve");
    let mut victim = Browser::new();
    let own = bed.to_callback(&mut victim, "ada");
    assert_eq!(failed(&victim.get(&callback)), anywhere);
    assert!(
        bed.log()
            .contains("the state is not that of the sign-in that this browser started")
    );
    // That does not end the victim's own sign-in.
    assert_eq!(victim.get(&own).location(), "/app");

    // A code of the attacker with the state of the victim.
    let mut victim = Browser::new();
    let own = bed.to_callback(&mut victim, "ada");
    let mixed = own.replace(&parameter(&own, "code"), &parameter(&callback, "code"));
    let before = bed.log().len();
    // The provider refuses the code, which belongs to another code verifier.
    bed.assert_refused(&victim.get(&mixed), before, "the provider refuses the code");
    let before = bed.log().len();
    assert_eq!(failed(&victim.get(&own)), anywhere);
    assert!(bed.log()[before..].contains("the browser has no cookie of a sign-in"));

    // The issuer of another provider.
    let mut victim = Browser::new();
    let own = bed.to_callback(&mut victim, "ada");
    let (head, _) = own.split_once("&iss=").unwrap();
    let before = bed.log().len();
    let page = victim.get(&format!("{head}&iss=https%3A%2F%2Fevil.example"));
    bed.assert_refused(&page, before, "the redirect came from another issuer (iss)");

    // The user refuses.
    let mut victim = Browser::new();
    let own = bed.to_callback(&mut victim, "ada");
    let state = parameter(&own, "state");
    let (path, _) = own.split_once('?').unwrap();
    let before = bed.log().len();
    let page = victim.get(&format!("{path}?error=access_denied&state={state}"));
    bed.assert_refused(&page, before, "the provider returned an error in place of a code");
}

#[covers("C6", "T30")]
#[test]
fn callback_and_code_work_once() {
    let arguments = ["--oidc-default-role", "music_user"];
    let Some(bed) = Bed::start(ProviderOptions::default(), &arguments) else {
        return;
    };
    let mut browser = Browser::new();
    let used = bed.to_callback(&mut browser, "ada");
    let cookie = browser.cookie("svc_sign_in_").unwrap();
    assert_eq!(browser.get(&used).location(), "/app");
    assert_eq!(browser.cookie("svc_sign_in_"), None);

    // The whole callback, with the cookie that it had: the provider is not asked again.
    let (before, asked) = (bed.log().len(), bed.proxy.token_requests());
    for mut thief in [browser, Browser::new()] {
        thief.put_back(&cookie);
        let page = thief.get(&used);
        assert_eq!((page.status, page.location()), (303, "/?error=sign_in_failed"));
        assert!(page.cookies("svc_refresh_token_").is_empty());
    }
    let line = "the sign-in was finished before, or has expired";
    wait_for(line, || bed.log()[before..].contains(line));
    assert_eq!(bed.proxy.token_requests(), asked);

    // The redeemed code in a sign-in that is not finished: its state, nonce and cookie are right.
    let mut browser = Browser::new();
    let own = bed.to_callback(&mut browser, "eve");
    let replayed = own.replace(&parameter(&own, "code"), &parameter(&used, "code"));
    assert_ne!(replayed, own);
    let before = bed.log().len();
    bed.assert_refused(&browser.get(&replayed), before, "the provider refuses the code");
    // That sign-in is over, too.
    assert_eq!(browser.cookie("svc_sign_in_"), None);
}
