//! `svc serve`: runs the server.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::app::{App, Environment};
use crate::config::{Config, MediaOptions, ServerOptions};
use svc_http_io::limits::Limits;
use svc_platform::open_files;
use svc_platform::tasks::END_WITHIN;

/// Options of `svc serve`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    media: MediaOptions,
    #[command(flatten)]
    server: ServerOptions,
}

/// Serves until SIGTERM or SIGINT.
pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let config = Config::load(arguments.media, arguments.server)?;
    super::runtime()?.block_on(serve(config))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(config: Config) -> anyhow::Result<()> {
    open_files::raise_limit();
    // Bound first, so that a busy port fails before a migration. Connections are accepted only when the app is
    // complete.
    let listen = config.listen;
    let listener = TcpListener::bind(listen)
        .await
        .with_context(|| format!("cannot listen on {listen}"))?;
    let address = listener.local_addr()?;
    let environment = Environment::system(config.release_channel)?;
    let app = App::open(config.clone(), environment).await?;
    let (services, maintenance, tasks) = (&app.services, &app.maintenance, &app.context.tasks);
    let upkeep = maintenance.clone();
    tasks.spawn_until_end("upkeep", async move { upkeep.run().await });
    let scan_scheduler = services.scan_scheduler.clone();
    tasks.spawn_until_end("scan-scheduler", async move { scan_scheduler.run().await });
    let invitations = services.invitations.clone();
    tasks.spawn_until_end("invitations", async move { invitations.run().await });
    if let Some(watch) = app.plugin_watch(&config) {
        tasks.spawn_until_end("plugin-directory", watch.run());
    }
    // Jobs store their progress and end at shutdown.
    let jobs = services.jobs.clone();
    tasks.spawn("jobs", async move { jobs.run().await });
    let service = svc_api::router::service(app.state());
    let shutdown = {
        let signal = shutdown_signal()?;
        let (events, indexing) = (services.events.clone(), services.indexing.clone());
        let (waveforms, jobs) = (services.waveforms.clone(), services.jobs.clone());
        async move {
            signal.await;
            // Before the indexer, so that a job does not treat the end of its scan as a failure.
            jobs.stop();
            // Event streams never end by themselves; a scan ends while the last responses are sent.
            events.close();
            indexing.ask_to_stop();
            waveforms.ask_to_stop();
        }
    };
    announce(&format!("listening on http://{address}"))?;
    svc_http_io::server::serve(
        listener,
        service,
        Limits::default(),
        app.proxy_config.clone(),
        shutdown,
    )
    .await?;
    // Changes whose clients have disconnected, and the checkpoints of jobs.
    tasks.end(END_WITHIN).await;
    maintenance.close().await;
    Box::pin(app.close()).await;
    Ok(())
}

/// Prints the line on standard output that shows other programs that the server is ready.
fn announce(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Completes at SIGTERM or SIGINT.
fn shutdown_signal() -> std::io::Result<impl Future<Output = ()> + Send> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
