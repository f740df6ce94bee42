//! Refused sign-ins with a provider: what the audit log says of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use svc_covers::covers;

use super::{assert_failed, policy, server_with};
use crate::support::databases::on_each_database_with;
use crate::support::provider::{ScriptedProvider, with_provider};
use svc_domain::audit::{AuditEntry, AuditEvent};

/// Reason, app and account of an entry.
fn told(entry: &AuditEntry) -> (&str, &str, &str) {
    assert_eq!(entry.details["by"], "provider");
    assert_eq!(entry.details["service"], "https://id.example");
    assert_eq!(entry.address.as_deref(), Some("192.0.2.1"));
    let detail = |key: &str| entry.details.get(key).map_or("", String::as_str);
    let target = entry.target.as_ref().and_then(|target| target.name.as_deref());
    (detail("reason"), detail("app"), target.unwrap_or_default())
}

#[covers("S8", "T08", "GET /api/v1/auth/oidc/callback")]
#[tokio::test]
async fn refusals_are_in_the_audit_log_with_service_and_reason_and_without_secrets() {
    let provider = Arc::new(ScriptedProvider::default());
    on_each_database_with(
        || with_provider(&provider, policy()),
        async |server| {
            server.clock.stop();
            provider.knows("ada", &["media"]);
            server.person("owner", "owner").await;
            let owner = server.sign_in("owner").await.client;
            server.sign_in_with_provider("ada", "").await.provider_session();
            server.enable(&owner, server.user_id("ada").await, false).await;
            assert_failed(&server.sign_in_with_provider("ada", "").await, "/app");
            let started = server.begin_sign_in("", &[]).await.started();
            assert_failed(&server.finish_sign_in(&started, "stranger").await, "/app");
            let target = "/api/v1/auth/oidc/callback?code=SECRETCODE&state=SECRETSTATE";
            assert_failed(&server.send("GET", target, &[], "").await, "/");
            let start = server.begin_sign_in("&link=SECRETTICKET", &[]).await;
            assert_failed(&start, "/app");
            // An outage is no refusal.
            provider.is_away.store(true, Ordering::SeqCst);
            let away = server.begin_sign_in("", &[]).await;
            assert_eq!(away.header("location"), "/app?error=cloud_unavailable");
            provider.is_away.store(false, Ordering::SeqCst);
            let entries = server.audit_of(AuditEvent::LoginFailed, 4).await;
            let mut all: Vec<_> = entries.iter().map(told).collect();
            all.sort_unstable();
            assert_eq!(
                all,
                [
                    ("the account is disabled", "music", "ada"),
                    ("the browser has no cookie of a sign-in", "", ""),
                    (
                        "the link ticket is not of this browser's session, or was used",
                        "music",
                        ""
                    ),
                    ("the provider's answer was not accepted", "music", ""),
                ]
            );
            let named = |entry: &AuditEntry| {
                let account = entry.details.get("cloudAccount").cloned();
                account.map(|account| (entry.details["reason"].clone(), account))
            };
            let named: Vec<_> = entries.iter().filter_map(named).collect();
            let disabled = "the account is disabled".to_owned();
            assert_eq!(named, [(disabled, "https://id.example|ada".to_owned())]);
            let text = format!("{entries:?}");
            for secret in ["SECRET", "stranger", &started.cookie, &started.query["state"]] {
                assert!(!text.contains(secret), "{secret}");
            }
        },
    )
    .await;
}

#[covers("S8", "GET /api/v1/auth/oidc/start")]
#[tokio::test]
async fn sign_ins_beyond_the_limit_are_one_entry_with_a_count() {
    let (server, _) = server_with(policy()).await;
    server.clock.stop();
    let mut throttled = 0;
    while throttled < 5 {
        let reply = server.begin_sign_in("", &[]).await;
        throttled += i64::from(reply.header("location").ends_with("error=too_many_attempts"));
    }
    let entries = server.audit_of(AuditEvent::LoginThrottled, throttled).await;
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].times, throttled);
    assert_eq!(
        told(&entries[0]),
        ("too many sign-ins of this network", "music", "")
    );
}
