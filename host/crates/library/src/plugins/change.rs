//! Changes of what is decided about a plugin: permissions, whether it may run, settings, versions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use svc_domain::audit::AuditEvent;
use svc_domain::plugin::PluginDecisions;
use svc_identity::AuthContext;
use svc_identity::error::{ErrorCode, FieldError, Result, ServiceError};
use svc_plugin_host::{Manifest, PluginOrigin};
use svc_store::IdentityChange;

use crate::plugins::{Plugin, PluginAdmin, conflict};

/// A change of the decisions about a plugin. What is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PluginChange {
    /// Permissions of one of its versions.
    pub granted: Option<PluginGrant>,
    /// Whether it may run.
    pub is_enabled: Option<bool>,
    /// New values of settings; `null` restores the default.
    pub settings: BTreeMap<String, Json>,
}

/// All permissions that a version of a plugin has from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginGrant {
    /// Digest of the version: the one in use, or the one that waits, which is put into use.
    pub digest: String,
    /// Names of the permissions.
    pub permissions: BTreeSet<String>,
}

impl PluginAdmin {
    /// Changes the decisions about a plugin.
    ///
    /// # Errors
    /// Not found; invalid for unknown permissions and settings, for values that a setting does not allow, and for a
    /// version that would lack a permission; conflict `plugin_action_conflict` for permissions of a plugin that was not
    /// uploaded, `plugin_version_changed` for those of a version that is neither in use nor waits, `plugin_kind_taken` if
    /// another plugin has one of the kinds of a version that would run from now on; database errors.
    pub async fn update(&self, by: AuthContext, plugin_id: String, wanted: PluginChange) -> Result<Plugin> {
        let this = self.clone();
        self.decide(
            by,
            plugin_id,
            AuditEvent::PluginUpdated,
            move |plugin, decisions| this.apply(plugin, decisions, wanted),
        )
        .await
    }

    /// Puts the version before the one in use back.
    ///
    /// # Errors
    /// Not found; conflict `plugin_action_conflict` without such a version, `plugin_kind_taken` if another plugin has one
    /// of its kinds by now; database errors.
    pub async fn roll_back(&self, by: AuthContext, plugin_id: String) -> Result<Plugin> {
        // A caller who lost its rights since the request was authorized must not learn anything.
        drop(self.parts().context.change_by(&by).await?);
        if let Some(previous) = self.get(&plugin_id).await?.previous
            && let Some(examined) = self.examine_stored(&previous.digest).await?
        {
            self.require_free_kinds(&examined.manifest)?;
        }
        self.decide(
            by,
            plugin_id,
            AuditEvent::PluginRolledBack,
            |plugin, decisions| {
                let Some(previous) = plugin.previous.as_ref().filter(|_| decisions.roll_back()) else {
                    return Err(conflict("no version was in use before this one"));
                };
                Ok(vec![("version", previous.version.clone())])
            },
        )
        .await
    }

    /// Deletes the version that waits for its permissions.
    ///
    /// # Errors
    /// Not found, also if none waits beside one in use; database errors.
    pub async fn discard_candidate(&self, by: AuthContext, plugin_id: String) -> Result<Plugin> {
        self.decide(by, plugin_id, AuditEvent::PluginUpdated, |plugin, decisions| {
            let candidate = plugin.candidate.as_ref().ok_or(ServiceError::NotFound)?;
            decisions.candidate = None;
            Ok(vec![("discarded", candidate.version.version.clone())])
        })
        .await
    }

    /// Removes an uploaded plugin with its versions and settings. The items that it indexed stay until it is back.
    ///
    /// # Errors
    /// Not found; conflict `plugin_action_conflict` for a plugin that was not uploaded; database errors.
    pub async fn remove(&self, by: AuthContext, plugin_id: String) -> Result<()> {
        let this = self.clone();
        self.complete("plugin-remove", async move {
            let mut change = this.parts().context.change_by(&by).await?;
            require_uploaded(&this.get(&plugin_id).await?)?;
            change.delete_plugin(&plugin_id).await?;
            let details = [("plugin", plugin_id)];
            this.commit(by, change, AuditEvent::PluginRemoved, &details).await
        })
        .await
    }

