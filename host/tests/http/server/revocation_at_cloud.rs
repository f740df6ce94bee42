//! Permissions that are revoked while the cloud, or the provider, is asked for a request.

use std::sync::Arc;

use salvo::http::ReqBody;
use serde_json::{Value, json};
use svc_covers::covers;

use super::revocation::{LOSSES, Loss};
use crate::support::accounts::{COOKIE, SignedIn};
use crate::support::client::received;
use crate::support::cloud::ScriptedCloud;
use crate::support::databases::on_each_database_with;
use crate::support::gate::Gate;
use crate::support::invitation_cloud::InvitationCloud;
use crate::support::listening::wait_for;
use crate::support::provider::{SIGN_IN_COOKIE, ScriptedProvider, link_query, with_provider};
use crate::support::{Client, Reply, TestServer, TestServerOptions};
use svc_domain::id::UserId;
use svc_identity::cloud::{Cloud, CloudInvitationStatus};
use svc_identity::oidc::OidcPolicy;

const INVITATIONS: &str = "/api/v1/invitations";
const LINK: &str = "/api/v1/users/current/cloud-link";
const ROLE: &str = "administrator";

/// A request that is sent while something else happens.
struct Sent<'a> {
    method: &'static str,
    target: String,
    headers: Vec<(&'static str, &'a str)>,
    body: Option<Value>,
}

/// A server with an owner and `eve`, an administrator.
struct World {
    server: TestServer,
    owner: Client,
    eve: UserId,
    session: SignedIn,
    /// A personal access token of `eve`.
    token: Client,
}

impl World {
    async fn new(server: TestServer) -> Self {
        server.person("ada", "owner").await;
        let owner = server.sign_in("ada").await.client;
        let eve = server.person("eve", ROLE).await;
        Self {
            owner,
            eve,
            session: server.sign_in("eve").await,
            token: server.as_token(eve, None).await,
            server,
        }
    }

    /// Sends a request, revokes something of `eve` while the cloud's answer is held at the gate, and returns the
    /// response.
    async fn lose(&self, loss: Loss, gate: &Gate, by: &Client, sent: Sent<'_>) -> Reply {
        let mut headers = sent.headers;
        let body = sent.body.map_or(ReqBody::None, |body| {
            headers.push(("content-type", "application/json"));
            ReqBody::Once(body.to_string().into())
        });
        let response = by.begin(sent.method, &sent.target, &headers, body);
        let response = async move { received(response.await).await };
        let mut reply = svc_platform::tasks::spawn("request", Box::pin(response));
        tokio::select! {
            () = gate.reached() => {}
            early = &mut reply => panic!("{loss:?}: answered before the cloud: {:?}", early.unwrap()),
        }
        Box::pin(loss.take(&self.server, &self.owner, self.eve, ROLE)).await;
        gate.open();
        reply.await.unwrap()
    }

    async fn linked_accounts(&self) -> i64 {
        let linked = "SELECT count(*) FROM users WHERE cloud_account_id IS NOT NULL";
        self.server.number(linked).await
    }
}

fn options(cloud: Arc<dyn Cloud>) -> TestServerOptions {
    TestServerOptions {
        cloud,
        ..TestServerOptions::default()
    }
}

fn assert_answer(loss: Loss, reply: &Reply, status: u16, code: Option<&str>) {
    assert_eq!(reply.status, status, "{loss:?}: {reply:?}");
    if status >= 400 {
        assert_eq!(reply.code().as_deref(), code, "{loss:?}: {reply:?}");
    }
}

fn creation(cloud_token: &str) -> Sent<'_> {
    Sent {
        method: "POST",
        target: INVITATIONS.to_owned(),
        headers: vec![("svc-cloud-token", cloud_token)],
        body: Some(json!({"role": "member"})),
    }
}

async fn invite(client: &Client, cloud_token: &str) -> Reply {
    let headers = [
        ("svc-cloud-token", cloud_token),
        ("content-type", "application/json"),
    ];
    let body = json!({"role": "member"}).to_string();
    client.request("POST", INVITATIONS, &headers, &body).await
}

async fn lose_during_creation(loss: Loss, server: TestServer, cloud: &InvitationCloud) {
    let world = World::new(server).await;
    // Obtains the credential.
    assert_eq!(invite(&world.owner, "token-ada-at-cloud").await.status, 201);
    let before = cloud.count();
    cloud.calls();
    if loss == Loss::Token {
        let refused = invite(&world.token, "token-eve-at-cloud").await;
        assert_answer(loss, &refused, 403, Some("pat_not_permitted"));
        assert_eq!(cloud.calls(), [""; 0]);
        return;
    }
    cloud.hold("create");
    let sent = creation("token-eve-at-cloud");
    let reply = world.lose(loss, &cloud.gate, &world.session.client, sent).await;
    let (status, code) = loss.refusal();
    assert_answer(loss, &reply, status, code);
    // The cloud has it, and is told to revoke it.
    assert_eq!(cloud.count(), before + 1);
    wait_for(|| cloud.newest().status == CloudInvitationStatus::Revoked).await;
    let left = world.server.number("SELECT count(*) FROM invitations").await;
    assert_eq!(left, i64::from(loss != Loss::Installation), "{loss:?}");
}

