//! Plugins: list, and release from quarantine.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input};
use crate::extract::{Authenticated, PathId, State};
use crate::response::Json;
use crate::views::plugins::PluginView;

/// An action on a plugin.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum PluginActionInput {
    Release,
}

/// The action on the plugin.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ControlPluginInput {
    /// `release`: end the quarantine of the plugin.
    action: PluginActionInput,
}

impl Input for ControlPluginInput {}

/// List plugins, including those that failed to load
#[endpoint]
pub async fn list_plugins(state: State) -> Json<Vec<PluginView>> {
    state.plugins.list().into()
}

/// Release a plugin from quarantine
///
/// A plugin that fails too often in a run of the indexer is quarantined: the server does not call it, and its files are not
/// indexed. After the release, the next run of the indexer reads these files.
#[endpoint(responses((status_code = 409, description = "`plugin_action_conflict`: the plugin is not quarantined")))]
pub async fn control_plugin(
    state: State,
    by: Authenticated,
    body: Body<ControlPluginInput>,
    plugin_id: PathId<String>,
) -> Result<Json<PluginView>, ApiError> {
    let status = match body.0.action {
        PluginActionInput::Release => state.plugins.release(by.0, plugin_id.0).await?,
    };
    Ok(Json(status.into()))
}
