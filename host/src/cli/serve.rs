//! `svc serve`: the server.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::app::App;
use crate::config::{Config, MediaOptions, ServerOptions};
use crate::http;
use crate::http::client::Network;
use crate::http::limits::Limits;
use crate::http::state::AppState;
use crate::{open_files, tasks};

/// Options of `svc serve`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    media: MediaOptions,
    #[command(flatten)]
    server: ServerOptions,
}

/// Serves until the process is told to end.
pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let config = Config::load(arguments.media, arguments.server)?;
    super::runtime()?.block_on(serve(config))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(config: Config) -> anyhow::Result<()> {
    open_files::raise_limit();
    // Bound first: a busy port must not cost a migration. Nothing is answered before the app is complete.
    let listen = config.listen;
    let listener = TcpListener::bind(listen)
        .await
        .with_context(|| format!("cannot listen on {listen}"))?;
    let address = listener.local_addr()?;
    let app = App::open(config).await?;
    let services = app.services().await?;
    let (upkeep, keeper, jobs) = (services.clone(), services.keeper.clone(), services.jobs.clone());
    app.tasks
        .spawn_until_end("upkeep", async move { upkeep.maintain().await });
    app.tasks
        .spawn_until_end("keeper", async move { keeper.run().await });
    // Jobs store how far they are, and end when they are told to.
    app.tasks.spawn("jobs", async move { jobs.run().await });
    let network = Network {
        trusted_proxies: app.config.trusted_proxies.clone(),
        base_url: app.config.base_url.clone(),
    };
    let service = http::router::service(Arc::new(AppState::new(services.clone(), network.clone())));
    let shutdown = {
        let (signal, events, indexing) = (shutdown_signal()?, app.events.clone(), app.indexing.clone());
        let waveforms = services.waveforms.clone();
        let jobs = services.jobs.clone();
        async move {
            signal.await;
            // Before the indexer, so that a job does not take the end of its run for a failure.
            jobs.stop();
            // Streams have no end of their own, and a run ends while the last answers are on their way.
            events.close();
            indexing.ask_to_stop();
            waveforms.ask_to_stop();
        }
    };
    announce(&format!("listening on http://{address}"))?;
    http::server::serve(listener, service, Limits::default(), network, shutdown).await?;
    // Changes whose clients are gone, and what jobs have to store.
    app.tasks.end(tasks::END_WITHIN).await;
    services.close().await;
    app.close().await;
    Ok(())
}

/// The one line on standard output by which others see that the server is ready.
fn announce(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Ends at SIGTERM or SIGINT.
fn shutdown_signal() -> std::io::Result<impl Future<Output = ()> + Send> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
