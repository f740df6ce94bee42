//! Requests that hyper cannot parse.

use serde_json::Value;
use svc_covers::covers;
use tokio::io::AsyncWriteExt as _;

use crate::LISTED_ORIGIN;
use crate::support::listening::ListeningServer;
use crate::support::sockets::{head, rest, status_line};
use svc_http_io::limits::{HEADER_FIELDS, Limits};

fn assert_refused(answer: &str, status: u16, origin: Option<&str>) {
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("{answer}"));
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    let json: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"));
    assert!(json["message"].is_string(), "{answer}");
    let header = |name: &str| {
        let mut lines = head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    let length = body.len().to_string();
    for (name, value) in [
        ("content-type", "application/json; charset=utf-8"),
        ("content-length", &length),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("connection", "close"),
        ("vary", "Origin"),
    ] {
        assert_eq!(header(name), Some(value), "{name}: {answer}");
    }
    assert_eq!(header("access-control-allow-origin"), origin, "{answer}");
    assert!(header("x-request-id").is_some(), "{answer}");
}

#[covers("T50", "A4")]
#[tokio::test]
async fn request_that_cannot_be_read_is_refused_with_a_message() {
    let serving = ListeningServer::with_limits(Limits::default()).await;
    let many = "x: y\r\n".repeat(HEADER_FIELDS + 1);
    for (line, headers, status) in [
        ("GET /nothing?a=\"b\" HTTP/1.1", "", 400),
        ("GET /a<b HTTP/1.1", "", 400),
        ("GET / HTTP/9.9", "", 400),
        ("G(T / HTTP/1.1", "", 400),
        ("GET / HTTP/1.1", "no colon\r\n", 400),
        ("GET / HTTP/1.1", many.as_str(), 431),
    ] {
        for origin in [None, Some(LISTED_ORIGIN), Some("https://other.example")] {
            let origin_line = origin.map_or_else(String::new, |origin| format!("Origin: {origin}\r\n"));
            let request = format!("{line}\r\nhost: localhost\r\n{origin_line}{headers}\r\n");
            let mut stream = serving.connect().await;
            stream.write_all(request.as_bytes()).await.unwrap();
            let listed = origin.filter(|origin| *origin == LISTED_ORIGIN);
            assert_refused(&rest(&mut stream).await, status, listed);
        }
    }
    serving.stop().await;
}

#[covers("A4")]
#[tokio::test]
async fn head_that_never_ends_is_refused_with_a_message() {
    let serving = ListeningServer::with_limits(Limits::default()).await;
    let mut stream = serving.connect().await;
    let request = format!("GET / HTTP/1.1\r\nx: {}", "y".repeat(100_000));
    // The server may close before all is sent.
    let _ = stream.write_all(request.as_bytes()).await;
    assert_refused(&rest(&mut stream).await, 431, None);
    serving.stop().await;
}

#[tokio::test]
async fn request_that_cannot_be_read_after_others_is_refused_with_a_message() {
    let serving = ListeningServer::with_limits(Limits::default()).await;
    let mut stream = serving.connect().await;
    let request = format!("{}{{}}", head(2));
    assert_eq!(status_line(&mut stream, &request).await, "HTTP/1.1 201 Created");
    stream.write_all(b"GET /< HTTP/1.1\r\n\r\n").await.unwrap();
    let rest = rest(&mut stream).await;
    let (_, refusal) = rest.split_once("\r\n\r\n").unwrap();
    assert_refused(refusal, 400, None);
    serving.stop().await;
}

#[tokio::test]
async fn refusal_of_a_head_request_has_no_body() {
    let serving = ListeningServer::with_limits(Limits::default()).await;
    let mut stream = serving.connect().await;
    stream.write_all(b"HEAD /< HTTP/1.1\r\n\r\n").await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(
        answer.starts_with("HTTP/1.1 400 ") && answer.ends_with("\r\n\r\n"),
        "{answer}"
    );
    serving.stop().await;
}
