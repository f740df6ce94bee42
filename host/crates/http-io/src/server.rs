//! The HTTP server: accepts connections within the limits and shuts down gracefully.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use salvo::conn::{ConnCtrl, StraightStream, http1, http2};
use salvo::fuse::FuseConfig;
use salvo::http::uri::Scheme;
use salvo::rt::tokio::{TokioIo, TokioTimer};
use salvo::{Service, hyper};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::connection_limiter::{ConnectionLimiter, ConnectionSlot};
use crate::limits as table;
use crate::limits::Limits;
use crate::malformed_request::ErrorResponder;
use crate::proxy::ProxyConfig;
use crate::request_service::{Http1Service, Http2Service, HttpHandler};
use crate::send_buffer::{SendBuffer, StreamExecutor};
use crate::transport::Transport;

/// Delay before the next attempt when accepting fails, for example without free file descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(10);

/// Serves requests on `listener` until `shutdown` completes, then waits for open requests up to the drain time.
/// `proxy_config` names the peers that stand for many clients.
///
/// # Errors
/// The listener has no address.
pub async fn serve(
    listener: TcpListener,
    service: Service,
    limits: Limits,
    proxy_config: ProxyConfig,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let server = Arc::new(Server::new(service, listener.local_addr()?, limits));
    let connection_limiter = ConnectionLimiter::new(limits.connections, proxy_config);
    let (running, stop) = watch::channel(());
    // Dropping the set aborts the connections that are still open.
    let mut connections = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = accept(&listener, &connection_limiter) => accepted,
        };
        match accepted {
            Ok(Some(Accepted {
                socket,
                peer,
                connection,
                slot,
            })) => {
                let (server, stop) = (Arc::clone(&server), stop.clone());
                connections.spawn(async move {
                    server.handle_connection(socket, peer, connection, stop).await;
                    drop(slot);
                });
            }
            Ok(None) => {}
            Err(error) => {
                tracing::error!(%error, "connection cannot be accepted");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
    drop((listener, running));
    let drained = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.drain_time, drained).await.is_err() {
        tracing::info!("open connections aborted after the shutdown timeout");
    }
    Ok(())
}

struct Accepted {
    socket: TcpStream,
    peer: SocketAddr,
    connection: Connection,
    slot: ConnectionSlot,
}

/// Accepts the next connection and waits for a slot; `None` if the connection is rejected.
async fn accept(
    listener: &TcpListener,
    connection_limiter: &Arc<ConnectionLimiter>,
) -> io::Result<Option<Accepted>> {
    let (socket, peer) = listener.accept().await?;
    // A response is written as a whole; its end must not wait for the acknowledgement of its start.
    socket.set_nodelay(true)?;
    let connection = Connection::default();
    let slot = connection_limiter.admit(peer.ip(), &connection).await;
    Ok(slot.map(|slot| Accepted {
        socket,
        peer,
        connection,
        slot,
    }))
}

/// State shared by all connections.
struct Server {
    service: Service,
    error_responder: ErrorResponder,
    http1: http1::Builder,
    fuse: FuseConfig,
    limits: Limits,
    address: SocketAddr,
}

/// The byte stream of a connection for hyper.
type Stream = TokioIo<StraightStream<Transport>>;

