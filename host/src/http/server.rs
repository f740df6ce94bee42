//! Listening: connections, their limits, and the end of it all.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use salvo::conn::{ConnCtrl, StraightStream, http1, http2};
use salvo::fuse::FuseConfig;
use salvo::http::uri::Scheme;
use salvo::rt::tokio::{TokioExecutor, TokioIo, TokioTimer};
use salvo::{Service, hyper};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::connection::{Connection, Transport};
use super::limits::{self as table, Limits};

/// Time until the next try where no connection can be accepted, as when there are no file descriptors left.
const ACCEPT_AGAIN: Duration = Duration::from_millis(10);

/// Answers requests on `listener` until `shutdown` is done and the open ones have ended, or their time is up.
///
/// # Errors
/// If the listener has no address.
pub async fn serve(
    listener: TcpListener,
    service: Service,
    limits: Limits,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let server = Arc::new(Server::new(service, listener.local_addr()?, limits));
    let permits = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let (going_on, stop) = watch::channel(());
    // What is still open at the end is dropped with it.
    let mut connections = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = accept(&listener, &permits) => accepted,
        };
        match accepted {
            Ok((socket, peer, permit)) => {
                let server = Arc::clone(&server);
                let end = End {
                    watcher: graceful.watcher(),
                    stop: stop.clone(),
                };
                connections.spawn(async move {
                    server.answer(socket, peer, end).await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
    drop((listener, going_on));
    let drained = async {
        graceful.shutdown().await;
        while connections.join_next().await.is_some() {}
    };
    if timeout(table::DRAIN_TIME, drained).await.is_err() {
        tracing::info!("connections that were still open are broken off");
    }
    Ok(())
}

/// The next connection, once there is room for it.
async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits)
        .acquire_owned()
        .await
        .map_err(io::Error::other)?;
    let (socket, peer) = listener.accept().await?;
    // An answer is written as a whole; its end must not wait for an acknowledgement of its beginning.
    socket.set_nodelay(true)?;
    Ok((socket, peer, permit))
}

/// How a connection learns of the end.
struct End {
    /// Where HTTP is spoken already.
    watcher: Watcher,
    /// Before that; its sender is dropped.
    stop: watch::Receiver<()>,
}

/// What all connections share.
struct Server {
    service: Service,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    fuse: FuseConfig,
    header_time: Duration,
    address: SocketAddr,
}

impl Server {
    fn new(service: Service, address: SocketAddr, limits: Limits) -> Self {
        let mut http1 = http1::Builder::new();
        http1
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_time)
            .max_buf_size(table::HEADER_BYTES)
            .max_headers(table::HEADER_FIELDS);
        let (idle, patience) = table::H2_PING;
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            // Without one the first ping would panic.
            .timer(TokioTimer::new())
            .max_concurrent_streams(table::H2_STREAMS)
            .max_header_list_size(table::H2_HEADER_LIST_BYTES)
            .max_pending_accept_reset_streams(table::H2_PENDING_RESETS)
            .max_local_error_reset_streams(table::H2_LOCAL_RESETS)
            .keep_alive_interval(idle)
            .keep_alive_timeout(patience);
        Self {
            service,
            http1,
            http2,
            fuse: FuseConfig::disabled()
                .with_write_stall_timeout(table::WRITE_STALL)
                .with_request_body_timeout(limits.body_gap),
            header_time: limits.header_time,
            address,
        }
    }

    /// Answers what comes on a connection, and then does with it what an answer left to be done.
    async fn answer(&self, socket: TcpStream, peer: SocketAddr, end: End) {
        let connection = Connection::default();
        // In a box, so that its memory is given back before a successor begins.
        let speaking = Box::pin(self.speak(socket, peer, connection.clone(), end));
        let is_broken = tokio::select! {
            () = speaking => false,
            () = connection.free() => false,
            () = connection.broken() => true,
        };
        // Taken in any case: a successor holds the connection, which holds the successor.
        let handed_over = connection.handed_over().filter(|_| !is_broken);
        if let Some((successor, socket)) = handed_over {
            tokio::select! {
                () = successor(socket) => {}
                () = connection.broken() => {}
            }
        }
    }

    /// Speaks HTTP until one side ends it.
    async fn speak(&self, socket: TcpStream, peer: SocketAddr, connection: Connection, end: End) {
        let End { watcher, mut stop } = end;
        let mut transport = Transport::new(socket, connection.clone());
        let is_http2 = tokio::select! {
            begun = timeout(self.header_time, transport.begins_with_http2()) => match begun {
                Ok(Ok(is_http2)) => is_http2,
                _ => return,
            },
            // Browsers open connections that they may never use.
            _ = stop.changed() => return,
        };
        drop(stop);
        let control = ConnCtrl::new();
        let handler = OnConnection {
            handler: self.service.hyper_handler(
                self.address.into(),
                peer.into(),
                Scheme::HTTP,
                Some(self.fuse),
                control.clone(),
                None,
            ),
            connection,
        };
        let stream = TokioIo::new(StraightStream::new(transport, Some(self.fuse), control, None));
        let outcome = if is_http2 {
            watcher.watch(self.http2.serve_connection(stream, handler)).await
        } else {
            watcher.watch(self.http1.serve_connection(stream, handler)).await
        };
        if let Err(error) = outcome {
            tracing::debug!(%error, "a connection ended with an error");
        }
    }
}

/// Tells each request the connection that it came on.
struct OnConnection<S> {
    handler: S,
    connection: Connection,
}

impl<S, B> hyper::service::Service<hyper::Request<B>> for OnConnection<S>
where
    S: hyper::service::Service<hyper::Request<B>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn call(&self, mut request: hyper::Request<B>) -> S::Future {
        request.extensions_mut().insert(self.connection.clone());
        self.handler.call(request)
    }
}
