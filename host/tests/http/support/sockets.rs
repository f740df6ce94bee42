//! Raw HTTP/1.1 connections to a server on a socket.

use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;

use super::TestServer;
use super::listening::{ListeningServer, PATIENCE};

pub(crate) const SHORT: Duration = Duration::from_millis(200);

impl ListeningServer {
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
        ended.expect("the server ends in time").unwrap().unwrap();
    }
}

/// Reads until the server closes the connection.
pub(crate) async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    // The server resets the connection if it had unread input.
    let _ = tokio::time::timeout(PATIENCE, read)
        .await
        .expect("the server closes in time");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Sends a request and reads the status line; empty if the server closes.
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
