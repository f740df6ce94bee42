//! The plugin against a cloud that answers as the page of the protocol says, and against one that does not.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod duplicates;
mod pauses;
mod releases;

use std::cell::RefCell;
use std::rc::Rc;

use cloud::CloudClient;
use serde_json::{Value, json};
use svc_plugin_api::cloud::http::{Header, HttpError, Request, Response, header};
use svc_plugin_api::cloud::{Cloud, CloudError, InvitationRequest, InvitationStatus, Server, simulate};
use svc_plugin_api::{Value as Setting, settings};

const ORIGIN: &str = "https://cloud.example";
const NOW: u64 = 1_795_400_000_000;
const KEY: &str = "6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=";

type Sent = Rc<RefCell<Vec<Request>>>;

fn response(status: u16, body: &Value) -> Response {
    Response {
        status,
        headers: vec![
            header("content-type", "application/json; charset=utf-8"),
            header("cache-control", "public, max-age=3600"),
        ],
        body: body.to_string().into_bytes(),
    }
}

fn document(keys: &Value) -> Value {
    let at = |path: &str| format!("{ORIGIN}/api/v1/{path}");
    json!({"versions": {"1": {
        "features": ["accounts", "invitations", "licensing", "releases"],
        "endpoints": {
            "account": at("account"),
            "servers": at("servers"),
            "invitations": at("invitations"),
            "invitationStatuses": at("invitation-statuses"),
            "boundInvitations": at("bound-invitations"),
            "subscription": at("subscription"),
            "releaseChannels": at("release-channels"),
        },
        "releaseKeys": keys,
    }, "7": "not for us"}})
}

/// A cloud with this discovery document that answers everything else in the same way.
fn cloud(document: Value, answer: impl Fn(&Request) -> Result<Response, HttpError> + 'static) -> Sent {
    let sent = Sent::default();
    let seen = Rc::clone(&sent);
    simulate::empty_state();
    simulate::clock(NOW);
    settings::simulate([
        ("url", Setting::Text(ORIGIN.to_owned())),
        ("instance-id", Setting::Text("instance-1".to_owned())),
    ]);
    simulate::requests(move |request| {
        seen.borrow_mut().push(request.clone());
        if request.url == format!("{ORIGIN}/.well-known/svc-cloud") {
            return Ok(response(200, &document));
        }
        answer(request)
    });
    sent
}

fn answering(status: u16, body: Value) -> Sent {
    cloud(document(&json!([{"key": KEY}])), move |_| {
        Ok(response(status, &body))
    })
}

fn value<'h>(headers: &'h [Header], name: &str) -> Option<&'h str> {
    let header = headers.iter().find(|header| header.name == name);
    header.map(|header| header.value.as_str())
}

#[test]
fn account_is_asked_with_the_token_and_the_installation() {
    let account = json!({"publicUserId": "u_4Q7XK2M9RBTD1HNC", "displayName": "Ada", "username": "ada",
        "groups": ["staff"], "expiresAt": NOW + 1, "later": 1});
    let sent = answering(200, account);
    let account = CloudClient::account("token-1".to_owned()).unwrap();
    assert_eq!(
        (account.id.as_str(), account.username.as_deref()),
        ("u_4Q7XK2M9RBTD1HNC", Some("ada"))
    );
    assert_eq!(
        (account.groups, account.expires_at),
        (vec!["staff".to_owned()], Some(NOW + 1))
    );
    CloudClient::account("token-1".to_owned()).unwrap();
    // The document is kept, the account is not.
    let sent = sent.borrow();
    let urls: Vec<&str> = sent.iter().map(|request| request.url.as_str()).collect();
    let account = format!("{ORIGIN}/api/v1/account");
    assert_eq!(
        urls,
        [&format!("{ORIGIN}/.well-known/svc-cloud"), &account, &account]
    );
    assert_eq!(value(&sent[1].headers, "Svc-Cloud-Token"), Some("token-1"));
    assert_eq!(value(&sent[1].headers, "Svc-Instance"), Some("instance-1"));
    assert!(sent[0].headers.iter().all(|header| header.name == "Accept"));
}

#[test]
fn what_is_no_token_is_rejected_without_a_request() {
    let sent = answering(200, json!({}));
    for token in ["", "a b", "a\r\nX: y", &"x".repeat(513)] {
        assert_eq!(
            CloudClient::account(token.to_owned()).unwrap_err(),
            CloudError::Rejected
        );
    }
    assert!(sent.borrow().is_empty());
}

