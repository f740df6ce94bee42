//! Deindex and factory reset. Media files are never changed.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;

use crate::plugins::PluginAdmin;
use crate::thumbnails::Thumbnails;
use crate::waveforms::Waveforms;
use svc_domain::audit::AuditEvent;
use svc_domain::kind::MediaKind;
use svc_identity::capability::Capability;
use svc_identity::error::{Result, ServiceError};
use svc_identity::keys::{KeyRing, Keys};
use svc_identity::origins::Origins;
use svc_identity::settings::Settings;
use svc_identity::setup::Setup;
use svc_identity::throttle::LoginThrottle;
use svc_identity::{AuthContext, Context, run_to_completion};
use svc_indexer::indexing::Indexing;
use svc_platform::data_dir::DataDir;
use svc_platform::random::random_hex;
use svc_platform::secret_key::SecretKey;
use svc_store::{Database, DirectoryRepository, Instance};

/// How long a reset waits for the active run to stop; files take less time, except the largest ones.
const STOP_WAIT: Duration = Duration::from_secs(10);

/// The extent of a reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResetType {
    /// Deletes the index.
    Deindex,
    /// Deletes all data.
    Factory,
}

impl ResetType {
    /// The required capability.
    pub fn capability(self) -> Capability {
        match self {
            Self::Deindex => Capability::IndexingDeindex,
            Self::Factory => Capability::MediaServerFactoryReset,
        }
    }

    /// The confirmation text that the user has to type exactly.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Deindex => "Deindex media",
            Self::Factory => "Factory reset",
        }
    }
}

/// The reset service.
#[derive(Debug, Clone)]
pub struct Reset {
    /// Ids, clock, randomness and tasks; starts the change.
    pub context: Context,
    /// Compacted after a reset.
    pub database: Database,
    /// Media directories, synchronised with the configuration after a factory reset.
    pub directories: DirectoryRepository,
    /// The active run is stopped first.
    pub indexing: Indexing,
    /// Replaced by a factory reset.
    pub keys: KeyRing,
    /// Reloaded after a factory reset, which removes what was uploaded.
    pub plugins: PluginAdmin,
    /// Reloaded after a factory reset.
    pub settings: Settings,
    /// Reloaded after a factory reset.
    pub origins: Origins,
    /// Open again after a factory reset.
    pub setup: Setup,
    /// Its cache is cleared.
    pub thumbnails: Thumbnails,
    /// Its cache is cleared.
    pub waveforms: Waveforms,
    /// Cleared by a factory reset.
    pub throttle: LoginThrottle,
    /// Location of the keys.
    pub data_dir: Arc<DataDir>,
    /// The configured media directories.
    pub media: Arc<[(MediaKind, PathBuf)]>,
    /// Serialises resets: two concurrent factory resets could mix marker, database and key of different instances.
    pub lock: Arc<Mutex<()>>,
}

impl Reset {
    /// Resets after checking the confirmation text.
    ///
    /// # Errors
    /// Refused without the capability of this type; invalid without the right text; database errors.
    pub async fn execute(&self, by: AuthContext, reset: ResetType, phrase: &str) -> Result<()> {
        // After a factory reset anyone can set up the server, so it requires a login.
        if reset == ResetType::Factory && !by.actor.is_signed_in() {
            return Err(ServiceError::TokenNotPermitted);
        }
        if !by.actor.may(reset.capability()) {
            return Err(by.actor.lacks_capability());
        }
        if phrase != reset.phrase() {
            return Err(ServiceError::invalid(
                "validationPhrase",
                format!("must be `{}`", reset.phrase()),
            ));
        }
        let this = self.clone();
        run_to_completion(&self.context.tasks, "reset", async move {
            let _guard = this.lock.lock().await;
            // A caller that waited for a factory reset has lost its account and must not stop a run.
            drop(this.context.change_by(&by).await?);
            this.stop_indexing().await;
            match reset {
                ResetType::Deindex => this.deindex(&by).await,
                ResetType::Factory => this.factory(Some(&by)).await,
            }
        })
        .await
    }

