//! Under which terms a plugin is loaded: consent to its permissions, settings, signature.

use std::collections::{BTreeMap, BTreeSet};

use crate::cache;
use crate::manifest::{Manifest, ManifestSetting};
use crate::plugin::LoadedPlugin;
use crate::settings::{Isolation, PluginChoices, UploadedPlugin};
use crate::status::PluginOrigin;
use svc_domain::extraction::Value;

/// What a plugin may import.
#[derive(Clone, Copy)]
pub(super) enum Consent<'a> {
    /// All that it asks for: the operator put it where it is.
    All,
    /// Nothing: nobody has answered yet.
    Pending,
    /// These permissions.
    To(&'a BTreeSet<String>),
}

impl<'a> Consent<'a> {
    /// That to an uploaded plugin.
    pub(super) fn of(plugin: &'a UploadedPlugin) -> Self {
        plugin.granted.as_ref().map_or(Self::Pending, Self::To)
    }

    /// What a plugin waits for; `None` if it may run.
    pub(super) fn objection(self, manifest: &Manifest) -> Option<String> {
        let granted = match self {
            Self::All => return None,
            Self::Pending => &BTreeSet::new(),
            Self::To(granted) => granted,
        };
        let missing = manifest
            .permissions
            .keys()
            .filter(|name| !granted.contains(*name));
        let missing: Vec<String> = missing.map(|name| format!("`{name}`")).collect();
        match (self, missing.as_slice()) {
            (Self::To(_), []) => None,
            (_, []) => Some("it waits for an administrator's consent".to_owned()),
            (_, missing) => Some(format!("it waits for the permissions {}", missing.join(", "))),
        }
    }
}

/// What is decided about one plugin, beyond its bytes.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) origin: &'a PluginOrigin,
    pub(super) isolation: Isolation,
    pub(super) choices: &'a PluginChoices,
    pub(super) consent: Consent<'a>,
    pub(super) signed_by: Option<&'a str>,
}

impl Terms<'_> {
    /// Whether a plugin that was loaded before can stay as it is under these terms.
    pub(super) fn hold_for(self, plugin: &LoadedPlugin) -> bool {
        let manifest = &plugin.manifest;
        plugin.origin == *self.origin
            && !self.choices.disabled.contains(&manifest.id)
            && self.consent.objection(manifest).is_none()
            && plugin.signed_by.as_deref() == self.signed_by
            && *plugin.settings == setting_values(manifest, self.choices)
    }
}

/// The values of a plugin's settings.
pub(super) fn setting_values(manifest: &Manifest, choices: &PluginChoices) -> BTreeMap<String, Value> {
    let none = BTreeMap::new();
    let chosen = choices.values.get(&manifest.id).unwrap_or(&none);
    let values = manifest.setting_values(chosen).into_iter();
    values.map(|(key, value)| (key, value.into())).collect()
}

/// What tells whether a plugin reads files as before: its digest, and its settings where they are not the defaults.
pub(super) fn record_digest(digest: &str, manifest: &Manifest, settings: &BTreeMap<String, Value>) -> String {
    let is_default =
        |setting: &ManifestSetting| settings.get(&setting.key) == Some(&Value::from(setting.default.clone()));
    if manifest.settings.iter().all(is_default) {
        return digest.to_owned();
    }
    cache::digest(format!("{digest} {settings:?}").as_bytes())
}
