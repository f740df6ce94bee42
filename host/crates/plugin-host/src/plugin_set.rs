//! The plugins of one load, built-in and from the plugin directory, with their order and the kinds that they define.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use crate::cache;
use crate::kind_claims::KindClaims;
use crate::kinds::KindOwners;
use crate::loader::Loader;
use crate::machine_code::millis;
use crate::manifest::Manifest;
use crate::plugin::{LoadedPlugin, PluginHandle};
use crate::plugin_dir::{DirectoryState, plugin_files, read_component};
use crate::plugin_index::PluginIndex;
use crate::settings::{BuiltIn, Isolation, PluginChoices, PluginHostError, PluginSettings};
use crate::signature::verify_beside;
use crate::status::{PluginOrigin, PluginState, PluginStatus};
use crate::terms::{Consent, Terms};
use svc_domain::kind::MediaKind;

/// Plugins that were loaded together. Does not change, apart from quarantines.
pub(super) struct PluginSet {
    /// In the order of loading.
    entries: Vec<Entry>,
    pub(super) index: PluginIndex,
    pub(super) kinds: KindOwners,
    /// Which plugin may define a kind, whether or not it is loaded.
    pub(super) claims: KindClaims,
    /// The plugin directory when its files were read.
    pub(super) directory: DirectoryState,
}

enum Entry {
    Ready(PluginHandle),
    /// Does not change until the next load.
    Unusable(Box<PluginStatus>),
}

impl PluginSet {
    /// Loads all plugins. Those of `before` whose bytes did not change keep statistics and quarantine.
    pub(super) fn load(
        loader: &Loader,
        settings: &PluginSettings,
        built_in: &[BuiltIn],
        choices: &PluginChoices,
        before: Option<&Self>,
    ) -> Result<Self, PluginHostError> {
        let mut set = Loading {
            loader,
            choices,
            before,
            entries: Vec::new(),
        };
        for plugin in built_in {
            let origin = PluginOrigin::BuiltIn(plugin.name);
            set.add(Found {
                bytes: plugin.component.bytes().map(Cow::Owned),
                origin,
                isolation: settings.isolation.built_in,
                consent: Consent::All,
                signed_by: Ok(None),
            });
        }
        for plugin in &choices.uploaded {
            set.add(Found {
                bytes: Ok(Cow::Borrowed(&plugin.component)),
                origin: PluginOrigin::Uploaded(plugin.id.clone()),
                isolation: settings.isolation.third_party,
                consent: Consent::of(plugin),
                signed_by: Ok(plugin.signed_by.clone()),
            });
        }
        let dir = settings.plugin_dir.as_deref();
        let directory = DirectoryState::of(dir)?;
        for path in plugin_files(dir)? {
            let bytes = read_component(&path);
            let signed_by = bytes
                .as_ref()
                .map_or(Ok(None), |bytes| verify_beside(&path, bytes));
            set.add(Found {
                bytes: bytes.map(Cow::Owned),
                origin: PluginOrigin::File(path),
                isolation: settings.isolation.third_party,
                consent: Consent::All,
                signed_by,
            });
        }
        let claims = set.settle_kinds();
        set.reject_orphans();
        let entries = set.entries;
        let in_use = entries.iter().map(|entry| entry.status().digest).collect();
        if let Err(error) = loader.code.cache.prune(&in_use) {
            tracing::warn!("old compiled plugins could not be removed: {error}");
        }
        let index = PluginIndex::new(handles(&entries));
        index.log_shared_extensions();
        Ok(Self {
            kinds: KindOwners::new(handles(&entries)),
            claims,
            index,
            entries,
            directory,
        })
    }

    pub(super) fn statuses(&self) -> Vec<PluginStatus> {
        self.entries.iter().map(Entry::status).collect()
    }

    /// The loaded plugins.
    pub(super) fn handles(&self) -> impl Iterator<Item = &PluginHandle> {
        handles(&self.entries)
    }
}

fn handles(entries: &[Entry]) -> impl Iterator<Item = &PluginHandle> {
    entries.iter().filter_map(|entry| match entry {
        Entry::Ready(plugin) => Some(plugin),
        Entry::Unusable(_) => None,
    })
}

