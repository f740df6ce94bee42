//! Listening: connections, their limits, and the end of it all.

use std::io;

use salvo::Service;
use salvo::conn::tcp::TcpAcceptor;
use salvo::fuse::FuseConfig;
use salvo::server::Server;
use tokio::net::TcpListener;

use super::limits;

/// Answers requests on `listener` until `shutdown` is done and the open ones have ended, or their time is up.
///
/// # Errors
/// If the listener fails.
pub async fn serve(
    listener: TcpListener,
    service: Service,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let fuse = FuseConfig::disabled()
        .with_http1_header_timeout(limits::HEADER_TIME)
        .with_tls_handshake_timeout(limits::HEADER_TIME)
        .with_write_stall_timeout(limits::WRITE_STALL)
        .with_request_body_timeout(limits::BODY_GAP);
    let mut server = Server::new(TcpAcceptor::try_from(listener)?)
        .fuse_config(fuse)
        .max_connections(limits::CONNECTIONS);
    server
        .http1_mut()
        .max_buf_size(limits::HEADER_BYTES)
        .max_headers(limits::HEADER_FIELDS);
    let (idle, patience) = limits::H2_PING;
    server
        .http2_mut()
        .max_concurrent_streams(limits::H2_STREAMS)
        .max_header_list_size(limits::H2_HEADER_LIST_BYTES)
        .max_pending_accept_reset_streams(limits::H2_PENDING_RESETS)
        .max_local_error_reset_streams(limits::H2_LOCAL_RESETS)
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
            handle.stop_graceful(limits::DRAIN_TIME);
            serving.await
        }
    }
}
