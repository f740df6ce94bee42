//! Refused sign-ins with a token of the cloud: what the audit log says of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;
use svc_covers::covers;

use crate::support::cloud::ScriptedCloud;
use crate::support::databases::on_each_database_with;
use crate::support::{TestServer, TestServerOptions};
use svc_domain::audit::{AuditEntry, AuditEvent};
use svc_identity::cloud::{CloudAccount, CloudError};

/// Reason, app and account of entries, with how often each came.
fn told(entries: &[AuditEntry]) -> BTreeMap<(String, String, String), i64> {
    let detail = |entry: &AuditEntry, key: &str| entry.details.get(key).cloned().unwrap_or_default();
    let mut told = BTreeMap::new();
    for entry in entries {
        assert_eq!(entry.details["by"], "cloud");
        assert_eq!(entry.details["service"], "https://cloud.example");
        assert_eq!(entry.address.as_deref(), Some("192.0.2.1"));
        let target = entry.target.as_ref().and_then(|target| target.name.clone());
        let key = (
            detail(entry, "reason"),
            detail(entry, "app"),
            target.unwrap_or_default(),
        );
        *told.entry(key).or_default() += entry.times;
    }
    told
}

async fn login(server: &TestServer, app: &str, token: &str) -> u16 {
    let body = json!({ "cloudToken": token });
    server.login(&[("svc-app", app)], &body).await.status
}

#[covers("S8", "T08")]
#[tokio::test]
async fn refusals_are_in_the_audit_log_with_service_and_reason_and_without_the_token() {
    let cloud = Arc::new(ScriptedCloud::default());
    cloud.says("token-good", Ok("c1"));
    cloud.says("token-stranger", Ok("c2"));
    cloud.says("token-away", Err(CloudError::Unavailable));
    let options = || TestServerOptions {
        cloud: cloud.clone(),
        ..TestServerOptions::default()
    };
    on_each_database_with(options, async |server| {
        server.clock.stop();
        let owner = server.client(server.person("ada", "owner").await);
        let bob = server.user("bob", false, &["music_user"]).await;
        server.link(bob, "c1").await;
        for (app, token, status) in [
            ("music", "token-unknown", 401),
            ("music", "token-unknown", 401),
            ("music", "token-stranger", 401),
            ("photos", "token-good", 403),
            // No refusal.
            ("music", "token-away", 503),
        ] {
            assert_eq!(login(&server, app, token).await, status, "{app} {token}");
        }
        server.enable(&owner, bob, false).await;
        assert_eq!(login(&server, "music", "token-good").await, 401);
        // An app on another site signs in by a refresh.
        let headers = [
            ("sec-fetch-site", "cross-site"),
            ("svc-cloud-token", "token-unknown"),
        ];
        let refreshed = server.send("POST", "/api/v1/auth/refresh", &headers, "").await;
        assert_eq!(refreshed.status, 401);
        let entries = server.audit_of(AuditEvent::LoginFailed, 6).await;
        let rejected = "the cloud rejected this token";
        let unlinked = "no account of this server is linked to the cloud account";
        let expected = [
            ((rejected, "music", ""), 2),
            ((rejected, "", ""), 1),
            ((unlinked, "music", ""), 1),
            ((unlinked, "music", "bob"), 1),
            (("login refused", "photos", "bob"), 1),
        ];
        let expected = expected.map(|((reason, app, name), times)| {
            ((reason.to_owned(), app.to_owned(), name.to_owned()), times)
        });
        assert_eq!(told(&entries), BTreeMap::from(expected));
        assert!(!format!("{entries:?}").contains("token-"), "{entries:?}");
        // Whom the cloud named, and nobody for a token that it rejected.
        let named = |entry: &AuditEntry| {
            (
                entry.details["reason"].clone(),
                entry.details.get("cloudAccount").cloned(),
            )
        };
        let named: BTreeSet<_> = entries.iter().map(named).collect();
        let expected = [
            (rejected, None),
            (unlinked, Some("c1")),
            (unlinked, Some("c2")),
            ("login refused", Some("c1")),
        ];
        let expected = expected.map(|(reason, account)| (reason.to_owned(), account.map(str::to_owned)));
        assert_eq!(named, BTreeSet::from(expected));
    })
    .await;
}

#[covers("S8")]
#[tokio::test]
async fn refusals_of_one_network_do_not_fill_the_audit_log() {
    let server = TestServer::start_with(TestServerOptions {
        cloud: Arc::new(ScriptedCloud::default()),
        ..TestServerOptions::default()
    })
    .await;
    server.person("ada", "owner").await;
    // The cloud is asked for 60 tokens, and for one a second after that.
    let mut throttled = 0;
    while throttled < 20 {
        match login(&server, "music", "token-unknown").await {
            401 => {}
            429 => throttled += 1,
            other => panic!("{other}"),
        }
    }
    let entries = server.audit_of(AuditEvent::LoginFailed, 10).await;
    let times: i64 = entries.iter().map(|entry| entry.times).sum();
    assert!(times <= 11, "{entries:?}");
    assert!(server.audit(AuditEvent::LoginThrottled).await.len() <= 1);
}

#[covers("S8")]
#[tokio::test]
async fn refused_account_is_named_in_printable_characters() {
    let cloud = Arc::new(ScriptedCloud::default());
    let account = CloudAccount {
        id: format!("cloud|{}", "x".repeat(1000)),
        display_name: Some("Eve\u{1b}[2J\u{202e}".to_owned()),
        ..CloudAccount::default()
    };
    cloud.answers("token-eve", Ok(account));
    let server = TestServer::start_with(TestServerOptions {
        cloud: cloud.clone(),
        ..TestServerOptions::default()
    })
    .await;
    server.person("ada", "owner").await;
    assert_eq!(login(&server, "music", "token-eve").await, 401);
    let entries = server.audit_of(AuditEvent::LoginFailed, 1).await;
    let details = &entries[0].details;
    assert_eq!(details["displayName"], "Eve\\u{1b}[2J\\u{202e}");
    assert_eq!(details["cloudAccount"], format!("cloud|{}…", "x".repeat(394)));
}
