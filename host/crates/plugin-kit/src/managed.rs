//! Plugins as a running server reports them, and how they are shown to people.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::changes::Changes;

/// The plugins of a server.
#[derive(Debug, Serialize)]
pub struct ManagedPlugins {
    /// In the order of the server.
    pub plugins: Vec<ManagedPlugin>,
}

/// A plugin of a server. Fields that no verb needs are kept as they are.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManagedPlugin {
    /// Id.
    pub plugin_id: String,
    /// Version; `None` if its manifest cannot be read.
    pub version: Option<String>,
    /// `active`, `waiting`, `idle`, `disabled`, `quarantined`, `incompatible` or `failed`.
    pub state: String,
    /// Why it is not active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `built-in`, `uploaded` or `file`.
    pub origin: String,
    /// Path on the server of a file of the plugin directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// SHA-256 of its file.
    pub digest: String,
    /// The key that signed it.
    pub signed_by: Option<String>,
    /// What it asks for.
    pub permissions: Vec<Permission>,
    /// JSON Schema of its settings.
    pub settings_schema: Json,
    /// Values of its settings.
    pub settings: Map<String, Json>,
    /// The version that waits for its permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate: Option<Candidate>,
    /// The version that was in use before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Version>,
    /// Statistics since the server started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<Stats>,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Json>,
}

/// A permission that a plugin asks for.
#[derive(Debug, Serialize, Deserialize)]
pub struct Permission {
    /// Its name.
    pub name: String,
    /// Why the plugin asks for it.
    pub reason: String,
    /// Whether it has it.
    pub granted: bool,
}

/// A version of a plugin.
#[derive(Debug, Serialize, Deserialize)]
pub struct Version {
    /// Its number.
    pub version: String,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Json>,
}

/// A version that waits.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// Its number.
    pub version: String,
    /// SHA-256 of its file.
    pub digest: String,
    /// What it asks for.
    pub permissions: Vec<Permission>,
    /// What it has more and less than the version in use.
    #[serde(default)]
    pub changes: Changes,
    /// Why it has not replaced the version in use.
    #[serde(default)]
    pub wait_reasons: Vec<WaitReason>,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Json>,
}

/// Why a version waits.
#[derive(Debug, Serialize, Deserialize)]
pub struct WaitReason {
    /// Its name for programs.
    pub code: String,
    /// A sentence.
    pub message: String,
}

/// Calls of a plugin.
#[derive(Debug, Serialize, Deserialize)]
pub struct Stats {
    /// Number of calls.
    pub calls: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Json>,
}

impl ManagedPlugin {
    /// The version that waits, or else the one in use: its digest, and what it asks for.
    pub(crate) fn to_grant(&self) -> (&str, &[Permission]) {
        match &self.candidate {
            Some(candidate) => (candidate.digest.as_str(), candidate.permissions.as_slice()),
            None => (self.digest.as_str(), self.permissions.as_slice()),
        }
    }

    /// The version with this digest, if it is in use or waits.
    pub(crate) fn with_digest(&self, digest: &str) -> Option<(&str, &[Permission])> {
        let in_use = (self.digest.as_str(), self.permissions.as_slice());
        [self.to_grant(), in_use]
            .into_iter()
            .find(|(known, _)| *known == digest)
    }

    /// The value that a text stands for: as the setting's type says, a text where there is no such setting. An empty text
    /// restores the default.
    pub(crate) fn setting_of_text(&self, key: &str, text: &str) -> Json {
        let properties = self.settings_schema.get("properties");
        let setting = properties.and_then(|properties| properties.get(key));
        let setting_type = setting
            .and_then(|setting| setting.get("type"))
            .and_then(Json::as_str);
        if text.is_empty() {
            return Json::Null;
        }
        match setting_type {
            Some("integer" | "number" | "boolean") => {
                serde_json::from_str(text).unwrap_or_else(|_| json!(text))
            }
            _ => json!(text),
        }
    }
}

/// What a version that waits would change.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewReport {
    /// The version in use.
    pub from: Option<String>,
    /// The version that waits.
    pub to: String,
    /// SHA-256 of its file.
    pub digest: String,
    /// What it has more and less than the version in use.
    #[serde(default)]
    pub changes: Changes,
    /// Files that both versions read in the same way.
    pub unchanged: u64,
    /// Files that were not read.
    pub left_out: u64,
    /// The files.
    pub files: Vec<PreviewedFile>,
}

/// A file of a preview.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewedFile {
    /// Below its media directory.
    pub relative_path: String,
    /// What the version in use reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Reading>,
    /// What the version that waits reads.
    pub after: Reading,
    /// The fields that differ.
    pub changes: Vec<FieldChange>,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Json>,
}

/// What a version reads from a file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// `indexed`, `empty` or the code of a failure.
    pub outcome: String,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A field that differs.
#[derive(Debug, Serialize, Deserialize)]
pub struct FieldChange {
    /// Its name.
    pub field: String,
    /// What the version in use reads.
    pub before: Json,
    /// What the version that waits reads.
    pub after: Json,
}

