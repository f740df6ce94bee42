//! Each limit of a connection, crossed over real sockets, with times that are shorter than the server's.

use std::net::SocketAddr;
use std::time::Duration;

use salvo::http::HeaderValue;
use salvo::hyper::Request;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Bed, limits};
use crate::http::limits::{DRAIN_TIME, Limits};
use crate::http::{router, server};
use crate::tasks;

/// Longer than any test should take, and shorter than anybody's patience.
const PATIENCE: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(200);

struct Serving {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<std::io::Result<()>>,
    _bed: Bed,
}

impl Serving {
    async fn start(limits: Limits) -> Self {
        let bed = Bed::start().await;
        let service = router::service_of(&limits::routes(), bed.state.clone(), limits);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async {
            // An error is a dropped test.
            let _ = stopped.await;
        };
        let task = tasks::spawn("test server", async move {
            server::serve(listener, service, limits, shutdown).await
        });
        Self {
            address,
            stop,
            task,
            _bed: bed,
        }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        tokio::time::timeout(PATIENCE, self.task)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
    }
}

/// What comes until the server closes the connection.
async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    // A reset is a close as well: the server had not read all that was sent.
    let _ = tokio::time::timeout(PATIENCE, read)
        .await
        .expect("the server closes");
    String::from_utf8_lossy(&bytes).into_owned()
}

fn head(length: usize) -> String {
    format!(
        "POST /take HTTP/1.1\r\nhost: svc\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    )
}

#[tokio::test]
async fn slow_head_closes_the_connection() {
    let limits = Limits {
        header_time: SHORT,
        ..Limits::default()
    };
    let serving = Serving::start(limits).await;
    for beginning in [
        "",
        "G",
        "GET /take HTTP/1.1\r\nhost: svc\r\nx: ",
        "PRI * HTTP/2.0\r\n",
    ] {
        let mut stream = serving.connect().await;
        stream.write_all(beginning.as_bytes()).await.unwrap();
        // hyper closes without an answer: nobody asked for anything yet.
        assert_eq!(rest(&mut stream).await, "", "{beginning:?}");
    }
    serving.stop().await;
}

#[tokio::test]
async fn connection_without_a_further_request_is_closed() {
    let limits = Limits {
        header_time: SHORT,
        ..Limits::default()
    };
    let serving = Serving::start(limits).await;
    let mut stream = serving.connect().await;
    let request = format!("{}{{}}", head(2));
    stream.write_all(request.as_bytes()).await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    serving.stop().await;
}

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
        let serving = Serving::start(limits).await;
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
async fn time_of_the_body_is_not_the_handlers() {
    let limits = Limits {
        header_time: SHORT,
        handler_time: Duration::from_secs(1),
        ..Limits::default()
    };
    let serving = Serving::start(limits).await;
    let mut stream = serving.connect().await;
    stream.write_all(head(2).as_bytes()).await.unwrap();
    stream.write_all(b"{").await.unwrap();
    tokio::time::sleep(Duration::from_millis(1300)).await;
    stream.write_all(b"}").await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    serving.stop().await;
}

#[tokio::test]
async fn connection_that_says_nothing_does_not_hold_up_the_end() {
    let serving = Serving::start(Limits::default()).await;
    let mut silent = serving.connect().await;
    let mut idle = serving.connect().await;
    let request = format!("{}{{}}", head(2));
    idle.write_all(request.as_bytes()).await.unwrap();
    let mut buffer = [0; 12];
    idle.read_exact(&mut buffer).await.unwrap();
    tokio::time::timeout(DRAIN_TIME / 2, serving.stop())
        .await
        .unwrap();
    assert_eq!(rest(&mut silent).await, "");
}

#[tokio::test]
async fn connections_beyond_the_limit_wait() {
    let limits = Limits {
        connections: 1,
        ..Limits::default()
    };
    let serving = Serving::start(limits).await;
    let request = format!("{}{{}}", head(2));
    let mut first = serving.connect().await;
    first.write_all(request.as_bytes()).await.unwrap();
    let mut buffer = [0; 12];
    first.read_exact(&mut buffer).await.unwrap();
    assert_eq!(&buffer, b"HTTP/1.1 201");
    let mut second = serving.connect().await;
    second.write_all(request.as_bytes()).await.unwrap();
    let early = tokio::time::timeout(SHORT, second.read_exact(&mut buffer)).await;
    assert!(early.is_err(), "answered beside the first");
    drop(first);
    let answered = tokio::time::timeout(PATIENCE, second.read_exact(&mut buffer)).await;
    answered.unwrap().unwrap();
    assert_eq!(&buffer, b"HTTP/1.1 201");
    drop(second);
    serving.stop().await;
}

#[tokio::test]
async fn http2_works_without_upgrade_and_bounds_its_header_list() {
    let serving = Serving::start(Limits::default()).await;
    let (client, connection) = h2::client::handshake(serving.connect().await).await.unwrap();
    let driver = tasks::spawn("test client", async move {
        // Ends with an error when the server closes first.
        let _ = connection.await;
    });
    let mut client = client.ready().await.unwrap();
    for (bytes, status) in [(10, 404), (15_000, 404), (17_000, 431), (10, 404)] {
        let request = Request::builder().uri("http://svc/nothing");
        let value = HeaderValue::from_str(&"x".repeat(bytes)).unwrap();
        let request = request.header("x-long", value).body(()).unwrap();
        let (answer, _) = client.send_request(request, true).unwrap();
        // h2 answers 431 by itself: no body, none of the headers.
        let answer = tokio::time::timeout(PATIENCE, answer).await.unwrap().unwrap();
        assert_eq!(answer.status(), status, "{bytes}");
        assert_eq!(answer.headers().contains_key("referrer-policy"), status == 404);
    }
    drop(client);
    driver.abort();
    serving.stop().await;
}
