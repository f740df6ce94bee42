//! Listening: connections, their limits, and the end of it all.

use std::io;

use salvo::Service;
use salvo::conn::tcp::TcpAcceptor;
use salvo::fuse::FuseConfig;
use salvo::rt::tokio::TokioTimer;
use salvo::server::Server;
use tokio::net::TcpListener;

use super::limits::{self as table, Limits};

/// Answers requests on `listener` until `shutdown` is done and the open ones have ended, or their time is up.
///
/// # Errors
/// If the listener fails.
pub async fn serve(
    listener: TcpListener,
    service: Service,
    limits: Limits,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let fuse = FuseConfig::disabled()
        .with_http1_header_timeout(limits.header_time)
        .with_tls_handshake_timeout(limits.header_time)
        .with_write_stall_timeout(table::WRITE_STALL)
        .with_request_body_timeout(limits.body_gap);
    let mut server = Server::new(TcpAcceptor::try_from(listener)?)
        .fuse_config(fuse)
        .max_connections(limits.connections);
    server
        .http1_mut()
        .max_buf_size(table::HEADER_BYTES)
        .max_headers(table::HEADER_FIELDS);
    let (idle, patience) = table::H2_PING;
    server
        .http2_mut()
        // Without one the first ping would panic.
        .timer(TokioTimer::new())
        .max_concurrent_streams(table::H2_STREAMS)
        .max_header_list_size(table::H2_HEADER_LIST_BYTES)
        .max_pending_accept_reset_streams(table::H2_PENDING_RESETS)
        .max_local_error_reset_streams(table::H2_LOCAL_RESETS)
        .keep_alive_interval(idle)
        .keep_alive_timeout(patience);
    let handle = server.handle();
    let mut serving = std::pin::pin!(server.try_serve(service));
    let stopped = tokio::select! {
        outcome = &mut serving => Some(outcome),
        () = shutdown => None,
    };
    match stopped {
        Some(outcome) => outcome,
        None => {
            handle.stop_graceful(table::DRAIN_TIME);
            serving.await
        }
    }
}