impl Entry {
    fn status(&self) -> PluginStatus {
        match self {
            Self::Ready(plugin) => plugin.status(),
            Self::Unusable(status) => (**status).clone(),
        }
    }
}

/// A plugin to be loaded.
struct Found<'a> {
    bytes: io::Result<Cow<'a, [u8]>>,
    origin: PluginOrigin,
    isolation: Isolation,
    consent: Consent<'a>,
    /// The key that signed it, or why its signature is not valid.
    signed_by: Result<Option<String>, String>,
}

/// A plugin that cannot be used.
struct Refused {
    origin: PluginOrigin,
    /// Empty if it could not be read.
    digest: String,
    manifest: Option<Manifest>,
    signed_by: Option<String>,
    state: PluginState,
}

impl Refused {
    /// A plugin that loads, and still cannot be used beside the others.
    fn of(plugin: &LoadedPlugin, reason: String) -> Self {
        Self {
            origin: plugin.origin.clone(),
            digest: plugin.component_digest.clone(),
            manifest: Some(plugin.manifest.clone()),
            signed_by: plugin.signed_by.clone(),
            state: PluginState::Excluded { reason },
        }
    }
}

/// A load in progress.
struct Loading<'a> {
    loader: &'a Loader,
    choices: &'a PluginChoices,
    before: Option<&'a PluginSet>,
    entries: Vec<Entry>,
}

