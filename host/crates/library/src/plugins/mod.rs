//! Administration of plugins: list, upload, permissions, settings, rollback, preview, quarantine.
//!
//! Decisions and uploaded components are in the database. [`PluginAdmin::reload`] brings them to the plugin host, which
//! keeps the plugins that did not change.

mod change;
mod loading;
mod manifest_changes;
mod preview;
mod sample;
mod states;
mod upload;
mod wait_reasons;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value as Json;
use svc_domain::audit::AuditEvent;
use svc_domain::kind::MediaKind;
use svc_domain::plugin::{PluginDecisions, UploadedVersion};
use svc_events::Events;
use svc_identity::audit::BackgroundLog;
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_identity::{AuthContext, Context, run_to_completion};
use svc_indexer::scan_scheduler::ScanScheduler;
use svc_plugin_host::{Manifest, Plugins};
use svc_store::{DirectoryRepository, FileRepository, KindRepository, PluginRepository};

use states::SeenStates;
use wait_reasons::Waiting;

pub use change::{PluginChange, PluginGrant};
pub use loading::stored_choices;
pub use manifest_changes::{
    AffectedItems, ChangedField, DeclaredField, FieldDeclaration, KindExtension, ManifestChanges,
};
pub use preview::{FieldChange, MOST_FILES, Preview, PreviewedFile, Reading};
pub use svc_plugin_host::{
    ExaminedPlugin, GrantedLimits, KindState, ManifestSetting, PluginOrigin, PluginSignature, PluginState,
    PluginStats, PluginStatus, SettingType,
};
pub use upload::Upload;
pub use wait_reasons::WaitReason;

/// A plugin with what administrators decided about it.
#[derive(Debug, Clone)]
pub struct Plugin {
    /// What the plugin host says of it.
    pub status: PluginStatus,
    /// Values of its settings in force, by key.
    pub settings: BTreeMap<String, Json>,
    /// The uploaded version that was in use before.
    pub previous: Option<UploadedVersion>,
    /// The uploaded version that waits for its permissions, while another is in use.
    pub candidate: Option<Candidate>,
}

/// An uploaded version that waits for its permissions.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// When it was uploaded, and who signed it.
    pub version: UploadedVersion,
    /// What it asks for.
    pub examined: ExaminedPlugin,
    /// What it has more and less than the version in use.
    pub changes: ManifestChanges,
    /// Why it has not replaced the version in use.
    pub reasons: Vec<WaitReason>,
}

/// Dependencies of [`PluginAdmin`].
#[derive(Debug)]
pub struct PluginAdminDependencies {
    /// Starts the changes and their audit entries.
    pub context: Context,
    /// Receives audit entries about quarantines.
    pub log: BackgroundLog,
    /// The plugin host.
    pub plugins: Plugins,
    /// Decisions and components.
    pub repository: PluginRepository,
    /// Receives the schemas of kinds.
    pub kinds: KindRepository,
    /// Finds files for a preview.
    pub files: FileRepository,
    /// The directories of these files.
    pub directories: DirectoryRepository,
    /// Scans the directories of changed kinds.
    pub scan_scheduler: ScanScheduler,
    /// Publishes changes of states.
    pub events: Events,
}

/// The plugins service. States are per process: each server of a database has its own quarantines.
#[derive(Debug, Clone)]
pub struct PluginAdmin(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    parts: PluginAdminDependencies,
    /// Locked while decisions are brought to the plugin host, so that older ones never replace newer ones.
    reloading: tokio::sync::Mutex<()>,
    /// Waiting versions by digest, as far as they were examined.
    candidates: Mutex<HashMap<String, ExaminedPlugin>>,
    seen: Mutex<SeenStates>,
    /// One preview at a time: it reads up to 200 files twice.
    previewing: Arc<tokio::sync::Semaphore>,
}

impl PluginAdmin {
    /// Creates the service.
    pub fn new(parts: PluginAdminDependencies) -> Self {
        Self(Arc::new(Shared {
            seen: Mutex::new(SeenStates::new(&parts.plugins.list())),
            parts,
            reloading: tokio::sync::Mutex::default(),
            candidates: Mutex::default(),
            previewing: Arc::new(tokio::sync::Semaphore::new(1)),
        }))
    }

    fn parts(&self) -> &PluginAdminDependencies {
        &self.0.parts
    }