#[covers("T15", "T32", "S1")]
#[tokio::test]
async fn invitation_of_an_inviter_who_lost_the_permission_meanwhile_is_taken_back() {
    for loss in LOSSES {
        let cloud = Arc::new(InvitationCloud::with(&["ada-at-cloud", "eve-at-cloud"]));
        on_each_database_with(
            || options(cloud.clone()),
            async |server| Box::pin(lose_during_creation(loss, server, &cloud)).await,
        )
        .await;
    }
}

#[covers("T15", "S1")]
#[tokio::test]
async fn credential_for_a_server_that_was_reset_meanwhile_is_not_stored() {
    let cloud = Arc::new(InvitationCloud::with(&["ada-at-cloud"]));
    on_each_database_with(
        || options(cloud.clone()),
        async |server| {
            let world = World::new(server).await;
            cloud.hold("credential");
            let sent = creation("token-ada-at-cloud");
            let reply = world.lose(Loss::Installation, &cloud.gate, &world.owner, sent);
            let reply = Box::pin(reply).await;
            assert_answer(Loss::Installation, &reply, 410, None);
            assert_eq!(cloud.calls(), ["credential"]);
            for table in ["cloud_credentials", "invitations"] {
                let left = format!("SELECT count(*) FROM {table}");
                assert_eq!(world.server.number(&left).await, 0, "{table}");
            }
        },
    )
    .await;
}

/// A cloud that knows a token of `eve`.
fn cloud_of_eve() -> Arc<ScriptedCloud> {
    let cloud = Arc::new(ScriptedCloud::default());
    cloud.says("of-eve", Ok("eve-at-cloud"));
    cloud
}

async fn lose_during_link(loss: Loss, server: TestServer, cloud: &ScriptedCloud) {
    let world = World::new(server).await;
    let headers = vec![("svc-cloud-token", "of-eve")];
    if loss == Loss::Token {
        let asked = cloud.asked();
        let refused = world.token.request("POST", LINK, &headers, "").await;
        assert_answer(loss, &refused, 403, Some("pat_not_permitted"));
        assert_eq!(cloud.asked(), asked);
        return;
    }
    cloud.gate.close();
    let sent = Sent {
        method: "POST",
        target: LINK.to_owned(),
        headers,
        body: None,
    };
    let reply = world.lose(loss, &cloud.gate, &world.session.client, sent).await;
    let (status, code) = loss.refusal();
    assert_answer(loss, &reply, status, code);
    assert_eq!(world.linked_accounts().await, 0, "{loss:?}");
}

#[covers("T15", "T30", "S1")]
#[tokio::test]
async fn account_that_lost_the_permission_meanwhile_is_not_linked() {
    for loss in LOSSES {
        let cloud = cloud_of_eve();
        on_each_database_with(
            || options(cloud.clone()),
            async |server| Box::pin(lose_during_link(loss, server, &cloud)).await,
        )
        .await;
    }
}

async fn lose_during_login(loss: Loss, server: TestServer, cloud: &ScriptedCloud) {
    let world = World::new(server).await;
    world.server.link(world.eve, "eve-at-cloud").await;
    cloud.gate.close();
    let sent = Sent {
        method: "POST",
        target: "/api/v1/auth/login".to_owned(),
        headers: vec![("svc-app", "music")],
        body: Some(json!({"cloudToken": "of-eve"})),
    };
    let anonymous = world.server.anonymous();
    let reply = world.lose(loss, &cloud.gate, &anonymous, sent).await;
    let status = match loss {
        Loss::Account | Loss::Installation => 401,
        Loss::Role => 403,
        // It depends on neither.
        Loss::Session | Loss::Token => 201,
    };
    assert_answer(loss, &reply, status, None);
    let has_cookie = reply.headers.contains_key("set-cookie");
    assert_eq!(has_cookie, status == 201, "{loss:?}: {reply:?}");
}

#[covers("T15", "T30", "S1")]
#[tokio::test]
async fn account_that_lost_the_permission_meanwhile_is_not_signed_in_by_the_cloud() {
    for loss in LOSSES {
        let cloud = cloud_of_eve();
        on_each_database_with(
            || options(cloud.clone()),
            async |server| Box::pin(lose_during_login(loss, server, &cloud)).await,
        )
        .await;
    }
}

