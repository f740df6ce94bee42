//! `GET /auth/device/{userCode}`, `POST /auth/device/approve` and `deny`.

use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use super::{Codes, DEVICE, assert_grant_error};
use crate::support::TestServer;
use crate::support::databases::on_each_database;
use svc_domain::audit::AuditEvent;

#[covers("GET /api/v1/auth/device/{userCode}")]
#[tokio::test]
async fn user_sees_what_asks() {
    on_each_database(async |server| {
        let ada = server.client(server.person("ada", "owner").await);
        let headers = [
            ("content-type", "application/json"),
            ("user-agent", "Example TV\t1.0"),
        ];
        let body = json!({"app": "cinema"}).to_string();
        let codes = Codes::of(&server.send("POST", DEVICE, &headers, &body).await);
        server.clock.advance(Duration::from_secs(61));
        let seen = codes.look(&ada).await;
        assert_eq!(seen.status, 200, "{seen:?}");
        let json = seen.json();
        assert_eq!(
            (&json["app"], &json["ip"], &json["status"]),
            (&json!("cinema"), &json!("192.0.2.1"), &json!("pending"))
        );
        assert!(
            json["userAgent"].as_str().unwrap().starts_with("Example TV"),
            "{json}"
        );
        assert!((61..=90).contains(&json["age"].as_u64().unwrap()), "{json}");
        // As typed by people.
        for typed in [
            codes.user.to_lowercase(),
            codes.user.replace('-', ""),
            codes.user.replace('0', "o").replace('1', "l"),
        ] {
            let reply = ada.get(&format!("{DEVICE}/{typed}")).await;
            assert_eq!(reply.status, 200, "{typed}");
        }
        server.clock.advance(Duration::from_secs(540));
        assert_eq!(codes.look(&ada).await.status, 404);
    })
    .await;
}

#[covers(
    "POST /api/v1/auth/device/approve",
    "POST /api/v1/auth/device/deny",
    "code device_sign_in_decided"
)]
#[tokio::test]
async fn first_decision_counts_and_is_in_the_audit_log() {
    on_each_database(async |server| {
        let ada = server.client(server.person("ada", "owner").await);
        let bob = server.client(server.person("bob", "member").await);
        for approve in [true, false] {
            let codes = Codes::start(&server, "music").await;
            let reply = match approve {
                true => codes.approve(&ada).await,
                false => codes.deny(&ada).await,
            };
            let status = if approve { "approved" } else { "denied" };
            assert_eq!((reply.status, &reply.json()["status"]), (201, &json!(status)));
            for again in [
                codes.approve(&ada).await,
                codes.deny(&ada).await,
                codes.approve(&bob).await,
                codes.deny(&bob).await,
            ] {
                assert_eq!(
                    (again.status, again.code().as_deref()),
                    (409, Some("device_sign_in_decided"))
                );
            }
            assert_eq!(codes.look(&bob).await.json()["status"], status);
            let event = match approve {
                true => AuditEvent::DeviceSignInApproved,
                false => AuditEvent::DeviceSignInDenied,
            };
            let entries = server.audit(event).await;
            assert_eq!(entries.len(), 1);
            let actor = entries[0].actor.as_ref().unwrap();
            assert_eq!(actor.name.as_deref(), Some("ada"));
            assert_eq!(entries[0].details["app"], "music");
            assert_eq!(entries[0].details["device"], "192.0.2.1");
        }
    })
    .await;
}

#[tokio::test]
async fn guest_token_and_stranger_decide_nothing() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let owner = server.client(ada);
    server.set(&owner, "guest_access", json!(true)).await;
    let guest = server
        .login(&[("svc-app", "music")], &json!({"username": "guest"}))
        .await
        .client();
    let token = server.as_token(ada, None).await;
    let codes = Codes::start(&server, "music").await;
    for (who, status, code) in [
        (&guest, 403, None),
        (&token, 403, Some("pat_not_permitted")),
        (&server.anonymous(), 401, None),
    ] {
        for reply in [
            codes.look(who).await,
            codes.approve(who).await,
            codes.deny(who).await,
        ] {
            assert_eq!((reply.status, reply.code().as_deref()), (status, code));
        }
    }
    assert_eq!(codes.look(&owner).await.json()["status"], "pending");
}

#[tokio::test]
async fn approver_needs_the_login_capability_of_the_app() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let listener = server.client(server.person("listener", "music_user").await);
    let member = server.client(server.person("member", "member").await);
    for (app, by, status) in [
        ("music", &listener, 201),
        ("cinema", &listener, 403),
        ("admin", &member, 403),
        ("cinema", &member, 201),
    ] {
        let codes = Codes::start(&server, app).await;
        assert_eq!(codes.approve(by).await.status, status, "{app}");
        if status == 403 {
            assert_grant_error(&codes.poll(&server).await, "authorization_pending");
            // To deny needs no capability.
            assert_eq!(codes.deny(by).await.status, 201, "{app}");
        }
    }
}

#[tokio::test]
async fn fifth_wrong_code_is_the_last_for_an_account() {
    let mut server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let bob = server.person("bob", "member").await;
    let codes = Codes::start(&server, "music").await;
    let (owner, other) = (server.client(ada), server.client(bob));
    // What cannot be a code is no try, and neither is a right one.
    for typed in [
        "ABCD",
        "ABCD-123U",
        "ABCD-12345",
        "%C3%A4BCD-1234",
        "0000000000001",
    ] {
        assert_eq!(owner.get(&format!("{DEVICE}/{typed}")).await.status, 404);
    }
    for _ in 0..6 {
        assert_eq!(codes.look(&owner).await.status, 200);
    }
    let wrong = |number: u8| Codes {
        device: String::new(),
        user: format!("ZZZZ-ZZZ{number}"),
    };
    assert_eq!(wrong(1).look(&owner).await.status, 404);
    assert_eq!(wrong(2).approve(&owner).await.status, 404);
    assert_eq!(wrong(3).deny(&owner).await.status, 404);
    assert_eq!(wrong(4).look(&owner).await.status, 404);
    assert_eq!(wrong(5).approve(&owner).await.status, 404);
    for reply in [
        wrong(6).look(&owner).await,
        codes.look(&owner).await,
        codes.approve(&owner).await,
        codes.deny(&owner).await,
    ] {
        assert_eq!(
            (reply.status, reply.code().as_deref()),
            (429, Some("too_many_attempts"))
        );
    }
    // From another address as well, and another account is not affected.
    server.peer = [203, 0, 113, 9].into();
    assert_eq!(codes.look(&server.client(ada)).await.status, 429);
    assert_eq!(codes.look(&other).await.status, 200);
    assert_eq!(codes.approve(&other).await.status, 201);
}