#[test]
fn refusals_mean_what_the_protocol_says() {
    let refusal = |status, code: &str| {
        answering(status, json!({"code": code, "message": "for people"}));
        let request = InvitationRequest {
            role: "music_user".to_owned(),
            target: Some("u_4Q7XK2M9RBTD1HNC".to_owned()),
            expires_at: NOW + 5,
        };
        CloudClient::create_invitation("credential".to_owned(), "token".to_owned(), request).unwrap_err()
    };
    let refused = |code: &str| CloudError::Refused(code.to_owned());
    for (status, code, expected) in [
        (401, "token_invalid", CloudError::Rejected),
        (401, "credential_invalid", refused("credential_invalid")),
        (401, "something_new", CloudError::Unavailable),
        (404, "target_unavailable", CloudError::TargetUnavailable),
        (409, "daily_invitation_limit", refused("daily_invitation_limit")),
        (403, "something_new", refused("something_new")),
        (403, "Not A Code", CloudError::Unavailable),
        (429, "too_many_requests", CloudError::Unavailable),
        (500, "token_invalid", CloudError::Unavailable),
        (302, "token_invalid", CloudError::Unavailable),
    ] {
        assert_eq!(refusal(status, code), expected, "{status} {code}");
    }
}

#[test]
fn answers_without_sense_are_unavailable() {
    let account = |answer: Response| {
        cloud(document(&json!([])), move |_| Ok(answer.clone()));
        CloudClient::account("token".to_owned()).unwrap_err()
    };
    let valid = json!({"publicUserId": "u_4Q7XK2M9RBTD1HNC"});
    let mut html = response(200, &valid);
    html.headers[0].value = "text/html".to_owned();
    let mut long = response(200, &valid);
    long.body.resize(300 * 1024, b' ');
    let mut garbage = response(200, &valid);
    garbage.body.truncate(5);
    let other = response(200, &json!({"publicUserId": 7}));
    let past = response(
        200,
        &json!({"publicUserId": "u_4Q7XK2M9RBTD1HNC", "expiresAt": NOW}),
    );
    let path = response(200, &json!({"publicUserId": "../../admin"}));
    for answer in [html, long, garbage, other, past, path] {
        assert_eq!(account(answer), CloudError::Unavailable);
    }
    cloud(document(&json!([])), |_| Err(HttpError::Timeout));
    assert_eq!(
        CloudClient::account("token".to_owned()).unwrap_err(),
        CloudError::Unavailable
    );
}

#[test]
fn document_of_another_origin_or_version_is_not_used() {
    let mut elsewhere = document(&json!([]));
    elsewhere["versions"]["1"]["endpoints"]["account"] = json!("https://cloud.example.evil/api");
    let other_version = json!({"versions": {"2": {"features": [], "endpoints": {}}}});
    for document in [elsewhere, other_version, json!({})] {
        let sent = cloud(document, |_| panic!("nothing else is asked"));
        assert_eq!(
            CloudClient::account("token".to_owned()).unwrap_err(),
            CloudError::Unavailable
        );
        assert_eq!(sent.borrow().len(), 1);
    }
    let mut without = document(&json!([]));
    without["versions"]["1"]["features"] = json!(["accounts"]);
    cloud(without, |_| panic!("nothing else is asked"));
    let credential = || "credential".to_owned();
    assert_eq!(
        CloudClient::subscription(credential()).unwrap_err(),
        CloudError::Unsupported
    );
    assert_eq!(
        CloudClient::release_channels().unwrap_err(),
        CloudError::Unsupported
    );
}

#[test]
fn endpoint_that_is_gone_is_looked_up_again() {
    let sent = answering(404, json!("no refusal"));
    for _ in 0..2 {
        let gone = CloudClient::account("token".to_owned()).unwrap_err();
        assert_eq!(gone, CloudError::Unavailable);
    }
    assert_eq!(sent.borrow().len(), 4);
}

