//! How a plugin is shown to people: in the log, on the command line, in the API.

use std::path::PathBuf;

use crate::manifest::Manifest;
use crate::stats::PluginStats;

/// Where a plugin came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginOrigin {
    /// It is part of the server, under this name.
    BuiltIn(&'static str),
    /// This file of the plugin directory.
    File(PathBuf),
}

impl PluginOrigin {
    /// A name for messages, whether or not the plugin could be read.
    pub fn label(&self) -> String {
        match self {
            Self::BuiltIn(name) => (*name).to_owned(),
            Self::File(path) => path
                .file_name()
                .unwrap_or(path.as_os_str())
                .to_string_lossy()
                .into_owned(),
        }
    }
}

/// Whether a plugin is used, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginState {
    /// It is used.
    Active,
    /// Switched off by the operator.
    Disabled,
    /// Shut off after too many failures in scans, until it is released or the process ends.
    Quarantined {
        /// What it did.
        reason: String,
    },
    /// Built for a version of the interface that this server does not speak.
    Incompatible {
        /// Names both versions.
        reason: String,
    },
    /// It could not be loaded.
    Failed {
        /// A sentence for the operator.
        reason: String,
    },
}

impl PluginState {
    /// The state's name in the API.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Disabled => "disabled",
            Self::Quarantined { .. } => "quarantined",
            Self::Incompatible { .. } => "incompatible",
            Self::Failed { .. } => "failed",
        }
    }

    /// Why it is not used, where there is more to say than the state's name.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Active | Self::Disabled => None,
            Self::Quarantined { reason } | Self::Incompatible { reason } | Self::Failed { reason } => {
                Some(reason)
            }
        }
    }
}

/// One plugin as it stands.
#[derive(Debug, Clone)]
pub struct PluginStatus {
    /// Where it came from.
    pub origin: PluginOrigin,
    /// SHA-256 of all of its bytes, in hexadecimal digits; empty when they could not be read.
    pub digest: String,
    /// What it says about itself, if that could be read.
    pub manifest: Option<Manifest>,
    /// Whether it is used.
    pub state: PluginState,
    /// Whether it hands out pictures (`artwork`).
    pub has_artwork: bool,
    /// Whether it failed often enough to get a fresh instance for each file.
    pub degraded: bool,
    /// What it did; none for one that was never ready.
    pub stats: Option<PluginStats>,
}

impl PluginStatus {
    /// Its id; the name of its file if it could not be read.
    pub fn id(&self) -> String {
        match &self.manifest {
            Some(manifest) => manifest.id.clone(),
            None => self.origin.label(),
        }
    }
}
