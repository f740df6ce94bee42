//! `svc-cloud`: the reference implementation of the cloud protocol (`docs/cloud-protocol.md`).

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "tests fail by panicking"
    )
)]
#![allow(
    clippy::print_stdout,
    reason = "the program prints its address and the results of commands"
)]

mod accounts;
mod admin;
mod bindings;
mod clock;
mod cloud;
mod database;
mod error;
mod http;
mod invitations;
mod limits;
mod mail;
mod options;
mod passwords;
mod releases;
mod secrets;
mod servers;
mod sessions;
mod text;

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use clap::Parser as _;
use tokio::net::TcpListener;
use url::Url;

use admin::Admin;
use cloud::Cloud;
use options::{Command, Options, ServeOptions};

#[tokio::main]
async fn main() -> Result<()> {
    let Options { database, command } = Options::parse();
    let done = match command {
        Command::Serve(options) => return serve(&database, options).await,
        Command::Account(command) => Admin::open(&database).await?.account(command).await?,
        Command::Subscription(command) => Admin::open(&database).await?.subscription(command).await?,
        Command::Channel(command) => Admin::open(&database).await?.channel(command).await?,
        Command::ReleaseKey(command) => Admin::open(&database).await?.release_key(command).await?,
        Command::Release(command) => Admin::open(&database).await?.release(command).await?,
    };
    println!("{done}");
    Ok(())
}

async fn serve(database: &Path, options: ServeOptions) -> Result<()> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_max_level(tracing::Level::INFO)
        .init();
    let listener = TcpListener::bind(options.listen)
        .await
        .with_context(|| format!("listening on {}", options.listen))?;
    let address = listener.local_addr()?;
    let public_url = match options.public_url {
        Some(url) => url,
        None => Url::parse(&format!("http://{address}"))?,
    };
    check_public_url(&public_url)?;
    let mail = options
        .mail_dir
        .unwrap_or_else(|| database.with_extension("mail"));
    let cloud = Cloud::open(database, &mail, public_url).await?;
    println!("listening on http://{address}");
    std::io::stdout().flush()?;
    let options = http::Options {
        trusted_proxies: options.trusted_proxy,
        allow_failures: options.allow_failures,
    };
    http::serve(cloud, listener, options).await
}

fn check_public_url(url: &Url) -> Result<()> {
    let is_loopback = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    let is_origin =
        url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    ensure!(
        is_origin,
        "--public-url has a path: give scheme, host and port only"
    );
    ensure!(
        url.scheme() == "https" || (url.scheme() == "http" && is_loopback),
        "--public-url is not https: tokens would travel in the clear"
    );
    Ok(())
}
