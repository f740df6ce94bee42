//! A server on a socket, and clients of its event stream.

use std::net::SocketAddr;
use std::time::Duration;

use salvo::Service;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Client, TestServer, TestServerOptions, limit_routes};
use svc_api::route::Route;
use svc_api::router;
use svc_events::{EventKind, EventLimits, Message};
use svc_http_io::limits::Limits;
use svc_http_io::proxy::ProxyConfig;
use svc_http_io::server;
use svc_platform::tasks;

/// The timeout of every wait.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The default limits with a short sweep interval.
pub(crate) fn quick() -> EventLimits {
    EventLimits {
        sweep_interval: Duration::from_millis(50),
        ..EventLimits::default()
    }
}

/// A server that listens.
pub(crate) struct ListeningServer {
    pub(crate) server: TestServer,
    pub(crate) address: SocketAddr,
    pub(crate) stop: oneshot::Sender<()>,
    pub(crate) task: JoinHandle<std::io::Result<()>>,
}

impl ListeningServer {
    pub(crate) async fn start(limits: EventLimits) -> Self {
        Self::start_with(TestServerOptions {
            event_limits: limits,
            ..TestServerOptions::default()
        })
        .await
    }

    pub(crate) async fn start_with(options: TestServerOptions) -> Self {
        let server = TestServer::start_with(options).await;
        let service = router::service(server.state.clone());
        Self::serve(server, service, Limits::default()).await
    }

    /// Serves the routes of `limit_routes` with these limits.
    pub(crate) async fn with_limits(limits: Limits) -> Self {
        Self::with_routes(limits, &limit_routes::routes()).await
    }

    pub(crate) async fn with_routes(limits: Limits, routes: &[Route]) -> Self {
        let server = TestServer::start().await;
        let service = router::service_of(routes, server.state.clone(), limits);
        Self::serve(server, service, limits).await
    }

    async fn serve(server: TestServer, service: Service, limits: Limits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let events = server.state.events.clone();
        let shutdown = async move {
            // An error means that the test has ended.
            let _ = stopped.await;
            events.close();
        };
        let task = tasks::spawn("test server", async move {
            server::serve(listener, service, limits, ProxyConfig::default(), shutdown).await
        });
        Self {
            server,
            address,
            stop,
            task,
        }
    }

    /// Opens a stream with this in its query, and reads up to the first comment.
    pub(crate) async fn open(&self, query: &str) -> EventClient {
        let mut client = EventClient::send(TcpStream::connect(self.address).await.unwrap(), query).await;
        client.wait_until_open().await;
        client
    }

    pub(crate) async fn listen(&self, token: &Client) -> EventClient {
        self.open(&format!("?token={token}")).await
    }

    /// Opens a stream and never reads from it.
    pub(crate) async fn stall(&self, token: &Client) -> EventClient {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let stream = socket.connect(self.address).await.unwrap();
        let subscribers = self.server.state.events.subscribers();
        let client = EventClient::send(stream, &format!("?token={token}")).await;
        self.wait_for_subscribers(subscribers + 1).await;
        client
    }

    pub(crate) async fn wait_for_subscribers(&self, number: usize) {
        wait_for(|| self.server.state.events.subscribers() == number).await;
    }

    /// Publishes an event for readers of the index.
    pub(crate) fn publish(&self, payload: Value) {
        self.server
            .state
            .events
            .publish(|| Message::new(EventKind::IndexingStarted, &payload));
    }

    pub(crate) async fn act(&self, token: &Client, action: &str) -> (u16, Value) {
        let reply = token
            .patch("/api/v1/index/state", &json!({"action": action}))
            .await;
        (reply.status, reply.json())
    }
}

/// Waits until a condition holds.
pub(crate) async fn wait_for(mut condition: impl FnMut() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .expect("the condition holds in time");
}

/// A client with an open stream.
pub(crate) struct EventClient {
    stream: TcpStream,
    bytes: Vec<u8>,
    text: String,
    /// The head of the response.
    pub(crate) head: String,
    /// The number of HTTP/1.1 chunks.
    pub(crate) chunks: usize,
    /// The number of comments.
    pub(crate) comments: usize,
    ended: bool,
}

impl EventClient {
    async fn send(mut stream: TcpStream, query: &str) -> Self {
        let request = format!("GET /api/v1/events/subscribe{query} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        Self {
            stream,
            bytes: Vec::new(),
            text: String::new(),
            head: String::new(),
            chunks: 0,
            comments: 0,
            ended: false,
        }
    }

    /// `false` at the end.
    async fn read(&mut self) -> bool {
        let mut buffer = vec![0; 16 * 1024];
        let read = tokio::time::timeout(PATIENCE, self.stream.read(&mut buffer)).await;
        // A reset ends the stream too.
        let read = read.expect("the server sends something in time").unwrap_or(0);
        self.bytes.extend_from_slice(&buffer[..read]);
        read > 0
    }

    async fn wait_until_open(&mut self) {
        loop {
            let end = self.bytes.windows(4).position(|window| window == b"\r\n\r\n");
            if let Some(end) = end {
                let rest = self.bytes.split_off(end + 4);
                self.head = String::from_utf8(std::mem::replace(&mut self.bytes, rest)).unwrap();
                break;
            }
            assert!(self.read().await, "closed within the head");
        }
        if self.head.starts_with("HTTP/1.1 200") {
            while self.comments == 0 {
                assert!(self.step().await, "closed before the first comment");
            }
        }
    }

    /// Parses the received chunks, or reads more; `false` at the end.
    async fn step(&mut self) -> bool {
        let line = self.bytes.windows(2).position(|window| window == b"\r\n");
        if let Some(line) = line {
            let size = std::str::from_utf8(&self.bytes[..line]).unwrap();
            let size = usize::from_str_radix(size, 16).unwrap();
            let all = line + 2 + size + 2;
            if self.bytes.len() >= all {
                let chunk = String::from_utf8(self.bytes[line + 2..all - 2].to_vec()).unwrap();
                self.bytes.drain(..all);
                if size == 0 {
                    self.ended = true;
                    return false;
                }
                self.chunks += 1;
                self.text.push_str(&chunk);
                while let Some(rest) = self.text.strip_prefix(":\n\n") {
                    self.comments += 1;
                    self.text = rest.to_owned();
                }
                return true;
            }
        }
        self.read().await
    }

    /// The next event; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((line, rest)) = self.text.split_once("\n\n") {
                let event = line.strip_prefix("data: ").map(|json| {
                    assert!(!json.contains('\n'), "one line: {json}");
                    serde_json::from_str(json).unwrap()
                });
                if event.is_none() {
                    assert_eq!(line, ":");
                    self.comments += 1;
                }
                self.text = rest.to_owned();
                if event.is_some() {
                    return event;
                }
            } else if !self.step().await {
                return None;
            }
        }
    }

    /// The type of the next event.
    pub(crate) async fn next_type(&mut self) -> String {
        let event = self.next().await.expect("the stream continues");
        event["type"].as_str().unwrap().to_owned()
    }

    /// The payload of the next event.
    pub(crate) async fn next_payload(&mut self) -> Value {
        self.next().await.expect("the stream continues")["payload"].clone()
    }

    /// Reads to the end, where no event may follow; returns whether the body was complete.
    pub(crate) async fn end(&mut self) -> bool {
        assert_eq!(self.next().await, None);
        self.ended
    }

    /// Whether no event arrives for 300 ms.
    pub(crate) async fn is_silent(&mut self) -> bool {
        tokio::time::timeout(Duration::from_millis(300), self.next())
            .await
            .is_err()
    }
}
