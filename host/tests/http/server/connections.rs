//! Limits of an HTTP/1.1 connection, over real sockets.

use std::time::Duration;

use svc_covers::covers;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::listening::{ListeningServer, PATIENCE};
use crate::support::sockets::{SHORT, head, rest, status_line};
use svc_api::router;
use svc_http_io::limits::Limits;

fn take() -> String {
    format!("{}{{}}", head(2))
}

/// Sends a request up to its body, and waits until the handler reads the body.
async fn begin(stream: &mut TcpStream) {
    let head = head(2).replace("host: localhost", "host: localhost\r\nexpect: 100-continue");
    assert_eq!(status_line(stream, &head).await, "HTTP/1.1 100 Continue");
    let mut end = [0; 2];
    stream.read_exact(&mut end).await.unwrap();
}

/// The default limits without short timeouts.
fn patient() -> Limits {
    Limits {
        header_time: 4 * PATIENCE,
        body_time: 4 * PATIENCE,
        body_gap: 4 * PATIENCE,
        handler_time: 4 * PATIENCE,
        drain_time: 4 * PATIENCE,
        ..Limits::default()
    }
}

#[covers("limit HEADER_TIME")]
#[tokio::test]
async fn slow_head_closes_the_connection() {
    let limits = Limits {
        header_time: SHORT,
        ..Limits::default()
    };
    let serving = ListeningServer::with_limits(limits).await;
    for beginning in [
        "",
        "G",
        "GET /take HTTP/1.1\r\nhost: localhost\r\nx: ",
        "PRI * HTTP/2.0\r\n",
    ] {
        let mut stream = serving.connect().await;
        stream.write_all(beginning.as_bytes()).await.unwrap();
        // hyper closes without a response, because there was no request.
        assert_eq!(rest(&mut stream).await, "", "{beginning:?}");
    }
    serving.stop().await;
}

#[tokio::test]
async fn idle_connection_is_closed() {
    let limits = Limits {
        header_time: SHORT,
        ..Limits::default()
    };
    let serving = ListeningServer::with_limits(limits).await;
    let mut stream = serving.connect().await;
    let request = format!("{}{{}}", head(2));
    stream.write_all(request.as_bytes()).await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    serving.stop().await;
}

