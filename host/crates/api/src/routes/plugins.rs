//! Plugins: list, upload, permissions, settings, preview, rollback, release from quarantine.

use std::collections::{BTreeMap, BTreeSet};

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;
use serde_json::Value as JsonValue;

use crate::api_error::ApiError;
use crate::body::{Body, Input, bounded_list, non_null};
use crate::extract::{Authenticated, PathId, State};
use crate::plugin_upload::PluginUpload;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json};
use crate::views::plugin_previews::PluginPreviewView;
use crate::views::plugins::PluginView;
use svc_identity::error::FieldError;
use svc_library::plugins::{MOST_FILES, PluginChange, PluginGrant, Upload};

/// The query of `POST /plugins`.
#[derive(Debug)]
pub struct UploadQuery {
    hold: bool,
}

impl FromQuery for UploadQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "Keep a new version waiting even if it could replace the one in use at once, to preview it. Default: \
                     `false`.";
        Self {
            hold: params.boolean("hold", about).unwrap_or_default(),
        }
    }
}

/// The query of `POST /plugins/{pluginId}/preview`.
#[derive(Debug)]
pub struct PreviewQuery {
    files: u32,
}

impl FromQuery for PreviewQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "Number of files to read, from 1 to 200. Default: 40.";
        let files = params.integer("files", about, 1..=i64::from(MOST_FILES));
        Self {
            files: files.unwrap_or(40),
        }
    }
}

/// An action on a plugin.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum PluginActionInput {
    Release,
}

/// Changes of a plugin. Absent fields stay as they are.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdatePluginInput {
    /// `release`: end the quarantine of the plugin. Not together with other fields.
    #[serde(default, deserialize_with = "non_null")]
    action: Option<PluginActionInput>,
    /// All permissions that a version of an uploaded plugin has from now on; `digest` names the version. For the version
    /// that waits they have to be all that it asks for, and it is put into use.
    #[serde(default, deserialize_with = "grants")]
    grants: Option<Vec<String>>,
    /// SHA-256 of the version that `grants` are for, as the plugin or its preview shows it: `candidate.digest`, or `digest`
    /// for the version in use and for a new plugin. Required with `grants`.
    #[serde(default, deserialize_with = "non_null")]
    digest: Option<String>,
    /// Whether the plugin may run.
    #[serde(default, deserialize_with = "non_null")]
    enabled: Option<bool>,
    /// Values of settings by key; `null` restores the default. The files that the plugin reads are read again.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = Option<Object>))]
    settings: Option<BTreeMap<String, JsonValue>>,
}

fn grants<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    bounded_list(deserializer).map(Some)
}

impl Input for UpdatePluginInput {}

fn grant(grants: Option<Vec<String>>, digest: Option<String>) -> Result<Option<PluginGrant>, ApiError> {
    let message = match (grants, digest) {
        (None, None) => return Ok(None),
        (Some(permissions), Some(digest)) => {
            let permissions = BTreeSet::from_iter(permissions);
            return Ok(Some(PluginGrant { digest, permissions }));
        }
        (Some(_), None) => "is required with `grants`: the version that they are for",
        (None, Some(_)) => "belongs to the grants of a version, and there are none",
    };
    Err(ApiError::invalid(vec![FieldError::new("digest", message)]))
}

/// List plugins, including those that failed to load
#[endpoint]
pub async fn list_plugins(state: State) -> Result<Json<Vec<PluginView>>, ApiError> {
    Ok(state.plugins.list().await?.into())
}

/// Get a plugin
#[endpoint]
pub async fn get_plugin(state: State, plugin_id: PathId<String>) -> Result<Json<PluginView>, ApiError> {
    Ok(Json(state.plugins.get(&plugin_id.0).await?.into()))
}

