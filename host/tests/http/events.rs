//! The stream of events: who hears what, for how long, and what happens to those who do not read.

use std::time::{Duration, Instant};

use salvo::hyper::Request;
use serde_json::{Value, json};
use svc_covers::covers;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::access_matrix::personal_access_token;
use crate::event_streams::{ListeningServer, PATIENCE, quick};
use svc_domain::id::SessionId;
use svc_domain::time::{Clock as _, Timestamp};
use svc_events::{Audience, EventKind, EventLimits, Message};
use svc_identity::capability::Capability;
use svc_platform::tasks;

/// What the security notes allow for the end of a stream whose caller is out.
const SOON: Duration = Duration::from_secs(5);

#[covers("GET /api/v1/events/subscribe", "R18")]
#[tokio::test]
async fn stream_opens_for_every_delivery_of_a_credential_and_says_what_it_is() {
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.caller_without_roles().await;
    for query in [
        format!("?token={token}"),
        format!("?authorization={token}"),
        format!("?authorization=Bearer%20{token}"),
        // The old parameter gives way to the new one.
        format!("?token={token}&authorization=x"),
        format!("?authorization=x&token={token}"),
    ] {
        let client = listening.open(&query).await;
        for line in [
            "HTTP/1.1 200",
            "content-type: text/event-stream\r\n",
            "cache-control: no-store\r\n",
            "x-accel-buffering: no\r\n",
            "x-content-type-options: nosniff\r\n",
        ] {
            assert!(client.head.contains(line), "{line}: {}", client.head);
        }
        assert!(!client.head.contains("content-encoding"), "{}", client.head);
    }
    // The old parameter takes an access token alone, also one that was let in elsewhere a moment ago.
    let user = listening.server.user("maker", false, &["member"]).await;
    let program = personal_access_token(&listening.server, user, None).await;
    assert_eq!(listening.server.status_as(&program).await, 200);
    for query in [
        String::new(),
        "?token=x".to_owned(),
        "?authorization=x".to_owned(),
        format!("?token=x&authorization={token}"),
        format!("?authorization={program}"),
        format!("?authorization=Bearer%20{program}"),
        format!("?authorization={token}&authorization={token}"),
    ] {
        let client = listening.open(&query).await;
        assert!(
            client.head.starts_with("HTTP/1.1 401"),
            "{query}: {}",
            client.head
        );
    }
    let path = "/api/v1/events/subscribe";
    let head = listening
        .server
        .send("HEAD", &format!("{path}?token={token}"), &[], "")
        .await;
    assert_eq!(
        (head.status, head.header("content-type")),
        (200, "text/event-stream")
    );
    let origin = ("origin", super::LISTED_ORIGIN);
    let bearer = format!("Bearer {token}");
    let reply = listening
        .server
        .send("GET", path, &[origin, ("authorization", &bearer)], "")
        .await;
    assert_eq!(
        (reply.status, reply.header("access-control-allow-origin")),
        (200, super::LISTED_ORIGIN)
    );
    // The parameter is one of this route alone.
    let other = listening
        .server
        .get(&format!("/api/v1/versions?authorization={token}"))
        .await;
    assert_eq!(other.status, 401);
}

