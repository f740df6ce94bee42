//! Background maintenance: changes by other processes, last-use times, expired data.

use crate::plugins::PluginAdmin;
use crate::waveforms::Waveforms;
use std::time::Duration;
use svc_domain::time::Timestamp;
use svc_identity::Context;
use svc_identity::activity;
use svc_identity::activity::ActivityLog;
use svc_identity::error::Result;
use svc_identity::login::KNOWN_ADDRESS;
use svc_identity::origins::Origins;
use svc_identity::settings::Settings;
use svc_store::{RunRepository, SessionRepository, UserRepository};

/// Interval of checks for changes by other processes.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// Interval of deleting expired data.
const PRUNE_EVERY: Duration = Duration::from_secs(60 * 60);
/// Number of runs to keep; each change on disk creates one.
const RUNS: i64 = 500;
/// Number of audit entries to keep.
const AUDIT_LINES: i64 = 100_000;

/// The maintenance task.
#[derive(Debug, Clone)]
pub struct Maintenance {
    /// Clock, and the revision of accounts.
    pub context: Context,
    /// Receives the times of last use.
    pub users: UserRepository,
    /// Pruned.
    pub sessions: SessionRepository,
    /// Pruned.
    pub runs: RunRepository,
    /// Last-use times that are not yet written.
    pub activity: ActivityLog,
    /// Plugins whose changes of state are announced.
    pub plugins: PluginAdmin,
    /// Reloaded after changes by another process.
    pub settings: Settings,
    /// Reloaded after changes by another process.
    pub origins: Origins,
    /// Stopped at shutdown.
    pub waveforms: Waveforms,
}

impl Maintenance {
    /// Runs until the server stops.
    pub async fn run(&self) {
        let mut look = tokio::time::interval(CHECK_EVERY);
        let mut write = tokio::time::interval(activity::WRITE_EVERY);
        let mut prune = tokio::time::interval(PRUNE_EVERY);
        loop {
            let outcome = tokio::select! {
                _ = look.tick() => self.reload_changes().await,
                _ = write.tick() => self.activity.write(&self.users).await,
                _ = prune.tick() => self.prune().await,
            };
            if let Err(error) = outcome {
                tracing::warn!(%error, "maintenance failed; it retries");
            }
        }
    }

    async fn reload_changes(&self) -> Result<()> {
        self.plugins.announce_changes().await;
        if self.context.identity.refresh_identity_revision().await? {
            self.settings.reload().await?;
            self.origins.reload().await?;
        }
        Ok(())
    }

    async fn prune(&self) -> Result<()> {
        let ago = |duration: Duration| {
            let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
            Timestamp::from_millis(self.context.now().millis().saturating_sub(millis))
        };
        self.runs.prune_runs(RUNS).await?;
        Ok(self
            .sessions
            .prune_identity(ago(PRUNE_EVERY), ago(KNOWN_ADDRESS), AUDIT_LINES)
            .await?)
    }

    /// Stops background work and writes data that is only in memory.
    pub async fn close(&self) {
        self.waveforms.close().await;
        if let Err(error) = self.activity.write(&self.users).await {
            tracing::warn!(%error, "last-use times could not be stored");
        }
    }
}
