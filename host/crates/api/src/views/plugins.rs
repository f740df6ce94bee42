//! JSON of plugins: state, permissions, limits, statistics.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_library::plugins::{GrantedLimits, PluginOrigin, PluginStats, PluginStatus};

/// A permission that a plugin requires.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginPermission"))]
pub struct PermissionView {
    name: String,
    /// Why the plugin requires it, from its manifest.
    reason: String,
    /// Whether it is in force: the plugin is loaded with it.
    granted: bool,
}

/// Limits per file that a plugin requests in its manifest. The server's defaults apply to the others.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "RequestedPluginLimits"))]
#[serde(rename_all = "camelCase")]
pub struct RequestedLimitsView {
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_mib: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_per_file: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_mib: Option<u32>,
}

/// Limits per file that the server enforces.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "EffectivePluginLimits"))]
#[serde(rename_all = "camelCase")]
pub struct EffectiveLimitsView {
    memory_mib: u64,
    seconds_per_file: f64,
    read_mib: u64,
    /// Number of reads.
    reads: u32,
}

/// Limits of one ability of a plugin.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginLimits"))]
pub struct LimitsView {
    /// Such as `extractor`.
    ability: &'static str,
    requested: RequestedLimitsView,
    effective: EffectiveLimitsView,
}

impl From<GrantedLimits> for LimitsView {
    fn from(limits: GrantedLimits) -> Self {
        Self {
            ability: limits.ability,
            requested: RequestedLimitsView {
                memory_mib: limits.requested.memory_mib,
                seconds_per_file: limits.requested.seconds_per_file,
                read_mib: limits.requested.read_mib,
            },
            effective: EffectiveLimitsView {
                memory_mib: limits.memory >> 20,
                seconds_per_file: limits.time.as_secs_f64(),
                read_mib: limits.read_bytes >> 20,
                reads: limits.reads,
            },
        }
    }
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
    /// What the plugin does: `extractor`, `artwork`, `pages`, `thumbnailer`, `waveform`. Empty if it was not loaded.
    abilities: Vec<&'static str>,
    /// `active`, `idle` (built in, and no directory of its media kinds is configured), `disabled`, `quarantined`,
    /// `incompatible` or `failed`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// SHA-256 of the plugin's file.
    digest: String,
    /// `built-in`, or `file`: a file of the plugin directory.
    origin: &'static str,
    /// Path of the file on the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    permissions: Vec<PermissionView>,
    /// By ability; empty if the manifest could not be read.
    limits: Vec<LimitsView>,
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
            abilities: status.abilities,
            state,
            reason,
            digest: status.digest,
            origin: status.origin.name(),
            path: match status.origin {
                PluginOrigin::BuiltIn(_) => None,
                PluginOrigin::File(path) => Some(path.display().to_string()),
            },
            permissions: Vec::new(),
            limits: status.limits.into_iter().map(LimitsView::from).collect(),
            stats: status.stats.map(StatsView::from),
        };
        if let Some(manifest) = status.manifest {
            view.permissions = manifest
                .permissions
                .into_iter()
                .map(|(name, reason)| PermissionView {
                    granted: status.granted.contains(&name),
                    name,
                    reason,
                })
                .collect();
            view.kinds = manifest.kinds.iter().map(|kind| kind.kind.to_string()).collect();
            view.name = manifest.name;
            view.version = Some(manifest.version);
            view.world = Some(format!("svc:plugin@{}", manifest.interface));
        }
        view
    }
}
