//! The limit on wrong shortcodes.

use svc_covers::covers;

use super::{CLAIM, assert_unavailable, claim, invitation, text};
use crate::support::{Reply, TestServer};
use svc_domain::audit::AuditEvent;

fn assert_throttled(reply: &Reply) {
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (429, Some("too_many_attempts")),
        "{reply:?}"
    );
    let seconds: u64 = reply.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
}

#[covers("T33", "code too_many_attempts")]
#[tokio::test]
async fn wrong_shortcodes_are_limited_by_client_network() {
    let mut server = TestServer::start().await;
    let owner = server.as_owner().await;
    let right = text(&invitation(&owner, "member").await, "shortcode");
    for guess in 0..10 {
        let code = format!("000000000{guess}");
        // Both routes share the limit, and right shortcodes do not use it up.
        let reply = if guess % 2 == 0 {
            server.get(&format!("{CLAIM}/{code}")).await
        } else {
            claim(&server, &code, "bob").await
        };
        assert_unavailable(&reply, &code);
        assert_eq!(
            server.get(&format!("{CLAIM}/{right}")).await.status,
            if guess < 9 { 200 } else { 429 }
        );
    }
    assert_throttled(&server.get(&format!("{CLAIM}/0000000000")).await);
    // A right one is refused as well: a guesser learns nothing.
    assert_throttled(&claim(&server, &right, "bob").await);
    // A malformed one is no guess.
    assert_unavailable(&server.get(&format!("{CLAIM}/junk")).await, "malformed");
    let entries = server.audit_of(AuditEvent::CodeRejected, 10).await;
    for entry in &entries {
        assert_eq!(
            (entry.details["code"].as_str(), entry.details["reason"].as_str()),
            ("invitation", "wrong")
        );
        assert_eq!(entry.details.len(), 2, "{entry:?}");
        assert_eq!(entry.address.as_deref(), Some("192.0.2.1"));
    }
    server.peer = [198, 51, 100, 9].into();
    assert_eq!(claim(&server, &right, "bob").await.status, 201);
}

#[covers("T33")]
#[tokio::test]
async fn parallel_guesses_share_the_limit() {
    let server = TestServer::start().await;
    server.as_owner().await;
    let mut guesses = tokio::task::JoinSet::new();
    for guess in 0..100 {
        let client = server.anonymous();
        guesses.spawn(async move { client.get(&format!("{CLAIM}/00000000{guess:02}")).await.status });
    }
    let statuses = guesses.join_all().await;
    let answered = statuses.iter().filter(|status| **status == 404).count();
    let throttled = statuses.iter().filter(|status| **status == 429).count();
    assert_eq!((answered, throttled), (10, 90));
}
