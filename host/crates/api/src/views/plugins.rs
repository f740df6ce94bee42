//! Plugins.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_library::plugins::{PluginStats, PluginStatus};

/// A permission that a plugin requires.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginPermission"))]
pub struct PermissionView {
    name: String,
    /// Why the plugin requires it, from its manifest.
    reason: String,
    granted: bool,
}

/// Limits per file that a plugin declares in its manifest.
#[derive(Debug, Default, Serialize, ToSchema)]
#[salvo(schema(name = "PluginLimits"))]
#[serde(rename_all = "camelCase")]
pub struct LimitsView {
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_mib: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_per_file: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_mib: Option<u32>,
}

/// Statistics of a plugin since the server started.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginStats"))]
#[serde(rename_all = "camelCase")]
pub struct StatsView {
    calls: u64,
    /// Calls that failed.
    errors: u64,
    /// Failed calls whose cause is the plugin itself.
    traps: u64,
    /// Median duration of a call in microseconds.
    p50_us: u64,
    /// 99th percentile of the duration of a call in microseconds.
    p99_us: u64,
    /// Peak memory of one call in bytes.
    max_memory: u64,
}

impl From<PluginStats> for StatsView {
    fn from(stats: PluginStats) -> Self {
        Self {
            calls: stats.calls,
            errors: stats.errors,
            traps: stats.plugin_errors,
            p50_us: stats.p50_us,
            p99_us: stats.p99_us,
            max_memory: stats.max_memory,
        }
    }
}

/// A plugin.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Plugin"))]
#[serde(rename_all = "camelCase")]
pub struct PluginView {
    /// Id of the plugin; the name of its file if the manifest could not be read.
    plugin_id: String,
    name: String,
    version: Option<String>,
    /// Version of the plugin interface: `svc:plugin@…`.
    world: Option<String>,
    /// Media kinds of the plugin.
    kinds: Vec<String>,
    /// `active`, `disabled`, `quarantined`, `incompatible` or `failed`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// SHA-256 of the plugin's file.
    digest: String,
    permissions: Vec<PermissionView>,
    limits: LimitsView,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<StatsView>,
}

impl From<PluginStatus> for PluginView {
    fn from(status: PluginStatus) -> Self {
        let id = status.id();
        let (state, reason) = (status.state.name(), status.state.reason().map(str::to_owned));
        let mut view = Self {
            name: id.clone(),
            plugin_id: id,
            version: None,
            world: None,
            kinds: Vec::new(),
            state,
            reason,
            digest: status.digest,
            permissions: Vec::new(),
            limits: LimitsView::default(),
            stats: status.stats.map(StatsView::from),
        };
        if let Some(manifest) = status.manifest {
            let granted = state == "active";
            view.permissions = manifest
                .permissions
                .into_iter()
                .map(|(name, reason)| PermissionView {
                    name,
                    reason,
                    granted,
                })
                .collect();
            view.kinds = manifest.kinds.iter().map(|kind| kind.kind.to_string()).collect();
            view.limits = LimitsView {
                memory_mib: manifest.limits.memory_mib,
                seconds_per_file: manifest.limits.seconds_per_file,
                read_mib: manifest.limits.read_mib,
            };
            view.name = manifest.name;
            view.version = Some(manifest.version);
            view.world = Some(format!("svc:plugin@{}", manifest.interface));
        }
        view
    }
}
