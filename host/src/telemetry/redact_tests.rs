//! Tests of `redact.rs`.

use svc_covers::covers;

use super::*;

const TOKEN: &str = "svc_pat_0123456789abcdefghijABCDEFGHIJ";
const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_bmF0dXJl";

#[covers("T08")]
#[test]
fn secrets_are_redacted() {
    for (line, expected) in [
        (
            format!("by {TOKEN}, twice {TOKEN}\n"),
            "by svc_pat_…, twice svc_pat_…\n",
        ),
        (format!("Bearer {JWT}."), "Bearer eyJ…."),
        (JWT.replace('.', "%2E"), "eyJ…"),
        (
            "GET /api/v1/auth/device/ABCD-1234?x=1 by svc_device_0123456789ab".into(),
            "GET /api/v1/auth/device/…?x=1 by svc_device_…",
        ),
        (
            "/auth/device/{userCode} /auth/device/approve /auth/device/token".into(),
            "/auth/device/{userCode} /auth/device/approve /auth/device/token",
        ),
        ("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.".into(), "eyJ…"),
        (
            "GET /a?token=x1y2&take=3 HTTP".into(),
            "GET /a?token=…&take=3 HTTP",
        ),
        (
            "GET /a?take=3&ToKeN=x1,y2'z;w#f".into(),
            "GET /a?take=3&ToKeN=…#f",
        ),
        (
            "/a?%74oken=x1&%41PI%5fkey=y2 ".into(),
            "/a?%74oken=…&%41PI%5fkey=… ",
        ),
        (
            "/a?authorization=Bearer%20x&access_token=y&apikey=z&password=p&code=c".into(),
            "/a?authorization=…&access_token=…&apikey=…&password=…&code=…",
        ),
        (
            "{\"uri\":\"/a?token=x1\",\"x\":1}".into(),
            "{\"uri\":\"/a?token=…\",\"x\":1}",
        ),
        (
            "{\"authorization\": \"Bearer x\", \"accept\": \"*/*\"}".into(),
            "{\"authorization\": \"…\", \"accept\": \"*/*\"}",
        ),
        (
            "{\\\"cookie\\\": \\\"a=b; c=d\\\", \\\"x\\\"".into(),
            "{\\\"cookie\\\": \\\"…\\\", \\\"x\\\"",
        ),
        (
            "opened svc_link_AbC-dEf_0123456789, then".into(),
            "opened svc_link_…, then",
        ),
        ("x=svc_pat_abcdefgh12;y".into(), "x=svc_pat_…;y"),
        ("Svc-Cloud-Token: secret, and more".into(), "Svc-Cloud-Token: …"),
        (
            "\"set-cookie\": \"x\"; \"proxy-authorization\": \"y\"".into(),
            "\"set-cookie\": \"…\"; \"proxy-authorization\": \"…\"",
        ),
        (
            "svc_refresh_token_00ff=abc-_def; Path=/".into(),
            "svc_refresh_token_00ff=…; Path=/",
        ),
        (
            "svc_sign_in_00ff=abc-_def; svc_other=1".into(),
            "svc_sign_in_00ff=…; svc_other=1",
        ),
        (
            "/auth/oidc/start?app=music&link=t1&invitation=7K2M".into(),
            "/auth/oidc/start?app=music&link=…&invitation=…",
        ),
        (
            "https://id.example/auth?state=s1&nonce=n1&scope=openid".into(),
            "https://id.example/auth?state=…&nonce=…&scope=openid",
        ),
        (
            "GET /api/v1/invitations/claim/7K2M0RB1D1 HTTP".into(),
            "GET /api/v1/invitations/claim/… HTTP",
        ),
        (
            "/api/v1/invitations/claim /invitations/claim/{shortcode}".into(),
            "/api/v1/invitations/claim /invitations/claim/{shortcode}",
        ),
    ] {
        assert_eq!(redacted(&line, false), expected, "{line}");
    }
}

#[test]
fn texts_that_resemble_secrets_are_kept() {
    for line in [
        "svc_pat_short",
        "svc_pat_",
        "svc_link_short",
        "svc_linked_to_something",
        "eyJ",
        "eyJhbGciOiJIUzI1NiJ9",
        "eyJ.a.b is not",
        "/a?tokens=3&take=1",
        "a token=3",
        "code=404",
        "authorization failed",
        "cookies: 3",
        "no cookie was sent",
        "/a?token",
        "é…?",
        "?=&==",
    ] {
        let expected = if line.starts_with("eyJ.") {
            "eyJ… is not"
        } else {
            line
        };
        assert_eq!(redacted(line, false), expected, "{line}");
    }
}

#[test]
fn control_characters_are_escaped_but_for_the_end_of_the_line() {
    let line = "a\nb\r\tc\u{1b}[2Jd\u{7f}e\u{9b}f\u{202e}g\0\n";
    let expected = "a\\u000ab\\u000d\\u0009c\\u001b[2Jd\\u007fe\\u009bf\\u202eg\\u0000\n";
    assert_eq!(redacted(line, false), expected);
    assert_eq!(redacted(line, true), expected);
}

#[test]
fn colours_pass_if_enabled() {
    let line = "\u{1b}[2m12:00\u{1b}[0m \u{1b}[38;5;1mred\u{1b}]0;title\u{7}\n";
    assert_eq!(
        redacted(line, true),
        "\u{1b}[2m12:00\u{1b}[0m \u{1b}[38;5;1mred\\u001b]0;title\\u0007\n"
    );
    assert!(!redacted(line, false).contains('\u{1b}'));
}

#[test]
fn invalid_utf8_does_not_stop_a_line() {
    let mut written = Vec::new();
    let line = b"a\xff?token=\xfe\xfd&b\n";
    assert_eq!(
        Redacted::new(&mut written, false).write(line).unwrap(),
        line.len()
    );
    assert_eq!(String::from_utf8(written).unwrap(), "a\u{fffd}?token=…&b\n");
}
