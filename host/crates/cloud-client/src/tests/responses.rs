//! Requests as servers receive them, and what servers may respond with.

use std::io::Write as _;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::limits;
use crate::tests::server::{Connection, Server, response};
use crate::tests::*;

const PACE: Duration = Duration::from_millis(100);

#[tokio::test]
async fn request_is_sent_as_the_plugin_made_it() {
    let server =
        Server::with(&b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-One: a\r\nX-One: b\r\n\r\nok"[..]);
    let request = HttpRequest {
        method: "POST".into(),
        url: format!("{}/a/../token?x=%2f#fragment", server.url()),
        headers: vec![
            header("Authorization", "Bearer secret"),
            header("Content-Type", "text/plain"),
        ],
        body: Some(b"a=b".to_vec()),
        flight: None,
    };
    let response = send(&client(&server.url()), request).await.unwrap();
    assert_eq!((response.status, response.body.as_slice()), (201, &b"ok"[..]));
    let values: Vec<_> = response
        .headers
        .iter()
        .filter(|header| header.name == "x-one")
        .collect();
    assert_eq!(
        values
            .iter()
            .map(|header| header.value.as_str())
            .collect::<Vec<_>>(),
        ["a", "b"]
    );

    let request = server.requests().remove(0).to_lowercase();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<&str> = head.lines().collect();
    assert_eq!(lines.remove(0), "post /token?x=%2f http/1.1");
    lines.sort_unstable();
    let host = format!("host: {}", server.address);
    let expected = [
        "accept-encoding: identity",
        "accept: */*",
        "authorization: bearer secret",
        "content-length: 3",
        "content-type: text/plain",
        host.as_str(),
        concat!("user-agent: svc/", env!("CARGO_PKG_VERSION")),
    ];
    assert_eq!(lines, expected);
    assert_eq!(body, "a=b");
}

#[tokio::test]
async fn every_method_reaches_the_server() {
    let server = Server::with(response("200 OK", ""));
    let client = client(&server.url());
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
        let request = HttpRequest {
            method: method.into(),
            ..get(server.url())
        };
        assert_eq!(send(&client, request).await.unwrap().status, 200, "{method}");
    }
    let methods: Vec<String> = server.requests();
    let methods: Vec<&str> = methods
        .iter()
        .map(|request| request.split(' ').next().unwrap())
        .collect();
    assert_eq!(methods, ["GET", "POST", "PUT", "PATCH", "DELETE"]);
}

#[tokio::test]
async fn redirect_is_returned_and_not_followed() {
    let other = Server::with(response("200 OK", "other"));
    for status in [
        "301 Moved",
        "302 Found",
        "303 See Other",
        "307 Temporary",
        "308 Permanent",
    ] {
        let redirect = format!(
            "HTTP/1.1 {status}\r\nLocation: {}/\r\nContent-Length: 4\r\n\r\nmore",
            other.url()
        );
        let server = Server::with(redirect);
        let response = send(&client(&server.url()), get(server.url())).await.unwrap();
        assert_eq!(response.status.to_string(), status[..3]);
        assert_eq!(response.body, b"more");
        assert_eq!(server.accepted(), 1);
    }
    assert_eq!(other.accepted(), 0);
}

#[tokio::test]
async fn body_of_exactly_the_limit_is_received() {
    for chunked in [false, true] {
        let server = Server::start(move |mut connection| {
            let body = vec![b'x'; limits::RESPONSE_BYTES];
            if chunked {
                connection.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                connection.write(format!("{:x}\r\n", body.len()).as_bytes());
                connection.write(&body);
                connection.write(b"\r\n0\r\n\r\n");
            } else {
                connection
                    .write(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes());
                connection.write(&body);
            }
        });
        let response = send(&client(&server.url()), get(server.url())).await.unwrap();
        assert_eq!(response.body.len(), limits::RESPONSE_BYTES, "chunked {chunked}");
    }
}

