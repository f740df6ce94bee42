//! Many requests at once, servers that keep failing, and requests that nobody waits for any more.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use tokio::task::JoinSet;

use crate::breaker::BreakerState;
use crate::limits;
use crate::tests::server::{Server, response};
use crate::tests::*;

const PATIENCE: Duration = Duration::from_secs(30);

/// A server that holds each request until the test lets it go. Counts those that it holds.
struct Gate {
    server: Server,
    held: Arc<AtomicUsize>,
    open: tokio::sync::watch::Sender<bool>,
}

impl Gate {
    fn start() -> Self {
        let held = Arc::new(AtomicUsize::new(0));
        let (open, opened) = tokio::sync::watch::channel(false);
        let count = Arc::clone(&held);
        let server = Server::start(move |mut connection| {
            count.fetch_add(1, Ordering::SeqCst);
            while !*opened.borrow() {
                std::thread::yield_now();
            }
            count.fetch_sub(1, Ordering::SeqCst);
            connection.write(&response("200 OK", "let go"));
        });
        Self { server, held, open }
    }

    fn held(&self) -> usize {
        self.held.load(Ordering::SeqCst)
    }

    /// Waits until the server holds this number of requests.
    async fn holds(&self, number: usize) {
        let holds = async {
            while self.held() != number {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, holds).await.unwrap();
    }
}

#[tokio::test]
async fn requests_beyond_the_limit_wait() {
    let gate = Gate::start();
    let client = client(&gate.server.url());
    let mut requests = JoinSet::new();
    for _ in 0..limits::IN_FLIGHT + 3 {
        let (client, url) = (client.clone(), gate.server.url());
        requests.spawn(async move { send(&client, get(url)).await });
    }
    gate.holds(limits::IN_FLIGHT).await;
    // Those that wait have not connected either.
    assert_eq!(gate.server.accepted(), limits::IN_FLIGHT);
    gate.open.send_replace(true);
    let outcomes = requests.join_all().await;
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.as_ref().is_ok_and(|response| response.status == 200))
    );
    assert_eq!(gate.server.accepted(), limits::IN_FLIGHT + 3);
}

#[tokio::test]
async fn waiting_counts_as_part_of_the_time() {
    let gate = Gate::start();
    let client = client(&gate.server.url());
    let mut requests = JoinSet::new();
    for _ in 0..limits::IN_FLIGHT * 3 {
        let (client, url) = (client.clone(), gate.server.url());
        requests.spawn(async move { send(&client, get(url)).await.unwrap_err() });
    }
    let outcomes = tokio::time::timeout(TIMES.total * 2, requests.join_all())
        .await
        .unwrap();
    gate.open.send_replace(true);
    // The first failures open the breaker, which refuses those that come after it.
    assert!(
        outcomes
            .iter()
            .filter(|error| **error == HttpError::Timeout)
            .count()
            >= limits::IN_FLIGHT
    );
}

#[tokio::test]
async fn equal_requests_with_one_key_share_a_flight() {
    let gate = Gate::start();
    let client = client(&gate.server.url());
    let mut requests = JoinSet::new();
    let mut start = |flight: Option<&str>, token: &str| {
        let request = HttpRequest {
            headers: vec![header("Authorization", token)],
            flight: flight.map(str::to_owned),
            ..get(gate.server.url())
        };
        let client = client.clone();
        requests.spawn(async move { send(&client, request).await });
    };
    for _ in 0..20 {
        start(Some("account"), "of a");
    }
    // The same key for another token must not get the answer for the first.
    start(Some("account"), "of b");
    start(Some("other"), "of a");
    start(None, "of a");
    start(None, "of a");
    gate.holds(5).await;
    gate.open.send_replace(true);
    let outcomes = requests.join_all().await;
    assert_eq!(outcomes.len(), 24);
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.as_ref().is_ok_and(|response| response.body == b"let go"))
    );
    assert_eq!(gate.server.accepted(), 5);
    // A flight that has ended is not a cache.
    let again = HttpRequest {
        flight: Some("account".into()),
        ..get(gate.server.url())
    };
    assert!(send(&client, again).await.is_ok());
    assert_eq!(gate.server.accepted(), 6);
}

#[tokio::test]
async fn breaker_opens_after_failures_and_not_after_refusals() {
    for (status, opens) in [
        ("500 Error", true),
        ("503 Unavailable", true),
        ("400 Bad", false),
        ("401 Unauthorized", false),
        ("404 Absent", false),
        ("429 Slow", false),
        ("302 Found", false),
    ] {
        let server = Server::with(response(status, ""));
        let client = client(&server.url());
        let sent = limits::FAILURES as usize;
        for _ in 0..sent {
            assert_eq!(
                send(&client, get(server.url())).await.unwrap().status.to_string(),
                status[..3]
            );
        }
        let outcome = send(&client, get(server.url()))
            .await
            .map(|response| response.status.to_string());
        let status_after = &client.status()[0];
        assert_eq!(status_after.origin, server.url());
        if opens {
            assert_eq!(outcome, Err(HttpError::Unreachable), "{status}");
            assert_eq!(status_after.state, BreakerState::Open);
            assert!(
                status_after
                    .retry_in
                    .is_some_and(|pause| pause <= limits::OPEN_FIRST)
            );
            assert_eq!(server.accepted(), sent, "{status}");
        } else {
            assert_eq!(outcome, Ok(status[..3].to_owned()), "{status}");
            assert_eq!(
                (status_after.state, status_after.failures),
                (BreakerState::Closed, 0)
            );
        }
    }
}

#[tokio::test]
async fn breaker_refuses_at_once_and_denied_requests_do_not_open_it() {
    let server = Server::raw(drop);
    let client = client(&server.url());
    for _ in 0..limits::FAILURES * 2 {
        let request = HttpRequest {
            headers: vec![header("Host", "evil.example")],
            ..get(server.url())
        };
        assert_denied(&send(&client, request).await, "header");
    }
    assert!(client.status().is_empty());
    for _ in 0..limits::FAILURES {
        assert_eq!(
            send(&client, get(server.url())).await.unwrap_err(),
            HttpError::Unreachable
        );
    }
    let mut requests = JoinSet::new();
    for _ in 0..100 {
        let (client, url) = (client.clone(), server.url());
        requests.spawn(async move { send(&client, get(url)).await.unwrap_err() });
    }
    let outcomes = tokio::time::timeout(TIMES.connect, requests.join_all())
        .await
        .unwrap();
    assert!(outcomes.iter().all(|error| *error == HttpError::Unreachable));
    assert_eq!(server.accepted(), limits::FAILURES as usize);
}

#[tokio::test]
async fn request_that_is_given_up_closes_its_connection() {
    let (told, closed) = mpsc::sync_channel(64);
    let server = Server::start(move |mut connection| {
        told.send(()).unwrap();
        assert!(connection.is_closed_by_client());
        told.send(()).unwrap();
    });
    let client = client(&server.url());
    let request = send(&client, get(server.url()));
    let arrived = async {
        while server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        outcome = request => panic!("{outcome:?}"),
        () = arrived => {}
    }
    closed.recv_timeout(PATIENCE).unwrap();
    // Before the time of the request is over.
    closed.recv_timeout(TIMES.total / 2).unwrap();
    assert_eq!(client.status()[0].failures, 0);
}
