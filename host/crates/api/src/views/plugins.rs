//! JSON of plugins: state, permissions, limits, settings, statistics.

use std::collections::{BTreeMap, BTreeSet};

use salvo::oapi::ToSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::views::kinds::{json_schema, title};
use crate::views::plugin_changes::PluginChangesView;
use svc_domain::plugin::UploadedVersion;
use svc_domain::time::Timestamp;
use svc_library::plugins::{
    GrantedLimits, ManifestSetting, Plugin, PluginOrigin, PluginStats, SettingType, WaitReason,
};

/// A permission that a plugin requires.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginPermission"))]
pub struct PermissionView {
    name: String,
    /// Why the plugin requires it, from its manifest.
    reason: String,
    /// Whether the plugin has it when it is loaded: an administrator granted it, or the operator put the plugin there.
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
    /// Failed calls, and files that the plugin refused, by code: `refused`, `invalid`, `unsupported`, `io`, `budget`,
    /// `timeout`, `out_of_memory`, `trap`, `bad_output`. Codes that did not occur are left out.
    failures: BTreeMap<&'static str, u64>,
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
            failures: stats.failures().collect(),
            p50_us: stats.p50_us,
            p99_us: stats.p99_us,
            max_memory: stats.max_memory,
        }
    }
}

/// A version of a plugin that was uploaded.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginVersion"))]
#[serde(rename_all = "camelCase")]
pub struct PluginVersionView {
    version: String,
    /// SHA-256 of the plugin's file.
    digest: String,
    /// The public key that signed it, in base64; `null` if it is not signed.
    signed_by: Option<String>,
    #[salvo(schema(value_type = String))]
    uploaded_at: Timestamp,
}

impl From<UploadedVersion> for PluginVersionView {
    fn from(version: UploadedVersion) -> Self {
        Self {
            version: version.version,
            digest: version.digest,
            signed_by: version.signed_by,
            uploaded_at: version.uploaded_at,
        }
    }
}

/// A version of a plugin that waits for its permissions while another is in use.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginCandidate"))]
#[serde(rename_all = "camelCase")]
pub struct PluginCandidateView {
    #[serde(flatten)]
    version: PluginVersionView,
    /// What it asks for; `granted` says whether the version in use has the permission.
    permissions: Vec<PermissionView>,
    limits: Vec<LimitsView>,
    /// What it has more and less than the version in use.
    changes: PluginChangesView,
    /// Why it has not replaced the version in use at once.
    wait_reasons: Vec<WaitReasonView>,
}

/// Why a version waits for an administrator.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PluginWaitReason"))]
pub struct WaitReasonView {
    /// `not_signed`, `other_signer` (its key is not that of the version in use), `permissions` (it asks for a further one),
    /// `losses` (it has less than the version in use), or `held` (it was uploaded to be kept waiting).
    code: &'static str,
    message: String,
}

