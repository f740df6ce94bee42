//! Limits of requests over real connections. Timeouts are tested in `host/tests/http/server/connections.rs`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;
use svc_covers::covers;
use svc_tests::program::{Server, serve, wait_for};

/// Sends raw bytes and reads until the server closes; returns head and body.
fn exchange(server: &Server, request: &[u8]) -> (String, String) {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // The server may answer and close before all is sent.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        answer.extend_from_slice(&buffer[..read]);
    }
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    (head.to_owned(), body.to_owned())
}

fn status(head: &str) -> u16 {
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| panic!("no answer: {head:?}"))
}

fn get(target: &str, headers: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n")
}

fn post(headers: &str, body: &str) -> String {
    format!(
        "POST /api/v1/setup HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         {headers}\r\n\r\n{body}"
    )
}

#[covers("limit HEADER_FIELDS", "limit HEADER_BYTES", "T50")]
#[test]
fn heads_that_are_too_large_are_refused() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &[]);
    let fields = |count: usize| "x: y\r\n".repeat(count - 2);
    let field = |bytes: usize| format!("x: {}\r\n", "y".repeat(bytes));
    for (headers, expected) in [
        (fields(100), 200),
        (fields(101), 431),
        (fields(5000), 431),
        (field(30_000), 200),
        (field(60_000), 431),
        (field(200_000), 431),
    ] {
        let (head, body) = exchange(&server, get("/api/v1/health", &headers).as_bytes());
        assert_eq!(status(&head), expected, "{} bytes", headers.len());
        assert!(body.starts_with('{'), "{body}");
        assert!(head.contains("cache-control: no-store"), "{head}");
    }
    for (bytes, expected) in [(8_000, 200), (8_300, 414), (30_000, 414)] {
        let target = format!("/api/v1/health?{}", "x".repeat(bytes));
        let (head, body) = exchange(&server, get(&target, "").as_bytes());
        assert_eq!(status(&head), expected, "{bytes}");
        assert!(body.starts_with('{'), "{body}");
        assert!(head.contains("x-content-type-options: nosniff"), "{head}");
    }
    assert_eq!(server.get("/api/v1/health").status, 200);
}

#[covers("limit LOGIN_BODY_BYTES", "T50")]
#[test]
fn bodies_that_are_too_large_are_refused_however_they_come() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &[]);
    let body = format!("{{\"username\":\"{}\"}}", "x".repeat(70_000));
    let announced = post(&format!("content-length: {}", body.len()), &body);
    // The body is only announced; the response does not wait for it.
    let promised = post("content-length: 1000000000", "{");
    let chunked = post(
        "transfer-encoding: chunked",
        &format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()),
    );
    let endless = post("transfer-encoding: chunked", "400\r\n")
        + &format!("{}\r\n", "x".repeat(0x400) + "\r\n400").repeat(100);
    for request in [announced, promised, chunked, endless] {
        let (head, body) = exchange(&server, request.as_bytes());
        assert_eq!(status(&head), 413, "{head}");
        assert!(body.contains("65536"), "{body}");
        assert!(head.contains("cache-control: no-store"), "{head}");
    }
    let small = post("content-length: 2", "{}");
    assert_eq!(status(&exchange(&server, small.as_bytes()).0), 400);
}

#[test]
fn requests_that_can_be_read_in_two_ways_are_refused() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &[]);
    for headers in [
        "content-length: 2\r\ncontent-length: 3",
        "content-length: -1",
        "content-length: 2,3",
        "transfer-encoding: chunked, identity",
        "content-length : 2",
        "x\r\n y: z",
    ] {
        let (head, body) = exchange(&server, post(headers, "{}").as_bytes());
        assert_eq!(status(&head), 400, "{headers:?}: {head}");
        assert!(body.starts_with("{\"message\""), "{headers:?}: {body}");
    }
}

#[test]
fn http2_without_upgrade_is_answered_and_its_header_list_bounded() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &[]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(async {
        let stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
        let (mut client, connection) = h2::client::handshake(stream).await.unwrap();
        let exchange = async {
            for (bytes, expected) in [(10, 200), (15_000, 200), (17_000, 431), (10, 200)] {
                client = client.ready().await.unwrap();
                let request = ureq::http::Request::builder()
                    .uri("http://localhost/api/v1/health")
                    .header("x-long", "y".repeat(bytes));
                let (answer, _) = client.send_request(request.body(()).unwrap(), true).unwrap();
                assert_eq!(answer.await.unwrap().status(), expected, "{bytes}");
            }
        };
        tokio::select! {
            () = exchange => {}
            ended = connection => panic!("the server closed: {ended:?}"),
        }
    });
}

#[test]
fn request_log_names_the_client_and_the_limit_that_it_exceeded() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let mut command = serve(
        &directory.path().join("data"),
        &["--trusted-proxy", "127.0.0.1/32"],
    );
    command.stderr(fs::File::create(&log).unwrap());
    let server = Server::spawn_as_owner(&mut command);
    let headers = [("x-forwarded-for", "203.0.113.9")];
    let body = json!({"app": "music"});
    for asked in 0..11 {
        let reply = server.anonymous("POST", "/api/v1/auth/device", &headers, Some(&body));
        assert_eq!(reply.status, if asked < 10 { 201 } else { 429 }, "{asked}");
    }
    wait_for("the line", || {
        let log = fs::read_to_string(&log).unwrap();
        log.lines().any(|line| {
            line.contains("status=429")
                && line.contains("client=203.0.113.9")
                && line.contains("limit=\"new codes of devices\"")
        })
    });
}
