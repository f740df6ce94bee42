//! Answers in which a name occurs twice: programs disagree on which value counts, so none does.

use super::*;

fn with_body(status: u16, body: &str) -> Response {
    let mut answer = response(status, &json!({}));
    answer.body = body.as_bytes().to_vec();
    answer
}

/// A cloud that answers everything but the document with this body.
fn saying(status: u16, body: &'static str) -> Sent {
    cloud(document(&json!([{"key": KEY}])), move |_| {
        Ok(with_body(status, body))
    })
}

#[test]
fn answer_with_a_name_twice_is_unavailable() {
    const TOKEN: &str = "token-1";
    for (status, body) in [
        (
            200,
            r#"{"publicUserId": "u_4Q7XK2M9RBTD1HNC", "publicUserId": "u_4Q7XK2M9RBTD1HNC"}"#,
        ),
        (
            200,
            r#"{"publicUserId": "u_4Q7XK2M9RBTD1HNC", "expiresAt": 1, "expiresAt": 1895400000000}"#,
        ),
        (401, r#"{"code": "other", "code": "token_invalid"}"#),
    ] {
        saying(status, body);
        let refused = CloudClient::account(TOKEN.to_owned()).unwrap_err();
        assert_eq!(refused, CloudError::Unavailable, "{body}");
    }
    saying(200, r#"{"credential": "a", "credential": "b"}"#);
    let server = Server {
        instance_id: "instance-1".to_owned(),
        name: "Living room".to_owned(),
    };
    let refused = CloudClient::credential(TOKEN.to_owned(), server).unwrap_err();
    assert_eq!(refused, CloudError::Unavailable);
    for body in [
        r#"{"statuses": [{"status": "revoked", "status": "active"}]}"#,
        r#"{"statuses": [{"status": "bound", "boundAt": 1, "boundAt": 2}]}"#,
        r#"{"statuses": [], "statuses": [{"status": "active"}]}"#,
    ] {
        saying(200, body);
        let ids = vec!["i_1".to_owned()];
        let refused = CloudClient::invitation_statuses("credential".to_owned(), ids).unwrap_err();
        assert_eq!(refused, CloudError::Unavailable, "{body}");
    }
}

#[test]
fn document_with_a_name_twice_is_not_used() {
    let account = || json!({"publicUserId": "u_4Q7XK2M9RBTD1HNC"});
    let valid = document(&json!([{"key": KEY}])).to_string();
    let twice = |name: &str, first: &str| {
        let member = format!("\"{name}\":");
        let changed = valid.replacen(&member, &format!("{member}{first},{member}"), 1);
        assert_ne!(changed, valid, "{name}");
        changed
    };
    for (text, is_used) in [
        (valid.clone(), true),
        (twice("versions", "{}"), false),
        (twice("1", "{}"), false),
        (twice("7", "1"), false),
        (twice("features", "[]"), false),
        (twice("endpoints", "{}"), false),
        (twice("account", "\"https://cloud.example/other\""), false),
        (twice("releaseKeys", "[]"), false),
    ] {
        let sent = answering(200, account());
        let served = text.clone();
        simulate::requests(move |request| {
            let is_document = request.url.ends_with("/.well-known/svc-cloud");
            Ok(if is_document {
                with_body(200, &served)
            } else {
                response(200, &account())
            })
        });
        let outcome = CloudClient::account("token-1".to_owned());
        assert!(sent.borrow().is_empty());
        if is_used {
            assert_eq!(outcome.unwrap().id, "u_4Q7XK2M9RBTD1HNC");
        } else {
            assert_eq!(outcome.unwrap_err(), CloudError::Unavailable, "{text}");
        }
    }
}
