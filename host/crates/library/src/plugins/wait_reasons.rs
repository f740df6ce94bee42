//! Why a new version of a plugin waits for an administrator instead of replacing the one in use.

use std::collections::BTreeSet;

use svc_domain::plugin::UploadedVersion;
use svc_plugin_host::{Manifest, PluginStatus};

use crate::plugins::ManifestChanges;

/// Why a version waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitReason {
    /// `not_signed`, `other_signer`, `permissions`, `losses` or `held`.
    pub code: &'static str,
    /// A sentence for the administrator.
    pub message: String,
}

/// The version that waits, and what it is compared with.
#[derive(Clone, Copy)]
pub(super) struct Waiting<'a> {
    pub(super) version: &'a UploadedVersion,
    pub(super) manifest: &'a Manifest,
    pub(super) changes: &'a ManifestChanges,
    pub(super) in_use: &'a PluginStatus,
    /// The permissions of the version in use.
    pub(super) granted: &'a BTreeSet<String>,
}

impl Waiting<'_> {
    /// Every condition for a replacement at once that does not hold.
    pub(super) fn reasons(self) -> Vec<WaitReason> {
        let mut reasons: Vec<WaitReason> = self.signer().into_iter().collect();
        let reason = |code, message| WaitReason { code, message };
        let asked = self.manifest.permissions.keys();
        for name in asked.filter(|name| !self.granted.contains(*name)) {
            reasons.push(reason("permissions", format!("it asks for `{name}`")));
        }
        let losses = self.changes.losses().into_iter();
        reasons.extend(losses.map(|loss| reason("losses", loss)));
        if reasons.is_empty() {
            reasons.push(reason("held", "it was uploaded to be kept waiting".to_owned()));
        }
        reasons
    }

    fn signer(self) -> Option<WaitReason> {
        let current = self.in_use.manifest.as_ref();
        let current = current.map_or("in use", |manifest| manifest.version.as_str());
        let (code, message) = match (&self.version.signed_by, &self.in_use.signed_by) {
            (None, _) => ("not_signed", "it is not signed".to_owned()),
            (Some(new), Some(old)) if new == old => return None,
            (Some(_), Some(_)) => (
                "other_signer",
                format!("it is signed with another key than version {current}"),
            ),
            (Some(_), None) => (
                "other_signer",
                format!("it is signed, and version {current} is not"),
            ),
        };
        Some(WaitReason { code, message })
    }
}