#[covers("limit BODY_TIME", "limit BODY_GAP")]
#[tokio::test]
async fn body_that_stops_or_never_ends_is_408() {
    let gap = Limits {
        body_gap: SHORT,
        ..Limits::default()
    };
    let whole = Limits {
        body_time: SHORT,
        ..Limits::default()
    };
    for limits in [gap, whole] {
        let serving = ListeningServer::with_limits(limits).await;
        let mut stream = serving.connect().await;
        stream.write_all(head(1000).as_bytes()).await.unwrap();
        stream.write_all(b"{").await.unwrap();
        let answer = rest(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(answer.contains("x-content-type-options: nosniff"), "{answer}");
        assert!(answer.ends_with("{\"message\":\"request timeout\"}"), "{answer}");
        serving.stop().await;
    }
}

#[tokio::test]
async fn time_to_read_the_body_does_not_count_as_handler_time() {
    let limits = Limits {
        header_time: SHORT,
        handler_time: Duration::from_secs(1),
        ..Limits::default()
    };
    let serving = ListeningServer::with_limits(limits).await;
    let mut stream = serving.connect().await;
    stream.write_all(head(2).as_bytes()).await.unwrap();
    stream.write_all(b"{").await.unwrap();
    // A little more than the handler may take.
    tokio::time::sleep(limits.handler_time + SHORT).await;
    stream.write_all(b"}").await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    serving.stop().await;
}

#[tokio::test]
async fn silent_connection_does_not_delay_the_shutdown() {
    let serving = ListeningServer::with_limits(patient()).await;
    let mut silent = serving.connect().await;
    let mut idle = serving.connect().await;
    assert_eq!(status_line(&mut idle, &take()).await, "HTTP/1.1 201 Created");
    serving.stop().await;
    assert_eq!(rest(&mut silent).await, "");
}

#[covers("limit DRAIN_TIME")]
#[tokio::test]
async fn unfinished_request_is_aborted_after_the_drain_time() {
    let limits = Limits {
        drain_time: SHORT,
        ..patient()
    };
    let serving = ListeningServer::with_limits(limits).await;
    let mut hanging = serving.connect().await;
    begin(&mut hanging).await;
    serving.stop().await;
    assert_eq!(rest(&mut hanging).await, "");
}

#[tokio::test]
async fn request_that_completes_within_the_drain_time_is_answered() {
    let serving = ListeningServer::with_limits(patient()).await;
    let mut late = serving.connect().await;
    begin(&mut late).await;
    let mut idle = serving.connect().await;
    assert_eq!(status_line(&mut idle, &take()).await, "HTTP/1.1 201 Created");
    let ending = serving.ask_to_stop();
    // The idle connection is closed at once; the server waits for the active one.
    rest(&mut idle).await;
    assert!(!ending.task.is_finished());
    late.write_all(b"{}").await.unwrap();
    let answer = rest(&mut late).await;
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    ending.wait().await;
}

#[covers("limit WRITE_STALL")]
#[tokio::test]
async fn stalled_write_closes_the_connection() {
    let limits = Limits {
        write_stall: SHORT,
        connections: 1,
        ..Limits::default()
    };
    let serving = ListeningServer::with_routes(limits, &router::routes()).await;
    let mut stalled = serving.connect().await;
    let request = "GET /api/docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: localhost\r\n\r\n";
    // More than the socket buffers hold.
    let requests = request.repeat(20);
    stalled.write_all(requests.as_bytes()).await.unwrap();
    let mut buffer = [0; 12];
    stalled.read_exact(&mut buffer).await.unwrap();
    assert_eq!(&buffer, b"HTTP/1.1 200");
    // A writing connection is not idle and keeps its place until the write timeout.
    let health = "GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let served = async {
        loop {
            let mut other = serving.connect().await;
            if status_line(&mut other, health).await == "HTTP/1.1 200 OK" {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, served)
        .await
        .expect("a place becomes free in time");
    let response_cache = rest(&mut stalled).await.matches("HTTP/1.1 200").count();
    assert!(response_cache < 19, "{response_cache}");
    serving.stop().await;
}

#[covers("limit CONNECTIONS")]
#[tokio::test]
async fn longest_idle_connection_is_closed_at_the_limit() {
    let limits = Limits {
        connections: 3,
        ..patient()
    };
    let serving = ListeningServer::with_limits(limits).await;
    let mut streams = [
        serving.connect().await,
        serving.connect_from(2).await,
        serving.connect_from(3).await,
    ];
    for at in [0, 1, 2, 0] {
        assert_eq!(
            status_line(&mut streams[at], &take()).await,
            "HTTP/1.1 201 Created"
        );
        // The rest of the head; there is no body.
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(streams[at].read_u8().await.unwrap());
        }
    }
    let mut fourth = serving.connect_from(4).await;
    assert_eq!(status_line(&mut fourth, &take()).await, "HTTP/1.1 201 Created");
    assert_eq!(rest(&mut streams[1]).await, "");
    for at in [0, 2] {
        assert_eq!(
            status_line(&mut streams[at], &take()).await,
            "HTTP/1.1 201 Created"
        );
    }
    serving.stop().await;
}

#[tokio::test]
async fn active_connection_is_not_closed_at_the_limit() {
    let limits = Limits {
        connections: 1,
        ..patient()
    };
    let serving = ListeningServer::with_limits(limits).await;
    let mut working = serving.connect().await;
    begin(&mut working).await;
    // Its own address is refused; another address waits.
    let mut refused = serving.connect().await;
    assert_eq!(status_line(&mut refused, &take()).await, "");
    let mut waiting = serving.connect_from(2).await;
    waiting.write_all(take().as_bytes()).await.unwrap();
    assert_eq!(status_line(&mut working, "{}").await, "HTTP/1.1 201 Created");
    assert_eq!(status_line(&mut waiting, "").await, "HTTP/1.1 201 Created");
    serving.stop().await;
}

#[covers("limit ADDRESS_SHARE")]
#[tokio::test]
async fn address_at_the_limit_leaves_room_for_another() {
    const PLACES: usize = 40;
    let limits = Limits {
        connections: PLACES,
        ..patient()
    };
    let serving = ListeningServer::with_limits(limits).await;
    let mut working = Vec::new();
    for _ in 0..PLACES {
        let mut stream = serving.connect().await;
        begin(&mut stream).await;
        working.push(stream);
    }
    // Another address gets half of the places, even active ones.
    let mut others = Vec::new();
    for _ in 0..PLACES / 2 {
        let mut stream = serving.connect_from(2).await;
        begin(&mut stream).await;
        others.push(stream);
    }
    for stream in working.iter_mut().take(PLACES / 2) {
        assert_eq!(rest(stream).await, "");
    }
    for stream in working.iter_mut().skip(PLACES / 2).chain(&mut others) {
        assert_eq!(status_line(stream, "{}").await, "HTTP/1.1 201 Created");
    }
    serving.stop().await;
}
