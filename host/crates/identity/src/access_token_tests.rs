//! The decision table for access tokens, case by case.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use svc_covers::covers;

use super::*;
use svc_platform::random::SystemRandom;

const OURS: &str = "0123456789abcdef0123456789abcdef";
const OTHER: &str = "fedcba9876543210fedcba9876543210";
const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_500);
const SECRET: [u8; 32] = [7; 32];

fn tokens() -> AccessTokens {
    AccessTokens::new(OURS, &SecretKey::from_bytes(SECRET))
}

fn user() -> UserId {
    UserId::from(1_234_567)
}

fn claims() -> Value {
    json!({
        "iss": format!("svc:{OURS}"), "aud": "svc-api", "sub": user().to_string(), "sid": "none",
        "jti": "00", "app": "music", "iat": 1_800_000_000, "exp": 1_800_000_900,
    })
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

fn our_header() -> Header {
    Header {
        kid: Some(SecretKey::from_bytes(SECRET).id()),
        ..Header::new(Algorithm::HS256)
    }
}

fn sign(header: &Header, claims: &Value, secret: &[u8]) -> String {
    jsonwebtoken::encode(header, claims, &EncodingKey::from_secret(secret)).unwrap()
}

fn ours(claims: &Value) -> String {
    sign(&our_header(), claims, &SECRET)
}

/// base64url without padding, to build parts that no library would produce.
fn part(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut encoded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let word = chunk
            .iter()
            .fold(0_u32, |word, byte| word << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            encoded.push(LETTERS[(word >> (18 - 6 * place) & 63) as usize] as char);
        }
    }
    encoded
}

/// A token with any header and payload, signed with the server's key.
fn raw(header: &str, payload: &str) -> String {
    let message = format!("{}.{}", part(header), part(payload));
    let signature = jsonwebtoken::crypto::sign(
        message.as_bytes(),
        &EncodingKey::from_secret(&SECRET),
        Algorithm::HS256,
    )
    .unwrap();
    format!("{message}.{signature}")
}

fn raw_header(header: &str) -> String {
    raw(header, &claims().to_string())
}

fn raw_payload(payload: &str) -> String {
    raw(&serde_json::to_string(&our_header()).unwrap(), payload)
}

fn key_id() -> String {
    SecretKey::from_bytes(SECRET).id()
}

fn status(token: &str) -> u16 {
    match tokens().read(token, NOW) {
        Ok(_) => 200,
        Err(TokenError::Invalid) => 401,
        Err(TokenError::Foreign) => 410,
    }
}

