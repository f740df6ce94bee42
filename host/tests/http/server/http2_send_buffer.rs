//! Memory that an HTTP/2 connection holds for a client that does not read.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use salvo::http::Method;
use salvo::oapi::endpoint;
use svc_covers::covers;

use crate::filled;
use crate::support::h2_wire::{DATA, Frame, HEADERS, Wire, data, get, post, window};
use crate::support::listening::{ListeningServer, PATIENCE};
use crate::support::sockets::SHORT;
use svc_api::response::Json;
use svc_api::route::{Access, Route};
use svc_api::router;
use svc_http_io::limits::{H2_CHANGE_BYTES, H2_RESPONSES_BYTES, Limits};

/// Parallel requests per route.
const REQUESTS: usize = 16;

const LARGE: usize = 100 * 1024;

static LARGE_ANSWERS: AtomicUsize = AtomicUsize::new(0);

/// Returns a large body
#[endpoint]
async fn large() -> Json<String> {
    LARGE_ANSWERS.fetch_add(1, Ordering::SeqCst);
    Json("x".repeat(LARGE))
}

/// Returns a small body
#[endpoint]
async fn small() -> Json<bool> {
    Json(true)
}

/// Requests a path, reads no body, and waits until the connection ends.
async fn stall(serving: &ListeningServer, path: &str, bearer: &str) {
    let mut wire = Wire::open(serving.connect().await, 0).await;
    let streams = (1..).step_by(2).take(REQUESTS);
    let requests = streams.map(|stream| get(stream, path, &[("authorization", bearer)]));
    wire.send(&requests.collect::<Vec<_>>().concat()).await;
    let frames = wire.frames_to_the_end().await;
    let of = |kind: u8| frames.iter().filter(move |frame| frame.kind == kind);
    assert!(of(HEADERS).count() > 0, "{path}: {frames:?}");
    assert!(
        of(DATA).all(|frame| frame.payload.is_empty()),
        "{path}: {frames:?}"
    );
}

#[covers("limit WRITE_STALL", "S2")]
#[tokio::test]
async fn stalled_connection_ends_on_every_route() {
    let limits = Limits {
        write_stall: 5 * SHORT,
        ..Limits::default()
    };
    let routes = router::routes();
    let serving = ListeningServer::with_routes(limits, &routes).await;
    let bearer = format!("Bearer {}", serving.server.as_owner().await);
    let reads = routes.iter().filter(|route| route.method == Method::GET);
    let reads: Vec<String> = reads.map(|route| filled(route.path)).collect();
    assert!(reads.len() > 50, "{}", reads.len());
    let stalled = reads.iter().map(|path| stall(&serving, path, &bearer));
    join_all(stalled).await;
    serving.stop().await;
}

#[covers("limit H2_RESPONSES_BYTES")]
#[tokio::test]
async fn buffered_responses_wait_for_room() {
    let limits = Limits {
        header_time: 4 * PATIENCE,
        ..Limits::default()
    };
    let routes = [
        Route::get("/large", Access::Public, large),
        Route::get("/small", Access::Public, small),
    ];
    let serving = ListeningServer::with_routes(limits, &routes).await;
    let mut wire = Wire::open(serving.connect().await, 0).await;
    let asked = 3 * H2_RESPONSES_BYTES / LARGE;
    let requests = (0..asked).map(|number| get(2 * number as u32 + 1, "/large", &[]));
    wire.send(&requests.collect::<Vec<_>>().concat()).await;
    // Every response is computed; only those for which there is room are queued.
    let fitting = H2_RESPONSES_BYTES / LARGE;
    let mut answered = Vec::new();
    let is_head = |frame: &Frame| frame.kind == HEADERS;
    while answered.len() < fitting {
        answered.extend(wire.next_of(HEADERS).await.map(|frame| frame.stream));
    }
    while LARGE_ANSWERS.load(Ordering::SeqCst) < asked {
        assert!(!wire.frames_until_pong().await.iter().any(is_head));
    }
    // Small responses are sent meanwhile.
    let next = 2 * asked as u32 + 1;
    wire.send(&get(next, "/small", &[])).await;
    assert_eq!(wire.next_of(HEADERS).await.unwrap().stream, next);
    // A response that was read makes room for the next one.
    wire.send(&window(0, 1 << 30)).await;
    let mut taken = 0;
    while let Some(stream) = answered.pop() {
        wire.send(&window(stream, 1 << 20)).await;
        let mut length = 0;
        loop {
            let frame = wire.next().await.unwrap();
            match frame.kind {
                HEADERS => answered.insert(0, frame.stream),
                DATA => length += frame.payload.len(),
                _ => {}
            }
            if frame.ends_stream() {
                assert_eq!(frame.stream, stream);
                break;
            }
        }
        assert_eq!(length, LARGE + 2);
        taken += 1;
        if taken < asked && answered.is_empty() {
            answered.extend(wire.next_of(HEADERS).await.map(|frame| frame.stream));
        }
    }
    assert_eq!(taken, asked);
    drop(wire);
    serving.stop().await;
}

#[covers("limit H2_CHANGE_BYTES")]
#[tokio::test]
async fn writes_wait_for_room_before_they_begin() {
    let limits = Limits {
        body_gap: 4 * PATIENCE,
        body_time: 4 * PATIENCE,
        ..Limits::default()
    };
    let serving = ListeningServer::with_limits(limits).await;
    let mut wire = Wire::open(serving.connect().await, 65_535).await;
    let beginning = (H2_RESPONSES_BYTES / H2_CHANGE_BYTES) as u32;
    let heads = (0..beginning).map(|number| post(2 * number + 1, "/take"));
    wire.send(&heads.collect::<Vec<_>>().concat()).await;
    let waiting = 2 * beginning + 1;
    wire.send(&[post(waiting, "/take"), data(waiting, b"{}", true)].concat())
        .await;
    // Reads are answered before the writes.
    wire.send(&get(waiting + 2, "/nothing", &[])).await;
    assert_eq!(wire.next_of(HEADERS).await.unwrap().stream, waiting + 2);
    let frames = wire.frames_until_pong().await;
    assert!(frames.iter().all(|frame| frame.kind != HEADERS), "{frames:?}");
    wire.send(&data(1, b"{}", true)).await;
    for stream in [1, waiting] {
        assert_eq!(wire.next_of(HEADERS).await.unwrap().stream, stream);
    }
    drop(wire);
    serving.stop().await;
}