impl Server {
    fn new(service: Service, address: SocketAddr, limits: Limits) -> Self {
        let mut http1 = http1::Builder::new();
        http1
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_time)
            .max_buf_size(table::HEADER_BYTES)
            .max_headers(table::HEADER_FIELDS);
        Self {
            error_responder: ErrorResponder::new(&service, address),
            service,
            http1,
            fuse: FuseConfig::disabled()
                .with_write_stall_timeout(limits.write_stall)
                .with_request_body_timeout(limits.body_gap),
            limits,
            address,
        }
    }

    fn http2(&self, send_buffer: &Arc<SendBuffer>) -> http2::Builder<StreamExecutor> {
        let (idle, patience) = self.limits.h2_ping;
        let (connection_window, stream_window) = table::H2_WINDOWS;
        let mut http2 = http2::Builder::new(StreamExecutor::new(Arc::clone(send_buffer)));
        http2
            // Without a timer, the first ping would panic.
            .timer(TokioTimer::new())
            .max_concurrent_streams(table::H2_STREAMS)
            .max_header_list_size(table::H2_HEADER_LIST_BYTES)
            .max_pending_accept_reset_streams(table::H2_PENDING_RESETS)
            .max_local_error_reset_streams(table::H2_LOCAL_RESETS)
            .max_send_buf_size(table::H2_QUEUED_BYTES)
            .initial_connection_window_size(connection_window)
            .initial_stream_window_size(stream_window)
            .keep_alive_interval(idle)
            .keep_alive_timeout(patience);
        http2
    }

    /// Serves the requests of a connection, then runs a takeover if there is one.
    async fn handle_connection(
        &self,
        socket: TcpStream,
        peer: SocketAddr,
        connection: Connection,
        stop: watch::Receiver<()>,
    ) {
        // Boxed, so that its memory is released before a takeover runs.
        let serving = Box::pin(self.serve_connection(socket, peer, connection.clone(), stop));
        let is_broken = tokio::select! {
            () = serving => false,
            () = connection.free() => false,
            () = connection.aborted() => true,
        };
        // Taken in any case: the takeover owns the connection, which owns the takeover.
        let taken_over = connection.taken_over().filter(|_| !is_broken);
        if let Some(((takeover, _in_flight), socket)) = taken_over {
            tokio::select! {
                () = takeover(socket) => {}
                () = connection.aborted() => {}
            }
        }
    }

    /// Serves HTTP on the connection until one side closes it.
    async fn serve_connection(
        &self,
        socket: TcpStream,
        peer: SocketAddr,
        connection: Connection,
        mut stop: watch::Receiver<()>,
    ) {
        let mut transport = Transport::new(socket, connection.clone(), self.error_responder.clone());
        let is_http2 = tokio::select! {
            begun = timeout(self.limits.header_time, transport.begins_with_http2()) => match begun {
                Ok(Ok(is_http2)) => is_http2,
                _ => return,
            },
            // Browsers open connections that they may never use.
            _ = stop.changed() => return,
        };
        let control = ConnCtrl::new();
        let handler = self.service.hyper_handler(
            self.address.into(),
            peer.into(),
            Scheme::HTTP,
            Some(self.fuse),
            control.clone(),
            None,
        );
        let stream = TokioIo::new(StraightStream::new(transport, Some(self.fuse), control, None));
        let outcome = if is_http2 {
            // Boxed, so that the state of HTTP/2 is not part of each connection's future.
            Box::pin(self.serve_http2(stream, handler, connection, stop)).await
        } else {
            self.serve_http1(stream, handler, connection, stop).await
        };
        if let Err(error) = outcome {
            tracing::debug!(%error, "connection ended with an error");
        }
    }

    async fn serve_http1(
        &self,
        stream: Stream,
        handler: impl HttpHandler,
        connection: Connection,
        mut stop: watch::Receiver<()>,
    ) -> hyper::Result<()> {
        let service = Http1Service::new(handler, connection);
        let mut serving = std::pin::pin!(self.http1.serve_connection(stream, service));
        tokio::select! {
            outcome = serving.as_mut() => return outcome,
            _ = stop.changed() => serving.as_mut().graceful_shutdown(),
        }
        serving.await
    }

    async fn serve_http2(
        &self,
        stream: Stream,
        handler: impl HttpHandler,
        connection: Connection,
        mut stop: watch::Receiver<()>,
    ) -> hyper::Result<()> {
        let send_buffer = SendBuffer::new(connection.clone(), &self.limits);
        let service = Http2Service::new(handler, connection.clone(), Arc::clone(&send_buffer));
        let mut serving = std::pin::pin!(self.http2(&send_buffer).serve_connection(stream, service));
        tokio::select! {
            outcome = serving.as_mut() => return outcome,
            _ = stop.changed() => {}
            // Answered pings do not count as activity.
            () = connection.activity().idle_for(self.limits.header_time) => {}
        }
        serving.as_mut().graceful_shutdown();
        // The client may have sent a request before it received the shutdown, or may not close the connection.
        let stays_idle = async {
            tokio::time::sleep(self.limits.drain_time).await;
            connection.activity().idle_for(self.limits.drain_time).await;
        };
        tokio::select! {
            outcome = serving.as_mut() => outcome,
            () = stays_idle => Ok(()),
        }
    }
}
