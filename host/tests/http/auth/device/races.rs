//! Polls and decisions at the same moment.

use std::time::Duration;

use super::Codes;
use crate::support::databases::on_each_database;
use crate::support::{Reply, TestServer};

async fn together(replies: Vec<impl Future<Output = Reply> + Send + 'static>) -> Vec<Reply> {
    let tasks: Vec<_> = replies
        .into_iter()
        .map(|reply| svc_platform::tasks::spawn("race", reply))
        .collect();
    let mut replies = Vec::new();
    for task in tasks {
        replies.push(task.await.unwrap());
    }
    replies
}

/// A poll that runs apart from the server's borrow.
fn poll(server: &TestServer, codes: &Codes) -> impl Future<Output = Reply> + Send + use<> {
    let (anonymous, device) = (server.anonymous(), codes.device.clone());
    async move {
        let body = serde_json::json!({"deviceCode": device});
        anonymous.post("/api/v1/auth/device/token", &body).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn hundred_polls_get_one_session() {
    on_each_database(async |server| {
        server.person("ada", "owner").await;
        let phone = server.sign_in("ada").await;
        let codes = Codes::start(&server, "music").await;
        assert_eq!(codes.approve(&phone.client).await.status, 201);
        let polls = (0..100).map(|_| poll(&server, &codes)).collect();
        let replies = together(polls).await;
        let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
        assert_eq!((won.len(), lost.len()), (1, 99));
        for reply in lost {
            assert_eq!(
                (reply.status, reply.code().as_deref()),
                (400, Some("expired_token"))
            );
            assert!(!reply.headers.contains_key("set-cookie"));
        }
        let sessions = "SELECT count(*) FROM sessions WHERE app = 'music'";
        assert_eq!(server.number(sessions).await, 2, "the phone's and the TV's");
        assert_eq!(server.number("SELECT count(*) FROM device_sign_ins").await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn approvals_and_denials_at_once_are_one_decision() {
    on_each_database(async |server| {
        server.person("ada", "owner").await;
        let mut people = Vec::new();
        for name in ["bob", "carol", "dave", "erin"] {
            people.push(server.client(server.person(name, "member").await));
        }
        for round in 0..8 {
            let codes = Codes::start(&server, "music").await;
            let decisions = (0..16).map(|number| {
                let word = if (number / 4 + round) % 2 == 0 {
                    "approve"
                } else {
                    "deny"
                };
                // At most four at a time by one account: each is a try until its code is known.
                let (by, code) = (people[number % 4].clone(), codes.user.clone());
                async move {
                    let body = serde_json::json!({"userCode": code});
                    by.post(&format!("/api/v1/auth/device/{word}"), &body).await
                }
            });
            let mut decisions: Vec<_> = decisions.collect();
            decisions.rotate_left(round % 16);
            let replies = together(decisions).await;
            let won: Vec<_> = replies.iter().filter(|reply| reply.status == 201).collect();
            assert_eq!(won.len(), 1);
            for reply in replies.iter().filter(|reply| reply.status != 201) {
                assert_eq!(
                    (reply.status, reply.code().as_deref()),
                    (409, Some("device_sign_in_decided"))
                );
            }
            let decided = won[0].json()["status"].as_str().unwrap().to_owned();
            let reply = codes.poll(&server).await;
            let expected = if decided == "approved" { 201 } else { 400 };
            assert_eq!(reply.status, expected, "{decided}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn approval_that_meets_the_expiry_is_kept_or_refused_as_a_whole() {
    on_each_database(async |server| {
        server.clock.stop();
        let ada = server.person("ada", "owner").await;
        // The last millisecond, and the first one after.
        for (left, status) in [(1, 201), (0, 404)] {
            let codes = Codes::start(&server, "music").await;
            server.clock.advance(Duration::from_millis(600_000 - left));
            assert_eq!(codes.approve(&server.client(ada)).await.status, status);
            server.clock.advance(Duration::from_millis(left));
            let reply = codes.poll(&server).await;
            assert_eq!(reply.code().as_deref(), Some("expired_token"));
        }
        // The clock moves on while approvals and polls wait for their turn.
        let codes = Codes::start(&server, "music").await;
        server.clock.advance(Duration::from_millis(599_999));
        let held = server.store.identity.change_identity().await.unwrap();
        let approval = {
            let (by, code) = (server.client(ada), codes.user.clone());
            svc_platform::tasks::spawn("approval", async move {
                let body = serde_json::json!({"userCode": code});
                by.post("/api/v1/auth/device/approve", &body).await
            })
        };
        while server.store.identity.waiting_changes() == 0 {
            tokio::task::yield_now().await;
        }
        server.clock.advance(Duration::from_millis(1));
        drop(held);
        assert_eq!(approval.await.unwrap().status, 404);
        assert_eq!(codes.poll(&server).await.code().as_deref(), Some("expired_token"));
    })
    .await;
}