#[test]
fn invitations_are_created_listed_claimed_and_revoked() {
    let sent = cloud(document(&json!([])), |request| {
        let path = request.url.strip_prefix("https://cloud.example/api/v1/").unwrap();
        Ok(match (request.method.as_str(), path) {
            ("POST", "servers") => response(201, &json!({"credential": "svc_server_1"})),
            ("POST", "invitations") => {
                let url = "https://cloud.example/invite/7K2M-9RBT-D1HN-C4QX";
                response(
                    201,
                    &json!({"id": "i_9M2F7T0QWJ4C8RXA", "shortcode": "7K2M-9RBT-D1HN-C4QX", "url": url,
                    "expiresAt": NOW + 5}),
                )
            }
            ("POST", "invitation-statuses") => {
                let body: Value = serde_json::from_slice(request.body.as_ref().unwrap()).unwrap();
                let count = body["ids"].as_array().unwrap().len();
                assert!(count <= 500);
                let mut statuses = vec![Value::Null; count];
                statuses[0] = json!({"status": "bound", "boundAt": 3});
                response(200, &json!({"statuses": statuses}))
            }
            ("GET", "bound-invitations") => response(200, &json!({"ids": ["i_9M2F7T0QWJ4C8RXA"]})),
            ("POST", "invitations/i_9M2F7T0QWJ4C8RXA/claim") => response(200, &json!({"claimed": true})),
            ("DELETE", "invitations/i_9M2F7T0QWJ4C8RXA") => response(200, &json!({"revoked": false})),
            other => panic!("{other:?}"),
        })
    });
    let (credential, token) = (|| "credential".to_owned(), || "token".to_owned());
    let server = Server {
        instance_id: "instance-1".to_owned(),
        name: "x".repeat(200),
    };
    assert_eq!(CloudClient::credential(token(), server).unwrap(), "svc_server_1");
    let body: Value = serde_json::from_slice(sent.borrow().last().unwrap().body.as_ref().unwrap()).unwrap();
    assert_eq!(body["name"].as_str().unwrap().len(), 128);
    let request = InvitationRequest {
        role: "music_user".to_owned(),
        target: None,
        expires_at: NOW + 5,
    };
    let created = CloudClient::create_invitation(credential(), token(), request).unwrap();
    assert_eq!(created.shortcode.as_deref(), Some("7K2M-9RBT-D1HN-C4QX"));
    let ids: Vec<String> = (0..501).map(|id| format!("i_{id:08}")).collect();
    let statuses = CloudClient::invitation_statuses(credential(), ids).unwrap();
    assert_eq!(statuses.len(), 501);
    assert_eq!(
        (&statuses[0], &statuses[1], &statuses[500]),
        (
            &Some(InvitationStatus::Bound(3)),
            &None,
            &Some(InvitationStatus::Bound(3))
        )
    );
    let bound = CloudClient::bound_invitations(credential(), token()).unwrap();
    assert!(CloudClient::claim_invitation(credential(), token(), bound[0].clone()).unwrap());
    assert!(!CloudClient::revoke_invitation(credential(), bound[0].clone()).unwrap());
    let away = CloudClient::revoke_invitation(credential(), "../servers".to_owned());
    assert_eq!(away.unwrap_err(), CloudError::Unavailable);
}

#[test]
fn invitation_that_does_not_fit_its_request_is_unavailable() {
    let url = "https://cloud.example/invite/7K2M-9RBT-D1HN-C4QX";
    for (body, target) in [
        (json!({"id": "i_9M2F7T0QWJ4C8RXA", "expiresAt": NOW}), None),
        (
            json!({"id": "i_9M2F7T0QWJ4C8RXA", "shortcode": "7K2M-9RBT-D1HN-C4QX", "url": url, "expiresAt": NOW + 6}),
            None,
        ),
        (
            json!({"id": "i_9M2F7T0QWJ4C8RXA", "shortcode": "<script>", "url": url, "expiresAt": NOW}),
            None,
        ),
        (
            json!({"id": "i_9M2F7T0QWJ4C8RXA", "shortcode": "7K2M-9RBT-D1HN-C4QX", "url": url, "expiresAt": NOW}),
            Some("u_1"),
        ),
    ] {
        answering(201, body.clone());
        let request = InvitationRequest {
            role: "music_user".to_owned(),
            target: target.map(str::to_owned),
            expires_at: NOW + 5,
        };
        let created = CloudClient::create_invitation("credential".to_owned(), "token".to_owned(), request);
        assert_eq!(created.unwrap_err(), CloudError::Unavailable, "{body}");
    }
}
