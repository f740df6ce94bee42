//! Which plugin defines a media kind, and whether files of the kind are read.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::plugin::PluginHandle;
use crate::status::{PluginState, PluginStatus};
use svc_domain::item_kind::KindSchema;
use svc_domain::kind::MediaKind;

/// A kind that a loaded plugin defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinedKind {
    /// What the manifest says of it.
    pub schema: Arc<KindSchema>,
    /// Id of the plugin.
    pub plugin_id: String,
    /// Version of the plugin.
    pub plugin_version: String,
}

/// Whether files of a kind are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KindState {
    /// Plugins read them.
    Active,
    /// They stay as they are until a plugin reads them again.
    Unavailable {
        /// `no_plugin`, `plugin_disabled`, `plugin_waiting`, `plugin_idle`, `plugin_quarantined`, `plugin_incompatible` or `plugin_failed`.
        code: &'static str,
        /// A sentence for the operator.
        reason: String,
    },
}

impl KindState {
    /// The name in the API.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Unavailable { code, .. } => code,
        }
    }

    /// Why files of the kind are not read.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Active => None,
            Self::Unavailable { reason, .. } => Some(reason),
        }
    }
}

/// The plugin that defines each kind.
#[derive(Debug, Default)]
pub(super) struct KindOwners(BTreeMap<MediaKind, (Arc<KindSchema>, PluginHandle)>);

impl KindOwners {
    pub(super) fn new<'a>(plugins: impl Iterator<Item = &'a PluginHandle>) -> Self {
        let mut owners = BTreeMap::new();
        for plugin in plugins {
            for kind in &plugin.0.manifest.kinds {
                if let Some(schema) = &kind.schema {
                    let owner = || (Arc::clone(schema), plugin.clone());
                    owners.entry(kind.kind.clone()).or_insert_with(owner);
                }
            }
        }
        Self(owners)
    }

    /// Whether a plugin defines the kind, or it is built in.
    pub(super) fn has(&self, kind: &MediaKind) -> bool {
        MediaKind::BUILT_IN.contains(&kind.as_str()) || self.0.contains_key(kind)
    }

    pub(super) fn schema(&self, kind: &MediaKind) -> Option<Arc<KindSchema>> {
        self.0.get(kind).map(|(schema, _)| Arc::clone(schema))
    }

    pub(super) fn owner(&self, kind: &MediaKind) -> Option<&PluginHandle> {
        self.0.get(kind).map(|(_, plugin)| plugin)
    }

    pub(super) fn all(&self) -> Vec<DefinedKind> {
        let defined = self.0.values().map(|(schema, plugin)| DefinedKind {
            schema: Arc::clone(schema),
            plugin_id: plugin.id().to_owned(),
            plugin_version: plugin.version().to_owned(),
        });
        defined.collect()
    }

    /// The state of a kind. `is_read` says whether an extractor for it is loaded, `statuses` returns those of all plugins.
    pub(super) fn state(
        &self,
        kind: &MediaKind,
        is_read: bool,
        statuses: impl FnOnce() -> Vec<PluginStatus>,
    ) -> KindState {
        if MediaKind::BUILT_IN.contains(&kind.as_str()) {
            return if is_read {
                KindState::Active
            } else {
                no_plugin(format!("no plugin reads files of the kind `{kind}`"))
            };
        }
        match self.owner(kind) {
            Some(plugin) => match plugin.quarantine_reason() {
                None => KindState::Active,
                Some(reason) => KindState::Unavailable {
                    code: "plugin_quarantined",
                    reason: format!("the plugin `{}` is quarantined: {reason}", plugin.id()),
                },
            },
            None => {
                let defines = |status: &&PluginStatus| {
                    let manifest = status.manifest.iter();
                    let mut kinds = manifest.flat_map(|manifest| &manifest.kinds);
                    kinds.any(|entry| entry.kind == *kind && entry.schema.is_some())
                };
                // A plugin that wanted the kind beside its owner says nothing about the owner.
                let is_excluded =
                    |status: &&PluginStatus| matches!(status.state, PluginState::Excluded { .. });
                match statuses().iter().filter(defines).min_by_key(is_excluded) {
                    Some(status) => unusable(status),
                    None => no_plugin(format!("no plugin defines the kind `{kind}`")),
                }
            }
        }
    }
}

fn no_plugin(reason: String) -> KindState {
    KindState::Unavailable {
        code: "no_plugin",
        reason,
    }
}

/// The state of a kind whose plugin was found and not loaded.
fn unusable(status: &PluginStatus) -> KindState {
    let (id, state) = (status.id(), status.state.name());
    let named = || match status.state.reason() {
        Some(reason) => format!("the plugin `{id}` is {state}: {reason}"),
        None => format!("the plugin `{id}` is {state}"),
    };
    let (code, reason) = match &status.state {
        PluginState::Disabled => ("plugin_disabled", named()),
        PluginState::Waiting { .. } => ("plugin_waiting", named()),
        PluginState::Idle => (
            "plugin_idle",
            format!("no directory of this kind is configured, so the plugin `{id}` is not loaded"),
        ),
        PluginState::Incompatible { .. } => ("plugin_incompatible", named()),
        PluginState::Active => ("plugin_failed", named()),
        PluginState::Quarantined { reason }
        | PluginState::Failed { reason }
        | PluginState::Excluded { reason } => (
            "plugin_failed",
            format!("the plugin `{id}` cannot be used: {reason}"),
        ),
    };
    KindState::Unavailable { code, reason }
}