#[tokio::test]
async fn events_come_over_http2_and_http_1_0_as_well() {
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.owner().await;
    let target = format!("/api/v1/events/subscribe?token={token}");

    let stream = TcpStream::connect(listening.address).await.unwrap();
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    let driver = tasks::spawn("test client", async move {
        // Ends with an error when the server closes first.
        let _ = connection.await;
    });
    let mut client = client.ready().await.unwrap();
    let request = Request::builder().uri(format!("http://localhost{target}"));
    let (answer, _) = client.send_request(request.body(()).unwrap(), true).unwrap();
    let answer = timeout(PATIENCE, answer).await.unwrap().unwrap();
    assert_eq!(answer.status(), 200);
    let mut body = answer.into_body();

    let mut old = TcpStream::connect(listening.address).await.unwrap();
    let request = format!("GET {target} HTTP/1.0\r\n\r\n");
    old.write_all(request.as_bytes()).await.unwrap();
    listening.wait_for_subscribers(2).await;

    listening.publish(json!({"runId": "1"}));
    let mut heard = String::new();
    while !heard.contains("\n\ndata: ") || !heard.ends_with("\n\n") {
        let piece = timeout(PATIENCE, body.data()).await.unwrap().unwrap().unwrap();
        heard += std::str::from_utf8(&piece).unwrap();
    }
    assert!(heard.starts_with(":\n\n"), "{heard}");
    assert!(heard.contains(r#""payload":{"runId":"1"}"#), "{heard}");
    let mut plain = String::new();
    while !plain.ends_with("}\n\n") {
        let mut piece = [0; 4096];
        let read = timeout(PATIENCE, old.read(&mut piece)).await.unwrap().unwrap();
        assert!(read > 0, "{plain}");
        plain += std::str::from_utf8(&piece[..read]).unwrap();
    }
    assert!(plain.starts_with("HTTP/1.0 200"), "{plain}");
    assert!(!plain.contains("transfer-encoding"), "{plain}");
    assert!(plain.ends_with(&heard), "{plain}");
    driver.abort();
}

#[covers("R59")]
#[tokio::test]
async fn events_reach_those_who_may_hear_them_and_nobody_else() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.owner().await;
    let (ann, bob) = (
        server.user("ann", false, &["music_user"]).await,
        server.user("bob", false, &["music_user"]).await,
    );
    let mut clients = [
        listening.listen(&owner).await,
        listening.listen(&server.token(ann)).await,
        listening.listen(&server.token(bob)).await,
    ];
    let publish = |audience, number: u32| {
        let message = Message::to(audience, EventKind::IndexingStarted, &number);
        server.state.events.publish(|| message);
    };
    let (jobs, queues) = (Capability::JobsRead, Capability::PlaybackQueuesRead);
    publish(Audience::Readers(Capability::IndexingRead), 1);
    publish(Audience::ReadersAnd(jobs, ann), 2);
    publish(Audience::Owner(queues, bob), 3);
    publish(Audience::Owner(jobs, bob), 4);
    publish(Audience::Readers(queues), 5);
    for (client, heard) in clients.iter_mut().zip([&[1, 2, 5][..], &[2, 5], &[3, 5]]) {
        for number in heard {
            assert_eq!(client.next_payload().await, json!(number));
        }
        assert!(client.is_silent().await);
    }
}

#[tokio::test]
async fn role_counts_for_the_next_event_whether_given_or_taken() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let ann = server.user("ann", false, &["music_user"]).await;
    let mut client = listening.listen(&server.token(ann)).await;
    // Who hears everything, and so tells when a message was handed out.
    let mut witness = listening.listen(&server.owner().await).await;
    for round in 0..20 {
        listening.publish(json!("not heard"));
        assert_eq!(witness.next_payload().await, json!("not heard"));
        let mut change = server.store.identity.change_identity().await.unwrap();
        let now = server.clock.now();
        change.assign_role(ann, "administrator", now).await.unwrap();
        change.commit().await.unwrap();
        listening.publish(json!(round));
        assert_eq!(witness.next_payload().await, json!(round));
        assert_eq!(client.next_payload().await, json!(round));
        let mut change = server.store.identity.change_identity().await.unwrap();
        change.unassign_role(ann, "administrator").await.unwrap();
        change.commit().await.unwrap();
    }
    listening.publish(json!("not heard"));
    assert_eq!(witness.next_payload().await, json!("not heard"));
    assert!(client.is_silent().await);
}

