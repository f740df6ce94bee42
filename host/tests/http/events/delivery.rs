//! Which client receives which event, and when.

use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use crate::support::listening::{ListeningServer, PATIENCE, quick};
use svc_domain::time::Clock as _;
use svc_events::{Audience, EventKind, EventLimits, Message};
use svc_identity::capability::Capability;
use svc_platform::tasks;

#[covers("R59")]
#[tokio::test]
async fn event_reaches_only_its_audience() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.as_owner().await;
    let (ann, bob) = (
        server.user("ann", false, &["music_user"]).await,
        server.user("bob", false, &["music_user"]).await,
    );
    let mut clients = [
        listening.listen(&owner).await,
        listening.listen(&server.client(ann)).await,
        listening.listen(&server.client(bob)).await,
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
async fn changed_role_applies_to_the_next_event() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let ann = server.user("ann", false, &["music_user"]).await;
    let mut client = listening.listen(&server.client(ann)).await;
    // The witness receives every event, which shows when one was dispatched.
    let mut witness = listening.listen(&server.as_owner().await).await;
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
async fn comments_keep_a_silent_stream_alive() {
    let listening = ListeningServer::start(EventLimits {
        keep_alive: Duration::from_millis(100),
        ..quick()
    })
    .await;
    let token = listening.server.as_nobody().await;
    let mut client = listening.listen(&token).await;
    while client.comments < 4 {
        // No event arrives; reading counts the comments.
        let _ = tokio::time::timeout(Duration::from_millis(50), client.next()).await;
    }
    assert!(client.is_silent().await);
}

#[tokio::test]
async fn queued_events_are_sent_in_one_chunk() {
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.as_owner().await;
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
async fn reading_client_receives_every_event() {
    const EVENTS: u64 = 5_000;
    let listening = ListeningServer::start(quick()).await;
    let token = listening.server.as_owner().await;
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

#[tokio::test]
async fn droppable_events_beyond_the_queue_are_dropped() {
    let listening = ListeningServer::start(EventLimits { inbox: 10, ..quick() }).await;
    let token = listening.server.as_owner().await;
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