impl fmt::Display for ManagedPlugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<16} {:<10} {:<12} {:<10} sha256",
            "id", "version", "state", "origin"
        )?;
        for plugin in &self.plugins {
            let version = plugin.version.as_deref().unwrap_or("-");
            let digest = plugin.digest.get(..12).unwrap_or(&plugin.digest);
            write!(
                f,
                "\n{:<16} {version:<10} {:<12} {:<10} {digest}",
                plugin.plugin_id, plugin.state, plugin.origin
            )?;
            if let Some(path) = &plugin.path {
                write!(f, "\n  {path}")?;
            }
            if let Some(reason) = &plugin.reason {
                write!(f, "\n  {reason}")?;
            }
            if let Some(candidate) = &plugin.candidate {
                write!(f, "\n  version {} waits for your yes", candidate.version)?;
                for reason in &candidate.wait_reasons {
                    write!(f, "\n    {}", reason.message)?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for ManagedPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.version.as_deref().unwrap_or("-");
        writeln!(
            f,
            "{} {version} is {} ({})",
            self.plugin_id, self.state, self.origin
        )?;
        if let Some(reason) = &self.reason {
            writeln!(f, "  {reason}")?;
        }
        if let Some(path) = &self.path {
            writeln!(f, "  file       {path}")?;
        }
        writeln!(f, "  sha256     {}", self.digest)?;
        writeln!(
            f,
            "  signed by  {}",
            self.signed_by.as_deref().unwrap_or("nobody")
        )?;
        permissions(f, &self.permissions)?;
        for (key, value) in &self.settings {
            writeln!(f, "  setting    {key} = {value}")?;
        }
        if let Some(previous) = &self.previous {
            writeln!(
                f,
                "  before it  {}: `svc plugin rollback {}`",
                previous.version, self.plugin_id
            )?;
        }
        match &self.candidate {
            Some(candidate) => {
                writeln!(f, "version {} waits for your yes:", candidate.version)?;
                for reason in &candidate.wait_reasons {
                    writeln!(f, "  because    {}", reason.message)?;
                }
                writeln!(f, "  sha256     {}", candidate.digest)?;
                permissions(f, &candidate.permissions)?;
                write!(f, "{}", candidate.changes)?;
                write!(
                    f,
                    "next: `svc plugin preview {0}`, then `svc plugin grant {0} --all`",
                    self.plugin_id
                )
            }
            None if self.state == "waiting" => {
                write!(
                    f,
                    "next: `svc plugin grant {} --all`, if you agree to all of it",
                    self.plugin_id
                )
            }
            None => Ok(()),
        }
    }
}

fn permissions(f: &mut fmt::Formatter<'_>, permissions: &[Permission]) -> fmt::Result {
    for Permission {
        name,
        reason,
        granted,
    } in permissions
    {
        let granted = if *granted { "granted" } else { "asked for" };
        writeln!(f, "  {granted:<10} {name}: {reason}")?;
    }
    Ok(())
}

impl fmt::Display for PreviewReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.from.as_deref().unwrap_or("none");
        write!(
            f,
            "from {from} to {}: {} files read, {} as before, {} left out",
            self.to,
            self.files.len(),
            self.unchanged,
            self.left_out
        )?;
        write!(f, "\nsha256 {}", self.digest)?;
        let changes = self.changes.to_string();
        for line in changes.lines() {
            write!(f, "\n{line}")?;
        }
        for file in &self.files {
            let differs = file.before.as_ref() != Some(&file.after);
            if file.changes.is_empty() && !differs {
                continue;
            }
            write!(f, "\n{}", file.relative_path)?;
            if differs {
                let before = file.before.as_ref().map_or("-", |reading| &reading.outcome);
                write!(f, "\n  {before} → {}", file.after.outcome)?;
                if let Some(message) = &file.after.message {
                    write!(f, ": {message}")?;
                }
            }
            for change in &file.changes {
                write!(f, "\n  {}: {} → {}", change.field, change.before, change.after)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_that_waits_is_shown_with_its_reasons_and_losses() {
        let permissions = json!([{ "name": "source", "reason": "Reads the file", "granted": true }]);
        let plugin: ManagedPlugin = serde_json::from_value(json!({
            "pluginId": "sheets", "version": "1.0.0", "state": "active", "origin": "uploaded", "digest": "aa",
            "signedBy": null, "permissions": permissions, "settingsSchema": {}, "settings": {},
            "candidate": {
                "version": "2.0.0", "digest": "bb", "permissions": permissions,
                "changes": { "kindsLost": ["sheets"], "items": [{ "kind": "sheets", "unavailable": 5, "losingValues": 0 }] },
                "waitReasons": [{ "code": "not_signed", "message": "it is not signed" }],
            },
        }))
        .unwrap();
        let text = plugin.to_string();
        let (_, waiting) = text.split_once("version 2.0.0 waits for your yes:\n").unwrap();
        assert_eq!(
            waiting,
            "  because    it is not signed\n  sha256     bb\n  granted    source: Reads the file\n  \
             lost       kind sheets\n  WARNING    5 items of sheets become unavailable\n\
             next: `svc plugin preview sheets`, then `svc plugin grant sheets --all`"
        );
    }
}
