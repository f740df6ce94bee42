//! Permissions that are revoked while a request is in progress.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use salvo::BoxedError;
use salvo::http::ReqBody;
use salvo::http::body::{Body, Frame};
use serde_json::json;
use svc_covers::covers;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::support::client::received;
use crate::support::databases::on_each_database_with;
use crate::support::write_requests::{WriteFixture, WriteRequest};
use crate::support::{Client, Reply, TestServer};
use svc_api::route::Access;
use svc_domain::id::{PersonalAccessTokenId, UserId};
use svc_domain::time::Clock as _;
use svc_store::{IdentityChange, Instance};
use svc_test_support::databases::rows;

/// What is revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    Account,
    Role,
    Session,
    Token,
    Installation,
}

pub(super) const LOSSES: [Loss; 5] = [
    Loss::Account,
    Loss::Role,
    Loss::Session,
    Loss::Token,
    Loss::Installation,
];

impl Loss {
    /// Status and code of a request after the revocation.
    pub(super) fn refusal(self) -> (u16, Option<&'static str>) {
        match self {
            Self::Account | Self::Installation => (410, None),
            Self::Role => (403, None),
            Self::Session => (401, None),
            Self::Token => (401, Some("pat_invalid")),
        }
    }

    /// Revokes it of an account, as the owner.
    pub(super) async fn take(self, server: &TestServer, owner: &Client, user: UserId, role: &str) {
        let (method, target, body) = match self {
            Self::Account => (
                "PATCH",
                format!("/api/v1/users/{user}"),
                json!({"enabled": false}),
            ),
            Self::Role => (
                "DELETE",
                format!("/api/v1/roles/{role}/assignments?userIds={user}"),
                json!({}),
            ),
            Self::Session => ("DELETE", format!("/api/v1/users/{user}/sessions"), json!({})),
            Self::Token => {
                let token = token_id(server, user).await;
                let target = format!("/api/v1/users/{user}/personal-access-tokens/{token}");
                ("DELETE", target, json!({}))
            }
            Self::Installation => (
                "POST",
                "/api/v1/reset".to_owned(),
                json!({"type": "factory", "validationPhrase": "Factory reset"}),
            ),
        };
        let reply = owner.send(method, &target, &body).await;
        assert_eq!(reply.status, if method == "POST" { 201 } else { 200 }, "{self:?}");
    }
}

/// The only personal access token of an account.
async fn token_id(server: &TestServer, user: UserId) -> PersonalAccessTokenId {
    let tokens = server.store.tokens.personal_access_tokens(user).await.unwrap();
    tokens[0].id
}

impl WriteFixture {
    /// A credential of `eve` that the revocation invalidates.
    async fn credential(&self, loss: Loss) -> Client {
        match loss {
            Loss::Token => self.server.as_token(self.eve, None).await,
            _ => self.session.client.clone(),
        }
    }

    /// Revokes it within a transaction for which other writes wait.
    async fn take_within(&self, loss: Loss, change: &mut IdentityChange) {
        let (eve, now) = (self.eve, self.server.clock.now());
        match loss {
            Loss::Account => {
                let mut user = change.account(eve).await.unwrap().unwrap().user;
                user.enabled = false;
                assert!(change.update_user(&user, "eve").await.unwrap());
            }
            Loss::Role => drop(change.unassign_role(eve, "everything").await.unwrap().unwrap()),
            Loss::Session => assert!(change.revoke_sessions(eve, None, now).await.unwrap() > 0),
            Loss::Token => {
                let id = token_id(&self.server, eve).await;
                assert!(change.delete_personal_access_token(eve, id).await.unwrap());
            }
            Loss::Installation => {
                let instance = Instance {
                    instance_id: "f".repeat(32),
                    created_at: now,
                };
                change.delete_everything(&instance).await.unwrap();
            }
        }
    }

    /// Whether the route never accepts this credential.
    fn refuses_token(loss: Loss, request: &WriteRequest) -> bool {
        loss == Loss::Token && matches!(request.route().access, Access::Session(_))
    }

    fn start_request(&self, credential: &Client, request: &WriteRequest, body: ReqBody) -> JoinHandle<Reply> {
        let headers = request.headers();
        let response = credential.begin(request.method, &request.target, &headers, body);
        svc_platform::tasks::spawn("request", async move { received(response.await).await })
    }
}

