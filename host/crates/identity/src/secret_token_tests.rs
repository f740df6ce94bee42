//! Tests of `secret_token.rs`.

use super::*;
use svc_platform::random::SystemRandom;

#[test]
fn personal_access_secret_round_trips() {
    for _ in 0..100 {
        let made = PersonalAccessSecret::generate(&SystemRandom).unwrap();
        let text = made.secret();
        assert_eq!(text.len(), "svc_pat_".len() + 49, "{text}");
        assert!(text[8..].bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(PersonalAccessSecret::parse(text), Some(made.clone()));
        assert!(text.ends_with(made.hint()) && made.hint().len() == 4);
    }
}

#[test]
fn secret_with_any_character_changed_fails_its_checksum() {
    let made = PersonalAccessSecret::generate(&SystemRandom).unwrap();
    for at in 0..made.secret().len() {
        let mut text = made.secret().as_bytes().to_vec();
        text[at] = if text[at] == b'x' { b'y' } else { b'x' };
        let text = String::from_utf8(text).unwrap();
        assert_eq!(PersonalAccessSecret::parse(&text), None, "{text}");
    }
    for junk in [
        "",
        "svc_pat_",
        "svc_pat_x",
        "svc_pat_ä",
        &format!("{}0", made.secret()),
    ] {
        assert_eq!(PersonalAccessSecret::parse(junk), None, "{junk:?}");
    }
}

fn refresh_token(session: i64) -> RefreshToken {
    RefreshToken::generate(&SystemRandom, &[1; 32], session.into()).unwrap()
}

#[test]
fn successor_depends_on_token_key_and_salt() {
    let token = refresh_token(7);
    let successor = token.successor(&[1; 32], &[2; 16]);
    assert_eq!(successor, token.successor(&[1; 32], &[2; 16]));
    for different in [
        refresh_token(7).successor(&[1; 32], &[2; 16]),
        token.successor(&[3; 32], &[2; 16]),
        token.successor(&[1; 32], &[3; 16]),
        token,
    ] {
        assert_ne!(successor, different);
    }
    assert_eq!((successor.session(), successor.generation()), (7.into(), 1));
    assert_eq!(RefreshToken::read(successor.secret(), &[1; 32]), Some(successor));
}

#[test]
fn refresh_token_that_is_altered_or_of_another_server_is_rejected() {
    let token = refresh_token(7);
    assert_eq!(RefreshToken::read(token.secret(), &[1; 32]), Some(token.clone()));
    assert_eq!(RefreshToken::read(token.secret(), &[2; 32]), None);
    for at in 0..token.secret().len() {
        let mut text = token.secret().as_bytes().to_vec();
        text[at] = if text[at] == b'x' { b'y' } else { b'x' };
        let text = String::from_utf8(text).unwrap();
        assert_eq!(RefreshToken::read(&text, &[1; 32]), None, "{at}");
    }
    for junk in [
        "",
        "abc",
        "====",
        &"A".repeat(43),
        &"A".repeat(86),
        &format!("{}A", token.secret()),
        &"ä".repeat(43),
    ] {
        assert_eq!(RefreshToken::read(junk, &[1; 32]), None, "{junk:?}");
    }
}

#[test]
fn debug_output_of_secrets_is_redacted() {
    let token = refresh_token(7);
    let secret = PersonalAccessSecret::generate(&SystemRandom).unwrap();
    assert!(!format!("{token:?}").contains(token.secret()));
    assert!(!format!("{secret:?}").contains(secret.secret()));
}
