//! Which plugin may define a media kind.

use std::collections::BTreeMap;

use crate::manifest::Manifest;
use crate::status::{PluginOrigin, PluginState, PluginStatus};
use svc_domain::kind::MediaKind;

/// The plugin to which each kind belongs: the one that defined it last, until it is removed. Neither ids nor names of
/// files decide about a kind in use, and a plugin that is disabled or failed finds its kind when it is back. Only a
/// built-in plugin, which cannot be removed, gives its kinds up when it is disabled or not needed.
pub(super) struct KindClaims(BTreeMap<MediaKind, Claim>);

struct Claim {
    plugin_id: String,
    /// The plugin in messages.
    name: String,
    /// What an administrator does for its kinds to be free.
    ends: &'static str,
}

impl Claim {
    fn of(status: &PluginStatus) -> Self {
        let mut name = status.full_name();
        if status.stats.is_none() {
            name = format!("{name}, which is not loaded ({})", status.state.name());
        }
        Self {
            plugin_id: status.id(),
            name,
            ends: match status.origin {
                PluginOrigin::BuiltIn(_) => "disable",
                PluginOrigin::File(_) | PluginOrigin::Uploaded(_) => "remove",
            },
        }
    }
}

impl KindClaims {
    /// The claims of those that defined the kinds before, as far as they are there. `owners` are their ids.
    pub(super) fn of(owners: &BTreeMap<MediaKind, String>, plugins: &[PluginStatus]) -> Self {
        let mut claims = Self(BTreeMap::new());
        for (kind, owner) in owners {
            let holds = |plugin: &&PluginStatus| {
                let manifest = plugin.manifest.as_ref();
                plugin.id() == *owner && !gives_up(plugin) && manifest.is_some_and(|own| own.defines(kind))
            };
            // Of several files with one id, the one that is loaded counts.
            let holder = plugins
                .iter()
                .filter(holds)
                .min_by_key(|plugin| plugin.stats.is_none());
            if let Some(holder) = holder {
                claims.0.insert(kind.clone(), Claim::of(holder));
            }
        }
        // With its next kinds, an owner goes before plugins that own none.
        for plugin in plugins.iter().filter(|plugin| plugin.stats.is_some()) {
            let id = plugin.id();
            if claims.0.values().any(|claim| claim.plugin_id == id) {
                claims.claim(plugin);
            }
        }
        claims
    }

    /// Gives a loaded plugin the kinds that it defines, or says why it cannot have all of them.
    pub(super) fn claim(&mut self, plugin: &PluginStatus) -> Option<String> {
        let manifest = plugin.manifest.as_ref()?;
        if let Some((kind, claim)) = self.rival(manifest) {
            let (Claim { name, ends, .. }, this) = (claim, plugin.full_name());
            return Some(format!(
                "two plugins define the kind `{kind}`, which belongs to one: it is that of {name}; {this} can have it \
                 when that plugin is {ends}d"
            ));
        }
        for kind in manifest.defined_kinds() {
            self.0.insert(kind.clone(), Claim::of(plugin));
        }
        None
    }

    /// Why a plugin with this manifest could not be used.
    pub(super) fn conflict(&self, manifest: &Manifest) -> Option<String> {
        let (kind, Claim { name, ends, .. }) = self.rival(manifest)?;
        Some(format!(
            "the plugin defines the kind `{kind}`, which belongs to {name}: {ends} that plugin first"
        ))
    }

    /// Ids of the plugins to which kinds belong.
    pub(super) fn owners(&self) -> impl Iterator<Item = (MediaKind, String)> {
        let claims = self.0.iter();
        claims.map(|(kind, claim)| (kind.clone(), claim.plugin_id.clone()))
    }

    /// The first of its kinds that belongs to another plugin, and the claim of that one.
    fn rival(&self, manifest: &Manifest) -> Option<(MediaKind, &Claim)> {
        manifest.defined_kinds().find_map(|kind| {
            let claim = self.0.get(kind).filter(|claim| claim.plugin_id != manifest.id)?;
            Some((kind.clone(), claim))
        })
    }
}

/// Whether the kinds of a plugin are free although it is there.
fn gives_up(plugin: &PluginStatus) -> bool {
    matches!(plugin.origin, PluginOrigin::BuiltIn(_))
        && matches!(plugin.state, PluginState::Disabled | PluginState::Idle)
}