/// A body that arrives in pieces.
struct Pieces {
    pieces: mpsc::Receiver<Bytes>,
    /// Notified when the server first polls the body.
    asked: Option<oneshot::Sender<()>>,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = BoxedError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxedError>>> {
        let this = self.get_mut();
        if let Some(asked) = this.asked.take() {
            let _ = asked.send(());
        }
        this.pieces
            .poll_recv(context)
            .map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// A request after the first byte of its body.
struct Held<'a> {
    request: &'a WriteRequest,
    reply: JoinHandle<Reply>,
    pieces: mpsc::Sender<Bytes>,
    rest: Bytes,
}

async fn hold<'a>(world: &WriteFixture, credential: &Client, request: &'a WriteRequest) -> Held<'a> {
    let mut rest = Bytes::from(request.bytes());
    let (pieces, received) = mpsc::channel(2);
    let (asked, is_asked) = oneshot::channel();
    let body = ReqBody::Boxed {
        inner: Box::pin(Pieces {
            pieces: received,
            asked: Some(asked),
        }),
        fuse_config: None,
    };
    pieces.try_send(rest.split_to(1)).unwrap();
    let reply = world.start_request(credential, request, body);
    is_asked
        .await
        .unwrap_or_else(|_| panic!("{request:?} was answered before its body"));
    Held {
        request,
        reply,
        pieces,
        rest,
    }
}

fn assert_refused(loss: Loss, request: &WriteRequest, reply: &Reply) {
    let (status, code) = loss.refusal();
    let body = String::from_utf8_lossy(&reply.body);
    assert_eq!(reply.status, status, "{loss:?} {request:?}: {body}");
    assert_eq!(
        reply.json()["code"].as_str(),
        code,
        "{loss:?} {request:?}: {body}"
    );
}

async fn lose_between_head_and_body(loss: Loss, server: TestServer) {
    let world = WriteFixture::new(server).await;
    let credential = world.credential(loss).await;
    let mut held = Vec::new();
    for request in &world.requests {
        if WriteFixture::refuses_token(loss, request) {
            let once = ReqBody::Once(request.bytes().into());
            let reply = world.start_request(&credential, request, once).await.unwrap();
            assert_eq!(reply.code().as_deref(), Some("pat_not_permitted"), "{request:?}");
        } else {
            held.push(hold(&world, &credential, request).await);
        }
    }
    assert!(held.len() > 20);
    loss.take(&world.server, &world.owner, world.eve, "everything")
        .await;
    let before = rows(&world.server.database_url).await;
    for Held {
        request,
        reply,
        pieces,
        rest,
    } in held
    {
        pieces.try_send(rest).unwrap();
        drop(pieces);
        assert_refused(loss, request, &reply.await.unwrap());
    }
    assert_eq!(rows(&world.server.database_url).await, before, "{loss:?}");
}

/// Writes of accounts, roles, settings and libraries.
fn is_identity(request: &WriteRequest) -> bool {
    [
        "auth",
        "users",
        "roles",
        "invitations",
        "settings",
        "cors-origins",
        "libraries",
        "reset",
    ]
    .iter()
    .any(|resource| request.path.split('/').nth(3) == Some(resource))
}

async fn lose_while_waiting_for_the_turn(loss: Loss, server: TestServer) {
    let world = WriteFixture::new(server).await;
    let credential = world.credential(loss).await;
    let requests = world.requests.iter();
    let requests: Vec<_> = requests
        .filter(|request| is_identity(request) && !WriteFixture::refuses_token(loss, request))
        .collect();
    let before = rows(&world.server.database_url).await;
    let mut held = world.server.store.identity.change_identity().await.unwrap();
    let mut replies = Vec::new();
    for (sent, request) in requests.iter().enumerate() {
        let body = ReqBody::Once(request.bytes().into());
        replies.push(world.start_request(&credential, request, body));
        while world.server.store.identity.waiting_changes() <= sent {
            assert!(!replies[sent].is_finished(), "{request:?} did not wait");
            tokio::task::yield_now().await;
        }
    }
    world.take_within(loss, &mut held).await;
    held.commit().await.unwrap();
    for (request, reply) in requests.iter().zip(replies) {
        assert_refused(loss, request, &reply.await.unwrap());
    }
    if loss != Loss::Installation {
        let after = rows(&world.server.database_url).await;
        let lost = [
            "users",
            "sessions",
            "role_assignments",
            "personal_access_tokens",
            "server",
        ];
        for (table, rows) in &before {
            if !lost.contains(&table.as_str()) {
                assert_eq!(&after[table], rows, "{loss:?} {table}");
            }
        }
        for table in ["users", "role_assignments", "personal_access_tokens"] {
            let most = before[table].len();
            assert!(after[table].len() <= most, "{loss:?} {table}");
        }
    }
}

/// Runs a test of each loss on each database.
async fn with_each_loss(test: impl AsyncFn(Loss, TestServer)) {
    for loss in LOSSES {
        on_each_database_with(WriteFixture::options, async |server| test(loss, server).await).await;
    }
}

#[covers("T15", "T25", "T47", "S1")]
#[tokio::test]
async fn permission_revoked_between_head_and_body_changes_nothing() {
    with_each_loss(lose_between_head_and_body).await;
}

#[covers("T15", "S1")]
#[tokio::test]
async fn permission_revoked_while_a_write_waits_changes_nothing() {
    with_each_loss(lose_while_waiting_for_the_turn).await;
}
