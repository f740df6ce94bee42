//! The status of a plugin for log, command line and API.

use std::path::PathBuf;

use crate::manifest::Manifest;
use crate::stats::PluginStats;

/// The origin of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginOrigin {
    /// Part of the server, with its name.
    BuiltIn(&'static str),
    /// A file of the plugin directory.
    File(PathBuf),
}

impl PluginOrigin {
    /// A name for messages, even if the plugin could not be read.
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

/// Whether a plugin is active, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginState {
    /// Called for files.
    Active,
    /// Disabled by the operator.
    Disabled,
    /// Quarantined after too many faults in scans, until it is released or the process ends.
    Quarantined {
        /// The faults.
        reason: String,
    },
    /// Built for a version of the interface that this server does not support.
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
    /// The name in the API.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Disabled => "disabled",
            Self::Quarantined { .. } => "quarantined",
            Self::Incompatible { .. } => "incompatible",
            Self::Failed { .. } => "failed",
        }
    }

    /// Why it is not active, if the state's name does not say it.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Active | Self::Disabled => None,
            Self::Quarantined { reason } | Self::Incompatible { reason } | Self::Failed { reason } => {
                Some(reason)
            }
        }
    }
}

/// The current status of a plugin.
#[derive(Debug, Clone)]
pub struct PluginStatus {
    /// Origin.
    pub origin: PluginOrigin,
    /// SHA-256 of the component in hexadecimal; empty if it could not be read.
    pub digest: String,
    /// The manifest, if it could be read.
    pub manifest: Option<Manifest>,
    /// Whether it is active.
    pub state: PluginState,
    /// Whether it exports `artwork`.
    pub has_artwork: bool,
    /// Whether it had enough faults to get a new instance for each file.
    pub degraded: bool,
    /// `None` for a plugin that was never loaded.
    pub stats: Option<PluginStats>,
}

impl PluginStatus {
    /// The id; the file name if the manifest could not be read.
    pub fn id(&self) -> String {
        match &self.manifest {
            Some(manifest) => manifest.id.clone(),
            None => self.origin.label(),
        }
    }
}
