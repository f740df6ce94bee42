//! Sign-ins with the provider that are finished at the same time.

use std::sync::Arc;

use salvo::http::ReqBody;
use serde_json::json;
use svc_covers::covers;
use tokio::task::JoinSet;

use super::{assert_failed, policy};
use crate::support::accounts::{COOKIE, SignedIn};
use crate::support::client::received;
use crate::support::databases::on_each_database_with;
use crate::support::provider::{SIGN_IN_COOKIE, ScriptedProvider, Started, link_query, with_provider};
use crate::support::{Reply, TestServer};
use svc_domain::audit::AuditEvent;
use svc_identity::oidc::OidcPolicy;

/// Sign-ins of one race.
const RACERS: usize = 8;
const PEOPLE: &str = "SELECT count(*) FROM users WHERE NOT is_guest";
const LINKED: &str = "SELECT count(*) FROM users WHERE cloud_account_id IS NOT NULL";

/// Runs a test on each database, with a provider that knows `ada` and some more.
async fn with_users(policy: impl Fn() -> OidcPolicy, test: impl AsyncFn(TestServer)) {
    let provider = Arc::new(ScriptedProvider::default());
    provider.knows("ada", &["media"]);
    for number in 0..RACERS {
        provider.knows(&user(number), &[]);
    }
    on_each_database_with(
        || with_provider(&provider, policy()),
        async |server| {
            server.person("owner", "owner").await;
            Box::pin(test(server)).await;
        },
    )
    .await;
}

fn user(number: usize) -> String {
    format!("user{number}")
}

/// Finishes sign-ins of these users at the same time, each in a browser of its own.
async fn finish_together(server: &TestServer, sign_ins: &[(Started, String)]) -> Vec<Reply> {
    let mut finishing = JoinSet::new();
    for (started, user) in sign_ins {
        let state = &started.query["state"];
        let target = format!("/api/v1/auth/oidc/callback?code={user}&state={state}");
        let cookie = format!("{SIGN_IN_COOKIE}={}", started.cookie);
        let response = server.begin("GET", &target, &[("cookie", &cookie)], ReqBody::None);
        finishing.spawn(async move { received(response.await).await });
    }
    finishing.join_all().await
}

/// Those that succeeded. All others were refused.
fn winners(replies: &[Reply]) -> Vec<&Reply> {
    let (won, lost): (Vec<_>, Vec<_>) = replies
        .iter()
        .partition(|reply| reply.header("location") == "/app");
    for reply in lost {
        assert_failed(reply, "/app");
    }
    won
}

/// Sign-ins with this query that `user` gives their users.
async fn start(server: &TestServer, query: &str, user: impl Fn(usize) -> String) -> Vec<(Started, String)> {
    let mut started = Vec::new();
    for number in 0..RACERS {
        let sign_in = server.begin_sign_in(query, &[]).await.started();
        started.push((sign_in, user(number)));
    }
    started
}

/// A sign-in that links the account of a session.
async fn start_link(server: &TestServer, session: &SignedIn) -> Started {
    let query = link_query(session).await;
    let cookie = format!("{COOKIE}={}", session.cookie);
    let reply = server.begin_sign_in(&query, &[("cookie", &cookie)]).await;
    reply.started()
}

#[covers("GET /api/v1/auth/oidc/callback", "T32")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn new_user_in_several_browsers_gets_one_account() {
    with_users(policy, async |server| {
        let sign_ins = start(&server, "", |_| "ada".to_owned()).await;
        let replies = finish_together(&server, &sign_ins).await;
        assert_eq!(winners(&replies).len(), RACERS);
        assert_eq!(server.number(PEOPLE).await, 2);
        assert_eq!(server.audit(AuditEvent::UserCreated).await.len(), 1);
        for reply in &replies {
            let session = server.refresh(&reply.provider_session()).await.signed_in();
            let current = session.client.get("/api/v1/users/current").await.json();
            assert_eq!(current["localUser"]["username"], "ada");
            assert_eq!(current["roles"], json!(["member", "music_user"]));
        }
    })
    .await;
}

#[covers("GET /api/v1/auth/oidc/callback", "T32")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_several_users_claims_an_invitation_by_signing_in() {
    with_users(OidcPolicy::default, async |server| {
        let owner = server.sign_in("owner").await.client;
        let role = json!({"role": "member"});
        let invitation = owner.post("/api/v1/invitations", &role).await.json();
        let query = format!("&invitation={}", invitation["shortcode"].as_str().unwrap());
        let sign_ins = start(&server, &query, user).await;
        let replies = finish_together(&server, &sign_ins).await;
        let won = winners(&replies);
        assert_eq!(won.len(), 1);
        assert_eq!(server.number(PEOPLE).await, 2);
        let session = server.refresh(&won[0].provider_session()).await.signed_in();
        let current = session.client.get("/api/v1/users/current").await.json();
        let id = invitation["invitationId"].as_str().unwrap();
        let claimed = owner.get(&format!("/api/v1/invitations/{id}")).await.json();
        assert_eq!(claimed["status"], "claimed");
        assert_eq!(claimed["claimedBy"], current["localUser"]["userId"]);
        assert_eq!(server.audit(AuditEvent::InvitationClaimed).await.len(), 1);
    })
    .await;
}

#[covers("GET /api/v1/auth/oidc/callback", "T32")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn user_who_claims_an_invitation_in_several_browsers_is_signed_in_by_each() {
    with_users(OidcPolicy::default, async |server| {
        let owner = server.sign_in("owner").await.client;
        let role = json!({"role": "member"});
        let invitation = owner.post("/api/v1/invitations", &role).await.json();
        let query = format!("&invitation={}", invitation["shortcode"].as_str().unwrap());
        let sign_ins = start(&server, &query, |_| "ada".to_owned()).await;
        let replies = finish_together(&server, &sign_ins).await;
        assert_eq!(winners(&replies).len(), RACERS);
        assert_eq!(server.number(PEOPLE).await, 2);
        assert_eq!(server.audit(AuditEvent::InvitationClaimed).await.len(), 1);
    })
    .await;
}

#[covers("T30", "T32")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_several_accounts_is_linked_to_a_user() {
    with_users(OidcPolicy::default, async |server| {
        let mut sign_ins = Vec::new();
        for number in 0..RACERS {
            let name = format!("local{number}");
            server.person(&name, "member").await;
            let session = server.sign_in(&name).await;
            sign_ins.push((start_link(&server, &session).await, "ada".to_owned()));
        }
        let replies = finish_together(&server, &sign_ins).await;
        assert_eq!(winners(&replies).len(), 1);
        assert_eq!(server.number(LINKED).await, 1);
        assert_eq!(server.audit(AuditEvent::CloudLinked).await.len(), 1);
    })
    .await;
}

#[covers("T30", "T32")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn account_is_linked_to_one_of_several_users() {
    with_users(OidcPolicy::default, async |server| {
        let session = server.sign_in("owner").await;
        let mut sign_ins = Vec::new();
        for number in 0..RACERS {
            sign_ins.push((start_link(&server, &session).await, user(number)));
        }
        let replies = finish_together(&server, &sign_ins).await;
        assert_eq!(winners(&replies).len(), 1);
        assert_eq!(server.number(LINKED).await, 1);
        assert_eq!(server.audit(AuditEvent::CloudLinked).await.len(), 1);
        assert_eq!(server.number("SELECT count(*) FROM cloud_sessions").await, 1);
    })
    .await;
}
