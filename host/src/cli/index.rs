//! `svc index`: a scan without a running server.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::app::{App, Environment};
use crate::cli::report;
use crate::config::{Config, MediaOptions, ServerOptions};
use svc_domain::kind::MediaKind;
use svc_domain::list::{Order, OrderedPagination, Pagination};
use svc_domain::scan::{KindCounts, Run, RunCounts, RunLogEvent, RunOptions, RunStatus, RunTrigger, RunType};
use svc_indexer::indexing::{IndexState, Indexing, StartRun};
use svc_store::RunLogFilter;

/// Interval of progress output on a terminal, and as lines elsewhere.
const REFRESH: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Options of `svc index`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    media: MediaOptions,
    /// Read every file, not only new and changed ones
    #[arg(long)]
    full: bool,
    /// Only this kind; repeat it for several
    #[arg(long, value_name = "KIND")]
    kind: Vec<MediaKind>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs a scan and prints the result. Files that cannot be read are listed, but do not fail the command.
pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let config = Config::load(arguments.media, ServerOptions::default(), None)?;
    if config.media.is_empty() {
        anyhow::bail!(
            "no directory of media is given: use --music-dir, --photos-dir, --movies-dir, --tv-dir, or --root KIND=DIR for \
             a kind of a plugin"
        );
    }
    let run_type = if arguments.full {
        RunType::Full
    } else {
        RunType::Quick
    };
    super::runtime()?.block_on(async {
        let environment = Environment::system(config.release_channel)?;
        let app = App::open(config, environment).await?;
        let indexing = &app.services.indexing;
        let request = StartRun {
            run_type,
            options: RunOptions {
                media_kinds: arguments.kind,
                trigger: RunTrigger::Command,
                ..RunOptions::default()
            },
            purge_before: None,
        };
        let started = indexing.start(request, None).await?;
        follow(indexing).await;
        let run = indexing.run(started.id).await?;
        let failures = indexing
            .run_logs(
                run.id,
                &RunLogFilter {
                    event: Some(RunLogEvent::Errored),
                    kind: None,
                },
                OrderedPagination {
                    order: Order::Ascending,
                    page: Pagination {
                        take: report::MAX_FAILURES,
                        skip: 0,
                    },
                },
            )
            .await?;
        let mut out = std::io::stdout().lock();
        if arguments.json {
            report::json(&mut out, &run, &failures)?;
        } else {
            report::table(&mut out, &run, &failures)?;
        }
        drop(out);
        Box::pin(app.close()).await;
        Ok(if run.status == RunStatus::Completed {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    })
}

/// Shows progress until the scan has ended. Ctrl-C stops the scan; its results so far are kept.
async fn follow(indexing: &Indexing) {
    let bar = std::io::stderr().is_terminal().then(progress_bar);
    let period = if bar.is_some() { REFRESH } else { LINE_EVERY };
    let mut refresh = tokio::time::interval_at(tokio::time::Instant::now() + period, period);
    let mut ended = std::pin::pin!(indexing.wait_until_idle());
    loop {
        tokio::select! {
            () = &mut ended => break,
            _ = refresh.tick() => show(indexing, bar.as_ref()),
            interrupted = tokio::signal::ctrl_c() => {
                if interrupted.is_ok() && indexing.state().0 != IndexState::Idle {
                    // An error means that the scan has just ended.
                    let _ = indexing.act(svc_indexer::indexing::IndexAction::Stop).await;
                }
            }
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {wide_bar} {pos}/{len} files, {per_sec}, {elapsed}");
    let bar = ProgressBar::new(0);
    // The template is constant; if it were invalid, indicatif's default would be used.
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn show(indexing: &Indexing, bar: Option<&ProgressBar>) {
    let Some(run) = indexing.state().1 else { return };
    let (found, done) = sums(&run.counts);
    match bar {
        Some(bar) => {
            bar.set_length(found);
            bar.set_position(done);
        }
        // Standard error may be closed; the scan continues.
        None => drop(writeln!(
            std::io::stderr(),
            "{}",
            progress_line(&run, found, done)
        )),
    }
}

fn progress_line(run: &Run, found: u64, done: u64) -> String {
    format!(
        "indexing: {done} of {found} files found so far, {:.1} s",
        run.seconds
    )
}

fn sums(counts: &RunCounts) -> (u64, u64) {
    let done = |counts: &KindCounts| counts.added + counts.updated + counts.unchanged + counts.errored;
    (
        counts.values().map(|counts| counts.found).sum(),
        counts.values().map(done).sum(),
    )
}
