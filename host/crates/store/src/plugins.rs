//! Decisions about plugins, and the uploaded versions with their bytes.

use std::collections::BTreeSet;

use crate::db::Database;
use crate::identity::IdentityChange;
use svc_database::args::args;
use svc_database::{Result, StoreError};
use svc_domain::plugin::{PluginDecisions, UploadedVersion};
use svc_domain::time::Timestamp;

const DECISIONS: &str = "SELECT plugin_id, is_enabled, granted, settings, current_digest, previous_digest, \
    previous_granted, candidate_digest FROM plugins ORDER BY plugin_id";
const STORE_DECISIONS: &str = "INSERT INTO plugins (plugin_id, is_enabled, granted, settings, current_digest, \
    previous_digest, previous_granted, candidate_digest) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
    ON CONFLICT (plugin_id) DO UPDATE SET is_enabled = excluded.is_enabled, granted = excluded.granted, \
    settings = excluded.settings, current_digest = excluded.current_digest, \
    previous_digest = excluded.previous_digest, previous_granted = excluded.previous_granted, \
    candidate_digest = excluded.candidate_digest";
const VERSIONS: &str =
    "SELECT digest, plugin_id, version, signed_by, uploaded_at FROM plugin_components ORDER BY digest";
const STORE_VERSION: &str = "INSERT INTO plugin_components (digest, plugin_id, version, signed_by, uploaded_at, component) \
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (digest) DO UPDATE SET signed_by = excluded.signed_by, \
    uploaded_at = excluded.uploaded_at";
/// Versions of a plugin that it no longer refers to.
const DELETE_UNUSED_VERSIONS: &str = "DELETE FROM plugin_components WHERE plugin_id = $1 AND NOT EXISTS \
    (SELECT 1 FROM plugins p WHERE p.plugin_id = $1 \
    AND plugin_components.digest IN (p.current_digest, p.previous_digest, p.candidate_digest))";

type DecisionsRow = (
    String,
    bool,
    String,
    String,
    Option<String>,
    Option<String>,
    String,
    Option<String>,
);
type VersionRow = (String, String, String, Option<String>, i64);

fn decisions(row: DecisionsRow) -> Result<PluginDecisions> {
    let (plugin_id, is_enabled, granted, settings, current, previous, previous_granted, candidate) = row;
    let invalid = |_| StoreError::InvalidValue("decisions about a plugin");
    let granted: BTreeSet<String> = serde_json::from_str(&granted).map_err(invalid)?;
    let previous_granted: BTreeSet<String> = serde_json::from_str(&previous_granted).map_err(invalid)?;
    Ok(PluginDecisions {
        plugin_id,
        is_enabled,
        granted,
        settings: serde_json::from_str(&settings).map_err(invalid)?,
        current,
        previous,
        previous_granted,
        candidate,
    })
}

fn version((digest, plugin_id, version, signed_by, uploaded_at): VersionRow) -> UploadedVersion {
    UploadedVersion {
        digest,
        plugin_id,
        version,
        signed_by,
        uploaded_at: Timestamp::from_millis(uploaded_at),
    }
}

/// Decisions about plugins, and uploaded versions.
#[derive(Debug, Clone)]
pub struct PluginRepository {
    pub(crate) db: Database,
}

impl PluginRepository {
    /// The decisions about all plugins that have any, by id.
    pub async fn decisions(&self) -> Result<Vec<PluginDecisions>> {
        let rows: Vec<DecisionsRow> = self.db.pools().fetch_all(DECISIONS, &[]).await?;
        rows.into_iter().map(decisions).collect()
    }

    /// All uploaded versions.
    pub async fn uploaded_versions(&self) -> Result<Vec<UploadedVersion>> {
        let rows: Vec<VersionRow> = self.db.pools().fetch_all(VERSIONS, &[]).await?;
        Ok(rows.into_iter().map(version).collect())
    }

    /// The bytes of an uploaded version.
    pub async fn component(&self, digest: &str) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT component FROM plugin_components WHERE digest = $1";
        let row: Option<(Vec<u8>,)> = self.db.pools().fetch_optional(sql, &args![digest]).await?;
        Ok(row.map(|(component,)| component))
    }
}

impl IdentityChange {
    /// The decisions about a plugin; those of nobody if none was made.
    pub async fn plugin_decisions(&mut self, plugin_id: &str) -> Result<PluginDecisions> {
        let rows: Vec<DecisionsRow> = self.fetch_all(DECISIONS, &[]).await?;
        let row = rows.into_iter().find(|row| row.0 == plugin_id);
        row.map_or_else(|| Ok(PluginDecisions::none(plugin_id)), decisions)
    }

    /// Stores decisions about a plugin, and deletes the versions that they no longer name.
    pub async fn store_plugin_decisions(&mut self, decisions: &PluginDecisions) -> Result<()> {
        let invalid = |_| StoreError::InvalidValue("decisions about a plugin");
        let granted = serde_json::to_string(&decisions.granted).map_err(invalid)?;
        let previous_granted = serde_json::to_string(&decisions.previous_granted).map_err(invalid)?;
        let settings = serde_json::to_string(&decisions.settings).map_err(invalid)?;
        let values = args![
            decisions.plugin_id.as_str(),
            decisions.is_enabled,
            granted,
            settings,
            decisions.current.as_deref(),
            decisions.previous.as_deref(),
            previous_granted,
            decisions.candidate.as_deref()
        ];
        self.execute(STORE_DECISIONS, &values).await?;
        self.execute(DELETE_UNUSED_VERSIONS, &args![decisions.plugin_id.as_str()])
            .await
            .map(drop)
    }

    /// Stores an uploaded version. The decisions about its plugin have to be stored before, and name it.
    pub async fn store_plugin_version(&mut self, version: &UploadedVersion, component: &[u8]) -> Result<()> {
        let values = args![
            version.digest.as_str(),
            version.plugin_id.as_str(),
            version.version.as_str(),
            version.signed_by.as_deref(),
            version.uploaded_at,
            component
        ];
        self.execute(STORE_VERSION, &values).await.map(drop)
    }

    /// Deletes a plugin's decisions and uploaded versions.
    pub async fn delete_plugin(&mut self, plugin_id: &str) -> Result<()> {
        for sql in [
            "DELETE FROM plugin_components WHERE plugin_id = $1",
            "DELETE FROM plugins WHERE plugin_id = $1",
        ] {
            self.execute(sql, &args![plugin_id]).await?;
        }
        Ok(())
    }
}
