//! The status of a plugin for log, command line and API.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::granted_limits::GrantedLimits;
use crate::manifest::Manifest;
use crate::stats::PluginStats;

/// The origin of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginOrigin {
    /// Part of the server, with its name.
    BuiltIn(&'static str),
    /// A file of the plugin directory.
    File(PathBuf),
    /// Uploaded by an administrator, with its id.
    Uploaded(String),
}

impl PluginOrigin {
    /// The kind of origin in log and API.
    pub fn name(&self) -> &'static str {
        match self {
            Self::BuiltIn(_) => "built-in",
            Self::File(_) => "file",
            Self::Uploaded(_) => "uploaded",
        }
    }

    /// Where the plugin came from, so that several files of one id can be told apart: `built-in`, `uploaded`, or the path.
    pub fn place(&self) -> String {
        match self {
            Self::BuiltIn(_) | Self::Uploaded(_) => self.name().to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// A name for messages, even if the plugin could not be read.
    pub fn label(&self) -> String {
        match self {
            Self::BuiltIn(name) => (*name).to_owned(),
            Self::Uploaded(id) => id.clone(),
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
    /// Uploaded, and not loaded before an administrator grants its permissions.
    Waiting {
        /// Names the permissions.
        reason: String,
    },
    /// Built in, and not loaded because no root has one of its kinds.
    Idle,
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
    /// It loads, and cannot be used beside the others. In the API it failed.
    Excluded {
        /// Names the plugin in its way, or what it lacks.
        reason: String,
    },
}

impl PluginState {
    /// Of a plugin that is loaded, with the reason of its quarantine.
    pub(crate) fn of_loaded(quarantined: Option<String>) -> Self {
        quarantined.map_or(Self::Active, |reason| Self::Quarantined { reason })
    }

    /// The name in the API.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Disabled => "disabled",
            Self::Waiting { .. } => "waiting",
            Self::Idle => "idle",
            Self::Quarantined { .. } => "quarantined",
            Self::Incompatible { .. } => "incompatible",
            Self::Failed { .. } | Self::Excluded { .. } => "failed",
        }
    }

    /// Why it is not active, if the state's name does not say it.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Active | Self::Disabled | Self::Idle => None,
            Self::Waiting { reason }
            | Self::Quarantined { reason }
            | Self::Incompatible { reason }
            | Self::Failed { reason }
            | Self::Excluded { reason } => Some(reason),
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
    /// The abilities that it exports, such as `extractor`; empty if it was not loaded.
    pub abilities: Vec<&'static str>,
    /// Whether it had enough faults to get a new instance for each file.
    pub degraded: bool,
    /// The public key of its signature in base64; `None` if it is not signed.
    pub signed_by: Option<String>,
    /// The permissions in force; none for a plugin that is not loaded.
    pub granted: BTreeSet<String>,
    /// Requested and effective limits by ability; empty if the manifest could not be read.
    pub limits: Vec<GrantedLimits>,
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

    /// Id, version, origin and the start of the digest, for messages that name several plugins.
    pub(crate) fn full_name(&self) -> String {
        let version = self
            .manifest
            .as_ref()
            .map_or("-", |manifest| manifest.version.as_str());
        let digest = self.digest.get(..12).unwrap_or_default();
        format!(
            "`{}` {version} ({}, sha256 {digest}…)",
            self.id(),
            self.origin.place()
        )
    }
}