#[tokio::test]
async fn stream_ends_soon_with_its_token_its_session_or_its_account() {
    let listening = ListeningServer::start(EventLimits::default()).await;
    let server = &listening.server;
    let owner = server.owner().await;
    let ends = async |name: &str, token: &str, method: &str, path: String, body: Value| {
        let mut client = listening.listen(token).await;
        let reply = server.send_as(&owner, method, &path, &body).await;
        assert_eq!(reply.status, 200, "{name}: {:?}", reply.json());
        let since = Instant::now();
        assert!(client.end().await, "{name}: ends in good order");
        assert!(since.elapsed() < SOON, "{name}: {:?}", since.elapsed());
    };

    let ann = server.user("ann", false, &["member"]).await;
    let tokens = format!("/api/v1/users/{ann}/personal-access-tokens");
    let made = server
        .send_as(&owner, "POST", &tokens, &json!({"label": "tv"}))
        .await
        .json();
    let id = made["personalAccessTokenId"].as_str().unwrap();
    let token = made["token"].as_str().unwrap();
    ends("token", token, "DELETE", format!("{tokens}/{id}"), json!(null)).await;

    let path = format!("/api/v1/users/{ann}");
    ends(
        "account",
        &server.token(ann),
        "PATCH",
        path,
        json!({"enabled": false}),
    )
    .await;

    // A session that nobody knows does not count, from the beginning.
    let bob = server.user("bob", false, &["member"]).await;
    let stranger = server.token_of(bob, Some(SessionId::from(7)));
    let client = listening.open(&format!("?token={stranger}")).await;
    assert!(client.head.starts_with("HTTP/1.1 401"), "{}", client.head);

    let mut client = listening.listen(&server.token(bob)).await;
    let mut change = server.store.identity.change_identity().await.unwrap();
    assert!(change.delete_user(bob).await.unwrap());
    change.commit().await.unwrap();
    assert!(client.end().await);
}

#[covers("R58")]
#[tokio::test]
async fn access_token_that_expires_ends_no_stream_but_opens_none() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.owner().await;
    let ann = server.user("ann", false, &["administrator"]).await;
    let expires = Timestamp::from_millis(server.clock.now().millis() + 60_000);
    let body = json!({"label": "tv", "expiresAt": expires.to_iso()});
    let tokens = format!("/api/v1/users/{ann}/personal-access-tokens");
    let made = server.send_as(&owner, "POST", &tokens, &body).await.json();
    let mut by_token = listening.listen(made["token"].as_str().unwrap()).await;
    let mut client = listening.listen(&owner).await;
    server.clock.advance(Duration::from_secs(16 * 60));
    // Any change of accounts makes the server look again.
    server.user("bob", false, &[]).await;
    listening.publish(json!(1));
    assert_eq!(client.next_payload().await, json!(1));
    assert!(client.is_silent().await, "it stays open");
    let again = listening.open(&format!("?token={owner}")).await;
    assert!(again.head.starts_with("HTTP/1.1 401"), "{}", again.head);
    assert!(by_token.end().await, "a personal access token ends its stream");
}

#[tokio::test]
async fn comments_keep_a_silent_stream_alive() {
    let listening = ListeningServer::start(EventLimits {
        keep_alive: Duration::from_millis(100),
        ..quick()
    })
    .await;
    let token = listening.server.caller_without_roles().await;
    let mut client = listening.listen(&token).await;
    while client.comments < 4 {
        // The event never comes: the comments are counted on the way.
        let _ = tokio::time::timeout(Duration::from_millis(50), client.next()).await;
    }
    assert!(client.is_silent().await);
}

