//! When an event stream ends.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::Client;
use crate::support::listening::{ListeningServer, PATIENCE, quick};
use svc_domain::id::SessionId;
use svc_domain::time::{Clock as _, Timestamp};
use svc_events::EventLimits;

/// The time within which a stream must end after a revocation.
const SOON: Duration = Duration::from_secs(5);

#[tokio::test]
async fn stream_ends_with_its_token_session_or_account() {
    let listening = ListeningServer::start(EventLimits::default()).await;
    let server = &listening.server;
    let owner = server.as_owner().await;
    let ends = async |name: &str, token: &Client, method: &str, path: String, body: Value| {
        let mut client = listening.listen(token).await;
        let reply = owner.send(method, &path, &body).await;
        assert_eq!(reply.status, 200, "{name}: {:?}", reply.json());
        let since = Instant::now();
        assert!(client.end().await, "{name}: ends in good order");
        assert!(since.elapsed() < SOON, "{name}: {:?}", since.elapsed());
    };

    let ann = server.user("ann", false, &["member"]).await;
    let tokens = format!("/api/v1/users/{ann}/personal-access-tokens");
    let made = owner.post(&tokens, &json!({"label": "tv"})).await.json();
    let id = made["personalAccessTokenId"].as_str().unwrap();
    let token = server.with_token(made["token"].as_str().unwrap());
    ends("token", &token, "DELETE", format!("{tokens}/{id}"), json!(null)).await;

    let path = format!("/api/v1/users/{ann}");
    ends(
        "account",
        &server.client(ann),
        "PATCH",
        path,
        json!({"enabled": false}),
    )
    .await;

    // An unknown session opens no stream.
    let bob = server.user("bob", false, &["member"]).await;
    let stranger = server.client_of_session(bob, Some(SessionId::from(7)));
    let client = listening.open(&format!("?token={stranger}")).await;
    assert!(client.head.starts_with("HTTP/1.1 401"), "{}", client.head);

    let mut client = listening.listen(&server.client(bob)).await;
    let mut change = server.store.identity.change_identity().await.unwrap();
    assert!(change.delete_user(bob).await.unwrap());
    change.commit().await.unwrap();
    assert!(client.end().await);
}

#[covers("R58")]
#[tokio::test]
async fn expired_access_token_keeps_its_stream_but_opens_none() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.as_owner().await;
    let ann = server.user("ann", false, &["administrator"]).await;
    let expires = Timestamp::from_millis(server.clock.now().millis() + 60_000);
    let body = json!({"label": "tv", "expiresAt": expires.to_iso()});
    let tokens = format!("/api/v1/users/{ann}/personal-access-tokens");
    let made = owner.post(&tokens, &body).await.json();
    let mut by_token = listening
        .listen(&server.with_token(made["token"].as_str().unwrap()))
        .await;
    let mut client = listening.listen(&owner).await;
    server.clock.advance(Duration::from_secs(16 * 60));
    // Any change of accounts makes the server check the streams.
    server.user("bob", false, &[]).await;
    listening.publish(json!(1));
    assert_eq!(client.next_payload().await, json!(1));
    assert!(client.is_silent().await, "the stream stays open");
    let again = listening.open(&format!("?token={owner}")).await;
    assert!(again.head.starts_with("HTTP/1.1 401"), "{}", again.head);
    assert!(by_token.end().await, "a personal access token ends its stream");
}

#[covers("T51")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_that_does_not_read_is_disconnected_and_blocks_nobody() {
    const EVENTS: u64 = 1_500;
    // The reading client never falls behind by the length of the ring buffer.
    const AT_ONCE: u64 = 100;
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.as_owner().await;
    let mut reading = listening.listen(&token).await;
    let stalled = listening.stall(&token).await;
    let padding = "x".repeat(10_000);
    // Far more than the socket buffers of the client that does not read.
    for first in (0..EVENTS).step_by(AT_ONCE as usize) {
        let numbers = first..first + AT_ONCE;
        for number in numbers.clone() {
            listening.publish(json!([number, padding]));
        }
        for number in numbers {
            assert_eq!(reading.next_payload().await[0], json!(number));
        }
    }
    listening.wait_for_subscribers(1).await;
    drop(stalled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stalled_connection_is_closed_after_the_timeout() {
    let listening = ListeningServer::start(EventLimits {
        stall: Duration::from_millis(200),
        // The queue never overflows.
        queue: 100_000,
        ..quick()
    })
    .await;
    let token = listening.server.as_owner().await;
    let stalled = listening.stall(&token).await;
    let padding = "x".repeat(100_000);
    for _ in 0..200 {
        listening.publish(json!(padding));
    }
    listening.wait_for_subscribers(0).await;
    drop(stalled);
}

#[tokio::test]
async fn disconnected_client_is_unsubscribed() {
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.as_owner().await;
    let mut clients = Vec::new();
    for _ in 0..50 {
        clients.push(listening.listen(&token).await);
    }
    assert_eq!(listening.server.state.events.subscribers(), 50);
    drop(clients);
    listening.wait_for_subscribers(0).await;
    // A later client is served.
    let mut client = listening.listen(&token).await;
    listening.publish(json!(1));
    assert_eq!(client.next_payload().await, json!(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_ends_all_streams_at_once() {
    let listening = ListeningServer::start(EventLimits::default()).await;
    let token = listening.server.as_owner().await;
    let mut clients = Vec::new();
    for _ in 0..300 {
        clients.push(listening.listen(&token).await);
    }
    let since = Instant::now();
    listening.stop.send(()).unwrap();
    tokio::time::timeout(PATIENCE, listening.task)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert!(since.elapsed() < Duration::from_secs(4), "{:?}", since.elapsed());
    for client in &mut clients {
        assert!(client.end().await, "ends in good order");
    }
}
