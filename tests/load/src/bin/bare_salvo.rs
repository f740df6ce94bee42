//! The baseline of requests per second: salvo with one small JSON handler.
//!
//! `bare-salvo` listens on a free port of 127.0.0.1 and prints it.

#![allow(clippy::print_stdout, reason = "a measuring tool prints its address")]

use salvo::conn::tcp::TcpAcceptor;
use salvo::writing::Json;
use salvo::{Router, Server, handler};
use serde::Serialize;
use tokio::net::TcpListener;

/// The same response as the server's `GET /api/v1/health`.
#[derive(Serialize)]
struct Health {
    state: &'static str,
}

#[handler]
async fn show_health() -> Json<Health> {
    Json(Health { state: "normal" })
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}", listener.local_addr()?);
    let server = Server::new(TcpAcceptor::try_from(listener)?);
    server.try_serve(Router::new().get(show_health)).await?;
    Ok(())
}
