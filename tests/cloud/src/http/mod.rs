//! HTTP: routes, requests and responses, the API, the pages, the failure switches.

mod accounts;
mod call;
mod control;
mod discovery;
mod endpoint;
mod failures;
mod invitations;
mod pages;
mod releases;
mod reply;
mod routes;
mod servers;
mod views;

use std::net::IpAddr;
use std::sync::Arc;

use salvo::conn::tcp::TcpAcceptor;
use salvo::routing::filters::MethodFilter;
use salvo::{Router, Server, Service};
use tokio::net::TcpListener;

use crate::cloud::Cloud;
use endpoint::{Endpoint, Shared};
use failures::Switches;
use routes::Route;

/// How the server is run.
#[derive(Debug)]
pub(crate) struct Options {
    /// Addresses whose `X-Forwarded-For` counts.
    pub(crate) trusted_proxies: Vec<IpAddr>,
    /// Failure switches, for tests.
    pub(crate) allow_failures: bool,
}

/// Serves requests until the process gets a signal to end.
pub(crate) async fn serve(cloud: Cloud, listener: TcpListener, options: Options) -> anyhow::Result<()> {
    let server = Server::new(TcpAcceptor::try_from(listener)?);
    tokio::select! {
        outcome = server.try_serve(service(cloud, options)) => outcome?,
        // A transaction that has not been committed is rolled back.
        signal = wait_for_signal() => signal?,
    }
    Ok(())
}

async fn wait_for_signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

fn service(cloud: Cloud, options: Options) -> Service {
    let mut routes = routes::routes();
    let switches = options.allow_failures.then(|| {
        let switches = Arc::new(Switches::new(routes.iter().map(|route| route.name).collect()));
        routes.extend(control::routes());
        switches
    });
    let shared = Arc::new(Shared {
        cloud,
        switches,
        trusted_proxies: options.trusted_proxies,
    });
    let add = |router: Router,
               Route {
                   method,
                   path,
                   name,
                   run,
               }: Route| {
        let endpoint = Endpoint {
            shared: Arc::clone(&shared),
            name,
            run,
        };
        let accepted = MethodFilter(method);
        router.push(Router::with_path(path).filter(accepted).goal(endpoint))
    };
    Service::new(routes.into_iter().fold(Router::new(), add))
}
