//! Limits of an HTTP/2 connection, over real sockets.

use salvo::http::HeaderValue;
use salvo::hyper::Request;
use svc_covers::covers;

use crate::support::h2_wire::{
    CANCEL, DATA, ENHANCE_YOUR_CALM, FLOW_CONTROL_ERROR, GOAWAY, HEADERS, PING, REFUSED_STREAM, RESET, Wire,
    data, get, get_malformed, get_with_body, preface, reset, window,
};
use crate::support::listening::{ListeningServer, PATIENCE};
use crate::support::sockets::SHORT;
use svc_api::router;
use svc_http_io::limits::{H2_LOCAL_RESETS, H2_PENDING_RESETS, H2_STREAMS, H2_WINDOWS, Limits};
use svc_platform::tasks;

const SCRIPT: &str = "/api/docs/swagger-ui-bundle.js";

/// Limits without short timeouts.
fn patient() -> Limits {
    Limits {
        header_time: 4 * PATIENCE,
        handler_time: 4 * PATIENCE,
        h2_ping: (4 * PATIENCE, PATIENCE),
        ..Limits::default()
    }
}

#[covers("limit H2_HEADER_LIST_BYTES")]
#[tokio::test]
async fn http2_works_without_upgrade_and_bounds_its_header_list() {
    let serving = ListeningServer::with_limits(Limits::default()).await;
    let (client, connection) = h2::client::handshake(serving.connect().await).await.unwrap();
    let driver = tasks::spawn("test client", async move {
        // Ends with an error when the server closes first.
        let _ = connection.await;
    });
    let mut client = client.ready().await.unwrap();
    for (bytes, status) in [(10, 404), (15_000, 404), (17_000, 431), (10, 404)] {
        let request = Request::builder().uri("http://localhost/nothing");
        let value = HeaderValue::from_str(&"x".repeat(bytes)).unwrap();
        let request = request.header("x-long", value).body(()).unwrap();
        let (answer, _) = client.send_request(request, true).unwrap();
        // h2 itself answers 431, without a body and the server's headers.
        let answer = tokio::time::timeout(PATIENCE, answer).await.unwrap().unwrap();
        assert_eq!(answer.status(), status, "{bytes}");
        assert_eq!(answer.headers().contains_key("referrer-policy"), status == 404);
    }
    drop(client);
    driver.abort();
    serving.stop().await;
}

#[covers("limit H2_STREAMS")]
#[tokio::test]
async fn stream_beyond_the_limit_is_refused() {
    let serving = ListeningServer::with_limits(patient()).await;
    let mut wire = Wire::open(serving.connect().await, 65_535).await;
    let beyond = 2 * H2_STREAMS + 1;
    let requests = (1..=beyond).step_by(2).map(|stream| get(stream, "/hang", &[]));
    wire.send(&requests.collect::<Vec<_>>().concat()).await;
    let refused = wire.next_of(RESET).await.unwrap();
    assert_eq!((refused.stream, refused.reason()), (beyond, REFUSED_STREAM));
    // The other streams continue, and one that ends makes room.
    assert!(
        wire.frames_until_pong()
            .await
            .iter()
            .all(|frame| frame.kind != RESET)
    );
    wire.send(&[reset(1), get(beyond + 2, "/nothing", &[])].concat())
        .await;
    let answer = wire.next_of(HEADERS).await.unwrap();
    assert_eq!(answer.stream, beyond + 2);
    drop(wire);
    serving.stop().await;
}

#[covers("limit H2_PENDING_RESETS", "T50")]
#[tokio::test]
async fn streams_that_are_opened_and_reset_at_once_end_the_connection() {
    let serving = ListeningServer::with_limits(patient()).await;
    for (count, is_fine) in [(H2_PENDING_RESETS, true), (H2_PENDING_RESETS + 1, false)] {
        let mut wire = Wire::open(serving.connect().await, 65_535).await;
        let streams = (1..).step_by(2).take(count);
        let pairs = streams.flat_map(|stream| [get(stream, "/hang", &[]), reset(stream)]);
        wire.send(&pairs.collect::<Vec<_>>().concat()).await;
        if is_fine {
            let frames = wire.frames_until_pong().await;
            assert!(frames.iter().all(|frame| frame.kind != GOAWAY), "{frames:?}");
        } else {
            let last = wire.next_of(GOAWAY).await.unwrap();
            assert_eq!(last.reason(), ENHANCE_YOUR_CALM);
            wire.frames_to_the_end().await;
        }
    }
    serving.stop().await;
}

#[covers("limit H2_LOCAL_RESETS", "T50")]
#[tokio::test]
async fn errors_that_reset_many_streams_end_the_connection() {
    let serving = ListeningServer::with_limits(patient()).await;
    let mut wire = Wire::open(serving.connect().await, 65_535).await;
    let mut resets = 0;
    let last = 'reading: {
        for stream in (1..).step_by(2) {
            wire.send(&get_malformed(stream)).await;
            loop {
                let frame = wire.next().await.unwrap();
                match frame.kind {
                    RESET => break,
                    GOAWAY => break 'reading frame,
                    _ => {}
                }
            }
            resets += 1;
            assert!(resets <= H2_LOCAL_RESETS, "{resets}");
        }
        unreachable!("there is always another stream")
    };
    assert_eq!((resets, last.reason()), (H2_LOCAL_RESETS, ENHANCE_YOUR_CALM));
    wire.frames_to_the_end().await;
    serving.stop().await;
}