#[covers("T05")]
#[test]
fn access_token_cases_match_the_decision_table() {
    let good = ours(&claims());
    let kid = key_id();
    let other_server = |claims: &Value, secret: &[u8]| {
        let mut claims = claims.clone();
        claims["iss"] = json!(format!("svc:{OTHER}"));
        sign(&our_header(), &claims, secret)
    };
    let rotated = Header {
        kid: Some("00112233445566ff".into()),
        ..Header::new(Algorithm::HS256)
    };
    let cases: Vec<(&str, String, u16)> = vec![
        ("a good token", good.clone(), 200),
        (
            "made by issue",
            tokens()
                .issue(user(), App::Music, None, NOW, &SystemRandom)
                .unwrap(),
            200,
        ),
        (
            "one second before its end",
            ours(&with("exp", json!(1_800_000_001))),
            200,
        ),
        (
            "the second of its end",
            ours(&with("exp", json!(1_800_000_000))),
            401,
        ),
        (
            "expired a minute ago",
            ours(&with("exp", json!(1_799_999_940))),
            401,
        ),
        ("expired long ago", ours(&with("exp", json!(1))), 401),
        ("exp as text", ours(&with("exp", json!("1800000900"))), 401),
        ("exp as fraction", ours(&with("exp", json!(1_800_000_900.5))), 401),
        ("exp negative", ours(&with("exp", json!(-1))), 401),
        ("exp null", ours(&with("exp", Value::Null)), 401),
        ("exp beyond 2^63", ours(&with("exp", json!(u64::MAX))), 401),
        (
            "exp that overflows milliseconds",
            ours(&with("exp", json!(i64::MAX))),
            401,
        ),
        ("no exp", ours(&without("exp")), 401),
        ("nbf in the past", ours(&with("nbf", json!(1_799_999_999))), 200),
        ("nbf in the future", ours(&with("nbf", json!(1_800_000_060))), 401),
        ("nbf as text", ours(&with("nbf", json!("1"))), 401),
        ("no iss", ours(&without("iss")), 401),
        (
            "iss as list",
            ours(&with("iss", json!([format!("svc:{OURS}")]))),
            401,
        ),
        (
            "iss of an identity provider",
            ours(&with("iss", json!("https://accounts.example"))),
            401,
        ),
        ("iss with another prefix", ours(&with("iss", json!(OURS))), 401),
        (
            "iss of no server's form",
            ours(&with("iss", json!("svc:../../etc"))),
            401,
        ),
        (
            "iss in upper case",
            ours(&with("iss", json!(format!("SVC:{OURS}")))),
            401,
        ),
        (
            "iss of another server, signed by us",
            other_server(&claims(), &SECRET),
            410,
        ),
        (
            "iss of another server, signed by it",
            other_server(&claims(), &[9; 32]),
            410,
        ),
        (
            "iss of another server, expired",
            other_server(&with("exp", json!(1)), &[9; 32]),
            410,
        ),
        ("no aud", ours(&without("aud")), 401),
        (
            "aud of another service",
            ours(&with("aud", json!("other-api"))),
            401,
        ),
        ("aud as list", ours(&with("aud", json!(["svc-api"]))), 401),
        ("no sub", ours(&without("sub")), 401),
        ("empty sub", ours(&with("sub", json!(""))), 401),
        ("sub as number", ours(&with("sub", json!(1_234_567))), 401),
        ("sub that is no id", ours(&with("sub", json!("admin"))), 401),
        ("no sid", ours(&without("sid")), 401),
        (
            "sid of a session",
            ours(&with("sid", json!(SessionId::from(5).to_string()))),
            200,
        ),
        ("sid that is no id", ours(&with("sid", json!("null"))), 401),
        ("app unknown", ours(&with("app", json!("root"))), 401),
        ("no app", ours(&without("app")), 401),
        ("additional claims", ours(&with("roles", json!(["owner"]))), 200),
        (
            "signed with another key under our key's id",
            sign(&our_header(), &claims(), &[9; 32]),
            401,
        ),
        (
            "signed with the empty key",
            sign(&our_header(), &claims(), b""),
            401,
        ),
        (
            "signed with the key's id",
            sign(&our_header(), &claims(), kid.as_bytes()),
            401,
        ),
        (
            "key id from before a reset",
            sign(&rotated, &claims(), &[9; 32]),
            410,
        ),
        (
            "key id unknown, yet signed by us",
            sign(&rotated, &claims(), &SECRET),
            410,
        ),
        (
            "key id that climbs",
            raw_header(r#"{"alg":"HS256","kid":"../../dev/null"}"#),
            401,
        ),
        (
            "no key id",
            sign(&Header::new(Algorithm::HS256), &claims(), &SECRET),
            401,
        ),
        (
            "HS384",
            sign(
                &Header {
                    alg: Algorithm::HS384,
                    ..our_header()
                },
                &claims(),
                &SECRET,
            ),
            401,
        ),
        (
            "HS512",
            sign(
                &Header {
                    alg: Algorithm::HS512,
                    ..our_header()
                },
                &claims(),
                &SECRET,
            ),
            401,
        ),
        (
            "alg none",
            raw_header(&format!(r#"{{"alg":"none","kid":"{kid}"}}"#)),
            401,
        ),
        (
            "alg None",
            raw_header(&format!(r#"{{"alg":"None","kid":"{kid}"}}"#)),
            401,
        ),
        (
            "alg nOnE",
            raw_header(&format!(r#"{{"alg":"nOnE","kid":"{kid}"}}"#)),
            401,
        ),
        (
            "alg hs256",
            raw_header(&format!(r#"{{"alg":"hs256","kid":"{kid}"}}"#)),
            401,
        ),
        (
            "RS256 with our key as secret",
            raw_header(&format!(r#"{{"alg":"RS256","kid":"{kid}"}}"#)),
            401,
        ),
        ("no alg", raw_header(&format!(r#"{{"kid":"{kid}"}}"#)), 401),
        (
            "alg twice",
            raw_header(&format!(r#"{{"alg":"HS256","alg":"none","kid":"{kid}"}}"#)),
            401,
        ),
        (
            "alg as list",
            raw_header(&format!(r#"{{"alg":["HS256"],"kid":"{kid}"}}"#)),
            401,
        ),
        (
            "crit",
            raw_header(&format!(r#"{{"alg":"HS256","kid":"{kid}","crit":["exp"]}}"#)),
            401,
        ),
        (
            "jku is never fetched",
            raw_header(&format!(r#"{{"alg":"HS256","kid":"{kid}","jku":"http://x"}}"#)),
            200,
        ),
        (
            "exp twice",
            raw_payload(&claims().to_string().replacen('{', "{\"exp\":9999999999,", 1)),
            401,
        ),
        (
            "sub twice",
            raw_payload(&claims().to_string().replacen('{', "{\"sub\":\"x\",", 1)),
            401,
        ),
        ("payload a list", raw_payload("[]"), 401),
        ("payload no JSON", raw_payload("{"), 401),
        ("payload nested deeply", raw_payload(&"[".repeat(500)), 401),
        ("header no JSON", raw_header("{"), 401),
        (
            "without signature",
            good.rsplit_once('.').unwrap().0.to_owned() + ".",
            401,
        ),
        ("two parts", good.rsplit_once('.').unwrap().0.to_owned(), 401),
        ("four parts", format!("{good}.x"), 401),
        ("trailing dot", format!("{good}."), 401),
        ("leading dot", format!(".{good}"), 401),
        ("padded", format!("{good}="), 401),
        ("one character more", format!("{good}A"), 401),
        ("one character less", good[..good.len() - 1].to_owned(), 401),
        ("space inside", good.replacen('.', ". ", 1), 401),
        ("oversize", ours(&with("jti", json!("x".repeat(9000)))), 401),
        ("standard base64", "a+b/c.d+e/f.g+h/i".to_owned(), 401),
        ("not a token", "letmein".to_owned(), 401),
        ("dots", "..".to_owned(), 401),
        ("empty", String::new(), 401),
    ];
    assert!(cases.len() >= 45);
    for (name, token, expected) in cases {
        assert_eq!(status(&token), expected, "{name}");
    }
}

#[covers("R19")]
#[test]
fn access_token_lives_fifteen_minutes_exactly() {
    let token = tokens()
        .issue(user(), App::Admin, Some(SessionId::from(9)), NOW, &SystemRandom)
        .unwrap();
    let identity = tokens().read(&token, NOW).unwrap();
    assert_eq!(
        (identity.user, identity.app, identity.session),
        (user(), App::Admin, Some(SessionId::from(9)))
    );
    let at = |seconds: i64| tokens().read(&token, Timestamp::from_millis((NOW.seconds() + seconds) * 1000));
    assert!(at(LIFETIME_SECONDS - 1).is_ok());
    assert_eq!(at(LIFETIME_SECONDS), Err(TokenError::Invalid));
}

#[test]
fn access_token_holds_no_role_and_differs_each_time() {
    let [first, second] = [0, 1].map(|_| {
        tokens()
            .issue(user(), App::Admin, None, NOW, &SystemRandom)
            .unwrap()
    });
    assert_ne!(first, second);
    let claims: Value = jsonwebtoken::dangerous::insecure_decode_claims(&first).unwrap();
    assert!(claims.get("roles").is_none() && claims.get("capabilities").is_none());
}

#[covers("T03")]
#[test]
fn token_signed_with_a_weak_secret_is_rejected() {
    for number in 0..1000_u32 {
        let secret = if number == 0 {
            String::new()
        } else {
            format!("secret{number}")
        };
        assert_eq!(status(&sign(&our_header(), &claims(), secret.as_bytes())), 401);
    }
}
