//! Brings decisions and uploaded components from the database to the plugin host.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use svc_domain::kind::MediaKind;
use svc_domain::plugin::{PluginDecisions, UploadedVersion};
use svc_identity::error::{Result, ServiceError};
use svc_plugin_host::{ExaminedPlugin, PluginChoices, Plugins, UploadedPlugin};
use svc_store::{KindRepository, PluginRepository};

use crate::plugins::PluginAdmin;

/// The decisions in the database, with the components of the uploaded plugins and the owners of kinds.
///
/// # Errors
/// Database errors.
pub async fn stored_choices(repository: &PluginRepository, kinds: &KindRepository) -> Result<PluginChoices> {
    let versions = repository.uploaded_versions().await?;
    let decided = repository.decisions().await?;
    let mut choices = without_components(&decided);
    let owned = kinds.kinds().await?.into_iter();
    choices.kind_owners = owned.map(|kind| (kind.schema.kind, kind.plugin_id)).collect();
    for decisions in &decided {
        let shown = decisions.current.as_ref().or(decisions.candidate.as_ref());
        if let Some(digest) = shown {
            let uploaded = uploaded(repository, &versions, decisions, digest).await?;
            choices.uploaded.extend(uploaded);
        }
    }
    Ok(choices)
}

/// What was decided, without the uploaded plugins: enough for a plugin that is loaded beside the others.
pub(super) fn without_components(decided: &[PluginDecisions]) -> PluginChoices {
    let mut choices = PluginChoices::default();
    for decisions in decided {
        let id = &decisions.plugin_id;
        if !decisions.is_enabled {
            choices.disabled.insert(id.clone());
        }
        choices.values.insert(id.clone(), decisions.settings.clone());
    }
    choices
}

async fn uploaded(
    repository: &PluginRepository,
    versions: &[UploadedVersion],
    decisions: &PluginDecisions,
    digest: &str,
) -> Result<Option<UploadedPlugin>> {
    let version = versions.iter().find(|version| version.digest == digest);
    let component = repository.component(digest).await?;
    let is_current = decisions.current.as_deref() == Some(digest);
    Ok(component.map(|component| UploadedPlugin {
        id: decisions.plugin_id.clone(),
        component: component.into(),
        granted: is_current.then(|| decisions.granted.clone()),
        signed_by: version.and_then(|version| version.signed_by.clone()),
    }))
}

impl PluginAdmin {
    /// Loads the plugins again, as the plugin directory and the database are now, and scans the directories of kinds
    /// whose plugins changed. Plugins that did not change are not disturbed.
    ///
    /// # Errors
    /// The plugin directory cannot be read; database errors. The plugins stay as they are.
    pub async fn reload(&self) -> Result<()> {
        let _reloading = self.0.reloading.lock().await;
        let choices = stored_choices(&self.parts().repository, &self.parts().kinds).await?;
        let kinds = self
            .on_plugin_host(move |plugins| plugins.reload(&choices))
            .await?;
        let kinds: HashSet<MediaKind> = kinds.map_err(ServiceError::internal)?;
        self.examine_candidates(&self.parts().repository.decisions().await?)
            .await?;
        for kind in self.parts().plugins.kind_schemas() {
            let kinds = &self.parts().kinds;
            kinds
                .store_kind(&kind.schema, &kind.plugin_id, &kind.plugin_version)
                .await?;
        }
        self.announce_changes().await;
        self.parts().scan_scheduler.rescan(&kinds).await
    }

    /// Reads the manifests of the versions that wait, unless that is done.
    pub(super) async fn examine_candidates(&self, decisions: &[PluginDecisions]) -> Result<()> {
        let digests = decisions
            .iter()
            .filter_map(|decisions| decisions.candidate.as_ref());
        let mut examined: HashMap<String, ExaminedPlugin> = HashMap::new();
        for digest in digests {
            let known = self.candidates().get(digest).cloned();
            let found = match known {
                Some(known) => Some(known),
                None => self.examine_stored(digest).await?,
            };
            examined.extend(found.map(|found| (digest.clone(), found)));
        }
        *self.candidates() = examined;
        Ok(())
    }

    fn candidates(&self) -> std::sync::MutexGuard<'_, HashMap<String, ExaminedPlugin>> {
        self.0.candidates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the manifest of a version; `None` if it is not stored, or not a plugin of this server any more.
    pub(super) async fn examine_stored(&self, digest: &str) -> Result<Option<ExaminedPlugin>> {
        let Some(component) = self.parts().repository.component(digest).await? else {
            return Ok(None);
        };
        let component: Arc<[u8]> = component.into();
        let examined = self
            .on_plugin_host(move |plugins| plugins.examine(&component))
            .await?;
        Ok(examined.ok())
    }

    /// Calls the plugin host on a thread that may block.
    pub(super) async fn on_plugin_host<T: Send + 'static>(
        &self,
        call: impl FnOnce(Plugins) -> T + Send + 'static,
    ) -> Result<T> {
        let plugins = self.parts().plugins.clone();
        let called = tokio::task::spawn_blocking(move || call(plugins)).await;
        called.map_err(ServiceError::internal)
    }
}
