//! `cloudUser` of `GET /users/current`, and credentials that never ask the cloud.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;
use tokio::time::Instant;

use crate::support::cloud::{LATE, SILENCE, ScriptedCloud};
use crate::support::listening::wait_for;
use crate::support::{Client, TestServer, TestServerOptions};
use svc_domain::time::{Clock as _, Timestamp};
use svc_identity::cloud::CloudError;

const CURRENT: &str = "/api/v1/users/current";

async fn server_with_cloud() -> (TestServer, Arc<ScriptedCloud>) {
    let cloud = Arc::new(ScriptedCloud::default());
    let options = TestServerOptions {
        cloud: cloud.clone(),
        ..TestServerOptions::default()
    };
    (TestServer::start_with(options).await, cloud)
}

async fn cloud_user(client: &Client, token: &str) -> Value {
    let headers = [("svc-cloud-token", token)];
    let reply = client.request("GET", CURRENT, &headers, "").await;
    assert_eq!(reply.status, 200, "{token}");
    reply.json()["cloudUser"].clone()
}

#[covers("R32")]
#[tokio::test]
async fn cloud_user_is_the_account_of_the_token() {
    let (server, cloud) = server_with_cloud().await;
    let ada = server.person("ada", "owner").await;
    server.link(ada, "c1").await;
    let client = server.client(ada);
    let end = Timestamp::from_millis(server.clock.now().millis() + 3_600_000);
    cloud.vouches_until("good", "c1", end);
    cloud.says("stranger", Ok("c2"));
    cloud.says("away", Err(CloudError::Unavailable));
    cloud.says("refused", Err(CloudError::Refused("suspended".into())));
    let seen = cloud_user(&client, "good").await;
    let expected = json!({"publicUserId": "c1", "displayName": "c1 of the cloud",
        "expiresAt": serde_json::to_value(end).unwrap(), "linked": true});
    assert_eq!(seen, expected);
    let stranger = json!({"publicUserId": "c2", "linked": false});
    assert_eq!(cloud_user(&client, "stranger").await, stranger);
    let asked = cloud.asked();
    assert_eq!(client.get(CURRENT).await.json()["cloudUser"], Value::Null);
    assert_eq!(cloud.asked(), asked, "without a token the cloud is not asked");
    for token in ["unknown", "away", "refused", ""] {
        assert_eq!(cloud_user(&client, token).await, Value::Null, "{token}");
    }
    // Ended with the cloud.
    server.clock.advance(Duration::from_secs(3_600));
    let client = server.client(ada);
    assert_eq!(cloud_user(&client, "good").await, Value::Null);
    // It does not replace the credential.
    let reply = server
        .send("GET", CURRENT, &[("svc-cloud-token", "stranger")], "")
        .await;
    assert_eq!(reply.status, 401);
}

#[tokio::test]
async fn silent_cloud_delays_the_current_user_by_three_seconds_at_most() {
    let (server, _cloud) = server_with_cloud().await;
    let client = server.client(server.person("ada", "owner").await);
    let started = Instant::now();
    assert_eq!(cloud_user(&client, SILENCE).await, Value::Null);
    let took = started.elapsed();
    assert!(
        took >= Duration::from_secs(3) && took < Duration::from_secs(6),
        "{took:?}"
    );
}

#[covers("R27")]
#[tokio::test]
async fn personal_access_token_of_a_linked_account_never_asks_the_cloud() {
    let (server, cloud) = server_with_cloud().await;
    let ada = server.person("ada", "owner").await;
    server.link(ada, "c1").await;
    cloud.says("good", Ok("c1"));
    let token = server.as_token(ada, None).await;
    assert_eq!(cloud_user(&token, "good").await, Value::Null);
    for target in [
        "/api/v1/users",
        "/api/v1/music/tracks",
        "/api/v1/versions",
        CURRENT,
    ] {
        for cloud_token in [SILENCE, "unknown", "good"] {
            let headers = [("svc-cloud-token", cloud_token)];
            let reply = token.request("GET", target, &headers, "").await;
            assert_eq!(reply.status, 200, "{target}");
        }
    }
    let update = json!({"displayName": "Ada"});
    assert_eq!(token.patch(CURRENT, &update).await.status, 200);
    assert_eq!(cloud.asked(), 0);
}

#[tokio::test]
async fn rejected_tokens_are_limited_by_network() {
    let (mut server, cloud) = server_with_cloud().await;
    let ada = server.person("ada", "owner").await;
    server.link(ada, "c1").await;
    cloud.says("good", Ok("c1"));
    for _ in 0..100 {
        assert_eq!(
            cloud_user(&server.client(ada), "good").await["publicUserId"],
            "c1"
        );
    }
    let before = cloud.asked();
    let mut limited = 0;
    for number in 0..200 {
        let token = format!("guess-{number}");
        let reply = server
            .send("POST", "/api/v1/auth/refresh", &[("svc-cloud-token", &token)], "")
            .await;
        match reply.status {
            401 => assert_eq!(reply.code().as_deref(), Some("cloud_token_required")),
            429 => limited += 1,
            other => panic!("{other}"),
        }
        assert!(!reply.headers.contains_key("set-cookie"));
    }
    assert!(limited >= 130 && cloud.asked() - before <= 70, "{limited}");
    let login = server
        .login(&[("svc-app", "music")], &json!({"cloudToken": "good"}))
        .await;
    assert_eq!(login.status, 429);
    server.peer = [203, 0, 113, 9].into();
    let login = server
        .login(&[("svc-app", "music")], &json!({"cloudToken": "good"}))
        .await;
    assert_eq!(login.status, 201);
}

#[tokio::test]
async fn clients_that_do_not_wait_for_the_answer_are_not_counted_as_rejected() {
    let (server, cloud) = server_with_cloud().await;
    let ada = server.person("ada", "owner").await;
    server.link(ada, "c1").await;
    cloud.says(LATE, Ok("c1"));
    // As many as may be rejected, twice.
    for round in 1..=2 {
        let mut sign_ins = tokio::task::JoinSet::new();
        for _ in 0..60 {
            let client = server.anonymous();
            sign_ins.spawn(async move {
                let headers = [("svc-app", "music"), ("content-type", "application/json")];
                let body = json!({"cloudToken": LATE}).to_string();
                client
                    .request("POST", "/api/v1/auth/login", &headers, &body)
                    .await
                    .status
            });
        }
        wait_for(|| cloud.asked() == 60 * round).await;
        sign_ins.shutdown().await;
        cloud.answer_late();
        wait_for(|| cloud.answered_late() == 60 * round).await;
    }
}
