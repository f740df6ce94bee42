//! What the tests share: the server, its clients, accounts and media.

pub(crate) mod accounts;
pub(crate) mod client;
pub(crate) mod cloud;
pub(crate) mod databases;
pub(crate) mod gate;
pub(crate) mod h2_wire;
pub(crate) mod invitation_cloud;
pub(crate) mod limit_routes;
pub(crate) mod listening;
pub(crate) mod media;
pub(crate) mod provider;
pub(crate) mod sockets;
pub(crate) mod test_server;
pub(crate) mod write_requests;

pub(crate) use client::{Client, Reply};
pub(crate) use test_server::{TestServer, TestServerOptions};