    /// A factory reset without a caller.
    ///
    /// # Errors
    /// Database errors.
    pub async fn factory_reset_unattended(&self) -> Result<()> {
        let this = self.clone();
        run_to_completion(&self.context.tasks, "reset", async move {
            let _guard = this.lock.lock().await;
            this.stop_indexing().await;
            this.factory(None).await
        })
        .await
    }

    async fn stop_indexing(&self) {
        self.indexing.ask_to_stop();
        let idle = self.indexing.wait_until_idle();
        if tokio::time::timeout(STOP_WAIT, idle).await.is_err() {
            // Later writes of the run refer to deleted rows, so the database rejects them.
            tracing::warn!("the run did not stop in time; the index is emptied anyway");
        }
    }

    async fn deindex(&self, by: &AuthContext) -> Result<()> {
        let mut change = self.context.change_by(by).await?;
        change.delete_media().await?;
        let entry = self.context.audit_of(by, AuditEvent::Deindexed, None, &[]);
        change.audit(&entry).await?;
        change.commit().await?;
        self.clear_caches().await;
        tracing::warn!(user = %by.actor.user.id, "the index was emptied");
        self.shrink_later();
        Ok(())
    }

    /// A marker with both ids lets the next start complete a reset after a crash.
    async fn factory(&self, by: Option<&AuthContext>) -> Result<()> {
        let random = self.context.random.as_ref();
        let instance = Instance {
            instance_id: random_hex(random).map_err(ServiceError::internal)?,
            created_at: self.context.now(),
        };
        let old = self.keys.current().instance_id.clone();
        self.data_dir
            .set_instance_marker(&[&old, &instance.instance_id])
            .map_err(ServiceError::internal)?;
        let mut change = self.context.change_by(by).await?;
        change.delete_everything(&instance).await?;
        let client = by.map(|by| by.client.clone()).unwrap_or_default();
        let entry = self
            .context
            .audit_entry(AuditEvent::FactoryReset, &client, None, None, &[]);
        change.audit(&entry).await?;
        change.commit().await?;
        let path = self.data_dir.signing_key().map_err(ServiceError::internal)?;
        let key = SecretKey::replace(&path, random).map_err(ServiceError::internal)?;
        self.keys.replace(Keys::new(&instance.instance_id, &key));
        self.data_dir
            .set_instance_marker(&[&instance.instance_id])
            .map_err(ServiceError::internal)?;
        self.clear_caches().await;
        self.throttle.clear();
        self.settings.reload().await?;
        self.origins.reload().await?;
        self.setup.refresh_state().await?;
        self.directories
            .sync_directories(&self.media, &self.context.ids, self.context.now())
            .await?;
        // The data is gone; a plugin directory that cannot be read is no reason to report otherwise.
        if let Err(error) = self.plugins.reload().await {
            tracing::error!(%error, "uploaded plugins run until the next start");
        }
        tracing::warn!("factory reset: anyone who reaches the server can set it up");
        self.shrink_later();
        Ok(())
    }

    /// Cached files are unreachable, because ids are not reused. The quotas remove what is left.
    async fn clear_caches(&self) {
        if let Err(error) = self.thumbnails.clear().await {
            tracing::warn!(%error, "thumbnails could not be removed");
        }
        if let Err(error) = self.waveforms.clear().await {
            tracing::warn!(%error, "waveforms could not be removed");
        }
    }

    fn shrink_later(&self) {
        let database = self.database.clone();
        // Only frees disk space, so it may be interrupted at shutdown.
        self.context.tasks.spawn_until_end("shrink", async move {
            if let Err(error) = database.shrink().await {
                tracing::warn!(%error, "the database could not be compacted");
            }
        });
    }
}