impl Loading<'_> {
    /// Loads one plugin; the ids of those before it are taken.
    fn add(&mut self, found: Found<'_>) {
        let started = Instant::now();
        let origin = found.origin;
        let failed = |reason| PluginState::Failed { reason };
        let bytes = match found.bytes {
            Ok(bytes) => bytes,
            Err(error) => {
                let state = failed(format!("it cannot be read: {error}"));
                return self.unusable(Refused {
                    origin,
                    digest: String::new(),
                    manifest: None,
                    signed_by: None,
                    state,
                });
            }
        };
        let digest = cache::digest(&bytes);
        let signed_by = match found.signed_by {
            Ok(signed_by) => signed_by,
            Err(reason) => {
                let examined = self.loader.examine(&bytes);
                return self.unusable(Refused {
                    origin,
                    digest,
                    manifest: examined.ok().map(|examined| examined.manifest),
                    signed_by: None,
                    state: failed(reason),
                });
            }
        };
        let terms = Terms {
            origin: &origin,
            isolation: found.isolation,
            choices: self.choices,
            consent: found.consent,
            signed_by: signed_by.as_deref(),
        };
        let kept = self.before.and_then(|before| {
            let mut plugins = before.handles();
            plugins.find(|plugin| plugin.0.component_digest == digest && terms.hold_for(&plugin.0))
        });
        let loaded = match kept {
            Some(plugin) => Ok(plugin.clone()),
            None => self
                .loader
                .load(&bytes, &digest, terms)
                .map(|plugin| PluginHandle(Arc::new(plugin))),
        };
        match loaded {
            Ok(plugin) => match self.id_conflict(&plugin.0) {
                None => {
                    if kept.is_none() {
                        log_loaded(&plugin.0, started);
                    }
                    self.entries.push(Entry::Ready(plugin));
                }
                Some(reason) => {
                    self.unusable(Refused::of(&plugin.0, reason));
                }
            },
            Err(rejection) => {
                self.unusable(Refused {
                    origin,
                    digest,
                    manifest: rejection.manifest.map(|manifest| *manifest),
                    signed_by,
                    state: rejection.state,
                });
            }
        }
    }

    /// Why a plugin cannot have its id beside those before it.
    fn id_conflict(&self, plugin: &LoadedPlugin) -> Option<String> {
        let other = handles(&self.entries).find(|other| other.0.id == plugin.id)?;
        let (id, other) = (&plugin.id, other.status().full_name());
        Some(format!(
            "the id `{id}` is taken by {other}: remove one of the two"
        ))
    }

    /// Rejects plugins that define a kind of another one; see [`KindClaims`].
    fn settle_kinds(&mut self) -> KindClaims {
        let mut owners = self.choices.kind_owners.clone();
        owners.extend(self.before.into_iter().flat_map(|before| before.claims.owners()));
        let statuses: Vec<PluginStatus> = self.entries.iter().map(Entry::status).collect();
        let mut claims = KindClaims::of(&owners, &statuses);
        for entry in std::mem::take(&mut self.entries) {
            let refused = match &entry {
                Entry::Ready(plugin) => {
                    let reason = claims.claim(&plugin.status());
                    reason.map(|reason| Refused::of(&plugin.0, reason))
                }
                Entry::Unusable(_) => None,
            };
            match refused {
                None => self.entries.push(entry),
                Some(refused) => self.unusable(refused),
            }
        }
        claims
    }

    /// Rejects plugins that read files of a kind that no loaded plugin defines.
    fn reject_orphans(&mut self) {
        let kinds = KindOwners::new(handles(&self.entries));
        // A plugin that is not needed defines its kinds all the same.
        let idle = self.entries.iter().map(Entry::status);
        let idle = idle.filter(|status| status.state == PluginState::Idle);
        let idle: Vec<MediaKind> = idle
            .filter_map(|status| status.manifest)
            .flat_map(|manifest| manifest.kinds)
            .map(|entry| entry.kind)
            .collect();
        let orphaned = |plugin: &PluginHandle| -> Option<MediaKind> {
            let mut entries = plugin.0.manifest.kinds.iter();
            let orphan = entries.find(|entry| !kinds.has(&entry.kind) && !idle.contains(&entry.kind));
            orphan.map(|entry| entry.kind.clone())
        };
        for entry in std::mem::take(&mut self.entries) {
            let orphan = match &entry {
                Entry::Ready(plugin) => orphaned(plugin).map(|kind| (plugin.clone(), kind)),
                Entry::Unusable(_) => None,
            };
            match orphan {
                None => self.entries.push(entry),
                Some((plugin, kind)) => {
                    let reason = format!(
                        "it reads files of the kind `{kind}`, which no loaded plugin defines: a plugin that defines a kind \
                         says `label`, `app` and `item` in `[[kinds]]`"
                    );
                    self.unusable(Refused::of(&plugin.0, reason));
                }
            }
        }
    }

    fn unusable(&mut self, refused: Refused) {
        let Refused {
            origin,
            digest,
            manifest,
            signed_by,
            state,
        } = refused;
        let (id, version) = manifest.as_ref().map_or((None, None), |manifest| {
            (Some(manifest.id.as_str()), Some(manifest.version.as_str()))
        });
        let (origin_name, state_name) = (origin.place(), state.name());
        match state.reason() {
            Some(reason) if matches!(state, PluginState::Waiting { .. }) => {
                tracing::info!(
                    plugin = id,
                    version,
                    origin = origin_name,
                    "plugin is not loaded: {reason}"
                );
            }
            Some(reason) => tracing::error!(
                plugin = id,
                version,
                origin = origin_name,
                digest,
                state = state_name,
                "plugin cannot be used: {reason}"
            ),
            None if state == PluginState::Idle => {
                tracing::debug!(
                    plugin = id,
                    version,
                    "plugin is not loaded: no directory has its kinds"
                );
            }
            None => {
                tracing::info!(
                    plugin = id,
                    version,
                    origin = origin_name,
                    "plugin is {state_name}"
                );
            }
        }
        let limits = manifest.as_ref().map(|manifest| self.loader.limits_of(manifest));
        let status = PluginStatus {
            origin,
            digest,
            manifest,
            state,
            abilities: Vec::new(),
            degraded: false,
            signed_by,
            granted: Default::default(),
            limits: limits.unwrap_or_default(),
            stats: None,
        };
        self.entries.push(Entry::Unusable(Box::new(status)));
    }
}

fn log_loaded(plugin: &LoadedPlugin, started: Instant) {
    let kinds: Vec<&str> = plugin
        .manifest
        .kinds
        .iter()
        .map(|kind| kind.kind.as_str())
        .collect();
    tracing::info!(
        plugin = &*plugin.id,
        version = plugin.manifest.version,
        origin = plugin.origin.place(),
        digest = plugin.component_digest.get(..12),
        kinds = kinds.join(", "),
        took_ms = millis(started),
        "plugin loaded"
    );
}
