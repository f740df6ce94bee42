//! Listening: connections, their limits, and the end of it all.

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

/// Time until the next try where no connection can be accepted, as when there are no file descriptors left.
const ACCEPT_AGAIN: Duration = Duration::from_millis(10);

/// Answers requests on `listener` until `shutdown` is done and the open ones have ended, or their time is up. `network`
/// tells which clients stand for many.
///
/// # Errors
/// If the listener has no address.
pub async fn serve(
    listener: TcpListener,
    service: Service,
    limits: Limits,
    proxy_config: ProxyConfig,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let server = Arc::new(Server::new(service, listener.local_addr()?, limits));
    let connection_limiter = ConnectionLimiter::new(limits.connections, proxy_config);
    let (going_on, stop) = watch::channel(());
    // What is still open at the end is dropped with it.
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
                tracing::error!(%error, "no connection can be accepted");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
    drop((listener, going_on));
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

/// The next connection, once there is room for it; `None` if there is none for that one.
async fn accept(
    listener: &TcpListener,
    connection_limiter: &Arc<ConnectionLimiter>,
) -> io::Result<Option<Accepted>> {
    let (socket, peer) = listener.accept().await?;
    // An answer is written as a whole; its end must not wait for an acknowledgement of its beginning.
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

/// What all connections share.
struct Server {
    service: Service,
    error_responder: ErrorResponder,
    http1: http1::Builder,
    fuse: FuseConfig,
    limits: Limits,
    address: SocketAddr,
}

/// A connection's bytes, as hyper reads and writes them.
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
            // Without one the first ping would panic.
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

    /// Answers what comes on a connection, and then does with it what an answer left to be done.
    async fn handle_connection(
        &self,
        socket: TcpStream,
        peer: SocketAddr,
        connection: Connection,
        stop: watch::Receiver<()>,
    ) {
        // In a box, so that its memory is given back before a successor begins.
        let speaking = Box::pin(self.serve_connection(socket, peer, connection.clone(), stop));
        let is_broken = tokio::select! {
            () = speaking => false,
            () = connection.free() => false,
            () = connection.aborted() => true,
        };
        // Taken in any case: a successor holds the connection, which holds the successor.
        let taken_over = connection.taken_over().filter(|_| !is_broken);
        if let Some(((takeover, _in_flight), socket)) = taken_over {
            tokio::select! {
                () = takeover(socket) => {}
                () = connection.aborted() => {}
            }
        }
    }

    /// Speaks HTTP until one side ends it.
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
            // Apart, so that the state of HTTP/2 is no part of each connection's.
            Box::pin(self.serve_http2(stream, handler, connection, stop)).await
        } else {
            self.serve_http1(stream, handler, connection, stop).await
        };
        if let Err(error) = outcome {
            tracing::debug!(%error, "a connection ended with an error");
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
        let mut speaking = std::pin::pin!(self.http1.serve_connection(stream, service));
        tokio::select! {
            outcome = speaking.as_mut() => return outcome,
            _ = stop.changed() => speaking.as_mut().graceful_shutdown(),
        }
        speaking.await
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
        let mut speaking = std::pin::pin!(self.http2(&send_buffer).serve_connection(stream, service));
        tokio::select! {
            outcome = speaking.as_mut() => return outcome,
            _ = stop.changed() => {}
            // The pings that it answers are no use that it has for the connection.
            () = connection.activity().idle_for(self.limits.header_time) => {}
        }
        speaking.as_mut().graceful_shutdown();
        // The client may have begun a request before it was told, or not want to go.
        let stays_idle = async {
            tokio::time::sleep(self.limits.drain_time).await;
            connection.activity().idle_for(self.limits.drain_time).await;
        };
        tokio::select! {
            outcome = speaking.as_mut() => outcome,
            () = stays_idle => Ok(()),
        }
    }
}