    /// All plugins, including those that failed to load.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(&self) -> Result<Vec<Plugin>> {
        let decisions = self.parts().repository.decisions().await?;
        // After a start nothing is known of the versions that waited before it.
        self.examine_candidates(&decisions).await?;
        let versions = self.parts().repository.uploaded_versions().await?;
        let statuses = self.parts().plugins.list().into_iter();
        let mut plugins: Vec<Plugin> = statuses
            .map(|status| self.plugin(status, &decisions, &versions))
            .collect();
        for plugin in &mut plugins {
            if let Some(Candidate {
                examined, changes, ..
            }) = &mut plugin.candidate
            {
                self.count_affected(changes, &examined.manifest).await?;
            }
        }
        Ok(plugins)
    }

    /// One plugin. Of several files with one id it is the one that is loaded.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn get(&self, plugin_id: &str) -> Result<Plugin> {
        let plugins = self.list().await?.into_iter();
        let mut of_id: Vec<Plugin> = plugins.filter(|plugin| plugin.status.id() == plugin_id).collect();
        let loaded = of_id.iter().position(|plugin| plugin.status.stats.is_some());
        if of_id.is_empty() {
            return Err(ServiceError::NotFound);
        }
        Ok(of_id.swap_remove(loaded.unwrap_or_default()))
    }

    fn plugin(
        &self,
        mut status: PluginStatus,
        decisions: &[PluginDecisions],
        versions: &[UploadedVersion],
    ) -> Plugin {
        let id = status.id();
        let of_plugin = decisions.iter().find(|decisions| decisions.plugin_id == id);
        let none = BTreeMap::new();
        let chosen = of_plugin.map_or(&none, |decisions| &decisions.settings);
        // Those of the plugin for accounts are options of the server, and not shown: one is a secret.
        let of_files = status.manifest.as_ref().filter(|manifest| !manifest.cloud);
        let settings = of_files.map(|manifest| {
            let values = manifest.setting_values(chosen).into_iter();
            values.map(|(key, value)| (key, value.into())).collect()
        });
        let is_uploaded = matches!(status.origin, PluginOrigin::Uploaded(_));
        let uploaded = of_plugin.filter(|_| is_uploaded);
        let version = |digest: &Option<String>| {
            let digest = digest.as_deref()?;
            versions.iter().find(|version| version.digest == digest).cloned()
        };
        // Without a version in use, the status itself is that of the version that waits.
        let candidate = uploaded.filter(|decisions| decisions.current.is_some());
        let candidate = candidate.and_then(|decisions| version(&decisions.candidate));
        let nothing = BTreeSet::new();
        let granted = uploaded.map_or(&nothing, |decisions| &decisions.granted);
        // What is granted stays so while the plugin is disabled or cannot be loaded.
        let asked = status
            .manifest
            .iter()
            .flat_map(|manifest| manifest.permissions.keys());
        let asked = asked.filter(|name| !is_uploaded || granted.contains(*name));
        status.granted = asked.cloned().collect();
        Plugin {
            settings: settings.unwrap_or_default(),
            previous: uploaded.and_then(|decisions| version(&decisions.previous)),
            candidate: candidate.and_then(|version| self.candidate(version, &status, granted)),
            status,
        }
    }

    /// A version that waits beside the one in use, which has these permissions.
    fn candidate(
        &self,
        version: UploadedVersion,
        in_use: &PluginStatus,
        granted: &BTreeSet<String>,
    ) -> Option<Candidate> {
        let candidates = self.0.candidates.lock().unwrap_or_else(PoisonError::into_inner);
        let examined = candidates.get(&version.digest)?.clone();
        let changes = ManifestChanges::between(in_use.manifest.as_ref(), &examined.manifest);
        let waiting = Waiting {
            version: &version,
            manifest: &examined.manifest,
            changes: &changes,
            in_use,
            granted,
        };
        Some(Candidate {
            reasons: waiting.reasons(),
            version,
            examined,
            changes,
        })
    }

    /// A kind belongs to one plugin: another that defines it could not be used.
    fn require_free_kinds(&self, manifest: &Manifest) -> Result<()> {
        match self.parts().plugins.kind_conflict(manifest) {
            None => Ok(()),
            Some(reason) => Err(ServiceError::conflict(ErrorCode::PluginKindTaken, reason)),
        }
    }

    /// Whether files of this kind are read, and why not.
    pub fn kind_state(&self, kind: &MediaKind) -> KindState {
        self.parts().plugins.kind_state(kind)
    }

    /// Releases a plugin from quarantine; the next run reads the files that wait for it.
    ///
    /// # Errors
    /// Not found; conflict `plugin_action_conflict` unless it is quarantined; database errors.
    pub async fn release(&self, by: AuthContext, plugin_id: String) -> Result<Plugin> {
        let this = self.clone();
        self.complete("plugin-release", async move {
            let mut change = this.parts().context.change_by(&by).await?;
            let plugin = this.get(&plugin_id).await?;
            if !this.parts().plugins.release(&plugin_id) {
                let state = plugin.status.state.name();
                return Err(conflict(format!("the plugin is {state}, not quarantined")));
            }
            let details = [("plugin", plugin_id.clone())];
            let context = &this.parts().context;
            let entry = context.audit_of(&by, AuditEvent::PluginReleased, None, &details);
            change.audit(&entry).await?;
            change.commit_without_invalidation().await?;
            tracing::info!(plugin = plugin_id, user = %by.actor.user.id, "the plugin was released from quarantine");
            this.announce_changes().await;
            this.get(&plugin_id).await
        })
        .await
    }

    /// Runs a change to its end even if the request is cancelled.
    async fn complete<T: Send + 'static>(
        &self,
        name: &'static str,
        change: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        run_to_completion(&self.parts().context.tasks, name, change).await
    }
}

/// The state of a plugin does not allow the action.
fn conflict(message: impl Into<String>) -> ServiceError {
    ServiceError::conflict(ErrorCode::PluginActionConflict, message)
}
