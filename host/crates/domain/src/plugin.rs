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
    /// The permissions that version had.
    pub previous_granted: BTreeSet<String>,
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
            previous_granted: BTreeSet::new(),
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
            self.previous_granted = std::mem::replace(&mut self.granted, granted);
        }
    }

    /// Changes the permissions of the version in use. One that is taken back is taken back from the version before as
    /// well, so that a rollback does not bring it back.
    pub fn grant(&mut self, granted: BTreeSet<String>) {
        let is_taken_back = |name: &String| self.granted.contains(name) && !granted.contains(name);
        self.previous_granted.retain(|name| !is_taken_back(name));
        self.granted = granted;
    }

    /// Exchanges the version in use for the one before it, with the permissions that it had; false if there is none.
    pub fn roll_back(&mut self) -> bool {
        if self.previous.is_some() {
            std::mem::swap(&mut self.current, &mut self.previous);
            std::mem::swap(&mut self.granted, &mut self.previous_granted);
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
        assert_eq!(decisions.granted, ["source".to_owned()].into());
        assert!(decisions.roll_back());
        assert!(
            decisions.granted.is_empty(),
            "each version has its own permissions"
        );
    }

    #[test]
    fn permission_that_was_taken_back_does_not_return_with_a_rollback() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<BTreeSet<_>>()
        };
        let mut decisions = PluginDecisions::none("notes");
        decisions.candidate = Some("1".into());
        decisions.accept_candidate(names(&["log", "settings", "source"]));
        decisions.candidate = Some("2".into());
        decisions.accept_candidate(names(&["log", "source"]));
        decisions.grant(names(&["source"]));
        decisions.roll_back();
        assert_eq!(decisions.granted, names(&["settings", "source"]));
        assert_eq!(decisions.previous_granted, names(&["source"]));
    }
}
