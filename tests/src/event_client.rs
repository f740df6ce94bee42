//! A client of the event stream.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::program::Server;

/// Reads a stream line by line and skips chunk sizes.
#[derive(Debug)]
pub struct EventClient(BufReader<TcpStream>);

impl EventClient {
    /// Opens a stream of the owner's and waits for its first comment.
    pub fn open(server: &Server) -> Self {
        Self::open_as(server, server.token())
    }

    /// Opens a stream with this token.
    pub fn open_as(server: &Server, token: &str) -> Self {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let request = format!(
            "GET /api/v1/events/subscribe HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut listener = Self(BufReader::new(stream));
        assert_eq!(listener.line().as_deref(), Some("HTTP/1.1 200 OK"));
        while listener.line().expect("the stream opens") != ":" {}
        listener
    }

    /// The next line; `None` at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let length = self.0.read_line(&mut line).unwrap();
        (length > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event; `None` at the end.
    pub fn next_event(&mut self) -> Option<Value> {
        loop {
            let line = self.line()?;
            if let Some(json) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(json).unwrap());
            }
        }
    }
}