async fn lose_during_refresh(loss: Loss, server: TestServer, cloud: &ScriptedCloud) {
    let world = World::new(server).await;
    world.server.link(world.eve, "eve-at-cloud").await;
    cloud.gate.close();
    let cookie = format!("{COOKIE}={}", world.session.cookie);
    let sent = Sent {
        method: "POST",
        target: "/api/v1/auth/refresh".to_owned(),
        headers: vec![("cookie", cookie.as_str()), ("svc-cloud-token", "of-eve")],
        body: None,
    };
    let anonymous = world.server.anonymous();
    let reply = world.lose(loss, &cloud.gate, &anonymous, sent).await;
    match loss {
        Loss::Account | Loss::Session | Loss::Installation => {
            assert_answer(loss, &reply, 401, None);
            assert!(reply.clears_cookie(), "{loss:?}: {reply:?}");
        }
        // An account without roles keeps its session, which may do nothing.
        Loss::Role | Loss::Token => assert_answer(loss, &reply, 201, None),
    }
}

#[covers("T15", "S1", "POST /api/v1/auth/refresh")]
#[tokio::test]
async fn session_that_ended_meanwhile_is_not_refreshed() {
    for loss in LOSSES {
        let cloud = cloud_of_eve();
        on_each_database_with(
            || options(cloud.clone()),
            async |server| Box::pin(lose_during_refresh(loss, server, &cloud)).await,
        )
        .await;
    }
}

/// The callback of a sign-in that has started, in the browser with this cookie.
fn callback<'a>(state: &str, cookie: &'a str) -> Sent<'a> {
    Sent {
        method: "GET",
        target: format!("/api/v1/auth/oidc/callback?code=eve&state={state}"),
        headers: vec![("cookie", cookie)],
        body: None,
    }
}

async fn lose_during_link_by_provider(loss: Loss, server: TestServer, provider: &ScriptedProvider) {
    let world = World::new(server).await;
    let query = link_query(&world.session).await;
    let cookie = format!("{COOKIE}={}", world.session.cookie);
    let started = world.server.begin_sign_in(&query, &[("cookie", &cookie)]).await;
    let started = started.started();
    let cookie = format!("{SIGN_IN_COOKIE}={}", started.cookie);
    provider.gate.close();
    let anonymous = world.server.anonymous();
    let sent = callback(&started.query["state"], &cookie);
    let reply = world.lose(loss, &provider.gate, &anonymous, sent).await;
    // A browser's session does not depend on the token of a program.
    let is_linked = loss == Loss::Token;
    let location = if is_linked {
        "/app"
    } else {
        "/app?error=sign_in_failed"
    };
    assert_eq!(
        (reply.status, reply.header("location")),
        (303, location),
        "{loss:?}"
    );
    assert_eq!(reply.set_cookie(COOKIE), None, "{loss:?}");
    assert_eq!(world.linked_accounts().await, i64::from(is_linked), "{loss:?}");
}

#[covers("T15", "T30", "S1", "GET /api/v1/auth/oidc/callback")]
#[tokio::test]
async fn account_that_lost_the_permission_meanwhile_is_not_linked_by_a_sign_in() {
    for loss in LOSSES {
        let provider = Arc::new(ScriptedProvider::default());
        provider.knows("eve", &[]);
        on_each_database_with(
            || with_provider(&provider, OidcPolicy::default()),
            async |server| Box::pin(lose_during_link_by_provider(loss, server, &provider)).await,
        )
        .await;
    }
}

#[covers("T15", "S1", "GET /api/v1/auth/oidc/callback")]
#[tokio::test]
async fn nobody_comes_in_by_a_sign_in_that_began_before_a_reset() {
    let provider = Arc::new(ScriptedProvider::default());
    provider.knows("eve", &[]);
    let policy = || OidcPolicy {
        default_role: Some("member".to_owned()),
        ..OidcPolicy::default()
    };
    on_each_database_with(
        || with_provider(&provider, policy()),
        async |server| {
            let world = World::new(server).await;
            let started = world.server.begin_sign_in("", &[]).await.started();
            let cookie = format!("{SIGN_IN_COOKIE}={}", started.cookie);
            provider.gate.close();
            let anonymous = world.server.anonymous();
            let sent = callback(&started.query["state"], &cookie);
            let reply = world.lose(Loss::Installation, &provider.gate, &anonymous, sent);
            let reply = Box::pin(reply).await;
            let location = reply.header("location");
            assert_eq!((reply.status, location), (303, "/app?error=sign_in_failed"));
            let people = "SELECT count(*) FROM users WHERE NOT is_guest";
            assert_eq!(world.server.number(people).await, 0);
        },
    )
    .await;
}