#[tokio::test]
async fn oversized_and_endless_responses_are_cut_off() {
    let heads = [
        // Says how long it is, and sends nothing.
        format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n",
            limits::RESPONSE_BYTES + 1
        ),
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\n\r\n".to_owned(),
        "HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n".to_owned(),
        // Headers without end, in one line and in many.
        "HTTP/1.1 200 OK\r\nX: ".to_owned(),
        "HTTP/1.1 200 OK\r\nX: \r\n".to_owned(),
    ];
    for head in heads {
        let (told, ended) = mpsc::sync_channel(64);
        let sent = head.clone();
        let server = Server::start(move |mut connection| {
            let block: Vec<u8> = if sent.contains("chunked") {
                [b"10000\r\n".as_slice(), &[b'x'; 0x10000], b"\r\n"].concat()
            } else if sent.ends_with("X: \r\n") {
                b"X: y\r\n".repeat(2000)
            } else {
                vec![b'x'; 0x10000]
            };
            let mut is_open = connection.write(sent.as_bytes());
            while is_open {
                is_open = connection.write(&block);
            }
            told.send(()).unwrap();
        });
        let outcome = send(&client(&server.url()), get(server.url())).await;
        let is_header_list = head.ends_with("X: \r\n");
        // A list of too many headers is no valid response, however short it is.
        let expected = if is_header_list {
            HttpError::Unreachable
        } else {
            HttpError::TooLarge
        };
        assert_eq!(outcome.unwrap_err(), expected, "{head}");
        ended
            .recv_timeout(Duration::from_secs(30))
            .expect("the connection is closed");
    }
}

#[tokio::test]
async fn compressed_body_is_not_decompressed() {
    // The letter a.
    let sent = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x04\x00\x43\xbe\xb7\xe8\x01\x00\x00\x00";
    for encoding in ["gzip", "br", "deflate", "zstd"] {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n",
            sent.len()
        );
        let server = Server::with([head.as_bytes(), sent].concat());
        let response = send(&client(&server.url()), get(server.url())).await.unwrap();
        assert_eq!(response.body, sent, "{encoding}");
    }
}

/// Sends a byte at a time for as long as the client listens; returns how long that was.
fn trickle(mut connection: Connection, head: &str, ended: &mpsc::SyncSender<Duration>) {
    let (_never, pace) = mpsc::sync_channel::<()>(1);
    let start = Instant::now();
    connection.stream.set_nodelay(true).unwrap();
    let mut is_open = connection.write(head.as_bytes());
    while is_open {
        let _ = pace.recv_timeout(PACE);
        is_open = connection.stream.write_all(b"x").is_ok();
    }
    ended.send(start.elapsed()).unwrap();
}

#[tokio::test]
async fn slow_response_ends_with_its_time() {
    for head in [
        "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: ",
        "",
    ] {
        let (told, ended) = mpsc::sync_channel(64);
        let server = Server::start(move |connection| trickle(connection, head, &told));
        let start = Instant::now();
        let outcome = send(&client(&server.url()), get(server.url())).await;
        // Without a status line, the first byte shows that this is no HTTP.
        let expected = if head.is_empty() {
            HttpError::Unreachable
        } else {
            HttpError::Timeout
        };
        assert_eq!(outcome.unwrap_err(), expected, "{head}");
        assert!(start.elapsed() < TIMES.total * 2);
        let open_for = ended
            .recv_timeout(Duration::from_secs(30))
            .expect("the connection is closed");
        assert!(open_for < TIMES.total * 2, "{open_for:?}");
    }
}

#[tokio::test]
async fn invalid_and_truncated_responses_are_unreachable() {
    for bytes in [
        &b""[..],
        b"\0\0\0\0\xff\xff",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 999999 Huge\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nab",
    ] {
        let server = Server::with(bytes);
        let outcome = send(&client(&server.url()), get(server.url())).await;
        assert_eq!(
            outcome.unwrap_err(),
            HttpError::Unreachable,
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
}

#[tokio::test]
async fn server_that_is_away_is_unreachable() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    drop(server);
    assert_eq!(
        send(&client(&url), get(&url)).await.unwrap_err(),
        HttpError::Unreachable
    );
}
