//! A connection from the view of its requests: they can abort it, take it over, and send parts of files without
//! copying.
//!
//! hyper speaks HTTP on it and knows of neither; [`super::transport`] sits between hyper and the socket. Both work
//! only with HTTP/1, where one response follows the other; the streams of HTTP/2 share a connection.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use salvo::Request;
use salvo::http::Version;
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::activity::Activity;
use crate::limits::FILE_PART_BYTES;

/// Given to hyper in place of a part of a file. Only its address is used; never written, so it occupies no memory.
static PLACEHOLDER: LazyLock<&'static [u8]> = LazyLock::new(|| vec![0; FILE_PART_BYTES].leak());

pub(super) fn is_placeholder(slice: &[u8]) -> bool {
    !slice.is_empty() && PLACEHOLDER.as_ptr_range().contains(&slice.as_ptr())
}

/// Continues with a socket that was taken over.
pub type Takeover = Box<dyn FnOnce(TcpStream) -> BoxFuture<'static, ()> + Send + Sync>;

/// A handle to a connection. Clones refer to the same one.
#[derive(Clone, Default)]
pub struct Connection(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Notified when the socket can be taken over.
    free: Notify,
    /// Notified when the connection has to be aborted.
    aborted: Notify,
    activity: Activity,
}

#[derive(Default)]
pub(super) struct State {
    /// In the order of their placeholders.
    pub(super) parts: VecDeque<FilePart>,
    /// Runs after hyper has finished.
    takeover: Option<(Takeover, InFlightGuard)>,
    is_free: bool,
    /// The socket, after the transport has released it.
    socket: Option<TcpStream>,
}

pub(super) struct FilePart {
    pub(super) file: Arc<File>,
    pub(super) position: u64,
    pub(super) remaining: usize,
}

/// Counts a request of a connection as in flight until it is dropped.
#[derive(Debug)]
pub(super) struct InFlightGuard(Connection);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.activity().end();
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    /// The connection of a request, if no other request can use it before the response has been sent.
    pub fn own(req: &Request) -> Option<Self> {
        let is_own = matches!(req.version(), Version::HTTP_10 | Version::HTTP_11);
        is_own.then(|| req.extensions().get::<Self>().cloned()).flatten()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn activity(&self) -> &Activity {
        &self.0.activity
    }

    /// Counts a new request.
    pub(super) fn begin(&self) -> InFlightGuard {
        self.activity().begin();
        InFlightGuard(self.clone())
    }

    /// Closes the connection, with all its requests.
    pub fn abort(&self) {
        self.0.aborted.notify_one();
    }

    /// Returns a placeholder for at most [`FILE_PART_BYTES`] bytes of a file, to be given to hyper as the next data
    /// of a body.
    pub fn send_part(&self, file: Arc<File>, position: u64, length: usize) -> Bytes {
        let placeholder = PLACEHOLDER.get(..length).unwrap_or(*PLACEHOLDER);
        let remaining = placeholder.len();
        if remaining > 0 {
            self.state().parts.push_back(FilePart {
                file,
                position,
                remaining,
            });
        }
        Bytes::from_static(placeholder)
    }

    /// Passes the socket to `takeover` after everything that hyper holds is sent. To be called when hyper polls the
    /// body: then the head is part of it.
    pub fn take_over(&self, takeover: Takeover) {
        let in_flight = self.begin();
        self.state().takeover = Some((takeover, in_flight));
    }

    /// hyper has flushed: the successor may take over.
    pub(super) fn sent(&self) {
        let mut state = self.state();
        if state.takeover.is_some() && !state.is_free {
            state.is_free = true;
            self.0.free.notify_one();
        }
    }

    /// Takes the socket from the transport if a takeover waits for it.
    pub(super) fn release_socket(&self, socket: &mut Option<TcpStream>) {
        let mut state = self.state();
        if state.is_free {
            state.socket = socket.take();
        }
    }

    /// Waits until the connection has to be aborted.
    pub(super) async fn aborted(&self) {
        self.0.aborted.notified().await;
    }

    /// Waits until the socket can be taken over.
    pub(super) async fn free(&self) {
        self.0.free.notified().await;
    }

    /// The pending takeover and its socket.
    pub(super) fn taken_over(&self) -> Option<((Takeover, InFlightGuard), TcpStream)> {
        let (takeover, socket) = {
            let mut state = self.state();
            (state.takeover.take(), state.socket.take())
        };
        takeover.zip(socket)
    }
}