/// Upload a plugin, or a new version of one
///
/// The body is the component, or a form with the component and its signature. Nothing of it runs before an administrator
/// grants the permissions that it asks for; a new version waits beside the one in use. A version with the same signer that
/// asks for no further permission, and keeps all kinds, fields and extensions, replaces the one in use at once.
#[endpoint(responses(
    (status_code = 409, description = "`plugin_action_conflict`: the id is that of a plugin that was not uploaded, or too many are; \
     `plugin_kind_taken`: it defines a media kind of another plugin")
))]
pub async fn upload_plugin(
    state: State,
    by: Authenticated,
    query: Query<UploadQuery>,
    body: PluginUpload,
) -> Result<Created<PluginView>, ApiError> {
    let upload = Upload {
        component: body.component,
        signature: body.signature,
        hold: query.0.hold,
    };
    Ok(Created(state.plugins.upload(by.0, upload).await?.into()))
}

/// Grant permissions, enable, disable, set up or release a plugin
///
/// A plugin that fails too often in a run of the indexer is quarantined: the server does not call it, and its files are not
/// indexed. After the release, the next run of the indexer reads these files.
#[endpoint(responses(
    (status_code = 409, description = "`plugin_action_conflict`: the plugin is not quarantined, or was not uploaded; \
     `plugin_version_changed`: the version that `digest` names is neither in use nor waits; `plugin_kind_taken`: it \
     defines a media kind of another plugin")
))]
pub async fn update_plugin(
    state: State,
    by: Authenticated,
    body: Body<UpdatePluginInput>,
    plugin_id: PathId<String>,
) -> Result<Json<PluginView>, ApiError> {
    let UpdatePluginInput {
        action,
        grants,
        digest,
        enabled,
        settings,
    } = body.0;
    let change = PluginChange {
        granted: grant(grants, digest)?,
        is_enabled: enabled,
        settings: settings.unwrap_or_default(),
    };
    let plugin = match action {
        Some(PluginActionInput::Release) if change == PluginChange::default() => {
            state.plugins.release(by.0, plugin_id.0).await?
        }
        Some(PluginActionInput::Release) => {
            let error = FieldError::new("action", "must not be together with other fields");
            return Err(ApiError::invalid(vec![error]));
        }
        None => state.plugins.update(by.0, plugin_id.0, change).await?,
    };
    Ok(Json(plugin.into()))
}

/// Remove an uploaded plugin
///
/// Its settings and versions are deleted. The items that it indexed stay until it is back.
#[endpoint(responses((status_code = 409, description = "`plugin_action_conflict`: the plugin was not uploaded")))]
pub async fn remove_plugin(
    state: State,
    by: Authenticated,
    plugin_id: PathId<String>,
) -> Result<Json<bool>, ApiError> {
    state.plugins.remove(by.0, plugin_id.0).await?;
    Ok(Json(true))
}

/// Preview a version that waits
///
/// Reads a sample of the plugin's files (the newest, oldest and largest, and those that failed) with the version in use and
/// with the one that waits, and stores nothing.
#[endpoint(responses((status_code = 409, description = "`plugin_action_conflict`: no version waits, or it cannot be loaded")))]
pub async fn preview_plugin(
    state: State,
    by: Authenticated,
    query: Query<PreviewQuery>,
    plugin_id: PathId<String>,
) -> Result<Created<PluginPreviewView>, ApiError> {
    let preview = state.plugins.preview(by.0, plugin_id.0, query.0.files).await?;
    Ok(Created(preview.into()))
}

/// Put the version before the one in use back
#[endpoint(responses(
    (status_code = 409, description = "`plugin_action_conflict`: no version was in use before; `plugin_kind_taken`: it \
     defines a media kind that another plugin has by now")
))]
pub async fn roll_back_plugin(
    state: State,
    by: Authenticated,
    plugin_id: PathId<String>,
) -> Result<Created<PluginView>, ApiError> {
    Ok(Created(state.plugins.roll_back(by.0, plugin_id.0).await?.into()))
}

/// Discard a version that waits
#[endpoint]
pub async fn discard_plugin_candidate(
    state: State,
    by: Authenticated,
    plugin_id: PathId<String>,
) -> Result<Json<PluginView>, ApiError> {
    Ok(Json(
        state.plugins.discard_candidate(by.0, plugin_id.0).await?.into(),
    ))
}