    /// Changes the decisions by a rule that returns details for the audit entry.
    async fn decide(
        &self,
        by: AuthContext,
        plugin_id: String,
        event: AuditEvent,
        rule: impl FnOnce(&Plugin, &mut PluginDecisions) -> Result<Vec<(&'static str, String)>> + Send + 'static,
    ) -> Result<Plugin> {
        let this = self.clone();
        self.complete("plugin-change", async move {
            let mut change = this.parts().context.change_by(&by).await?;
            let plugin = this.get(&plugin_id).await?;
            let mut decisions = change.plugin_decisions(&plugin_id).await?;
            let mut details = rule(&plugin, &mut decisions)?;
            details.insert(0, ("plugin", plugin_id.clone()));
            change.store_plugin_decisions(&decisions).await?;
            this.commit(by, change, event, &details).await?;
            this.get(&plugin_id).await
        })
        .await
    }

    /// Commits a change with its audit entry, and brings it to the plugin host.
    async fn commit(
        &self,
        by: AuthContext,
        mut change: IdentityChange,
        event: AuditEvent,
        details: &[(&str, String)],
    ) -> Result<()> {
        let entry = self.parts().context.audit_of(&by, event, None, details);
        change.audit(&entry).await?;
        change.commit_without_invalidation().await?;
        self.reload().await
    }

    fn apply(
        &self,
        plugin: &Plugin,
        decisions: &mut PluginDecisions,
        wanted: PluginChange,
    ) -> Result<Vec<(&'static str, String)>> {
        let manifest = plugin.status.manifest.as_ref();
        let manifest = manifest.ok_or_else(|| conflict("the manifest of the plugin cannot be read"))?;
        if manifest.cloud {
            return Err(conflict(
                "the plugin for accounts is configured by the options of the server, such as `cloud-url`",
            ));
        }
        let mut details = Vec::new();
        if let Some(PluginGrant { digest, permissions }) = wanted.granted {
            require_uploaded(plugin)?;
            let names: Vec<&str> = permissions.iter().map(String::as_str).collect();
            details.push(("granted", names.join(" ")));
            details.push(("digest", digest.clone()));
            let (asking, waits) = version_of(plugin, decisions, &digest)?;
            let errors = objections(asking, &permissions, waits);
            if !errors.is_empty() {
                return Err(ServiceError::Invalid(errors));
            }
            if asking.permissions.keys().all(|name| permissions.contains(name)) {
                self.require_free_kinds(asking)?;
            }
            if waits {
                details.push(("version", asking.version.clone()));
                decisions.accept_candidate(permissions);
            } else {
                decisions.grant(permissions);
            }
        }
        if let Some(is_enabled) = wanted.is_enabled {
            details.push(("enabled", is_enabled.to_string()));
            if is_enabled {
                self.require_free_kinds(manifest)?;
            }
            decisions.is_enabled = is_enabled;
        }
        if !wanted.settings.is_empty() {
            let keys: Vec<&str> = wanted.settings.keys().map(String::as_str).collect();
            details.push(("settings", keys.join(" ")));
            change_settings(manifest, decisions, wanted.settings)?;
        }
        Ok(details)
    }
}

fn require_uploaded(plugin: &Plugin) -> Result<()> {
    match &plugin.status.origin {
        PluginOrigin::Uploaded(_) => Ok(()),
        origin => Err(conflict(format!(
            "only uploaded plugins can be changed in this way; this one is {}",
            origin.place()
        ))),
    }
}

/// The manifest of the version with this digest, and whether it waits for its permissions.
fn version_of<'a>(
    plugin: &'a Plugin,
    decisions: &PluginDecisions,
    digest: &str,
) -> Result<(&'a Manifest, bool)> {
    let candidate = plugin.candidate.as_ref();
    let candidate = candidate.filter(|candidate| candidate.version.digest == digest);
    let candidate = candidate.map(|candidate| &candidate.examined.manifest);
    let shown = plugin.status.manifest.as_ref();
    let shown = shown.filter(|_| plugin.status.digest == digest);
    let is = |version: &Option<String>| version.as_deref() == Some(digest);
    match candidate.or(shown) {
        Some(manifest) if is(&decisions.candidate) => Ok((manifest, true)),
        Some(manifest) if is(&decisions.current) => Ok((manifest, false)),
        _ => Err(ServiceError::conflict(
            ErrorCode::PluginVersionChanged,
            "the version with this digest is neither in use nor does it wait for permissions; look at the plugin again",
        )),
    }
}

/// Why these permissions cannot be granted: the plugin does not ask for one, or a version that is put into use lacks
/// one.
fn objections(manifest: &Manifest, granted: &BTreeSet<String>, put_into_use: bool) -> Vec<FieldError> {
    let unknown = granted
        .iter()
        .filter(|name| !manifest.permissions.contains_key(*name));
    let unknown = unknown.map(|name| format!("the plugin does not ask for `{name}`"));
    let lacking = manifest.permissions.iter();
    let lacking = lacking.filter(|(name, _)| put_into_use && !granted.contains(*name));
    let lacking = lacking.map(|(name, reason)| {
        format!("`{name}` is needed as well: {reason} (a version gets all that it asks for, or waits)")
    });
    unknown
        .chain(lacking)
        .map(|message| FieldError::new("grants", message))
        .collect()
}

/// What to say about the name of a setting that the plugin does not have.
fn no_setting(manifest: &Manifest) -> String {
    let keys: Vec<String> = manifest
        .settings
        .iter()
        .map(|setting| format!("`{}`", setting.key))
        .collect();
    if keys.is_empty() {
        "is not a setting of the plugin, which has none".to_owned()
    } else {
        format!("is not a setting of the plugin, which has {}", keys.join(", "))
    }
}

fn change_settings(
    manifest: &Manifest,
    decisions: &mut PluginDecisions,
    wanted: BTreeMap<String, Json>,
) -> Result<()> {
    let mut errors = Vec::new();
    for (key, value) in wanted {
        let path = format!("settings.{key}");
        let Some(setting) = manifest.settings.iter().find(|setting| setting.key == key) else {
            errors.push(FieldError::new(path, no_setting(manifest)));
            continue;
        };
        if value.is_null() {
            decisions.settings.remove(&key);
            continue;
        }
        match setting.read(&value) {
            Ok(value) if value == setting.default => {
                decisions.settings.remove(&key);
            }
            Ok(value) => {
                decisions.settings.insert(key, value.into());
            }
            Err(reason) => errors.push(FieldError::new(path, reason)),
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(ServiceError::Invalid(errors))
    }
}
