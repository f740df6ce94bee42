//! A server with chosen limits on a socket, and raw HTTP/1.1.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{TestServer, limit_routes};
use svc_api::route::Route;
use svc_api::router;
use svc_http_io::limits::Limits;
use svc_http_io::proxy::ProxyConfig;
use svc_http_io::server;
use svc_platform::tasks;

/// Longer than any test should take, and shorter than anybody's patience.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const SHORT: Duration = Duration::from_millis(200);

pub(crate) struct LimitedServer {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<std::io::Result<()>>,
    pub(crate) server: TestServer,
}

impl LimitedServer {
    /// Serves the routes that cross limits.
    pub(crate) async fn start(limits: Limits) -> Self {
        Self::start_with(limits, &limit_routes::routes()).await
    }

    pub(crate) async fn start_with(limits: Limits, routes: &[Route]) -> Self {
        let server = TestServer::start().await;
        let service = router::service_of(routes, server.state.clone(), limits);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async {
            // An error is a dropped test.
            let _ = stopped.await;
        };
        let task = tasks::spawn("test server", async move {
            server::serve(listener, service, limits, ProxyConfig::default(), shutdown).await
        });
        Self {
            address,
            stop,
            task,
            server,
        }
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// From another address of this machine.
    pub(crate) async fn connect_from(&self, last: u8) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into()).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    pub(crate) async fn stop(self) {
        self.ask_to_stop().wait().await;
    }

    pub(crate) fn ask_to_stop(self) -> Ending {
        self.stop.send(()).unwrap();
        Ending {
            task: self.task,
            _server: self.server,
        }
    }
}

/// A server that was asked to stop.
pub(crate) struct Ending {
    pub(crate) task: JoinHandle<std::io::Result<()>>,
    _server: TestServer,
}

impl Ending {
    pub(crate) async fn wait(self) {
        let ended = tokio::time::timeout(PATIENCE, self.task).await;
        ended.expect("the server ends").unwrap().unwrap();
    }
}

/// What comes until the server closes the connection.
pub(crate) async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    // A reset is a close as well: the server had not read all that was sent.
    let _ = tokio::time::timeout(PATIENCE, read)
        .await
        .expect("the server closes");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Sends a request and reads the first line of its answer; empty if the server closes.
pub(crate) async fn status_line(stream: &mut TcpStream, request: &str) -> String {
    let _ = stream.write_all(request.as_bytes()).await;
    let mut line = Vec::new();
    let reading = async {
        while !line.ends_with(b"\r\n") {
            match stream.read_u8().await {
                Ok(byte) => line.push(byte),
                Err(_) => break,
            }
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.unwrap();
    String::from_utf8(line).unwrap().trim_end().to_owned()
}

pub(crate) fn head(length: usize) -> String {
    format!(
        "POST /take HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    )
}