#[tokio::test]
async fn events_that_wait_go_out_in_one_piece() {
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.owner().await;
    let mut client = listening.listen(&token).await;
    let before = client.chunks;
    for number in 0..50 {
        listening.publish(json!(number));
    }
    for number in 0..50 {
        assert_eq!(client.next_payload().await, json!(number));
    }
    assert_eq!(client.chunks - before, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_for_those_who_read() {
    const EVENTS: u64 = 5_000;
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.owner().await;
    let mut readers = Vec::new();
    for _ in 0..20 {
        let mut client = listening.listen(&token).await;
        readers.push(tasks::spawn("reader", async move {
            for number in 0..EVENTS {
                assert_eq!(client.next_payload().await, json!(number));
            }
        }));
    }
    for number in 0..EVENTS {
        listening.publish(json!(number));
    }
    for reader in readers {
        tokio::time::timeout(PATIENCE, reader).await.unwrap().unwrap();
    }
}

#[covers("T51")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_that_does_not_read_is_cut_off_and_holds_up_nobody() {
    const EVENTS: u64 = 1_500;
    // The one that reads is never behind by as many as are kept, however slow the machine is.
    const AT_ONCE: u64 = 100;
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.owner().await;
    let mut reading = listening.listen(&token).await;
    let stalled = listening.stall(&token).await;
    let padding = "x".repeat(10_000);
    // Far more than the system holds for the one that does not read.
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
async fn connection_that_takes_nothing_is_cut_off_in_time() {
    let listening = ListeningServer::start(EventLimits {
        stall: Duration::from_millis(200),
        // Nobody is behind by so many.
        queue: 100_000,
        ..quick()
    })
    .await;
    let token = listening.server.owner().await;
    let stalled = listening.stall(&token).await;
    let padding = "x".repeat(100_000);
    for _ in 0..200 {
        listening.publish(json!(padding));
    }
    listening.wait_for_subscribers(0).await;
    drop(stalled);
}

#[tokio::test]
async fn additions_beyond_what_can_wait_are_left_out_and_the_end_is_not() {
    let listening = ListeningServer::start(EventLimits { inbox: 10, ..quick() }).await;
    let token = listening.server.owner().await;
    let mut client = listening.listen(&token).await;
    let publish = |kind, number: u32| {
        listening
            .server
            .state
            .events
            .publish(|| Message::new(kind, &number))
    };
    for number in 0..100 {
        publish(EventKind::IndexingMusicArtistAdded, number);
    }
    publish(EventKind::IndexingCompleted, 100);
    for number in 0..10 {
        assert_eq!(client.next_payload().await, json!(number));
    }
    assert_eq!(client.next_type().await, "indexing.completed");
}

#[tokio::test]
async fn client_that_goes_is_forgotten() {
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.owner().await;
    let mut clients = Vec::new();
    for _ in 0..50 {
        clients.push(listening.listen(&token).await);
    }
    assert_eq!(listening.server.state.events.subscribers(), 50);
    drop(clients);
    listening.wait_for_subscribers(0).await;
    // And whoever comes later is heard.
    let mut client = listening.listen(&token).await;
    listening.publish(json!(1));
    assert_eq!(client.next_payload().await, json!(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_ends_all_streams_at_once() {
    let listening = ListeningServer::start(EventLimits::default()).await;
    let token = listening.server.owner().await;
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

#[covers("code too_many_streams", "T51")]
#[tokio::test]
async fn account_has_a_bounded_number_of_streams() {
    assert_eq!(EventLimits::default().per_account, 1_000);
    let listening = ListeningServer::start(EventLimits {
        per_account: 3,
        ..quick()
    })
    .await;
    let member = async |name: &str| {
        let user = listening.server.user(name, false, &["member"]).await;
        // Each of an account's credentials counts towards the same.
        [
            listening.server.token(user),
            personal_access_token(&listening.server, user, None).await,
        ]
    };
    let (ada, bob) = (member("ada").await, member("bob").await);
    let mut open = Vec::new();
    for token in [&ada[0], &ada[1], &ada[0]] {
        open.push(listening.listen(token).await);
    }
    for token in &ada {
        let refused = listening.server.get_as(token, "/api/v1/events/subscribe").await;
        assert_eq!(
            (refused.status, refused.code().as_deref()),
            (409, Some("too_many_streams"))
        );
    }
    open.push(listening.listen(&bob[0]).await);
    // One that ends makes room.
    drop(open.remove(0));
    listening.wait_for_subscribers(3).await;
    open.push(listening.listen(&ada[1]).await);
    assert_eq!(listening.server.state.events.subscribers(), 4);
}
