//! Upkeep while the server runs: changes by other processes, the time of last use, and what has expired.

use crate::plugins::PluginList;
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

/// How often another process's changes are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often what is over is forgotten.
const PRUNE_EVERY: Duration = Duration::from_secs(60 * 60);
/// Runs of the indexer that are kept: each change on disk is one.
const RUNS: i64 = 500;
/// Lines of the audit log that are kept.
const AUDIT_LINES: i64 = 100_000;

/// Runs in the background for as long as the server does.
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
    /// Times of last use that are not written yet.
    pub activity: ActivityLog,
    /// Plugins, whose quarantines are noted.
    pub plugins: PluginList,
    /// Reloaded when another process changed them.
    pub settings: Settings,
    /// Reloaded when another process changed them.
    pub origins: Origins,
    /// Ended at shutdown.
    pub waveforms: Waveforms,
}

impl Maintenance {
    /// Looks after what changes by itself, for as long as the server runs: another process's changes, the time of
    /// last use, what is over.
    pub async fn run(&self) {
        let mut look = tokio::time::interval(LOOK_EVERY);
        let mut write = tokio::time::interval(activity::WRITE_EVERY);
        let mut prune = tokio::time::interval(PRUNE_EVERY);
        loop {
            let outcome = tokio::select! {
                _ = look.tick() => self.look_for_changes().await,
                _ = write.tick() => self.activity.write(&self.users).await,
                _ = prune.tick() => self.prune().await,
            };
            if let Err(error) = outcome {
                tracing::warn!(%error, "maintenance failed; it retries");
            }
        }
    }

    async fn look_for_changes(&self) -> Result<()> {
        self.plugins.note_quarantines().await;
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

    /// Ends what is under way and writes what is only in memory, at the end.
    pub async fn close(&self) {
        self.waveforms.close().await;
        if let Err(error) = self.activity.write(&self.users).await {
            tracing::warn!(%error, "last-use times could not be stored");
        }
    }
}