#[covers("limit H2_PING")]
#[tokio::test]
async fn peer_that_does_not_answer_pings_is_disconnected() {
    let limits = Limits {
        h2_ping: (SHORT, SHORT),
        ..patient()
    };
    let serving = ListeningServer::with_limits(limits).await;
    let mut alive = Wire::open(serving.connect().await, 65_535).await;
    alive.send(&get(1, "/hang", &[])).await;
    for _ in 0..4 {
        let ping = alive
            .next_of(PING)
            .await
            .expect("a client that answers pings stays connected");
        alive.answer_ping(&ping).await;
    }
    let mut silent = Wire::open(serving.connect().await, 65_535).await;
    silent.send(&get(1, "/hang", &[])).await;
    assert!(silent.next_of(PING).await.is_some());
    silent.frames_to_the_end().await;
    serving.stop().await;
}

#[covers("limit HEADER_TIME", "S3")]
#[tokio::test]
async fn idle_connection_is_closed_even_if_it_responds_to_pings() {
    let limits = Limits {
        header_time: 4 * SHORT,
        h2_ping: (SHORT / 2, PATIENCE),
        ..patient()
    };
    let serving = ListeningServer::with_limits(limits).await;
    for requests in [0, 1] {
        let mut wire = Wire::open(serving.connect().await, 65_535).await;
        if requests > 0 {
            wire.send(&get(1, "/nothing", &[])).await;
        }
        let (mut pings, mut is_told) = (0, false);
        while let Some(frame) = wire.next().await {
            if frame.kind == PING && !frame.is_ack() {
                pings += 1;
                wire.answer_ping(&frame).await;
            }
            is_told |= frame.kind == GOAWAY;
        }
        assert!(pings > 1 && is_told, "{pings}");
    }
    serving.stop().await;
}

#[tokio::test]
async fn idle_connection_that_ignores_goaway_is_closed() {
    let limits = Limits {
        header_time: SHORT,
        drain_time: SHORT,
        ..patient()
    };
    let serving = ListeningServer::with_limits(limits).await;
    let mut wire = Wire::open(serving.connect().await, 65_535).await;
    assert!(wire.next_of(GOAWAY).await.is_some());
    // The client ignores it.
    wire.frames_to_the_end().await;
    serving.stop().await;
}

#[covers("limit WRITE_STALL")]
#[tokio::test]
async fn stalled_stream_is_reset_and_others_continue() {
    let limits = Limits {
        write_stall: SHORT,
        ..patient()
    };
    let serving = ListeningServer::with_routes(limits, &router::routes()).await;
    let mut wire = Wire::open(serving.connect().await, 0).await;
    wire.send(&window(0, 1 << 30)).await;
    wire.send(&get(1, SCRIPT, &[])).await;
    // Other streams are read meanwhile.
    let mut stream = 1;
    let reset = 'taking: loop {
        stream += 2;
        wire.send(&[get(stream, "/api", &[]), window(stream, 1 << 20)].concat())
            .await;
        loop {
            let frame = wire.next().await.expect("the connection is open");
            match frame.kind {
                RESET => break 'taking frame,
                _ if frame.stream == stream && frame.ends_stream() => break,
                _ => assert!(frame.kind != GOAWAY),
            }
        }
    };
    assert_eq!((reset.stream, reset.reason()), (1, CANCEL));
    wire.send(&[get(stream + 2, SCRIPT, &[]), window(stream + 2, 1 << 24)].concat())
        .await;
    let mut length = 0;
    loop {
        let frame = wire.next().await.unwrap();
        if frame.stream == stream + 2 && frame.kind == DATA {
            length += frame.payload.len();
        }
        if frame.stream == stream + 2 && frame.ends_stream() {
            break;
        }
    }
    assert!(length > 1_000_000, "{length}");
    drop(wire);
    serving.stop().await;
}

#[tokio::test]
async fn stalled_small_response_is_reset() {
    let limits = Limits {
        write_stall: SHORT,
        ..patient()
    };
    let serving = ListeningServer::with_routes(limits, &router::routes()).await;
    let mut wire = Wire::open(serving.connect().await, 0).await;
    wire.send(&[get(1, "/api/v1/health", &[]), window(1, 1)].concat())
        .await;
    let frames = wire.frames_to_the_end().await;
    let taken: usize = frames
        .iter()
        .filter(|frame| frame.kind == DATA)
        .map(|frame| frame.payload.len())
        .sum();
    assert_eq!(taken, 1);
    assert!(frames.iter().all(|frame| !frame.ends_stream()), "{frames:?}");
    serving.stop().await;
}

#[tokio::test]
async fn connection_with_only_a_preface_is_closed() {
    let limits = Limits {
        header_time: SHORT,
        drain_time: SHORT,
        ..patient()
    };
    let serving = ListeningServer::with_limits(limits).await;
    let mut wire = Wire(serving.connect().await);
    wire.send(&preface(0)[..24]).await;
    wire.frames_to_the_end().await;
    serving.stop().await;
}

#[covers("limit H2_WINDOWS")]
#[tokio::test]
async fn unread_body_is_accepted_up_to_the_window() {
    const FRAME: usize = 16 * 1024;
    let serving = ListeningServer::with_limits(patient()).await;
    let mut wire = Wire::open(serving.connect().await, 65_535).await;
    // The handler does not read it.
    wire.send(&get_with_body(1, "/hang")).await;
    let mut left = H2_WINDOWS.1 as usize;
    while left > 0 {
        let length = left.min(FRAME);
        wire.send(&data(1, &vec![b' '; length], false)).await;
        left -= length;
    }
    let frames = wire.frames_until_pong().await;
    assert!(frames.iter().all(|frame| frame.kind != RESET), "{frames:?}");
    wire.send(&data(1, b" ", false)).await;
    let refused = loop {
        let frame = wire.next().await.unwrap();
        if [RESET, GOAWAY].contains(&frame.kind) {
            break frame;
        }
    };
    assert_eq!(refused.reason(), FLOW_CONTROL_ERROR);
    drop(wire);
    serving.stop().await;
}
