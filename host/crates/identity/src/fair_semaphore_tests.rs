//! Tests of the fair semaphore: order, rejection, and that no permit is lost.

use std::net::IpAddr;
use std::pin::Pin;

use futures_util::future::poll_immediate;
use svc_covers::covers;

use super::*;

const LIMITS: FairSemaphoreLimits = FairSemaphoreLimits {
    permits: 1,
    waiters: 8,
    waiters_per_network: 6,
    timeout: Duration::from_secs(2),
};

fn request(last: u8, known: bool) -> PermitRequest {
    PermitRequest {
        network: ClientNetwork::from(Some(IpAddr::from([192, 0, 2, last]))),
        known,
    }
}

type Waiting<'a> = Pin<Box<dyn Future<Output = Result<Permit, QueueFull>> + 'a>>;

/// Requests a permit and waits in the queue.
async fn enqueue(semaphore: &FairSemaphore, request: PermitRequest) -> Waiting<'_> {
    let mut waiting: Waiting<'_> = Box::pin(semaphore.acquire(request));
    assert!(poll_immediate(&mut waiting).await.is_none());
    waiting
}

/// Names of the waiters in the order in which they get the permit; each releases it immediately.
async fn called<'a>(permit: Permit, waiting: Vec<(&'static str, Waiting<'a>)>) -> Vec<&'static str> {
    let (mut waiting, mut order) = (waiting, Vec::new());
    drop(permit);
    while !waiting.is_empty() {
        let mut got = None;
        for (at, (_, future)) in waiting.iter_mut().enumerate() {
            if let Some(permit) = poll_immediate(future).await {
                got = Some((at, permit.unwrap()));
                break;
            }
        }
        let (at, permit) = got.expect("a permit was lost");
        order.push(waiting.remove(at).0);
        drop(permit);
    }
    order
}

#[covers("T20")]
#[tokio::test]
async fn networks_take_turns_for_any_number_of_waiters() {
    let semaphore = FairSemaphore::new(LIMITS);
    let permit = semaphore.acquire(request(1, false)).await.unwrap();
    let mut waiting = Vec::new();
    for (name, from) in [
        ("a", 1),
        ("a", 1),
        ("a", 1),
        ("b", 2),
        ("a", 1),
        ("c", 3),
        ("b", 2),
    ] {
        waiting.push((name, enqueue(&semaphore, request(from, false)).await));
    }
    assert_eq!(called(permit, waiting).await, ["a", "b", "c", "a", "b", "a", "a"]);
    assert!(!semaphore.is_exhausted());
}

#[tokio::test]
async fn known_clients_get_every_second_permit() {
    let semaphore = FairSemaphore::new(LIMITS);
    let permit = semaphore.acquire(request(1, false)).await.unwrap();
    let mut waiting = Vec::new();
    for (name, from, known) in [
        ("a", 1, false),
        ("b", 2, false),
        ("c", 3, false),
        ("known", 4, true),
        ("known", 4, true),
    ] {
        waiting.push((name, enqueue(&semaphore, request(from, known)).await));
    }
    assert_eq!(called(permit, waiting).await, ["known", "a", "known", "b", "c"]);
}

#[covers("T20")]
#[tokio::test]
async fn full_queue_rejects_the_network_with_most_waiters() {
    let semaphore = FairSemaphore::new(LIMITS);
    let _permit = semaphore.acquire(request(1, false)).await.unwrap();
    let mut flood = Vec::new();
    for _ in 0..LIMITS.waiters_per_network {
        flood.push(enqueue(&semaphore, request(1, false)).await);
    }
    // The network has reached its limit, although the queue has space.
    assert_eq!(semaphore.acquire(request(1, false)).await.unwrap_err(), QueueFull);
    let _others = [
        enqueue(&semaphore, request(2, false)).await,
        enqueue(&semaphore, request(3, false)).await,
    ];
    // The queue is full: the newest waiters of the flooding network are rejected for the next two requests.
    let mut newcomers = Vec::new();
    for (from, left) in [(4, 5), (5, 4)] {
        newcomers.push(enqueue(&semaphore, request(from, false)).await);
        let refused = flood.pop().unwrap().await;
        assert_eq!(refused.unwrap_err(), QueueFull);
        assert_eq!(flood.len(), left);
        for waiting in &mut flood {
            assert!(poll_immediate(waiting).await.is_none());
        }
    }
    // Known clients have a queue of their own.
    let _known = enqueue(&semaphore, request(6, true)).await;
}

#[tokio::test]
async fn queue_of_many_networks_with_one_waiter_each_is_full() {
    let semaphore = FairSemaphore::new(LIMITS);
    let permit = semaphore.acquire(request(100, false)).await.unwrap();
    let mut waiting = Vec::new();
    for from in 0..LIMITS.waiters as u8 {
        waiting.push(enqueue(&semaphore, request(from, false)).await);
    }
    assert_eq!(
        semaphore.acquire(request(50, false)).await.unwrap_err(),
        QueueFull
    );
    drop(waiting);
    // A cancelled waiter leaves no entry.
    let waiting = vec![("late", enqueue(&semaphore, request(50, false)).await)];
    assert_eq!(called(permit, waiting).await, ["late"]);
}

#[tokio::test]
async fn permit_of_a_cancelled_waiter_goes_to_the_next() {
    let semaphore = FairSemaphore::new(LIMITS);
    let permit = semaphore.acquire(request(1, false)).await.unwrap();
    let leaves = enqueue(&semaphore, request(2, false)).await;
    let mut stays = enqueue(&semaphore, request(3, false)).await;
    drop(permit);
    // It got the permit but did not poll.
    drop(leaves);
    let permit = poll_immediate(&mut stays).await.unwrap().unwrap();
    assert!(semaphore.is_exhausted());
    drop(permit);
    assert!(!semaphore.is_exhausted());
}

#[tokio::test(start_paused = true)]
async fn waiting_times_out() {
    let semaphore = FairSemaphore::new(LIMITS);
    let permit = semaphore.acquire(request(1, false)).await.unwrap();
    let mut waiting = enqueue(&semaphore, request(2, false)).await;
    tokio::time::advance(LIMITS.timeout - Duration::from_millis(1)).await;
    assert!(poll_immediate(&mut waiting).await.is_none());
    tokio::time::advance(Duration::from_millis(2)).await;
    assert_eq!(waiting.await.unwrap_err(), QueueFull);
    drop(permit);
    assert!(!semaphore.is_exhausted());
}
