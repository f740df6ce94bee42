//! Claims and creations at the same time, and claims that race with what ends an invitation.

use std::sync::Arc;

use serde_json::{Value, json};
use svc_covers::covers;
use tokio::task::JoinSet;

use super::{CLAIM, INVITATIONS, WEEK, credentials, invitation, read, text};
use crate::support::databases::on_each_database;
use crate::support::{Client, Reply, TestServer};

/// Claims until the queue of password hashes has room.
async fn claim(client: Client, shortcode: String, username: String) -> Reply {
    let headers = [("svc-app", "music"), ("content-type", "application/json")];
    let body = credentials(&shortcode, &username).to_string();
    loop {
        let reply = client.request("POST", CLAIM, &headers, &body).await;
        if reply.status != 503 {
            return reply;
        }
    }
}

async fn accounts(server: &TestServer) -> i64 {
    server.number("SELECT count(*) FROM users").await
}

#[covers("T32")]
#[tokio::test]
async fn of_100_parallel_claims_one_makes_an_account() {
    on_each_database(async |server| {
        let owner = server.as_owner().await;
        let made = invitation(&owner, "member").await;
        let before = accounts(&server).await;
        let mut claims = JoinSet::new();
        for number in 0..100 {
            let (client, shortcode) = (server.anonymous(), text(&made, "shortcode"));
            claims.spawn(claim(client, shortcode, format!("user{number}")));
        }
        let replies = claims.join_all().await;
        let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
        assert_eq!(won.len(), 1);
        for reply in lost {
            super::assert_unavailable(reply, "a lost race");
        }
        assert_eq!(accounts(&server).await, before + 1);
        let read = read(&owner, &made).await;
        assert_eq!(read["claimedBy"], won[0].json()["user"]["userId"]);
    })
    .await;
}

#[covers("T32", "R53")]
#[tokio::test]
async fn of_30_parallel_creations_20_succeed() {
    on_each_database(async |server| {
        let owner = server.as_owner().await;
        let mut creations = JoinSet::new();
        for _ in 0..30 {
            let owner = owner.clone();
            creations.spawn(async move {
                let reply = owner.post(INVITATIONS, &json!({"role": "member"})).await;
                (reply.status, reply.code())
            });
        }
        let replies = creations.join_all().await;
        let count = |status: u16, code: Option<&str>| {
            let same = |reply: &&(u16, Option<String>)| **reply == (status, code.map(str::to_owned));
            replies.iter().filter(same).count()
        };
        assert_eq!(
            (count(201, None), count(409, Some("daily_invitation_limit"))),
            (20, 10)
        );
        let list = owner.get(INVITATIONS).await.json();
        assert_eq!(list.as_array().unwrap().len(), 20);
    })
    .await;
}

/// Ends an invitation while it is claimed. The claim wins, or the end does: never both, never neither.
async fn race(server: &TestServer, ending: &str, turn: usize) {
    let owner = super::owner(server).await;
    let inviter = server
        .user(&format!("inviter{turn}"), false, &["administrator"])
        .await;
    let made = invitation(&server.client(inviter), "member").await;
    let before = accounts(server).await;
    let mut claims = JoinSet::new();
    for number in 0..4 {
        let client = server.anonymous();
        claims.spawn(claim(
            client,
            text(&made, "shortcode"),
            format!("user{turn}-{number}"),
        ));
    }
    // Each turn ends the invitation a little later.
    for _ in 0..turn * 20 {
        tokio::task::yield_now().await;
    }
    let id = text(&made, "invitationId");
    let ended: Value = match ending {
        "revoked" => owner.delete(&format!("{INVITATIONS}/{id}")).await.json(),
        "expired" => {
            server.clock.advance(WEEK);
            server.state.invitations.expire().await.unwrap();
            Value::Null
        }
        _ => {
            let target = format!("/api/v1/roles/administrator/assignments?userIds={inviter}");
            let reply = owner.delete(&target).await;
            assert_eq!(reply.status, 200, "{reply:?}");
            Value::Null
        }
    };
    let replies = claims.join_all().await;
    let won = replies.iter().filter(|reply| reply.status == 201).count();
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        super::assert_unavailable(reply, ending);
    }
    let made_accounts = accounts(server).await - before;
    assert_eq!(made_accounts, won as i64, "{ending} {turn}");
    let owner = super::owner(server).await;
    let status = text(&read(&owner, &made).await, "status");
    match (ending, won) {
        (_, 1) => assert_eq!(status, "claimed", "{ending} {turn}"),
        ("demoted", 0) => assert_eq!(status, "active", "{turn}"),
        (_, 0) => assert_eq!(status, ending, "{turn}"),
        _ => panic!("{won} claims won"),
    }
    if ending == "revoked" {
        assert_eq!(ended, json!(won == 0), "{turn}");
    }
    if ending == "expired" {
        server.clock.step_back(WEEK);
    }
}

#[covers("T32")]
#[tokio::test]
async fn claim_that_races_with_an_end_has_one_outcome() {
    on_each_database(async |server| {
        server.as_owner().await;
        let server = Arc::new(server);
        for (at, ending) in ["revoked", "expired", "demoted"].into_iter().enumerate() {
            for turn in 0..8 {
                race(&server, ending, at * 8 + turn).await;
            }
        }
    })
    .await;
}
