//! A server that says what a test wants, right or wrong.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A connection whose request head has been read.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
}

impl Connection {
    /// Writes; false if the client has gone.
    pub(super) fn write(&mut self, bytes: &[u8]) -> bool {
        self.stream
            .write_all(bytes)
            .and_then(|()| self.stream.flush())
            .is_ok()
    }

    /// Whether the client closes the connection.
    pub(super) fn is_closed_by_client(&mut self) -> bool {
        matches!(self.stream.read(&mut [0]), Ok(0) | Err(_))
    }
}

/// A response with this body.
pub(super) fn response(status: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A listening server; each connection is handled on a thread of its own.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Reads a request from each connection, and then does what `answer` does.
    pub(super) fn start(answer: impl Fn(Connection) + Send + Sync + 'static) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
        let mut server = Self::raw(move |mut stream| {
            let Ok(request) = read_request(&mut stream) else {
                return;
            };
            seen.lock().unwrap().push(request);
            answer(Connection { stream });
        });
        server.requests = requests;
        server
    }

    /// Does with each connection what `handle` does.
    pub(super) fn raw(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let accepted = Arc::new(AtomicUsize::new(0));
        let (counted, handle) = (Arc::clone(&accepted), Arc::new(handle));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                counted.fetch_add(1, Ordering::SeqCst);
                let handle = Arc::clone(&handle);
                thread::spawn(move || handle(stream));
            }
        });
        Self {
            address,
            accepted,
            requests: Arc::default(),
        }
    }

    /// Answers every request with the same bytes.
    pub(super) fn with(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::start(move |mut connection| {
            connection.write(&bytes);
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connections that were accepted.
    pub(super) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// A request with as much of its body as `Content-Length` says.
pub(super) fn read_request(stream: &mut impl io::Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        bytes.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&bytes).to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body)?;
    bytes.append(&mut body);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