impl From<WaitReason> for WaitReasonView {
    fn from(reason: WaitReason) -> Self {
        Self {
            code: reason.code,
            message: reason.message,
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
    description: String,
    version: Option<String>,
    license: Option<String>,
    homepage: Option<String>,
    /// Version of the plugin interface: `svc:plugin@…`.
    world: Option<String>,
    /// Media kinds of the plugin.
    kinds: Vec<String>,
    /// JSON Schema of the items of each kind that the plugin defines, by kind; as in `GET /kinds`.
    #[salvo(schema(value_type = Object))]
    schemas: BTreeMap<String, Json>,
    /// What the plugin does: `extractor`, `artwork`, `pages`, `thumbnailer`, `waveform`. Empty if it was not loaded.
    abilities: Vec<&'static str>,
    /// `active`, `waiting` (uploaded, and some of its permissions are not granted), `idle` (built in, and no directory of
    /// its media kinds is configured), `disabled`, `quarantined`, `incompatible` or `failed`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// SHA-256 of the plugin's file.
    digest: String,
    /// `built-in`, `uploaded`, or `file`: a file of the plugin directory.
    origin: &'static str,
    /// Path of the file on the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The public key that signed it, in base64; `null` if it is not signed.
    signed_by: Option<String>,
    permissions: Vec<PermissionView>,
    /// By ability; empty if the manifest could not be read.
    limits: Vec<LimitsView>,
    /// Values of its settings in force.
    #[salvo(schema(value_type = Object))]
    settings: BTreeMap<String, Json>,
    /// JSON Schema of `settings`; `x-label` of each property are its names by language.
    #[salvo(schema(value_type = Object))]
    settings_schema: Json,
    /// The version that was in use before, which a rollback puts back.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<PluginVersionView>,
    /// The version that waits for its permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidate: Option<PluginCandidateView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<StatsView>,
}

impl From<Plugin> for PluginView {
    fn from(plugin: Plugin) -> Self {
        let status = plugin.status;
        let id = status.id();
        let (state, reason) = (status.state.name(), status.state.reason().map(str::to_owned));
        let candidate = plugin.candidate.map(|candidate| PluginCandidateView {
            version: candidate.version.into(),
            permissions: permissions(candidate.examined.manifest.permissions, &status.granted),
            limits: candidate
                .examined
                .limits
                .into_iter()
                .map(LimitsView::from)
                .collect(),
            changes: candidate.changes.into(),
            wait_reasons: candidate.reasons.into_iter().map(WaitReasonView::from).collect(),
        });
        let mut view = Self {
            name: id.clone(),
            plugin_id: id,
            description: String::new(),
            version: None,
            license: None,
            homepage: None,
            world: None,
            kinds: Vec::new(),
            schemas: BTreeMap::new(),
            abilities: status.abilities,
            state,
            reason,
            digest: status.digest,
            origin: status.origin.name(),
            path: match status.origin {
                PluginOrigin::BuiltIn(_) | PluginOrigin::Uploaded(_) => None,
                PluginOrigin::File(path) => Some(path.display().to_string()),
            },
            signed_by: status.signed_by,
            permissions: Vec::new(),
            limits: status.limits.into_iter().map(LimitsView::from).collect(),
            settings: plugin.settings,
            settings_schema: settings_schema(&[]),
            previous: plugin.previous.map(PluginVersionView::from),
            candidate,
            stats: status.stats.map(StatsView::from),
        };
        if let Some(manifest) = status.manifest {
            view.permissions = permissions(manifest.permissions, &status.granted);
            view.kinds = manifest.kinds.iter().map(|kind| kind.kind.to_string()).collect();
            let schemas = manifest.kinds.iter().filter_map(|kind| kind.schema.as_ref());
            view.schemas = schemas
                .map(|schema| (schema.kind.to_string(), json_schema(schema)))
                .collect();
            view.settings_schema = settings_schema(&manifest.settings);
            view.name = manifest.name;
            view.description = manifest.description;
            view.version = Some(manifest.version);
            view.license = manifest.license;
            view.homepage = manifest.homepage;
            view.world = Some(format!("svc:plugin@{}", manifest.interface));
        }
        view
    }
}

fn permissions(asked: BTreeMap<String, String>, granted: &BTreeSet<String>) -> Vec<PermissionView> {
    let asked = asked.into_iter();
    asked
        .map(|(name, reason)| PermissionView {
            granted: granted.contains(&name),
            name,
            reason,
        })
        .collect()
}

fn settings_schema(settings: &[ManifestSetting]) -> Json {
    let properties: Map<String, Json> = settings
        .iter()
        .map(|setting| (setting.key.clone(), setting_property(setting)))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn setting_property(setting: &ManifestSetting) -> Json {
    let (json_type, least, most) = match setting.setting_type {
        SettingType::Text => ("string", "minLength", "maxLength"),
        SettingType::Integer => ("integer", "minimum", "maximum"),
        SettingType::Real => ("number", "minimum", "maximum"),
        SettingType::Boolean => ("boolean", "minimum", "maximum"),
    };
    let mut property = Map::from_iter([
        ("type".to_owned(), json!(json_type)),
        ("title".to_owned(), json!(title(&setting.label))),
        ("default".to_owned(), setting.default.clone().into()),
        ("x-label".to_owned(), json!(setting.label)),
    ]);
    let bound = |bound: f64| {
        // JSON Schema wants whole numbers for lengths.
        if bound.fract() == 0.0 && bound.abs() < 9e15 {
            json!(bound as i64)
        } else {
            json!(bound)
        }
    };
    property.extend(setting.min.map(|min| (least.to_owned(), bound(min))));
    property.extend(setting.max.map(|max| (most.to_owned(), bound(max))));
    if !setting.choices.is_empty() {
        let choices = setting.choices.iter().cloned().map(Json::from).collect();
        property.insert("enum".to_owned(), choices);
    }
    Json::Object(property)
}
