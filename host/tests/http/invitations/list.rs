//! `GET /invitations`, `GET /invitations/{id}`.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{INVITATIONS, WEEK, claim, invitation, revoke, text};
use crate::UNKNOWN;
use crate::support::Client;
use crate::support::TestServer;
use crate::support::databases::on_each_database;

async fn ids(client: &Client, query: &str) -> Vec<Value> {
    let reply = client.get(&format!("{INVITATIONS}{query}")).await;
    assert_eq!(reply.status, 200, "{query}: {reply:?}");
    let list = reply.json();
    let list = list.as_array().unwrap().iter();
    list.map(|one| one["invitationId"].clone()).collect()
}

#[covers("GET /api/v1/invitations", "GET /api/v1/invitations/{id}")]
#[tokio::test]
async fn invitations_are_listed_by_status_newest_first() {
    on_each_database(async |server| {
        let owner = server.as_owner().await;
        let expired = invitation(&owner, "member").await;
        server.clock.advance(WEEK);
        let owner = super::owner(&server).await;
        let [active, claimed, revoked] = [
            invitation(&owner, "member").await,
            invitation(&owner, "music_user").await,
            invitation(&owner, "member").await,
        ];
        let reply = claim(&server, &text(&claimed, "shortcode"), "bob").await;
        assert_eq!(reply.status, 201, "{reply:?}");
        assert_eq!(revoke(&owner, &revoked).await, json!(true));
        let id = |one: &Value| one["invitationId"].clone();
        let all = vec![id(&revoked), id(&claimed), id(&active), id(&expired)];
        assert_eq!(ids(&owner, "").await, all);
        let statuses = [
            ("active", &active),
            ("claimed", &claimed),
            ("expired", &expired),
            ("revoked", &revoked),
        ];
        // Once by comparison of times, and once as stored.
        for _ in 0..2 {
            for (status, one) in statuses {
                assert_eq!(
                    ids(&owner, &format!("?status={status}")).await,
                    [id(one)],
                    "{status}"
                );
                assert_eq!(super::read(&owner, one).await["status"], status);
            }
            assert_eq!(ids(&owner, "?status=bound").await, [Value::Null; 0]);
            server.state.invitations.expire().await.unwrap();
        }
        let bob = server.user_id("bob").await.to_string();
        let read = super::read(&owner, &claimed).await;
        assert_eq!(read["claimedBy"], bob);
        assert!(
            read["claimedAt"].is_string() && read.get("boundAt").is_none(),
            "{read}"
        );
    })
    .await;
}

#[covers("GET /api/v1/invitations", "GET /api/v1/invitations/{id}")]
#[tokio::test]
async fn unknown_status_is_400_and_unknown_invitation_404() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    for (target, status) in [
        ("?status=", 400),
        ("?status=open", 400),
        ("?status=reserved", 400),
        ("?status=active&status=bound", 400),
        ("?take=1&anything=x", 200),
    ] {
        assert_eq!(
            owner.get(&format!("{INVITATIONS}{target}")).await.status,
            status,
            "{target}"
        );
    }
    for id in [UNKNOWN, "junk"] {
        assert_eq!(
            owner.get(&format!("{INVITATIONS}/{id}")).await.status,
            404,
            "{id}"
        );
    }
    // A static path of another method.
    assert_eq!(owner.get(super::CLAIM).await.status, 405);
    let member = server.as_user("bob", &["member"]).await;
    for target in [INVITATIONS.to_owned(), format!("{INVITATIONS}/{UNKNOWN}")] {
        assert_eq!(member.get(&target).await.status, 403, "{target}");
        assert_eq!(server.get(&target).await.status, 401, "{target}");
    }
}
