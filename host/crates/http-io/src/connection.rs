//! A connection as its requests see it: they may break it off, take it over, and send parts of files that nobody reads.
//!
//! hyper speaks HTTP on it and knows of neither; [`super::transport`] stands between hyper and the socket. Both are for
//! HTTP/1, where one answer follows the other; the streams of HTTP/2 share a connection.

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

/// What hyper is given instead of a part of a file. Only the address counts: never written, it takes no memory.
static PLACEHOLDER: LazyLock<&'static [u8]> = LazyLock::new(|| vec![0; FILE_PART_BYTES].leak());

pub(super) fn is_placeholder(slice: &[u8]) -> bool {
    !slice.is_empty() && PLACEHOLDER.as_ptr_range().contains(&slice.as_ptr())
}

/// What goes on with a socket that was given away.
pub type Takeover = Box<dyn FnOnce(TcpStream) -> BoxFuture<'static, ()> + Send + Sync>;

/// A connection as its requests see it.
#[derive(Clone, Default)]
pub struct Connection(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Told when the socket may be given away.
    free: Notify,
    /// Told when the connection is to be broken off.
    aborted: Notify,
    activity: Activity,
}

#[derive(Default)]
pub(super) struct State {
    /// In the order of their placeholders.
    pub(super) parts: VecDeque<FilePart>,
    /// At work from here on, when hyper is not any more.
    takeover: Option<(Takeover, InFlightGuard)>,
    is_free: bool,
    /// What the transport left, once it is free.
    socket: Option<TcpStream>,
}

pub(super) struct FilePart {
    pub(super) file: Arc<File>,
    pub(super) position: u64,
    pub(super) remaining: usize,
}

/// A request of a connection that is being answered, for as long as this value lives.
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
    /// The one that a request came on, if it has it for itself until it is answered.
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

    /// A request has begun.
    pub(super) fn begin(&self) -> InFlightGuard {
        self.activity().begin();
        InFlightGuard(self.clone())
    }

    /// Breaks it off, with all that is on it.
    pub fn abort(&self) {
        self.0.aborted.notify_one();
    }

    /// What to give hyper, as the next of a body, in place of these bytes of a file: at most [`FILE_PART_BYTES`] of them.
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

    /// Gives the socket to `successor` once all that hyper has by now is sent. To be called when hyper asks for the
    /// body: the head is among it then.
    pub fn take_over(&self, takeover: Takeover) {
        let in_flight = self.begin();
        self.state().takeover = Some((takeover, in_flight));
    }

    /// hyper has sent all that it has: the moment for a successor.
    pub(super) fn sent(&self) {
        let mut state = self.state();
        if state.takeover.is_some() && !state.is_free {
            state.is_free = true;
            self.0.free.notify_one();
        }
    }

    /// Takes the socket, if a successor waits for it.
    pub(super) fn leave(&self, socket: &mut Option<TcpStream>) {
        let mut state = self.state();
        if state.is_free {
            state.socket = socket.take();
        }
    }

    /// Until it is to be broken off.
    pub(super) async fn aborted(&self) {
        self.0.aborted.notified().await;
    }

    /// Until the socket may be given away.
    pub(super) async fn free(&self) {
        self.0.free.notified().await;
    }

    /// Who goes on, and with what.
    pub(super) fn taken_over(&self) -> Option<((Takeover, InFlightGuard), TcpStream)> {
        let (takeover, socket) = {
            let mut state = self.state();
            (state.takeover.take(), state.socket.take())
        };
        takeover.zip(socket)
    }
}
