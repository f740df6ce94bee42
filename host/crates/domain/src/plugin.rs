//! What administrators decided about plugins, and the plugins that they uploaded.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::time::Timestamp;

/// The decisions about a plugin. Built-in plugins and those of the plugin directory have only `is_enabled` and
/// `settings`.
#[derive(Debug, Clone, PartialEq)]
pub struct PluginDecisions {
    /// Id of the plugin.
    pub plugin_id: String,
    /// Whether it may run.
    pub is_enabled: bool,
    /// The permissions granted to the version in use.
    pub granted: BTreeSet<String>,
    /// Values of settings that differ from their defaults.
    pub settings: BTreeMap<String, Json>,
    /// Digest of the uploaded version in use.
    pub current: Option<String>,
    /// Digest of the version that was in use before.
    pub previous: Option<String>,
    /// Digest of the version that waits for its permissions.
    pub candidate: Option<String>,
}

impl PluginDecisions {
    /// Those about a plugin before anyone made one.
    pub fn none(plugin_id: &str) -> Self {
        Self {
            plugin_id: plugin_id.to_owned(),
            is_enabled: true,
            granted: BTreeSet::new(),
            settings: BTreeMap::new(),
            current: None,
            previous: None,
            candidate: None,
        }
    }

    /// Whether a version of the plugin was uploaded.
    pub fn is_uploaded(&self) -> bool {
        self.current.is_some() || self.candidate.is_some()
    }

    /// Puts the version that waited into use, with these permissions. It stays as it is if none waits.
    pub fn accept_candidate(&mut self, granted: BTreeSet<String>) {
        if let Some(candidate) = self.candidate.take() {
            self.previous = self.current.replace(candidate);
            self.granted = granted;
        }
    }

    /// Exchanges the version in use for the one before it; false if there is none.
    pub fn roll_back(&mut self) -> bool {
        if self.previous.is_some() {
            std::mem::swap(&mut self.current, &mut self.previous);
        }
        self.previous.is_some()
    }
}

/// An uploaded version of a plugin, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedVersion {
    /// SHA-256 of the component in hexadecimal.
    pub digest: String,
    /// Id of the plugin.
    pub plugin_id: String,
    /// Version in its manifest.
    pub version: String,
    /// The public key of its signature in base64, if it has one.
    pub signed_by: Option<String>,
    /// When it was uploaded.
    pub uploaded_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_move_from_candidate_to_current_to_previous_and_back() {
        let mut decisions = PluginDecisions::none("notes");
        assert!(!decisions.roll_back(), "there is nothing to go back to");
        decisions.candidate = Some("1".into());
        decisions.accept_candidate(["source".to_owned()].into());
        assert_eq!(
            (decisions.current.as_deref(), decisions.previous.as_deref()),
            (Some("1"), None)
        );
        decisions.candidate = Some("2".into());
        decisions.accept_candidate(BTreeSet::new());
        assert_eq!(decisions.previous.as_deref(), Some("1"));
        assert!(decisions.granted.is_empty() && decisions.candidate.is_none());
        assert!(decisions.roll_back());
        assert_eq!(
            (decisions.current.as_deref(), decisions.previous.as_deref()),
            (Some("1"), Some("2"))
        );
    }
}
