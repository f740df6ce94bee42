//! Tests of semaphore: who is called, who is sent away, and that no turn is lost.

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

/// Asks for a turn and stands in line.
async fn enqueue(semaphore: &FairSemaphore, request: PermitRequest) -> Waiting<'_> {
    let mut waiting: Waiting<'_> = Box::pin(semaphore.acquire(request));
    assert!(poll_immediate(&mut waiting).await.is_none());
    waiting
}

/// The names of the waiting in the order in which they get the turn; each gives it back at once.
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
        let (at, permit) = got.expect("a turn was lost");
        order.push(waiting.remove(at).0);
        drop(permit);
    }
    order
}

#[covers("T20")]
#[tokio::test]
async fn addresses_take_turns_however_many_each_has_waiting() {
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
async fn known_addresses_have_every_second_turn() {
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
async fn full_line_sends_away_whoever_holds_most() {
    let semaphore = FairSemaphore::new(LIMITS);
    let _turn = semaphore.acquire(request(1, false)).await.unwrap();
    let mut flood = Vec::new();
    for _ in 0..LIMITS.waiters_per_network {
        flood.push(enqueue(&semaphore, request(1, false)).await);
    }
    // No more from there, though the line has places.
    assert_eq!(semaphore.acquire(request(1, false)).await.unwrap_err(), QueueFull);
    let _others = [
        enqueue(&semaphore, request(2, false)).await,
        enqueue(&semaphore, request(3, false)).await,
    ];
    // The line is full: the newest of the flood makes room for the next, and for the one after.
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
    // A line of its own is not full of others.
    let _known = enqueue(&semaphore, request(6, true)).await;
}

#[tokio::test]
async fn line_of_many_addresses_with_one_each_is_full() {
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
    // Whoever goes away leaves nothing behind.
    let waiting = vec![("late", enqueue(&semaphore, request(50, false)).await)];
    assert_eq!(called(permit, waiting).await, ["late"]);
}

#[tokio::test]
async fn turn_of_one_who_left_when_called_goes_to_the_next() {
    let semaphore = FairSemaphore::new(LIMITS);
    let permit = semaphore.acquire(request(1, false)).await.unwrap();
    let leaves = enqueue(&semaphore, request(2, false)).await;
    let mut stays = enqueue(&semaphore, request(3, false)).await;
    drop(permit);
    // It was called, and did not hear of it.
    drop(leaves);
    let permit = poll_immediate(&mut stays).await.unwrap().unwrap();
    assert!(semaphore.is_exhausted());
    drop(permit);
    assert!(!semaphore.is_exhausted());
}

#[tokio::test(start_paused = true)]
async fn patience_ends() {
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
